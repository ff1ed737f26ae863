// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules in their order, and the report; see check.h. Layer: results, pure. */
#include "results/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/check-rules.h"
#include "results/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rule_fn *const rules[] = {
	rule_text,	    rule_locale,	rule_unit_labels,	rule_unit_mix,
	rule_order,	    rule_swap,		rule_bw_vs_iops,	rule_swap_others,
	rule_granularity,   rule_percent,	rule_stated_mean,	rule_claim,
	rule_duplicate,	    rule_cross_version, rule_suspicious_digits, rule_ceiling,
	rule_physical,	    rule_resolution,	rule_mixture,		rule_single_run,
	rule_no_dispersion, rule_confounded,	rule_variant_identity,	rule_decode,
};

void check_table(struct check_table *t, struct check_report *report)
{
	struct check c = { .t = t, .report = report };

	for (size_t i = 0; i < COUNT(rules); i++)
		rules[i](&c);
	free(c.swaps);
}

/* ---- the report ---- */

struct check_item *check_add(struct check_report *r, const char *rule, enum severity severity)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->items = xrealloc(r->items, r->cap * sizeof(*r->items));
	}
	r->items[r->n] = (struct check_item){ .rule = rule, .severity = severity };
	return &r->items[r->n++];
}

void check_report_release(struct check_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].place);
		free(r->items[i].subject);
		free(r->items[i].printed);
		free(r->items[i].expected);
		free(r->items[i].message);
	}
	free(r->items);
	memset(r, 0, sizeof(*r));
}

enum severity check_worst(const struct check_report *r)
{
	enum severity worst = SEVERITY_OK;

	for (size_t i = 0; i < r->n; i++)
		worst = r->items[i].severity > worst ? r->items[i].severity : worst;
	return worst;
}

static json_t *text_json(const char *text)
{
	return values_string(text ? text : "");
}

json_t *check_json(const struct check_report *r, enum severity min)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->n; i++) {
		const struct check_item *x = &r->items[i];

		if (x->severity < min)
			continue;
		json_array_append_new(
			array, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "rule", x->rule,
					 "severity", severity_name(x->severity), "where",
					 text_json(x->place), "subject", text_json(x->subject),
					 "printed", text_json(x->printed), "expected",
					 text_json(x->expected), "message", text_json(x->message)));
	}
	return array;
}

/* ---- places and names ---- */

void cells_add(struct cells *list, const struct cell *c)
{
	if (list->n < COUNT(list->v))
		list->v[list->n] = c;
	list->n++;
}

/* "L1323" at the beginning of a note says where in the document. */
static size_t note_line(const char *note)
{
	return note[0] == 'L' ? 1 + strspn(note + 1, "0123456789-") : 0;
}

static void add_places(const struct cells *list, struct buf *lines, struct buf *refs)
{
	const char *last = "";
	size_t last_size = 0;
	size_t last_line = 0;

	for (size_t i = 0; i < list->n && i < COUNT(list->v); i++) {
		const struct cell *c = list->v[i];
		size_t n = note_line(c->note);

		if (c->line != last_line && lines->size < 80)
			buf_addf(lines, "%s%zu", lines->size ? "," : "", c->line);
		last_line = c->line;
		if (n > 1 && (n != last_size || strncmp(last, c->note, n) != 0) &&
		    refs->size < 80) {
			buf_addf(refs, "%s%.*s", refs->size ? "," : ":", (int)n, c->note);
			last = c->note;
			last_size = n;
		}
	}
}

char *cells_place(const struct check *c, const struct cells *list)
{
	struct buf lines = BUF_INIT;
	struct buf refs = BUF_INIT;
	char *place;

	add_places(list, &lines, &refs);
	place = xasprintf("%s:%s (%s%s)", c->t->file, buf_str(&lines),
			  list->n ? list->v[0]->source : "", buf_str(&refs));
	buf_release(&lines);
	buf_release(&refs);
	return place;
}

char *cell_place(const struct check *c, const struct cell *cell)
{
	struct cells list = { .n = 0 };

	cells_add(&list, cell);
	return cells_place(c, &list);
}

char *cell_subject(const struct cell *c)
{
	return xasprintf("%s %s %s %s", c->board, c->workload, c->metric, c->variant);
}

char *row_subject(const struct row *r)
{
	return xasprintf("%s %s %s", r->block->sheet->board, r->block->workload, r->metric);
}

/* ---- walks ---- */

void check_sheets(struct check *c, void (*fn)(struct check *c, struct sheet *s))
{
	for (size_t i = 0; i < c->t->n_sheets; i++)
		fn(c, c->t->sheets[i]);
}

void check_blocks(struct check *c, void (*fn)(struct check *c, struct block *b))
{
	for (size_t i = 0; i < c->t->n_sheets; i++)
		for (size_t k = 0; k < c->t->sheets[i]->n; k++)
			fn(c, c->t->sheets[i]->blocks[k]);
}

void check_rows(struct check *c, void (*fn)(struct check *c, struct row *r))
{
	for (size_t i = 0; i < c->t->n_sheets; i++) {
		struct sheet *s = c->t->sheets[i];

		for (size_t k = 0; k < s->n; k++)
			for (size_t m = 0; m < s->blocks[k]->n; m++)
				fn(c, s->blocks[k]->rows[m]);
	}
}
