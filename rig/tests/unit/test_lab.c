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
#include "board/lab.h"
#include "conf/suppress.h"

static const struct lab_type types[] = {
	{ "virt-ufs", &lab_virt_table, true },
	{ "plain", NULL, false },
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
	assert_int_equal(v->backing, LAB_BACKING_NULL);
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
	assert_string_equal(a, "type=virt-ufs\ncpus=4\nmemory_mb=512\naccel=tcg\nufs_mb=256\n"
			       "luns=1\nmcq=true\nbacking=file\nqemu_args=-d int\n");
	assert_string_equal(b, "type=plain\n");
	free(a);
	free(b);
	lab_free(lab);
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

	(void)state;
	assert_non_null(lab);
	v = lab_find(lab, "a", &err)->own;
	assert_int_equal(v->cpus, 4);
	assert_true(v->mcq);
	assert_int_equal(v->backing, LAB_BACKING_FILE);
	assert_int_equal(v->memory_mb, 512);
	b = lab_find(lab, "b", &err);
	assert_null(b->own);
	assert_string_equal(b->model, "M 1");
	assert_string_equal(b->serial, "s9");
	assert_ptr_equal(b->row, &types[1]);
	assert_ptr_equal(lab_board(lab, 1), b);
	lab_free(lab);
}

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
	  "lab.yaml:2:19: unknown board type \"virt-usf\"; known are virt-ufs, plain; did you mean "
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

	(void)state;
	assert_string_equal(lab ? "" : err.message, "");
	v = lab_find(lab, "virt-ufs", &err)->own;
	/* It claims to write out the defaults. */
	assert_int_equal(v->cpus, d->cpus);
	assert_int_equal(v->memory_mb, d->memory_mb);
	assert_int_equal(v->ufs_mb, d->ufs_mb);
	assert_int_equal(v->accel, d->accel);
	assert_int_equal(v->backing, d->backing);
	assert_int_equal(lab_board(lab, 0)->boot_timeout_s, lab_board(builtin, 0)->boot_timeout_s);
	lab_free(lab);
	lab_free(builtin);
}

static void test_manual(void **state)
{
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(path_read("rig/man/rig-lab.5.scd", &text, 1 << 20), 0);
	for (size_t t = 0; lab_tables[t]; t++) {
		for (size_t i = 0; i < lab_tables[t]->n_keys; i++) {
			char *entry = xasprintf("\n*%s*", lab_tables[t]->keys[i].name);

			if (!strstr(text.data, entry))
				fail_msg("rig-lab.5.scd has no entry for %s", entry + 1);
			assert_non_null(lab_tables[t]->keys[i].help);
			free(entry);
		}
	}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),	     cmocka_unit_test(test_boards),
		cmocka_unit_test(test_setup),	     cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_suppressions), cmocka_unit_test(test_files),
		cmocka_unit_test(test_example),	     cmocka_unit_test(test_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
