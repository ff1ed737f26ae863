// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step fingerprint: FILE `fingerprint.json`, what the machine is and how it is set, to tell later
 * whether two visits can be compared. Nothing is invented: what the DUT lacks is in "absent".
 *
 *	{ "format": 1,
 *	  "machine", "release", "kernel_version", "cmdline", ...  strings, see values[]
 *	  "cpus", "page_size", "hz", "timer_resolution_ns", "memory_kib"  numbers
 *	  "cpufreq", "cpuidle", "temperatures", "devfreq", "block", "ufs", "usb", "udc", "net"
 *		arrays of { "name", attribute: text as in sysfs, ... }, see groups[]
 *	  "irqs": [ { "irq", "cpu_counts", "what", "affinity", "effective_affinity" } ]
 *		of storage, usb and net controllers
 *	  "tools": { "agent", "fio", "busybox" }
 *	  "absent": [ name, ... ] }
 */
#include "agents/agent.h"
#include "agents/json.h"
#include "agents/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define TOOL_TIMEOUT_MS 5000

struct print {
	struct json json;
	struct strv absent;
	const char *root;
};

static const struct value {
	const char *key, *path;
} values[] = {
	{ "cmdline", "/proc/cmdline" },
	{ "boot_id", "/proc/sys/kernel/random/boot_id" },
	{ "tainted", "/proc/sys/kernel/tainted" },
	{ "printk", "/proc/sys/kernel/printk" },
	{ "model", "/proc/device-tree/model" },
	{ "cpus_online", "/sys/devices/system/cpu/online" },
	{ "cpus_isolated", "/sys/devices/system/cpu/isolated" },
	{ "smt", "/sys/devices/system/cpu/smt/active" },
	{ "cpuidle_driver", "/sys/devices/system/cpu/cpuidle/current_driver" },
	{ "cpuidle_governor", "/sys/devices/system/cpu/cpuidle/current_governor" },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "clocksources", "/sys/devices/system/clocksource/clocksource0/available_clocksource" },
	{ "preempt", "/sys/kernel/debug/sched/preempt" },
	{ "thp", "/sys/kernel/mm/transparent_hugepage/enabled" },
};

static const char block_attributes[] =
	"size device/vendor device/model device/rev device/queue_depth queue/scheduler "
	"queue/nr_requests queue/nomerges queue/rq_affinity queue/iostats queue/rotational "
	"queue/write_cache queue/max_sectors_kb queue/add_random queue/logical_block_size "
	"queue/physical_block_size queue/read_ahead_kb";

static const char ufs_attributes[] =
	"clkgate_enable clkscale_enable auto_hibern8 rpm_lvl spm_lvl wb_on power_info/lane "
	"power_info/mode power_info/rate power_info/gear power_info/dev_pm power_info/link_state "
	"device_descriptor/specification_version string_descriptors/manufacturer_name "
	"string_descriptors/product_name string_descriptors/product_revision";

/* Several rows may fill one key; a row's attributes are separated by spaces. */
static const struct group {
	const char *key, *pattern, *attributes;
} groups[] = {
	{ "cpufreq", "/sys/devices/system/cpu/cpufreq/policy*",
	  "scaling_driver scaling_governor scaling_min_freq scaling_max_freq cpuinfo_min_freq "
	  "cpuinfo_max_freq scaling_cur_freq related_cpus" },
	{ "cpuidle", "/sys/devices/system/cpu/cpu*/cpuidle/state*",
	  "name latency residency disable" },
	{ "temperatures", "/sys/class/thermal/thermal_zone*", "type temp" },
	{ "devfreq", "/sys/class/devfreq/*", "governor min_freq max_freq cur_freq" },
	{ "block", "/sys/block/sd*", block_attributes },
	{ "block", "/sys/block/dm-*", block_attributes },
	{ "block", "/sys/block/nvme*", block_attributes },
	{ "block", "/sys/block/mmcblk*", block_attributes },
	{ "block", "/sys/block/vd*", block_attributes },
	{ "ufs", "/sys/bus/platform/devices/*.ufs*", ufs_attributes },
	{ "ufs", "/sys/bus/pci/drivers/ufshcd/*:*", ufs_attributes },
	{ "usb", "/sys/bus/usb/devices/*", "speed version idVendor idProduct product" },
	{ "udc", "/sys/class/udc/*", "current_speed maximum_speed state" },
	{ "net", "/sys/class/net/*", "operstate speed duplex mtu" },
};

