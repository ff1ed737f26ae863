// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings of a session told apart: results/findings.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "results/findings.h"
#include "results/gate.h"
#include "results/session.h"

/* Two boots of each kernel, in mirrored order, all ended well. */
static struct session *session_of(size_t kernels)
{
	struct session *s = session_new();

	s->started_ms = 1796083200000; /* 2026-12-01 */
	for (size_t k = 0; k < kernels; k++)
		session_add_kernel(s)->label = k ? "candidate" : "baseline";
	for (size_t i = 0; i < 2 * kernels; i++) {
		struct session_visit *v = session_add_visit(s);

		v->number = (int)i + 1;
		v->kernel = (int)(i < kernels ? i : 2 * kernels - 1 - i);
		v->result = VISIT_OK;
		v->dir = "visits/001-x";
	}
	return s;
}

static struct session_finding *add(struct session *s, int visit, const char *kind,
				   const char *title, const char *trace)
{
	struct session_finding *f = session_add_finding(s);

	f->visit = visit;
	f->kind = kind;
	f->title = title;
	f->severity = "error";
	f->trace = trace;
	f->begin = 100 * (int64_t)s->n_findings;
	return f;
}

static void suppress(struct session *s, const char *title, const char *guilty, const char *until)
{
	struct session_suppression *p = session_add_suppression(s);

	p->title = title;
	p->guilty = guilty;
	p->until = until;
	p->reason = "fix is queued";
}

/* Kernel 0 is booted in visits 0 and 3, kernel 1 in 1 and 2. */
static void classes(void **state)
{
	struct session *s = session_of(2);
	struct findings *f;

	(void)state;
	add(s, 0, "warning", "WARNING in both", "a\nb");
	add(s, 0, "warning", "WARNING in gone", "");
	add(s, 1, "warning", "WARNING in both", "a\nb");
	add(s, 1, "oops", "oops in new", "x\ny");
	add(s, 1, "oops", "oops in new", "x\ny");
	add(s, 2, "oops", "oops in new", "x\ny");
	f = findings_new(s);
	assert_int_equal(f->n, 3);
	assert_string_equal(f->items[0].finding->title, "WARNING in both");
	assert_int_equal(findings_state(f, 0, 1), FINDINGS_KNOWN);
	assert_false(findings_fails(f, 0, 1));
	assert_int_equal(findings_state(f, 1, 1), FINDINGS_GONE);
	assert_int_equal(findings_state(f, 2, 1), FINDINGS_NEW);
	assert_true(findings_fails(f, 2, 1));
	/* twice in one boot is one boot */
	assert_int_equal(f->items[2].seen[1].boots, 2);
	assert_int_equal(f->items[2].seen[1].first, 1);
	assert_int_equal(f->items[2].seen[0].boots, 0);
	assert_int_equal(f->items[2].seen[0].first, -1);
	findings_free(f);
	session_free(s);
}

