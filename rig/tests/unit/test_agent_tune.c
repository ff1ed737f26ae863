// SPDX-License-Identifier: GPL-2.0-or-later
/* Tuning and its undoing, and the choice of the target, on a DUT made of files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/net.h"
#include "agents/sysfs.h"
#include "agents/target.h"
#include "agents/tune.h"
#include "fake_sysfs.h"

struct dut {
	char root[64];
	struct tune tune;
	struct tune_result result;
	char notes[16384];
};

static void on_note(void *ctx, const char *text)
{
	struct dut *d = ctx;
	size_t n = strlen(d->notes);

	snprintf(d->notes + n, sizeof(d->notes) - n, "%s\n", text);
}

static int setup(void **state)
{
	struct dut *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	fake_make(d->root, sizeof(d->root));
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct dut *d = *state;

	tune_restore(&d->tune, d->root, NULL, NULL, &d->result);
	fake_remove(d->root);
	free(d);
	return 0;
}

static void apply(struct dut *d, const char *spec)
{
	struct kv_list list;

	assert_int_equal(kv_parse(&list, spec, strlen(spec)), 0);
	d->result = (struct tune_result){ 0 };
	d->notes[0] = '\0';
	assert_int_equal(tune_apply(&d->tune, d->root, &list, on_note, d, &d->result), 0);
	kv_list_release(&list);
}

static void restore(struct dut *d)
{
	d->result = (struct tune_result){ 0 };
	d->notes[0] = '\0';
	tune_restore(&d->tune, d->root, on_note, d, &d->result);
}

static const struct fake_file tuned[] = {
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0\n" },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "1" },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1\n" },
	{ "/sys/devices/system/cpu/cpu10/cpuidle/state1/disable", "1" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "1803000" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "1803000" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance" },
	{ "/sys/devices/system/cpu/cpufreq/policy6/scaling_min_freq", "2802000" },
	{ "/proc/irq/23/smp_affinity_list", "6" },
	{ "/proc/irq/24/smp_affinity_list", "0-7\n" },
	{ "/sys/class/devfreq/1c00.mif/min_freq", "3172000" },
	{ "/sys/class/devfreq/28000000.gpu/min_freq", "151000\n" },
	{ "/sys/bus/platform/devices/14700000.ufs/clkgate_enable", "0" },
	{ "/sys/block/sda/queue/scheduler", "none" },
	{ "/sys/block/sda/queue/iostats", "1" },
	{ "/sys/block/sda/queue/nomerges", "2" },
	{ "/sys/block/sda/queue/rq_affinity", "2" },
	{ "/sys/block/dm-0/queue/nomerges", "2" },
};

static void tunes_and_restores(void **state)
{
	struct dut *d = *state;

	apply(d, "scheduler=none\n");
	for (size_t i = 0; i < sizeof(tuned) / sizeof(tuned[0]); i++)
		assert_string_equal(fake_read(d->root, tuned[i].path), tuned[i].text);
	assert_int_equal(d->result.refused, 0);
	assert_true(d->result.set > 15);
	assert_non_null(strstr(d->notes, "logging: skipped"));
	assert_null(strstr(d->notes, "cpuidle"));
	restore(d);
	assert_int_equal(d->result.refused, 0);
	fake_assert_untouched(d->root);
	restore(d);
	assert_int_equal(d->result.set, 0);
}

static void twice_restores_to_the_first_state(void **state)
{
	struct dut *d = *state;

	apply(d, "scheduler=none\n");
	apply(d, "scheduler=kyber\nirq_cpu=3\n");
	assert_string_equal(fake_read(d->root, "/sys/block/sda/queue/scheduler"), "kyber");
	assert_string_equal(fake_read(d->root, "/proc/irq/23/smp_affinity_list"), "3");
	restore(d);
	fake_assert_untouched(d->root);
}

static void skips(void **state)
{
	struct dut *d = *state;

	apply(d, "skip=cpufreq\nskip=irq\nskip=queue\n");
	assert_string_equal(fake_read(d->root, "/proc/irq/23/smp_affinity_list"), "0-7\n");
	assert_string_equal(fake_read(d->root, "/sys/block/sda/queue/nomerges"), "0\n");
	assert_non_null(strstr(d->notes, "irq: skipped: as asked"));
	restore(d);
	fake_assert_untouched(d->root);
}

static void mcq_vectors_are_spread(void **state)
{
	static const char lines[] = " 30:  1  0  ITS-MSI  0 Edge      ufshcd\n"
				    " 31:  1  0  ITS-MSI  1 Edge      ufshcd\n"
				    " 32:  1  0  ITS-MSI  2 Edge      ufshcd\n";
	struct dut *d = *state;

	fake_write(d->root, "/proc/interrupts", lines);
	fake_write(d->root, "/sys/devices/system/cpu/online", "0-1\n");
	for (int i = 0; i < 3; i++)
		fake_write(d->root,
			   (const char *[]){ "/proc/irq/30/smp_affinity_list",
					     "/proc/irq/31/smp_affinity_list",
					     "/proc/irq/32/smp_affinity_list" }[i],
			   "0-1\n");
	apply(d, "");
	assert_string_equal(fake_read(d->root, "/proc/irq/30/smp_affinity_list"), "0");
	assert_string_equal(fake_read(d->root, "/proc/irq/31/smp_affinity_list"), "1");
	assert_string_equal(fake_read(d->root, "/proc/irq/32/smp_affinity_list"), "0");
	restore(d);
	assert_string_equal(fake_read(d->root, "/proc/irq/31/smp_affinity_list"), "0-1");
}

/* A file that swallows what is written, like an attribute that the kernel limits: /dev/null reads
 * as empty. */
