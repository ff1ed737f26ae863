// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/import against files that are broken, absurd or meant to harm: one change to a good run
 * directory a row. Either the import is refused as a whole, and the store keeps what it had of the
 * session; or the step is failed, with the reason, and has no numbers at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store-admin.h"
#include "results/store.h"

#define NAME "20261130-100000-hostile-000001"
#define STEP "visits/002-original/steps/02-randread_1" /* the first that counts */

static struct fixture good(void)
{
	struct fixture f = fixture_usual();

	f.pairs = 1;
	fixture_make(&f, fixture_tmp, NAME);
	return f;
}

/* ---- ways to spoil a file ---- */

static void write_text(const char *path, const char *text)
{
	assert_int_equal(path_write(path, text, strlen(text)), 0);
}

static void cut_off(const char *path, const char *unused)
{
	struct stat sb;

	(void)unused;
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(truncate(path, sb.st_size / 2), 0);
}

/* 100 MB without a newline; a hole takes no room on the disk. */
static void grow_100mb(const char *path, const char *unused)
{
	(void)unused;
	assert_int_equal(truncate(path, 100 << 20), 0);
}

static void line_100mb(const char *path, const char *unused)
{
	FILE *f;

	grow_100mb(path, unused);
	f = fopen(path, "ae");
	fputc('\n', f);
	fclose(f);
}

/* With a number in place of '#'. */
static void many_lines(const char *path, const char *line)
{
	FILE *f = fopen(path, "we");
	int at = (int)strcspn(line, "#");

	for (int i = 0; i < 200000; i++)
		fprintf(f, "%.*s%d%s", at, line, i, line[at] ? line + at + 1 : "");
	fclose(f);
}