/* The same function warns, but is reached another way: another defect; unless nobody knows. */
static void traces(void **state)
{
	static const struct {
		const char *base, *cand;
		enum findings_state want;
		size_t n;
	} cases[] = {
		{ "a\nb\nc", "a\nb\nc", FINDINGS_KNOWN, 1 },
		{ "a\nb\nc\nd", "a\nb\nc\ne", FINDINGS_KNOWN, 1 }, /* further out than compared */
		{ "a\nb\nc", "a", FINDINGS_KNOWN, 1 },		   /* cut */
		{ "a\nb\nc", "", FINDINGS_KNOWN, 1 },		   /* by an older rig */
		{ "", "x\ny\nz", FINDINGS_KNOWN, 1 },
		{ "a\nb\nc", "x\nb\nc", FINDINGS_NEW, 2 },
		{ "a\nb\nc", "a\nb\nx", FINDINGS_NEW, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct session *s = session_of(2);
		struct findings *f;

		add(s, 0, "warning", "WARNING in f", cases[i].base);
		add(s, 1, "warning", "WARNING in f", cases[i].cand);
		f = findings_new(s);
		assert_int_equal(f->n, cases[i].n);
		assert_int_equal(findings_state(f, f->n - 1, 1), cases[i].want);
		findings_free(f);
		session_free(s);
	}
}

/* A trace that was cut does not lend its name to those that differ. */
static void cut_trace_excuses_nothing(void **state)
{
	struct session *s = session_of(2);
	struct findings *f;

	(void)state;
	add(s, 0, "warning", "WARNING in f", "");
	add(s, 0, "warning", "WARNING in f", "a\nb\nc");
	add(s, 1, "warning", "WARNING in f", "x\ny\nz");
	f = findings_new(s);
	assert_int_equal(f->n, 2);
	assert_string_equal(f->items[0].finding->trace, "a\nb\nc");
	assert_int_equal(f->items[0].seen[0].boots, 1);
	assert_int_equal(findings_state(f, 1, 1), FINDINGS_NEW);
	findings_free(f);
	session_free(s);
}

/* Where a stall was sampled says nothing; a kind that is not known is compared as a word. */
static void samples_and_strangers(void **state)
{
	struct session *s = session_of(2);
	struct findings *f;

	(void)state;
	add(s, 0, "rcu-stall", "RCU stall in here", "here");
	add(s, 1, "rcu-stall", "RCU stall in there", "there");
	add(s, 0, "gremlin", "it bites", "");
	add(s, 1, "goblin", "it bites", "");
	f = findings_new(s);
	assert_int_equal(f->n, 3);
	assert_int_equal(findings_state(f, 0, 1), FINDINGS_KNOWN);
	assert_int_equal(findings_state(f, 1, 1), FINDINGS_GONE);
	assert_int_equal(findings_state(f, 2, 1), FINDINGS_NEW);
	findings_free(f);
	session_free(s);
}

static void no_boot_no_comparison(void **state)
{
	struct session *s = session_of(2);
	struct findings *f;

	(void)state;
	add(s, 1, "warning", "WARNING in f", "");
	s->visits[0].result = s->visits[3].result = VISIT_FAILED;
	f = findings_new(s);
	assert_int_equal(findings_state(f, 0, 1), FINDINGS_SEEN);
	assert_false(findings_fails(f, 0, 1));
	findings_free(f);
	session_free(s);
}

static void several_candidates(void **state)
{
	struct session *s = session_of(3);
	struct findings *f;

	(void)state;
	add(s, 1, "warning", "WARNING in f", "")->severity = "notice";
	add(s, 2, "warning", "WARNING in f", "");
	f = findings_new(s);
	assert_int_equal(findings_state(f, 0, 1), FINDINGS_NEW);
	assert_int_equal(findings_state(f, 0, 2), FINDINGS_NEW);
	/* a notice fails nobody */
	assert_false(findings_fails(f, 0, 1));
	assert_true(findings_fails(f, 0, 2));
	assert_int_equal(findings_overall(f, 0), FINDINGS_NEW);
	findings_free(f);
	session_free(s);
}

static void single_kernel(void **state)
{
	struct session *s = session_of(1);
	struct findings *f;

	(void)state;
	add(s, 1, "warning", "WARNING in f", "");
	f = findings_new(s);
	assert_int_equal(findings_overall(f, 0), FINDINGS_SEEN);
	findings_free(f);
	session_free(s);
}

static void suppressed(void **state)
{
	static const struct {
		const char *title, *guilty, *until;
		enum findings_state want;
		bool expired;
	} cases[] = {
		{ "WARNING in dwc3_*", "", "2026-12-01", FINDINGS_SUPPRESSED, false },
		{ "WARNING in dwc3_ep", "drivers/usb/*", "2030-01-01", FINDINGS_SUPPRESSED, false },
		{ "WARNING in dwc3_*", "", "2026-11-30", FINDINGS_NEW, true },
		{ "WARNING in dwc3_*", "drivers/ufs/*", "2030-01-01", FINDINGS_NEW, false },
		{ "dwc3_ep", "", "2030-01-01", FINDINGS_NEW, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct session *s = session_of(2);
		struct buf why = BUF_INIT;
		struct findings *f;

		add(s, 1, "warning", "WARNING in dwc3_ep", "")->guilty = "drivers/usb/dwc3/core.c";
		suppress(s, cases[i].title, cases[i].guilty, cases[i].until);
		f = findings_new(s);
		assert_int_equal(findings_state(f, 0, 1), cases[i].want);
		assert_int_equal(f->items[0].expired, cases[i].expired);
		assert_int_equal(findings_fails(f, 0, 1), cases[i].want == FINDINGS_NEW);
		findings_why(&f->items[0], &why);
		if (cases[i].expired)
			assert_string_equal(buf_str(&why), "; no longer suppressed, as it was "
							   "until 2026-11-30: fix is queued");
		buf_release(&why);
		findings_free(f);
		session_free(s);
	}
}

/* A row that is over does not hide one that holds. */
static void later_row_holds(void **state)
{
	struct session *s = session_of(2);
	struct findings *f;

	(void)state;
	add(s, 1, "warning", "WARNING in f", "");
	suppress(s, "WARNING*", "", "2026-01-31");
	suppress(s, "WARNING in f", "", "2027-01-31");
	f = findings_new(s);
	assert_int_equal(findings_state(f, 0, 1), FINDINGS_SUPPRESSED);
	assert_string_equal(f->items[0].suppression->until, "2027-01-31");
	findings_free(f);
	session_free(s);
}

/* The gate says what, where, and by whom it was called. */
static void reason(void **state)
{
	struct session *s = session_of(2);
	struct session_finding *f;
	struct gate_set *set;

	(void)state;
	f = add(s, 2, "warning", "WARNING in usb_ep_queue",
		"usb_ep_queue\nrx_submit\neth_open\nfurther_out");
	f->guilty = "drivers/usb/dwc3/gadget.c";
	set = gate_judge(s);
	assert_non_null(strstr(set->verdicts[0].reason,
			       "new in the kernel log: WARNING in usb_ep_queue (warning), in 1 of "
			       "its visits, first in visit 3; the baseline never shows it; guilty "
			       "file drivers/usb/dwc3/gadget.c; call trace: usb_ep_queue <- "
			       "rx_submit <- eth_open"));
	assert_null(strstr(set->verdicts[0].reason, "further_out"));
	assert_string_equal(set->verdicts[0].code, "finding");
	gate_set_free(set);
	suppress(s, "WARNING in usb_ep_queue", "", "2027-01-31");
	set = gate_judge(s);
	assert_string_not_equal(set->verdicts[0].code, "finding");
	gate_set_free(set);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(traces),
		cmocka_unit_test(cut_trace_excuses_nothing),
		cmocka_unit_test(samples_and_strangers),
		cmocka_unit_test(no_boot_no_comparison),
		cmocka_unit_test(several_candidates),
		cmocka_unit_test(single_kernel),
		cmocka_unit_test(suppressed),
		cmocka_unit_test(later_row_holds),
		cmocka_unit_test(reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
