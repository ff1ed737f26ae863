// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors of a serial line; see serial-errors.h. Layer: io. */
#include "io/serial-errors.h"

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
