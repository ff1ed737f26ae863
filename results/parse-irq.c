// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of interrupts and CPUs in /proc; see parse-irq.h. Layer: results, pure. */
#include "results/parse-irq.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/proc-table.h"

#define MAX_NAME 40
#define TICK_NS	 1e7 /* USER_HZ is 100 on every architecture that we run on */

struct table {
	struct proc_table rows;
	struct values *out;
};

/* ---- /proc/interrupts, /proc/softirqs ---- */

/* White space of any width becomes one space. */
static void set_label(struct value *value, struct text rest)
{
	struct buf b = BUF_INIT;
	struct text word;

	while (text_word(&rest, &word)) {
		if (b.size)
			buf_adds(&b, " ");
		buf_append(&b, word.p, text_size(word));
	}
	value_label(value, buf_str(&b), b.size);
	buf_release(&b);
}

/* A row with fewer numbers than CPUs is one of its architecture, unless the text ends in it. */
static int take_row(struct table *t, struct text line, bool last, struct err *err)
{
	const struct proc_table *r = &t->rows;
	uint64_t total = 0;
	int name_size;

	if (!proc_table_row(&t->rows, line))
		return 0;
	name_size = (int)text_size(r->name);
	if (last && r->n_counts != 1 && r->n_counts != r->n_cpus)
		return err_set(err, BLAME_TEST, "interrupts-broken",
			       "row '%.*s' has %zu of %zu numbers", name_size, r->name.p,
			       r->n_counts, r->n_cpus);
	for (size_t i = 0; i < r->n_counts; i++)
		total += r->counts[i];
	set_label(values_count(t->out, total, UNIT_COUNT, NULL, "%.*s.total", name_size, r->name.p),
		  r->label);
	for (size_t i = 0; r->n_counts == r->n_cpus && i < r->n_counts; i++)
		values_count(t->out, r->counts[i], UNIT_COUNT, NULL, "%.*s.cpu%llu", name_size,
			     r->name.p, (unsigned long long)r->cpus[i]);
	return 0;
}

/* ---- /proc/stat ---- */

static const char *const cpu_fields[] = { "user", "nice",    "system", "idle",	"iowait",
					  "irq",  "softirq", "steal",  "guest", "guest_nice" };

static const struct counter {
	const char *key, *name, *unit;
} counters[] = {
	{ "intr", "intr.total", UNIT_COUNT },
	{ "softirq", "softirq.total", UNIT_COUNT },
	{ "ctxt", "ctxt", UNIT_COUNT },
	{ "processes", "processes", UNIT_COUNT },
	{ "procs_running", "procs_running", UNIT_COUNT },
	{ "procs_blocked", "procs_blocked", UNIT_COUNT },
	{ "btime", "btime", UNIT_S },
};

static void take_cpu(struct values *out, struct text name, struct text rest)
{
	struct text word;
	uint64_t ticks;

	for (size_t i = 0; i < sizeof(cpu_fields) / sizeof(cpu_fields[0]); i++) {
		if (!text_word(&rest, &word) || !text_u64(word, &ticks))
			return;
		values_add(out, (double)ticks * TICK_NS, UNIT_NS, "USER_HZ", "%.*s.%s",
			   (int)text_size(name), name.p, cpu_fields[i]);
	}
}

static void take_stat(struct values *out, struct text line)
{
	struct text name;
	struct text word;
	uint64_t n;

	if (!text_word(&line, &name))
		return;
	if (text_starts(name, "cpu") && text_size(name) <= MAX_NAME) {
		take_cpu(out, name, line);
		return;
	}
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (text_is(name, counters[i].key) && text_word(&line, &word) && text_u64(word, &n))
			values_count(out, n, counters[i].unit, NULL, "%s", counters[i].name);
}

/* ---- both ---- */

static int read_all(struct table *t, struct text all, struct err *err)
{
	struct text line;
	bool stat = false;
	bool any = false;

	while (text_line(&all, &line)) {
		if (proc_table_header(&t->rows, line)) {
			any = true;
			continue;
		}
		stat = stat || (!any && text_starts(line, "cpu "));
		if (stat)
			take_stat(t->out, line);
		else if (t->rows.n_cpus && take_row(t, line, all.p == all.end, err) < 0)
			return -1;
	}
	if (!any && !stat)
		return err_set(err, BLAME_TEST, "interrupts-none", "no line of CPUs in it");
	return 0;
}

int interrupts_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct table t = { .out = out };
	int rc;

	proc_table_init(&t.rows);
	rc = read_all(&t, text_of(data, size), err);
	proc_table_release(&t.rows);
	return rc;
}
