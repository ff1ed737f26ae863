// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole agent on a pseudo terminal, with the rig's end of the wire in the test, a DUT made of
 * files and a fio made of shell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "agents/kv.h"
#include "agents/wire.h"
#include "fake_sysfs.h"

#define WAIT_MS 20000 /* sanitized, on a loaded machine; nothing waits for it unless it fails */

int agent_main(int argc, char **argv);

/* The arguments after the first say what it does: sleep, fail, big; else it writes its JSON. */
static const char fake_fio[] =
	"#!/bin/sh\n"
	"[ \"$1\" = --version ] && echo fio-3.33 && exit\n"
	"for a; do case $a in\n"
	"--output=*) out=${a#--output=} ;;\n"
	"--name=sleep) exec sleep 60 ;;\n"
	"--name=nap) sleep 0.3 ;;\n"
	"--name=stubborn) trap '' TERM; sleep 60; sleep 60 ;;\n"
	"--name=fail) echo 'fio: first line' >&2; echo 'fio: it broke' >&2; exit 3 ;;\n"
	"--name=big) i=0; while [ $i -lt 4000 ]; do echo \"line $i of a long output that needs many frames\"; "
	"i=$((i+1)); done ;;\n"
	"esac; done\n"
	"echo \"{ \\\"args\\\": \\\"$*\\\", \\\"lc\\\": \\\"$LC_ALL\\\" }\" >\"$out\"\n";

struct rig {
	char root[64];
	int fd;
	pid_t agent;
	struct wire *wire;
	unsigned int hellos, restarts;
	unsigned int next_id;
	bool started, ended;
	struct kv_list end;
	char hello[512], notes[8192], metrics[2048];
	struct {
		char name[32], *data;
		size_t size, have;
		uint32_t crc;
	} file[8];
	unsigned int files;
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void on_file(struct rig *r, const struct kv_list *list, const char *body, size_t size)
{
	const char *name = kv_get(list, "name", "");
	uint64_t whole = 0, offset = 0;
	unsigned int i = 0;

	assert_int_equal(kv_get_u64(list, "size", &whole), 0);
	assert_int_equal(kv_get_u64(list, "offset", &offset), 0);
	while (i < r->files && strcmp(r->file[i].name, name))
		i++;
	assert_true(i < 8);
	if (i == r->files) {
		r->files++;
		snprintf(r->file[i].name, sizeof(r->file[i].name), "%s", name);
		r->file[i].data = calloc(1, whole + 1);
		r->file[i].size = whole;
		r->file[i].crc = (uint32_t)strtoul(kv_get(list, "crc32", ""), NULL, 16);
	}
	assert_int_equal(offset, r->file[i].have);
	assert_true(offset + size <= whole);
	memcpy(r->file[i].data + offset, body, size);
	r->file[i].have += size;
}

static void on_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	struct rig *r = ctx;
	struct kv_list list;

	if (type == WIRE_NOTE) {
		size_t n = strlen(r->notes);

		snprintf(r->notes + n, sizeof(r->notes) - n, "%.*s\n", (int)size,
			 (const char *)data);
		return;
	}
	assert_int_equal(kv_parse(&list, data, size), 0);
	if (type == WIRE_HELLO) {
		r->hellos++;
		snprintf(r->hello, sizeof(r->hello), "%s", kv_get(&list, "release", ""));
	} else if (type == WIRE_STARTED) {
		r->started = true;
	} else if (type == WIRE_METRIC) {
		size_t n = strlen(r->metrics);

		snprintf(r->metrics + n, sizeof(r->metrics) - n, "%s=%s %s\n",
			 kv_get(&list, "name", ""), kv_get(&list, "value", ""),
			 kv_get(&list, "unit", ""));
	} else if (type == WIRE_FILE) {
		on_file(r, &list, (const char *)data + list.body, size - list.body);
	} else if (type == WIRE_END) {
		r->ended = true;
		kv_list_release(&r->end);
		r->end = list;
		return;
	}
	kv_list_release(&list);
}

static void on_restart(void *ctx, uint16_t epoch, unsigned int lost)
{
	(void)epoch;
	(void)lost;
	((struct rig *)ctx)->restarts++;
}

