// SPDX-License-Identifier: GPL-2.0-or-later
/* The DUT client against a DUT that is a thread: every way in which a wait can end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/path.h"
#include "base/buf.h"
#include "base/signals.h"
#include "io/console.h"
#include "job/dut.h"
#include "tests/unit/fake_dut.h"

#define RELEASE "6.12.0-fake"

struct bench {
	pthread_t thread;
	int far_fd;
	const char *behaviour;
	struct console *con;
	struct dut *dut;
	struct dut_hello hello;
	struct dut_result result;
	struct err err;
	int findings;
	int files;
	int metrics;
	int notes;
	struct klog_finding last;
	char dir[64];
};

static void on_finding(void *ctx, const struct klog_finding *f)
{
	struct bench *b = ctx;

	b->findings++;
	b->last = *f;
}

static void on_file(void *ctx, const char *name, const void *data, size_t size)
{
	struct bench *b = ctx;

	assert_true(*name && data && size);
	b->files++;
}

static void on_metric(void *ctx, const char *name, const char *value, const char *unit)
{
	struct bench *b = ctx;

	assert_string_equal(name, "read.iops");
	assert_string_equal(value, "1234.5");
	assert_string_equal(unit, "IOPS");
	b->metrics++;
}

static void on_note(void *ctx, const char *text)
{
	struct bench *b = ctx;

	assert_string_equal(text, "no cpufreq here");
	b->notes++;
}

static const struct dut_hooks hooks = { on_finding, on_file, on_metric, on_note };

static void *serve(void *arg)
{
	struct bench *b = arg;

	fake_dut(b->far_fd, b->behaviour, RELEASE);
	return NULL;
}

static void start(struct bench *b, const char *behaviour, int peer_fd)
{
	int pair[2];
	char *log;
	char *index;

	memset(b, 0, sizeof(*b));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	snprintf(b->dir, sizeof(b->dir), "/tmp/rig-dut.XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	log = path_join(b->dir, "console.log");
	index = path_join(b->dir, "console.idx");
	b->far_fd = pair[1];
	b->behaviour = behaviour;
	b->con = console_new(pair[0]);
	assert_int_equal(console_record(b->con, log, index), 0);
	b->dut = dut_new(b->con, &wire_link_console, peer_fd, &hooks, b);
	assert_int_equal(pthread_create(&b->thread, NULL, serve, b), 0);
	free(log);
	free(index);
}

static void stop(struct bench *b)
{
	dut_free(b->dut);
	console_free(b->con);
	pthread_join(b->thread, NULL);
	path_remove(b->dir);
}

static int hello(struct bench *b, unsigned int ms)
{
	return dut_wait_hello(b->dut, &b->hello, deadline_in(ms), &b->err);
}

static int run(struct bench *b, const char *kind, unsigned int ms)
{
	static const char *const args[] = { "--name=x" };
	struct dut_step s = {
		.kind = kind, .target = "ufs:0", .args = args, .n_args = 1, .timeout_ms = 1000
	};

	return dut_run(b->dut, &s, &b->result, deadline_in(ms), &b->err);
}

static void expect(const struct bench *b, enum blame blame, const char *code, const char *part)
{
	if (b->err.blame != blame || strcmp(b->err.code, code) != 0 ||
	    !strstr(b->err.message, part))
		fail_msg("got %s/%s/%s", blame_name(b->err.blame), b->err.code, b->err.message);
}

static void good_steps(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "good", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_string_equal(b.hello.release, RELEASE);
	assert_int_equal(run(&b, "tune", 3000), 0);
	assert_int_equal(run(&b, "fio", 3000), 0);
	assert_int_equal(b.result.status, DUT_OK);
	assert_int_equal(b.result.agent_cpu_ns, 10);
	assert_int_equal(b.files, 2);
	assert_int_equal(b.metrics, 1);
	assert_int_equal(b.notes, 1);
	assert_int_equal(b.findings, 0);
	stop(&b);
}

static void noise_before_hello(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "garbage", -1);
	assert_int_equal(hello(&b, 5000), 0);
	assert_int_equal(run(&b, "fio", 3000), 0);
	assert_int_equal(b.result.status, DUT_OK);
	stop(&b);
}

static void no_hello(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "hang", -1);
	assert_int_equal(hello(&b, 600), -1);
	expect(&b, BLAME_BOARD, "boot-timeout", "'[    0.100000] booting'");
	stop(&b);
}

static void panic_at_boot(void **state)
{
	struct bench b;
	uint64_t begin = mono_ms();

	(void)state;
	start(&b, "panic-boot", -1);
	assert_int_equal(hello(&b, 20000), -1);
	expect(&b, BLAME_KERNEL, "panic", "fake canary");
	assert_in_range(mono_ms() - begin, 0, 5000);
	stop(&b);
}

/* The title, within 5 s, with offsets that point at the text in the record. */
static void panic_in_step(void **state)
{
	struct buf log = BUF_INIT;
	struct bench b;
	uint64_t begin;
	char *path;

	(void)state;
	start(&b, "panic", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "tune", 3000), 0);
	begin = mono_ms();
	assert_int_equal(run(&b, "fio", 20000), -1);
	expect(&b, BLAME_KERNEL, "panic", "fake canary");
	assert_in_range(mono_ms() - begin, 0, 5000);
	assert_int_equal(b.findings, 1);
	path = path_join(b.dir, "console.log");
	assert_int_equal(path_read(path, &log, 1 << 20), 0);
	assert_in_range(b.last.begin, 1, log.size - 1);
	assert_memory_equal(log.data + b.last.begin, "[    1.500000] Kernel panic", 27);
	assert_true(strstr(log.data + b.last.begin, "---[ end Kernel panic") <
		    log.data + b.last.end);
	free(path);
	buf_release(&log);
	stop(&b);
}

