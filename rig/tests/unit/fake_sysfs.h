/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A DUT's /sys, /proc and /dev in a directory, for the tests of the agent. */
#ifndef FAKE_SYSFS_H
#define FAKE_SYSFS_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_file {
	const char *path, *text;
};

/* Two CPU clusters, one UFS host with one interrupt and two LUNs, a GPU beside another devfreq
 * device. */
static const struct fake_file fake_files[] = {
	{ "/sys/devices/system/cpu/online", "0-7\n" },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0\n" },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "0\n" },
	{ "/sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1\n" },
	{ "/sys/devices/system/cpu/cpu6/cpuidle/state1/disable", "0\n" },
	{ "/sys/devices/system/cpu/cpu10/cpuidle/state1/disable", "0\n" },
	{ "/sys/devices/system/cpu/cpu0/cpu_capacity", "250\n" },
	{ "/sys/devices/system/cpu/cpu6/cpu_capacity", "1024\n" },
	{ "/sys/devices/system/cpu/cpu7/cpu_capacity", "1024\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "1500000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq", "300000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "1803000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "sched_pixel\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy6/scaling_max_freq", "2802000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy6/scaling_min_freq", "500000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy6/cpuinfo_max_freq", "2802000\n" },
	{ "/sys/devices/system/cpu/cpufreq/policy6/scaling_governor", "sched_pixel\n" },
	{ "/proc/interrupts", "           CPU0       CPU1\n"
			      " 23:       1234          5     GICv3  42 Level     ufshcd\n"
			      " 24:          7          0     GICv3  43 Level     timer\n" },
	{ "/proc/irq/23/smp_affinity_list", "0-7\n" },
	{ "/proc/irq/24/smp_affinity_list", "0-7\n" },
	{ "/sys/class/devfreq/1c00.mif/min_freq", "421000\n" },
	{ "/sys/class/devfreq/1c00.mif/available_frequencies", "421000 3172000 1014000\n" },
	{ "/sys/class/devfreq/28000000.gpu/min_freq", "151000\n" },
	{ "/sys/class/devfreq/28000000.gpu/available_frequencies", "151000 848000\n" },
	{ "/sys/bus/platform/devices/14700000.ufs/clkgate_enable", "1\n" },
	{ "/sys/block/sda/queue/scheduler", "mq-deadline\n" },
	{ "/sys/block/sda/queue/iostats", "0\n" },
	{ "/sys/block/sda/queue/nomerges", "0\n" },
	{ "/sys/block/sda/queue/rq_affinity", "1\n" },
	{ "/sys/block/dm-0/queue/nomerges", "0\n" },
	{ "/sys/kernel/debug/block/x", "" },
	{ "/sys/class/scsi_host/host0/proc_name", "ahci\n" },
	{ "/sys/class/scsi_host/host1/proc_name", "ufshcd\n" },
	{ "/sys/class/scsi_device/0:0:0:0/device/block/sdz/size", "1\n" },
	{ "/sys/class/scsi_device/1:0:0:0/device/block/sda/size", "1\n" },
	{ "/sys/class/scsi_device/1:0:0:1/device/block/sdb/size", "1\n" },
	{ "/sys/class/block/sda/dev", "8:0\n" },
	{ "/sys/class/block/sda/uevent", "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n" },
	{ "/sys/class/block/sda/sda2/dev", "8:2\n" },
	{ "/sys/class/block/sda2/dev", "8:2\n" },
	{ "/sys/class/block/sda2/uevent",
	  "DEVNAME=sda2\nDEVTYPE=partition\nPARTN=2\nPARTNAME=userdata\n" },
	{ "/sys/class/block/sda3/uevent", "DEVNAME=sda3\nPARTNAME=userdata_b\n" },
	{ "/sys/class/block/sdb/dev", "8:16\n" },
	{ "/dev/sda", "" },
	{ "/dev/sda2", "" },
	{ "/dev/sdb", "" },
	{ "/proc/self/mountinfo", "22 1 0:20 / /proc rw - proc proc rw\n" },
	{ "/proc/swaps", "Filename\t\t\t\tType\t\tSize\n" },
};

#define FAKE_FILES (sizeof(fake_files) / sizeof(fake_files[0]))

static void fake_write(const char *root, const char *path, const char *text)
{
	char full[1024], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = full + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Its text; the buffer is overwritten by the next call. */
static const char *fake_read(const char *root, const char *path)
{
	static char text[4096];
	char full[1024];
	FILE *f;
	size_t n;

	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "re");
	if (!f)
		return "(absent)";
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

static void fake_make(char *root, size_t cap)
{
	snprintf(root, cap, "/tmp/rig-fake-dut-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < FAKE_FILES; i++)
		fake_write(root, fake_files[i].path, fake_files[i].text);
}

static int fake_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void fake_remove(const char *root)
{
	nftw(root, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Every file as it was made, but for the white space at its end. */
static void fake_assert_untouched(const char *root)
{
	for (size_t i = 0; i < FAKE_FILES; i++) {
		const char *now = fake_read(root, fake_files[i].path), *then = fake_files[i].text;
		size_t n = strlen(then) - (*then && then[strlen(then) - 1] == '\n');

		if (strncmp(now, then, n) || (now[n] && strcmp(now + n, "\n")))
			fail_msg("%s: was '%s', is '%s'", fake_files[i].path, then, now);
	}
}

#endif
