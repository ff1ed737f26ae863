// SPDX-License-Identifier: GPL-2.0-or-later
/* What the agent's measuring steps are made of: numbers, pages of trace events, time in interrupts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agents/agent.h"
#include "agents/args.h"
#include "agents/irqtime.h"
#include "agents/numbers.h"
#include "agents/trace-page.h"
#include "agents/trace.h"

static void test_numbers(void **state)
{
	static const double values[] = { 5, 1, 4, 2, 3, 6, 8, 7, 10, 9 };
	struct numbers list = { 0 };

	(void)state;
	assert_true(numbers_mean(&list) == 0 && numbers_sd(&list) == 0);
	assert_true(numbers_percentile(&list, 99) == 0);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(numbers_add(&list, values[i]));
	numbers_sort(&list);
	assert_true(numbers_mean(&list) == 5.5);
	assert_true(numbers_sd(&list) > 3.0276 && numbers_sd(&list) < 3.0277);
	assert_true(numbers_percentile(&list, 0) == 1);
	assert_true(numbers_percentile(&list, 50) == 5);
	assert_true(numbers_percentile(&list, 90) == 9);
	assert_true(numbers_percentile(&list, 99) == 10);
	assert_true(numbers_percentile(&list, 100) == 10);
	numbers_release(&list);
}

/* ---- pages ---- */

struct page {
	unsigned char data[512];
	size_t size;
};

static void put(struct page *p, const void *data, size_t size)
{
	assert_true(p->size + size <= sizeof(p->data));
	memcpy(p->data + p->size, data, size);
	p->size += size;
}

static void put_word(struct page *p, uint32_t word)
{
	put(p, &word, sizeof(word));
}

/* Bit fields as this machine lays them out. */
static void put_head(struct page *p, unsigned int type, uint32_t delta)
{
	struct {
		unsigned int type : 5, delta : 27;
	} head = { type & 31, delta & ((1u << 27) - 1) };

	put(p, &head, sizeof(head));
}

static struct page begin_page(uint64_t time_ns)
{
	struct page p = { .size = 0 };
	uint64_t commit = 0;

	put(&p, &time_ns, 8);
	put(&p, &commit, 8);
	return p;
}

static void end_page(struct page *p)
{
	uint64_t commit = p->size - 16;

	memcpy(p->data + 8, &commit, sizeof(commit));
}

struct seen {
	int n;
	uint64_t times[16];
	uint16_t ids[16];
	size_t sizes[16];
};

static void on_event(void *ctx, uint64_t time_ns, const unsigned char *data, size_t size)
{
	struct seen *s = ctx;

	s->times[s->n] = time_ns;
	memcpy(&s->ids[s->n], data, 2);
	s->sizes[s->n++] = size;
}

static void test_page(void **state)
{
	struct page p = begin_page(1000000);
	struct seen seen = { 0 };

	(void)state;
	put_head(&p, 2, 50); /* 8 bytes */
	put_word(&p, 7);
	put_word(&p, 1);
	put_head(&p, 30, 5); /* 3 * 2^27 + 5 ns go by */
	put_word(&p, 3);
	put_head(&p, 0, 10); /* the size is told: 12, of which 4 are itself */
	put_word(&p, 12);
	put_word(&p, 8);
	put_word(&p, 2);
	put_head(&p, 29, 7); /* taken back: 8 bytes that are nobody's */
	put_word(&p, 8);
	put_word(&p, 9);
	put_head(&p, 31, 1); /* it is 2^28 + 1 now */
	put_word(&p, 2);
	put_head(&p, 1, 9);
	put_word(&p, 10);
	end_page(&p);
	put_word(&p, 0xffffffff); /* left from before, behind the end */
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), 0);
	assert_int_equal(seen.n, 3);
	assert_int_equal(seen.times[0], 1000050);
	assert_int_equal(seen.ids[0], 7);
	assert_int_equal(seen.sizes[0], 8);
	assert_int_equal(seen.times[1], 1000050 + (3u << 27) + 5 + 10);
	assert_int_equal(seen.ids[1], 8);
	assert_int_equal(seen.sizes[1], 8);
	assert_int_equal(seen.times[2], (2u << 27) + 1 + 9);
	assert_int_equal(seen.ids[2], 10);
}

static void test_page_empty_rest(void **state)
{
	struct page p = begin_page(5);
	struct seen seen = { 0 };

	(void)state;
	put_head(&p, 29, 0);
	put_word(&p, 77);
	end_page(&p);
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), 0);
	assert_int_equal(seen.n, 0);
}

/* Every way of being cut off or of claiming more than there is. */
static void test_page_broken(void **state)
{
	struct seen seen = { 0 };
	struct page p = begin_page(0);

	(void)state;
	assert_int_equal(trace_page(p.data, 15, 8, on_event, &seen), -22);
	put_head(&p, 28, 1);
	put_word(&p, 1);
	end_page(&p);
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), -22);
	assert_int_equal(trace_page(p.data, p.size - 4, 8, on_event, &seen), -22);
	p = begin_page(0);
	put_head(&p, 0, 1);
	put_word(&p, 2); /* smaller than itself */
	end_page(&p);
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), -22);
	p = begin_page(0);
	put_head(&p, 30, 1);
	end_page(&p);
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), -22);
	p = begin_page(0);
	put_head(&p, 0, 1);
	put_word(&p, 0xfffffffe);
	end_page(&p);
	assert_int_equal(trace_page(p.data, p.size, 8, on_event, &seen), -22);
	assert_int_equal(seen.n, 0);
}

