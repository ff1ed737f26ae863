// SPDX-License-Identifier: GPL-2.0-or-later
/* "{name}" in the texts of a suite; see template.h. Layer: suite. */
#include "suite/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"

#define NAME_CHARS     "abcdefghijklmnopqrstuvwxyz_0123456789"
#define NAME_MAX_BYTES 32

bool template_name_ok(const char *name)
{
	size_t n = strspn(name, NAME_CHARS);

	return n && !name[n] && n <= NAME_MAX_BYTES && !strchr("0123456789", name[0]) &&
	       strcmp(name, TEMPLATE_TARGET) != 0;
}

static const char *look_up(const struct template_vars *vars, const char *name)
{
	for (; vars; vars = vars->outer)
		for (size_t i = 0; i < vars->n; i++)
			if (!strcmp(vars->items[i].name, name))
				return vars->items[i].value;
	return NULL;
}

static int undefined(const struct conf *c, const struct conf_text *text,
		     const struct template_vars *vars, const char *name, const char *what,
		     struct err *err)
{
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (; vars; vars = vars->outer) {
		for (size_t i = 0; i < vars->n; i++) {
			guess_offer(&guess, name, vars->items[i].name);
			buf_addf(&known, "%s%s", known.size ? ", " : "", vars->items[i].name);
		}
	}
	conf_error(c, text->pos, err, "undefined variable {%s} in %s; %s%s%s%s", name, what,
		   guess.best ? "did you mean {" : "known are ",
		   guess.best ? guess.best : buf_str(&known), guess.best ? "}?" : "",
		   known.size ? "" : "none");
	buf_release(&known);
	return -1;
}

/* Handles the brace at p; returns what follows, NULL with *err. */
static const char *expand_brace(const struct conf *c, const struct conf_text *text,
				const struct template_vars *vars, const char *what, const char *p,
				struct buf *out, struct err *err)
{
	char name[NAME_MAX_BYTES + 1] = "";
	size_t n = strspn(p + 1, NAME_CHARS);
	const char *value;

	if (p[1] == p[0]) {
		buf_append(out, p, 1);
		return p + 2;
	}
	if (*p == '}' || !n || n > NAME_MAX_BYTES || p[1 + n] != '}') {
		conf_error(c, text->pos, err, "lone '%c' in %s: write {name}, or %c%c for the sign",
			   *p, what, *p, *p);
		return NULL;
	}
	memcpy(name, p + 1, n);
	value = look_up(vars, name);
	if (!strcmp(name, TEMPLATE_TARGET))
		buf_adds(out, "{" TEMPLATE_TARGET "}");
	else if (value)
		buf_adds(out, value);
	else if (undefined(c, text, vars, name, what, err))
		return NULL;
	return p + n + 2;
}

char *template_expand(const struct conf *c, const struct conf_text *text,
		      const struct template_vars *vars, const char *what, struct err *err)
{
	struct buf out = BUF_INIT;
	const char *p = text->s;

	buf_adds(&out, "");
	while (p && *p) {
		size_t n = strcspn(p, "{}");

		buf_append(&out, p, n);
		p += n;
		if (*p)
			p = expand_brace(c, text, vars, what, p, &out, err);
	}
	if (p)
		return buf_detach(&out);
	buf_release(&out);
	return NULL;
}
