// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of a fastboot device; see fastboot-device.h. */
#include "fastboot-device.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "fastboot-store.h"

#define RETRIES	    7
#define ANSWERS_MAX 128

/* Bytes; slots: boot_a and boot_b; logical: inside super, fastbootd only. */
static const struct partition {
	const char *name;
	uint64_t size;
	bool slots, logical;
} partitions[] = {
	{ "boot", 64u << 20, true, false },	   { "init_boot", 8u << 20, true, false },
	{ "vendor_boot", 64u << 20, true, false }, { "vendor_kernel_boot", 64u << 20, true, false },
	{ "dtbo", 16u << 20, true, false },	   { "vbmeta", 64u << 10, true, false },
	{ "userdata", 1u << 30, false, false },	   { "super", 1u << 30, false, false },
	{ "misc", 1u << 20, false, false },	   { "system", 1u << 30, true, true },
	{ "vendor_dlkm", 256u << 20, true, true },
};
#define N_PARTITIONS (sizeof(partitions) / sizeof(partitions[0]))

struct answer {
	char text[304];
	int size;
	uint64_t at_ms; /* not before */
};

struct slot {
	int retries;
	bool successful, unbootable;
};

struct fb_device {
	char store[PATH_MAX];
	char serial[64], product[64];
	uint32_t max_download;
	bool unlocked, userspace;
	int current;
	struct slot slots[2];

	struct answer answers[ANSWERS_MAX];
	int head, tail;
	enum fb_event event; /* when they have been read */
	bool dead;

	uint8_t *data;
	uint32_t size, got; /* of a download */
	bool downloading;
	struct buf log;

	char stall[32], die[32], fail[96], say[96], too_long[32], info[96];
	char held[256];		   /* the command that stalled */
	uint32_t stall_at, die_at; /* 0 = never */
	int wrong_slot;
	bool stay, wrong_mode;
};

/* ---- answers ---- */

static void answer_bytes(struct fb_device *fb, const void *bytes, size_t n, uint64_t at_ms)
{
	struct answer *a = &fb->answers[fb->head++ % ANSWERS_MAX];

	a->size = (int)(n < sizeof(a->text) ? n : sizeof(a->text));
	memcpy(a->text, bytes, (size_t)a->size);
	a->at_ms = at_ms;
}

static void answer(struct fb_device *fb, const char *kind, const char *text)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s%s", kind, text);
	uint64_t at = fb->head != fb->tail ? fb->answers[(fb->head - 1) % ANSWERS_MAX].at_ms : 0;

	answer_bytes(fb, line, (size_t)n, at);
}

static void okay(struct fb_device *fb)
{
	answer(fb, "OKAY", "");
}

/* ---- variables ---- */

static const struct partition *find_partition(const char *name, bool with_slot)
{
	for (size_t i = 0; i < N_PARTITIONS; i++) {
		size_t n = strlen(partitions[i].name);
		const char *rest = name + n;

		if (strncmp(name, partitions[i].name, n) != 0)
			continue;
		if (!*rest && (!with_slot || !partitions[i].slots))
			return &partitions[i];
		if (with_slot && partitions[i].slots &&
		    (!strcmp(rest, "_a") || !strcmp(rest, "_b")))
			return &partitions[i];
	}
	return NULL;
}

static const char *yes(bool b)
{
	return b ? "yes" : "no";
}

static bool slot_variable(struct fb_device *fb, const char *name, char *value, size_t size)
{
	const char *colon = strchr(name, ':');
	const struct slot *s;

	if (!colon || strlen(colon) != 2 || colon[1] < 'a' || colon[1] > 'b')
		return false;
	s = &fb->slots[colon[1] - 'a'];
	if (!strncmp(name, "slot-retry-count:", 17))
		snprintf(value, size, "%d", s->retries);
	else if (!strncmp(name, "slot-successful:", 16))
		snprintf(value, size, "%s", yes(s->successful));
	else if (!strncmp(name, "slot-unbootable:", 16))
		snprintf(value, size, "%s", yes(s->unbootable));
	else
		return false;
	return true;
}

