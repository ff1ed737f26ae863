// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab file (lab.h): boards, defaults, every message with its place, the example, the manual. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/path.h"
#include "board/board.h"
#include "board/lab-wired.h"
#include "conf/suppress.h"

/* A family of boards with a key of its own. */
struct family {
	struct conf_pos pos;
	const char *slot;
};

static const struct conf_key family_rows[] = {
	{ .name = "slot", .type = CONF_STR, .offset = offsetof(struct family, slot), .help = "x" },
};

static const struct conf_table family_table = { "family", family_rows, 1, sizeof(struct family) };

static const struct lab_keys family_keys = { &family_table, lab_wired_needs_usb, NULL };

static const struct lab_type types[] = {
	{ "virt-ufs", &lab_virt_keys, &lab_virt_ufs_keys, true },
	{ "plain", NULL, NULL, false },
	{ "wired", &lab_wired_keys, &family_keys, false },
};

static struct lab *parse(const char *text, struct err *err)
{
	return lab_parse("lab.yaml", text, strlen(text), types, ARRAY_LEN(types), err);
}

static void test_builtin(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = lab_builtin(types, ARRAY_LEN(types));
	const struct lab_board *b = lab_board(lab, 0);
	const struct lab_virt *v = b->own;
	const struct lab_virt_ufs *ufs = b->more;

	(void)state;
	assert_string_equal(lab_source(lab), "built-in lab");
	assert_null(lab_board(lab, 1));
	assert_string_equal(b->name, "virt-ufs");
	assert_string_equal(b->type, "virt-ufs");
	assert_string_equal(b->model, "virt-ufs");
	assert_string_equal(b->serial, "virt-ufs");
	assert_int_equal(b->boot_timeout_s, 60);
	assert_int_equal(v->cpus, 1);
	assert_int_equal(v->accel, LAB_ACCEL_TCG);
	assert_int_equal(ufs->backing, LAB_BACKING_NULL);
	assert_null(v->qemu);
	assert_ptr_equal(lab_find(lab, "virt-ufs", &err), b);
	assert_null(lab_find(lab, "virt-usf", &err));
	assert_string_equal(err.message,
			    "built-in lab: no board \"virt-usf\"; known are virt-ufs; did "
			    "you mean \"virt-ufs\"?");
	assert_int_equal(err_exit_code(&err), EXIT_USAGE);
	lab_free(lab);
}

static void test_setup(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = parse("boards:\n"
				"- {name: a, type: virt-ufs, cpus: 4, mcq: true, backing: file,"
				" qemu_args: -d int, note: x}\n"
				"- {type: plain, name: b, model: M 1, serial: s9}\n",
				&err);
	char *a = lab_board_setup(lab_board(lab, 0));
	char *b = lab_board_setup(lab_board(lab, 1));

	(void)state;
	assert_string_equal(a, "type=virt-ufs\ncpus=4\nmemory_mb=512\naccel=tcg\n"
			       "qemu_args=-d int\nufs_mb=256\nluns=1\nmcq=true\nbacking=file\n");
	assert_string_equal(b, "type=plain\n");
	free(a);
	free(b);
	lab_free(lab);
}

static void test_setup_wired(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = parse("boards:\n"
				"- name: a\n"
				"  type: wired\n"
				"  usb: 1-1.2\n"
				"  console: {program: nc, args: [-U, x]}\n"
				"  power: {by: gpio, chip: c, line: l}\n"
				"  slot: b\n",
				&err);
	char *a = lab ? lab_board_setup(lab_board(lab, 0)) : NULL;

	(void)state;
	assert_string_equal(err.message, "");
	assert_string_equal(a, "type=wired\nusb=1-1.2\nconsole.baud=0\nconsole.program=nc\n"
			       "console.args=-U x\npower.by=gpio\npower.chip=c\npower.line=l\n"
			       "power.active_low=false\npower.off_ms=1000\nslot=b\n");
	free(a);
	lab_free(lab);
}

static void test_agent(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab =
		parse("boards:\n"
		      "- {name: a, type: plain, agent: {start: shell, login: root, by: adb}}\n"
		      "- {name: b, type: plain}\n",
		      &err);
	const struct lab_agent *a, *b;
	char *setup = lab ? lab_board_setup(lab_board(lab, 0)) : NULL;

	(void)state;
	assert_string_equal(err.message, "");
	a = &lab_board(lab, 0)->agent;
	b = &lab_board(lab, 1)->agent;
	assert_int_equal(a->start, LAB_AGENT_SHELL);
	assert_int_equal(a->by, LAB_AGENT_BY_ADB);
	assert_string_equal(a->login, "root");
	assert_null(a->password);
	assert_string_equal(a->dir, "/tmp");
	assert_int_equal(b->start, LAB_AGENT_INIT);
	assert_string_equal(b->dir, "/tmp");
	assert_string_equal(setup, "type=plain\nagent.start=shell\n");
	free(setup);
	lab_free(lab);
	assert_null(parse("boards:\n- {name: a, type: plain, agent: {start: shel}}\n", &err));
	assert_non_null(strstr(err.message, "lab.yaml:2"));
}