static const char *const irq_names[] = { "ufshcd", "xhci",   "dwc3", "nvme", "mmc",
					 "ahci",   "virtio", "eth",  "usb" };

static void absent(struct print *p, const char *name)
{
	strv_add(&p->absent, name);
}

static void print_system(struct print *p)
{
	struct json *j = &p->json;
	struct timespec tick = { 0 }, fine = { 0 };
	struct utsname u;

	uname(&u);
	json_string(j, "machine", u.machine);
	json_string(j, "release", u.release);
	json_string(j, "kernel_version", u.version);
	json_i64(j, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	json_i64(j, "page_size", sysconf(_SC_PAGESIZE));
	/* The coarse clock moves once a tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) || !tick.tv_nsec)
		absent(p, "hz");
	else
		json_i64(j, "hz", (1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
	if (!clock_getres(CLOCK_MONOTONIC, &fine))
		json_i64(j, "timer_resolution_ns",
			 (int64_t)fine.tv_sec * 1000000000 + fine.tv_nsec);
}

static void print_memory(struct print *p)
{
	char text[2048];
	const char *at = NULL;

	if (sysfs_read(p->root, "/proc/meminfo", text, sizeof(text)) > 0)
		at = strstr(text, "MemTotal:");
	if (at)
		json_i64(&p->json, "memory_kib", strtoll(at + strlen("MemTotal:"), NULL, 10));
	else
		absent(p, "memory_kib");
}

/* The kernel packs its configuration with a fixed time stamp, so equal archives mean equal
 * configurations. */
static void print_config(struct print *p)
{
	char *data, text[16];
	long size = sysfs_read_all(p->root, "/proc/config.gz", &data);

	if (size < 0) {
		absent(p, "config_gz_crc32");
		return;
	}
	snprintf(text, sizeof(text), "%08x", wire_crc32(0, data, (size_t)size));
	json_string(&p->json, "config_gz_crc32", text);
	free(data);
}

static void print_values(struct print *p)
{
	char text[4096];

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (sysfs_read(p->root, values[i].path, text, sizeof(text)) >= 0)
			json_string(&p->json, values[i].key, text);
		else
			absent(p, values[i].key);
	}
}

/* cpu0/cpuidle/state1 rather than state1, which there are many of. */
static const char *short_name(const char *path)
{
	const char *cpu = strstr(path, "/cpu/cpu");

	if (cpu && isdigit((unsigned char)cpu[8]))
		return cpu + 5;
	return strrchr(path, '/') + 1;
}

static void begin_member(struct print *p, const char *identity, const char *value)
{
	json_object(&p->json, NULL);
	json_string(&p->json, identity, value);
}

/* The attributes at dir that are there; an object of its own unless one is begun already. */
static bool print_attributes(struct print *p, const char *attributes, const char *dir, bool begun)
{
	char path[SYSFS_PATH], text[1024], name[64];
	const char *at = attributes;
	size_t n;

	for (; *at; at += n + (at[n] == ' ')) {
		n = strcspn(at, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, at);
		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (sysfs_read(p->root, path, text, sizeof(text)) < 0)
			continue;
		if (!begun)
			begin_member(p, "name", short_name(dir));
		begun = true;
		json_string(&p->json, name, text);
	}
	return begun;
}

static void print_member(struct print *p, const struct group *g, const char *dir)
{
	if (print_attributes(p, g->attributes, dir, false))
		json_object_end(&p->json);
}

static void print_target(void *ctx, const char *selector, const char *name)
{
	struct print *p = ctx;
	char dir[SYSFS_PATH];

	snprintf(dir, sizeof(dir), "/sys/class/block/%s", name);
	begin_member(p, "selector", selector);
	json_string(&p->json, "device", name);
	print_attributes(p, block_attributes, dir, true);
	json_object_end(&p->json);
}

static void print_targets(struct step *s, struct print *p)
{
	json_array(&p->json, "targets");
	step_targets(s, print_target, p);
	json_array_end(&p->json);
}

/* All rows of one key, which stand together. Returns the index of the first row of the next key. */
static size_t print_group(struct print *p, size_t i)
{
	const char *key = groups[i].key;
	size_t rows = sizeof(groups) / sizeof(groups[0]);

	json_array(&p->json, key);
	for (; i < rows && !strcmp(groups[i].key, key); i++) {
		struct strv dirs = { 0 };

		sysfs_glob(p->root, groups[i].pattern, &dirs);
		for (size_t d = 0; d < dirs.count; d++)
			print_member(p, &groups[i], dirs.v[d]);
		strv_release(&dirs);
	}
	if (p->json.first)
		absent(p, key);
	json_array_end(&p->json);
	return i;
}

static void print_affinity(struct print *p, unsigned long irq, const char *key, const char *file)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/irq/%lu/%s", irq, file);
	if (sysfs_read(p->root, path, text, sizeof(text)) >= 0)
		json_string(&p->json, key, text);
}

