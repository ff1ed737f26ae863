/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of `suppressions:`, of a lab file or of a file of their own: findings that are known and
 * passed over, each with a reason and a last day. Layer: conf.
 *
 *	suppressions:
 *	  - title: "WARNING in dwc3_*"	# '*', '?' and [...] as in file names
 *	    kind: warning		# optional, as is `guilty`: a source file
 *	    until: 2027-03-31
 *	    reason: "fix is queued for 6.19, mail <...>"
 *
 * Which kinds of findings there are is not known here: suppress_check() is told.
 */
#ifndef RIG_CONF_SUPPRESS_H
#define RIG_CONF_SUPPRESS_H

#include <stdbool.h>

#include "base/err.h"
#include "conf/conf.h"

#define SUPPRESS_MAX 1000 /* rows of a file */

struct suppress_row {
	struct conf_pos pos;
	const char *title;
	struct conf_text kind; /* .s NULL = any */
	const char *guilty;    /* NULL = any */
	struct conf_text until;
	const char *reason;
};

/* One row: for a CONF_LIST key of the file's own table, and for the manual. */
extern const struct conf_table suppress_table;

/* Are the days days, and the kinds known ones? 0, or -1 with *err: file, line, column. */
int suppress_check(const struct conf *conf, const struct conf_list *rows,
		   bool (*is_kind)(const char *word), struct err *err);

#endif
