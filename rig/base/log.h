/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages for a person, on stderr. Only mains and the step runner print (`make lint` checks it);
 * lower layers return errors.
 */
#ifndef RIG_BASE_LOG_H
#define RIG_BASE_LOG_H

#include <stdbool.h>

struct err;

/* The name before each message; program must outlive the process. */
void log_init(const char *program, bool verbose);

void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2))); /* verbose only */

/* "rig: error (USER): message"; returns err_exit_code(err). */
int log_err(const struct err *err);

/*
 * One status line: overwritten in place on a terminal, a plain line elsewhere (there only when
 * done is true, so that logs hold one line for each finished thing).
 */
void log_status(bool done, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
