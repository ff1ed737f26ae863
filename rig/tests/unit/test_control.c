// SPDX-License-Identifier: GPL-2.0-or-later
/* The control protocol's lines, and the loop under it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rigd/control.h"
#include "rigd/loop.h"

/* ---- lines ---- */

static int take(struct buf *in, const char *bytes, size_t size, char *op, struct err *err)
{
	json_t *o = NULL;
	int rc;

	buf_append(in, bytes, size);
	*err = (struct err)ERR_INIT;
	rc = control_take(in, &o, err);
	assert_int_equal(rc == 1, o != NULL);
	if (o)
		snprintf(op, 40, "%s", json_string_value(json_object_get(o, "op")));
	json_decref(o);
	return rc;
}

static void whole_and_half_lines(void **state)
{
	static const char text[] = "{\"op\":\"a\"}\n{\"op\":\"b\"}\n{\"op\"";
	struct buf in = BUF_INIT;
	struct err err;
	char op[40];

	(void)state;
	/* byte by byte: nothing before the newline */
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(take(&in, text + i, 1, op, &err), 0);
	assert_int_equal(take(&in, text + 10, sizeof(text) - 1 - 10, op, &err), 1);
	assert_string_equal(op, "a");
	assert_int_equal(take(&in, "", 0, op, &err), 1);
	assert_string_equal(op, "b");
	assert_int_equal(take(&in, "", 0, op, &err), 0);
	assert_int_equal(in.size, 5);
	buf_release(&in);
}

static void what_is_no_request(void **state)
{
	static const struct {
		const char *text;
		size_t size;
	} bad[] = {
		{ "\n", 1 },
		{ "[]\n", 3 },
		{ "null\n", 5 },
		{ "\"op\"\n", 5 },
		{ "{\"op\":\"a\"} x\n", 13 },
		{ "{\"op\":\"a\",\"op\":\"b\"}\n", 20 },
		{ "{\"op\":\"\xff\"}\n", 11 },
		{ "{\"op\":\"a\0b\"}\n", 13 },
		{ "\0\0\0\0\n", 5 },
		{ "GET / HTTP/1.1\r\n", 16 },
	};
	char op[40];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf in = BUF_INIT;
		struct err err;

		assert_int_equal(take(&in, bad[i].text, bad[i].size, op, &err), -1);
		assert_int_equal(err.blame, BLAME_USER);
		assert_string_equal(err.code, "protocol");
		buf_release(&in);
	}
}

static void long_lines(void **state)
{
	char *line = xmalloc(CONTROL_LINE_MAX + 2);
	struct buf in = BUF_INIT;
	struct err err;
	char op[40];

	(void)state;
	memset(line, ' ', CONTROL_LINE_MAX + 2);
	memcpy(line, "{\"op\":\"a\"}", 10);
	/* the longest that may be */
	line[CONTROL_LINE_MAX] = '\n';
	assert_int_equal(take(&in, line, CONTROL_LINE_MAX + 1, op, &err), 1);
	/* one byte more, with and without its end */
	line[CONTROL_LINE_MAX] = ' ';
	assert_int_equal(take(&in, line, CONTROL_LINE_MAX + 1, op, &err), -1);
	buf_reset(&in);
	line[CONTROL_LINE_MAX + 1] = '\n';
	assert_int_equal(take(&in, line, CONTROL_LINE_MAX + 2, op, &err), -1);
	buf_release(&in);
	free(line);
}

static void deep_nesting(void **state)
{
	struct buf in = BUF_INIT;
	struct err err;
	char op[40];

	(void)state;
	buf_adds(&in, "{\"op\":");
	for (int i = 0; i < 30000; i++)
		buf_adds(&in, "[");
	assert_int_equal(take(&in, "\n", 1, op, &err), -1);
	buf_release(&in);
}