static void test_fields(void **state)
{
	static const struct trace_field number = { 8, 4 }, text = { 12, 4 }, outside = { 28, 8 };
	unsigned char data[32] = { 0 };
	uint32_t irq = 24, loc = 9u << 16 | 16;
	char name[8];

	(void)state;
	memcpy(data + 8, &irq, 4);
	memcpy(data + 12, &loc, 4);
	memcpy(data + 16, "xhci_hcd", 9);
	assert_int_equal(trace_number(data, sizeof(data), &number), 24);
	assert_int_equal(trace_number(data, sizeof(data), &outside), 0);
	trace_text(data, sizeof(data), &text, name, sizeof(name));
	assert_string_equal(name, "xhci_hc"); /* as much as there is room for */
	loc = 100u << 16 | 16;
	memcpy(data + 12, &loc, 4);
	trace_text(data, sizeof(data), &text, name, sizeof(name));
	assert_string_equal(name, "");
}

/* ---- time in interrupts ---- */

static const struct irqtime_source *source(const struct irqtime *t, const char *name)
{
	for (int i = 0; i < t->n_sources; i++)
		if (!strcmp(t->sources[i].name, name))
			return &t->sources[i];
	return NULL;
}

static void test_irqtime(void **state)
{
	struct irqtime *t = calloc(1, sizeof(*t));

	(void)state;
	irqtime_exit(t, 0, 5, "irq"); /* began before anybody looked */
	irqtime_enter(t, 0, 10, "irq", "xhci_hcd");
	irqtime_exit(t, 0, 30, "irq");
	/* an interrupt in the middle of a softirq is not the softirq's time */
	irqtime_enter(t, 0, 40, "softirq", "TASKLET");
	irqtime_enter(t, 0, 45, "irq", "fe2.serial[0]");
	irqtime_exit(t, 0, 52, "irq");
	irqtime_exit(t, 0, 60, "softirq");
	/* another CPU at the same time */
	irqtime_enter(t, 1, 41, "irq", "xhci_hcd");
	irqtime_exit(t, 1, 51, "irq");
	irqtime_enter(t, 1, 70, "softirq", "RCU"); /* and its end was not seen */
	assert_int_equal(t->odd, 1);
	assert_int_equal(source(t, "irq.xhci_hcd")->times_ns.n, 2);
	assert_true(numbers_mean(&source(t, "irq.xhci_hcd")->times_ns) == 15);
	assert_true(source(t, "softirq.TASKLET")->times_ns.v[0] == 13);
	assert_true(source(t, "irq.fe2_serial_0_")->times_ns.v[0] == 7);
	assert_int_equal(source(t, "softirq.RCU")->times_ns.n, 0);
	assert_int_equal(t->first_ns, 5);
	assert_int_equal(t->last_ns, 70);
	irqtime_release(t);
	free(t);
}

/* More CPUs, sources or nesting than there is room for is counted, and harms nobody. */
static void test_irqtime_limits(void **state)
{
	struct irqtime *t = calloc(1, sizeof(*t));
	char name[16];

	(void)state;
	irqtime_enter(t, IRQTIME_CPUS, 1, "irq", "x");
	irqtime_exit(t, IRQTIME_CPUS, 2, "irq");
	assert_int_equal(t->odd, 2);
	for (int i = 0; i < IRQTIME_SOURCES + 5; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		irqtime_enter(t, 0, 10, "irq", name);
		irqtime_exit(t, 0, 11, "irq");
	}
	assert_int_equal(t->n_sources, IRQTIME_SOURCES);
	assert_int_equal(t->cpus[0].depth, 0);
	for (int i = 0; i < IRQTIME_DEPTH + 2; i++)
		irqtime_enter(t, 1, 20, "softirq", "n");
	assert_int_equal(t->cpus[1].depth, IRQTIME_DEPTH);
	irqtime_release(t);
	free(t);
}

/* ---- arguments ---- */

static struct step step_of(const char *spec)
{
	struct step s = { .status = STEP_OK };

	assert_int_equal(kv_parse(&s.spec, spec, strlen(spec)), 0);
	return s;
}

static void test_args(void **state)
{
	struct step s = step_of("arg=bs=1M\narg=count=3\narg=count=4\narg=write=yes\n");
	uint64_t n;
	bool yes;

	(void)state;
	assert_true(args_number(&s, "bs", 5, 1, 1 << 30, &n));
	assert_int_equal(n, 1 << 20);
	assert_true(args_number(&s, "count", 5, 1, 100, &n));
	assert_int_equal(n, 4);
	assert_true(args_number(&s, "b", 5, 1, 100, &n));
	assert_int_equal(n, 5);
	assert_true(args_yes(&s, "write", false, &yes) && yes);
	assert_true(args_yes(&s, "other", true, &yes) && yes);
	assert_string_equal(args_text(&s, "none", "x"), "x");
	assert_int_equal(s.status, STEP_OK);
	kv_list_release(&s.spec);
}

static void test_args_wrong(void **state)
{
	static const char *const wrong[] = {
		"",   "x", "-1", "1T", "1MM", "1.5M", "3", "18446744073709551616", "99999999999G",
		"11M"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char spec[64];
		struct step s;
		uint64_t n;

		snprintf(spec, sizeof(spec), "arg=bs=%s\n", wrong[i]);
		s = step_of(spec);
		assert_false(args_number(&s, "bs", 5, 4, 10 << 20, &n));
		assert_int_equal(s.status, STEP_FAILED);
		assert_non_null(strstr(s.message, "a whole number, 4 to 10485760"));
		kv_list_release(&s.spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),		cmocka_unit_test(test_page),
		cmocka_unit_test(test_page_empty_rest), cmocka_unit_test(test_page_broken),
		cmocka_unit_test(test_fields),		cmocka_unit_test(test_irqtime),
		cmocka_unit_test(test_irqtime_limits),	cmocka_unit_test(test_args),
		cmocka_unit_test(test_args_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
