// SPDX-License-Identifier: GPL-2.0-or-later
/* The board table against itself, and the virtual board's process handling with a fake QEMU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/spawn.h"
#include "board/driver.h"
#include "board/lab.h"
#include "board/proc.h"
#include "tests/unit/fake_qemu.h"

static char home[64];
static char *kernel;
static char *state_path;

static int set_up(void **state)
{
	char *boards;

	(void)state;
	snprintf(home, sizeof(home), "/tmp/rig-board.XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("RIG_HOME", home, 1);
	kernel = path_join(home, "Image");
	state_path = path_in_home("boards/virt-ufs.state");
	boards = path_in_home("boards");
	path_mkdirs(boards);
	free(boards);
	return path_write(kernel, "6.12.0-fake", 11);
}

static int tear_down(void **state)
{
	(void)state;
	path_remove(home);
	free(kernel);
	free(state_path);
	return 0;
}

static struct lab *lab_with(const char *keys)
{
	char *text = xasprintf("boards:\n- name: virt-ufs\n  type: virt-ufs\n%s", keys);
	struct err err = ERR_INIT;
	struct lab *lab;
	size_t n;
	const struct lab_type *types = board_lab_types(&n);

	lab = lab_parse("test", text, strlen(text), types, n, &err);
	if (!lab)
		fail_msg("%s", err.message);
	free(text);
	return lab;
}

static struct lab *fake_lab(void)
{
	return lab_with("  qemu: /proc/self/exe\n");
}

static struct board *open_board(struct lab *lab)
{
	struct err err = ERR_INIT;
	struct board *b = NULL;

	if (board_open(&b, lab_board(lab, 0), "test", &err))
		fail_msg("%s", err.message);
	return b;
}

static int power_up(struct board *b, const char *cmdline, int *console, struct err *err)
{
	struct board_image image = { kernel, kernel, cmdline, NULL };

	if (board_deploy(b, &image, err) || board_console(b, console, err))
		return -1;
	return board_power_on(b, err);
}

/* --- the table ---------------------------------------------------------------------------- */

static void rows(void **state)
{
	const struct board_row *row;
	struct err err = ERR_INIT;
	size_t n;

	(void)state;
	for (size_t i = 0; (row = board_row(i)); i++) {
		assert_int_equal(board_row_check(row, &err), 0);
		assert_ptr_equal(board_find(row->name), row);
		assert_non_null(row->help);
		assert_non_null(row->arch);
		assert_non_null(row->cmdline);
		assert_true(row->deploy_ms && row->power_on_ms && row->power_off_ms);
		assert_true(row->first_output_ms && row->step_grace_ms);
	}
	board_lab_types(&n);
	assert_null(board_row(n));
	assert_non_null(board_row(n - 1)); /* none was left out for lack of room */
	assert_null(board_find("no-such-board"));
}

static void row_without_op(void **state)
{
	struct board_ops ops = virt_ops;
	struct board_row row = *board_row(0);
	struct err err = ERR_INIT;

	(void)state;
	ops.power_off = NULL;
	row.ops = &ops;
	assert_int_equal(board_row_check(&row, &err), -1);
	assert_non_null(strstr(err.message, "virt-ufs: no 'power_off' op"));
}

/* --- power -------------------------------------------------------------------------------- */

static void on_and_off(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = fake_lab();
	struct board *b = open_board(lab);
	char byte;
	int fd = -1;

	(void)state;
	for (int i = 0; i < 2; i++) {
		if (power_up(b, "fake=good", &fd, &err))
			fail_msg("%s", err.message);
		assert_int_equal(board_check(b, &err), 0);
		assert_true(path_exists(state_path));
		assert_int_equal(read(fd, &byte, 1), 1);
		assert_int_equal(byte, '['); /* the very first byte of the kernel log */
		assert_int_equal(board_power_off(b, &err), 0);
		assert_int_equal(board_power_off(b, &err), 0);
		assert_false(path_exists(state_path));
		close(fd);
	}
	board_close(b);
	lab_free(lab);
}

static void expect(const struct err *err, enum blame blame, const char *code, const char *part)
{
	if (err->blame != blame || strcmp(err->code, code) != 0 || !strstr(err->message, part))
		fail_msg("got %s/%s/%s", blame_name(err->blame), err->code, err->message);
}

static void qemu_troubles(void **state)
{
	struct err err = ERR_INIT;
	struct lab *lab = fake_lab();
	struct board *b = open_board(lab);
	struct pollfd p = { .events = POLLIN };
	int fd = -1;

	(void)state;
	assert_int_equal(power_up(b, "fake-qemu=exit", &fd, &err), -1);
	expect(&err, BLAME_BOARD, "qemu-died",
	       "virt-ufs: power on: QEMU ended by exit code 3: qemu: no such device|qemu: giving "
	       "up");
	close(fd);

	assert_int_equal(power_up(b, "fake=die-boot", &fd, &err), 0);
	p.fd = fd;
	while (poll(&p, 1, 5000) == 1 && !(p.revents & POLLHUP))
		;
	assert_int_equal(board_check(b, &err), -1);
	expect(&err, BLAME_BOARD, "qemu-died", "virt-ufs: QEMU ended by exit code 5: fake qemu");
	assert_int_equal(board_power_off(b, &err), 0);
	close(fd);
	board_close(b);
	lab_free(lab);
}

