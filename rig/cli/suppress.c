// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings to be passed over; see suppress.h. Layer: cli. */
#include "cli/suppress.h"

#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "conf/conf.h"

struct row {
	struct conf_pos pos;
	const char *title;
	struct conf_text kind;
	const char *guilty;
	struct conf_text until;
	const char *reason;
	const char *expired; /* the complaint, NULL = it is not over */
};

struct list {
	struct conf_pos pos;
	struct conf_list rows;
};

struct suppress {
	struct conf *conf;
	struct list list;
};

#define AT(member) .offset = offsetof(struct row, member)

static const struct conf_key row_keys[] = {
	{ .name = "title",
	  .type = CONF_STR,
	  AT(title),
	  .required = true,
	  .min = 1,
	  .max = KLOG_TITLE_MAX,
	  .help = "The title of the finding; * and ? stand for anything, as in file names." },
	{ .name = "kind",
	  .type = CONF_TEXT,
	  AT(kind),
	  .help = "Only findings of this kind: *warning*, *lockdep* ..." },
	{ .name = "guilty",
	  .type = CONF_STR,
	  AT(guilty),
	  .help = "Only findings that name this source file; * and ? as for the title." },
	{ .name = "until",
	  .type = CONF_TEXT,
	  AT(until),
	  .required = true,
	  .help = "The last day on which it is passed over: 2027-03-31." },
	{ .name = "reason",
	  .type = CONF_STR,
	  AT(reason),
	  .required = true,
	  .min = 1,
	  .max = 400,
	  .help = "Why, for people: a mail, a commit, a bug." },
};

static const struct conf_table row_table = { "suppression", row_keys, ARRAY_LEN(row_keys),
					     sizeof(struct row) };

static const struct conf_key list_keys[] = {
	{ .name = "suppressions",
	  .type = CONF_LIST,
	  .offset = offsetof(struct list, rows),
	  .required = true,
	  .min = 0,
	  .max = 1000,
	  .sub = &row_table,
	  .help = "The findings that are passed over." },
};

static const struct conf_table list_table = { "suppressions file", list_keys, ARRAY_LEN(list_keys),
					      sizeof(struct list) };

static bool is_day(const char *s)
{
	struct tm tm = { .tm_mday = 0 };
	const char *end = strptime(s, "%Y-%m-%d", &tm);

	/* strptime() takes 2026-1-1 too, which does not compare as text */
	return end && !*end && strlen(s) == 10;
}

static int check_row(struct suppress *s, struct row *row, const char *today, struct err *err)
{
	char *text;

	if (!is_day(row->until.s))
		return conf_error(s->conf, row->until.pos, err,
				  "\"until\" is a day like 2027-03-31, not \"%s\"", row->until.s);
	if (row->kind.s && klog_kind_parse(row->kind.s) < 0)
		return conf_error(s->conf, row->kind.pos, err, "unknown kind \"%s\"", row->kind.s);
	if (strcmp(row->until.s, today) >= 0)
		return 0;
	text = xasprintf("line %d: '%s' is over since %s (%s)", row->pos.line, row->title,
			 row->until.s, row->reason);
	row->expired = conf_strdup(s->conf, text);
	free(text);
	return 0;
}

struct suppress *suppress_load(const char *path, const char *today, struct err *err)
{
	struct suppress *s = xcalloc(1, sizeof(*s));
	struct conf_part part = { &list_table, &s->list };
	int rc = -1;

	s->conf = conf_load(path, err);
	if (s->conf)
		rc = conf_decode(s->conf, NULL, &part, 1, err);
	for (size_t i = 0; rc == 0 && i < s->list.rows.n; i++)
		rc = check_row(s, (struct row *)s->list.rows.items + i, today, err);
	if (rc == 0)
		return s;
	suppress_free(s);
	return NULL;
}

void suppress_free(struct suppress *s)
{
	if (!s)
		return;
	conf_free(s->conf);
	free(s);
}

static bool matches(const char *pattern, const char *text)
{
	return !pattern || !strcmp(pattern, text) || fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

bool suppress_matches(const struct suppress *s, const struct klog_finding *f)
{
	const struct row *rows = s->list.rows.items;

	for (size_t i = 0; i < s->list.rows.n; i++)
		if (!rows[i].expired && matches(rows[i].title, f->title) &&
		    matches(rows[i].guilty, f->guilty) &&
		    (!rows[i].kind.s || !strcmp(rows[i].kind.s, klog_kind_name(f->kind))))
			return true;
	return false;
}

const char *suppress_expired(const struct suppress *s, size_t i)
{
	return ((const struct row *)s->list.rows.items)[i].expired;
}

size_t suppress_count(const struct suppress *s)
{
	return s->list.rows.n;
}