static const struct wire_ops ops = { on_message, NULL, on_restart };

static void new_wire(struct rig *r)
{
	struct wire_link link = wire_link_console;

	wire_free(r->wire);
	r->wire = wire_new(&ops, r, &link);
	assert_non_null(r->wire);
}

static void pump(struct rig *r, int timeout_ms)
{
	char buf[4096];
	size_t n;
	ssize_t got;
	int wire_ms;
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };

	while ((n = wire_output(r->wire, buf, sizeof(buf), now_ms())))
		assert_int_equal(write(r->fd, buf, n), n);
	wire_ms = wire_timeout(r->wire, now_ms());
	if (wire_ms >= 0 && wire_ms < timeout_ms)
		timeout_ms = wire_ms;
	if (poll(&pfd, 1, timeout_ms) <= 0)
		return;
	got = read(r->fd, buf, sizeof(buf));
	if (got > 0)
		wire_feed(r->wire, buf, (size_t)got, now_ms());
}

static void wait_for(struct rig *r, const bool *what)
{
	uint64_t end_ms = now_ms() + WAIT_MS;

	while (!*what && now_ms() < end_ms)
		pump(r, 100);
	assert_true(*what);
}

static void wait_hello(struct rig *r, unsigned int count)
{
	uint64_t end_ms = now_ms() + WAIT_MS;

	while (r->hellos < count && now_ms() < end_ms)
		pump(r, 100);
	assert_int_equal(r->hellos, count);
}

static void drop_files(struct rig *r)
{
	while (r->files)
		free(r->file[--r->files].data);
	memset(r->file, 0, sizeof(r->file));
}

/* spec: lines beside the id. */
static void send_step(struct rig *r, const char *spec)
{
	char text[2048];
	int n = snprintf(text, sizeof(text), "id=%u\n%s", ++r->next_id, spec);

	drop_files(r);
	r->started = r->ended = false;
	*r->notes = *r->metrics = '\0';
	assert_int_equal(wire_send(r->wire, WIRE_STEP, text, (size_t)n), 0);
}

static const char *run_step(struct rig *r, const char *spec)
{
	send_step(r, spec);
	wait_for(r, &r->ended);
	assert_true(r->started);
	assert_int_equal(atoi(kv_get(&r->end, "id", "")), r->next_id);
	return kv_get(&r->end, "status", "");
}

static const char *file_text(const struct rig *r, const char *name)
{
	for (unsigned int i = 0; i < r->files; i++) {
		if (strcmp(r->file[i].name, name))
			continue;
		assert_int_equal(r->file[i].have, r->file[i].size);
		assert_int_equal(wire_crc32(0, r->file[i].data, r->file[i].size), r->file[i].crc);
		return r->file[i].data;
	}
	return "(absent)";
}

static int64_t end_number(const struct rig *r, const char *key)
{
	int64_t v = INT64_MIN;

	assert_int_equal(kv_get_i64(&r->end, key, &v), 0);
	return v;
}

static void child(int master, const char *root)
{
	char tty[64];
	char *argv[] = { (char *)"rig-agent", (char *)"--tty", tty,
			 (char *)"--root",    (char *)root,    NULL };
	char path[512];

	snprintf(tty, sizeof(tty), "%s", ptsname(master));
	close(master);
	setsid();
	snprintf(path, sizeof(path), "%s/bin:%s", root, getenv("PATH"));
	setenv("PATH", path, 1);
	setenv("LC_ALL", "xx", 1);
	_exit(agent_main(5, argv));
}

static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));
	char path[256];

	assert_non_null(r);
	fake_make(r->root, sizeof(r->root));
	fake_write(r->root, "/bin/fio", fake_fio);
	snprintf(path, sizeof(path), "%s/bin/fio", r->root);
	assert_int_equal(chmod(path, 0755), 0);
	r->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(r->fd >= 0 && !grantpt(r->fd) && !unlockpt(r->fd));
	new_wire(r);
	r->agent = fork();
	assert_true(r->agent >= 0);
	if (!r->agent)
		child(r->fd, r->root);
	*state = r;
	return 0;
}

