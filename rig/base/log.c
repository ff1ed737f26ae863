// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages for a person; see log.h. Layer: base. */
#include "base/log.h"
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "rig";
static bool be_verbose;
static bool status_open; /* an unfinished status line is on the terminal */

void log_init(const char *program, bool verbose)
{
	program_name = program;
	be_verbose = verbose;
}

static void close_status(void)
{
	if (status_open)
		fputs("\r\033[K", stderr);
	status_open = false;
}

static void say(const char *kind, const char *fmt, va_list ap)
{
	close_status();
	fprintf(stderr, "%s: %s", program_name, kind);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void log_debug(const char *fmt, ...)
{
	va_list ap;

	if (!be_verbose)
		return;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

int log_err(const struct err *err)
{
	close_status();
	fprintf(stderr, "%s: error (%s): %s\n", program_name, blame_name(err->blame), err->message);
	return err_exit_code(err);
}

void log_status(bool done, const char *fmt, ...)
{
	bool tty = isatty(STDERR_FILENO);
	va_list ap;

	if (!tty && !done)
		return;
	close_status();
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (done || !tty)
		fputc('\n', stderr);
	else
		status_open = true;
	fflush(stderr);
}
