/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the files at the top of a run directory, for the job that writes them and for everybody
 * who looks into it from outside. What they hold: job/rundir.h, job/journal.h, results/import.h.
 */
#ifndef RIG_BASE_RUNFILES_H
#define RIG_BASE_RUNFILES_H

#define RUNDIR_SESSION "session.json"
#define RUNDIR_LOCK    "lock"
#define RUNDIR_EVENTS  "events.jsonl"
#define RUNDIR_PLAN    "plan.json" /* put there by whoever starts the job */
#define RUNDIR_CONTROL "control"   /* socket of a job that may be adopted */
#define RUNDIR_VOID    "void"	   /* made under the lock: no job may begin here any more */
#define RUNDIR_LOG     "job.log"   /* what rig-job printed, when a daemon started it */

#endif
