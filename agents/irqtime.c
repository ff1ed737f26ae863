// SPDX-License-Identifier: GPL-2.0-or-later
/* Time in interrupts; see irqtime.h. */
#include "agents/irqtime.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The number of the source, -1 when there is no room for more. */
static int find_source(struct irqtime *t, const char *kind, const char *name)
{
	char full[sizeof(t->sources[0].name)];
	int i;

	snprintf(full, sizeof(full), "%s.%s", kind, name);
	for (char *p = full + strlen(kind) + 1; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_:-", *p))
			*p = '_';
	for (i = 0; i < t->n_sources; i++)
		if (!strcmp(t->sources[i].name, full))
			return i;
	if (i == IRQTIME_SOURCES)
		return -1;
	memcpy(t->sources[i].name, full, sizeof(full));
	return t->n_sources++;
}

static struct irqtime_cpu *at(struct irqtime *t, unsigned int cpu, uint64_t time_ns)
{
	if (!t->first_ns || time_ns < t->first_ns)
		t->first_ns = time_ns;
	if (time_ns > t->last_ns)
		t->last_ns = time_ns;
	return cpu < IRQTIME_CPUS ? &t->cpus[cpu] : NULL;
}

void irqtime_enter(struct irqtime *t, unsigned int cpu, uint64_t time_ns, const char *kind,
		   const char *name)
{
	struct irqtime_cpu *c = at(t, cpu, time_ns);

	if (!c || c->depth == IRQTIME_DEPTH) {
		t->odd++;
		return;
	}
	c->frames[c->depth++] = (struct irqtime_frame){ find_source(t, kind, name), time_ns, 0 };
}

static bool is_kind(const struct irqtime *t, int source, const char *kind)
{
	size_t n = strlen(kind);

	/* one there was no room for may be of any kind */
	return source < 0 ||
	       (!strncmp(t->sources[source].name, kind, n) && t->sources[source].name[n] == '.');
}

void irqtime_exit(struct irqtime *t, unsigned int cpu, uint64_t time_ns, const char *kind)
{
	struct irqtime_cpu *c = at(t, cpu, time_ns);
	struct irqtime_frame *f = c && c->depth ? &c->frames[c->depth - 1] : NULL;
	uint64_t all_ns;

	if (!f || !is_kind(t, f->source, kind)) {
		t->odd++;
		return;
	}
	c->depth--;
	all_ns = time_ns - f->start_ns;
	if (f->source >= 0)
		numbers_add(&t->sources[f->source].times_ns, (double)(all_ns - f->inside_ns));
	if (c->depth)
		f[-1].inside_ns += all_ns;
}

void irqtime_release(struct irqtime *t)
{
	for (int i = 0; i < t->n_sources; i++)
		numbers_release(&t->sources[i].times_ns);
}
