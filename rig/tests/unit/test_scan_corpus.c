// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The splat detector over the corpus of real logs ($RIG_SHARED/corpus, skipped when absent):
 * prints what is found, missed and false, and how often kind and guilty file are right, and holds
 * the rates. What is right is what the projects say that the logs come from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "base/buf.h"
#include "base/path.h"
#include "scan/klog.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define FILE_MAX   ((size_t)1 << 24)
#define BIT(kind)  (1u << (kind))
#define FIELDS_MAX 16

struct corpus {
	char *dir;
	struct buf manifest;
	char *at;		 /* the next row */
	char *field[FIELDS_MAX]; /* of the present row */
};

enum { FIELD_FILE = 0, FIELD_KIND = 1, FIELD_FACTS = 11 };

/* A field of a CSV file, in place; NULL at the end of the row. */
static char *next_field(char **at, bool *last)
{
	char *begin = *at, *out = begin;
	bool quoted = false;

	for (; *begin && (quoted || (*begin != ',' && *begin != '\n')); begin++) {
		if (*begin != '"')
			*out++ = *begin;
		else if (quoted && begin[1] == '"')
			*out++ = *begin++;
		else
			quoted = !quoted;
	}
	*last = *begin != ',';
	begin += *begin != '\0';
	if (out > *at && out[-1] == '\r')
		out--;
	*out = '\0';
	out = *at;
	*at = begin;
	return out;
}

static bool next_row(struct corpus *c)
{
	bool last = !*c->at;

	memset(c->field, 0, sizeof(c->field));
	for (size_t i = 0; !last; i++) {
		char *field = next_field(&c->at, &last);

		if (i < FIELDS_MAX)
			c->field[i] = field;
	}
	return c->field[FIELD_FACTS] != NULL || (*c->at && next_row(c));
}

static bool corpus_open(struct corpus *c)
{
	const char *shared = getenv("RIG_SHARED") ? getenv("RIG_SHARED") : "../shared";
	char *path = xasprintf("%s/corpus/MANIFEST.csv", shared);
	int rc;

	memset(c, 0, sizeof(*c));
	c->dir = xasprintf("%s/corpus", shared);
	rc = path_read(path, &c->manifest, FILE_MAX);
	free(path);
	if (rc) {
		print_message("no corpus in RIG_SHARED\n");
		free(c->dir);
		return false;
	}
	c->at = c->manifest.data;
	return true;
}

static void corpus_close(struct corpus *c)
{
	free(c->dir);
	buf_release(&c->manifest);
}

/* The first finding that is no device notice. */
struct first {
	bool found;
	struct klog_finding f;
};

static void keep(void *ctx, const struct klog_finding *f)
{
	struct first *first = ctx;

	if (f->severity == KLOG_NOTICE || first->found)
		return;
	first->found = true;
	first->f = *f;
}

static struct first scan(const struct corpus *c, size_t offset)
{
	struct first first = { .found = false };
	char *path = path_join(c->dir, c->field[FIELD_FILE]);
	struct klog *k = klog_new(keep, &first);
	struct buf text = BUF_INIT;

	klog_allow_reboots(k);
	assert_int_equal(path_read(path, &text, FILE_MAX), 0);
	assert_true(offset <= text.size);
	for (size_t i = offset; i < text.size; i += 4096)
		klog_feed(k, text.data + i, text.size - i < 4096 ? text.size - i : 4096);
	klog_finish(k);
	klog_free(k);
	buf_release(&text);
	free(path);
	return first;
}

/* Which of our kinds a type of syzkaller may be; the first row that its type begins with. */
static const struct {
	const char *type;
	unsigned int kinds;
} types[] = {
	{ "KASAN", BIT(KLOG_KASAN) },
	{ "KMSAN", BIT(KLOG_KMSAN) },
	{ "KCSAN", BIT(KLOG_KCSAN) },
	{ "KFENCE", BIT(KLOG_KFENCE) },
	{ "UBSAN", BIT(KLOG_UBSAN) },
	{ "MEMORY_SAFETY_UBSAN", BIT(KLOG_UBSAN) },
	{ "MEMORY_SAFETY_BUG", BIT(KLOG_OOPS) | BIT(KLOG_GPF) | BIT(KLOG_LIST) },
	{ "NULL-POINTER", BIT(KLOG_OOPS) },
	{ "HANG", BIT(KLOG_RCU) | BIT(KLOG_LOCKUP) | BIT(KLOG_HUNG) },
	{ "LOCKDEP", BIT(KLOG_LOCKDEP) },
	{ "ATOMIC_SLEEP", BIT(KLOG_ATOMIC) },
	{ "LEAK", BIT(KLOG_LEAK) },
	{ "REFCOUNT", BIT(KLOG_REFCOUNT) },
	{ "REBOOT", BIT(KLOG_REBOOT) },
	/* theirs are wide: some bugs of locking and counters count as a warning or as this */
	{ "WARNING", BIT(KLOG_WARNING) | BIT(KLOG_REFCOUNT) | BIT(KLOG_LOCKDEP) | BIT(KLOG_LIST) },
	{ "BUG", BIT(KLOG_BUG) | BIT(KLOG_OOPS) | BIT(KLOG_MEMORY) | BIT(KLOG_ATOMIC) },
	{ "DoS", BIT(KLOG_PANIC) | BIT(KLOG_OOPS) | BIT(KLOG_GPF) | BIT(KLOG_BUG) |
			 BIT(KLOG_WARNING) | BIT(KLOG_REFCOUNT) | BIT(KLOG_LOCKDEP) },
};

