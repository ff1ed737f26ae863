// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoding YAML by tables (conf.h): values, limits, and every message with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "conf/conf.h"

struct leaf {
	struct conf_pos pos;
	const char *name;
	long weight;
};

struct tree {
	struct conf_pos pos;
	struct conf_text title;
	long age;
	double growth;
	bool green;
	int kind;
	struct conf_texts words;
	struct conf_pairs vars;
	struct leaf top;
	struct conf_list leaves;
	struct conf_list raw;
};

#define AT(s, m) .offset = offsetof(struct s, m)

static const char *const kinds[] = { "null", "oak", "beech", NULL };

static const struct conf_key leaf_keys[] = {
	{ .name = "name", .type = CONF_STR, AT(leaf, name), .required = true, .min = 1, .max = 8 },
	{ .name = "weight",
	  .type = CONF_INT,
	  AT(leaf, weight),
	  .def = "7",
	  .min = 0,
	  .max = 9,
	  .unit = "g" },
};
static const struct conf_table leaf_table = { "leaf", leaf_keys, ARRAY_LEN(leaf_keys),
					      sizeof(struct leaf) };
static const struct conf_key top_keys[] = {
	{ .name = "weight", .type = CONF_INT, AT(leaf, weight), .def = "3" },
};
static const struct conf_table top_table = { "top", top_keys, 1, sizeof(struct leaf) };

static const struct conf_key tree_keys[] = {
	{ .name = "title", .type = CONF_TEXT, AT(tree, title), .def = "none" },
	{ .name = "age", .type = CONF_INT, AT(tree, age), .min = -5, .max = 500 },
	{ .name = "growth", .type = CONF_NUM, AT(tree, growth), .def = "2%", .min = 0, .max = 1 },
	{ .name = "green", .type = CONF_BOOL, AT(tree, green), .def = "true" },
	{ .name = "kind", .type = CONF_ENUM, AT(tree, kind), .def = "oak", .words = kinds },
	{ .name = "words",
	  .type = CONF_TEXTS,
	  AT(tree, words),
	  .def = "a, b c",
	  .min = 0,
	  .max = 4 },
	{ .name = "vars", .type = CONF_PAIRS, AT(tree, vars), .min = 0, .max = 3 },
	{ .name = "top", .type = CONF_MAP, AT(tree, top), .sub = &top_table },
	{ .name = "leaves", .type = CONF_LIST, AT(tree, leaves), .sub = &leaf_table, .max = 3 },
	{ .name = "raw", .type = CONF_NODES, AT(tree, raw) },
};
static const struct conf_table tree_table = { "tree", tree_keys, ARRAY_LEN(tree_keys),
					      sizeof(struct tree) };

/* Decodes text; the document is returned (to be freed) so that t stays valid. */
static struct conf *decode(const char *text, struct tree *t, struct err *err)
{
	struct conf *c = conf_parse("t.yaml", text, strlen(text), err);
	struct conf_part part = { &tree_table, t };

	if (c && conf_decode(c, NULL, &part, 1, err)) {
		conf_free(c);
		return NULL;
	}
	return c;
}

static void test_values(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;
	struct conf *c =
		decode("title: \"x: y\"\nage: -3\ngrowth: 12.5%\ngreen: off\nkind: null\n"
		       "words: [one, 'two 2']\nvars: {b: 1, a: [x, y]}\n"
		       "top: {weight: 4}\nleaves:\n- {name: l1}\n- name: l2\n  weight: 1\n",
		       &t, &err);
	const struct leaf *leaves = t.leaves.items;

	(void)state;
	assert_non_null(c);
	assert_string_equal(t.title.s, "x: y");
	assert_int_equal(t.title.pos.line, 1);
	assert_int_equal(t.title.pos.column, 8);
	assert_int_equal(t.age, -3);
	assert_true(t.growth > 0.1249 && t.growth < 0.1251);
	assert_false(t.green);
	assert_int_equal(t.kind, 0);
	assert_int_equal(t.words.n, 2);
	assert_string_equal(t.words.items[1].s, "two 2");
	assert_int_equal(t.vars.n, 2);
	assert_string_equal(t.vars.items[0].name.s, "b");
	assert_false(t.vars.items[0].is_list);
	assert_true(t.vars.items[1].is_list);
	assert_string_equal(t.vars.items[1].values.items[1].s, "y");
	assert_int_equal(t.top.weight, 4);
	assert_int_equal(t.leaves.n, 2);
	assert_string_equal(leaves[0].name, "l1");
	assert_int_equal(leaves[0].weight, 7);
	assert_int_equal(leaves[1].weight, 1);
	assert_int_equal(leaves[1].pos.line, 11);
	conf_free(c);
}

