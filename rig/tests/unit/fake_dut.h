/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A DUT for tests: kernel log and agent on one stream, without a kernel. What it does is said by
 * one word, see `behaviours`. Included by tests only, hence code in a header.
 */
#ifndef RIG_TESTS_FAKE_DUT_H
#define RIG_TESTS_FAKE_DUT_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents/kv.h"
#include "agents/wire.h"
#include "base/deadline.h"

struct fake;

struct fake_behaviour {
	const char *name;
	void (*boot)(struct fake *f);			 /* instead of the hello */
	void (*step)(struct fake *f, struct kv_list *l); /* instead of a good result */
};

struct fake {
	int fd;
	struct wire *wire;
	const struct fake_behaviour *how;
	const char *release;
	bool restart; /* comes up again in a new epoch */
	bool over;
};

#define FAKE_BANNER "[    0.000000] Linux version 6.12.0-fake (rig@rig) #1 SMP\r\n"
#define FAKE_PANIC                                                                                 \
	"[    1.500000] Kernel panic - not syncing: fake canary\r\n"                               \
	"[    1.500001] CPU: 0 UID: 0 PID: 1 Comm: init Not tainted 6.12.0-fake #1\r\n"            \
	"[    1.500002] Call trace:\r\n"                                                           \
	"[    1.500003]  panic+0x1/0x2\r\n"                                                        \
	"[    1.500004] ---[ end Kernel panic - not syncing: fake canary ]---\r\n"
#define FAKE_WARN                                                                                  \
	"[    2.000000] ------------[ cut here ]------------\r\n"                                  \
	"[    2.000001] WARNING: CPU: 0 PID: 1 at drivers/ufs/core/ufshcd.c:10 "                   \
	"ufshcd_fake+0x1/0x2\r\n"                                                                  \
	"[    2.000002] Call trace:\r\n"                                                           \
	"[    2.000003]  ufshcd_fake+0x1/0x2\r\n"                                                  \
	"[    2.000004] ---[ end trace 0000000000000000 ]---\r\n"

static inline void fake_write(struct fake *f, const void *data, size_t size)
{
	const char *p = data;

	while (size && !f->over) {
		ssize_t n = write(f->fd, p, size);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd w = { .fd = f->fd, .events = POLLOUT };

			poll(&w, 1, 1000);
		} else if (n <= 0) {
			f->over = true;
		} else {
			p += n;
			size -= (size_t)n;
		}
	}
}

static inline void fake_print(struct fake *f, const char *text)
{
	fake_write(f, text, strlen(text));
}

static inline void fake_send(struct fake *f, unsigned int type, struct kv *kv)
{
	wire_send(f->wire, type, kv->data, kv->size);
	kv_release(kv);
}

static inline void fake_hello(struct fake *f)
{
	struct kv kv = { 0 };

	kv_add(&kv, "version", "fake");
	kv_add(&kv, "arch", "aarch64");
	kv_add(&kv, "release", f->release);
	kv_add(&kv, "boot_id", "1");
	fake_send(f, WIRE_HELLO, &kv);
}

static inline void fake_file(struct fake *f, const char *id, const char *name, const char *text,
			     uint32_t crc_error)
{
	struct kv kv = { 0 };
	char hex[16];

	kv_add(&kv, "id", id);
	kv_add(&kv, "name", name);
	kv_add_u64(&kv, "size", strlen(text));
	kv_add_u64(&kv, "offset", 0);
	snprintf(hex, sizeof(hex), "%08x", wire_crc32(0, text, strlen(text)) ^ crc_error);
	kv_add(&kv, "crc32", hex);
	kv_body(&kv, text, strlen(text));
	fake_send(f, WIRE_FILE, &kv);
}

static inline void fake_end(struct fake *f, const char *id, const char *status, const char *message)
{
	struct kv kv = { 0 };

	kv_add(&kv, "id", id);
	kv_add(&kv, "status", status);
	kv_add_i64(&kv, "exit", 0);
	kv_add_i64(&kv, "signal", 0);
	kv_add_i64(&kv, "duration_ns", 1000);
	kv_add_i64(&kv, "agent_cpu_ns", 10);
	kv_add_i64(&kv, "agent_wakeups", 0);
	kv_add(&kv, "message", message);
	fake_send(f, WIRE_END, &kv);
}

/* What a good agent does: files by kind, a metric, a note, the end. */
static inline void fake_good(struct fake *f, struct kv_list *l)
{
	const char *id = kv_get(l, "id", "");
	const char *kind = kv_get(l, "kind", "");
	struct kv metric = { 0 };

	if (!strcmp(kind, "fio")) {
		fake_file(f, id, "command", "fio --fake\n", 0);
		fake_file(f, id, "fio.json", "{}\n", 0);
		kv_add(&metric, "id", id);
		kv_add(&metric, "name", "read.iops");
		kv_add(&metric, "value", "1234.5");
		kv_add(&metric, "unit", "IOPS");
		fake_send(f, WIRE_METRIC, &metric);
	} else if (!strcmp(kind, "fingerprint")) {
		fake_file(f, id, "fingerprint.json", "{}\n", 0);
	} else if (!strcmp(kind, "dmesg")) {
		fake_file(f, id, "dmesg", "all well\n", 0);
	} else if (!strcmp(kind, "tune")) {
		wire_send(f->wire, WIRE_NOTE, "no cpufreq here", 15);
	}
	fake_end(f, id, "ok", "");
}

