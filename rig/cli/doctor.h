/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `rig doctor` looks at: one function per topic and file, which adds rows. Layer: cli.
 *
 * Topics read the host below `root`, so that a test can give them another one: root/sys, root/dev,
 * root/proc, root/run. They look only at what the lab file makes relevant: a lab of virtual boards
 * has no row about USB.
 */
#ifndef RIG_CLI_DOCTOR_H
#define RIG_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct lab;

/* What mends most of what is wrong with device nodes. */
#define DOCTOR_UDEV_MEND                                                                           \
	"rig doctor --udev | sudo tee /etc/udev/rules.d/65-rig.rules && "                          \
	"sudo udevadm control --reload && sudo udevadm trigger"

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_WARN, /* works, but not well, or not always */
	DOCTOR_BAD,
};

struct doctor_row {
	enum doctor_state state;
	char *check, *evidence;
	char *mend; /* a command, or what to do; NULL = nothing, or the evidence says it */
};

struct doctor {
	const struct lab *lab; /* NULL: it does not load, and a row says why */
	const char *root;      /* "" for this host */
	struct doctor_row *rows;
	size_t n_rows;
};

void doctor_release(struct doctor *d);

/* mend may be NULL; it is kept only with a state other than ok. */
void doctor_add(struct doctor *d, enum doctor_state state, const char *check, const char *mend,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* How many rows are in that state. */
size_t doctor_count(const struct doctor *d, enum doctor_state state);

/* root + path, for the caller to free. */
char *doctor_path(const struct doctor *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The first line of a file below root; false when it cannot be read. text is reset first. */
bool doctor_read(const struct doctor *d, struct buf *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- topics, in the order of the table in cmd-doctor.c ---- */

void doctor_build(struct doctor *d); /* what kernels and virtual boards need; home, database */
void doctor_host(struct doctor *d);  /* udevd, ModemManager, brltty, programs, addresses */
void doctor_usb(struct doctor *d);   /* ports, nodes, memory, suspend, serial numbers */
void doctor_wires(struct doctor *d); /* consoles and supplies, each tried */

#endif
