// SPDX-License-Identifier: GPL-2.0-or-later
/* Boards that load over the network (board/netboot.h): models, and what the lab file makes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "board/lab-wired.h"
#include "board/lab.h"
#include "board/loaded.h"
#include "board/netboot.h"
#include "board/served.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define BOARD(keys)                                                                                \
	"boards:\n  - name: s1\n    type: realtek\n    console: {at: /dev/serial/by-path/x}\n" keys

static struct lab *parse(const char *text, struct err *err)
{
	size_t n;
	const struct lab_type *types = board_lab_types(&n);

	return lab_parse("lab.yaml", text, strlen(text), types, n, err);
}

/* Every row of every family: driven whole, or with a reason why not. */
static void test_models(void **state)
{
	const struct board_row *row;
	size_t families = 0;

	(void)state;
	for (size_t i = 0; (row = board_row(i)); i++) {
		const struct netboot_family *f = row->data;

		if (row->more != &lab_netboot_keys)
			continue;
		families++;
		for (const struct netboot_model *m = f->models; m->name; m++) {
			assert_non_null(m->what);
			assert_non_null(m->level);
			for (const struct netboot_model *o = f->models; o < m; o++)
				assert_string_not_equal(o->name, m->name);
			if (m->why_not)
				continue;
			assert_non_null(m->rules.prompt);
			assert_non_null(m->rules.clear);
			assert_non_null(m->load);
			assert_non_null(m->boot);
			assert_true(m->end > m->addr);
		}
	}
	assert_int_equal(families, 2);
}

/* Every model that is driven makes a board; every other one is refused with its reason. */
static void test_every_model_in_a_lab(void **state)
{
	const struct netboot_family *f = board_find("realtek")->data;

	(void)state;
	for (const struct netboot_model *m = f->models; m->name; m++) {
		char *text = xasprintf(BOARD("    model: %s\n"), m->name);
		struct err err = ERR_INIT;
		struct lab *lab = parse(text, &err);

		if (m->why_not) {
			assert_null(lab);
			assert_non_null(strstr(err.message, m->why_not));
		} else if (!lab) {
			fail_msg("%s: %s", m->name, err.message);
		}
		lab_free(lab);
		free(text);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ BOARD(""), "model \"realtek\" is not known" },
		{ BOARD("    model: zyxel-gs1900-9\n"), "did you mean \"zyxel-gs1900-8\"" },
		{ BOARD("    model: zyxel-gs1900-8\n    server: somewhere\n"),
		  "server \"somewhere\" is no IPv4 address" },
		{ BOARD("    model: zyxel-gs1900-8\n    loader: {addr: high}\n"),
		  "addr \"high\" is no address" },
		{ BOARD("    model: zyxel-gs1900-8\n    loader: {load: [\"tftp {adr}\"]}\n"),
		  "placeholder" },
		{ BOARD("    model: zyxel-gs1900-8\n    loader: {answers: [\"secret\"]}\n"),
		  "ASK <- SAY" },
		{ BOARD("    model: new\n    loader: {prompt: \"=>\"}\n"), "gives no \"addr\"" },
		{ BOARD("    model: zyxel-gs1900-8\n    loader: {promptt: \"=>\"}\n"),
		  "did you mean \"prompt\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = ERR_INIT;

		assert_null(parse(cases[i].text, &err));
		assert_int_equal(err.blame, BLAME_USER);
		if (!strstr(err.message, cases[i].message) || !strstr(err.message, "lab.yaml:"))
			fail_msg("%zu: %s", i, err.message);
	}
}