/* For the behaviour "numbers": the rate that its fio reports, how long that takes. */
static double fake_iops = 1000;
static int fake_step_ms;

/* About normal, with a deviation of 0.3 %. */
static inline double fake_noise(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)random() / (double)RAND_MAX - 0.5;
	return 1 + 0.003 * sum;
}

static inline void fake_fio_json(char *json, size_t size)
{
	double iops = fake_iops * fake_noise();

	snprintf(
		json, size,
		"{ \"fio version\": \"fio-3.33\", \"jobs\": [ { \"jobname\": \"x\", \"error\": 0,"
		" \"read\": { \"io_bytes\": %.0f, \"bw_bytes\": %.0f, \"iops\": %.6f,"
		" \"runtime\": 1000, \"total_ios\": %.0f, \"iops_min\": %.0f, \"iops_max\": %.0f,"
		" \"iops_mean\": %.6f }, \"usr_cpu\": 3.25, \"sys_cpu\": 14.5, \"ctx\": 4711 } ] }\n",
		iops * 4096, iops * 4096, iops, iops, iops * 0.85, iops * 1.1, iops);
}

/* Numbers that can be judged, from a boot of its own. */
static inline void fake_step_numbers(struct fake *f, struct kv_list *l)
{
	const char *id = kv_get(l, "id", "");
	const char *kind = kv_get(l, "kind", "");
	char text[1024];

	if (!strcmp(kind, "fio")) {
		poll(NULL, 0, fake_step_ms);
		fake_file(f, id, "command",
			  "fio --name=randread --rw=randread --bs=4k --runtime=1 --time_based\n",
			  0);
		fake_fio_json(text, sizeof(text));
		fake_file(f, id, "fio.json", text, 0);
	} else if (!strcmp(kind, "fingerprint")) {
		snprintf(text, sizeof(text),
			 "{\"boot_id\": \"%d-%llu\", \"tools\": {\"fio\": \"3\"}}\n", (int)getpid(),
			 (unsigned long long)mono_ns());
		fake_file(f, id, "fingerprint.json", text, 0);
	}
	fake_end(f, id, "ok", "");
}

static inline bool fake_is_fio(struct kv_list *l)
{
	return !strcmp(kv_get(l, "kind", ""), "fio");
}

static inline void fake_nothing(struct fake *f)
{
	(void)f;
}

static inline void fake_panic_boot(struct fake *f)
{
	fake_print(f, FAKE_PANIC);
}

static inline void fake_boot_die(struct fake *f)
{
	f->over = true;
}

static inline void fake_boot_garbage(struct fake *f)
{
	char noise[4096];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 2654435761u >> 7);
	fake_write(f, noise, sizeof(noise));
	fake_print(f, "~{AAAA broken\r\n~~{{}}");
	fake_hello(f);
}

static inline void fake_step_panic(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_print(f, FAKE_PANIC);
	else
		fake_good(f, l);
}

static inline void fake_step_warn(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_print(f, FAKE_WARN);
	fake_good(f, l);
}

/* A warning with every I/O, and another one in the end. */
static inline void fake_step_storm(struct fake *f, struct kv_list *l)
{
	for (int i = 0; i < 50 && fake_is_fio(l); i++)
		fake_print(f, FAKE_WARN);
	if (fake_is_fio(l))
		fake_print(f, "[    3.000000] BUG: scheduling while atomic: fio/99/0x00000002\r\n");
	fake_good(f, l);
}

static inline void fake_step_fail(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_end(f, kv_get(l, "id", ""), "failed", "fio: no such engine");
	else
		fake_good(f, l);
}

/* There is nothing here that this workload could run on. */
static inline void fake_step_lack(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_end(f, kv_get(l, "id", ""), "unsupported", "no such device");
	else
		fake_good(f, l);
}

/* A workload that hangs, ended by the agent. */
static inline void fake_step_late(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_end(f, kv_get(l, "id", ""), "timeout", "ended after its time");
	else
		fake_good(f, l);
}

/*
 * How many fio steps (or boots, whatever asks) a machine of this behaviour has seen, this one
 * included: kept in RIG_HOME.
 */
static inline size_t fake_times(const struct fake *f)
{
	char path[256];
	off_t end;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("RIG_HOME"), f->how->name);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, "x", 1) != 1)
		abort();
	end = lseek(fd, 0, SEEK_END);
	close(fd);
	return (size_t)end;
}

