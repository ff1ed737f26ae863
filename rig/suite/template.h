/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "{name}" in the texts of a suite. Layer: suite -> base, conf.
 */
#ifndef RIG_SUITE_TEMPLATE_H
#define RIG_SUITE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

/* The name that the agent replaces by the device path; not a variable of the suite. */
#define TEMPLATE_TARGET "target"

struct template_var {
	const char *name;
	const char *value;
};

/* Some variables; a name is looked up here first, then in outer. */
struct template_vars {
	const struct template_var *items;
	size_t n;
	const struct template_vars *outer;
};

/* [a-z_][a-z0-9_]*, and not the reserved name. */
bool template_name_ok(const char *name);

/*
 * The text with every {name} replaced; "{{" and "}}" stand for braces, "{target}" stays.
 * NULL with *err (place of the text, `what` it is) for an undefined name or a lone brace.
 * The result belongs to the caller (free()).
 */
char *template_expand(const struct conf *c, const struct conf_text *text,
		      const struct template_vars *vars, const char *what, struct err *err);

#endif
