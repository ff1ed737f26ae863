/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets in the console's text (what is left when the wire has taken its frames out) back to
 * offsets in the recorded stream. Layer: job.
 *
 * The map is a list of marks "from text offset T on, the stream is at S". Between two frames text
 * and stream advance together, so a mark is needed only where a frame was cut out.
 */
#ifndef RIG_JOB_TEXTMAP_H
#define RIG_JOB_TEXTMAP_H

#include <stddef.h>
#include <stdint.h>

struct textmap_mark {
	uint64_t text;
	uint64_t stream;
};

struct textmap {
	struct textmap_mark *marks;
	size_t n;
	size_t cap;
	uint64_t text; /* text bytes so far */
};

#define TEXTMAP_INIT                                                                               \
	{                                                                                          \
		NULL, 0, 0, 0                                                                      \
	}

/* The next size bytes of text came while the stream bytes from `stream` on were taken. */
void textmap_add(struct textmap *m, uint64_t stream, size_t size);

/* Where the text byte at that offset is in the stream. */
uint64_t textmap_find(const struct textmap *m, uint64_t text);

void textmap_release(struct textmap *m);

#endif
