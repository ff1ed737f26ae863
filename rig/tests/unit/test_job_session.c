// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole sessions on a virtual board whose QEMU is a fake: what order, what is in the run directory,
 * and who is to blame for what.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/signals.h"
#include "board/board.h"
#include "board/lab.h"
#include "job/collect.h"
#include "job/job.h"
#include "job/journal.h"
#include "base/manifest.h"
#include "suite/plan.h"
#include "tests/unit/fake_qemu.h"

#define HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static char home[64];

/* One session from lab to journal, opened piece by piece as rig-job does. */
struct session {
	struct lab *lab;
	struct plan plan;
	struct manifest manifests[3];
	struct rundir dir;
	struct job job;
	struct err err;
	json_t *events;
	int rc;
};

static int set_up(void **state)
{
	static const char manifest[] = "image=Image\nrelease=6.12.0-fake\n"
				       "board=virt-ufs\narch=arm64\n";
	char *entry;

	(void)state;
	snprintf(home, sizeof(home), "/tmp/rig-session.XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("RIG_HOME", home, 1);
	entry = path_join(home, "Image");
	path_write(entry, "6.12.0-fake", 11);
	free(entry);
	entry = path_join(home, "manifest");
	path_write(entry, manifest, sizeof(manifest) - 1);
	free(entry);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(home);
	return 0;
}

static void add_kernel(struct plan *plan, const char *variant, const char *cmdline)
{
	struct plan_kernel k = {
		.series = (char *)(uintptr_t) "test",
		.variant = (char *)(uintptr_t)variant,
		.id = (char *)(uintptr_t) "0123456789abcdef",
		.entry = home,
		.cmdline = (char *)(uintptr_t)cmdline,
	};

	plan_add_kernel(plan, &k);
}

/* Steps: tune, one workload, dmesg, untune; one warm-up, two rounds. */
static void make_plan(struct plan *plan)
{
	static const char json[] =
		"{\"format\":1,\"suite\":{\"name\":\"s\",\"hash\":\"" HASH "\",\"profile\":\"\","
		"\"notes\":[]},\"board\":\"virt-ufs\",\"kernels\":[],"
		"\"pairs\":{\"fixed\":0,\"min\":2,\"max\":4},\"warmup\":1,\"steps\":["
		"{\"kind\":\"tune\",\"timeout_ms\":1000,"
		"\"pause_ms\":0,\"args\":[]},"
		"{\"kind\":\"fio\",\"workload\":\"randread/1\",\"target\":\"ufs:0\","
		"\"timeout_ms\":1000,\"pause_ms\":10,\"args\":[\"--name=x\"]},"
		"{\"kind\":\"fingerprint\",\"timeout_ms\":1000,"
		"\"pause_ms\":0,\"args\":[]},"
		"{\"kind\":\"dmesg\",\"timeout_ms\":1000,"
		"\"pause_ms\":0,\"args\":[]},"
		"{\"kind\":\"untune\",\"timeout_ms\":1000,"
		"\"pause_ms\":0,\"args\":[]}],\"metrics\":[]}";
	struct err err = ERR_INIT;
	json_t *o = json_loads(json, 0, NULL);

	if (plan_from_json(o, plan, &err))
		fail_msg("%s", err.message);
	json_decref(o);
}

static void read_events(struct session *s)
{
	char *path = path_join(s->dir.path, RUNDIR_EVENTS);
	struct buf text = BUF_INIT;
	char *next;

	assert_int_equal(path_read(path, &text, 1 << 20), 0);
	s->events = json_array();
	for (char *p = text.data; p && *p; p = next + 1) {
		next = strchr(p, '\n');
		assert_non_null(next);
		json_array_append_new(s->events, json_loadb(p, (size_t)(next - p), 0, NULL));
	}
	buf_release(&text);
	free(path);
}

static void open_session(struct session *s, const char *base, const char *candidate, int control)
{
	static const char text[] = "boards:\n- name: virt-ufs\n  type: virt-ufs\n"
				   "  qemu: /proc/self/exe\n  boot_timeout_s: 1\n";
	struct session_info info = { .plan = &s->plan, .manifests = s->manifests };
	char *dir = path_in_home("runs/20260101-000000-s-000000");
	char *events;
	size_t n;
	const struct lab_type *types = board_lab_types(&n);

	memset(s, 0, sizeof(*s));
	s->lab = lab_parse("test", text, sizeof(text) - 1, types, n, &s->err);
	assert_non_null(s->lab);
	make_plan(&s->plan);
	add_kernel(&s->plan, "original", base);
	if (candidate)
		add_kernel(&s->plan, "threaded", candidate);
	for (size_t i = 0; i < s->plan.n_kernels; i++)
		assert_int_equal(manifest_read(&s->manifests[i], home, "virt-ufs", &s->err), 0);
	info.board = lab_board(s->lab, 0);
	assert_int_equal(board_open(&s->job.board, info.board, "test", &s->err), 0);
	if (rundir_create(&s->dir, dir, &info, &s->err))
		fail_msg("%s", s->err.message);
	events = path_join(dir, RUNDIR_EVENTS);
	assert_int_equal(journal_open(&s->job.journal, events, control, &s->err), 0);
	s->job.plan = &s->plan;
	s->job.manifests = s->manifests;
	s->job.initrd = s->manifests[0].image;
	s->job.dir = &s->dir;
	s->job.control_fd = control;
	free(events);
	free(dir);
}

static void run(struct session *s)
{
	s->rc = session_run(&s->job, &s->err);
	read_events(s);
}

static void close_session(struct session *s)
{
	/* whatever happened, no QEMU is left */
	char *state = path_in_home("boards/virt-ufs.state");

	assert_false(path_exists(state));
	free(state);
	journal_close(s->job.journal);
	board_close(s->job.board);
	path_remove(s->dir.path);
	rundir_release(&s->dir);
	for (size_t i = 0; i < s->plan.n_kernels; i++)
		manifest_release(&s->manifests[i]);
	plan_release(&s->plan);
	lab_free(s->lab);
	json_decref(s->events);
}

static json_t *find(struct session *s, const char *ev, size_t nth)
{
	json_t *e;
	size_t i;

	json_array_foreach (s->events, i, e) {
		const char *name = json_string_value(json_object_get(e, "ev"));

		if (name && !strcmp(name, ev) && nth-- == 0)
			return e;
	}
	return NULL;
}

static size_t count(struct session *s, const char *ev)
{
	size_t n = 0;

	while (find(s, ev, n))
		n++;
	return n;
}

static const char *str(json_t *e, const char *key)
{
	const char *text = json_string_value(json_object_get(e, key));

	return text ? text : "";
}

static int num(json_t *e, const char *key)
{
	return (int)json_integer_value(json_object_get(e, key));
}

static void expect(struct session *s, const char *result, const char *blame, const char *code,
		   const char *part)
{
	json_t *fault = find(s, "fault", 0);
	const char *got = str(find(s, "session-end", 0), "result");

	if (strcmp(got, result) != 0 || strcmp(str(fault, "blame"), blame) != 0 ||
	    strcmp(str(fault, "code"), code) != 0 || !strstr(str(fault, "message"), part))
		fail_msg("got %s, fault %s/%s/%s", got, str(fault, "blame"), str(fault, "code"),
			 str(fault, "message"));
	assert_int_equal(count(s, "session-end"), 1);
	assert_int_equal(count(s, "visit-start"), count(s, "visit-end"));
	assert_int_equal(count(s, "visit-end"), count(s, "power-off"));
}

static void in_dir(struct session *s, const char *name, bool wanted)
{
	char *path = path_join(s->dir.path, name);

	if (path_exists(path) != wanted)
		fail_msg("%s: %s", path, wanted ? "missing" : "there");
	free(path);
}

/* --- what goes well ----------------------------------------------------------------------- */

static void mirrored_rounds(void **state)
{
	static const int kernels[] = { 0, 0, 1, 1, 0 }; /* warm-up, A B, B A */
	struct session s;

	(void)state;
	open_session(&s, "fake=good", "fake=good", -1);
	run(&s);
	assert_int_equal(s.rc, 0);
	expect(&s, "complete", "", "", "");
	assert_int_equal(count(&s, "visit-start"), 5);
	for (size_t i = 0; i < 5; i++) {
		json_t *v = find(&s, "visit-start", i);

		assert_int_equal(num(v, "visit"), i + 1);
		assert_int_equal(num(v, "kernel"), kernels[i]);
		assert_int_equal(num(v, "pair"), (i + 1) / 2);
		assert_int_equal(json_is_true(json_object_get(v, "warmup")), i == 0);
		assert_string_equal(str(find(&s, "visit-end", i), "result"), "ok");
	}
	assert_int_equal(count(&s, "step-end"), 25);
	assert_string_equal(str(find(&s, "step-start", 1), "dir"),
			    "visits/001-original/steps/01-randread_1");
	in_dir(&s, "session.json", true);
	in_dir(&s, "visits/003-threaded/console.log", true);
	in_dir(&s, "visits/003-threaded/console.idx", true);
	in_dir(&s, "visits/003-threaded/dmesg", true);
	in_dir(&s, "visits/003-threaded/fingerprint.json", true);
	in_dir(&s, "visits/003-threaded/steps/00-tune/notes", true);
	in_dir(&s, "visits/003-threaded/steps/01-randread_1/fio.json", true);
	in_dir(&s, "visits/003-threaded/steps/01-randread_1/command", true);
	in_dir(&s, "visits/003-threaded/steps/01-randread_1/metrics.jsonl", true);
	close_session(&s);
}

static void session_file(void **state)
{
	struct session s;
	char *path;
	json_t *o;
	json_t *k;

	(void)state;
	open_session(&s, "fake=good", NULL, -1);
	path = path_join(s.dir.path, RUNDIR_SESSION);
	o = json_load_file(path, 0, NULL);
	free(path);
	assert_non_null(o);
	assert_int_equal(num(o, "format"), 1);
	assert_string_equal(str(o, "session"), "20260101-000000-s-000000");
	assert_string_equal(str(json_object_get(o, "board"), "name"), "virt-ufs");
	k = json_array_get(json_object_get(o, "kernels"), 0);
	assert_string_equal(str(k, "label"), "original");
	assert_string_equal(str(k, "release"), "6.12.0-fake");
	assert_true(json_is_object(json_object_get(o, "plan")));
	json_decref(o);
	run(&s);
	close_session(&s);
}

/* The answers wait in the socket before they are asked for. */
static void supervised(void **state)
{
	static const struct {
		const char *answers;
		const char *result;
		size_t visits;
	} cases[] = {
		{ "enough\n", "enough", 3 },
		{ "more\n", "cancelled", 5 }, /* and then it hangs up */
	};
	struct session s;
	char got[65536];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
		open_session(&s, "fake=good", "fake=good", fds[0]);
		assert_true(write(fds[1], cases[i].answers, strlen(cases[i].answers)) > 0);
		if (i == 1)
			shutdown(fds[1], SHUT_WR);
		run(&s);
		assert_string_equal(str(find(&s, "session-end", 0), "result"), cases[i].result);
		if (i == 0)
			assert_int_equal(count(&s, "visit-start"), cases[i].visits);
		assert_true(read(fds[1], got, sizeof(got)) > 0);
		close_session(&s);
		close(fds[0]);
		close(fds[1]);
	}
}

