/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of one step -> its command line and samples. Inside import. */
#ifndef RESULTS_IMPORT_STEP_H
#define RESULTS_IMPORT_STEP_H

#include "results/import-json.h"

/*
 * Reads the files of the session's last step, which has ended. Whatever is wrong with them makes
 * the step failed, with its blame and message, and leaves it without samples.
 */
void import_step_files(const struct reading *r);

#endif
