// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of interrupts and CPUs in /proc; see parse-irq.h. Layer: results, pure. */
#include "results/parse-irq.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/text.h"

#define MAX_CPUS 16384
#define MAX_NAME 40
#define TICK_NS	 1e7 /* USER_HZ is 100 on every architecture that we run on */

struct table {
	uint64_t *cpus;	  /* their numbers: some may be offline */
	uint64_t *counts; /* of the row being read */
	size_t n_cpus;
	struct values *out;
};

/* ---- /proc/interrupts, /proc/softirqs ---- */

static bool cpu_number(struct text word, uint64_t *n)
{
	if (!text_starts(word, "CPU"))
		return false;
	word.p += 3;
	return text_u64(word, n);
}

/* "           CPU0       CPU1": a new sample */
static bool take_header(struct table *t, struct text line)
{
	struct text word;
	uint64_t number;
	size_t n = 0;

	if (!text_starts(line, "CPU"))
		return false;
	while (text_word(&line, &word)) {
		if (n == MAX_CPUS || !cpu_number(word, &number))
			return false;
		t->cpus[n++] = number;
	}
	t->n_cpus = n;
	return true;
}

static size_t take_counts(struct table *t, struct text *rest)
{
	struct text before = *rest;
	struct text word;
	size_t n = 0;

	while (n < t->n_cpus && text_word(rest, &word) && text_u64(word, &t->counts[n])) {
		before = *rest;
		n++;
	}
	*rest = before;
	return n;
}

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
	struct text name;
	uint64_t total = 0;
	size_t n;

	if (!text_until(&line, ':', &name) || !text_size(name) || text_size(name) > MAX_NAME ||
	    memchr(name.p, ' ', text_size(name)))
		return 0;
	n = take_counts(t, &line);
	if (!n)
		return 0;
	if (last && n != 1 && n != t->n_cpus)
		return err_set(err, BLAME_TEST, "interrupts-broken",
			       "row '%.*s' has %zu of %zu numbers", (int)text_size(name), name.p, n,
			       t->n_cpus);
	for (size_t i = 0; i < n; i++)
		total += t->counts[i];
	set_label(values_count(t->out, total, UNIT_COUNT, NULL, "%.*s.total", (int)text_size(name),
			       name.p),
		  line);
	for (size_t i = 0; n == t->n_cpus && i < n; i++)
		values_count(t->out, t->counts[i], UNIT_COUNT, NULL, "%.*s.cpu%llu",
			     (int)text_size(name), name.p, (unsigned long long)t->cpus[i]);
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
		if (take_header(t, line)) {
			any = true;
			continue;
		}
		stat = stat || (!any && text_starts(line, "cpu "));
		if (stat)
			take_stat(t->out, line);
		else if (t->n_cpus && take_row(t, line, all.p == all.end, err) < 0)
			return -1;
	}
	if (!any && !stat)
		return err_set(err, BLAME_TEST, "interrupts-none", "no line of CPUs in it");
	return 0;
}

int interrupts_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct table t = {
		.cpus = xcalloc(MAX_CPUS, sizeof(*t.cpus)),
		.counts = xcalloc(MAX_CPUS, sizeof(*t.counts)),
		.out = out,
	};
	int rc = read_all(&t, text_of(data, size), err);

	free(t.cpus);
	free(t.counts);
	return rc;
}
