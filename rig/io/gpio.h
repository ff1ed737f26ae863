/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GPIO lines that hold relays and buttons: libgpiod 2 behind one file. Layer: io -> base.
 *
 * A chip is named by its label (or by name or path, where somebody must), a line by its name or
 * its offset: gpiochip numbers move from boot to boot.
 *
 * An output keeps its value for as long as it is open. When the process closes it or dies, what
 * the pin does is up to the driver, mostly its default: so a line that holds a board's power is
 * held by a process that outlives the session, and "off" must be what the wiring falls back to.
 *
 * Functions that return int: 0 or -errno
 *	-ENODEV	no such chip, or it was removed	-ENOENT	no such line on that chip
 *	-EEXIST	several chips have that label	-EBUSY	in use: gpio_consumer() says by whom
 *	-EINTR	stop asked for			-EACCES	no permission
 */
#ifndef RIG_IO_GPIO_H
#define RIG_IO_GPIO_H

#include <stdbool.h>
#include <stddef.h>

struct gpio;

struct gpio_name {
	const char *chip; /* "relays", or "gpiochip2", or "/dev/gpiochip2" */
	const char *line; /* "board3-power", or an offset: "7" */
	bool active_low;  /* asserted = electrically low */
};

/*
 * Takes the line as an output with that value (asserted or not); consumer is what others see as
 * its user: "rig pixel6-1".
 */
int gpio_open_output(struct gpio **out, const struct gpio_name *name, bool asserted,
		     const char *consumer);
int gpio_open_input(struct gpio **out, const struct gpio_name *name, const char *consumer);

void gpio_close(struct gpio *g); /* NULL is fine */

int gpio_set(struct gpio *g, bool asserted);

/* 1 asserted, 0 not. For an output: what it drives. */
int gpio_get(struct gpio *g);

/*
 * Asserts for ms, then releases; it does not end asserted, whatever happens in between. -EINTR
 * after a stop was asked for, with the pulse cut short.
 */
int gpio_pulse(struct gpio *g, unsigned int ms);

/* Who holds the line, without taking it: the consumer's name; "" = nobody. */
int gpio_consumer(const struct gpio_name *name, char *buf, size_t size);

#endif
