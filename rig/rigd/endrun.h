/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ending the run of a job that died. A dying job is never trusted to clean up: whoever finds it
 * dead drives its board to "off" (jobproc.h) and closes its journal. Layer: rigd.
 */
#ifndef RIG_RIGD_ENDRUN_H
#define RIG_RIGD_ENDRUN_H

/*
 * Appends fault job-lost (blame RIG) and session-end to the journal, after closing a torn last
 * line. The caller knows that no job holds the directory. 0 or -errno.
 */
int endrun_journal(const char *run_dir, const char *message);

#endif
