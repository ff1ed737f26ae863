// SPDX-License-Identifier: GPL-2.0-or-later
/* base: errors, buffers, whole files, locks, programs, deadlines. */
#include "base/buf.h"
#include "base/day.h"
#include "base/deadline.h"
#include "base/err.h"
#include "base/manifest.h"
#include "base/path.h"
#include "base/signals.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/rig-base.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return path_remove(dir);
}

static void err_prefix_reads_like_a_path(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(err_set(&err, BLAME_BOARD, "boot-timeout", "no hello in %d s", 20), -1);
	err_prefix(&err, "boot");
	err_prefix(&err, "%s", "virt-ufs");
	assert_string_equal(err.message, "virt-ufs: boot: no hello in 20 s");
	assert_string_equal(err.code, "boot-timeout");
	assert_int_equal(err_exit_code(&err), EXIT_INVALID);
}

static void err_long_messages_keep_the_prefix(void **state)
{
	struct err err = ERR_INIT;
	char text[2000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, BLAME_RIG, "", "%s", text);
	err_prefix(&err, "front");
	assert_memory_equal(err.message, "front: xxx", 10);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
}

static void blame_names_are_their_own_inverse(void **state)
{
	(void)state;
	for (enum blame b = BLAME_NONE; b <= BLAME_TEST; b++)
		assert_int_equal(blame_parse(blame_name(b)), b);
	assert_int_equal(blame_parse("nobody"), BLAME_NONE);
	assert_int_equal(blame_parse(NULL), BLAME_NONE);
}

static void exit_codes_follow_blame(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err_set(&err, BLAME_USER, "", "x");
	assert_int_equal(err_exit_code(&err), EXIT_USAGE);
	err_set(&err, BLAME_KERNEL, "", "x");
	assert_int_equal(err_exit_code(&err), EXIT_FAIL);
	err_set(&err, BLAME_TEST, "", "x");
	assert_int_equal(err_exit_code(&err), EXIT_INVALID);
}

static void buf_grows_and_consumes(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	assert_string_equal(buf_str(&b), "");
	for (int i = 0; i < 1000; i++)
		buf_addf(&b, "%04d ", i);
	assert_int_equal(b.size, 5000);
	buf_consume(&b, 4995);
	assert_string_equal(buf_str(&b), "0999 ");
	buf_consume(&b, 99);
	assert_int_equal(b.size, 0);
	buf_release(&b);
}

static void path_write_replaces_whole(void **state)
{
	char *path = path_join(dir, "file");
	struct buf text = BUF_INIT;

	(void)state;
	assert_int_equal(path_write(path, "old", 3), 0);
	assert_int_equal(path_write(path, "newer", 5), 0);
	assert_int_equal(path_read(path, &text, 100), 0);
	assert_string_equal(buf_str(&text), "newer");
	buf_reset(&text);
	assert_int_equal(path_read(path, &text, 4), -EFBIG);
	buf_release(&text);
	free(path);
}