static void what_does_not_take_is_told(void **state)
{
	struct dut *d = *state;
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/block/sda/queue/iostats", d->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/null", path), 0);
	apply(d, "");
	assert_int_equal(d->result.refused, 1);
	assert_non_null(strstr(d->notes, "queue: /sys/block/sda/queue/iostats: set to 1, reads "));
}

static void bare_dut(void **state)
{
	struct dut *d = *state, bare = { .root = "/nonexistent" };

	(void)d;
	apply(&bare, "");
	assert_int_equal(bare.result.set + bare.result.refused, 0);
	assert_int_equal(bare.tune.count, 0);
	for (const char *const *item =
		     (const char *const[]){ "cpuidle", "cpufreq", "irq", "devfreq", "clkgate",
					    "logging", "queue", "debugfs", NULL };
	     *item; item++)
		assert_non_null(strstr(bare.notes, *item));
	restore(&bare);
}

static void glob_order(void **state)
{
	struct dut *d = *state;
	struct strv v = { 0 };

	assert_int_equal(
		sysfs_glob(d->root, "/sys/devices/system/cpu/cpu*/cpuidle/state1/disable", &v), 0);
	assert_int_equal(v.count, 3);
	assert_string_equal(v.v[1], "/sys/devices/system/cpu/cpu6/cpuidle/state1/disable");
	assert_string_equal(v.v[2], "/sys/devices/system/cpu/cpu10/cpuidle/state1/disable");
	strv_release(&v);
}

static const struct target_case {
	const char *selector;
	int rc;
	const char *dev;
} targets[] = {
	{ "ufs:0", 0, "/dev/sda" },
	{ "ufs:1", 0, "/dev/sdb" },
	{ "ufs:2", -ENODEV, NULL },
	{ "disk:sdb", 0, "/dev/sdb" },
	{ "part:userdata", 0, "/dev/sda2" },
	{ "part:user", -ENODEV, NULL },
	{ "sda", -EINVAL, NULL },
	{ "disk:../sda", -ENODEV, NULL },
	{ "disk:", -ENODEV, NULL },
};

static void finds_targets(void **state)
{
	struct dut *d = *state;
	char dev[80], why[256];

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		assert_int_equal(target_find(d->root, targets[i].selector, 1, dev, sizeof(dev), why,
					     sizeof(why)),
				 targets[i].rc);
		if (targets[i].dev)
			assert_string_equal(dev, targets[i].dev);
		else
			assert_non_null(strstr(why, targets[i].selector));
	}
}

static void link_to(const char *root, const char *link, const char *target)
{
	char full[512], to[512];

	fake_write(root, link, "");
	snprintf(full, sizeof(full), "%s%s", root, link);
	snprintf(to, sizeof(to), "%s%s", root, target);
	unlink(full);
	assert_int_equal(symlink(to, full), 0);
}

/* A SCSI disk at that place. */
static void plug_in(const char *root, const char *disk, const char *device, const char *model)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/model", device);
	fake_write(root, path, model);
	snprintf(path, sizeof(path), "/sys/class/block/%s/device", disk);
	link_to(root, path, device);
	snprintf(path, sizeof(path), "/dev/%s", disk);
	fake_write(root, path, "");
}

/* By port, whoever was found first; a gadget's LUN is none of the machine's own disks. */
static void finds_usb_disks(void **state)
{
	static const struct target_case rows[] = {
		{ "usb:0", 0, "/dev/sdd" },    { "usb:1", 0, "/dev/sdc" },
		{ "usb:2", -ENODEV, NULL },    { "gadget:0", 0, "/dev/sde" },
		{ "gadget:1", -ENODEV, NULL },
	};
	struct dut *d = *state;
	char dev[80], why[256];

	plug_in(d->root, "sdc", "/sys/devices/pci0/usb2/2-10/2-10:1.0/host3/3:0:0:0", "STICK\n");
	plug_in(d->root, "sdd", "/sys/devices/pci0/usb2/2-2/2-2:1.0/host4/4:0:0:0", "DISK\n");
	plug_in(d->root, "sde", "/sys/devices/platform/dummy_hcd.0/usb4/4-1/host5/5:0:0:0",
		"File-Stor Gadget\n");
	plug_in(d->root, "sdf", "/sys/devices/pci0/ata1/host6/6:0:0:0", "ATA DISK\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(target_find(d->root, rows[i].selector, 1, dev, sizeof(dev), why,
					     sizeof(why)),
				 rows[i].rc);
		if (rows[i].dev)
			assert_string_equal(dev, rows[i].dev);
	}
}

