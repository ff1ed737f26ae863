/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace buffer of our own (tracefs instance) that events are written to while a workload runs and
 * that is read afterwards. When it is full the rest is dropped, and counted. Above trace-page.c.
 *
 *	trace_open() trace_enable()... trace_start()
 *	workload
 *	trace_stop() trace_read() trace_close()
 */
#ifndef AGENTS_TRACE_H
#define AGENTS_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct trace {
	const char *root;
	char dir[160];	  /* of the instance, "" while there is none */
	char why[200];	  /* of the last error */
	uint64_t dropped; /* events that found no room, once trace_read() is done */
};

/* Where an event's field lies in its payload; for a string the word that tells where it is. */
struct trace_field {
	size_t offset, size;
};

/* 0; -ENOTSUP: this kernel has no trace events; -errno. buffer_kb is per CPU. why is set. */
int trace_open(struct trace *t, const char *root, const char *name, unsigned int buffer_kb);

/* Switches an event ("irq/irq_handler_entry") on, for what passes the filter (NULL: all). */
int trace_enable(struct trace *t, const char *event, const char *filter);

/* The number that marks the event's payloads; -errno. */
int trace_id(struct trace *t, const char *event);
int trace_find_field(struct trace *t, const char *event, const char *field,
		     struct trace_field *where);

int trace_start(struct trace *t);
int trace_stop(struct trace *t);

/* An event of one CPU; those of a CPU come in order of time. */
typedef void trace_cpu_event_fn(void *ctx, unsigned int cpu, uint64_t time_ns,
				const unsigned char *data, size_t size);

/* All that was written. 0 or -errno. */
int trace_read(struct trace *t, trace_cpu_event_fn *each, void *ctx);

/* Removes the instance; may be called at any time. */
void trace_close(struct trace *t);

/* A field's value: unsigned numbers of 1, 2, 4 or 8 bytes; 0 when it is not in the payload. */
uint64_t trace_number(const unsigned char *data, size_t size, const struct trace_field *where);
/* The text that a __data_loc field points to, terminated. */
void trace_text(const unsigned char *data, size_t size, const struct trace_field *where, char *text,
		size_t cap);

#endif