static unsigned int kinds_of(const char *type)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (!strncmp(type, types[i].type, strlen(types[i].type)))
			return types[i].kinds;
	return 0;
}

static const char *fact(const json_t *facts, const char *key)
{
	const char *value = json_string_value(json_object_get(facts, key));

	return value ? value : "";
}

struct rates {
	unsigned int crashes, found, clean, false_found;
	unsigned int typed, kind_right, blamed, guilty_right;
};

static void judge(struct rates *r, const json_t *facts, const struct first *first)
{
	unsigned int kinds = kinds_of(fact(facts, "type"));

	if (strcmp(fact(facts, "expect"), "crash") != 0) {
		r->clean++;
		r->false_found += first->found;
		return;
	}
	r->crashes++;
	r->found += first->found;
	if (!first->found)
		return;
	if (kinds) {
		r->typed++;
		r->kind_right += (kinds >> first->f.kind) & 1;
	}
	if (json_object_get(facts, "file")) {
		r->blamed++;
		r->guilty_right += !strcmp(first->f.guilty, fact(facts, "file"));
	}
}

static void test_crashes(void **state)
{
	struct rates r = { 0 };
	struct corpus c;

	(void)state;
	if (!corpus_open(&c))
		skip();
	while (next_row(&c)) {
		json_t *facts;
		struct first first;

		if (strncmp(c.field[FIELD_FILE], "kernel-crash/syzkaller-", 23) != 0)
			continue;
		facts = json_loads(c.field[FIELD_FACTS], 0, NULL);
		assert_non_null(facts);
		first = scan(&c, (size_t)json_integer_value(json_object_get(facts, "log_offset")));
		judge(&r, facts, &first);
		json_decref(facts);
	}
	corpus_close(&c);
	print_message("crash reports: %u of %u found, %u false in %u clean files; kind right in "
		      "%u of %u, guilty file in %u of %u\n",
		      r.found, r.crashes, r.false_found, r.clean, r.kind_right, r.typed,
		      r.guilty_right, r.blamed);
	assert_true(r.crashes > 500 && r.clean > 20 && r.typed > 400 && r.blamed > 40);
	assert_int_equal(r.false_found, 0);
	/* measured: 99.3 %, 99.6 % and 86 % */
	assert_true(r.found * 1000 >= r.crashes * 990);
	assert_true(r.kind_right * 1000 >= r.typed * 985);
	assert_true(r.guilty_right * 100 >= r.blamed * 83);
}

/* A boot log in which no tool has seen a splat has none; the header of a report is none either. */
static bool is_clean(const struct corpus *c, const json_t *facts)
{
	static const char *const signs[] = { "panics",	 "oops",     "bug",
					     "warnings", "cut_here", "call_trace" };
	const char *kind = c->field[FIELD_KIND];

	if (!strcmp(fact(facts, "expect"), "no-crash"))
		return true;
	if (strcmp(kind, "serial-boot") != 0 && strcmp(kind, "kernel-log") != 0)
		return false;
	for (size_t i = 0; i < COUNT(signs); i++)
		if (json_object_get(facts, signs[i]))
			return false;
	return true;
}

static void test_clean(void **state)
{
	unsigned int clean = 0, false_found = 0;
	struct corpus c;

	(void)state;
	if (!corpus_open(&c))
		skip();
	while (next_row(&c)) {
		json_t *facts = json_loads(c.field[FIELD_FACTS], 0, NULL);

		if (facts && is_clean(&c, facts)) {
			struct first first = scan(&c, 0);

			clean++;
			false_found += first.found;
			if (first.found)
				print_message("false: %s: %s\n", c.field[FIELD_FILE],
					      first.f.title);
		}
		json_decref(facts);
	}
	corpus_close(&c);
	print_message("clean logs: %u false in %u\n", false_found, clean);
	assert_true(clean > 100);
	assert_int_equal(false_found, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crashes),
		cmocka_unit_test(test_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