static void warning_is_a_finding(void **state)
{
	struct session s;
	json_t *f;

	(void)state;
	open_session(&s, "fake=good", "fake=warn", -1);
	run(&s);
	assert_int_equal(s.rc, 0);
	expect(&s, "complete", "", "", "");
	assert_int_equal(count(&s, "finding"), 2);
	f = find(&s, "finding", 0);
	assert_int_equal(num(f, "visit"), 3);
	assert_string_equal(str(f, "kind"), "warning");
	assert_int_equal(strlen(str(f, "signature")), 16);
	assert_string_equal(str(f, "signature"), str(find(&s, "finding", 1), "signature"));
	assert_true(json_is_array(json_object_get(f, "trace")));
	close_session(&s);
}

/* What a board has no device for is left out; the visit goes on, and the gate sees why. */
static void lack_is_left_out(void **state)
{
	struct session s;
	size_t n = 0;

	(void)state;
	open_session(&s, "fake=lack", "fake=lack", -1);
	run(&s);
	assert_int_equal(s.rc, 0);
	expect(&s, "complete", "", "", "");
	assert_int_equal(count(&s, "fault"), 0);
	for (size_t i = 0; find(&s, "step-end", i); i++)
		n += !strcmp(str(find(&s, "step-end", i), "status"), "unsupported");
	assert_true(n > 0 && n == count(&s, "visit-end"));
	close_session(&s);
}

