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

/* "overrun=1 buffer_full=0 frame=2 parity=0 breaks=0"; text is returned. */
#define SERIAL_ERRORS_SIZE 100
const char *serial_errors_text(const struct serial_errors *e, char text[SERIAL_ERRORS_SIZE]);

/* The inverse; what is not in the text is 0. */
void serial_errors_parse(const char *text, struct serial_errors *e);

/* sum += e */
void serial_errors_add(struct serial_errors *sum, const struct serial_errors *e);

/* What came since. A driver that was loaded anew counts from 0: then all that it counted. */
struct serial_errors serial_errors_since(const struct serial_errors *now,
					 const struct serial_errors *before);

/* Their sum, breaks aside: those are no errors of the line when a board resets. */
unsigned int serial_errors_total(const struct serial_errors *e);

#endif
