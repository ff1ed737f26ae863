// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/report: whole reports against rig/tests/golden (RIG_UPDATE_GOLDEN=1 writes them anew),
 * and the rules that hold for any. The golden files of the other formats are checked against
 * their schemas by rig/tests/cli/report.sh.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/escape.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/plot.h"
#include "results/report-format.h"
#include "results/report-html.h"
#include "results/report-model.h"
#include "results/report-text.h"
#include "results/report.h"
#include "results/session.h"
#include "results/store.h"

/* By way of the store, as the command does it. */
static struct store *store_of(struct fixture *f)
{
	char *db = path_join(fixture_tmp, "results.db");
	struct store *st = store_open(db, NULL);

	assert_non_null(st);
	assert_int_equal(import_run(st, f->dir, NULL, NULL), 0);
	gate_set_free(gate_run(st, strrchr(f->dir, '/') + 1, NULL));
	path_remove(f->dir);
	free(db);
	return st;
}

/* The caller frees. */
static char *report_as(struct store *st, struct fixture *f, const struct report_ops *ops)
{
	struct buf out = BUF_INIT;

	assert_int_equal(report_session(st, strrchr(f->dir, '/') + 1, ops, NULL, &out, NULL), 0);
	return buf_detach(&out);
}

static char *report(struct fixture *f)
{
	struct store *st = store_of(f);
	char *text = report_as(st, f, NULL);

	store_close(st);
	return text;
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

/* A golden page is without its style sheet. */
static void cut_style(char *text)
{
	char *from = strstr(text, "<style>\n");
	char *to = from ? strstr(from, "</style>") : NULL;

	if (to)
		memmove(from + strlen("<style>\n"), to, strlen(to) + 1);
}

static void compare_file(const char *path, char *text)
{
	struct buf want = BUF_INIT;

	cut_style(text);
	if (getenv("RIG_UPDATE_GOLDEN"))
		path_write(path, text, strlen(text));
	if (path_read(path, &want, 1 << 20))
		fail_msg("%s cannot be read (run from the top of the tree)", path);
	if (strcmp(text, buf_str(&want)) != 0)
		fail_msg("the report differs from %s", path);
	buf_release(&want);
	free(text);
}

/* Text always; of the others those that `formats` names. */
static void compare(const char *name, struct fixture *f, const char *formats)
{
	struct store *st = store_of(f);
	char *text;

	for (const struct report_ops *const *ops = report_formats; *ops; ops++) {
		char *path = xasprintf("rig/tests/golden/report-%s.%s", name, (*ops)->extension);

		if (*ops == report_formats[0] || strstr(formats, (*ops)->name))
			compare_file(path, report_as(st, f, *ops));
		free(path);
	}
	text = report_as(st, f, NULL);
	check_layout(text);
	free(text);
	store_close(st);
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
	compare("two-candidates", &f, "markdown html junit kcidb");
	fixture_release(&f);
}

static void undecided(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	f.cv = 0.05;
	fixture_make(&f, fixture_tmp, "20261130-150000-ufs-irq-bbbbbb");
	compare("undecided", &f, "markdown json junit kcidb");
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
	compare("kernel-fault", &f, "csv junit kcidb");
	fixture_release(&f);
}

static void job_lost(void **state)
{
	struct fixture f = fixture_usual();

	(void)state;
	fixture_begin(&f, fixture_tmp, "20261130-150000-ufs-irq-dddddd");
	fixture_visit(&f, 0, 0, ", \"warmup\": true");
	fixture_round(&f, 1);
	compare("job-lost", &f, "junit kcidb");
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

/* ---- names that mean something in the language of the report ---- */

#define NASTY                                                                                      \
	"<b onclick=\"x('y')\">&amp;|`*_[a](b)#~@\\,;\n\x1b[31m\xff\xc3(\xed\xa0\x80\xef\xbf\xbf"
#define FORMULA "=cmd|' /C calc'!A0"

static void add_visit(struct session *s, int kernel, int pair, double value)
{
	struct session_visit *v = session_add_visit(s);
	struct session_step *step;
	struct session_sample *sample;

	v->number = (int)s->n_visits;
	v->kernel = kernel;
	v->pair = pair;
	v->result = VISIT_OK;
	v->dir = session_str(s, "visits/" NASTY);
	v->release = s->kernels[kernel].release;
	step = session_add_step(s);
	step->visit = (int)s->n_visits - 1;
	step->kind = session_str(s, "fio");
	step->workload = s->metrics[0].workload;
	step->status = STEP_OK;
	step->command = session_str(s, "fio ```` " NASTY);
	sample = session_add_sample(s);
	sample->step = (int)s->n_steps - 1;
	sample->metric = s->metrics[0].metric;
	sample->value = value;
}

static void add_names(struct session *s)
{
	s->name = session_str(s, "20261130-150000-nasty-ffffff");
	s->started_ms = 1796050800000;
	s->state = SESSION_ENDED;
	s->result = session_str(s, "enough");
	s->user = s->host = s->rig_version = s->model = s->serial = session_str(s, NASTY);
	s->suite = s->board = s->notes = s->profile = session_str(s, NASTY);
	s->pairs_fixed = 4;
	for (int k = 0; k < 2; k++) {
		struct session_kernel *kernel = session_add_kernel(s);

		kernel->label = session_str(s, k ? FORMULA : NASTY);
		kernel->series = kernel->variant = session_str(s, NASTY);
		kernel->id = session_str(s, k ? "00000000000000a1" : "00000000000000a0");
		kernel->release = kernel->cmdline = kernel->compiler = session_str(s, NASTY);
		kernel->arch = session_str(s, NASTY);
	}
}

/* A session no name of which is harmless. */
static struct session *nasty_session(void)
{
	struct session *s = session_new();
	struct session_metric *m;
	struct session_finding *f;
	struct session_fault *fault;
	struct session_anomaly *a;

	add_names(s);
	m = session_add_metric(s);
	m->workload = session_str(s, "read/" NASTY);
	m->metric = m->unit = session_str(s, FORMULA);
	m->direction = DIRECTION_HIGHER;
	m->primary = true;
	m->min_effect = 0.02;
	m->loss = 0.05;
	for (int pair = 1; pair <= 4; pair++)
		for (int k = 0; k < 2; k++)
			add_visit(s, k, pair, 1000 + 100 * k + pair);
	f = session_add_finding(s);
	f->visit = 1;
	f->kind = f->title = f->severity = f->guilty = f->trace = session_str(s, NASTY);
	fault = session_add_fault(s);
	fault->visit = 1;
	fault->blame = BLAME_BOARD;
	fault->code = fault->message = session_str(s, NASTY);
	a = session_add_anomaly(s);
	a->severity = SEVERITY_ERROR;
	a->rule = a->place = a->subject = a->printed = session_str(s, NASTY);
	a->expected = a->message = session_str(s, NASTY);
	return s;
}

static char *nasty_report(const char *format)
{
	struct session *s = nasty_session();
	struct gate_set *set = gate_judge(s);
	struct report *r = report_new(s, set);
	const struct report_options options = { .origin = NULL };
	struct buf out = BUF_INIT;

	report_find(format, NULL)->session(r, &options, &out);
	report_free(r);
	gate_set_free(set);
	session_free(s);
	return buf_detach(&out);
}

static void nasty_names(void **state)
{
	(void)state;
	for (const struct report_ops *const *ops = report_formats; *ops; ops++) {
		char *path = xasprintf("rig/tests/golden/report-nasty.%s", (*ops)->extension);

		if (*ops != report_formats[0])
			compare_file(path, nasty_report((*ops)->name));
		free(path);
	}
}

/* No tag, no raw control character, no broken UTF-8 comes through. */
static void nasty_markup(void **state)
{
	static const char *const formats[] = { "html", "junit" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *text = nasty_report(formats[i]);

		assert_null(strstr(text, "<b on"));
		assert_null(strchr(text, 0x1b));
		assert_null(strchr(text, 0xff));
		assert_null(strstr(text, "\xed\xa0"));
		assert_non_null(
			strstr(text, "&lt;b onclick=&quot;x(&#39;y&#39;)&quot;&gt;&amp;amp;"));
		free(text);
	}
}

static void check_escape(void (*escape)(struct buf *out, const char *text), const char *text,
			 const char *want)
{
	struct buf out = BUF_INIT;

	escape(&out, text);
	assert_string_equal(buf_str(&out), want);
	buf_release(&out);
}

static void escapes(void **state)
{
	(void)state;
	check_escape(escape_csv, "plain text", "plain text");
	check_escape(escape_csv, "a,b", "\"a,b\"");
	check_escape(escape_csv, "say \"x\"\n", "\"say \"\"x\"\"\n\"");
	check_escape(escape_csv, "=1+1", "\"'=1+1\"");
	check_escape(escape_csv, "-1", "\"'-1\"");
	check_escape(escape_csv, "@x", "\"'@x\"");
	check_escape(escape_csv, "1-1", "1-1");
	check_escape(escape_xml_attribute, "a\nb\t\"", "a&#10;b&#9;&quot;");
	check_escape(escape_xml, "a\nb\x01", "a\nb\xef\xbf\xbd");
	check_escape(escape_utf8, "\xc3\xa4\xc0\xaf\xf5x\xe2\x82",
		     "\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd"
		     "\xef\xbf\xbdx\xef\xbf\xbd"
		     "\xef\xbf\xbd");
	check_escape(escape_markdown, "a|b<c>*d*", "a\\|b&lt;c>\\*d\\*");
	check_escape(escape_markdown, "- x", "\\- x");
	check_escape(escape_markdown, "original#2", "original\\#2");
}

/* ---- the table of formats ---- */

static void formats(void **state)
{
	struct err err = ERR_INIT;
	struct report_options bad = { .origin = "My CI" };
	struct buf manual = BUF_INIT;

	(void)state;
	assert_int_equal(path_read("rig/man/rig-report.5.scd", &manual, 1 << 20), 0);
	for (const struct report_ops *const *ops = report_formats; *ops; ops++) {
		char *file = xasprintf("x/report.%s", (*ops)->extension);
		char *entry = xasprintf("\n*%s* (%s)\n", (*ops)->name, (*ops)->extension);

		assert_non_null(strstr(buf_str(&manual), entry));
		free(entry);

		assert_ptr_equal(report_find((*ops)->name, &err), *ops);
		assert_ptr_equal(report_find_by_file(file), *ops);
		assert_non_null((*ops)->session);
		assert_non_null(strchr((*ops)->mime, '/'));
		free(file);
	}
	buf_release(&manual);
	assert_null(report_find_by_file("x.json/report"));
	assert_null(report_find_by_file("json"));
	assert_null(report_find("jsno", &err));
	assert_non_null(strstr(err.message, "did you mean 'json'?"));
	assert_int_equal(report_check_options(&bad, &err), -1);
	assert_non_null(strstr(err.message, "My CI"));
}

/* --all: every sample, and no number twice. */
static void csv_all(void **state)
{
	struct session *s = nasty_session();
	struct gate_set *set = gate_judge(s);
	struct report *r = report_new(s, set);
	const struct report_options all = { .all = true };
	struct session_sample *more = session_add_sample(s);
	struct buf out = BUF_INIT;

	(void)state;
	more->step = (int)s->n_steps - 1;
	more->metric = session_str(s, "unnamed");
	more->value = 0.1;
	report_find("csv", NULL)->session(r, &all, &out);
	assert_non_null(strstr(buf_str(&out), ",unnamed,,none,no,"));
	assert_non_null(strstr(buf_str(&out), ",yes,0.1\n"));
	buf_release(&out);
	report_free(r);
	gate_set_free(set);
	session_free(s);
}

/* ---- plots ---- */

/* Many points get small marks below the level, but for the one that is pointed at. */
static void many_points(void **state)
{
	struct plot_point points[700] = { 0 };
	struct plot_level level = { 0, 1, 5, 1, "" };
	struct plot_time p = {
		.title = "t",
		.description = "d",
		.scale = 1,
		.points = points,
		.n_points = 70,
		.levels = &level,
		.n_levels = 1,
	};
	struct buf few = BUF_INIT;
	struct buf many = BUF_INIT;

	(void)state;
	for (int i = 0; i < 700; i++)
		points[i] = (struct plot_point){ i / 700.0, i % 9, 0, false, i == 9, "night" };
	plot_time(&few, &p);
	p.n_points = 700;
	plot_time(&many, &p);
	assert_null(strstr(buf_str(&few), "dense"));
	assert_null(strstr(buf_str(&few), "#d0"));
	assert_true(strstr(buf_str(&few), "class=\"level") < strstr(buf_str(&few), "#m0"));
	assert_non_null(strstr(buf_str(&many), "class=\"area dense\""));
	assert_true(strstr(buf_str(&many), "class=\"level") > strstr(buf_str(&many), "#d0"));
	assert_non_null(
		strstr(buf_str(&many), "mark s0 ring\"><title>night</title><use href=\"#m0"));
	buf_release(&few);
	buf_release(&many);
}

static void axes(void **state)
{
	struct plot_axis a = plot_axis_fit(-31, 3, 6);

	(void)state;
	assert_true(a.step == 10 && a.decimals == 0);
	assert_true(plot_at(&a, -31) == 0 && plot_at(&a, 3) == 100 && plot_at(&a, 99) == 100);
	a = plot_axis_fit(0.01, 0.02, 5);
	assert_true(a.decimals == 3);
	/* one value, or values in the wrong order, give an axis all the same */
	a = plot_axis_fit(7, 7, 5);
	assert_true(a.lo < 7 && a.hi > 7 && a.step > 0);
	a = plot_axis_fit(0, 0, 5);
	assert_true(a.lo < 0 && a.hi > 0 && a.step > 0);
	a = plot_axis_fit(5, -5, 5);
	assert_true(a.lo == -5 && a.hi == 5);
}

static void percents(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	plot_put_percent(&out, -0.1234, 1);
	plot_put_percent(&out, 0.02, 0);
	plot_put_percent(&out, -0.0001, 1);
	plot_put_percent(&out, 1e300, 0);
	assert_string_equal(buf_str(&out), "\u221212.3\u00a0%+2\u00a0%0.0\u00a0%+999\u00a0%");
	buf_release(&out);
}

/* Sixty nights, 5 % less from the fortieth on: the chart says which. */
static struct history *made_history(void)
{
	const struct history_series series = { .board = "b",
					       .suite = "s",
					       .profile = "",
					       .workload = "read/<1>",
					       .metric = "read.iops",
					       .unit = "IOPS",
					       .direction = DIRECTION_HIGHER,
					       .primary = true };
	struct history *h = history_new(&series, NULL);
	uint64_t seed = 11;

	for (int i = 0; i < 60; i++) {
		char hash[20];
		char release[24];
		struct history_point p = { .started_ms = 1790000000000 + i * 86400000LL,
					   .session = i == 50 ? "this" : "other",
					   .tree = 0,
					   .label = "next",
					   .hash = hash,
					   .release = release,
					   .series = "nightly",
					   .variant = "next",
					   .serial = "1",
					   .result = "complete",
					   .verdict = "NONE",
					   .n = 5,
					   .mean = (i < 40 ? 1000 : 950) *
						   (1 + 0.005 * fixture_gauss(&seed)),
					   .sd = 5 };

		snprintf(hash, sizeof(hash), "%016x", i + 1);
		snprintf(release, sizeof(release), "6.16-rc<%d>", i);
		history_add(h, &p);
	}
	history_analyse(h);
	return h;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void history_chart(void **state)
{
	struct history *h = made_history();
	struct buf out = BUF_INIT;

	(void)state;
	report_html_history(h, "this", &out);
	assert_int_equal(count(buf_str(&out), "class=\"mark "), 60);
	assert_int_equal(count(buf_str(&out), " ring\""), 1);
	assert_int_equal(count(buf_str(&out), "<line class=\"event\""), 1);
	assert_int_equal(count(buf_str(&out), "<line class=\"level "), 2);
	assert_non_null(strstr(buf_str(&out), "first in <code>6.16-rc&lt;40&gt;</code>, after"
					      " <code>6.16-rc&lt;39&gt;</code>"));
	assert_null(strstr(buf_str(&out), "rc<"));
	buf_release(&out);
	history_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_candidates), cmocka_unit_test(undecided),
		cmocka_unit_test(kernel_fault),	  cmocka_unit_test(job_lost),
		cmocka_unit_test(wide),		  cmocka_unit_test(nothing_yet),
		cmocka_unit_test(wrap),		  cmocka_unit_test(nasty_names),
		cmocka_unit_test(nasty_markup),	  cmocka_unit_test(escapes),
		cmocka_unit_test(axes),		  cmocka_unit_test(percents),
		cmocka_unit_test(history_chart),  cmocka_unit_test(formats),
		cmocka_unit_test(csv_all),	  cmocka_unit_test(many_points),
	};

	return cmocka_run_group_tests(tests, fixture_make_tmp, fixture_remove_tmp);
}