static void warning_goes_on(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "warn", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "fio", 5000), 0);
	assert_int_equal(b.result.status, DUT_OK);
	assert_int_equal(dut_pause(b.dut, 400, &b.err), 0);
	assert_int_equal(b.findings, 1);
	assert_non_null(strstr(b.last.title, "ufshcd_fake"));
	stop(&b);
}

static void step_outcomes(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "fail", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "fio", 3000), 0);
	assert_int_equal(b.result.status, DUT_FAILED);
	assert_string_equal(b.result.message, "fio: no such engine");
	assert_int_equal(run(&b, "untune", 3000), 0);
	assert_int_equal(b.result.status, DUT_OK);
	stop(&b);

	start(&b, "damaged", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "fio", 3000), 0);
	assert_int_equal(b.result.status, DUT_FAILED);
	assert_int_equal(b.files, 0);
	stop(&b);
}

static void silent_reset(void **state)
{
	static const char *const ways[] = { "reset", "banner" };
	struct bench b;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		start(&b, ways[i], -1);
		assert_int_equal(hello(&b, 3000), 0);
		assert_int_equal(run(&b, "fio", 10000), -1);
		expect(&b, BLAME_BOARD, "silent-reset", "");
		stop(&b);
	}
}

static void lost(void **state)
{
	struct bench b;

	(void)state;
	start(&b, "die", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "fio", 10000), -1);
	expect(&b, BLAME_BOARD, "console-lost", "");
	stop(&b);

	start(&b, "mute", -1);
	assert_int_equal(hello(&b, 3000), 0);
	assert_int_equal(run(&b, "fio", 500), -1);
	expect(&b, BLAME_BOARD, "wire-lost", "no answer");
	stop(&b);
}

static void supervisor_gone(void **state)
{
	struct bench b;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	start(&b, "mute", pair[0]);
	assert_int_equal(hello(&b, 3000), 0);
	close(pair[1]);
	assert_int_equal(run(&b, "fio", 10000), -1);
	expect(&b, BLAME_RIG, "supervisor-gone", "");
	close(pair[0]);
	stop(&b);
}

static void cancelled(void **state)
{
	struct bench b;

	(void)state;
	stop_install();
	start(&b, "mute", -1);
	assert_int_equal(hello(&b, 3000), 0);
	kill(getpid(), SIGTERM);
	assert_int_equal(run(&b, "fio", 10000), -1);
	stop_clear();
	expect(&b, BLAME_USER, "cancelled", "");
	stop(&b);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_steps),	 cmocka_unit_test(noise_before_hello),
		cmocka_unit_test(no_hello),	 cmocka_unit_test(panic_at_boot),
		cmocka_unit_test(panic_in_step), cmocka_unit_test(warning_goes_on),
		cmocka_unit_test(step_outcomes), cmocka_unit_test(silent_reset),
		cmocka_unit_test(lost),		 cmocka_unit_test(supervisor_gone),
		cmocka_unit_test(cancelled),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