static void test_defaults(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;
	struct conf *c = decode("{}", &t, &err);

	(void)state;
	assert_non_null(c);
	assert_string_equal(t.title.s, "none");
	assert_int_equal(t.title.pos.line, 0);
	assert_int_equal(t.age, 0);
	assert_true(t.green);
	assert_int_equal(t.kind, 1);
	assert_int_equal(t.words.n, 2);
	assert_string_equal(t.words.items[0].s, "a");
	assert_string_equal(t.words.items[1].s, "b c");
	assert_int_equal(t.top.weight, 3);
	conf_free(c);
}

static void test_anchors(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;
	struct conf *c =
		decode("words: &w [p, q]\nvars: {v: *w}\nleaves: [&l {name: n}, *l]\n", &t, &err);

	(void)state;
	assert_non_null(c);
	assert_string_equal(t.vars.items[0].values.items[1].s, "q");
	assert_int_equal(t.leaves.n, 2);
	conf_free(c);
}

/* What is wrong, and the whole message. */
static const struct {
	const char *text;
	const char *message;
} complaints[] = {
	{ "age: 1\nagee: 2\n", "t.yaml:2:1: unknown key \"agee\" in tree; did you mean \"age\"?" },
	{ "zzzzzz: 2\n", "t.yaml:1:1: unknown key \"zzzzzz\" in tree" },
	{ "leaves:\n  - {name: a, weightt: 2}\n",
	  "t.yaml:2:15: unknown key \"weightt\" in leaf; did you mean \"weight\"?" },
	{ "age: 1\nage: 2\n", "t.yaml:2:1: key \"age\" of tree is given twice, first in line 1" },
	{ "age: old\n", "t.yaml:1:6: age of tree must be a whole number, not \"old\"" },
	{ "age: 12x\n", "t.yaml:1:6: age of tree must be a whole number, not \"12x\"" },
	{ "age: 99999999999999999999\n",
	  "t.yaml:1:6: age of tree must be a whole number, not \"99999999999999999999\"" },
	{ "age: 501\n", "t.yaml:1:6: age of tree: 501 is out of range (-5 to 500)" },
	{ "age: [1]\n", "t.yaml:1:6: age of tree must be a whole number, not a list" },
	{ "age: {a: 1}\n", "t.yaml:1:6: age of tree must be a whole number, not a mapping" },
	{ "age:\n", "t.yaml:1:5: age of tree has no value" },
	{ "title: ~\n", "t.yaml:1:8: title of tree has no value" },
	{ "growth: nan\n",
	  "t.yaml:1:9: growth of tree must be a number or a percentage, not \"nan\"" },
	{ "growth: 101%\n", "t.yaml:1:9: growth of tree: 101% is out of range (0 to 1)" },
	{ "green: maybe\n", "t.yaml:1:8: green of tree must be true or false, not \"maybe\"" },
	{ "kind: beach\n", "t.yaml:1:7: kind of tree must be one of null, oak, beech, not "
			   "\"beach\"; did you mean \"beech\"?" },
	{ "words: [a, b, c, d, e]\n",
	  "t.yaml:1:8: words of tree has 5 elements, allowed are 0 to 4" },
	{ "words: [a, [b]]\n", "t.yaml:1:12: words of tree must be a single value, not a list" },
	{ "words: [a, ]\nvars: {a: {b: 1}}\n",
	  "t.yaml:2:11: vars of tree must be a list or a single "
	  "value, not a mapping" },
	{ "words: [a, ~]\n", "t.yaml:1:12: words of tree has an empty element" },
	{ "vars: {a: 1, a: 2}\n",
	  "t.yaml:1:14: key \"a\" of vars is given twice, first in line 1" },
	{ "vars: {a: }\n", "t.yaml:1:11: \"a\" in vars of tree has no value" },
	{ "vars: [a]\n", "t.yaml:1:7: vars of tree must be a mapping, not a list" },
	{ "top: 5\n", "t.yaml:1:6: top of tree must be a mapping, not a single value" },
	{ "leaves: {name: a}\n", "t.yaml:1:9: leaves of tree must be a list, not a mapping" },
	{ "leaves: [a]\n",
	  "t.yaml:1:10: an element of leaves of tree must be a mapping, not a single value" },
	{ "leaves:\n- weight: 1\n", "t.yaml:2:3: leaf has no \"name\"" },
	{ "leaves:\n- name: toolonganame\n",
	  "t.yaml:2:9: name of leaf has 12 characters, allowed are 1 to 8" },
	{ "leaves:\n- {name: a, weight: 10}\n",
	  "t.yaml:2:21: weight of leaf: 10 is out of range (0 to 9 g)" },
	{ "title: \"a\\0b\"\n", "t.yaml:1:8: title of tree holds a NUL byte" },
	{ "[a]: 1\n", "t.yaml:1:1: a key of tree is a list" },
	{ "a: &x {age: 1}\n<<: *x\n", "t.yaml:2:1: merge keys (<<) are not supported; repeat the "
				      "keys" },
	{ "age: !!int 1\n", "t.yaml:1:6: tags are not supported: tag:yaml.org,2002:int" },
	{ "age: 1\n---\nage: 2\n",
	  "t.yaml:3:1: a second document starts here; one document a file" },
	{ "", "t.yaml:1:1: the file is empty" },
	{ "# only a comment\n", "t.yaml:1:1: the file is empty" },
	{ "- a\n", "t.yaml:1:1: the file must be a mapping, it is a list" },
	{ "age: \"1\n",
	  "t.yaml:2:1: found unexpected end of stream (while scanning a quoted scalar in "
	  "line 1)" },
	{ "a: b: c\n", "t.yaml:1:5: mapping values are not allowed in this context" },
	{ "age: *nowhere\n", "t.yaml:1:6: found undefined alias" },
	{ "title: \xff\n", "t.yaml: byte 7: invalid leading UTF-8 octet" },
};

