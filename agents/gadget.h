/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A USB gadget made of functions, by configfs. There is one of ours at a time: whatever is there of
 * it is taken down first, so that making it again, and taking it down twice, both work. Above
 * sysfs.c.
 */
#ifndef AGENTS_GADGET_H
#define AGENTS_GADGET_H

#include <stdint.h>

struct gadget {
	const char *root;
	const char *functions; /* "gser+eem+mass_storage+uac2", any of the table in gadget.c */
	const char *lun;       /* file or device behind the mass storage; NULL = it has none */
	const char *udc;       /* NULL = the first that is free */
	char bound[64];	       /* the UDC it was bound to */
	char why[200];	       /* of an error */
};

/*
 * Takes down, makes, binds. 0; -EINVAL a function nobody knows; -ENOTSUP what this kernel lacks;
 * -ENODEV no UDC; -ENOMEDIUM the LUN did not take its medium; -errno. What was begun is gone then.
 */
int gadget_make(struct gadget *g);

/* Everything of it is gone afterwards, or -errno with why. None there: 0. */
int gadget_remove(struct gadget *g);

/* Until its host has configured it: 0, or -ETIMEDOUT. */
int gadget_wait(struct gadget *g, unsigned int wait_ms);

#endif
