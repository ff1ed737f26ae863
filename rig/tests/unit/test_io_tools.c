// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs and servers that the io layer uses: tools as scripts of our own, a real dnsmasq asked by
 * curl, pdudaemon against a scripted HTTP server.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "io/pdudaemon.h"
#include "io/tftp.h"
#include "io/tool.h"
#include "own_address.h"

#define LONG_MS 20000

static char *dir; /* of the running test; also first in PATH */

static int set_up(void **state)
{
	char name[] = "/tmp/rig-tools-XXXXXX";
	char *path;

	(void)state;
	dir = xstrdup(mkdtemp(name));
	path = xasprintf("%s:%s", dir, "/usr/sbin:/usr/bin:/sbin:/bin");
	setenv("PATH", path, 1);
	free(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(dir);
	free(dir);
	return 0;
}

static void script(const char *name, const char *text)
{
	char *path = path_join(dir, name);
	char *all = xasprintf("#!/bin/sh\n%s\n", text);

	assert_int_equal(path_write(path, all, strlen(all)), 0);
	assert_int_equal(chmod(path, 0755), 0);
	free(all);
	free(path);
}

static struct tool a_tool(void)
{
	static char own[128];

	snprintf(own, sizeof(own), "%s/own", dir);
	return (struct tool){ .dir = own, .term_ms = 200 };
}

/* ---- tools ---- */

static void runs_in_a_directory_of_its_own(void **state)
{
	const char *argv[] = { "show", "a b", NULL };
	const char *env[] = { "WHAT=this", NULL };
	struct tool t = a_tool();
	struct buf out = BUF_INIT;
	char *want;

	(void)state;
	t.env = env;
	script("show", "echo \"$1|$HOME|$TMPDIR|$WHAT\"; pwd; echo late >&2; exit 7");
	assert_int_equal(tool_run(&t, argv, &out, deadline_in(LONG_MS)), 7);
	want = xasprintf("a b|%s/home|%s/tmp|this\n%s\nlate\n", t.dir, t.dir, t.dir);
	assert_string_equal(buf_str(&out), want);
	free(want);
	buf_release(&out);
}

static void a_missing_program_is_told(void **state)
{
	const char *argv[] = { "no-such-tool", NULL };
	struct tool t = a_tool();

	(void)state;
	assert_int_equal(tool_run(&t, argv, NULL, deadline_in(LONG_MS)), -ENOENT);
}

static pid_t pid_in(const char *name)
{
	char *path = path_join(dir, name);
	struct buf text = BUF_INIT;
	pid_t pid;

	assert_int_equal(path_read(path, &text, 64), 0);
	pid = (pid_t)strtol(buf_str(&text), NULL, 10);
	buf_release(&text);
	free(path);
	return pid;
}

/* A zombie that init has not reaped yet is dead as well. */
static bool lives(pid_t pid)
{
	struct buf text = BUF_INIT;
	char path[32];
	bool alive;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	alive = path_read(path, &text, 4096) == 0 && !strstr(buf_str(&text), ") Z ");
	buf_release(&text);
	return alive;
}

static void the_whole_group_dies_at_the_deadline(void **state)
{
	const char *argv[] = { "hang", NULL };
	struct tool t = a_tool();
	struct buf out = BUF_INIT;
	pid_t child;

	(void)state;
	script("hang", "trap '' TERM; echo waiting; sleep 100 & echo $! >../child; wait; wait");
	assert_int_equal(tool_run(&t, argv, &out, deadline_in(500)), -ETIMEDOUT);
	assert_string_equal(buf_str(&out), "waiting\n");
	child = pid_in("child");
	for (int i = 0; i < 200 && lives(child); i++)
		usleep(10000);
	assert_false(lives(child));
	buf_release(&out);
}

/* As `adb start-server` does: the child keeps stdout, which must not keep us. */
static void a_server_left_behind_does_not_hold_it(void **state)
{
	const char *argv[] = { "serve", NULL };
	struct tool t = a_tool();
	struct buf out = BUF_INIT;

	(void)state;
	script("serve", "setsid sleep 60 & echo $! >../child; echo started");
	assert_int_equal(tool_run(&t, argv, &out, deadline_in(LONG_MS)), 0);
	assert_string_equal(buf_str(&out), "started\n");
	kill(pid_in("child"), SIGKILL);
	buf_release(&out);
}

static void last_words(void **state)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "", "" },
		{ "\n \r\n", "" },
		{ "one\ntwo\n", "two" },
		{ "one\ntwo\r\n\n  \n", "two" },
		{ "progress 1\rprogress 2\r", "progress 2" },
		{ "a very long line that does not fit", "a very long lin" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = BUF_INIT;
		char line[16];

		buf_adds(&out, rows[i].text);
		tool_last_words(&out, line, sizeof(line));
		assert_string_equal(line, rows[i].words);
		buf_release(&out);
	}
}

