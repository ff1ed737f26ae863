/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test programs that run on umockdev: one bed, a directory, and helpers for files in it. */
#ifndef RIG_TESTS_MOCK_MAIN_H
#define RIG_TESTS_MOCK_MAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/path.h"
#include "base/spawn.h"
#include "rig/tests/fakes/umock-usb.h"

static struct mock_bed *bed;
static char dir[64];

/* For cmocka's group. umockdev allows one bed a process at a time. */
static int bed_up(void **state)
{
	(void)state;
	bed = mock_bed_new();
	snprintf(dir, sizeof(dir), "/tmp/rig-mock.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int bed_down(void **state)
{
	(void)state;
	mock_bed_free(bed);
	path_remove(dir);
	return 0;
}

/* The directory of the test, empty. */
static inline void fresh_dir(void)
{
	path_remove(dir);
	assert_int_equal(mkdir(dir, 0755), 0);
}

/* A limit that is no part of the test. */
static inline struct deadline soon(void)
{
	return deadline_in(60000);
}

/* dir/name with n bytes of which every fourth KiB is zeros; opened for reading and writing. */
static inline int make_file(const char *name, size_t n, unsigned int seed)
{
	char *path = path_join(dir, name);
	uint8_t *data = xcalloc(1, n + 1);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245u + 12345u;
		data[i] = (i >> 13) % 4 == 3 ? 0 : (uint8_t)(seed >> 16);
	}
	assert_int_equal(write(fd, data, n), n);
	free(data);
	free(path);
	return fd;
}

/* The two are the same up to n bytes; b may be longer, and is zero there. */
static inline void assert_same_bytes(int a, const char *b_name, size_t n)
{
	char *path = path_join(dir, b_name);
	int b = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *x = xmalloc(n), *y = xmalloc(n), rest[4096];
	ssize_t more;

	assert_true(b >= 0);
	assert_int_equal(pread(a, x, n, 0), n);
	assert_int_equal(pread(b, y, n, 0), n);
	assert_int_equal(memcmp(x, y, n), 0);
	more = pread(b, rest, sizeof(rest), (off_t)n);
	for (ssize_t i = 0; i < more; i++)
		assert_int_equal(rest[i], 0);
	close(b);
	free(x);
	free(y);
	free(path);
}

/* Runs a program against the same devices; its exit code. */
static inline int run_program(const char *const *argv, struct buf *out)
{
	struct spawn s = SPAWN_INIT;

	s.argv = argv;
	s.err = STDOUT_FILENO;
	return spawn_run(&s, out, deadline_in(10000));
}

#endif
