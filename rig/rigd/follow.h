/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a journal as it grows, from its first line on, however long ago that was written. A line
 * counts when its newline is there: a torn one is left for later. Layer: rigd -> base.
 */
#ifndef RIG_RIGD_FOLLOW_H
#define RIG_RIGD_FOLLOW_H

#include <jansson.h>

#include "base/buf.h"

struct follow {
	int fd; /* -1: not there yet */
	char *path;
	struct buf line;
};

/* path is copied. */
void follow_init(struct follow *f, const char *path);
void follow_release(struct follow *f);

/*
 * Calls event() for each line that has come since the last call; what is not JSON is passed over.
 * 0 or -errno; a journal that does not exist yet is 0.
 */
int follow_read(struct follow *f, void (*event)(void *ctx, const json_t *event), void *ctx);

#endif
