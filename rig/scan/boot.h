/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boots told from resets, by repetition: a bootloader speaks while a kernel was running, or says
 * the same a second time before any kernel came. Inside of klog.h. Layer: scan -> libc.
 */
#ifndef RIG_SCAN_BOOT_H
#define RIG_SCAN_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan/logline.h"

enum boot_role {
	BOOT_LOADER,  /* the banner of a loader or of firmware */
	BOOT_ORDERLY, /* the kernel, a loader or a person resets on purpose: a boot is due */
};

enum boot_flags {
	BOOT_INSIDE = 1,  /* may come in the middle of a line: a reset does not wait for its end */
	BOOT_LOOP = 2,	  /* printed once a boot: the same line again is a reset in the loader */
	BOOT_VERSION = 4, /* a digit follows */
};

struct boot_row {
	enum boot_role role;
	const char *loader;  /* its name, for tests and the manual */
	const char *literal; /* at least 4 characters */
	unsigned int flags;
	const char *need;     /* comes later in the message; NULL = nothing */
	const char *yes, *no; /* lines that must and must not match */
};

extern const struct boot_row boot_rows[];
extern const size_t boot_rows_n;

#define BOOT_SEEN_MAX 8

struct boot_watch {
	bool running;		      /* a kernel has printed in this boot */
	uint32_t seen[BOOT_SEEN_MAX]; /* hashes of the banners of this boot */
	size_t n_seen;
	bool asked; /* the command "version" was the last message */
};

/* Does the row match at p, inside msg? at_start: nothing but a prefix stands before p. */
bool boot_matches(const struct boot_row *row, const struct logmsg *msg, const char *p,
		  bool at_start);

/* "Linux version 6.12.0 (...", not a dump of an old log. */
bool boot_is_kernel(const struct logmsg *msg);

/* A banner of a loader (row), or of a kernel (NULL): true when it is the sign of a reset. */
bool boot_take(struct boot_watch *w, const struct boot_row *row, const struct logmsg *msg);

/* The next banners are expected. */
void boot_expect(struct boot_watch *w);

/* Any other message, in its turn. */
void boot_note(struct boot_watch *w, const struct logmsg *msg);

#endif