static bool partition_variable(struct fb_device *fb, const char *name, char *value, size_t size)
{
	const char *colon = strchr(name, ':');
	const struct partition *p;

	if (!colon)
		return false;
	if (!strncmp(name, "has-slot:", 9)) {
		p = find_partition(colon + 1, false);
		if (p)
			snprintf(value, size, "%s", yes(p->slots));
		return p != NULL;
	}
	p = find_partition(colon + 1, true);
	if (!strncmp(name, "is-logical:", 11) && fb->userspace)
		snprintf(value, size, "%s", yes(p && p->logical));
	else if (!strncmp(name, "partition-size:", 15) && p)
		snprintf(value, size, "0x%llx", (unsigned long long)p->size);
	else if (!strncmp(name, "partition-type:", 15) && p)
		snprintf(value, size, "raw");
	else
		return false;
	return true;
}

static bool plain_variable(struct fb_device *fb, const char *name, char *value, size_t size)
{
	const struct {
		const char *name, *value;
	} rows[] = {
		{ "version", "0.4" },
		{ "product", fb->product },
		{ "serialno", fb->serial },
		{ "current-slot", fb->current ? "b" : "a" },
		{ "slot-count", "2" },
		{ "slot-suffixes", "_a,_b" },
		{ "unlocked", yes(fb->unlocked) },
		{ "secure", yes(!fb->unlocked) },
		{ "is-userspace", yes(fb->userspace) },
		{ "version-bootloader", "fake-1.0" },
		{ "variant", "FAKE UFS" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		snprintf(value, size, "%s", rows[i].value);
		return true;
	}
	if (strcmp(name, "max-download-size") != 0)
		return false;
	snprintf(value, size, "0x%x", fb->max_download);
	return true;
}

static bool variable(struct fb_device *fb, const char *name, char *value, size_t size)
{
	return plain_variable(fb, name, value, size) || slot_variable(fb, name, value, size) ||
	       partition_variable(fb, name, value, size);
}

static void info_variable(struct fb_device *fb, const char *name)
{
	char value[64], line[160];

	if (!variable(fb, name, value, sizeof(value)))
		return;
	snprintf(line, sizeof(line), "%s:%s", name, value);
	answer(fb, "INFO", line);
}

static void getvar_all(struct fb_device *fb)
{
	static const char *const names[] = { "version",
					     "product",
					     "serialno",
					     "current-slot",
					     "slot-count",
					     "unlocked",
					     "max-download-size",
					     "slot-retry-count:a",
					     "slot-retry-count:b",
					     "slot-successful:a" };
	char name[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		info_variable(fb, names[i]);
	for (size_t i = 0; i < N_PARTITIONS; i++) {
		snprintf(name, sizeof(name), "has-slot:%s", partitions[i].name);
		info_variable(fb, name);
	}
	okay(fb);
}

static void cmd_getvar(struct fb_device *fb, const char *name)
{
	char value[64];

	if (!strcmp(name, "all"))
		getvar_all(fb);
	else if (variable(fb, name, value, sizeof(value)))
		answer(fb, "OKAY", value);
	else
		answer(fb, "FAIL", "GetVar Variable Not found");
}

/* ---- images ---- */

static void cmd_download(struct fb_device *fb, const char *arg)
{
	unsigned long size = strtoul(arg, NULL, 16);
	char text[16];

	if (strlen(arg) != 8 || !size) {
		answer(fb, "FAIL", "Invalid size");
		return;
	}
	if (size > fb->max_download) {
		answer(fb, "FAIL", "Requested download size is more than max allowed");
		return;
	}
	fb->data = xrealloc(fb->data, size);
	fb->size = (uint32_t)size;
	fb->got = 0;
	fb->downloading = true;
	snprintf(text, sizeof(text), "%08lx", size);
	answer(fb, "DATA", text);
}

/* NULL after a FAIL. */
static const struct partition *writable(struct fb_device *fb, const char *name)
{
	const struct partition *p = find_partition(name, true);

	if (!fb->unlocked)
		answer(fb, "FAIL", "Flashing is not allowed in Lock State");
	else if (!p || (p->logical && !fb->userspace))
		answer(fb, "FAIL", "No such partition.");
	else
		return p;
	return NULL;
}

static void cmd_flash(struct fb_device *fb, const char *name)
{
	const struct partition *p = writable(fb, name);
	const char *problem;

	if (!p)
		return;
	problem = fb->got ? store_flash(fb->store, name, p->size, fb->data, fb->got)
			  : "No image downloaded";
	if (problem) {
		answer(fb, "FAIL", problem);
		return;
	}
	/* a new boot image gets new chances */
	if (!strncmp(name, "boot_", 5))
		fb->slots[name[5] - 'a'] = (struct slot){ .retries = RETRIES };
	okay(fb);
}

static void cmd_erase(struct fb_device *fb, const char *name)
{
	if (!writable(fb, name))
		return;
	store_erase(fb->store, name);
	okay(fb);
}

static void cmd_resize(struct fb_device *fb, const char *arg)
{
	if (fb->userspace)
		okay(fb);
	else
		answer(fb, "FAIL", "unknown command");
	(void)arg;
}

static void cmd_boot(struct fb_device *fb, const char *arg)
{
	(void)arg;
	if (!fb->got || memcmp(fb->data, "ANDROID!", 8) != 0) {
		answer(fb, "FAIL", "Invalid boot image header");
		return;
	}
	store_erase(fb->store, "booted");
	store_flash(fb->store, "booted", UINT64_MAX, fb->data, fb->got);
	fb->event = FB_BOOTED;
	okay(fb);
}

/* ---- slots, reboots ---- */

static void cmd_set_active(struct fb_device *fb, const char *slot)
{
	if (strcmp(slot, "a") != 0 && strcmp(slot, "b") != 0) {
		answer(fb, "FAIL", "Invalid slot");
		return;
	}
	if (fb->wrong_slot) {
		fb->wrong_slot--;
	} else {
		fb->current = *slot - 'a';
		fb->slots[fb->current] = (struct slot){ .retries = RETRIES };
	}
	okay(fb);
}

/* A slot that nobody marks successful has so many boots, then the other one is next. */
static void count_boot(struct fb_device *fb)
{
	struct slot *s = &fb->slots[fb->current];

	if (s->successful)
		return;
	if (s->retries > 0)
		s->retries--;
	if (s->retries)
		return;
	s->unbootable = true;
	fb->current = !fb->current;
}

static void cmd_reboot(struct fb_device *fb, const char *target)
{
	static const struct {
		const char *name;
		enum fb_event event;
	} rows[] = { { "", FB_SYSTEM },
		     { "-bootloader", FB_BOOTLOADER },
		     { "-fastboot", FB_FASTBOOT },
		     { "-recovery", FB_RECOVERY } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, target) != 0)
			continue;
		okay(fb);
		if (fb->stay)
			return;
		fb->event = rows[i].event;
		if (fb->event == FB_SYSTEM)
			count_boot(fb);
		return;
	}
	answer(fb, "FAIL", "unknown reboot target");
}

