/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One page by HTTP, timed. Layer: io. */
#ifndef RIG_IO_HTTP_H
#define RIG_IO_HTTP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/deadline.h"

#define HTTP_PAGE_MAX (16u << 20)

struct http_page {
	long status;	      /* 200 */
	uint64_t duration_ns; /* from the connect to the last byte, to a microsecond */
	struct buf body;
};

#define HTTP_PAGE_INIT                                                                             \
	{                                                                                          \
		0, 0, BUF_INIT                                                                     \
	}

/*
 * Fetches it over a connection of its own; *page is what came, whatever the status is. 0, or
 * -ECONNREFUSED, -ETIMEDOUT, -EINVAL (no such URL), -EFBIG, -EPROTO (cut off, or no HTTP), -ENOMEM,
 * -ELIBACC (no libcurl here).
 */
int http_get(const char *url, struct deadline d, struct http_page *page);

void http_page_release(struct http_page *page);

#endif
