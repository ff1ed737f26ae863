// SPDX-License-Identifier: GPL-2.0-or-later
/* The key=value text of wire messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "agents/kv.h"

static void round_trip(void **state)
{
	static const char *const values[] = { "",	    "plain",	      "a=b",
					      "line\nline", "back\\slash\\n", "\\",
					      "\n\n",	    "ends with \\" };
	struct kv_list list;
	struct kv kv = { 0 };
	const char *value;
	size_t at = 0, i = 0;

	(void)state;
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		kv_add(&kv, "arg", values[i]);
	kv_add_u64(&kv, "big", UINT64_MAX);
	kv_add_i64(&kv, "small", INT64_MIN);
	kv_body(&kv, "body\0\n=", 7);
	assert_int_equal(kv.err, 0);
	assert_int_equal(kv_parse(&list, kv.data, kv.size), 0);
	for (i = 0; (value = kv_next(&list, "arg", &at)); i++)
		assert_string_equal(value, values[i]);
	assert_int_equal(i, sizeof(values) / sizeof(values[0]));
	assert_int_equal(kv.size - list.body, 7);
	assert_memory_equal(kv.data + list.body, "body\0\n=", 7);
	assert_string_equal(kv_get(&list, "big", ""), "18446744073709551615");
	kv_list_release(&list);
	kv_release(&kv);
}

static const struct bad_text {
	const char *text;
	size_t size;
} bad_texts[] = {
	{ "novalue\n", 8 }, { "=empty key\n", 11 }, { "K=upper\n", 8 },	 { "a=b\\x\n", 6 },
	{ "a=b\\", 4 },	    { "a=\0b\n", 5 },	    { "a=1\nbad\n", 8 }, { "a b=1\n", 6 },
};

static void damaged(void **state)
{
	struct kv_list list;
	struct kv kv = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad_texts) / sizeof(bad_texts[0]); i++) {
		assert_int_equal(kv_parse(&list, bad_texts[i].text, bad_texts[i].size), -EINVAL);
		kv_list_release(&list);
	}
	kv_add(&kv, "Bad", "1");
	kv_add(&kv, "good", "1");
	assert_int_equal(kv.err, -EINVAL);
	kv_release(&kv);
}

static void edges(void **state)
{
	struct kv_list list;

	(void)state;
	assert_int_equal(kv_parse(&list, "", 0), 0);
	assert_int_equal(list.count, 0);
	kv_list_release(&list);
	assert_int_equal(kv_parse(&list, "\nbody", 5), 0);
	assert_int_equal(list.body, 1);
	kv_list_release(&list);
	assert_int_equal(kv_parse(&list, "a=1", 3), 0);
	assert_int_equal(list.body, 3);
	assert_string_equal(kv_get(&list, "a", ""), "1");
	assert_null(kv_get(&list, "b", NULL));
	kv_list_release(&list);
}

static void numbers(void **state)
{
	static const char text[] =
		"a=12\nneg=-3\nbad=1x\nempty=\nhuge=99999999999999999999\nsign=+1\n";
	struct kv_list list;
	uint64_t u = 7;
	int64_t i = 7;

	(void)state;
	assert_int_equal(kv_parse(&list, text, sizeof(text) - 1), 0);
	assert_int_equal(kv_get_u64(&list, "none", &u), -ENOENT);
	assert_int_equal(kv_get_u64(&list, "neg", &u), -EINVAL);
	assert_int_equal(kv_get_u64(&list, "bad", &u), -EINVAL);
	assert_int_equal(kv_get_u64(&list, "empty", &u), -EINVAL);
	assert_int_equal(kv_get_u64(&list, "sign", &u), -EINVAL);
	assert_int_equal(kv_get_u64(&list, "huge", &u), -ERANGE);
	assert_int_equal(kv_get_i64(&list, "empty", &i), -EINVAL);
	assert_int_equal(kv_get_i64(&list, "huge", &i), -ERANGE);
	assert_int_equal(u, 7);
	assert_int_equal(i, 7);
	assert_int_equal(kv_get_u64(&list, "a", &u), 0);
	assert_int_equal(kv_get_i64(&list, "neg", &i), 0);
	assert_int_equal(u, 12);
	assert_int_equal(i, -3);
	kv_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(damaged),
		cmocka_unit_test(edges),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