static void link_to(const char *path, const char *target)
{
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static void pipe_instead(const char *path, const char *unused)
{
	(void)unused;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void directory_instead(const char *path, const char *unused)
{
	(void)unused;
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
}

/* The first occurrence of "OLD|NEW". */
static void replace(const char *path, const char *change)
{
	char *old = xstrdup(change);
	char *new = strchr(old, '|');
	struct buf text = BUF_INIT;
	struct buf changed = BUF_INIT;
	char *at;

	*new ++ = '\0';
	assert_int_equal(path_read(path, &text, 1 << 20), 0);
	at = strstr(buf_str(&text), old);
	if (!at)
		fail_msg("no '%s' in %s", old, path);
	buf_append(&changed, buf_str(&text), (size_t)(at - buf_str(&text)));
	buf_adds(&changed, new);
	buf_adds(&changed, at + strlen(old));
	assert_int_equal(path_write(path, changed.data, changed.size), 0);
	buf_release(&text);
	buf_release(&changed);
	free(old);
}

struct spoil {
	const char *file;
	void (*how)(const char *path, const char *text);
	const char *text;
	const char *words; /* in the message */
};

static void spoil(const struct fixture *f, const struct spoil *row)
{
	char *path = path_join(f->dir, row->file);

	row->how(path, row->text);
	free(path);
}

/* ---- refused as a whole ---- */

static const struct spoil refusals[] = {
	{ "session.json", cut_off, NULL, "session.json: line" },
	{ "session.json", write_text, "", "session.json: line 1" },
	{ "session.json", write_text, "\xef\xbb\xbf{}", "session.json: line 1" },
	{ "session.json", grow_100mb, NULL, "session.json: larger than 16 MB" },
	{ "session.json", link_to, "/etc/passwd", "leads out of the run directory" },
	{ "session.json", link_to, "session.json", "Too many levels" },
	{ "session.json", pipe_instead, NULL, "session.json: cannot be read" },
	{ "session.json", directory_instead, NULL, "session.json: cannot be read" },
	{ "session.json", replace, "\"seed\": 7|\"seed\": 7, \"seed\": 8", "duplicate" },
	{ "session.json", replace, "\"seed\": 7|\"seed\": 1e308", "'seed' is not an integer" },
	{ "session.json", replace, "\"seed\": 7|\"seed\": 99999999999999999999", "too big" },
	{ "session.json", replace, "\"seed\": 7|\"seed\": NaN", "session.json: line" },
	{ "session.json", replace, "\"user\": \"me\"|\"user\": \"\xff\xfe\"", "decode byte" },
	{ "session.json", replace, "\"user\": \"me\"|\"user\": \"a\\u0000b\"", "NUL" },
	{ "session.json", replace, "\"loss\": 0.05|\"loss\": 1e999", "overflow" },
	{ "session.json", replace, "\"loss\": 0.05|\"loss\": 0,05", "session.json: line" },
	{ "session.json", replace, "\"loss\": 0.05|\"loss\": -0.05", "'loss' = -0.05" },
	{ "session.json", replace, "\"loss\": 0.05|\"loss\": \"5%\"", "'loss' is not a number" },
	{ "session.json", replace, "\"higher\"|\"up\\u001b[2J\"", "direction 'up?[2J'" },
	{ "session.json", replace, "\"session\": \"2026|\"session\": \"/2026", "no session name" },
	{ "session.json", replace, "\"session\": \"2026|\"session\": \"..%2f2026",
	  "no session name" },
	{ "events.jsonl", line_100mb, NULL, ": line of 104" },
	{ "events.jsonl", replace, "visit-end|visit-end\xff", "decode byte" },
	{ "events.jsonl", replace, "\"pair\": 1|\"pair\": -1", "'pair' = -1" },
	{ "events.jsonl", replace, "\"pair\": 1|\"pair\": 4294967297", "'pair' = 4294967297" },
	{ "events.jsonl", replace, "\"exit\": 0|\"exit\": 9223372036854775807", "'exit' =" },
	{ "events.jsonl", replace, "2026-11-30T15|2026-13-30T15", "'t' is not a time" },
	{ "events.jsonl", replace, "2026-11-30T15|30.11.2026 15", "'t' is not a time" },
	{ "events.jsonl", replace, "\"dir\": \"visits/|\"dir\": \"visits/../../",
	  "'dir' leads out" },
	{ "events.jsonl", replace, "\"dir\": \"visits/|\"dir\": \"/proc/self/visits/",
	  "'dir' leads out" },
	{ "events.jsonl", link_to, "/proc/kmsg", "leads out of the run directory" },
	{ "events.jsonl", pipe_instead, NULL, "events.jsonl: cannot be read" },
	{ "events.jsonl", many_lines,
	  "{\"t\": \"2026-11-30T15:00:00Z\", \"ev\": \"visit-start\", \"visit\": #, \"kernel\": 0}\n",
	  "'visit' = 20001" },
};

static size_t n_samples(struct store *st)
{
	struct session *s = store_get_session(st, NAME, NULL);
	size_t n = s ? s->n_samples : 0;

	session_free(s);
	return n;
}

static void print_problem(void *ctx, const char *text)
{
	(void)ctx;
	print_message("%s\n", text);
}

static void refused(struct store *st, const struct spoil *row)
{
	struct fixture f = good();
	struct err err = ERR_INIT;
	size_t before;

	assert_int_equal(import_run(st, f.dir, NULL, NULL), 0);
	before = n_samples(st);
	spoil(&f, row);
	if (import_run(st, f.dir, NULL, &err) == 0)
		fail_msg("imported: %s %s", row->file, row->text);
	if (strcmp(err.code, "bad-run") || !strstr(err.message, row->words))
		fail_msg("%s %s: %s, wanted '%s'", row->file, row->text, err.message, row->words);
	assert_null(strpbrk(err.message, "\033\a\b"));
	assert_true(before > 0);
	assert_int_equal(n_samples(st), before);
	path_remove(f.dir);
	fixture_release(&f);
}

static void refused_whole(void **state)
{
	struct store *st = fixture_store();

	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		refused(st, &refusals[i]);
	assert_int_equal(store_verify(st, print_problem, NULL, NULL), 0);
	store_close(st);
}

/* ---- the step fails ---- */

#define METRIC(value) "{\"name\": \"x\", \"value\": " value "}\n"

static const struct spoil failures[] = {
	{ STEP "/fio.json", cut_off, NULL, "fio.json: " },
	{ STEP "/fio.json", write_text, "", "fio.json: " },
	{ STEP "/fio.json", write_text, "fio: io engine not found\n", "io engine not found" },
	{ STEP "/fio.json", grow_100mb, NULL, "fio.json: " },
	{ STEP "/fio.json", link_to, "/etc/shadow", "fio.json: cannot be read" },
	{ STEP "/fio.json", pipe_instead, NULL, "fio.json: cannot be read" },
	{ STEP "/fio.json", directory_instead, NULL, "fio.json: cannot be read" },
	{ STEP "/fio.json", replace, "\"ctx\" : 4711|\"ctx\" : NaN", "fio.json: " },
	{ STEP "/fio.json", replace, "\"ctx\" : 4711|\"ctx\" : nan", "fio.json: " },
	{ STEP "/fio.json", replace, "\"ctx\" : 4711|\"ctx\" : 1e999", "fio.json: " },
	{ STEP "/fio.json", replace, "\"sys_cpu\" : 14.5|\"sys_cpu\" : 14,5", "fio.json: " },
	{ STEP "/fio.json", replace, "\"iops\" : |\"iops\" : 1e308, \"x\" : ", "1e+308" },
	{ STEP "/fio.json", replace, "\"iops\" : |\"iops\" : -5, \"x\" : ", "-5" },
	{ STEP "/fio.json", replace, "\"jobname\" : \"x\"|\"jobname\" : \"\xc3\x28\"",
	  "decode byte" },
	{ STEP "/metrics.jsonl", write_text, METRIC("NaN"), "metrics.jsonl: line 1" },
	{ STEP "/metrics.jsonl", write_text, METRIC("1") METRIC("1e308"), "metrics.jsonl: line 2" },
	{ STEP "/metrics.jsonl", write_text, METRIC("1e999"), "metrics.jsonl: line 1" },
	{ STEP "/metrics.jsonl", write_text, METRIC("1,5"), "metrics.jsonl: line 1" },
	{ STEP "/metrics.jsonl", write_text, METRIC("\"1\""), "no usable value" },
	{ STEP "/metrics.jsonl", write_text, METRIC("null"), "no usable value" },
	{ STEP "/metrics.jsonl", write_text, METRIC("1") METRIC("2"),
	  "line 2: no name, or one twice" },
	{ STEP "/metrics.jsonl", write_text, METRIC("1, \"value\": 2"), "duplicate" },
	{ STEP "/metrics.jsonl", write_text, "{\"name\": \"a b\", \"value\": 1}",
	  "line 1: no name" },
	{ STEP "/metrics.jsonl", write_text, "{\"name\": \"\xff\", \"value\": 1}", "decode byte" },
	{ STEP "/metrics.jsonl", many_lines, "{\"name\": \"x#\", \"value\": 1}\n",
	  "more than 10000" },
	{ STEP "/metrics.jsonl", many_lines, "#", "metrics.jsonl: line 1" },
	{ STEP, directory_instead, NULL, "fio.json: missing" },
};

/* A directory is not unlinked: emptied by renaming. */
static void spoil_step(const struct fixture *f, const struct spoil *row)
{
	char *step = path_join(f->dir, STEP);

	if (!strcmp(row->file, STEP))
		path_remove(step);
	spoil(f, row);
	free(step);
}

static void failed_step(struct store *st, const struct spoil *row)
{
	struct fixture f = good();
	struct session *s = NULL;
	struct err err = ERR_INIT;
	int step;

	spoil_step(&f, row);
	if (import_run(st, f.dir, &s, &err) < 0)
		fail_msg("%s %s: %s", row->file, row->text, err.message);
	step = session_find_step(s, session_find_visit(s, 2), "randread/1");
	assert_true(step >= 0);
	if (s->steps[step].status != STEP_FAILED || !strstr(s->steps[step].message, row->words))
		fail_msg("%s %s: %s '%s', wanted '%s'", row->file, row->text,
			 step_status_name(s->steps[step].status), s->steps[step].message,
			 row->words);
	assert_null(strpbrk(s->steps[step].message, "\033\a\b"));
	for (size_t i = 0; i < s->n_samples; i++)
		assert_int_not_equal(s->samples[i].step, step);
	/* the others have their numbers */
	assert_true(s->n_samples > 0);
	session_free(s);
	path_remove(f.dir);
	fixture_release(&f);
}

static void steps_fail(void **state)
{
	struct store *st = fixture_store();

	(void)state;
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		failed_step(st, &failures[i]);
	assert_int_equal(store_verify(st, print_problem, NULL, NULL), 0);
	store_close(st);
}

/* ---- a step directory that is a link ---- */

static void step_dir_is_link(void **state)
{
	struct store *st = fixture_store();
	struct fixture f = good();
	struct session *s = NULL;
	char *step = path_join(f.dir, STEP);
	char *outside = path_join(fixture_tmp, "outside");

	(void)state;
	/* the same files, but outside: whoever made the link may not have been allowed to read them
	 */
	assert_int_equal(rename(step, outside), 0);
	assert_int_equal(symlink(outside, step), 0);
	assert_int_equal(import_run(st, f.dir, &s, NULL), 0);
	assert_int_equal(
		s->steps[session_find_step(s, session_find_visit(s, 2), "randread/1")].status,
		STEP_FAILED);
	session_free(s);
	store_close(st);
	fixture_release(&f);
	free(step);
	free(outside);
}

/* ---- the caller's locale ---- */

static void decimal_comma(void **state)
{
	static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
					       "de_DE" };
	struct store *st = fixture_store();
	struct fixture f = good();
	size_t i = 0;
	double value = 0;
	struct session *s = NULL;

	(void)state;
	while (i < 4 && !setlocale(LC_ALL, locales[i]))
		i++;
	if (i == 4)
		print_message("no locale with a decimal comma is installed here\n");
	assert_int_equal(import_run(st, f.dir, &s, NULL), 0);
	assert_int_equal(session_value(s,
				       session_find_step(s, session_find_visit(s, 2), "randread/1"),
				       "sys_cpu", &value),
			 0);
	setlocale(LC_ALL, "C");
	assert_true(value == 14.5);
	session_free(s);
	store_close(st);
	fixture_release(&f);
	if (i == 4)
		skip();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_make_tmp, fixture_remove_tmp)
	const struct CMUnitTest tests[] = {
		TEST(refused_whole),
		TEST(steps_fail),
		TEST(step_dir_is_link),
		TEST(decimal_comma),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
