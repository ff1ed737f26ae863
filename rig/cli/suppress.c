// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings to be passed over; see suppress.h. Layer: cli. */
#include "cli/suppress.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "board/lab.h"
#include "conf/suppress.h"
#include "scan/suppression.h"
#include "suite/plan.h"

#define LINE_SIZE 800

struct list {
	struct conf_pos pos;
	struct conf_list rows;
};

struct suppress {
	struct conf *conf;
	struct list list;
	const char *today;
	char line[LINE_SIZE];
};

static const struct conf_key list_keys[] = {
	{ .name = "suppressions",
	  .type = CONF_LIST,
	  .offset = offsetof(struct list, rows),
	  .required = true,
	  .min = 0,
	  .max = SUPPRESS_MAX,
	  .sub = &suppress_table,
	  .help = "The findings that are passed over." },
};

static const struct conf_table list_table = { "suppressions file", list_keys, ARRAY_LEN(list_keys),
					      sizeof(struct list) };

static bool is_kind(const char *word)
{
	return klog_kind_parse(word) >= 0;
}

struct suppress *suppress_load(const char *path, const char *today, struct err *err)
{
	struct suppress *s = xcalloc(1, sizeof(*s));
	struct conf_part part = { &list_table, &s->list };
	int rc = -1;

	s->conf = conf_load(path, err);
	if (s->conf)
		rc = conf_decode(s->conf, NULL, &part, 1, err);
	if (!rc)
		rc = suppress_check(s->conf, &s->list.rows, is_kind, err);
	if (!rc) {
		s->today = conf_strdup(s->conf, today);
		return s;
	}
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

static struct suppression pattern_of(const struct suppress_row *row)
{
	return (struct suppression){ row->title, row->kind.s, row->guilty, row->until.s };
}

bool suppress_matches(const struct suppress *s, const struct klog_finding *f)
{
	const struct suppress_row *rows = s->list.rows.items;

	for (size_t i = 0; i < s->list.rows.n; i++) {
		struct suppression p = pattern_of(&rows[i]);

		if (!suppression_expired(&p, s->today) &&
		    suppression_matches(&p, klog_kind_name(f->kind), f->title, f->guilty))
			return true;
	}
	return false;
}

const char *suppress_expired(struct suppress *s, size_t i)
{
	const struct suppress_row *row = (const struct suppress_row *)s->list.rows.items + i;
	struct suppression p = pattern_of(row);

	if (!suppression_expired(&p, s->today))
		return NULL;
	snprintf(s->line, sizeof(s->line), "line %d: '%s' is over since %s (%s)", row->pos.line,
		 row->title, row->until.s, row->reason);
	return s->line;
}

size_t suppress_count(const struct suppress *s)
{
	return s->list.rows.n;
}

int suppress_plan(const struct lab *lab, struct plan *plan, struct err *err)
{
	const struct conf_list *list = lab_suppressions(lab);
	const struct suppress_row *rows = list->items;

	if (suppress_check(lab_conf(lab), list, is_kind, err))
		return -1;
	for (size_t i = 0; i < list->n; i++) {
		struct suppression p = pattern_of(&rows[i]);

		plan_add_suppression(plan, p.title, p.kind, p.guilty, p.until, rows[i].reason);
	}
	return 0;
}