/* The same again and again is told so often, and does not hide what comes after it. */
static void storm(void **state)
{
	struct session s;
	size_t n;

	(void)state;
	open_session(&s, "fake=storm", NULL, -1);
	s.plan.warmup = 0;
	s.plan.pairs.fixed = 1;
	run(&s);
	n = count(&s, "finding");
	assert_int_equal(n, COLLECT_SAME_MAX + 1);
	assert_string_equal(str(find(&s, "finding", n - 1), "kind"), "atomic");
	close_session(&s);
}

/* --- who is to blame ---------------------------------------------------------------------- */

static void faults(void **state)
{
	static const struct {
		const char *base, *candidate;
		const char *result, *blame, *code, *part;
		int kernel;
		size_t controls;
	} cases[] = {
		{ "good", "panic", "kernel-fault", "KERNEL", "panic", "fake canary", 1, 0 },
		{ "good", "panic-boot", "kernel-fault", "KERNEL", "panic", "fake canary", 1, 1 },
		/* it does not come up: again, the baseline, and once more */
		{ "good", "hang", "kernel-fault", "KERNEL", "boot-timeout", "'[    0.100000] boot",
		  1, 3 },
		{ "good", "hang-first", "fault", "BOARD", "boot-timeout", "came up when it was", 1,
		  1 },
		{ "good", "hang-twice", "fault", "BOARD", "boot-timeout", "came up when it was", 1,
		  3 },
		{ "panic", "good", "kernel-fault", "KERNEL", "panic", "fake canary", 0, 0 },
		{ "hang", "good", "fault", "BOARD", "boot-timeout", "boot: no agent hello in ", 0,
		  0 },
		{ "good", "fail", "fault", "TEST", "step-failed", "no such engine", 1, 0 },
		{ "good", "damaged", "fault", "TEST", "step-failed", "damaged", 1, 0 },
		{ "good", "die", "fault", "BOARD", "qemu-died", "exit code 5", 1, 0 },
		{ "good", "die-boot", "fault", "BOARD", "qemu-died", "exit code 5", 1, 0 },
		/* silent after hello: again, and then the baseline up to the same step */
		{ "good", "reset", "kernel-fault", "KERNEL", "silent-reset", "got through", 1, 2 },
		{ "good", "late", "kernel-fault", "KERNEL", "hang", "ended after its time", 1, 2 },
		{ "good", "late-first", "fault", "TEST", "step-timeout", "it got through", 1, 1 },
		{ "late-third", "late", "fault", "TEST", "step-timeout", "baseline failed", 1, 2 },
		{ "late", "good", "fault", "TEST", "step-timeout", "timeout", 0, 0 },
	};
	struct session s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char base[32];
		char candidate[32];

		snprintf(base, sizeof(base), "fake=%s", cases[i].base);
		snprintf(candidate, sizeof(candidate), "fake=%s", cases[i].candidate);
		open_session(&s, base, candidate, -1);
		run(&s);
		assert_int_equal(s.rc, -1);
		expect(&s, cases[i].result, cases[i].blame, cases[i].code, cases[i].part);
		assert_int_equal(num(find(&s, "fault", 0), "kernel"), cases[i].kernel);
		assert_int_equal(count(&s, "fault"), 1);
		size_t controls = 0;
		for (size_t v = 0; find(&s, "visit-start", v); v++)
			controls += json_is_true(
				json_object_get(find(&s, "visit-start", v), "control"));
		assert_int_equal(controls, cases[i].controls);
		close_session(&s);
	}
}

