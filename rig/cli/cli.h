/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: one const row and one file per command. Layer: cli (top).
 */
#ifndef RIG_CLI_CLI_H
#define RIG_CLI_CLI_H

#include "base/err.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stdint.h>

struct report_ops;
struct report_options;
struct buf;
struct store;

struct command {
	const char *name;
	const char *args;	/* operands, for the usage line */
	const char *summary;	/* one line for `rig help` */
	const struct opt *opts; /* ends with OPT_END; NULL = none */
	int min_operands, max_operands;
	/* operands[0..n-1]; returns the exit code, or -1 with *err filled */
	int (*run)(int n, char **operands, struct err *err);
};

extern const struct command cmd_run, cmd_report, cmd_gate, cmd_log, cmd_import, cmd_kernel,
	cmd_suite, cmd_boards, cmd_doctor, cmd_sessions, cmd_scan, cmd_parse, cmd_calibrate,
	cmd_check, cmd_history, cmd_query, cmd_db, cmd_compare, cmd_power, cmd_console, cmd_submit,
	cmd_queue, cmd_cancel, cmd_top, cmd_lease, cmd_audit, cmd_health, cmd_nightly, cmd_morning;

/*
 * Opens the database, finds the session that the operand names (a session id, a unique beginning
 * of one, a run directory, or NULL for the newest) and calls run with its full id. Returns what
 * run does, or -1 with *err.
 */
int cli_with_session(bool writable, const char *operand,
		     int (*run)(struct store *store, const char *session, struct err *err),
		     struct err *err);

/* To the file, as a whole or not at all; NULL or "-": to the standard output. 0, or -1 with *err.
 */
int cli_write(const struct buf *text, const char *path, struct err *err);

/*
 * A report of the session, to the standard output (path NULL or "-") or written to the file as a
 * whole. ops and options as for report_session(). 0 or -1.
 */
int cli_report(struct store *store, const char *session, const struct report_ops *ops,
	       const struct report_options *options, const char *path, struct err *err);

/* Wall clock, ms since 1970. */
int64_t cli_now_ms(void);

/* $RIG_HOME/runs/<session>; the caller frees. */
char *cli_run_dir(const char *session);

#endif
