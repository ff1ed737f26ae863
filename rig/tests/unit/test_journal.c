// SPDX-License-Identifier: GPL-2.0-or-later
/* The journal: whole lines, the mirror, and its last words on a full disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "job/journal.h"

static char dir[64];
static char *path;

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/rig-journal.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	path = path_join(dir, "events.jsonl");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(dir);
	free(path);
	return 0;
}

/* Every line of the file as JSON; fails if one is not. */
static json_t *read_lines(void)
{
	struct buf text = BUF_INIT;
	json_t *lines = json_array();
	char *next = NULL;

	assert_int_equal(path_read(path, &text, 1 << 20), 0);
	for (char *p = text.data; p && *p; p = next + 1) {
		json_t *line;

		next = strchr(p, '\n');
		assert_non_null(next);
		line = json_loadb(p, (size_t)(next - p), 0, NULL);
		assert_non_null(line);
		json_array_append_new(lines, line);
	}
	buf_release(&text);
	return lines;
}

static const char *str(json_t *lines, size_t i, const char *key)
{
	return json_string_value(json_object_get(json_array_get(lines, i), key));
}

static void lines_and_mirror(void **state)
{
	struct err err = ERR_INIT;
	struct journal *j;
	json_t *lines;
	char got[512];
	struct stat st;
	int fds[2];
	ssize_t n;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(journal_open(&j, path, fds[0], &err), 0);
	assert_int_equal(journal_event(j, "session-start", NULL, &err), 0);
	assert_int_equal(journal_event(j, "visit-start", json_pack("{s:i}", "visit", 1), &err), 0);
	lines = read_lines();
	assert_int_equal(json_array_size(lines), 2);
	assert_string_equal(str(lines, 1, "ev"), "visit-start");
	assert_int_equal(strlen(str(lines, 1, "t")), 24);
	assert_true(json_integer_value(json_object_get(json_array_get(lines, 1), "mono_ms")) > 0);
	json_decref(lines);
	n = read(fds[1], got, sizeof(got) - 1);
	assert_true(n > 0);
	got[n] = '\0';
	assert_non_null(strstr(got, "\"ev\":\"session-start\"}\n"));
	assert_non_null(strstr(got, "\"visit\":1}\n"));
	/* a supervisor that is gone costs nothing */
	close(fds[1]);
	assert_int_equal(journal_event(j, "power-on", NULL, &err), 0);
	journal_close(j);
	assert_int_equal(stat(path, &st), 0);
	assert_in_range(st.st_blocks * 512, 1, 4096); /* the reserve was given back */
	close(fds[0]);
	/* a journal is begun once */
	assert_int_equal(journal_open(&j, path, -1, &err), -1);
}

static void asking(void **state)
{
	struct err err = ERR_INIT;
	struct journal *j;
	char got[512];
	int fds[2];
	ssize_t n;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(journal_open(&j, path, fds[0], &err), 0);
	assert_int_equal(write(fds[1], "more\n", 5), 5);
	assert_int_equal(journal_ask(j, 3, &err), 1);
	n = read(fds[1], got, sizeof(got) - 1);
	assert_true(n > 0);
	got[n] = '\0';
	assert_non_null(strstr(got, "\"ev\":\"ask\",\"pair\":3}\n"));
	assert_int_equal(write(fds[1], "enough\n", 7), 7);
	assert_int_equal(journal_ask(j, 4, &err), 0);

	stop_install();
	raise(SIGTERM);
	assert_int_equal(journal_ask(j, 5, &err), -1);
	assert_string_equal(err.code, "cancelled");
	stop_clear();

	close(fds[1]);
	assert_int_equal(journal_ask(j, 6, &err), -1);
	assert_string_equal(err.code, "supervisor-gone");
	journal_close(j);
	close(fds[0]);
}

/* A private tmpfs of one megabyte on dir; false without the right to mount. */
static bool mount_small_disk(void)
{
	return unshare(CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", dir, "tmpfs", 0, "size=1m") == 0;
}

static void fill_disk(void)
{
	static const char block[4096] = "x";
	char *filler = path_join(dir, "filler");
	int fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	close(fd);
	free(filler);
}

/* The event that finds the disk full is written, and so is the end of the session. */
static void full_disk(void **state)
{
	struct err err = ERR_INIT;
	struct journal *j;
	json_t *lines;
	int before = 0;

	(void)state;
	if (!mount_small_disk()) {
		print_message("cannot mount a tmpfs: skipped\n");
		skip();
	}
	assert_int_equal(journal_open(&j, path, -1, &err), 0);
	assert_int_equal(journal_event(j, "session-start", NULL, &err), 0);
	fill_disk();
	/* room in the reserve is used up until a block more would be needed */
	while (journal_event(j, "finding", json_pack("{s:s%}", "title", dir, strlen(dir)), &err) ==
		       0 &&
	       before < 1000)
		before++;
	assert_string_equal(err.code, "disk-full");
	assert_int_equal(err.blame, BLAME_RIG);
	journal_event(j, "fault", json_pack("{s:s}", "code", "disk-full"), NULL);
	journal_event(j, "power-off", NULL, NULL);
	journal_event(j, "visit-end", NULL, NULL);
	journal_event(j, "session-end", json_pack("{s:s}", "result", "fault"), NULL);
	journal_close(j);
	lines = read_lines();
	assert_int_equal(json_array_size(lines), (size_t)before + 6);
	assert_string_equal(str(lines, (size_t)before + 2, "code"), "disk-full");
	assert_string_equal(str(lines, (size_t)before + 5, "ev"), "session-end");
	json_decref(lines);
	umount2(dir, MNT_DETACH);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_and_mirror, set_up, tear_down),
		cmocka_unit_test_setup_teardown(asking, set_up, tear_down),
		cmocka_unit_test_setup_teardown(full_disk, set_up, tear_down),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