static void cmd_oem(struct fb_device *fb, const char *arg)
{
	static const char *const known[] = { "uart enable", "uart disable", "uart config ",
					     "disable-verification" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(arg, known[i], strlen(known[i])) != 0)
			continue;
		answer(fb, "INFO", arg);
		okay(fb);
		return;
	}
	answer(fb, "FAIL", "unknown oem command");
}

/* ---- commands ---- */

static const struct command {
	const char *prefix;
	void (*run)(struct fb_device *fb, const char *arg);
} commands[] = {
	{ "getvar:", cmd_getvar },
	{ "download:", cmd_download },
	{ "flash:", cmd_flash },
	{ "erase:", cmd_erase },
	{ "set_active:", cmd_set_active },
	{ "resize-logical-partition:", cmd_resize },
	{ "boot", cmd_boot },
	{ "continue", cmd_boot },
	{ "reboot", cmd_reboot },
	{ "oem ", cmd_oem },
};

static bool begins(const char *command, const char *prefix)
{
	return *prefix && !strncmp(command, prefix, strlen(prefix));
}

/* The text behind "PREFIX:" of a knob, whose prefix may have colons, if the command begins so. */
static const char *knob_text(const char *command, const char *knob, char separator)
{
	const char *text = strchr(knob, separator);

	if (!text || text == knob || strncmp(command, knob, (size_t)(text - knob)) != 0)
		return NULL;
	return text + 1;
}