/* A disk that fills up in the middle: the old file stays and no temporary one is left. */
static void path_write_failure_leaves_nothing(void **state)
{
	char *path = path_join(dir, "file");
	struct rlimit old, small = { 4096, 4096 };
	static char big[100000];
	struct buf text = BUF_INIT;
	struct stat st;
	int rc;

	(void)state;
	assert_int_equal(path_write(path, "old", 3), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	rc = path_write(path, big, sizeof(big));
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(rc, -EFBIG);
	assert_int_equal(path_read(path, &text, 100), 0);
	assert_string_equal(buf_str(&text), "old");
	unlink(path);
	assert_int_equal(rmdir(dir), 0); /* so it held nothing else */
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(stat(path, &st), -1);
	buf_release(&text);
	free(path);
}

static void parts_of_a_path(void **state)
{
	static const struct {
		const char *path, *dir, *name, *last;
	} rows[] = {
		{ "a", ".", "a", "a" },	    { "a/b", "a", "b", "b" },
		{ "/a", "/", "a", "a" },    { "/a/b.c", "/a", "b.c", "b.c" },
		{ "a/b/", "a/b", "", "b" }, { "a//", "a/", "", "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *before = path_dir(rows[i].path), *last = path_last(rows[i].path);

		assert_string_equal(before, rows[i].dir);
		assert_string_equal(path_name(rows[i].path), rows[i].name);
		assert_string_equal(last, rows[i].last);
		free(before);
		free(last);
	}
}

static void path_mkdirs_and_remove_are_inverse(void **state)
{
	char *deep = path_join(dir, "a/b/c/d");
	char *top = path_join(dir, "a");
	char *link = path_join(dir, "a/b/link");
	char *kept = path_join(dir, "kept");

	(void)state;
	assert_int_equal(path_write(kept, "x", 1), 0);
	assert_int_equal(path_mkdirs(deep), 0);
	assert_int_equal(path_mkdirs(deep), 0);
	assert_int_equal(symlink(dir, link), 0);
	assert_int_equal(path_remove(top), 0);
	assert_false(path_exists(top));
	assert_true(path_exists(kept)); /* links are not followed */
	assert_int_equal(path_remove(top), 0);
	free(kept);
	free(link);
	free(top);
	free(deep);
}

static void path_mkdirs_reports_a_file_in_the_way(void **state)
{
	char *file = path_join(dir, "file");
	char *below = path_join(dir, "file/x");

	(void)state;
	assert_int_equal(path_write(file, "x", 1), 0);
	assert_int_equal(path_mkdirs(below), -ENOTDIR);
	free(below);
	free(file);
}

static void path_lock_excludes(void **state)
{
	char *path = path_join(dir, "lock");
	int fd = path_lock(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(path_lock(path), -EWOULDBLOCK);
	close(fd);
	fd = path_lock(path);
	assert_true(fd >= 0);
	close(fd);
	free(path);
}

static void spawn_run_collects(void **state)
{
	static const char *const argv[] = { "sh", "-c", "echo $RIG_T; exit 7", NULL };
	static const char *const env[] = { "RIG_T=from the environment", NULL };
	struct spawn s = SPAWN_INIT;
	struct buf out = BUF_INIT;

	(void)state;
	s.argv = argv;
	s.env = env;
	assert_int_equal(spawn_run(&s, &out, deadline_in(10000)), 7);
	assert_string_equal(buf_str(&out), "from the environment\n");
	buf_release(&out);
}

/*
 * An addition takes the place of the variable of its name; the others stay. No shell looks at it,
 * which would make one of two.
 */
static void spawn_adds_to_the_environment(void **state)
{
	const char *const argv[] = { "env", NULL };
	const char *const env[] = { "RIG_A=new", "RIG_C=c", NULL };
	struct spawn s = SPAWN_INIT;
	struct buf out = BUF_INIT;

	(void)state;
	setenv("RIG_A", "old", 1);
	setenv("RIG_AB", "kept", 1);
	s.argv = argv;
	s.env = env;
	assert_int_equal(spawn_run(&s, &out, deadline_in(10000)), 0);
	assert_non_null(strstr(buf_str(&out), "RIG_A=new\n"));
	assert_null(strstr(buf_str(&out), "RIG_A=old\n"));
	assert_non_null(strstr(buf_str(&out), "RIG_AB=kept\n"));
	assert_non_null(strstr(buf_str(&out), "RIG_C=c\n"));
	assert_string_equal(getenv("RIG_A"), "old");
	buf_release(&out);
	unsetenv("RIG_A");
	unsetenv("RIG_AB");
}

static void spawn_reports_a_missing_program(void **state)
{
	static const char *const argv[] = { "/nowhere/no-such-program", NULL };
	struct spawn s = SPAWN_INIT;

	(void)state;
	s.argv = argv;
	assert_int_equal(spawn_run(&s, NULL, deadline_in(10000)), -ENOENT);
}

static void spawn_run_kills_the_group_at_the_deadline(void **state)
{
	/* the grandchild would keep the pipe open; it has to die as well */
	static const char *const argv[] = { "sh", "-c", "sleep 60 & sleep 60", NULL };
	struct spawn s = SPAWN_INIT;
	struct buf out = BUF_INIT;

	(void)state;
	s.argv = argv;
	assert_int_equal(spawn_run(&s, &out, deadline_in(100)), -ETIMEDOUT);
	buf_release(&out);
}

static void spawn_status_text_names_signals(void **state)
{
	static const char *const argv[] = { "sh", "-c", "kill -9 $$", NULL };
	struct spawn s = SPAWN_INIT;
	char text[64];
	int status = 0;
	pid_t pid;

	(void)state;
	s.argv = argv;
	pid = spawn_start(&s);
	assert_true(pid > 0);
	assert_int_equal(spawn_wait(pid, &status, deadline_in(10000)), 0);
	assert_string_equal(spawn_status_text(status, text, sizeof(text)), "signal 9 (Killed)");
}

static void spawn_closes_other_descriptors(void **state)
{
	/* 0, 1, 2 and the directory's own: nothing of ours leaks into programs */
	static const char *const argv[] = { "ls", "/proc/self/fd", NULL };
	struct spawn s = SPAWN_INIT;
	struct buf out = BUF_INIT;
	int leak[2];

	(void)state;
	assert_int_equal(pipe2(leak, O_CLOEXEC), 0);
	s.argv = argv;
	assert_int_equal(spawn_run(&s, &out, deadline_in(10000)), 0);
	assert_string_equal(buf_str(&out), "0\n1\n2\n3\n");
	buf_release(&out);
	close(leak[0]);
	close(leak[1]);
}

static void child_dies_with_its_parent(void **state)
{
	static const char *const argv[] = { "sleep", "60", NULL };
	struct spawn s = SPAWN_INIT;
	pid_t middle, grandchild = 0;
	int fds[2];

	(void)state;
	s.argv = argv;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	middle = fork();
	if (middle == 0) {
		grandchild = spawn_start(&s);
		if (write(fds[1], &grandchild, sizeof(grandchild)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_true(grandchild > 0);
	kill(middle, SIGKILL);
	waitpid(middle, NULL, 0);
	for (struct deadline d = deadline_in(5000); !deadline_passed(d);)
		if (kill(grandchild, 0) < 0 || usleep(1000) < 0)
			break;
	assert_int_equal(kill(grandchild, 0), -1);
	close(fds[0]);
	close(fds[1]);
}

static void deadlines_pass_and_never_pass(void **state)
{
	struct deadline past = { mono_ms() };

	(void)state;
	assert_true(deadline_passed(past));
	assert_int_equal(deadline_left_ms(past), 0);
	assert_false(deadline_passed(deadline_never()));
	assert_int_equal(deadline_left_ms(deadline_never()), -1);
	assert_int_equal(deadline_min(past, deadline_never()).at_ms, past.at_ms);
}

static void poll_ends_at_a_stop_request(void **state)
{
	int fds[2];

	(void)state;
	stop_install();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	raise(SIGTERM);
	assert_int_equal(stop_signal(), SIGTERM);
	assert_int_equal(deadline_poll(fds[0], POLLIN, deadline_never()), -EINTR);
	stop_clear();
	assert_int_equal(deadline_poll(fds[0], POLLIN, deadline_in(1)), 0);
	close(fds[0]);
	close(fds[1]);
}

static void manifests(void **state)
{
	static const char text[] = "id=0123456789abcdef\nimage=Image\nrelease=6.12.0-rig.1\n"
				   "imagery=no\nboard=virt-ufs\narch=arm64\nname=stock:plain\n"
				   "compiler=gcc (a = b) 12";
	char entry[] = "/tmp/rig-test.XXXXXX";
	struct err err = ERR_INIT;
	struct manifest m;
	char *path;
	char *image;

	(void)state;
	assert_non_null(mkdtemp(entry));
	assert_int_equal(manifest_read(&m, entry, "virt-ufs", &err), -1);
	assert_string_equal(err.code, "no-kernel");
	manifest_release(&m);
	path = path_join(entry, "manifest");
	image = path_join(entry, "Image");
	path_write(path, text, strlen(text));
	assert_int_equal(manifest_read(&m, entry, "virt-ufs", &err), 0);
	assert_string_equal(m.id, "0123456789abcdef");
	assert_string_equal(m.image, image);
	assert_string_equal(m.compiler, "gcc (a = b) 12");
	assert_string_equal(m.dtb, "");
	manifest_release(&m);
	assert_int_equal(manifest_read(&m, entry, "virt-host", &err), -1);
	assert_non_null(strstr(err.message, "built for board type 'virt-ufs', not 'virt-host'"));
	manifest_release(&m);
	assert_int_equal(manifest_read(&m, entry, NULL, &err), 0);
	assert_string_equal(m.name, "stock:plain");
	assert_int_equal(manifest_runs_on(&m, "aarch64", &err), 0);
	assert_int_equal(manifest_runs_on(&m, "mips", &err), -1);
	assert_non_null(strstr(err.message, "is built for arm64, the board is mips"));
	manifest_release(&m);
	free(image);
	free(path);
	path_remove(entry);
}

static void days(void **state)
{
	char text[DAY_TIME_SIZE];
	char day[DAY_SIZE];

	(void)state;
	assert_true(day_valid("2027-03-31"));
	assert_true(day_valid("2028-02-29"));
	assert_false(day_valid("2027-02-29"));
	assert_false(day_valid("2027-3-31"));
	assert_false(day_valid("2027-13-31"));
	assert_false(day_valid("2027-03-31 "));
	assert_false(day_valid("soon"));
	day_of(1796083199, day);
	assert_string_equal(day, "2026-11-30");
	day_of(1796083200, day);
	assert_string_equal(day, "2026-12-01");
	day_of(INT64_MAX, day);
	assert_string_equal(day, "");
	day_time(INT64_C(1796083199999), text);
	assert_string_equal(text, "2026-11-30T23:59:59Z");
	day_minute(INT64_C(1796083199999), text);
	assert_string_equal(text, "2026-11-30 23:59");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_prefix_reads_like_a_path),
		cmocka_unit_test(err_long_messages_keep_the_prefix),
		cmocka_unit_test(blame_names_are_their_own_inverse),
		cmocka_unit_test(exit_codes_follow_blame),
		cmocka_unit_test(buf_grows_and_consumes),
		cmocka_unit_test(parts_of_a_path),
		cmocka_unit_test_setup_teardown(path_write_replaces_whole, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(path_write_failure_leaves_nothing, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(path_mkdirs_and_remove_are_inverse, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(path_mkdirs_reports_a_file_in_the_way, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(path_lock_excludes, make_dir, remove_dir),
		cmocka_unit_test(spawn_run_collects),
		cmocka_unit_test(spawn_adds_to_the_environment),
		cmocka_unit_test(spawn_reports_a_missing_program),
		cmocka_unit_test(spawn_run_kills_the_group_at_the_deadline),
		cmocka_unit_test(spawn_status_text_names_signals),
		cmocka_unit_test(spawn_closes_other_descriptors),
		cmocka_unit_test(child_dies_with_its_parent),
		cmocka_unit_test(deadlines_pass_and_never_pass),
		cmocka_unit_test(days),
		cmocka_unit_test(manifests),
		cmocka_unit_test(poll_ends_at_a_stop_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
