// SPDX-License-Identifier: GPL-2.0-or-later
/* Progress for a person; see progress.h. Layer: cli. */
#include "cli/progress.h"
#include "base/deadline.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

static long integer(const json_t *event, const char *key)
{
	return (long)json_integer_value(json_object_get(event, key));
}

static const char *text(const json_t *event, const char *key)
{
	const char *s = json_string_value(json_object_get(event, key));

	return s ? s : "";
}

static double elapsed_s(const struct progress *p)
{
	return (double)(mono_ms() - p->visit_began_ms) / 1000;
}

static const char *visit_kind(const struct progress *p, char *buf, size_t size)
{
	if (p->pair > 0)
		snprintf(buf, size, "pair %-2ld", p->pair);
	else
		snprintf(buf, size, "%-7s", p->pair < 0 ? "control" : "warm-up");
	return buf;
}

static void status(const struct progress *p, const char *what)
{
	char kind[32];

	log_status(false, "visit %-3ld %s  %-14s %5.1f s  %s", p->visit,
		   visit_kind(p, kind, sizeof(kind)), p->label, elapsed_s(p), what);
}

static void visit_start(struct progress *p, const json_t *event)
{
	size_t kernel = (size_t)integer(event, "kernel");

	p->visit_began_ms = mono_ms();
	p->visit = integer(event, "visit");
	p->pair = integer(event, "pair");
	if (json_is_true(json_object_get(event, "control")))
		p->pair = -1;
	p->boot_s = 0;
	p->steps_ok = 0;
	p->steps_failed = 0;
	p->findings = 0;
	snprintf(p->label, sizeof(p->label), "%s",
		 kernel < p->plan->n_kernels ? p->plan->kernels[kernel].label : "?");
	status(p, "power-off, deploy");
}

static void power_on(struct progress *p, const json_t *event)
{
	(void)event;
	status(p, "booting");
}

static void agent_hello(struct progress *p, const json_t *event)
{
	p->boot_s = (double)integer(event, "boot_ms") / 1000;
	status(p, "agent is up");
}

static void step_start(struct progress *p, const json_t *event)
{
	const char *workload = text(event, "workload");

	status(p, *workload ? workload : text(event, "kind"));
}

static void step_end(struct progress *p, const json_t *event)
{
	if (!strcmp(text(event, "status"), "ok"))
		p->steps_ok++;
	else
		p->steps_failed++;
}

static void finding(struct progress *p, const json_t *event)
{
	p->findings++;
	log_info("kernel log of %s: %s", p->label, text(event, "title"));
}

static void fault(struct progress *p, const json_t *event)
{
	(void)p;
	log_info("fault (%s): %s", text(event, "blame"), text(event, "message"));
}

static void visit_end(struct progress *p, const json_t *event)
{
	char failed[48] = "";
	char seen[48] = "";
	char kind[32];

	if (p->steps_failed)
		snprintf(failed, sizeof(failed), ", %u failed", p->steps_failed);
	if (p->findings)
		snprintf(seen, sizeof(seen), ", %u kernel log finding%s", p->findings,
			 p->findings > 1 ? "s" : "");
	log_status(true, "visit %-3ld %s  %-14s %5.1f s  boot %.2f s, %u steps ok%s%s  %s",
		   p->visit, visit_kind(p, kind, sizeof(kind)), p->label, elapsed_s(p), p->boot_s,
		   p->steps_ok, failed, seen, text(event, "result"));
}

static const struct {
	const char *name;
	void (*handle)(struct progress *p, const json_t *event);
} handlers[] = {
	{ "visit-start", visit_start },
	{ "power-on", power_on },
	{ "agent-hello", agent_hello },
	{ "step-start", step_start },
	{ "step-end", step_end },
	{ "finding", finding },
	{ "fault", fault },
	{ "visit-end", visit_end },
};

void progress_event(void *ctx, const json_t *event)
{
	const char *ev = text(event, "ev");

	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (!strcmp(handlers[i].name, ev))
			handlers[i].handle(ctx, event);
}