static int exit_code(struct rig *r, int signal)
{
	int status = -1;

	uint64_t end_ms = now_ms() + WAIT_MS;

	kill(r->agent, signal);
	while (!waitpid(r->agent, &status, WNOHANG)) {
		pump(r, 20);
		if (now_ms() > end_ms)
			kill(r->agent, SIGKILL);
	}
	r->agent = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int teardown(void **state)
{
	struct rig *r = *state;

	/* Sanitizer findings of the agent show in its exit code. */
	if (r->agent)
		assert_int_equal(exit_code(r, SIGTERM), 0);
	drop_files(r);
	kv_list_release(&r->end);
	wire_free(r->wire);
	close(r->fd);
	fake_remove(r->root);
	free(r);
	return 0;
}

static void says_hello_and_does_nothing(void **state)
{
	struct rig *r = *state;
	struct termios t;

	wait_hello(r, 1);
	assert_true(*r->hello);
	assert_string_equal(run_step(r, "kind=noop\n"), "ok");
	assert_string_equal(run_step(r, "kind=teleport\n"), "unsupported");
	assert_non_null(strstr(kv_get(&r->end, "message", ""), "teleport"));
	assert_string_equal(run_step(r, "kind=noop\ntimeout_ms=soon\n"), "failed");
	assert_string_equal(run_step(r, "kind=reboot\n"), "unsupported");
	assert_string_equal(run_step(r, "kind=poweroff\n"), "unsupported");
	assert_int_equal(tcgetattr(r->fd, &t), 0);
	assert_false(t.c_lflag & (ECHO | ICANON));
}

static void runs_fio(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(
		run_step(r, "kind=fio\ntarget=ufs:1\narg=--name=it's\narg=--filename={target}\n"),
		"ok");
	assert_string_equal(kv_get(&r->end, "message", "?"), "");
	assert_int_equal(end_number(r, "exit"), 0);
	assert_non_null(strstr(file_text(r, "fio.json"), "--filename=/dev/sdb"));
	assert_non_null(strstr(file_text(r, "fio.json"), "--output-format=json"));
	assert_non_null(strstr(file_text(r, "fio.json"), "\"lc\": \"C\""));
	assert_non_null(strstr(file_text(r, "command"),
			       "fio '--name=it'\\''s' --filename=/dev/sdb --output="));
	assert_string_equal(file_text(r, "stdout"), "");
	assert_string_equal(file_text(r, "stderr"), "");
}

static void silent_while_it_runs(void **state)
{
	struct rig *r = *state;
	uint64_t in;

	wait_hello(r, 1);
	send_step(r, "kind=fio\narg=--name=nap\n");
	wait_for(r, &r->started);
	/* Until our acknowledgement of STARTED has gone. */
	for (int i = 0; i < 5; i++)
		pump(r, 10);
	in = wire_stats(r->wire)->bytes_in;
	for (int i = 0; i < 10; i++)
		pump(r, 10);
	assert_int_equal(wire_stats(r->wire)->bytes_in, in);
	wait_for(r, &r->ended);
	assert_int_equal(end_number(r, "agent_wakeups"), 0);
	assert_true(end_number(r, "duration_ns") > 290000000);
	print_message("agent while a child runs %lld ms: %lld us CPU, %lld wake-ups\n",
		      (long long)end_number(r, "duration_ns") / 1000000,
		      (long long)end_number(r, "agent_cpu_ns") / 1000,
		      (long long)end_number(r, "agent_wakeups"));
}

static void failures_are_told(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=fio\narg=--name=fail\n"), "failed");
	assert_int_equal(end_number(r, "exit"), 3);
	assert_string_equal(kv_get(&r->end, "message", ""),
			    "fio exited with 3; stderr: fio: it broke");
	assert_non_null(strstr(file_text(r, "stderr"), "first line"));
	assert_string_equal(
		run_step(r, "kind=fio\ntarget=ufs:7\ntarget_wait_ms=10\narg=--name=x\n"), "failed");
	assert_non_null(strstr(kv_get(&r->end, "message", ""), "ufs:7"));
	fake_write(r->root, "/proc/swaps", "Filename\n/dev/sda2  partition\n");
	assert_string_equal(run_step(r, "kind=fio\ntarget=ufs:0\narg=--name=x\n"), "failed");
	assert_non_null(strstr(kv_get(&r->end, "message", ""), "swap"));
}

static void deadline_and_cancel(void **state)
{
	struct rig *r = *state;
	char cancel[32];

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=fio\ntimeout_ms=300\narg=--name=sleep\n"), "timeout");
	assert_string_equal(run_step(r, "kind=fio\ntimeout_ms=1000\narg=--name=stubborn\n"),
			    "timeout");
	assert_int_equal(end_number(r, "signal"), SIGKILL);
	send_step(r, "kind=fio\narg=--name=sleep\n");
	wait_for(r, &r->started);
	assert_int_equal(wire_send(r->wire, WIRE_CANCEL, "id=999\n", 7), 0);
	for (int i = 0; i < 10; i++)
		pump(r, 10);
	assert_false(r->ended);
	snprintf(cancel, sizeof(cancel), "id=%u\n", r->next_id);
	assert_int_equal(wire_send(r->wire, WIRE_CANCEL, cancel, strlen(cancel)), 0);
	wait_for(r, &r->ended);
	assert_string_equal(kv_get(&r->end, "message", ""), "cancelled");
	assert_string_equal(run_step(r, "kind=noop\n"), "ok");
}

static void large_output_comes_whole(void **state)
{
	struct rig *r = *state;
	const char *text;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=fio\narg=--name=big\n"), "ok");
	text = file_text(r, "stdout");
	assert_true(strlen(text) > 180000);
	assert_non_null(strstr(text, "line 3999 of"));
}

static void untune_after_a_failed_step(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=tune\nscheduler=none\n"), "ok");
	assert_string_equal(fake_read(r->root, "/sys/block/sda/queue/nomerges"), "2");
	assert_non_null(strstr(r->notes, "logging: skipped"));
	assert_string_equal(run_step(r, "kind=fio\narg=--name=fail\n"), "failed");
	assert_string_equal(run_step(r, "kind=untune\n"), "ok");
	fake_assert_untouched(r->root);
}

/* Killed politely in the middle of a step: settings restored, child gone. */
static void restores_on_its_own_end(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=tune\n"), "ok");
	send_step(r, "kind=fio\narg=--name=sleep\n");
	wait_for(r, &r->started);
	assert_int_equal(exit_code(r, SIGTERM), 0);
	fake_assert_untouched(r->root);
}

static void fingerprint_is_json(void **state)
{
	struct rig *r = *state;
	const char *text;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=fingerprint\n"), "ok");
	text = file_text(r, "fingerprint.json");
	assert_non_null(strstr(text, "\"scaling_governor\": \"sched_pixel\""));
	assert_non_null(strstr(text, "\"name\": \"cpu10/cpuidle/state1\""));
	assert_non_null(strstr(text, "\"cpu_counts\": \"1234 5\""));
	assert_non_null(strstr(text, "\"fio\": \"fio-3.33\""));
	text = strstr(text, "\"absent\": [");
	assert_non_null(text);
	assert_non_null(strstr(text, "\"temperatures\""));
}

#define SLEEP	"/sys/kernel/debug/rig_sleep"
#define TRACING "/sys/kernel/tracing"

static void short_sleeps(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=usleep\n"), "unsupported");
	assert_non_null(strstr(kv_get(&r->end, "message", ""), "otto-timer"));
	fake_write(r->root, SLEEP "/run", "");
	fake_write(r->root, SLEEP "/samples", "52000\n51999\n9000000\n51000\n");
	assert_string_equal(run_step(r, "kind=usleep\narg=count=4\narg=max_us=30\n"), "ok");
	assert_string_equal(fake_read(r->root, SLEEP "/run"), "4 10 30");
	assert_non_null(strstr(r->metrics, "mean_ns=2288749.75 ns\n"));
	assert_non_null(strstr(r->metrics, "p50_ns=51999 ns\n"));
	assert_non_null(strstr(r->metrics, "max_ns=9000000 ns\n"));
	assert_string_equal(file_text(r, "sleeps"), "51 2\n52 1\n9000 1\n");
	/* fewer than were asked for are none */
	assert_string_equal(run_step(r, "kind=usleep\narg=count=5\n"), "failed");
	assert_non_null(strstr(kv_get(&r->end, "message", ""), "4 samples of 5"));
	assert_string_equal(run_step(r, "kind=usleep\narg=min_us=50\n"), "failed");
}

static void looks_at_interrupts(void **state)
{
	struct rig *r = *state;
	const char *text;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=irqrate\narg=seconds=1\narg=match=ufs\n"), "ok");
	text = file_text(r, "irqrate");
	assert_int_equal(strncmp(text, "# irqrate match=ufs\n# t_ns=", 27), 0);
	assert_non_null(strstr(strstr(text, "ufshcd"), "\n# t_ns="));
	assert_string_equal(run_step(r, "kind=irqrate\narg=looks=1\n"), "failed");
}

static void profiles_a_function(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=funcgraph\narg=function=f\n"), "unsupported");
	fake_write(r->root, TRACING "/function_profile_enabled", "0\n");
	fake_write(r->root, TRACING "/set_ftrace_filter", "schedule\n");
	fake_write(r->root, TRACING "/trace_stat/function0", "table 0\n");
	fake_write(r->root, TRACING "/trace_stat/function1", "table 1\n");
	fake_write(r->root, "/poke", "");
	/* somebody else's is left alone */
	assert_string_equal(run_step(r, "kind=funcgraph\narg=function=f\n"), "failed");
	assert_string_equal(fake_read(r->root, TRACING "/set_ftrace_filter"), "schedule\n");
	fake_write(r->root, TRACING "/set_ftrace_filter", "#### all functions enabled ####\n");
	assert_string_equal(
		run_step(r, "kind=funcgraph\narg=function=f\narg=write=/poke\narg=text=10 20\n"),
		"ok");
	assert_string_equal(fake_read(r->root, "/poke"), "10 20");
	assert_string_equal(file_text(r, "trace_stat"),
			    "# function0\ntable 0\n# function1\ntable 1\n");
	assert_string_equal(fake_read(r->root, TRACING "/function_profile_enabled"), "0");
	assert_string_equal(fake_read(r->root, TRACING "/set_ftrace_filter"), "\n");
}

/* The rig dies in the middle of a step and comes again. */
static void new_rig_in_the_middle(void **state)
{
	struct rig *r = *state;

	wait_hello(r, 1);
	send_step(r, "kind=fio\narg=--name=sleep\n");
	wait_for(r, &r->started);
	new_wire(r);
	wire_probe(r->wire);
	wait_hello(r, 2);
	assert_string_equal(run_step(r, "kind=noop\n"), "ok");
}

/* Ends when the line does: nobody is left to work for. */
static void line_gone(void **state)
{
	struct rig *r = *state;
	int status, i;

	wait_hello(r, 1);
	assert_string_equal(run_step(r, "kind=tune\n"), "ok");
	close(r->fd);
	r->fd = -1;
	for (i = 0; i < WAIT_MS / 10 && !waitpid(r->agent, &status, WNOHANG); i++)
		poll(NULL, 0, 10);
	if (i == WAIT_MS / 10) {
		kill(r->agent, SIGKILL);
		waitpid(r->agent, &status, 0);
	}
	r->agent = 0;
	assert_int_equal(status, 0);
	fake_assert_untouched(r->root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(says_hello_and_does_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(runs_fio, setup, teardown),
		cmocka_unit_test_setup_teardown(silent_while_it_runs, setup, teardown),
		cmocka_unit_test_setup_teardown(failures_are_told, setup, teardown),
		cmocka_unit_test_setup_teardown(deadline_and_cancel, setup, teardown),
		cmocka_unit_test_setup_teardown(large_output_comes_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(untune_after_a_failed_step, setup, teardown),
		cmocka_unit_test_setup_teardown(restores_on_its_own_end, setup, teardown),
		cmocka_unit_test_setup_teardown(fingerprint_is_json, setup, teardown),
		cmocka_unit_test_setup_teardown(short_sleeps, setup, teardown),
		cmocka_unit_test_setup_teardown(looks_at_interrupts, setup, teardown),
		cmocka_unit_test_setup_teardown(profiles_a_function, setup, teardown),
		cmocka_unit_test_setup_teardown(new_rig_in_the_middle, setup, teardown),
		cmocka_unit_test_setup_teardown(line_gone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