/* ---- adb ---- */

/* Behaves as adb without shell_v2: runs the line, exits with 0 whatever came of it. */
#define FAKE_ADB                                                                                   \
	"echo \"$ANDROID_ADB_SERVER_PORT $*\" >>../calls\n"                                        \
	"[ \"$3\" = shell ] || exit 0\n"                                                           \
	"case $4 in broken*) echo 'error: closed'; exit 1;; esac\n"                                \
	"sh -c \"$4\"\n"                                                                           \
	"exit 0"

static void adb_tells_the_real_exit_code(void **state)
{
	static const struct {
		const char *command;
		int rc;
		const char *out;
	} rows[] = {
		{ "echo hello", 0, "hello\n" }, { "echo no; false", 1, "no\n" },
		{ "(exit 77)", 77, "" },	{ "echo rig-rc=0; (exit 3)", 3, "rig-rc=0\n" },
		{ "printf half", 0, "half" },	{ "broken", -EPROTO, "error: closed\n" },
	};
	struct tool t = a_tool();

	(void)state;
	t.adb_port = 15037;
	t.adb_device = "usb:1-1.2";
	script("adb", FAKE_ADB);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = BUF_INIT;

		assert_int_equal(tool_adb_shell(&t, rows[i].command, &out, deadline_in(LONG_MS)),
				 rows[i].rc);
		assert_string_equal(buf_str(&out), rows[i].out);
		buf_release(&out);
	}
}

static void adb_names_port_and_device(void **state)
{
	const char *argv[] = { "reboot", "bootloader", NULL };
	struct tool t = a_tool();
	struct buf calls = BUF_INIT;
	char *path = path_join(dir, "calls");

	(void)state;
	t.adb_port = 15037;
	t.adb_device = "usb:1-1.2";
	script("adb", FAKE_ADB);
	assert_int_equal(tool_adb(&t, argv, NULL, deadline_in(LONG_MS)), 0);
	assert_int_equal(tool_adb_stop(&t, deadline_in(LONG_MS)), 0);
	assert_int_equal(path_read(path, &calls, 4096), 0);
	assert_string_equal(buf_str(&calls),
			    "15037 -s usb:1-1.2 reboot bootloader\n15037 kill-server\n");
	buf_release(&calls);
	free(path);
}

/* ---- TFTP ---- */

static size_t keep(char *data, size_t size, size_t n, void *ctx)
{
	buf_append(ctx, data, size * n);
	return size * n;
}

static CURLcode fetch(const char *host, const char *name, struct buf *out)
{
	char *url = xasprintf("tftp://%s/%s", host, name);
	CURL *curl = curl_easy_init();
	CURLcode code;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, out);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)LONG_MS);
	code = curl_easy_perform(curl);
	curl_easy_cleanup(curl);
	free(url);
	return code;
}

static void tftp_serves_what_was_put(void **state)
{
	char *root = path_join(dir, "tftp");
	char *file = path_join(dir, "image");
	struct buf image = BUF_INIT, got = BUF_INIT;
	struct tftp *t = NULL;
	char words[256];

	(void)state;
	if (!can_serve_tftp())
		skip(); /* port 69 needs root, and a dnsmasq */
	for (int i = 0; i < 100000; i++)
		buf_addf(&image, "%d\n", i);
	assert_int_equal(path_write(file, image.data, image.size), 0);
	assert_int_equal(tftp_start(&t, own_address(), root, deadline_in(LONG_MS)), 0);
	assert_int_equal(tftp_put(t, "vmlinux", file), 0);
	assert_int_equal(fetch(own_address(), "vmlinux", &got), CURLE_OK);
	assert_int_equal(got.size, image.size);
	assert_memory_equal(got.data, image.data, image.size);
	assert_int_equal(fetch(own_address(), "other", &got), CURLE_TFTP_NOTFOUND);
	assert_int_equal(tftp_put(t, "../escape", file), -EINVAL);
	assert_int_equal(tftp_put(t, "none", "/nonexistent"), -ENOENT);
	assert_int_equal(tftp_check(t), 0);
	/* it answers first and logs then, and may log the end of the first transfer after it */
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(fetch(own_address(), "other", &got), CURLE_TFTP_NOTFOUND);
		tftp_last_words(t, words, sizeof(words));
		if (strstr(words, "other"))
			break;
		usleep(10000);
	}
	assert_non_null(strstr(words, "other"));
	tftp_stop(t);
	assert_int_equal(path_exists(root), 0);
	buf_release(&image);
	buf_release(&got);
	free(file);
	free(root);
}

