// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Android boards against a bootloader that answers as ABL does (umockdev): every fault with its
 * blame, inside its deadline, with the board safe afterwards.
 */
#include "android_bench.h"

/* And how long an attempt may take, when it does not end. */
static const struct android_model curt = { uart, 700, 3000 };

#define FAULT_MS 30000

struct fault {
	const char *name, *keys;
	const char *knobs[3];
	const struct android_model *model;
	enum blame blame;
	const char *code, *message; /* "" = it is got over */
};

static const struct fault faults[] = {
	{ "not unlocked", "", { "unlocked=no" }, &hasty, BLAME_USER, "locked", "is locked" },
	{ "slot does not take",
	  "",
	  { "wrong-slot=99", "slot=b" },
	  &hasty,
	  BLAME_BOARD,
	  "fastboot",
	  "set_active: the bootloader refuses" },
	{ "slot takes late", "", { "wrong-slot=2", "slot=b" }, &hasty, BLAME_NONE, "", "" },
	{ "FAIL on flash",
	  "",
	  { "fail=flash:/out of luck" },
	  &hasty,
	  BLAME_BOARD,
	  "fastboot",
	  "flash boot_a: the bootloader refuses: out of luck" },
	{ "FAIL on download",
	  "",
	  { "fail=download/no room" },
	  &hasty,
	  BLAME_BOARD,
	  "fastboot",
	  "no room" },
	{ "gone in mid-download",
	  "",
	  { "die-at=100000" },
	  &hasty,
	  BLAME_BOARD,
	  "device-gone",
	  "flash boot_a: it has left the USB" },
	{ "gone instead of an answer",
	  "",
	  { "die=flash:" },
	  &hasty,
	  BLAME_BOARD,
	  "device-gone",
	  "flash boot_a" },
	{ "mute at flash",
	  "",
	  { "stall=flash:" },
	  &curt,
	  BLAME_BOARD,
	  "fastboot-timeout",
	  "flash boot_a: the bootloader does not answer" },
	{ "takes no data",
	  "",
	  { "stall-at=50000" },
	  &curt,
	  BLAME_BOARD,
	  "fastboot-timeout",
	  "flash boot_a" },
	{ "nonsense", "", { "say=flash:/HUH" }, &hasty, BLAME_BOARD, "fastboot", "flash boot_a" },
	{ "never there",
	  "",
	  { "gone=1" },
	  &hasty,
	  BLAME_BOARD,
	  "no-fastboot",
	  "no bootloader in USB port 1-1.2, nothing is there" },
	{ "never there, adb in vain",
	  "  adb: true\n",
	  { "gone=1" },
	  &hasty,
	  BLAME_BOARD,
	  "no-fastboot",
	  "nothing is there" },
};

/* What it cannot do nobody mends by pretending: the state file stays until it is parked. */
static void check_safe(const struct fault *fault)
{
	struct err err = ERR_INIT;
	int rc = android_ops.power_off(&board, deadline_in(2000), &err);

	if (rc) {
		assert_int_equal(err.blame, BLAME_BOARD);
		assert_string_equal(err.code, "not-parked");
		assert_true(path_exists(state_path));
		mock_fastboot_set(device, "heal=1");
		mock_fastboot_set(device, "serial=BACK");
		make_safe_ok();
	}
	if (path_exists(state_path))
		fail_msg("%s: the board is not safe", fault->name);
}

static void run_fault(const struct fault *fault)
{
	struct err err = ERR_INIT;
	uint64_t began;
	int rc;

	row.data = fault->model;
	open_board(fault->keys);
	for (size_t i = 0; i < 3 && fault->knobs[i]; i++)
		mock_fastboot_set(device, fault->knobs[i]);
	began = mono_ms();
	rc = deploy(FAULT_MS, &err);
	/* no matter of speed: a wait for an answer that knows no deadline takes 60 s each time */
	if (mono_ms() - began > FAULT_MS + 40000)
		fail_msg("%s: the deadline was %u ms", fault->name, FAULT_MS);
	if (rc != (*fault->message ? -1 : 0) || err.blame != fault->blame ||
	    strcmp(err.code, fault->code) != 0 || !strstr(err.message, fault->message))
		fail_msg("%s: %d %s %s %s", fault->name, rc, blame_name(err.blame), err.code,
			 err.message);
	check_safe(fault);
}

static void all_faults(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		run_fault(&faults[i]);
		bench_down(state);
		bench_up(state);
	}
}

/* It says OKAY to the reboot and stays. */
static void does_not_leave(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("");
	deploy_ok();
	mock_fastboot_set(device, "stay=1");
	assert_int_equal(android_ops.power_on(&board, deadline_in(2500), &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_non_null(strstr(err.message, "start the kernel: reboot"));
	power_off_ok();
}

/* The kernel runs and nothing brings it back: it is not called off, until somebody parks it. */
static void not_parked(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	open_board("");
	deploy_ok();
	power_on_ok();
	assert_int_equal(android_ops.power_off(&board, deadline_in(300), &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.code, "not-parked");
	assert_true(path_exists(state_path));
	close_board();
	assert_int_equal(android_ops.make_safe(state_path, deadline_in(300), &err), -1);
	assert_string_equal(err.code, "not-parked");
	assert_true(path_exists(state_path));
	mock_fastboot_set(device, "serial=BACK");
	make_safe_ok();
	make_safe_ok();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_up, bench_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(all_faults),
		TEST(does_not_leave),
		TEST(not_parked),
	};

	(void)argc;
	bench_begin(argv);
	return cmocka_run_group_tests(tests, NULL, bed_down);
}
