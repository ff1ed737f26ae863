// SPDX-License-Identifier: GPL-2.0-or-later
/* Supplies of real boards: their keys, and switching by programs and shared control devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/power.h"

#define LONG_MS 20000

struct root {
	struct conf_pos pos;
	struct lab_power power;
};

static const struct conf_key root_keys[] = {
	{ .name = "power",
	  .type = CONF_MAP,
	  .offset = offsetof(struct root, power),
	  .sub = &lab_power_table,
	  .help = "." },
};

static const struct conf_table root_table = { "test", root_keys, 1, sizeof(struct root) };

static char *home;

static int set_up(void **state)
{
	char name[] = "/tmp/rig-power-XXXXXX";

	(void)state;
	home = xstrdup(mkdtemp(name));
	setenv("RIG_HOME", home, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(home);
	free(home);
	return 0;
}

/* NULL with *err when the text is wrong. */
static struct conf *parse(const char *text, struct root *root, struct err *err)
{
	struct conf *c = conf_parse("lab.yaml", text, strlen(text), err);
	struct conf_part part = { &root_table, root };

	if (c && !conf_decode(c, NULL, &part, 1, err) && !power_check(c, &root->power, err))
		return c;
	conf_free(c);
	return NULL;
}

static void wrong_keys_are_named(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "power: {by: relay}", "relay" },
		{ "power: {by: gpio, chip: a}", "\"by: gpio\" needs \"line\"" },
		{ "power: {by: gpio, chip: a, line: b, port: 1-1}", "takes no \"port\"" },
		{ "power: {by: hub}", "\"by: hub\" needs \"port\"" },
		{ "power: {by: pdudaemon, url: 'http://x', unit: u}", "needs \"outlet\"" },
		{ "power: {by: external}", "needs \"program\"" },
		{ "power: {port: 1-1}", "\"by: none\" takes no \"port\"" },
		{ "power: {by: hub, prot: 1-1}", "prot" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err err = ERR_INIT;
		struct root root = { .pos = { 0, 0 } };

		assert_null(parse(rows[i].text, &root, &err));
		assert_non_null(strstr(err.message, rows[i].message));
		assert_non_null(strstr(err.message, "lab.yaml:1:"));
		assert_int_equal(err.blame, BLAME_USER);
	}
}

