/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of the kernel's trace buffer, as trace_pipe_raw gives it -> events. Pure; read on the
 * machine that wrote it, so in its byte order. The layout is told by events/header_page and
 * events/header_event and has been the same since 2009:
 *
 *	u64 timestamp | local_t commit: bytes of data that follow | data
 *	data: a word of 5 bits type_len and 27 bits time_delta, then
 *	  1..28   type_len * 4 bytes of payload
 *	  0       u32 size, then size - 4 bytes of payload
 *	  29      padding; with time_delta 0 the rest of the page is empty
 *	  30      u32: the upper bits of a longer delta
 *	  31      u32: the upper bits of an absolute time
 */
#ifndef AGENTS_TRACE_PAGE_H
#define AGENTS_TRACE_PAGE_H

#include <stddef.h>
#include <stdint.h>

/* One event: its time in ns and its payload, which begins with the u16 id. */
typedef void trace_event_fn(void *ctx, uint64_t time_ns, const unsigned char *data, size_t size);

/* commit_size: sizeof(local_t), 4 or 8. 0, or -EINVAL when the page contradicts itself. */
int trace_page(const unsigned char *page, size_t size, size_t commit_size, trace_event_fn *each,
	       void *ctx);

#endif