static void test_changes(void **state)
{
	static const char text[] = BOARD(
		"    model: other\n    server: 10.0.0.1\n    loader:\n      prompt: \"SW%#\"\n"
		"      key: \"\\x1b\"\n      clear: \"\\x03\"\n      level: RS-232\n"
		"      status: yes\n      addr: \"0x81000000\"\n      enter_s: 7\n"
		"      answers: [\"Password: <- a -> b\"]\n"
		"      load: [\"tftp {addr} -> Bytes = {size}\", \"check\"]\n"
		"      boot: [\"go {addr}\"]\n");
	struct err err = ERR_INIT;
	struct lab *lab = parse(text, &err);
	struct netboot_model *m;
	char about[200];

	(void)state;
	if (!lab)
		fail_msg("%s", err.message);
	m = netboot_model_new(lab_board(lab, 0), &err);
	assert_non_null(m);
	assert_string_equal(m->rules.prompt, "SW%#");
	assert_string_equal(m->rules.key, "\x1b");
	assert_true(m->rules.status);
	assert_int_equal(m->addr, 0x81000000);
	assert_int_equal(m->enter_ms, 7000);
	assert_string_equal(m->rules.answers[0].ask, "Password:");
	assert_string_equal(m->rules.answers[0].say, "a -> b");
	assert_string_equal(m->load[0].say, "tftp {addr}");
	assert_string_equal(m->load[0].want, "Bytes = {size}");
	assert_int_equal(m->load[0].tries, 2);
	assert_null(m->load[1].want);
	assert_null(m->load[2].say);
	assert_string_equal(m->boot[0].say, "go {addr}");
	assert_string_equal(netboot_server(lab_board(lab, 0)), "10.0.0.1");
	netboot_describe(lab_board(lab, 0), about, sizeof(about));
	assert_string_equal(about, "RS-232; loader at 'SW%#', stopped by Esc");
	netboot_model_free(m);
	lab_free(lab);
}

/* The speed is the model's where the lab file has none. */
static void test_baud(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = parse(BOARD("    model: hasivo-s1100wp-8gt-se\n"), &err);

	(void)state;
	assert_non_null(lab);
	assert_int_equal(((struct lab_wired *)lab_board(lab, 0)->own)->console.baud, 38400);
	lab_free(lab);
}

/* An address of a documentation network, which no host has. */
static void test_late_server(void **state)
{
	struct lab *lab = parse(BOARD("    model: zyxel-gs1900-8\n"), NULL);
	struct served s = { .address = "192.0.2.1" };
	struct err err = ERR_INIT;

	(void)state;
	assert_non_null(lab);
	setenv("RIG_HOME", "/tmp", 1);
	assert_int_equal(board_open(&s.board, lab_board(lab, 0), "test", &err), 0);
	assert_int_equal(served_start(&s, &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	assert_non_null(strstr(err.message, "ip address add 192.0.2.1/24"));
	s.late = true;
	assert_int_equal(served_start(&s, &err), 0);
	assert_int_equal(served_check(&s), 0);
	err_set(&err, BLAME_BOARD, "loader-command", "tftpboot: timeout");
	assert_int_equal(served_failed(&s, &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.message,
			    "no interface of this host had 192.0.2.1 meanwhile: tftpboot: timeout");
	served_stop(&s);
	board_close(s.board);
	lab_free(lab);
}

static void test_loaded(void **state)
{
	struct loaded_file f = { .path = NULL };
	struct err err = ERR_INIT;
	char path[] = "/tmp/rig-loaded-XXXXXX";
	int fd = mkstemp(path);
	char *line;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "123456789", 9), 9);
	close(fd);
	/* the check value of CRC-32/ISO-HDLC */
	assert_int_equal(loaded_file_set(&f, xstrdup(path), &err), 0);
	assert_int_equal(f.size, 9);
	assert_int_equal(f.crc, 0xcbf43926);
	unlink(path);
	assert_int_equal(loaded_file_set(&f, xstrdup(path), &err), -1);
	assert_int_equal(err.blame, BLAME_RIG);
	loaded_file_release(&f);

	line = loaded_cmdline("a", "b=c", &err);
	assert_string_equal(line, "a b=c");
	free(line);
	line = loaded_cmdline("a", NULL, &err);
	assert_string_equal(line, "a");
	free(line);
	assert_null(loaded_cmdline("a", "x=$y", &err));
	assert_int_equal(err.blame, BLAME_USER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models),	    cmocka_unit_test(test_every_model_in_a_lab),
		cmocka_unit_test(test_refusals),    cmocka_unit_test(test_changes),
		cmocka_unit_test(test_baud),	    cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_late_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
