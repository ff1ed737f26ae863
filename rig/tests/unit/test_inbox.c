// SPDX-License-Identifier: GPL-2.0-or-later
/* job: result files put together from the agent's messages. */
#include "agents/kv.h"
#include "agents/wire.h"
#include "job/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static bool take(struct inbox *in, const char *head, const char *body, size_t size)
{
	struct buf message = BUF_INIT;
	bool whole;

	buf_adds(&message, head);
	buf_adds(&message, "\n");
	buf_append(&message, body, size);
	whole = inbox_take(in, buf_str(&message), message.size);
	buf_release(&message);
	return whole;
}

static bool take_part(struct inbox *in, const char *text, size_t offset, size_t size, uint32_t crc)
{
	char head[128];

	snprintf(head, sizeof(head), "name=f\nsize=%zu\noffset=%zu\ncrc32=%08x\n", strlen(text),
		 offset, crc);
	return take(in, head, text + offset, size);
}

/* One CRC in 43 has no letter in its eight hex digits; it was once read as decimal. */
static void digits_only_crc(void **state)
{
	struct inbox in = { .data = BUF_INIT };
	unsigned int seen = 0;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		char text[16], hex[16];
		uint32_t crc;

		snprintf(text, sizeof(text), "file %u", i);
		crc = wire_crc32(0, text, strlen(text));
		snprintf(hex, sizeof(hex), "%08x", crc);
		seen += strspn(hex, "0123456789") == 8;
		assert_true(take_part(&in, text, 0, strlen(text), crc));
		assert_true(inbox_whole(&in));
		assert_string_equal(buf_str(&in.data), text);
	}
	assert_true(seen > 5);
	inbox_release(&in);
}

static void parts_in_order(void **state)
{
	struct inbox in = { .data = BUF_INIT };
	uint32_t crc = wire_crc32(0, "abcdef", 6);

	(void)state;
	assert_false(take_part(&in, "abcdef", 0, 2, crc));
	assert_false(inbox_whole(&in));
	assert_true(take_part(&in, "abcdef", 2, 4, crc));
	assert_true(inbox_whole(&in));
	inbox_release(&in);
}

static void damage_is_kept(void **state)
{
	static const struct {
		const char *head, *body;
	} cases[] = {
		{ "name=f\nsize=3\noffset=0\ncrc32=00000000\n", "abc" }, /* wrong CRC */
		{ "name=f\nsize=3\noffset=0\n", "abc" },		 /* none */
		{ "name=f\nsize=3\noffset=0\ncrc32=352441c\n", "abc" },	 /* too short */
		{ "name=f\nsize=3\noffset=1\ncrc32=352441c2\n", "abc" }, /* begins late */
		{ "name=f\nsize=2\noffset=0\ncrc32=352441c2\n", "abc" }, /* too much */
		{ "name=\nsize=3\noffset=0\ncrc32=352441c2\n", "abc" },	 /* no name */
		{ "name=f\nsize=99999999999\noffset=0\ncrc32=352441c2\n", "abc" },
		{ "garbage", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct inbox in = { .data = BUF_INIT };

		assert_false(take(&in, cases[i].head, cases[i].body, strlen(cases[i].body)));
		assert_false(inbox_whole(&in));
		inbox_reset(&in);
		assert_true(take(&in, "name=f\nsize=3\noffset=0\ncrc32=352441c2\n", "abc", 3));
		assert_true(inbox_whole(&in));
		inbox_release(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_only_crc),
		cmocka_unit_test(parts_in_order),
		cmocka_unit_test(damage_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
