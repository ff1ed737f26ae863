/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Result files on their way in: the agent sends each as one or more WIRE_FILE messages, here they
 * are put together and checked against the size and CRC-32 that they came with. Layer: job.
 */
#ifndef RIG_JOB_INBOX_H
#define RIG_JOB_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* No result file of a step is larger; a DUT that says so is not believed. */
#define INBOX_FILE_MAX (64u << 20)

struct inbox {
	char name[128]; /* of the file that is coming in, or came last */
	struct buf data;
	size_t size;
	bool open;   /* parts are still to come */
	bool broken; /* a file of this step was lost, cut off or damaged */
};

/*
 * Takes one WIRE_FILE message. True when it completes its file: name and data are then valid until
 * the next call. Damage is kept in `broken`.
 */
bool inbox_take(struct inbox *in, const void *message, size_t size);

/* For the next step. */
void inbox_reset(struct inbox *in);
void inbox_release(struct inbox *in);

/* True when nothing is missing: no broken file, no half one. */
bool inbox_whole(const struct inbox *in);

#endif