/* A control visit runs the steps up to the one in question, and those that put the DUT back. */
static void control_visits(void **state)
{
	static const int kernels[] = { 0, 0, 1, 1, 0 };
	struct session s;

	(void)state;
	open_session(&s, "fake=good", "fake=late", -1);
	run(&s);
	assert_int_equal(count(&s, "visit-start"), 5);
	for (size_t i = 0; i < 5; i++) {
		json_t *v = find(&s, "visit-start", i);

		assert_int_equal(num(v, "kernel"), kernels[i]);
		assert_int_equal(json_is_true(json_object_get(v, "control")), i > 2);
		if (i > 2)
			assert_int_equal(num(v, "pair"), 0);
	}
	/* two whole visits, then tune, fio, dmesg, untune: no fingerprint, which was not in
	 * question */
	assert_int_equal(count(&s, "step-start"), 2 * 5 + 3 * 4);
	assert_string_equal(str(find(&s, "visit-end", 4), "result"), "ok");
	assert_int_equal(num(find(&s, "fault", 0), "visit"), 3);
	close_session(&s);
}

/* After a failed step the DUT is put back and asked for its log, but no workload runs. */
static void after_failed_step(void **state)
{
	static const char *const kinds[] = { "tune", "fio", "dmesg", "untune" };
	size_t n;
	struct session s;

	(void)state;
	open_session(&s, "fake=fail", NULL, -1);
	run(&s);
	n = count(&s, "step-end");
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(str(find(&s, "step-end", i), "kind"), kinds[i]);
	expect(&s, "fault", "TEST", "step-failed",
	       "virt-ufs: fio randread/1: failed: fio: no such engine");
	close_session(&s);
}

