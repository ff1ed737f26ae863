/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the virtual boards: the QEMU program and its devices. The rest (process,
 * monitor, console, power) is in virt.c. Layer: board, inside.
 */
#ifndef RIG_BOARD_VIRT_H
#define RIG_BOARD_VIRT_H

#include <stddef.h>

struct lab_board;

#define VIRT_ARGS_MAX 160

/* An argument list under construction; owns its strings. */
struct virt_args {
	char *v[VIRT_ARGS_MAX + 1]; /* NULL-terminated */
	size_t n;
};

void virt_arg(struct virt_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct virt_machine {
	const char *program; /* searched in PATH */
	const char *package; /* that brings it */
	/*
	 * An instruction of the guest takes 2^icount_shift ns of its own time, so that what it
	 * measures depends on what it executes and hardly on how busy the host is (see virt.c).
	 */
	unsigned int icount_shift;
	/* Machine, CPU and devices; backing is a path prefix for files that stand behind disks. */
	void (*devices)(struct virt_args *a, const struct lab_board *lab, const char *backing);
	/* Creates the files that devices() names. 0 or -errno; NULL = none. */
	int (*prepare)(const struct lab_board *lab, const char *backing);
};

#endif
