// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The observers; see observe.h.
 *
 *	irqtime  K.NAME.count .mean_ns .p99_ns .max_ns .share, K being irq or softirq;
 *		 irqtime.seconds
 *	isoc     isoc.missed_service .underrun .overrun .buffer_overrun .bandwidth_overrun
 */
#include "agents/observe.h"
#include "agents/agent.h"
#include "agents/irqtime.h"
#include "agents/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBSERVERS_MAX 4
#define BUFFER_KB     4096
#define EVENTS_MAX    4

struct observer {
	const struct observer_kind *kind;
	struct trace trace;
	int ids[EVENTS_MAX];
	struct trace_field fields[EVENTS_MAX]; /* of each event the one that matters */
	struct irqtime *irqtime;
	uint64_t counts[8];
};

struct observers {
	struct observer list[OBSERVERS_MAX];
	int n;
};

struct observer_event {
	const char *event; /* NULL at the end */
	const char *filter;
	const char *field;
};

struct observer_kind {
	const char *name;
	struct observer_event events[EVENTS_MAX + 1];
	/* event: index into events */
	void (*take)(struct observer *o, int event, unsigned int cpu, uint64_t time_ns,
		     const unsigned char *data, size_t size);
	void (*send)(struct step *s, struct observer *o);
};

static void send_number(struct step *s, const char *base, const char *what, double value,
			const char *unit)
{
	char name[96], text[32];

	snprintf(name, sizeof(name), "%s.%s", base, what);
	snprintf(text, sizeof(text), "%.17g", value);
	step_metric(s, name, text, unit);
}

/* ---- irqtime ---- */

static const char *const softirqs[] = { "HI",	    "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
					"IRQ_POLL", "TASKLET", "SCHED",	 "HRTIMER", "RCU" };

static void take_irqtime(struct observer *o, int event, unsigned int cpu, uint64_t time_ns,
			 const unsigned char *data, size_t size)
{
	const struct trace_field *field = &o->fields[event];
	char name[48];
	uint64_t vec;

	if (!o->irqtime)
		return;
	switch (event) {
	case 0:
		trace_text(data, size, field, name, sizeof(name));
		irqtime_enter(o->irqtime, cpu, time_ns, "irq", name);
		break;
	case 1:
		irqtime_exit(o->irqtime, cpu, time_ns, "irq");
		break;
	case 2:
		vec = trace_number(data, size, field);
		irqtime_enter(o->irqtime, cpu, time_ns, "softirq",
			      vec < sizeof(softirqs) / sizeof(softirqs[0]) ? softirqs[vec]
									   : "other");
		break;
	default:
		irqtime_exit(o->irqtime, cpu, time_ns, "softirq");
	}
}

static void send_source(struct step *s, struct irqtime_source *source, double watched_ns)
{
	struct numbers *times = &source->times_ns;

	if (!times->n)
		return;
	numbers_sort(times);
	send_number(s, source->name, "count", (double)times->n, "count");
	send_number(s, source->name, "mean_ns", numbers_mean(times), "ns");
	send_number(s, source->name, "p99_ns", numbers_percentile(times, 99), "ns");
	send_number(s, source->name, "max_ns", numbers_percentile(times, 100), "ns");
	if (watched_ns > 0)
		send_number(s, source->name, "share",
			    100 * numbers_mean(times) * (double)times->n / watched_ns, "%");
}

static void send_irqtime(struct step *s, struct observer *o)
{
	struct irqtime *t = o->irqtime;
	double watched_ns = (double)(t->last_ns - t->first_ns);

	for (int i = 0; i < t->n_sources; i++)
		send_source(s, &t->sources[i], watched_ns);
	send_number(s, "irqtime", "seconds", watched_ns / 1e9, "s");
	if (o->trace.dropped)
		step_note(s,
			  "irqtime: the trace buffer was full after %.3f s; %llu events after that"
			  " are not counted",
			  watched_ns / 1e9, (unsigned long long)o->trace.dropped);
}

/* ---- isochronous faults ---- */

/* Completion codes of xHCI 1.2, table 6-90, that a transfer event carries in its third word. */
static const struct {
	unsigned int code;
	const char *name;
} isoc_codes[] = {
	{ 14, "underrun" },	  { 15, "overrun" },	    { 18, "bandwidth_overrun" },
	{ 23, "missed_service" }, { 31, "buffer_overrun" },
};

#define ISOC_FILTER                                                                                \
	"(field2 >= 0x0e000000 && field2 < 0x10000000) || "                                        \
	"(field2 >= 0x12000000 && field2 < 0x13000000) || "                                        \
	"(field2 >= 0x17000000 && field2 < 0x18000000) || "                                        \
	"(field2 >= 0x1f000000 && field2 < 0x20000000)"