static void test_boards(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = parse("boards:\n"
				"- {name: a, type: virt-ufs, cpus: 4, mcq: true, backing: file}\n"
				"- {type: plain, name: b, model: M 1, serial: s9}\n",
				&err);
	const struct lab_board *b;
	const struct lab_virt *v;
	const struct lab_virt_ufs *ufs;

	(void)state;
	assert_non_null(lab);
	b = lab_find(lab, "a", &err);
	v = b->own;
	ufs = b->more;
	assert_int_equal(v->cpus, 4);
	assert_true(ufs->mcq);
	assert_int_equal(ufs->backing, LAB_BACKING_FILE);
	assert_int_equal(v->memory_mb, 512);
	b = lab_find(lab, "b", &err);
	assert_null(b->own);
	assert_string_equal(b->model, "M 1");
	assert_string_equal(b->serial, "s9");
	assert_ptr_equal(b->row, &types[1]);
	assert_ptr_equal(lab_board(lab, 1), b);
	lab_free(lab);
}

static void test_wired(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = parse("boards:\n"
				"- {name: a, type: wired, usb: 1-1.2, slot: b, console: {at: "
				"\"usb:1-1.3:1.0\", baud: 3000000}, power: {by: hub, port: 1-2}}\n"
				"- {name: b, type: wired, usb: 1-1.4, console: {at: /dev/ttyS0}, "
				"vbus: {by: hub, port: 1-1.4}}\n",
				&err);
	const struct lab_wired *w;

	(void)state;
	assert_string_equal(err.message, "");
	w = lab_board(lab, 0)->own;
	assert_string_equal(w->usb, "1-1.2");
	assert_string_equal(lab_console_text(&w->console), "usb:1-1.3:1.0");
	assert_int_equal(w->console.baud, 3000000);
	assert_int_equal(w->power.by, POWER_HUB);
	assert_int_equal(w->vbus.by, POWER_NONE);
	assert_string_equal(((struct family *)lab_board(lab, 0)->more)->slot, "b");
	w = lab_board(lab, 1)->own;
	assert_int_equal(w->console.baud, 0);
	assert_string_equal(w->vbus.port, "1-1.4");
	assert_null(((struct family *)lab_board(lab, 1)->more)->slot);
	lab_free(lab);
}

#define WIRED(keys) "boards:\n- {name: a, type: wired, " keys "}\n"

