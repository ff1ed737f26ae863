// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The block of one workload: a row per metric, a column group per variant, the exact command line.
 * Layer: results, pure.
 *
 *	randread/1         original     threaded
 *	                n      mean  n      mean   delta  95 % interval
 *	  avg IOPS      4   5488.82  4   4226.93 -23.0 % [-25.1, -20.8]
 */
#include "results/report-text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/report-model.h"

#define PER_TABLE 2 /* candidates beside the baseline */
#define CELL	  48

/* ---- text ---- */

static void put_char(struct buf *out, char c)
{
	bool control = (unsigned char)c < ' ' || c == 127;

	if (control)
		c = '?';
	buf_append(out, &c, 1);
}

/* Bytes up to where the line must be broken: at the last space that fits, else the next one. */
static size_t break_at(const char *text, size_t room)
{
	size_t fit = 0;

	for (size_t i = 0; text[i]; i++) {
		if (i > room && fit)
			return fit;
		if (text[i] == ' ')
			fit = i;
		if (i >= room && fit)
			return fit;
	}
	return strlen(text);
}

static void put_line(struct buf *out, const char *lead, size_t indent, const char *text,
		     const char *glue)
{
	size_t room = REPORT_WIDTH - indent - strlen(glue);

	for (;;) {
		size_t n = strlen(text) <= REPORT_WIDTH - indent ? strlen(text)
								 : break_at(text, room);

		buf_addf(out, "%-*s", (int)indent, lead);
		for (size_t i = 0; i < n; i++)
			put_char(out, text[i]);
		text += n + strspn(text + n, " ");
		buf_addf(out, "%s\n", *text ? glue : "");
		if (!*text)
			return;
		lead = "";
	}
}

void report_wrap(struct buf *out, const char *first, size_t indent, const char *text,
		 const char *glue)
{
	char *copy = xstrdup(text);
	char *line = copy;

	while (line) {
		char *eol = strchr(line, '\n');

		if (eol)
			*eol = '\0';
		put_line(out, first, indent, line, glue);
		first = "";
		line = eol ? eol + 1 : NULL;
	}
	free(copy);
}

/* ---- cells ---- */

static void mean_cell(char cell[CELL], const struct report_row *row, size_t kernel)
{
	const struct report_cell *c = &row->cells[kernel];
	double mean = c->mean * row->scale;

	if (c->n)
		snprintf(cell, CELL, "%3d %9.*f", c->n, mean >= 1e6 ? 0 : row->decimals, mean);
	else
		snprintf(cell, CELL, "%3d %9s", 0, "-");
}

/* "-12.3", "+1234", "+9999" and more: never wider than six characters. */
static void percent(char text[8], double ratio)
{
	double value = 100 * ratio;

	snprintf(text, 8, value < 99.95 ? "%+.1f" : "%+.0f", value < 9999 ? value : 9999);
}

static void delta_cell(char cell[CELL], const struct report_cell *c)
{
	char interval[24] = "";
	char delta[8];
	char lo[8];
	char hi[8];

	if (!c->pairs) {
		snprintf(cell, CELL, "%8s %14s", "-", "");
		return;
	}
	percent(delta, c->change);
	percent(lo, c->lo);
	percent(hi, c->hi);
	if (c->pairs > 1)
		snprintf(interval, sizeof(interval), "[%s, %s]", lo, hi);
	snprintf(cell, CELL, "%6s %% %14s", delta, interval);
}

/* ---- a table: the baseline and candidates first..last-1 ---- */

struct table {
	const struct report *r;
	const struct report_workload *w;
	size_t first, last;
	struct buf *out;
};

static void end_line(struct buf *out)
{
	/* the buffer is terminated again by what is appended */
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
	buf_adds(out, "\n");
}

static void put_head(const struct table *t)
{
	const struct session_kernel *kernels = t->r->s->kernels;

	buf_addf(t->out, "%-14.14s%13.12s", t->w->name, kernels[0].label);
	for (size_t k = t->first; k < t->last; k++)
		buf_addf(t->out, "%13.12s%23s", kernels[k].label, "");
	end_line(t->out);
	buf_addf(t->out, "%-14s%3s%10s", "", "n", "mean");
	for (size_t k = t->first; k < t->last; k++)
		buf_addf(t->out, "%3s%10s%8s%15s", "n", "mean", "delta", "95 % interval");
	end_line(t->out);
}

static void put_row(const struct table *t, const struct report_row *row)
{
	char cell[CELL];

	mean_cell(cell, row, 0);
	buf_addf(t->out, "%c %-12.12s%s", row->metric->primary ? '*' : ' ', row->label, cell);
	for (size_t k = t->first; k < t->last; k++) {
		mean_cell(cell, row, k);
		buf_adds(t->out, cell);
		delta_cell(cell, &row->cells[k]);
		buf_adds(t->out, cell);
	}
	end_line(t->out);
}

/* How much the gated metric scatters between the boots of one kernel. */
static void spread_cell(char cell[CELL], const struct report_cell *c)
{
	double percents = c->mean != 0 ? 100 * c->sd / fabs(c->mean) : 0;

	if (c->n < 2 || c->mean == 0)
		snprintf(cell, CELL, "%13s", "-");
	else
		snprintf(cell, CELL, "%11.*f %%", percents < 100 ? 2 : 0, fmin(percents, 99999));
}

static void put_spread(const struct table *t)
{
	const struct report_cell *cells = t->w->primary->cells;
	char cell[CELL];
	int most = 0;

	for (size_t k = 0; k < t->r->s->n_kernels; k++)
		most = cells[k].n > most ? cells[k].n : most;
	if (most < 2)
		return;
	spread_cell(cell, &cells[0]);
	buf_addf(t->out, "  %-12s%s", "boot spread", cell);
	for (size_t k = t->first; k < t->last; k++) {
		spread_cell(cell, &cells[k]);
		buf_addf(t->out, "%s%23s", cell, "");
	}
	end_line(t->out);
}

static void put_verdicts(const struct table *t)
{
	buf_addf(t->out, "  %-25s", "verdict");
	for (size_t k = t->first; k < t->last; k++) {
		const struct report_judged *j = &t->w->judged[k];
		char text[40];

		if (j->gate)
			snprintf(text, sizeof(text), "%s (p %.2g, %d pairs)", report_judged_name(j),
				 j->gate->est.p_adj, j->pairs);
		else
			snprintf(text, sizeof(text), "%s", report_judged_name(j));
		buf_addf(t->out, "%36s", text);
	}
	buf_adds(t->out, "\n");
}

static void put_command(const struct report_workload *w, struct buf *out)
{
	if (!*w->command)
		return;
	report_wrap(out, "  $", 4, w->command, " \\");
	if (w->other_commands)
		buf_addf(out,
			 "    (%d of the runs had another command line: see their `command`"
			 " files)\n",
			 w->other_commands);
}

void report_text_workload(const struct report *r, const struct report_workload *w, struct buf *out)
{
	struct table t = { .r = r, .w = w, .first = 1, .out = out };
	size_t n = r->s->n_kernels;

	do {
		t.last = t.first + PER_TABLE < n ? t.first + PER_TABLE : n;
		put_head(&t);
		for (size_t i = 0; i < w->n_rows; i++)
			put_row(&t, &w->rows[i]);
		if (w->primary)
			put_spread(&t);
		if (n > 1 && w->primary)
			put_verdicts(&t);
		t.first = t.last;
		if (t.first < n)
			buf_adds(out, "\n");
	} while (t.first < n);
	put_command(w, out);
}
