// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors of a serial line; see serial-errors.h. Layer: io. */
#include "io/serial-errors.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct counter {
	const char *name; /* with its = */
	size_t offset;
} counters[] = {
	{ "overrun=", offsetof(struct serial_errors, overrun) },
	{ "buffer_full=", offsetof(struct serial_errors, buffer_full) },
	{ "frame=", offsetof(struct serial_errors, frame) },
	{ "parity=", offsetof(struct serial_errors, parity) },
	{ "breaks=", offsetof(struct serial_errors, breaks) },
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

const char *serial_errors_text(const struct serial_errors *e, char text[SERIAL_ERRORS_SIZE])
{
	snprintf(text, SERIAL_ERRORS_SIZE, "overrun=%u buffer_full=%u frame=%u parity=%u breaks=%u",
		 e->overrun, e->buffer_full, e->frame, e->parity, e->breaks);
	return text;
}

void serial_errors_parse(const char *text, struct serial_errors *e)
{
	for (size_t i = 0; i < N_COUNTERS; i++) {
		const char *at = strstr(text, counters[i].name);
		unsigned int value =
			at ? (unsigned int)strtoul(at + strlen(counters[i].name), NULL, 10) : 0;

		memcpy((char *)e + counters[i].offset, &value, sizeof(value));
	}
}

void serial_errors_add(struct serial_errors *sum, const struct serial_errors *e)
{
	sum->overrun += e->overrun;
	sum->buffer_full += e->buffer_full;
	sum->frame += e->frame;
	sum->parity += e->parity;
	sum->breaks += e->breaks;
}

static unsigned int since(unsigned int now, unsigned int before)
{
	return now < before ? now : now - before;
}

struct serial_errors serial_errors_since(const struct serial_errors *now,
					 const struct serial_errors *before)
{
	return (struct serial_errors){
		.overrun = since(now->overrun, before->overrun),
		.buffer_full = since(now->buffer_full, before->buffer_full),
		.frame = since(now->frame, before->frame),
		.parity = since(now->parity, before->parity),
		.breaks = since(now->breaks, before->breaks),
	};
}

unsigned int serial_errors_total(const struct serial_errors *e)
{
	return e->overrun + e->buffer_full + e->frame + e->parity;
}