static void missing_qemu(void **state)
{
	struct lab *lab = lab_with("  qemu: qemu-system-none\n");
	struct err err = ERR_INIT;
	struct board *b = NULL;

	(void)state;
	assert_int_equal(board_open(&b, lab_board(lab, 0), "test", &err), -1);
	expect(&err, BLAME_RIG, "no-qemu", "make setup");
	assert_int_equal(err_exit_code(&err), EXIT_INVALID);
	lab_free(lab);
}

static void fallback(void **state)
{
	struct lab *lab = lab_with("  qemu: /proc/self/exe\n  accel: kvm\n");
	struct board *b = open_board(lab);
	const char *what = NULL;

	(void)state;
	assert_true(board_fallback(b, &what));
	assert_non_null(strstr(what, "kvm"));
	assert_false(board_fallback(b, &what));
	board_close(b);
	lab_free(lab);
}

/* --- one owner ---------------------------------------------------------------------------- */

static void busy(void **state)
{
	struct lab *lab = fake_lab();
	struct board *b = open_board(lab);
	struct board *second = NULL;
	struct err err = ERR_INIT;
	char pid[32];

	(void)state;
	snprintf(pid, sizeof(pid), "process %d (test)", (int)getpid());
	assert_int_equal(board_open(&second, lab_board(lab, 0), "other", &err), -1);
	expect(&err, BLAME_RIG, "board-busy", pid);
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), -1);
	expect(&err, BLAME_RIG, "board-busy", "");
	board_close(b);
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);
	lab_free(lab);
}

static pid_t sleeper(void)
{
	static const char *const argv[] = { "sleep", "60", NULL };
	struct spawn s = SPAWN_INIT;

	s.argv = argv;
	return spawn_start(&s);
}

/* Kills what is noted, exactly; twice is once; a stranger under the same pid is left alone. */
static void make_safe(void **state)
{
	struct err err = ERR_INIT;
	struct buf note = BUF_INIT;
	pid_t pid = sleeper();
	int status;
	char *digit;

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(proc_note(pid, state_path), 0);
	assert_int_equal(path_read(state_path, &note, 4096), 0);
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);
	assert_int_equal(spawn_wait(pid, &status, deadline_in(1000)), 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	assert_false(path_exists(state_path));
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);

	pid = sleeper();
	assert_int_equal(proc_note(pid, state_path), 0);
	buf_reset(&note);
	assert_int_equal(path_read(state_path, &note, 4096), 0);
	digit = strchr(buf_str(&note), ' ') + 1; /* the start time is another one */
	*digit = *digit == '9' ? '8' : (char)(*digit + 1);
	assert_int_equal(path_write(state_path, note.data, note.size), 0);
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);
	assert_int_equal(spawn_wait(pid, &status, deadline_in(50)), -ETIMEDOUT);
	assert_false(path_exists(state_path));
	spawn_kill(pid, 0, NULL);
	buf_release(&note);
}

/* A note that is torn or nonsense must not kill anybody, nor keep the board from being used. */
static void bad_notes(void **state)
{
	static const char *const notes[] = { "", "1 2", "-1 5 x", "0 0 0", "x", "1 0 \n" };
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		assert_int_equal(path_write(state_path, notes[i], strlen(notes[i])), 0);
		assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);
		assert_false(path_exists(state_path));
	}
}

/* The owner is killed: QEMU goes with it, and the next owner finds the board off and free. */
static void owner_dies(void **state)
{
	struct lab *lab = fake_lab();
	struct err err = ERR_INIT;
	struct board *b;
	int ready[2];
	int status;
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		int fd = -1;

		b = open_board(lab);
		if (power_up(b, "fake=good", &fd, &err) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_true(path_exists(state_path));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(board_make_safe("virt-ufs", "virt-ufs", &err), 0);
	assert_false(path_exists(state_path));
	b = open_board(lab);
	board_close(b);
	close(ready[0]);
	close(ready[1]);
	lab_free(lab);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(row_without_op),
		cmocka_unit_test_setup_teardown(on_and_off, set_up, tear_down),
		cmocka_unit_test_setup_teardown(qemu_troubles, set_up, tear_down),
		cmocka_unit_test_setup_teardown(missing_qemu, set_up, tear_down),
		cmocka_unit_test_setup_teardown(fallback, set_up, tear_down),
		cmocka_unit_test_setup_teardown(busy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(make_safe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_notes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(owner_dies, set_up, tear_down),
	};

	fake_qemu_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
