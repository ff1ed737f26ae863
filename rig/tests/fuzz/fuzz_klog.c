// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: the splat detector on any bytes. The findings must not depend on how the
 * stream is cut, and their byte ranges must lie inside it. The first byte chooses the cut.
 *
 *	clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Irig -I. \
 *		rig/tests/fuzz/fuzz_klog.c
 */
#include "../../base/buf.c"
#include "../../scan/boot.c"
#include "../../scan/generic.c"
#include "../../scan/klog.c"
#include "../../scan/logline.c"
#include "../../scan/patterns.c"
#include "../../scan/splat.c"
#include "../../scan/symbol.c"
#include "../../scan/trace.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
	size_t size;
	uint64_t hash;
};

static void add(void *ctx, const struct klog_finding *f)
{
	struct sum *s = ctx;

	if (f->begin >= f->end || f->end > s->size || !f->title[0] ||
	    strlen(f->title) >= KLOG_TITLE_MAX || !memchr(f->func, 0, sizeof(f->func)) ||
	    !memchr(f->guilty, 0, sizeof(f->guilty)) || f->n_frames > KLOG_TRACE_MAX)
		abort();
	for (unsigned int i = 0; i < f->n_frames; i++)
		if (!f->trace[i][0] || !memchr(f->trace[i], 0, sizeof(f->trace[i])))
			abort();
	s->hash = (s->hash ^ f->begin) * 1099511628211u;
	s->hash = (s->hash ^ f->end) * 1099511628211u;
	for (const char *p = f->title; *p; p++)
		s->hash = (s->hash ^ (unsigned char)*p) * 1099511628211u;
}

static uint64_t scan(const uint8_t *data, size_t size, size_t chunk)
{
	struct sum s = { size, 14695981039346656037u };
	struct klog *k = klog_new(add, &s);

	if (size % 2)
		klog_allow_reboots(k);
	for (size_t i = 0; i < size; i += chunk)
		klog_feed(k, data + i, size - i < chunk ? size - i : chunk);
	klog_finish(k);
	klog_free(k);
	return s.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && scan(data + 1, size - 1, size) != scan(data + 1, size - 1, 1 + data[0] % 32))
		abort();
	return 0;
}
