// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors with blame; see err.h. Layer: base. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const blame_names[] = {
	[BLAME_NONE] = "NONE",	 [BLAME_USER] = "USER",	    [BLAME_RIG] = "RIG",
	[BLAME_BOARD] = "BOARD", [BLAME_KERNEL] = "KERNEL", [BLAME_TEST] = "TEST",
};

#define BLAME_COUNT (sizeof(blame_names) / sizeof(blame_names[0]))

const char *blame_name(enum blame blame)
{
	return (size_t)blame < BLAME_COUNT ? blame_names[blame] : "NONE";
}

enum blame blame_parse(const char *name)
{
	for (size_t i = 0; i < BLAME_COUNT; i++)
		if (name && !strcmp(blame_names[i], name))
			return (enum blame)i;
	return BLAME_NONE;
}

static void set_head(struct err *err, enum blame blame, const char *code)
{
	err->blame = blame;
	snprintf(err->code, sizeof(err->code), "%s", code ? code : "");
}

/* Names and texts of files find their way into messages, and these to terminals. */
static void clean(char *message)
{
	for (; *message; message++)
		if (((unsigned char)*message < ' ' && !strchr("\n\t", *message)) ||
		    *message == 0x7f)
			*message = '?';
}

int err_set(struct err *err, enum blame blame, const char *code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	set_head(err, blame, code);
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	clean(err->message);
	return -1;
}

int err_sys(struct err *err, enum blame blame, const char *code, int errnum, const char *fmt, ...)
{
	size_t used;
	va_list ap;

	if (!err)
		return -1;
	set_head(err, blame, code);
	va_start(ap, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	va_end(ap);
	clean(err->message);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerror(abs(errnum)));
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char prefix[256];
	char old[ERR_MESSAGE_SIZE];
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	memcpy(old, err->message, sizeof(old));
	/* Truncation is the documented behaviour; the format keeps the prefix whole. */
	snprintf(err->message, sizeof(err->message), "%s: %.*s", prefix,
		 (int)(sizeof(err->message) - strlen(prefix) - 3), old);
	return -1;
}

int err_exit_code(const struct err *err)
{
	switch (err->blame) {
	case BLAME_USER:
		return EXIT_USAGE;
	case BLAME_KERNEL:
		return EXIT_FAIL;
	default:
		return EXIT_INVALID;
	}
}
