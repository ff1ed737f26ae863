// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of counters by CPU in /proc; see proc-table.h. Layer: results, pure. */
#include "results/proc-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_NAME 40

void proc_table_init(struct proc_table *t)
{
	*t = (struct proc_table){
		.cpus = xcalloc(PROC_TABLE_CPUS_MAX, sizeof(*t->cpus)),
		.counts = xcalloc(PROC_TABLE_CPUS_MAX, sizeof(*t->counts)),
	};
}

void proc_table_release(struct proc_table *t)
{
	free(t->cpus);
	free(t->counts);
	*t = (struct proc_table){ 0 };
}

static bool cpu_number(struct text word, uint64_t *n)
{
	if (!text_starts(word, "CPU"))
		return false;
	word.p += 3;
	return text_u64(word, n);
}

bool proc_table_header(struct proc_table *t, struct text line)
{
	struct text word;
	uint64_t number;
	size_t n = 0;

	if (!text_starts(line, "CPU"))
		return false;
	while (text_word(&line, &word)) {
		if (n == PROC_TABLE_CPUS_MAX || !cpu_number(word, &number))
			return false;
		t->cpus[n++] = number;
	}
	t->n_cpus = n;
	return true;
}

static size_t take_counts(struct proc_table *t, struct text *rest)
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

bool proc_table_row(struct proc_table *t, struct text line)
{
	if (!text_until(&line, ':', &t->name) || !text_size(t->name) ||
	    text_size(t->name) > MAX_NAME || memchr(t->name.p, ' ', text_size(t->name)))
		return false;
	t->n_counts = take_counts(t, &line);
	t->label = line;
	return t->n_counts > 0;
}
