// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The console keeper in a process of its own, with jobs and readers at its socket: boards are
 * socket pairs, ptys and programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/lab-wired.h"
#include "console/keeper.h"
#include "console/lease.h"
#include "io/attach.h"
#include "io/console.h"
#include "io/serial-errors.h"
#include "io/unix.h"

#define LIMIT_MS 20000

static char home[64];

static const struct lab_type type = { "wired", &lab_wired_keys, NULL, false };

struct bench {
	struct lab *lab;
	char *socket;
	char *dir; /* of the record */
	pid_t pid;
	long file_limit; /* of the keeper; 0 = none */
};

static int set_up(void **state)
{
	(void)state;
	snprintf(home, sizeof(home), "/tmp/rig-keeper.XXXXXX");
	stop_install();
	return mkdtemp(home) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(home);
	return 0;
}

static void in_child(const struct bench *b, int listen_fd, bool stay)
{
	char *idle = path_join(home, "idle");
	char *lease = path_join(home, "lease");
	const struct keeper_options o = { .board = lab_board(b->lab, 0),
					  .idle_dir = idle,
					  .lease_path = lease,
					  .listen_fd = listen_fd,
					  .stay = stay };
	struct err err = ERR_INIT;

	if (b->file_limit) {
		struct rlimit l = { (rlim_t)b->file_limit, (rlim_t)b->file_limit };

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &l);
	}
	_exit(keeper_run(&o, &err) ? 1 : 0);
}

static void start(struct bench *b, const char *console, bool stay)
{
	char *text = xasprintf("boards:\n- name: a\n  type: wired\n  console: %s\n", console);
	struct err err = ERR_INIT;
	int fd;

	b->lab = lab_parse("lab", text, strlen(text), &type, 1, &err);
	assert_string_equal(err.message, "");
	b->socket = path_join(home, "socket");
	b->dir = path_join(home, "visit");
	assert_int_equal(path_mkdirs(b->dir), 0);
	fd = unix_listen(b->socket);
	assert_true(fd >= 0);
	b->pid = fork();
	if (!b->pid)
		in_child(b, fd, stay);
	close(fd);
	free(text);
}

/* Its end: killed if it would not have ended by itself. */
static void stop(struct bench *b, bool kill_it)
{
	int status;

	if (kill_it)
		kill(b->pid, SIGTERM);
	assert_int_equal(waitpid(b->pid, &status, 0), b->pid);
	if (!WIFSIGNALED(status))
		assert_int_equal(status, 0);
	lab_free(b->lab);
	path_remove(b->dir);
	free(b->socket);
	free(b->dir);
}

static struct attach *attach(const struct bench *b, enum attach_mode mode)
{
	struct attach *a = NULL;
	int rc = attach_open(&a, b->socket, mode, "tester", deadline_in(LIMIT_MS));

	if (rc)
		fail_msg("%s: %s", strerror(-rc), attach_reason(a));
	return a;
}

/* A job whose board is the other end of far. */
static struct attach *job(const struct bench *b, int *far, int *stream)
{
	struct attach *a = attach(b, ATTACH_JOB);
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(attach_record(a, b->dir, deadline_in(LIMIT_MS)), 0);
	assert_int_equal(attach_source(a, pair[1], stream, deadline_in(LIMIT_MS)), 0);
	close(pair[1]);
	*far = pair[0];
	return a;
}

