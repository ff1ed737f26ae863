// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/report: whole reports against rig/tests/golden (RIG_UPDATE_GOLDEN=1 writes them anew),
 * and the rules that hold for any.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/report-text.h"
#include "results/report.h"
#include "results/session.h"
#include "results/store.h"

/* By way of the store, as the command does it. The caller frees. */
static char *report(struct fixture *f)
{
	const char *name = strrchr(f->dir, '/') + 1;
	char *db = path_join(fixture_tmp, "results.db");
	struct store *st = store_open(db, NULL);
	struct buf out = BUF_INIT;

	assert_non_null(st);
	assert_int_equal(import_run(st, f->dir, NULL, NULL), 0);
	gate_set_free(gate_run(st, name, NULL));
	assert_int_equal(report_session(st, name, NULL, NULL, &out, NULL), 0);
	store_close(st);
	path_remove(f->dir);
	free(db);
	return buf_detach(&out);
}

/* A line of a command may be longer, when it has no space to be broken at. */
static void check_layout(const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		if (n > REPORT_WIDTH)
			fail_msg("%zu columns: %.*s", n, (int)n, p);
		if (n && p[n - 1] == ' ')
			fail_msg("space at the end: %.*s", (int)n, p);
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)p[i] < ' ')
				fail_msg("control character: %.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void compare(const char *name, char *text)
{
	char *path = xasprintf("rig/tests/golden/%s.txt", name);
	struct buf want = BUF_INIT;

	check_layout(text);
	if (getenv("RIG_UPDATE_GOLDEN"))
		path_write(path, text, strlen(text));
	if (path_read(path, &want, 1 << 20))
		fail_msg("%s cannot be read (run from the top of the tree)", path);
	assert_string_equal(text, buf_str(&want));
	buf_release(&want);
	free(path);
	free(text);
}

static void two_candidates(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	f.kernels = 3;
	f.pairs = 6;
	f.cv = 0.012;
	f.effect[1] = 0.88;
	f.hit = 0;
	f.finding[0] = "WARNING in known_everywhere";
	f.finding[1] = "WARNING in known_everywhere";
	f.finding[2] = "WARNING in ufshcd_new";
	fixture_make(&f, fixture_tmp, "20261130-150000-ufs-irq-aaaaaa");
	compare("report-two-candidates", report(&f));
	fixture_release(&f);
}

static void undecided(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	f.cv = 0.05;
	fixture_make(&f, fixture_tmp, "20261130-150000-ufs-irq-bbbbbb");
	compare("report-undecided", report(&f));
	fixture_release(&f);
}

/* The candidate panics in its first boot. */
static void kernel_fault(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	fixture_begin(&f, fixture_tmp, "20261130-150000-ufs-irq-cccccc");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_visit(&f, 0, 1, "");
	fixture_visit_begin(&f, 1, 1, "");
	fixture_event(&f, "finding",
		      ", \"visit\": 3, \"kind\": \"panic\", \"title\": \"panic: rig canary: as"
		      " asked\", \"severity\": \"fatal\", \"begin\": 9000, \"end\": 9400%s",
		      "");
	fixture_fault(&f, 3, "KERNEL", "panic", "panic: rig canary: as asked");
	fixture_event(&f, "visit-end", ", \"visit\": 3, \"result\": \"failed\"%s", "");
	fixture_end(&f, "kernel-fault");
	compare("report-kernel-fault", report(&f));
	fixture_release(&f);
}

static void job_lost(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	fixture_begin(&f, fixture_tmp, "20261130-150000-ufs-irq-dddddd");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_round(&f, 1);
	compare("report-job-lost", report(&f));
	fixture_release(&f);
}

/* Four kernels, long names, huge numbers, no commands: the layout holds. */
static void wide(void **state)
{
	struct fixture f = fixture_usual();
	char *text;

	(void)state;
	f.kernels = 4;
	f.cv = 0.3;
	f.effect[1] = 1000;
	fixture_make(&f, fixture_tmp, "20261130-150000-ufs-irq-eeeeee");
	text = report(&f);
	check_layout(text);
	assert_non_null(strstr(text, "fourth"));
	free(text);
	fixture_release(&f);
}

static void nothing_yet(void **state)
{
	struct fixture f = fixture_usual();
	char *text;

	(void)state;
	fixture_begin(&f, fixture_tmp, "20261130-150000-ufs-irq-ffffff");
	text = report(&f);
	check_layout(text);
	assert_non_null(strstr(text, "INVALID"));
	free(text);
	fixture_release(&f);
}

static void wrap(void **state)
{
	struct buf out = BUF_INIT;
	char word[201];
	char *text;

	(void)state;
	report_wrap(&out, "  $", 4, "fio --a=1\x1b[31m", " \\");
	assert_string_equal(buf_str(&out), "  $ fio --a=1?[31m\n");
	buf_reset(&out);
	/* a word that does not fit is not cut: the line must stay what was run */
	memset(word, 'x', 200);
	word[200] = '\0';
	text = xasprintf("fio %s end", word);
	report_wrap(&out, "  $", 4, text, " \\");
	assert_non_null(strstr(buf_str(&out), word));
	assert_non_null(strstr(buf_str(&out), "\\\n    end\n"));
	free(text);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_candidates), cmocka_unit_test(undecided),
		cmocka_unit_test(kernel_fault),	  cmocka_unit_test(job_lost),
		cmocka_unit_test(wide),		  cmocka_unit_test(nothing_yet),
		cmocka_unit_test(wrap),
	};

	return cmocka_run_group_tests(tests, fixture_make_tmp, fixture_remove_tmp);
}