static void tftp_says_why_it_cannot(void **state)
{
	char *root = path_join(dir, "tftp");
	struct tftp *t = NULL, *second = NULL;

	(void)state;
	if (!can_serve_tftp())
		skip(); /* port 69 needs root, and a dnsmasq */
	assert_int_equal(tftp_start(&t, "192.0.2.1", root, deadline_in(LONG_MS)), -EADDRNOTAVAIL);
	assert_int_equal(tftp_start(&t, "nonsense", root, deadline_in(LONG_MS)), -EINVAL);
	assert_int_equal(tftp_start(&t, own_address(), root, deadline_in(LONG_MS)), 0);
	assert_int_equal(tftp_start(&second, own_address(), root, deadline_in(LONG_MS)),
			 -EADDRNOTAVAIL);
	tftp_stop(t);
	free(root);
}

/* A job that is killed cannot stop its server: the kernel does. */
static void tftp_dies_with_its_owner(void **state)
{
	char *root = path_join(dir, "tftp");
	const char *address = own_address(); /* of this process, not of the child */
	struct tftp *t = NULL;
	int status;
	pid_t owner;

	(void)state;
	if (!can_serve_tftp())
		skip(); /* port 69 needs root, and a dnsmasq */
	owner = fork();
	if (!owner)
		_exit(tftp_start(&t, address, root, deadline_in(LONG_MS)) ? 1 : 0);
	assert_int_equal(waitpid(owner, &status, 0), owner);
	assert_int_equal(status, 0);
	for (int i = 0; i < 1000; i++) {
		if (!tftp_start(&t, address, root, deadline_in(LONG_MS)))
			break;
		usleep(10000);
	}
	assert_non_null(t);
	tftp_stop(t);
	free(root);
}

/* ---- pdudaemon ---- */

/* Answers one request with that status line, and exits 0 when it was the one expected. */
static pid_t serve_once(int listener, const char *reply, const char *expected)
{
	char request[1024] = "";
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = accept(listener, NULL, NULL);
	if (fd < 0 || read(fd, request, sizeof(request) - 1) <= 0)
		_exit(2);
	if (reply && write(fd, reply, strlen(reply)) < 0)
		_exit(3);
	if (!reply)
		sleep(60); /* never answers; killed by the test */
	_exit(strncmp(request, expected, strlen(expected)) != 0);
}

static int listen_on(char *url, size_t size)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	snprintf(url, size, "http://127.0.0.1:%u", ntohs(a.sin_port));
	return fd;
}

static void pdudaemon_orders(void **state)
{
	static const struct {
		const char *reply;
		int rc;
	} rows[] = {
		{ "HTTP/1.0 200 OK\r\n\r\nOK - accepted request\n", 0 },
		{ "HTTP/1.0 403 Forbidden\r\n\r\n", -EACCES },
		{ "HTTP/1.0 404 Not Found\r\n\r\n", -ENODEV },
		{ "HTTP/1.0 500 Internal\r\n\r\n", -EIO },
		{ "garbage\r\n", -EPROTO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char url[64];
		int listener = listen_on(url, sizeof(url));
		struct pdudaemon p = { url, "pdu 03", "4" };
		pid_t server = serve_once(listener, rows[i].reply,
					  "GET /power/control/off?hostname=pdu%2003&port=4 HTTP");
		int status;

		assert_int_equal(pdudaemon_set(&p, false, deadline_in(LONG_MS)), rows[i].rc);
		assert_int_equal(waitpid(server, &status, 0), server);
		assert_int_equal(status, 0);
		close(listener);
	}
}

static void pdudaemon_that_does_not_answer(void **state)
{
	char url[64];
	int listener = listen_on(url, sizeof(url));
	struct pdudaemon p = { url, "pdu", "1" };
	struct pdudaemon ftp = { "ftp://127.0.0.1", "pdu", "1" };
	pid_t server = serve_once(listener, NULL, "");

	(void)state;
	assert_int_equal(pdudaemon_set(&p, true, deadline_in(300)), -ETIMEDOUT);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(listener);
	assert_int_equal(pdudaemon_set(&p, true, deadline_in(LONG_MS)), -ECONNREFUSED);
	assert_int_equal(pdudaemon_set(&ftp, true, deadline_in(LONG_MS)), -EINVAL);
	assert_int_equal(pdudaemon_set(&p, true, deadline_in(0)), -ETIMEDOUT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_in_a_directory_of_its_own),
		TEST(a_missing_program_is_told),
		TEST(the_whole_group_dies_at_the_deadline),
		TEST(a_server_left_behind_does_not_hold_it),
		TEST(last_words),
		TEST(adb_tells_the_real_exit_code),
		TEST(adb_names_port_and_device),
		TEST(tftp_serves_what_was_put),
		TEST(tftp_says_why_it_cannot),
		TEST(tftp_dies_with_its_owner),
		TEST(pdudaemon_orders),
		TEST(pdudaemon_that_does_not_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