static void say(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void expect_bytes(int fd, const char *text)
{
	char got[256];
	size_t n = 0;

	while (n < strlen(text)) {
		ssize_t more;

		assert_true(deadline_poll(fd, POLLIN, deadline_in(LIMIT_MS)) > 0);
		more = read(fd, got + n, sizeof(got) - 1 - n);
		assert_true(more > 0);
		n += (size_t)more;
	}
	got[n] = '\0';
	assert_string_equal(got, text);
}

/* The next packet of that type; others but refusals are passed over. */
static void expect_packet(struct attach *a, char wanted, const char *text)
{
	struct attach_packet p;

	for (;;) {
		int rc = attach_next(a, &p);

		assert_true(rc >= 0);
		if (!rc) {
			assert_true(deadline_poll(attach_fd(a), POLLIN, deadline_in(LIMIT_MS)) > 0);
			continue;
		}
		if (p.type == wanted)
			break;
		assert_int_not_equal(p.type, 'x');
	}
	if (text && !strstr(p.data, text))
		fail_msg("'%c %s' instead of '%s'", p.type, p.data, text);
}

static void expect_file(const char *dir, const char *name, const char *text)
{
	struct deadline d = deadline_in(LIMIT_MS);
	char *path = path_join(dir, name);
	struct buf got = BUF_INIT;

	do {
		buf_reset(&got);
		path_read(path, &got, 1 << 16);
		if (strstr(buf_str(&got), text))
			break;
	} while (!deadline_passed(d) && !poll(NULL, 0, 2));
	if (!strstr(buf_str(&got), text))
		fail_msg("%s: '%s' instead of '%s'", path, buf_str(&got), text);
	buf_release(&got);
	free(path);
}

/* ---- the job ---- */

static void test_job(void **state)
{
	struct bench b = { 0 };
	struct attach *a;
	int far, stream;

	(void)state;
	start(&b, "{program: cat}", false);
	a = job(&b, &far, &stream);
	say(far, "Linux version\r\n");
	expect_bytes(stream, "Linux version\r\n");
	expect_file(b.dir, RECORD_LOG, "Linux version\r\n");
	expect_file(b.dir, RECORD_INDEX, " 0\n");
	say(stream, "ls\r");
	expect_bytes(far, "ls\r");
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(far);
	close(stream);
	stop(&b, false); /* a keeper of one job ends with it */
}

static void test_next_visit(void **state)
{
	struct bench b = { 0 };
	struct attach *a;
	char *second;
	int far, stream;

	(void)state;
	start(&b, "{program: cat}", false);
	second = path_join(b.dir, "2");
	assert_int_equal(path_mkdirs(second), 0);
	a = job(&b, &far, &stream);
	say(far, "first");
	expect_bytes(stream, "first");
	/* what comes late belongs to the boot before */
	say(far, " end");
	assert_int_equal(attach_record(a, second, deadline_in(LIMIT_MS)), 0);
	expect_file(b.dir, RECORD_LOG, "first end");
	say(far, "second");
	expect_file(second, RECORD_LOG, "second");
	/* a new stream begins where its record does */
	close(stream);
	assert_int_equal(attach_source(a, far, &stream, deadline_in(LIMIT_MS)), 0);
	expect_bytes(stream, "second");
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(far);
	close(stream);
	free(second);
	stop(&b, false);
}

/* The far end of a pty goes away: the stream ends, for the board's reasons and not the keeper's. */
static void test_hang_up(void **state)
{
	struct bench b = { 0 };
	struct console *con;
	struct attach *a;
	int master, slave, stream;
	char got[64];
	ssize_t n = 0;

	(void)state;
	start(&b, "{program: cat}", false);
	a = attach(&b, ATTACH_JOB);
	assert_int_equal(openpty(&master, &slave, NULL, NULL, NULL), 0);
	fcntl(master, F_SETFD, FD_CLOEXEC);
	assert_int_equal(attach_record(a, b.dir, deadline_in(LIMIT_MS)), 0);
	assert_int_equal(attach_source(a, slave, &stream, deadline_in(LIMIT_MS)), 0);
	close(slave);
	con = console_new_kept(stream, a);
	say(master, "last words\n");
	while (console_offset(con) < 11 && n >= 0)
		if (console_wait(con, POLLIN, -1, deadline_in(LIMIT_MS)) > 0)
			n = console_read(con, got, sizeof(got));
	close(master);
	assert_true(console_wait(con, POLLIN, -1, deadline_in(LIMIT_MS)) > 0);
	assert_int_equal(console_read(con, got, sizeof(got)), -EPIPE);
	assert_true(attach_state(a)->over);
	expect_file(b.dir, RECORD_LOG, "last words");
	expect_file(b.dir, RECORD_MARKS, " over: ");
	console_free(con);
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	stop(&b, false);
}

static void test_keeper_killed(void **state)
{
	struct bench b = { 0 };
	struct console *con;
	struct attach *a;
	int far, stream;
	char got[16];

	(void)state;
	start(&b, "{program: cat}", false);
	a = job(&b, &far, &stream);
	con = console_new_kept(stream, a);
	kill(b.pid, SIGKILL);
	stop(&b, false);
	assert_int_equal(console_wait(con, POLLIN, -1, deadline_in(LIMIT_MS)), -ENOTCONN);
	assert_int_equal(console_read(con, got, sizeof(got)), -ENOTCONN);
	console_free(con);
	attach_close(a);
	close(far);
}

/* A job that is killed: what its board says until it is off is kept; then the keeper ends. */
static void test_job_dies(void **state)
{
	struct bench b = { 0 };
	struct attach *a;
	char *path;
	int far, stream;
	struct buf log = BUF_INIT;

	(void)state;
	start(&b, "{program: cat}", false);
	path = path_join(b.dir, RECORD_LOG);
	a = job(&b, &far, &stream);
	close(stream);
	attach_close(a);
	say(far, "still on");
	expect_file(b.dir, RECORD_LOG, "still on");
	say(far, ", off");
	close(far);
	assert_int_equal(waitpid(b.pid, NULL, 0), b.pid);
	assert_int_equal(path_read(path, &log, 4096), 0);
	assert_string_equal(buf_str(&log), "still on, off");
	b.pid = fork();
	if (!b.pid)
		_exit(0);
	stop(&b, false);
	buf_release(&log);
	free(path);
}

static void test_disk_full(void **state)
{
	struct bench b = { .file_limit = 4096 };
	struct console *con;
	struct attach *a;
	static char much[8192];
	char got[8192];
	int far, stream, rc = 0;

	(void)state;
	start(&b, "{program: cat}", false);
	a = job(&b, &far, &stream);
	con = console_new_kept(stream, a);
	memset(much, 'x', sizeof(much));
	assert_int_equal(write(far, much, sizeof(much)), sizeof(much));
	while (rc >= 0) {
		rc = console_wait(con, POLLIN, -1, deadline_in(LIMIT_MS));
		if (rc > 0)
			console_read(con, got, sizeof(got));
	}
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(console_record_error(con), -EFBIG);
	/* another directory, another chance */
	assert_int_equal(attach_record(a, b.dir, deadline_in(LIMIT_MS)), 0);
	assert_int_equal(console_record_error(con), 0);
	assert_int_equal(attach_record(a, "/nonexistent/x", deadline_in(LIMIT_MS)), -ENOENT);
	assert_int_equal(attach_record(a, "relative", deadline_in(LIMIT_MS)), -EINVAL);
	console_free(con);
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(far);
	stop(&b, false);
}

/* ---- the board's own line ---- */

/* A program that ends and is run again stands for an adapter that is unplugged and comes back. */
static void test_returns(void **state)
{
	struct bench b = { 0 };
	struct attach *a;
	int stream;
	const struct attach_state *s;

	(void)state;
	start(&b, "{program: sh, args: [\"-c\", \"echo one; read x; echo $x\"]}", false);
	a = attach(&b, ATTACH_JOB);
	assert_int_equal(attach_record(a, b.dir, deadline_in(LIMIT_MS)), 0);
	assert_int_equal(attach_source(a, -1, &stream, deadline_in(LIMIT_MS)), 0);
	s = attach_state(a);
	expect_bytes(stream, "one\n");
	assert_int_equal(attach_away_ms(a), 0);
	say(stream, "two\n");
	expect_bytes(stream, "two\none\n");
	while (!s->gaps || s->away)
		assert_int_equal(attach_hear(a), 0);
	assert_int_equal(s->gaps, 1);
	assert_false(s->over);
	expect_file(b.dir, RECORD_LOG, "one\ntwo\none\n");
	expect_file(b.dir, RECORD_MARKS, " 8 gap: the port has left");
	expect_file(b.dir, RECORD_MARKS, " 8 back after ");
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(stream);
	stop(&b, false);
}

static void test_absent(void **state)
{
	struct bench b = { 0 };
	struct attach *a;
	int stream;

	(void)state;
	start(&b, "{at: \"usb:77-1\"}", false);
	a = attach(&b, ATTACH_JOB);
	assert_int_equal(attach_record(a, b.dir, deadline_in(LIMIT_MS)), 0);
	assert_int_equal(attach_source(a, -1, &stream, deadline_in(LIMIT_MS)), -ENODEV);
	assert_string_equal(attach_reason(a),
			    "usb:77-1: no serial port is there; is the adapter plugged in?");
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	stop(&b, false);
}

/* A keeper that stays records without any job, and does not end with one. */
static void test_stays(void **state)
{
	struct bench b = { 0 };
	struct attach *reader, *a;
	char dir[256];

	(void)state;
	start(&b, "{program: sh, args: [\"-c\", \"echo alive; exec cat\"]}", true);
	reader = attach(&b, ATTACH_READ);
	snprintf(dir, sizeof(dir), "%s", attach_dir(reader));
	assert_non_null(strstr(dir, "/idle/20"));
	expect_file(dir, RECORD_LOG, "alive\n");
	a = attach(&b, ATTACH_JOB);
	assert_int_equal(attach_record(a, b.dir, deadline_in(LIMIT_MS)), 0);
	expect_packet(reader, 'r', b.dir);
	attach_quit(a, deadline_in(LIMIT_MS));
	assert_string_equal(attach_reason(a), "it stays");
	attach_close(a);
	attach_close(reader);
	a = attach(&b, ATTACH_CONTROL);
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	stop(&b, false);
}

/* ---- readers ---- */

/* Nobody who does not read holds the record up, and the job loses nothing. */
static void test_slow(void **state)
{
	enum { TOTAL = 3 << 20, CHUNK = 4096 };
	static char got[TOTAL], sent[TOTAL];
	struct bench b = { 0 };
	struct attach *reader, *a;
	struct attach_packet p;
	int far, stream, rc;
	size_t n = 0, seen = 0, lost = 0;

	(void)state;
	for (size_t i = 0; i < TOTAL; i++)
		sent[i] = (char)('a' + i * 31 % 23 + i / CHUNK % 3);
	start(&b, "{program: cat}", false);
	reader = attach(&b, ATTACH_READ);
	a = job(&b, &far, &stream);
	for (size_t i = 0; i < TOTAL; i += CHUNK)
		assert_int_equal(write(far, sent + i, CHUNK), CHUNK);
	while (n < TOTAL) {
		ssize_t more;

		assert_true(deadline_poll(stream, POLLIN, deadline_in(LIMIT_MS)) > 0);
		more = read(stream, got + n, TOTAL - n);
		assert_true(more > 0);
		n += (size_t)more;
	}
	assert_memory_equal(got, sent, TOTAL);
	/* the reader gets a beginning, is told what it missed, and gets the end */
	while (seen + lost < TOTAL) {
		rc = attach_next(reader, &p);
		assert_true(rc >= 0);
		if (!rc)
			assert_true(deadline_poll(attach_fd(reader), POLLIN,
						  deadline_in(LIMIT_MS)) > 0);
		if (rc && p.type == 'd') {
			assert_memory_equal(p.data, sent + seen + lost, p.size);
			seen += p.size;
		} else if (rc && p.type == 'l') {
			lost += strtoul(p.data, NULL, 10);
		}
	}
	assert_int_equal(seen + lost, TOTAL);
	assert_in_range(lost, 1, TOTAL - FEED_BYTES);
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	attach_close(reader);
	close(far);
	close(stream);
	stop(&b, false);
}

static int try_mode(const struct bench *b, enum attach_mode mode, const char *why)
{
	struct attach *a = NULL;
	int rc = attach_open(&a, b->socket, mode, "another", deadline_in(LIMIT_MS));

	assert_string_equal(attach_reason(a), why);
	attach_close(a);
	return rc;
}

static void test_modes(void **state)
{
	struct bench b = { 0 };
	struct attach *a, *writer;
	char *lease = path_join(home, "lease");
	char *text =
		xasprintf("%d %lld me, for an hour\n", (int)getuid(), (long long)time(NULL) + 3600);
	int far, stream;

	(void)state;
	start(&b, "{program: cat}", false);
	a = job(&b, &far, &stream);
	assert_int_equal(try_mode(&b, ATTACH_JOB, "tester runs the board"), -EBUSY);
	assert_int_equal(try_mode(&b, ATTACH_WRITE,
				  "a job runs on the board; a lease lets you type: `rig lease`"),
			 -EACCES);
	assert_int_equal(path_write(lease, text, strlen(text)), 0);
	writer = attach(&b, ATTACH_WRITE);
	assert_int_equal(attach_write(writer, "typed", 5), 0);
	expect_bytes(far, "typed");
	/* what ends a lease ends the typing */
	unlink(lease);
	assert_int_equal(attach_write(writer, "x", 1), 0);
	while (!*attach_reason(writer)) {
		struct attach_packet p;

		if (attach_next(writer, &p) > 0 && p.type == 'x')
			break;
	}
	attach_close(writer);
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(far);
	close(stream);
	stop(&b, false);
	free(text);
	free(lease);
}

static void test_lease(void **state)
{
	char *path = path_join(home, "l");
	const char *text = "1000 2000 ann, bisecting\n";
	char why[200];

	(void)state;
	assert_int_equal(path_write(path, text, strlen(text)), 0);
	assert_true(lease_allows(path, 1000, true, 1999, why, sizeof(why)));
	assert_false(lease_allows(path, 0, false, 1999, why, sizeof(why)));
	assert_string_equal(why, "the board is leased to ann, bisecting");
	assert_false(lease_allows(path, 1000, true, 2000, why, sizeof(why)));
	assert_true(lease_allows(path, 0, false, 2000, why, sizeof(why)));
	assert_int_equal(path_write(path, "garbage", 7), 0);
	assert_false(lease_allows(path, 12345, false, 1, why, sizeof(why)));
	assert_false(lease_allows("/nonexistent", 0, true, 1, why, sizeof(why)));
	free(path);
}

static void test_errors(void **state)
{
	const struct serial_errors before = { 5, 1, 7, 0, 2 }, now = { 8, 1, 2, 0, 3 };
	struct serial_errors since = serial_errors_since(&now, &before), again;
	char text[SERIAL_ERRORS_SIZE];

	(void)state;
	/* a counter that fell: the driver was loaded anew */
	assert_string_equal(serial_errors_text(&since, text),
			    "overrun=3 buffer_full=0 frame=2 parity=0 breaks=1");
	serial_errors_parse(text, &again);
	assert_memory_equal(&again, &since, sizeof(since));
	assert_int_equal(serial_errors_total(&since), 5);
	serial_errors_add(&again, &since);
	assert_int_equal(again.overrun, 6);
	serial_errors_parse("frame=12 nonsense", &again);
	assert_int_equal(again.frame, 12);
	assert_int_equal(again.overrun, 0);
}

/* Whatever comes in, the answer is a refusal, and the job does not notice. */
static void test_garbage(void **state)
{
	static const char *const packets[] = { "d",	"x1", "h",    "h nobody x", "q",
					       "n/tmp", "s",  "w",    "hread me",   "n/tmp",
					       "s",	"q",  "zzzz", "wx",	    "hjob x" };
	struct bench b = { 0 };
	char answer[512];
	struct attach *a;
	int far, stream, fd;

	(void)state;
	start(&b, "{program: cat}", false);
	a = job(&b, &far, &stream);
	fd = unix_connect(b.socket);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		int got;

		assert_int_equal(unix_send(fd, packets[i], strlen(packets[i]), i % 2 ? fd : -1), 0);
		assert_true(deadline_poll(fd, POLLIN, deadline_in(LIMIT_MS)) > 0);
		assert_true(unix_recv(fd, answer, sizeof(answer), &got) > 0);
		assert_int_equal(got, -1);
		assert_int_equal(answer[0], strcmp(packets[i], "hread me") ? 'x' : 'h');
	}
	close(fd);
	/* more than it has room for */
	for (int i = 0; i < 3 * KEEPER_CLIENTS; i++) {
		fd = unix_connect(b.socket);
		if (fd >= 0)
			close(fd);
	}
	say(far, "unharmed");
	expect_bytes(stream, "unharmed");
	attach_quit(a, deadline_in(LIMIT_MS));
	attach_close(a);
	close(far);
	close(stream);
	stop(&b, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_job),	 cmocka_unit_test(test_next_visit),
		cmocka_unit_test(test_hang_up),	 cmocka_unit_test(test_keeper_killed),
		cmocka_unit_test(test_job_dies), cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_returns),	 cmocka_unit_test(test_absent),
		cmocka_unit_test(test_stays),	 cmocka_unit_test(test_slow),
		cmocka_unit_test(test_modes),	 cmocka_unit_test(test_lease),
		cmocka_unit_test(test_garbage),	 cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
