// SPDX-License-Identifier: GPL-2.0-or-later
/* The io layer on socket pairs: the recorded console, and QMP against a scripted monitor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "io/console.h"
#include "io/record.h"
#include "io/qmp.h"

static void pair_of(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
}

/* --- console ------------------------------------------------------------------------------ */

struct bench {
	struct console *con;
	int far;
	char dir[64];
	char *log;
	char *index;
};

static void open_bench(struct bench *b)
{
	int fds[2];

	pair_of(fds);
	snprintf(b->dir, sizeof(b->dir), "/tmp/rig-io.XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	b->log = path_join(b->dir, "console.log");
	b->index = path_join(b->dir, "console.idx");
	b->con = console_new(fds[0]);
	b->far = fds[1];
	assert_int_equal(console_record(b->con, b->log, b->index), 0);
}

static void close_bench(struct bench *b)
{
	console_free(b->con);
	if (b->far >= 0)
		close(b->far);
	path_remove(b->dir);
	free(b->log);
	free(b->index);
}

static void say(struct bench *b, const char *text)
{
	assert_int_equal(write(b->far, text, strlen(text)), strlen(text));
}

static void console_records(void **state)
{
	struct buf text = BUF_INIT;
	char *end;
	struct bench b;
	char got[64];

	(void)state;
	open_bench(&b);
	assert_int_equal(console_read(b.con, got, sizeof(got)), -EAGAIN);
	say(&b, "one\r\n");
	assert_true(console_wait(b.con, POLLIN, -1, deadline_in(1000)) & POLLIN);
	assert_int_equal(console_read(b.con, got, sizeof(got)), 5);
	poll(NULL, 0, 3 * RECORD_INDEX_MS);
	say(&b, "two\r\n");
	assert_int_equal(console_read(b.con, got, sizeof(got)), 5);
	say(&b, "three\r\n"); /* the same burst: no line of its own in the index */
	assert_int_equal(console_read(b.con, got, sizeof(got)), 7);
	assert_int_equal(console_offset(b.con), 17);

	assert_int_equal(path_read(b.log, &text, 4096), 0);
	assert_string_equal(buf_str(&text), "one\r\ntwo\r\nthree\r\n");
	buf_reset(&text);
	assert_int_equal(path_read(b.index, &text, 4096), 0);
	assert_in_range(strtoull(text.data, &end, 10), 1, mono_ms());
	assert_memory_equal(end, " 0\n", 3);
	assert_in_range(strtoull(end + 3, &end, 10), 1, mono_ms());
	assert_string_equal(end, " 5\n");
	buf_release(&text);
	close_bench(&b);
}

static void console_ends(void **state)
{
	struct bench b;
	char got[8];

	(void)state;
	open_bench(&b);
	say(&b, "last");
	close(b.far);
	b.far = -1;
	assert_int_equal(console_read(b.con, got, sizeof(got)), 4);
	assert_true(console_wait(b.con, POLLIN, -1, deadline_in(1000)) > 0);
	assert_int_equal(console_read(b.con, got, sizeof(got)), -EPIPE);
	close_bench(&b);
}

/* A reader that does not read must not block the writer. */
static void console_write_is_partial(void **state)
{
	static char much[1 << 20];
	struct bench b;
	ssize_t n;

	(void)state;
	open_bench(&b);
	n = console_write(b.con, much, sizeof(much));
	assert_in_range(n, 1, sizeof(much) - 1);
	assert_int_equal(console_write(b.con, much, sizeof(much)), 0);
	assert_int_equal(console_wait(b.con, POLLOUT, -1, deadline_in(20)), 0);
	close_bench(&b);
}

static void console_peer_hangs_up(void **state)
{
	struct bench b;
	int peer[2];
	char got[8];

	(void)state;
	open_bench(&b);
	pair_of(peer);
	assert_int_equal(console_wait(b.con, POLLIN, peer[0], deadline_in(10)), 0);
	close(peer[1]);
	assert_int_equal(console_wait(b.con, POLLIN, peer[0], deadline_in(1000)), -ECANCELED);
	say(&b, "x"); /* the console comes first */
	assert_true(console_wait(b.con, POLLIN, peer[0], deadline_in(1000)) > 0);
	assert_int_equal(console_read(b.con, got, sizeof(got)), 1);
	close(peer[0]);
	close_bench(&b);
}

/* What cannot be recorded is still delivered, and the failure is remembered. */
static void console_record_fails(void **state)
{
	struct rlimit old;
	struct rlimit small;
	struct bench b;
	char got[64];

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	open_bench(&b);
	small = old;
	small.rlim_cur = 32;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (int i = 0; i < 4; i++) {
		say(&b, "0123456789");
		assert_int_equal(console_read(b.con, got, sizeof(got)), 10);
	}
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(console_record_error(b.con), -EFBIG);
	assert_int_equal(console_offset(b.con), 40);
	close_bench(&b);
}

/* --- qmp ---------------------------------------------------------------------------------- */

#define GREETING "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"
#define OK	 "{\"return\": {}}\r\n"

/* The monitor's whole side of the talk is in the socket before it begins. */
static struct qmp *talk(const char *script, int *far)
{
	int fds[2];

	pair_of(fds);
	assert_int_equal(write(fds[1], script, strlen(script)), strlen(script));
	*far = fds[1];
	return qmp_new(fds[0]);
}

static void qmp_commands(void **state)
{
	json_t *ret = NULL;
	struct qmp *q;
	char sent[512];
	ssize_t n;
	int far;

	(void)state;
	q = talk(GREETING OK "{\"event\": \"RESUME\"}\r\n"
			     "{\"return\": {\"status\": \"running\"}}\r\n"
			     "{\"error\": {\"class\": \"E\", \"desc\": \"no such thing\"}}\r\n",
		 &far);
	assert_int_equal(qmp_greet(q, deadline_in(1000)), 0);
	assert_int_equal(qmp_execute(q, "query-status", json_pack("{s:i}", "a", 1), &ret,
				     deadline_in(1000)),
			 0);
	assert_string_equal(json_string_value(json_object_get(ret, "status")), "running");
	json_decref(ret);
	assert_int_equal(qmp_execute(q, "frob", NULL, NULL, deadline_in(1000)), -EREMOTEIO);
	assert_string_equal(qmp_error(q), "no such thing");
	assert_int_equal(qmp_event(q, "RESUME", NULL, deadline_in(0)), 0);
	assert_int_equal(qmp_event(q, "RESUME", NULL, deadline_in(10)), -ETIMEDOUT);
	n = read(far, sent, sizeof(sent) - 1);
	assert_true(n > 0);
	sent[n] = '\0';
	assert_string_equal(sent, "{\"execute\":\"qmp_capabilities\"}\r\n"
				  "{\"execute\":\"query-status\",\"arguments\":{\"a\":1}}\r\n"
				  "{\"execute\":\"frob\"}\r\n");
	close(far);
	qmp_free(q);
}

static void qmp_troubles(void **state)
{
	struct qmp *q;
	int far;

	(void)state;
	q = talk("SSH-2.0-OpenSSH\r\n", &far);
	assert_int_equal(qmp_greet(q, deadline_in(1000)), -EPROTO);
	qmp_free(q);
	close(far);

	q = talk("", &far);
	assert_int_equal(qmp_greet(q, deadline_in(20)), -ETIMEDOUT);
	close(far);
	assert_int_equal(qmp_greet(q, deadline_in(1000)), -EPIPE);
	qmp_free(q);

	q = talk(GREETING, &far);
	shutdown(far, SHUT_RDWR);
	assert_int_equal(qmp_greet(q, deadline_in(1000)), -EPIPE);
	qmp_free(q);
	close(far);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(console_records),
		cmocka_unit_test(console_ends),
		cmocka_unit_test(console_write_is_partial),
		cmocka_unit_test(console_peer_hangs_up),
		cmocka_unit_test(console_record_fails),
		cmocka_unit_test(qmp_commands),
		cmocka_unit_test(qmp_troubles),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