static void take_isoc(struct observer *o, int event, unsigned int cpu, uint64_t time_ns,
		      const unsigned char *data, size_t size)
{
	uint64_t code = trace_number(data, size, &o->fields[event]) >> 24;

	(void)cpu;
	(void)time_ns;
	for (size_t i = 0; i < sizeof(isoc_codes) / sizeof(isoc_codes[0]); i++)
		o->counts[i] += code == isoc_codes[i].code;
}

static void send_isoc(struct step *s, struct observer *o)
{
	if (o->trace.dropped)
		step_end(s, STEP_FAILED, "isoc: %llu events were lost: not all faults are counted",
			 (unsigned long long)o->trace.dropped);
	for (size_t i = 0; i < sizeof(isoc_codes) / sizeof(isoc_codes[0]); i++)
		send_number(s, "isoc", isoc_codes[i].name, (double)o->counts[i], "count");
}

/* ---- all of them ---- */

static const struct observer_kind kinds[] = {
	{ "irqtime",
	  { { "irq/irq_handler_entry", NULL, "name" },
	    { "irq/irq_handler_exit", NULL, "irq" },
	    { "irq/softirq_entry", NULL, "vec" },
	    { "irq/softirq_exit", NULL, "vec" },
	    { NULL, NULL, NULL } },
	  take_irqtime,
	  send_irqtime },
	{ "isoc",
	  { { "xhci-hcd/xhci_handle_event", ISOC_FILTER, "field2" }, { NULL, NULL, NULL } },
	  take_isoc,
	  send_isoc },
};

static void take(void *ctx, unsigned int cpu, uint64_t time_ns, const unsigned char *data,
		 size_t size)
{
	struct observer *o = ctx;
	uint16_t id;

	memcpy(&id, data, sizeof(id));
	for (int i = 0; o->kind->events[i].event; i++)
		if (o->ids[i] == id)
			o->kind->take(o, i, cpu, time_ns, data, size);
}

static int enable(struct observer *o)
{
	int rc = 0;

	for (int i = 0; o->kind->events[i].event && !rc; i++) {
		const struct observer_event *e = &o->kind->events[i];

		rc = trace_find_field(&o->trace, e->event, e->field, &o->fields[i]);
		o->ids[i] = rc ? 0 : trace_id(&o->trace, e->event);
		if (!rc)
			rc = o->ids[i] < 0 ? o->ids[i]
					   : trace_enable(&o->trace, e->event, e->filter);
	}
	return rc;
}

static int begin_one(struct step *s, struct observer *o, const struct observer_kind *kind)
{
	char name[32];
	int rc;

	*o = (struct observer){ .kind = kind };
	snprintf(name, sizeof(name), "rig-%s", kind->name);
	rc = trace_open(&o->trace, s->agent->root, name, BUFFER_KB);
	if (!rc)
		rc = enable(o);
	if (!rc)
		rc = trace_start(&o->trace);
	if (!rc)
		return 0;
	step_note(s, "%s cannot watch here: %s", kind->name, o->trace.why);
	trace_close(&o->trace);
	return rc;
}

static const struct observer_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

struct observers *observe_begin(struct step *s)
{
	struct observers *o = NULL;
	const char *name;

	for (size_t at = 0; (name = kv_next(&s->spec, "observe", &at));) {
		const struct observer_kind *kind = find_kind(name);

		if (!o)
			o = calloc(1, sizeof(*o));
		if (!kind)
			step_end(s, STEP_UNSUPPORTED, "this agent knows no observer '%s'", name);
		else if (o && o->n < OBSERVERS_MAX && !begin_one(s, &o->list[o->n], kind))
			o->n++;
	}
	return o;
}

static void end_one(struct step *s, struct observer *o)
{
	trace_stop(&o->trace);
	/* What a step that failed went through is worth knowing; nobody judges it. */
	if (s->status != STEP_UNSUPPORTED) {
		o->irqtime = calloc(1, sizeof(*o->irqtime));
		if (!o->irqtime || trace_read(&o->trace, take, o))
			step_end(s, STEP_FAILED, "%s: the trace cannot be read: %s", o->kind->name,
				 o->irqtime ? o->trace.why : strerror(ENOMEM));
		else
			o->kind->send(s, o);
	}
	trace_close(&o->trace);
	if (o->irqtime)
		irqtime_release(o->irqtime);
	free(o->irqtime);
}

void observe_end(struct step *s, struct observers *o)
{
	for (int i = 0; o && i < o->n; i++)
		end_one(s, &o->list[i]);
	free(o);
}