static void test_complaints(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(complaints); i++) {
		struct err err = ERR_INIT;
		struct tree t;

		assert_null(decode(complaints[i].text, &t, &err));
		assert_string_equal(err.message, complaints[i].message);
		assert_string_equal(err.code, "config");
		assert_int_equal(err_exit_code(&err), EXIT_USAGE);
	}
}

/* Aliases of aliases: 9 levels of 9 would be 387 million strings. */
static void test_alias_bomb(void **state)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	buf_adds(&b, "raw:\n- big: &w [");
	for (int i = 0; i < 1000; i++)
		buf_adds(&b, "x, ");
	buf_adds(&b, "]\n");
	for (int i = 0; i < 200; i++)
		buf_adds(&b, "- big: *w\n");
	assert_non_null(b.data);
	{
		static const struct conf_key keys[] = {
			{ .name = "big", .type = CONF_TEXTS, AT(tree, words) }
		};
		static const struct conf_table table = { "item", keys, 1, sizeof(struct tree) };
		struct conf *c = decode(b.data, &t, &err);
		const struct conf_node *nodes = t.raw.items;
		struct conf_part part = { &table, &t };
		size_t n = t.raw.n, i = 0;

		assert_non_null(c);
		while (i < n && !conf_decode(c, &nodes[i], &part, 1, &err))
			i++;
		assert_in_range(i, 1, 150);
		assert_string_equal(err.message,
				    "t.yaml:2:8: big of item expands to too many values");
		conf_free(c);
	}
	buf_release(&b);
}

/* A mapping that contains itself: decoding ends because tables do. */
static void test_self_reference(void **state)
{
	struct err err = ERR_INIT;
	struct tree t;

	(void)state;
	assert_null(decode("words: &w [*w]\n", &t, &err));
}

static void test_parts(void **state)
{
	struct err err = ERR_INIT;
	const char *text = "raw:\n- {type: x, name: a}\n- {type: x, namme: b}\n";
	struct tree t;
	struct conf *c = decode(text, &t, &err);
	static const struct conf_key type_keys[] = {
		{ .name = "type", .type = CONF_TEXT, AT(tree, title) }
	};
	static const struct conf_table type_table = { "thing", type_keys, 1, sizeof(struct tree) };
	struct tree first;
	struct leaf second;
	struct conf_part parts[2] = { { &type_table, &first }, { &leaf_table, &second } };
	const struct conf_node *nodes = t.raw.items;

	(void)state;
	assert_non_null(c);
	assert_int_equal(t.raw.n, 2);
	assert_string_equal(conf_peek(c, &nodes[0], "type").s, "x");
	assert_null(conf_peek(c, &nodes[0], "colour").s);
	assert_int_equal(conf_decode(c, &nodes[0], parts, 2, &err), 0);
	assert_string_equal(first.title.s, "x");
	assert_string_equal(second.name, "a");
	assert_int_equal(conf_decode(c, &nodes[1], parts, 2, &err), -1);
	assert_string_equal(err.message,
			    "t.yaml:3:13: unknown key \"namme\" in thing; did you mean \"name\"?");
	conf_free(c);
}

static void test_files(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_null(conf_load("/nonexistent/lab.yaml", &err));
	assert_string_equal(err.message, "/nonexistent/lab.yaml: No such file or directory");
	assert_int_equal(err_exit_code(&err), EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),	   cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_anchors),	   cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_alias_bomb), cmocka_unit_test(test_self_reference),
		cmocka_unit_test(test_parts),	   cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