static void plug_in_net(const char *root, const char *name, const char *device, const char *driver)
{
	char path[320], own[256];

	snprintf(own, sizeof(own), "%s/net/%s", device, name);
	snprintf(path, sizeof(path), "%s/statistics/tx_bytes", own);
	fake_write(root, path, "18446744073709551615\n");
	snprintf(path, sizeof(path), "/sys/bus/usb/drivers/%s/x", driver);
	fake_write(root, path, "");
	snprintf(path, sizeof(path), "/sys/bus/usb/drivers/%s", driver);
	snprintf(own, sizeof(own), "%s/driver", device);
	link_to(root, own, path);
	snprintf(path, sizeof(path), "%s/net/%s/device", device, name);
	link_to(root, path, device);
	snprintf(own, sizeof(own), "%s/net/%s", device, name);
	snprintf(path, sizeof(path), "/sys/class/net/%s", name);
	link_to(root, path, own);
}

static void finds_interfaces(void **state)
{
	static const struct {
		const char *selector;
		int rc;
		const char *name;
	} rows[] = {
		{ "cdc_ether:0", 0, "usb1" },	{ "cdc_ether:1", 0, "usb0" },
		{ "cdc_ether:2", -ENODEV, "" }, { "cdc_eth:0", -ENODEV, "" },
		{ "gadget:0", 0, "usb2" },	{ "usb0", 0, "usb0" },
		{ "usb9", -ENODEV, "" },	{ "../usb0", -ENODEV, "" },
	};
	struct dut *d = *state;
	uint64_t bytes = 0;

	plug_in_net(d->root, "usb0", "/sys/devices/pci0/usb1/1-3/1-3:1.0", "cdc_ether");
	plug_in_net(d->root, "usb1", "/sys/devices/pci0/usb1/1-2/1-2:1.0", "cdc_ether");
	plug_in_net(d->root, "usb2", "/sys/devices/platform/dummy_udc.0/gadget.0",
		    "configfs-gadget.rig");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[NET_NAME] = "", why[160];

		assert_int_equal(net_find(d->root, rows[i].selector, 0, name, why, sizeof(why)),
				 rows[i].rc);
		if (rows[i].rc)
			assert_non_null(strstr(why, rows[i].selector));
		else
			assert_string_equal(name, rows[i].name);
	}
	assert_int_equal(net_counter(d->root, "usb0", "tx_bytes", &bytes), 0);
	assert_true(bytes == UINT64_MAX);
	assert_int_equal(net_line_rate(d->root, "usb0"), 0);
	fake_write(d->root, "/sys/devices/pci0/usb1/1-3/1-3:1.0/net/usb0/speed", "-1\n");
	assert_int_equal(net_line_rate(d->root, "usb0"), 0);
	fake_write(d->root, "/sys/devices/pci0/usb1/1-3/1-3:1.0/net/usb0/speed", "1000\n");
	assert_int_equal(net_line_rate(d->root, "usb0"), 1000000000);
}

static const struct use_case {
	const char *path, *text, *why;
} uses[] = {
	{ "/proc/self/mountinfo", "30 1 8:0 / /mnt rw - ext4 /dev/sda rw\n",
	  "/dev/sda is mounted" },
	{ "/proc/self/mountinfo", "30 1 8:2 / /mnt rw - ext4 /dev/sda2 rw\n",
	  "/dev/sda2 is mounted" },
	{ "/proc/swaps", "Filename Type\n/dev/sda2   partition\n",
	  "/dev/sda2 is used as swap space" },
	{ "/sys/class/block/sda/holders/dm-0", "", "/dev/sda is held by another device" },
	{ "/sys/class/block/sda/sda2/holders/dm-0", "", "/dev/sda2 is held by another device" },
};

static void refuses_what_is_in_use(void **state)
{
	char dev[80], why[256], path[256];
	struct dut *d = *state;

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		fake_write(d->root, uses[i].path, uses[i].text);
		assert_int_equal(target_find(d->root, "ufs:0", 1, dev, sizeof(dev), why,
					     sizeof(why)),
				 -EBUSY);
		assert_string_equal(why, uses[i].why);
		/* The other LUN is none of that. */
		assert_int_equal(
			target_find(d->root, "ufs:1", 1, dev, sizeof(dev), why, sizeof(why)), 0);
		snprintf(path, sizeof(path), "%s%s", d->root, uses[i].path);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tunes_and_restores, setup, teardown),
		cmocka_unit_test_setup_teardown(twice_restores_to_the_first_state, setup, teardown),
		cmocka_unit_test_setup_teardown(skips, setup, teardown),
		cmocka_unit_test_setup_teardown(mcq_vectors_are_spread, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_take_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(bare_dut, setup, teardown),
		cmocka_unit_test_setup_teardown(glob_order, setup, teardown),
		cmocka_unit_test_setup_teardown(finds_targets, setup, teardown),
		cmocka_unit_test_setup_teardown(finds_usb_disks, setup, teardown),
		cmocka_unit_test_setup_teardown(finds_interfaces, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_what_is_in_use, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
