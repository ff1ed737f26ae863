/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors of a serial line, as drivers count them. Pure. Layer: io. */
#ifndef RIG_IO_SERIAL_ERRORS_H
#define RIG_IO_SERIAL_ERRORS_H

/* Errors of the line since the driver was loaded, as far as it counts them. */
struct serial_errors {
	unsigned int overrun;	  /* the receiver was not emptied in time */
	unsigned int buffer_full; /* nor was the tty's buffer */
	unsigned int frame, parity, breaks;
};

/* All of them as text, for printf and scanf, in the order of the struct. */
#define SERIAL_ERRORS_FORMAT "overrun=%u buffer_full=%u frame=%u parity=%u breaks=%u"
#define SERIAL_ERRORS_FIELDS 5

/* sum += e */
void serial_errors_add(struct serial_errors *sum, const struct serial_errors *e);

/* What came since. A driver that was loaded anew counts from 0: then all that it counted. */
struct serial_errors serial_errors_since(const struct serial_errors *now,
					 const struct serial_errors *before);

/* Their sum, breaks aside: those are no errors of the line when a board resets. */
unsigned int serial_errors_total(const struct serial_errors *e);

#endif
