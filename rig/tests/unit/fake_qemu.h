/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU for tests: QMP on stdin and stdout, and behind -chardev socket,id=console,fd=N the DUT of
 * fake_dut.h. A test names itself as `qemu:` in its lab file and calls fake_qemu_main() first:
 *
 *	-kernel FILE	the release that the DUT reports is what the file holds
 *	-append "..."	fake=WORD says how it behaves; fake-qemu=exit|mute is about the program;
 *			fake-iops=N, fake-step-ms=N, fake-swing=X are for fake=numbers. Such
 *			words may stand in a file "fake" beside the kernel, too
 */
#ifndef RIG_TESTS_FAKE_QEMU_H
#define RIG_TESTS_FAKE_QEMU_H

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/path.h"
#include "tests/unit/fake_dut.h"

struct fake_qemu {
	int console_fd;
	char behaviour[32];
	char release[128];
};

static inline void *fake_qemu_dut(void *arg)
{
	struct fake_qemu *q = arg;

	fake_dut(q->console_fd, q->behaviour, q->release);
	fprintf(stderr, "fake qemu: the machine is gone\n");
	_exit(5);
}

static inline const char *fake_qemu_word(const char *cmdline, const char *key, char *word)
{
	const char *p = strstr(cmdline, key);

	word[0] = '\0';
	if (p)
		sscanf(p + strlen(key), "%31s", word);
	return word;
}

static inline void fake_qemu_answer(struct fake_qemu *q, const char *line)
{
	static const char ok[] = "{\"return\": {}}\r\n";
	pthread_t thread;

	if (write(1, ok, sizeof(ok) - 1) < 0)
		_exit(0);
	if (strstr(line, "\"cont\""))
		pthread_create(&thread, NULL, fake_qemu_dut, q);
}

static inline int fake_qemu_run(struct fake_qemu *q)
{
	static const char greeting[] = "{\"QMP\": {}}\r\n";
	char line[4096];

	if (write(1, greeting, sizeof(greeting) - 1) < 0)
		return 1;
	while (fgets(line, sizeof(line), stdin))
		fake_qemu_answer(q, line);
	return 0;
}

static inline void fake_qemu_beside(const char *kernel, struct buf *words)
{
	const char *slash = strrchr(kernel, '/');
	char *path =
		xasprintf("%.*s/fake", slash ? (int)(slash - kernel) : 1, slash ? kernel : ".");

	path_read(path, words, 4096);
	free(path);
}

/* By turns 1 and -1, from boot to boot: noise that is the same in every run of a test. */
static inline int fake_qemu_side(void)
{
	char *path = path_in_home("fake-swing");
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	off_t n = fd >= 0 && write(fd, "x", 1) == 1 ? lseek(fd, 0, SEEK_END) : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return n % 2 ? 1 : -1;
}

static int fake_qemu_console = -1;

/* SIGUSR1: the console hangs up, the machine goes on. */
static inline void fake_qemu_hang_up(int sig)
{
	(void)sig;
	shutdown(fake_qemu_console, SHUT_RDWR);
}

/* Does not return when this process was started as a QEMU. */
static inline void fake_qemu_main(int argc, char **argv)
{
	struct fake_qemu q = { .console_fd = -1 };
	const char *append = "";
	char word[32];
	struct buf text = BUF_INIT;
	struct buf words = BUF_INIT;

	if (argc < 2 || strcmp(argv[1], "-S"))
		return;
	for (int i = 1; i + 1 < argc; i++) {
		if (!strncmp(argv[i + 1], "socket,id=console,fd=", 21))
			q.console_fd = (int)strtol(argv[i + 1] + 21, NULL, 10);
		if (!strcmp(argv[i], "-kernel") && path_read(argv[i + 1], &text, 4096) == 0)
			snprintf(q.release, sizeof(q.release), "%.100s", buf_str(&text));
		if (!strcmp(argv[i], "-kernel"))
			fake_qemu_beside(argv[i + 1], &words);
		if (!strcmp(argv[i], "-append"))
			append = argv[i + 1];
	}
	buf_release(&text);
	buf_addf(&words, " %s", append);
	append = buf_str(&words);
	fake_qemu_word(append, "fake-qemu=", word);
	if (!strcmp(word, "exit")) {
		fprintf(stderr, "qemu: no such device\nqemu: giving up\n");
		_exit(3);
	}
	if (!strcmp(word, "mute"))
		pause();
	if (*fake_qemu_word(append, "fake-iops=", word))
		fake_iops = strtod(word, NULL);
	if (*fake_qemu_word(append, "fake-step-ms=", word))
		fake_step_ms = (int)strtol(word, NULL, 10);
	if (*fake_qemu_word(append, "fake-swing=", word))
		fake_iops *= 1 + fake_qemu_side() * strtod(word, NULL);
	srandom((unsigned int)mono_ns());
	fake_qemu_word(append, "fake=", q.behaviour);
	fake_qemu_console = q.console_fd;
	signal(SIGUSR1, fake_qemu_hang_up);
	_exit(fake_qemu_run(&q));
}

#endif