static void slow_info(struct fb_device *fb, const char *text)
{
	int count = 0, ms = 0;
	uint64_t now = mono_ms();

	if (sscanf(text, "%d/%d", &count, &ms) != 2)
		return;
	for (int i = 1; i <= count; i++)
		answer_bytes(fb, "INFOworking", 11, now + (uint64_t)(i * ms));
}

/* True: the command has had its answer, or gets none. */
static bool misbehave(struct fb_device *fb, const char *command)
{
	char junk[300];
	const char *text;

	text = knob_text(command, fb->info, '/');
	if (text)
		slow_info(fb, text);
	if (begins(command, fb->die)) {
		fb->event = FB_DIE;
		fb->dead = true;
		return true;
	}
	if (begins(command, fb->stall)) {
		snprintf(fb->held, sizeof(fb->held), "%s", command);
		return true;
	}
	text = knob_text(command, fb->fail, '/');
	if (text) {
		answer(fb, "FAIL", text);
		return true;
	}
	text = knob_text(command, fb->say, '/');
	if (text) {
		answer_bytes(fb, text, strlen(text), 0);
		return true;
	}
	if (!begins(command, fb->too_long))
		return false;
	memset(junk, 'x', sizeof(junk));
	memcpy(junk, "OKAY", 4);
	answer_bytes(fb, junk, sizeof(junk), 0);
	return true;
}

static void obey(struct fb_device *fb, const char *command)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!begins(command, commands[i].prefix))
			continue;
		commands[i].run(fb, command + strlen(commands[i].prefix));
		return;
	}
	answer(fb, "FAIL", "unknown command");
}

static void run_command(struct fb_device *fb, const char *command)
{
	buf_addf(&fb->log, "%s\n", command);
	if (!misbehave(fb, command))
		obey(fb, command);
}

/* ---- the wire ---- */

static int take_data(struct fb_device *fb, const uint8_t *data, int n)
{
	uint32_t room = fb->size - fb->got;

	if (fb->stall_at && fb->got >= fb->stall_at)
		return -EAGAIN;
	if (fb->die_at && fb->got + (uint32_t)n > fb->die_at) {
		fb->event = FB_DIE;
		fb->dead = true;
		return -EAGAIN;
	}
	if ((uint32_t)n > room)
		n = (int)room;
	memcpy(fb->data + fb->got, data, (size_t)n);
	fb->got += (uint32_t)n;
	if (fb->got == fb->size) {
		fb->downloading = false;
		okay(fb);
	}
	return n;
}

int fb_out(struct fb_device *fb, const uint8_t *data, int n)
{
	char command[256];

	if (fb->dead)
		return -EAGAIN;
	if (fb->downloading)
		return take_data(fb, data, n);
	if (n >= (int)sizeof(command))
		return n;
	memcpy(command, data, (size_t)n);
	command[n] = '\0';
	run_command(fb, command);
	return n;
}

int fb_in(struct fb_device *fb, uint8_t *buf, int n)
{
	const struct answer *a = &fb->answers[fb->tail % ANSWERS_MAX];

	if (fb->dead || fb->head == fb->tail || mono_ms() < a->at_ms)
		return -EAGAIN;
	fb->tail++;
	if (a->size < n)
		n = a->size;
	memcpy(buf, a->text, (size_t)n);
	return n;
}