static const struct {
	const char *text, *message;
} complaints[] = {
	{ "board: []\n",
	  "lab.yaml:1:1: unknown key \"board\" in lab file; did you mean \"boards\"?" },
	{ "{}\n", "lab.yaml:1:1: lab file has no \"boards\"" },
	{ "boards: []\n", "lab.yaml:1:9: boards of lab file has 0 elements, allowed are 1 to 200" },
	{ "boards:\n- name: a\n", "lab.yaml:2:3: board has no \"type\"" },
	{ "boards:\n- {type: virt-ufs}\n", "lab.yaml:2:3: board has no \"name\"" },
	{ "boards:\n- {name: a, type: virt-usf}\n",
	  "lab.yaml:2:19: unknown board type \"virt-usf\"; known are virt-ufs, plain, wired; did you mean "
	  "\"virt-ufs\"?" },
	{ "boards:\n- {name: a, type: plain, cpus: 2}\n",
	  "lab.yaml:2:26: unknown key \"cpus\" in board" },
	{ "boards:\n- {name: a, type: virt-ufs, cpu: 2}\n",
	  "lab.yaml:2:29: unknown key \"cpu\" in board; did you mean \"cpus\"?" },
	{ "boards:\n- {name: a, type: virt-ufs, cpus: 65}\n",
	  "lab.yaml:2:35: cpus of board: 65 is out of range (1 to 64)" },
	{ "boards:\n- {name: a, type: virt-ufs, accel: kmv}\n",
	  "lab.yaml:2:36: accel of board must be one of tcg, kvm, not \"kmv\"; did you mean "
	  "\"kvm\"?" },
	{ "boards:\n- {name: a/b, type: plain}\n",
	  "lab.yaml:2:3: board name \"a/b\": letters, digits, '.', '_' and '-' only, beginning with "
	  "a letter or digit" },
	{ "boards:\n- {name: a, type: plain}\n- {name: a, type: plain}\n",
	  "lab.yaml:3:3: board \"a\" is given twice, first in line 2" },
	{ "boards:\n- {name: a, type: plain, serial: x}\n- {name: b, type: plain, serial: x}\n",
	  "lab.yaml:3:3: boards \"a\" and \"b\" have the same serial \"x\"" },
	{ WIRED("usb: 1-1"), "lab.yaml:2:3: board \"a\" has no \"console\"" },
	{ WIRED("usb: 1-1, console: {baud: 9600}"),
	  "lab.yaml:2:45: console: give either \"at\" or \"program\"" },
	{ WIRED("usb: 1-1, console: {at: /dev/x, program: y}"),
	  "lab.yaml:2:45: console: give either \"at\" or \"program\"" },
	{ WIRED("usb: 1-1, console: {at: /dev/x, args: y}"),
	  "lab.yaml:2:64: console: \"args\" are those of a \"program\"" },
	{ WIRED("usb: 1-1, console: {program: x, baud: 9600}"),
	  "lab.yaml:2:45: console: a program has no \"baud\"" },
	{ WIRED("usb: 1-1, console: {at: /dev/ttyUSB0}"),
	  "lab.yaml:2:45: console at \"/dev/ttyUSB0\": that number changes at every replug; give "
	  "\"usb:PORT\" or /dev/serial/by-path/..." },
	{ WIRED("usb: 1-1, console: {at: ttyS0}"),
	  "lab.yaml:2:45: console at \"ttyS0\": it is a path, or usb:PORT as usb:1-1.3 or "
	  "usb:1-1.3:1.0" },
	{ WIRED("usb: 1-1, console: {at: 'usb:1-1:0'}"),
	  "lab.yaml:2:45: console at \"usb:1-1:0\": it is a path, or usb:PORT as usb:1-1.3 or "
	  "usb:1-1.3:1.0" },
	{ WIRED("usb: 1-1, console: {at: /dev/x, baud: 9600000}"),
	  "lab.yaml:2:64: baud of console: 9600000 is out of range (300 to 4000000 Bd)" },
	{ WIRED("console: {at: /dev/x}"),
	  "lab.yaml:2:3: board \"a\" of type \"wired\" has no \"usb\"" },
	{ WIRED("usb: 1.1, console: {at: /dev/x}"),
	  "lab.yaml:2:3: usb \"1.1\" is no USB port: bus, dash, ports with dots between them, as "
	  "1-1.2" },
	{ WIRED("usb: 1-1, console: {at: /dev/x}, vbus: {by: hub, port: 1.1}"),
	  "lab.yaml:2:65: vbus: port \"1.1\" is no USB port: bus, dash, ports with dots between "
	  "them, as 1-1.2" },
	{ WIRED("usb: 1-1, console: {at: /dev/x}, power: {by: gpio, chip: c}"),
	  "lab.yaml:2:66: \"by: gpio\" needs \"line\"" },
	{ WIRED("usb: 1-1, console: {at: /dev/x}") "- {name: b, type: wired, usb: 1-2, console: "
						   "{at: /dev/x}}\n",
	  "lab.yaml:3:3: board \"b\" has the same console as \"a\" in line 2: /dev/x" },
	{ WIRED("usb: 1-1, console: {at: /dev/x}") "- {name: b, type: wired, usb: 1-1, console: "
						   "{at: /dev/y}}\n",
	  "lab.yaml:3:3: board \"b\" has the same usb port as \"a\" in line 2: 1-1" },
	{ WIRED("usb: 1-1, console: {at: /dev/x}, power: {by: gpio, chip: c, line: l}") "- {name: b, type: wired, usb: 1-2, console: {at: /dev/y}, vbus: {by: gpio, "
											"chip: c, line: l, active_low: true}}\n",
	  "lab.yaml:3:3: board \"b\" has the same supply as \"a\" in line 2: gpio c/l" },
};

static void test_complaints(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
		struct err err = ERR_INIT;

		assert_null(parse(complaints[i].text, &err));
		assert_string_equal(err.message, complaints[i].message);
		assert_int_equal(err_exit_code(&err), EXIT_USAGE);
	}
}

static bool is_warning(const char *word)
{
	return !strcmp(word, "warning");
}