/* Boots that do not come up, of a machine that does so now and then. */
static inline void fake_hang_first(struct fake *f)
{
	if (fake_times(f) > 1)
		fake_hello(f);
}

static inline void fake_hang_twice(struct fake *f)
{
	if (fake_times(f) > 2)
		fake_hello(f);
}

static inline void fake_step_late_first(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l) && fake_times(f) == 1)
		fake_step_late(f, l);
	else
		fake_good(f, l);
}

static inline void fake_step_late_third(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l) && fake_times(f) == 3)
		fake_step_late(f, l);
	else
		fake_good(f, l);
}

static inline void fake_step_damaged(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l)) {
		fake_file(f, kv_get(l, "id", ""), "fio.json", "{}\n", 1);
		fake_end(f, kv_get(l, "id", ""), "ok", "");
	} else {
		fake_good(f, l);
	}
}

static inline void fake_step_reset(struct fake *f, struct kv_list *l)
{
	if (!fake_is_fio(l)) {
		fake_good(f, l);
		return;
	}
	f->restart = true;
}

static inline void fake_step_banner(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		fake_print(f, "\r\n" FAKE_BANNER);
	else
		fake_good(f, l);
}

static inline void fake_step_die(struct fake *f, struct kv_list *l)
{
	if (fake_is_fio(l))
		f->over = true;
	else
		fake_good(f, l);
}

static inline void fake_step_mute(struct fake *f, struct kv_list *l)
{
	if (!fake_is_fio(l))
		fake_good(f, l);
}

static const struct fake_behaviour fake_behaviours[] = {
	{ "good", fake_hello, fake_good },
	{ "numbers", fake_hello, fake_step_numbers },
	{ "silent", NULL, fake_good }, /* not even a banner */
	{ "hang", fake_nothing, fake_good },
	{ "hang-first", fake_hang_first, fake_good },
	{ "hang-twice", fake_hang_twice, fake_good },
	{ "panic-boot", fake_panic_boot, fake_good },
	{ "die-boot", fake_boot_die, fake_good },
	{ "garbage", fake_boot_garbage, fake_good },
	{ "panic", fake_hello, fake_step_panic },
	{ "warn", fake_hello, fake_step_warn },
	{ "storm", fake_hello, fake_step_storm },
	{ "fail", fake_hello, fake_step_fail },
	{ "lack", fake_hello, fake_step_lack },
	{ "damaged", fake_hello, fake_step_damaged },
	{ "late", fake_hello, fake_step_late },
	{ "late-first", fake_hello, fake_step_late_first },
	{ "late-third", fake_hello, fake_step_late_third },
	{ "reset", fake_hello, fake_step_reset },
	{ "banner", fake_hello, fake_step_banner },
	{ "die", fake_hello, fake_step_die },
	{ "mute", fake_hello, fake_step_mute },
};

static inline void fake_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	struct fake *f = ctx;
	struct kv_list list = { 0 };

	if (type == WIRE_STEP && kv_parse(&list, data, size) == 0)
		f->how->step(f, &list);
	kv_list_release(&list);
}

static inline void fake_turn(struct fake *f)
{
	char chunk[4096];
	struct pollfd p = { .fd = f->fd, .events = POLLIN };
	size_t out;
	ssize_t n;

	while ((out = wire_output(f->wire, chunk, sizeof(chunk), mono_ms())) > 0)
		fake_write(f, chunk, out);
	if (f->over)
		return;
	poll(&p, 1, wire_timeout(f->wire, mono_ms()));
	if (!p.revents)
		return;
	n = read(f->fd, chunk, sizeof(chunk));
	if (n <= 0)
		f->over = true;
	else
		wire_feed(f->wire, chunk, (size_t)n, mono_ms());
	if (f->restart) {
		f->restart = false;
		wire_restart(f->wire);
		fake_hello(f);
	}
}

/* Serves until the other end closes or the behaviour ends it; closes fd. */
static inline void fake_dut(int fd, const char *behaviour, const char *release)
{
	static const struct wire_ops ops = { .message = fake_message };
	struct wire_link link = wire_link_console;
	struct fake f = { .fd = fd, .release = release, .how = fake_behaviours };

	for (size_t i = 0; i < sizeof(fake_behaviours) / sizeof(fake_behaviours[0]); i++)
		if (!strcmp(fake_behaviours[i].name, behaviour))
			f.how = &fake_behaviours[i];
	link.side = WIRE_SIDE_AGENT;
	link.epoch = (uint16_t)(getpid() | 1);
	f.wire = wire_new(&ops, &f, &link);
	if (f.how->boot) {
		fake_print(&f, FAKE_BANNER "[    0.100000] booting\r\n");
		f.how->boot(&f);
	}
	while (!f.over)
		fake_turn(&f);
	wire_free(f.wire);
	close(fd);
}

#endif