static bool of_interest(const char *line)
{
	for (size_t i = 0; i < sizeof(irq_names) / sizeof(irq_names[0]); i++)
		if (strstr(line, irq_names[i]))
			return true;
	return false;
}

/* The next blank-separated word, copied; empty at the end of the line. */
static void next_word(const char **at, char *word, size_t cap)
{
	size_t n;

	*at += strspn(*at, " ");
	n = strcspn(*at, " ");
	snprintf(word, cap, "%.*s", (int)n, *at);
	*at += n;
}

/* "  23:   1234   0   GICv3  42 Level   ufshcd": the counts are the numbers up to the first word.
 */
static void print_irq(struct print *p, const char *line)
{
	char counts[512] = "", word[64], *colon;
	unsigned long irq = strtoul(line, &colon, 10);
	const char *at = colon + 1, *what = at;

	if (*colon != ':' || !of_interest(line))
		return;
	for (;;) {
		size_t n = strlen(counts);

		next_word(&at, word, sizeof(word));
		if (!*word || word[strspn(word, "0123456789")])
			break;
		snprintf(counts + n, sizeof(counts) - n, "%s%s", n ? " " : "", word);
		what = at;
	}
	json_object(&p->json, NULL);
	json_i64(&p->json, "irq", (int64_t)irq);
	json_string(&p->json, "cpu_counts", counts);
	json_string(&p->json, "what", what + strspn(what, " "));
	print_affinity(p, irq, "affinity", "smp_affinity_list");
	print_affinity(p, irq, "effective_affinity", "effective_affinity_list");
	json_object_end(&p->json);
}

static void print_irqs(struct print *p)
{
	char *text, *line, *next;

	json_array(&p->json, "irqs");
	if (sysfs_read_all(p->root, "/proc/interrupts", &text) >= 0) {
		for (line = text; *line; line = next) {
			next = line + strcspn(line, "\n");
			if (*next)
				*next++ = '\0';
			print_irq(p, line);
		}
		free(text);
	}
	if (p->json.first)
		absent(p, "irqs");
	json_array_end(&p->json);
}

static void print_tool(struct step *s, struct print *p, const char *name, const char *const argv[])
{
	char out[320], err[320], text[256];
	struct run_result r;

	step_path(s, "tool.out", out, sizeof(out));
	step_path(s, "tool.err", err, sizeof(err));
	run_child(s->agent, argv, out, err, TOOL_TIMEOUT_MS, &r);
	if (r.error || sysfs_read("", out, text, sizeof(text)) <= 0) {
		absent(p, name);
	} else {
		text[strcspn(text, "\n")] = '\0';
		json_string(&p->json, name, text);
	}
	unlink(out);
	unlink(err);
}

static void print_tools(struct step *s, struct print *p)
{
	json_object(&p->json, "tools");
	json_string(&p->json, "agent", agent_version);
	print_tool(s, p, "fio", (const char *[]){ "fio", "--version", NULL });
	print_tool(s, p, "busybox", (const char *[]){ "busybox", NULL });
	json_object_end(&p->json);
}

void step_fingerprint(struct step *s)
{
	struct print p = { .root = s->agent->root };

	json_object(&p.json, NULL);
	json_i64(&p.json, "format", 1);
	print_system(&p);
	print_memory(&p);
	print_config(&p);
	print_values(&p);
	print_targets(s, &p);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]);)
		i = print_group(&p, i);
	print_irqs(&p);
	print_tools(s, &p);
	json_array(&p.json, "absent");
	for (size_t i = 0; i < p.absent.count; i++)
		json_string(&p.json, NULL, p.absent.v[i]);
	json_array_end(&p.json);
	json_object_end(&p.json);
	if (p.json.err)
		step_end(s, STEP_FAILED, "out of memory");
	else
		step_file_data(s, "fingerprint.json", p.json.data, p.json.size);
	json_release(&p.json);
	strv_release(&p.absent);
}