static void wrong_kernel(void **state)
{
	struct session s;
	char *image = path_join(home, "Image");

	(void)state;
	open_session(&s, "fake=good", NULL, -1);
	path_write(image, "6.1.0-other", 11);
	run(&s);
	expect(&s, "fault", "BOARD", "wrong-kernel", "'6.1.0-other' instead of '6.12.0-fake'");
	path_write(image, "6.12.0-fake", 11);
	free(image);
	close_session(&s);
}

static void cancelled(void **state)
{
	struct session s;
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	(void)state;
	stop_install();
	open_session(&s, "fake=mute", NULL, -1);
	if (fork() == 0) {
		sigaction(SIGINT, &ignore, NULL);
		poll(NULL, 0, 500);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	run(&s);
	expect(&s, "cancelled", "USER", "cancelled", "");
	stop_clear();
	close_session(&s);
}

static void used_directory(void **state)
{
	struct session_info info = { 0 };
	struct rundir again;
	struct session s;
	struct err err = ERR_INIT;

	(void)state;
	open_session(&s, "fake=good", NULL, -1);
	assert_int_equal(rundir_create(&again, s.dir.path, &info, &err), -1);
	assert_non_null(strstr(err.message, "belongs to a running job"));
	run(&s);
	close(s.dir.lock_fd);
	s.dir.lock_fd = -1;
	assert_int_equal(rundir_create(&again, s.dir.path, &info, &err), -1);
	assert_int_equal(err.blame, BLAME_USER);
	assert_non_null(strstr(err.message, "holds a session already"));
	/* names from the DUT stay inside */
	assert_int_equal(rundir_put(&s.dir, "visits", "../x", "x", 1, &err), -1);
	assert_int_equal(rundir_put(&s.dir, "visits", ".x", "x", 1, &err), -1);
	close_session(&s);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mirrored_rounds, set_up, tear_down),
		cmocka_unit_test_setup_teardown(session_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(supervised, set_up, tear_down),
		cmocka_unit_test_setup_teardown(warning_is_a_finding, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lack_is_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(storm, set_up, tear_down),
		cmocka_unit_test_setup_teardown(faults, set_up, tear_down),
		cmocka_unit_test_setup_teardown(control_visits, set_up, tear_down),
		cmocka_unit_test_setup_teardown(after_failed_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(wrong_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cancelled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(used_directory, set_up, tear_down),
	};

	fake_qemu_main(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