static void texts(void **state)
{
	static const struct {
		const char *yaml, *text;
	} rows[] = {
		{ "power: {by: gpio, chip: relays, line: b3}", "gpio relays/b3" },
		{ "power: {by: hub, port: 1-1.2}", "hub port 1-1.2" },
		{ "power: {by: pdudaemon, url: 'http://pdu:16421', unit: u, outlet: 4}",
		  "u outlet 4 at http://pdu:16421" },
		{ "power: {by: external, program: /bin/p}", "/bin/p" },
		{ "{}", "nothing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err err = ERR_INIT;
		struct root root = { .pos = { 0, 0 } };
		struct conf *c = parse(rows[i].yaml, &root, &err);
		char text[100];

		assert_non_null(c);
		assert_string_equal(power_text(&root.power, text, sizeof(text)), rows[i].text);
		conf_free(c);
	}
}

/* A program of that text in $RIG_HOME, and the supply that it switches. */
static struct conf *external(const char *text, const char *more, struct root *root)
{
	char *path = path_join(home, "switch");
	char *all = xasprintf("#!/bin/sh\n%s\n", text);
	char *yaml = xasprintf("power: {by: external, program: %s, off_ms: 0%s}", path, more);
	struct err err = ERR_INIT;
	struct conf *c;

	assert_int_equal(path_write(path, all, strlen(all)), 0);
	assert_int_equal(chmod(path, 0755), 0);
	c = parse(yaml, root, &err);
	assert_non_null(c);
	free(path);
	free(all);
	free(yaml);
	return c;
}

static char *calls(void)
{
	char *path = path_join(home, "calls");
	struct buf text = BUF_INIT;

	assert_int_equal(path_read(path, &text, 4096), 0);
	free(path);
	return buf_detach(&text);
}

static void a_program_switches(void **state)
{
	struct err err = ERR_INIT;
	struct power *p = NULL;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = external("echo \"$*\" >>$RIG_HOME/calls", ", args: [-p, x y]", &root);
	char *said;

	(void)state;
	assert_int_equal(power_open(&p, &root.power, "b1", "power", &err), 0);
	assert_int_equal(power_set(p, true, deadline_in(LONG_MS), &err), 0);
	assert_int_equal(power_set(p, false, deadline_in(LONG_MS), &err), 0);
	power_close(p);
	said = calls();
	assert_string_equal(said, "-p x y on\n-p x y off\n");
	free(said);
	conf_free(c);
}

static void a_program_that_fails_is_quoted(void **state)
{
	struct err err = ERR_INIT;
	struct power *p = NULL;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = external("echo 'relay 3: stuck' >&2; exit 2", "", &root);

	(void)state;
	assert_int_equal(power_open(&p, &root.power, "b1", "vbus", &err), 0);
	assert_int_equal(power_set(p, true, deadline_in(LONG_MS), &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	assert_string_equal(err.code, "power");
	assert_non_null(strstr(err.message, "b1: vbus: cannot switch on"));
	assert_non_null(strstr(err.message, "relay 3: stuck"));
	power_close(p);
	conf_free(c);
}

static void a_program_that_hangs_ends_at_the_deadline(void **state)
{
	struct err err = ERR_INIT;
	struct power *p = NULL;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = external("sleep 100", "", &root);

	(void)state;
	assert_int_equal(power_open(&p, &root.power, "b1", "power", &err), 0);
	assert_int_equal(power_set(p, true, deadline_in(300), &err), -1);
	assert_non_null(strstr(err.message, "timed out"));
	power_close(p);
	conf_free(c);
}

/* Another board's job is at the same relay box. */
static void a_shared_device_is_waited_for(void **state)
{
	struct err err = ERR_INIT;
	struct power *p = NULL;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = external("echo \"$*\" >>$RIG_HOME/calls", "", &root);
	char *name = xasprintf("%s/control/program-%s/switch.lock", home, home);
	char *dir = path_join(home, "control");
	int fd;

	(void)state;
	for (char *s = name + strlen(dir) + 1; *s; s++)
		if (*s == '/')
			*s = '-';
	path_mkdirs(dir);
	fd = path_lock(name);
	assert_true(fd >= 0);
	assert_int_equal(power_open(&p, &root.power, "b1", "power", &err), 0);
	assert_int_equal(power_set(p, true, deadline_in(200), &err), -1);
	assert_non_null(strstr(err.message, "cannot get hold of"));
	close(fd);
	assert_int_equal(power_set(p, true, deadline_in(LONG_MS), &err), 0);
	power_close(p);
	conf_free(c);
	free(name);
	free(dir);
}

static void nothing_to_switch(void **state)
{
	struct err err = ERR_INIT;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = parse("{}", &root, &err);
	struct power *p = (struct power *)&root;

	(void)state;
	assert_non_null(c);
	assert_int_equal(power_open(&p, &root.power, "b1", "vbus", &err), 0);
	assert_null(p);
	assert_int_equal(power_set(p, true, deadline_in(0), &err), 0);
	power_close(p);
	conf_free(c);
}

/* A board is made safe by the same calls that a stop request ends elsewhere. */
static void a_deferred_stop_ends_nothing(void **state)
{
	struct err err = ERR_INIT;
	struct power *p = NULL;
	struct root root = { .pos = { 0, 0 } };
	struct conf *c = external("sleep 0.2; echo \"$*\" >>$RIG_HOME/calls", "", &root);
	char *said;

	(void)state;
	stop_install();
	raise(SIGTERM);
	assert_int_equal(power_open(&p, &root.power, "b1", "power", &err), 0);
	assert_int_equal(power_set(p, true, deadline_in(LONG_MS), &err), -1);
	stop_defer();
	assert_int_equal(power_set(p, false, deadline_in(LONG_MS), &err), 0);
	stop_resume();
	assert_true(stop_requested());
	stop_clear();
	said = calls();
	assert_non_null(strstr(said, "off\n"));
	free(said);
	power_close(p);
	conf_free(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wrong_keys_are_named),
		TEST(texts),
		TEST(a_program_switches),
		TEST(a_program_that_fails_is_quoted),
		TEST(a_program_that_hangs_ends_at_the_deadline),
		TEST(a_shared_device_is_waited_for),
		TEST(nothing_to_switch),
		TEST(a_deferred_stop_ends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
