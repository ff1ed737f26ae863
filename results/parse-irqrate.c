// SPDX-License-Identifier: GPL-2.0-or-later
/* Interrupts per second from several looks; see parse-irqrate.h. Layer: results, pure. */
#include "results/parse-irqrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/proc-table.h"

#define ROWS_MAX 4096
#define CPUS_MAX 2048
#define WRAP	 (UINT64_C(1) << 32)

/* What one row counts on one CPU. */
struct cell {
	uint64_t last; /* at the look before */
	size_t look;   /* the number of that look; 0 = never seen */
	double events, seconds;
};

struct row {
	char *name, *label;
	struct cell *cells; /* CPUS_MAX */
};

struct rates {
	struct proc_table table;
	struct row *rows;
	size_t n_rows;
	char *match;
	uint64_t first_ns, now_ns, before_ns;
	size_t look;   /* 1.. */
	size_t n_cpus; /* the highest number + 1 */
	bool has_cpus; /* the present look has its header */
};

static struct row *row_of(struct rates *r, struct text name, struct text label)
{
	struct row *row;

	for (size_t i = 0; i < r->n_rows; i++)
		if (text_is(name, r->rows[i].name))
			return &r->rows[i];
	if (r->n_rows == ROWS_MAX)
		return NULL;
	row = &r->rows[r->n_rows++];
	row->name = xasprintf("%.*s", (int)text_size(name), name.p);
	row->label = xasprintf("%.*s", (int)text_size(label), label.p);
	row->cells = xcalloc(CPUS_MAX, sizeof(*row->cells));
	return row;
}

/* False: it was counted anew. */
static bool step_forward(uint64_t last, uint64_t now, uint64_t *delta)
{
	*delta = now >= last ? now - last : now + WRAP - last;
	return now >= last || (last < WRAP && *delta < WRAP / 2);
}

static void count(struct rates *r, struct cell *cell, uint64_t now)
{
	uint64_t delta;

	if (cell->look && cell->look == r->look - 1 && step_forward(cell->last, now, &delta)) {
		cell->events += (double)delta;
		cell->seconds += (double)(r->now_ns - r->before_ns) / 1e9;
	}
	cell->last = now;
	cell->look = r->look;
}

static int broken(struct err *err, const char *what)
{
	return err_set(err, BLAME_TEST, "irqrate-broken", "%s", what);
}

/* Rows with fewer numbers than CPUs are counters of the whole machine: errors, spurious ones. */
static int take_row(struct rates *r, bool last, struct err *err)
{
	const struct proc_table *t = &r->table;
	struct row *row;

	if (t->n_counts != t->n_cpus)
		return last && t->n_counts > 1 ? broken(err, "the last row is cut off") : 0;
	row = row_of(r, t->name, t->label);
	if (!row)
		return broken(err, "more rows than a machine has");
	for (size_t i = 0; i < t->n_cpus; i++)
		count(r, &row->cells[t->cpus[i]], t->counts[i]);
	return 0;
}

static int take_look(struct rates *r, struct text number, struct err *err)
{
	uint64_t ns;

	if (r->look && !r->has_cpus)
		return broken(err, "a look without a line of CPUs");
	if (!text_u64(number, &ns) || (r->look && ns <= r->now_ns))
		return broken(err, "time does not go on");
	r->before_ns = r->now_ns;
	r->now_ns = ns;
	r->first_ns = r->look ? r->first_ns : ns;
	r->look++;
	r->has_cpus = false;
	return 0;
}

static int take_cpus(struct rates *r, struct err *err)
{
	for (size_t i = 0; i < r->table.n_cpus; i++) {
		if (r->table.cpus[i] >= CPUS_MAX)
			return broken(err, "more CPUs than can be counted here");
		if (r->table.cpus[i] >= r->n_cpus)
			r->n_cpus = (size_t)r->table.cpus[i] + 1;
	}
	r->has_cpus = true;
	return 0;
}

/* What follows key in a line that begins with it. */
static bool after(struct text line, const char *key, struct text *rest)
{
	if (!text_starts(line, key))
		return false;
	*rest = (struct text){ line.p + strlen(key), line.end };
	return true;
}

static int take_line(struct rates *r, struct text line, bool last, struct err *err)
{
	struct text rest;

	if (after(line, "# irqrate match=", &rest)) {
		free(r->match);
		r->match = xasprintf("%.*s", (int)text_size(rest), rest.p);
		return 0;
	}
	if (after(line, "# t_ns=", &rest))
		return take_look(r, rest, err);
	if (!r->look)
		return 0;
	if (proc_table_header(&r->table, line))
		return take_cpus(r, err);
	return r->has_cpus && proc_table_row(&r->table, line) ? take_row(r, last, err) : 0;
}

static int read_all(struct rates *r, struct text all, struct err *err)
{
	struct text line;

	while (text_line(&all, &line))
		if (take_line(r, line, all.p == all.end, err) < 0)
			return -1;
	if (r->look < 2)
		return err_set(err, BLAME_TEST, "irqrate-none", "%zu looks; two make a rate",
			       r->look);
	return r->has_cpus ? 0 : broken(err, "a look without a line of CPUs");
}

/* ---- what is told ---- */

static double cell_rate(const struct cell *cell)
{
	return cell->seconds > 0 ? cell->events / cell->seconds : 0;
}

static bool is_match(const struct rates *r, const struct row *row)
{
	return r->match && *r->match &&
	       (strstr(row->name, r->match) || strstr(row->label, r->match));
}

/* The sum over rows, CPU by CPU and altogether; only = those that match. */
static void tell_sum(const struct rates *r, const char *name, bool only, struct values *out)
{
	double all = 0;
	bool any = false;

	for (size_t cpu = 0; cpu < r->n_cpus; cpu++) {
		double sum = 0;
		bool seen = false;

		for (size_t i = 0; i < r->n_rows; i++) {
			const struct cell *cell = &r->rows[i].cells[cpu];

			if ((only && !is_match(r, &r->rows[i])) || cell->seconds <= 0)
				continue;
			sum += cell_rate(cell);
			seen = true;
		}
		if (seen)
			values_add(out, sum, UNIT_PER_S, NULL, "%s.cpu%zu.rate", name, cpu);
		all += sum;
		any = any || seen;
	}
	if (any)
		values_add(out, all, UNIT_PER_S, NULL, "%s.rate", name);
}

static void tell_row(const struct rates *r, const struct row *row, struct values *out)
{
	struct value *value;
	double sum = 0;

	for (size_t cpu = 0; cpu < r->n_cpus; cpu++)
		sum += cell_rate(&row->cells[cpu]);
	value = values_add(out, sum, UNIT_PER_S, NULL, "%s.rate", row->name);
	if (value)
		value_label(value, row->label, strlen(row->label));
}

static void release(struct rates *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		free(r->rows[i].name);
		free(r->rows[i].label);
		free(r->rows[i].cells);
	}
	free(r->rows);
	free(r->match);
	proc_table_release(&r->table);
}

int irqrate_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct rates r = { .rows = xcalloc(ROWS_MAX, sizeof(*r.rows)) };
	int rc;

	proc_table_init(&r.table);
	rc = read_all(&r, text_of(data, size), err);
	if (!rc) {
		values_add(out, (double)(r.now_ns - r.first_ns) / 1e9, UNIT_S, NULL, "seconds");
		tell_sum(&r, "total", false, out);
		tell_sum(&r, "match", true, out);
		for (size_t i = 0; i < r.n_rows; i++)
			tell_row(&r, &r.rows[i], out);
	}
	release(&r);
	return rc;
}
