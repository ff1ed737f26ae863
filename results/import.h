/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run directory -> the store. Idempotent: a directory that has grown, or is read again after a
 * parser was mended, replaces what was derived from it, in one transaction.
 *
 * What is wrong with a step's files (fio.json missing, cut off, absurd numbers) makes that step
 * failed and gives it no numbers; what is wrong with session.json or the journal refuses the
 * import as a whole, naming file and line, and leaves the store as it was. A torn last line of
 * the journal is how a killed job looks, and is ignored.
 *
 * A journal without session-end: while a job holds the directory's lock it is running; else the
 * job died, and the session gets a fault job-lost (blame RIG) here if its supervisor left none.
 *
 * Errors: code "no-run" (USER: not a run directory), "bad-run" (RIG: file:line: what), and those
 * of store.h.
 */
#ifndef RESULTS_IMPORT_H
#define RESULTS_IMPORT_H

#include <stdbool.h>

#include "base/err.h"

struct session;
struct store;

/* Reads the directory without storing anything; the caller frees the session. NULL on error. */
struct session *import_read(const char *run_dir, struct err *err);

/* Does the journal of that run say that the session has ended? A run without a journal has not. */
bool import_has_ended(const char *run_dir);

/*
 * Reads and stores. On success *session (may be NULL) is what was stored; the caller frees it.
 * 0 or -1.
 */
int import_run(struct store *st, const char *run_dir, struct session **session, struct err *err);

#endif