bool fb_has_answers(const struct fb_device *fb)
{
	return !fb->dead && fb->head != fb->tail;
}

uint32_t fb_wants(const struct fb_device *fb)
{
	return fb->downloading ? fb->size - fb->got : 0;
}

enum fb_event fb_event(struct fb_device *fb)
{
	enum fb_event e = fb->event;

	if (!e || (fb->head != fb->tail && e != FB_DIE))
		return FB_NONE;
	fb->event = FB_NONE;
	if (e == FB_BOOTLOADER || e == FB_FASTBOOT)
		fb->userspace = e == FB_FASTBOOT && !fb->wrong_mode;
	return e;
}

void fb_reset(struct fb_device *fb)
{
	fb->head = fb->tail = 0;
	fb->held[0] = '\0';
	fb->downloading = false;
	fb->dead = false;
}

/* ---- the object ---- */

struct fb_device *fb_new(const char *store)
{
	struct fb_device *fb = xcalloc(1, sizeof(*fb));

	snprintf(fb->store, sizeof(fb->store), "%s", store);
	fb_set(fb, "serial=FAKE0001");
	fb_set(fb, "product=oriole");
	fb->max_download = 64u << 20;
	fb->unlocked = true;
	fb->slots[0] = (struct slot){ .retries = RETRIES, .successful = true };
	fb->slots[1] = (struct slot){ .retries = RETRIES };
	return fb;
}

void fb_free(struct fb_device *fb)
{
	if (!fb)
		return;
	buf_release(&fb->log);
	free(fb->data);
	free(fb);
}

static void heal(struct fb_device *fb)
{
	fb->stall[0] = fb->die[0] = fb->fail[0] = fb->say[0] = fb->too_long[0] = fb->info[0] = '\0';
	fb->stall_at = fb->die_at = 0;
	fb->wrong_slot = 0;
	fb->stay = fb->wrong_mode = false;
	if (fb->held[0])
		obey(fb, fb->held);
	fb->held[0] = '\0';
}

bool fb_set(struct fb_device *fb, const char *knob)
{
	const struct {
		const char *name;
		char *text;
		size_t size;
	} texts[] = {
		{ "serial", fb->serial, sizeof(fb->serial) },
		{ "product", fb->product, sizeof(fb->product) },
		{ "stall", fb->stall, sizeof(fb->stall) },
		{ "die", fb->die, sizeof(fb->die) },
		{ "fail", fb->fail, sizeof(fb->fail) },
		{ "say", fb->say, sizeof(fb->say) },
		{ "long", fb->too_long, sizeof(fb->too_long) },
		{ "info", fb->info, sizeof(fb->info) },
	};
	const char *value = strchr(knob, '=');
	char name[32];

	if (!value || (size_t)(value - knob) >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(value++ - knob), knob);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(name, texts[i].name) != 0)
			continue;
		snprintf(texts[i].text, texts[i].size, "%s", value);
		return true;
	}
	if (!strcmp(name, "max-download-size"))
		fb->max_download = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(name, "stall-at"))
		fb->stall_at = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(name, "die-at"))
		fb->die_at = (uint32_t)strtoul(value, NULL, 0);
	else if (!strcmp(name, "wrong-slot"))
		fb->wrong_slot = (int)strtol(value, NULL, 0);
	else if (!strcmp(name, "unlocked"))
		fb->unlocked = !strcmp(value, "yes");
	else if (!strcmp(name, "slot"))
		fb->current = *value == 'b';
	else if (!strcmp(name, "stay"))
		fb->stay = true;
	else if (!strcmp(name, "wrong-mode"))
		fb->wrong_mode = true;
	else if (!strcmp(name, "heal"))
		heal(fb);
	else
		return false;
	return true;
}

const char *fb_serial(const struct fb_device *fb)
{
	return fb->serial;
}

char fb_slot(const struct fb_device *fb)
{
	return (char)('a' + fb->current);
}

const char *fb_log(const struct fb_device *fb)
{
	return buf_str(&fb->log);
}