static void test_suppressions(void **state)
{
	static const struct {
		const char *row, *message;
	} cases[] = {
		{ "{ title: a*, kind: warning, until: 2027-03-31, reason: r }", "" },
		{ "{ title: a*, until: 2027-02-29, reason: r }",
		  "lab:2:25: \"until\" is a day like 2027-03-31, not \"2027-02-29\"" },
		{ "{ title: a*, until: 2027-3-31, reason: r }",
		  "lab:2:25: \"until\" is a day like 2027-03-31, not \"2027-3-31\"" },
		{ "{ title: a*, kind: oop, until: 2027-03-31, reason: r }",
		  "lab:2:24: unknown kind \"oop\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT;
		char *text = xasprintf(
			"suppressions:\n  - %s\nboards:\n  - { name: a, type: virt-ufs }\n",
			cases[i].row);
		struct lab *lab =
			lab_parse("lab", text, strlen(text), types, ARRAY_LEN(types), &err);
		const struct conf_list *rows;

		assert_string_equal(lab ? "" : err.message, "");
		rows = lab_suppressions(lab);
		assert_int_equal(rows->n, 1);
		assert_string_equal(((struct suppress_row *)rows->items)->title, "a*");
		assert_int_equal(suppress_check(lab_conf(lab), rows, is_warning, &err),
				 *cases[i].message ? -1 : 0);
		assert_string_equal(err.message, cases[i].message);
		lab_free(lab);
		free(text);
	}
}

static void test_files(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab;

	(void)state;
	assert_null(lab_load("/nonexistent/lab.yaml", types, ARRAY_LEN(types), &err));
	assert_string_equal(err.message, "/nonexistent/lab.yaml: No such file or directory");
	setenv("RIG_HOME", "/nonexistent", 1);
	lab = lab_load(NULL, types, ARRAY_LEN(types), &err);
	assert_string_equal(lab_source(lab), "built-in lab");
	lab_free(lab);
}

static void test_example(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = lab_load("rig/board/lab.example.yaml", types, ARRAY_LEN(types), &err);
	struct lab *builtin = lab_builtin(types, ARRAY_LEN(types));
	const struct lab_virt *v, *d = lab_board(builtin, 0)->own;
	const struct lab_virt_ufs *ufs, *d_ufs = lab_board(builtin, 0)->more;

	(void)state;
	assert_string_equal(lab ? "" : err.message, "");
	v = lab_find(lab, "virt-ufs", &err)->own;
	ufs = lab_find(lab, "virt-ufs", &err)->more;
	/* It claims to write out the defaults. */
	assert_int_equal(v->cpus, d->cpus);
	assert_int_equal(v->memory_mb, d->memory_mb);
	assert_int_equal(ufs->ufs_mb, d_ufs->ufs_mb);
	assert_int_equal(v->accel, d->accel);
	assert_int_equal(ufs->backing, d_ufs->backing);
	assert_int_equal(lab_board(lab, 0)->boot_timeout_s, lab_board(builtin, 0)->boot_timeout_s);
	lab_free(lab);
	lab_free(builtin);
}

/* What the manual says of a key, and what lab_board_setup() can write. */
static void check_table(const struct conf_table *table, const char *manual)
{
	for (size_t i = 0; i < table->n_keys; i++) {
		const struct conf_key *key = &table->keys[i];
		char *entry = xasprintf("\n*%s*", key->name);

		if (!strstr(manual, entry))
			fail_msg("rig-lab.5.scd has no entry for %s", entry + 1);
		assert_non_null(key->help);
		free(entry);
		if (key->type == CONF_MAP)
			check_table(key->sub, manual);
	}
}

static void check_keys(const struct lab_keys *keys, const char *manual)
{
	if (!keys)
		return;
	for (size_t i = 0; i < keys->table->n_keys; i++) {
		enum conf_type type = keys->table->keys[i].type;

		assert_true(type != CONF_NODES && type != CONF_LIST && type != CONF_PAIRS &&
			    type != CONF_TEXT);
	}
	check_table(keys->table, manual);
}

static void test_manual(void **state)
{
	struct buf text = BUF_INIT;
	const struct board_row *row;

	(void)state;
	assert_int_equal(path_read("rig/man/rig-lab.5.scd", &text, 1 << 20), 0);
	for (size_t t = 0; lab_tables[t]; t++)
		check_table(lab_tables[t], text.data);
	check_keys(&lab_wired_keys, text.data);
	for (size_t i = 0; (row = board_row(i)); i++) {
		check_keys(row->keys, text.data);
		check_keys(row->more, text.data);
	}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),	    cmocka_unit_test(test_boards),
		cmocka_unit_test(test_agent),	    cmocka_unit_test(test_setup),
		cmocka_unit_test(test_complaints),  cmocka_unit_test(test_suppressions),
		cmocka_unit_test(test_files),	    cmocka_unit_test(test_example),
		cmocka_unit_test(test_manual),	    cmocka_unit_test(test_wired),
		cmocka_unit_test(test_setup_wired),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