static void failures_come_back(void **state)
{
	struct err err = ERR_INIT, back = ERR_INIT;
	json_t *o;

	(void)state;
	err_set(&err, BLAME_BOARD, "board-busy", "it is \"busy\"\n");
	o = control_failure(&err);
	assert_int_equal(control_error(o, &back), -1);
	assert_int_equal(back.blame, BLAME_BOARD);
	assert_string_equal(back.code, "board-busy");
	assert_non_null(strstr(back.message, "it is \"busy\""));
	json_decref(o);
	/* a message that quotes garbage is an answer all the same */
	err_set(&err, BLAME_USER, "x", "\xff\xfe");
	o = control_failure(&err);
	assert_non_null(o);
	assert_int_equal(control_error(o, &back), -1);
	json_decref(o);
	/* an answer that is none */
	o = json_pack("{s:s}", "hello", "world");
	assert_int_equal(control_error(o, &back), -1);
	assert_int_equal(back.blame, BLAME_RIG);
	json_decref(o);
}

/* ---- the loop ---- */

struct seen {
	struct loop *loop;
	struct loop_source *other;
	struct loop_timer *timer;
	int reads, fires, signal;
};

static void drop_other(void *ctx, short revents)
{
	struct seen *s = ctx;

	(void)revents;
	s->reads++;
	loop_unwatch(s->other);
	s->other = NULL;
}

static void must_not_come(void *ctx, short revents)
{
	(void)ctx;
	(void)revents;
	fail_msg("a removed source was called");
}

static void removed_sources_are_silent(void **state)
{
	struct seen s = { .loop = loop_new() };
	int a[2], b[2];

	(void)state;
	assert_int_equal(pipe(a) | pipe(b), 0);
	assert_int_equal(write(a[1], "x", 1) + write(b[1], "x", 1), 2);
	/* both are ready in the same turn; the first removes the second */
	loop_watch(s.loop, a[0], POLLIN, drop_other, &s);
	s.other = loop_watch(s.loop, b[0], POLLIN, must_not_come, &s);
	assert_int_equal(loop_turn(s.loop, deadline_in(1000)), 0);
	assert_int_equal(loop_turn(s.loop, deadline_in(1000)), 0);
	assert_int_equal(s.reads, 2);
	loop_free(s.loop);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

static void count_fire(void *ctx)
{
	struct seen *s = ctx;

	s->fires++;
}

static void drop_itself(void *ctx)
{
	struct seen *s = ctx;

	s->fires++;
	loop_untimer(s->timer);
	loop_stop(s->loop);
}

static void timers_fire_once(void **state)
{
	struct seen s = { .loop = loop_new() };
	struct loop_timer *once = loop_timer(s.loop, count_fire, &s);
	struct loop_timer *off = loop_timer(s.loop, count_fire, &s);

	(void)state;
	loop_arm(once, deadline_in(0));
	loop_arm(off, deadline_in(0));
	loop_arm(off, deadline_never());
	assert_int_equal(loop_turn(s.loop, deadline_in(1000)), 0);
	assert_int_equal(loop_turn(s.loop, deadline_in(0)), 0);
	assert_int_equal(s.fires, 1);
	s.timer = loop_timer(s.loop, drop_itself, &s);
	loop_arm(s.timer, deadline_in(1));
	assert_int_equal(loop_run(s.loop), 0);
	assert_int_equal(s.fires, 2);
	loop_free(s.loop);
}

static void keep_signal(void *ctx, int sig)
{
	struct seen *s = ctx;

	s->signal = sig;
}

static void signals_come_in_the_loop(void **state)
{
	struct seen s = { .loop = loop_new() };
	sigset_t set, now;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert_int_equal(loop_signals(s.loop, &set, keep_signal, &s), 0);
	kill(getpid(), SIGUSR1);
	assert_int_equal(loop_turn(s.loop, deadline_in(1000)), 0);
	assert_int_equal(s.signal, SIGUSR1);
	loop_free(s.loop);
	sigprocmask(SIG_SETMASK, NULL, &now);
	assert_false(sigismember(&now, SIGUSR1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_half_lines),
		cmocka_unit_test(what_is_no_request),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(deep_nesting),
		cmocka_unit_test(failures_come_back),
		cmocka_unit_test(removed_sources_are_silent),
		cmocka_unit_test(timers_fire_once),
		cmocka_unit_test(signals_come_in_the_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
