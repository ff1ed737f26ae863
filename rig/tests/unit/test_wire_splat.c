// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel splat that the console prints in the middle of a frame: the frame comes again, and the
 * detector sees the splat. At every byte offset of the frame.
 */
#include "agents/wire.h"
#include "scan/klog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char payload[] = "kind=result\nname=read.iops\nvalue=4883.18\nunit=IOPS\n";

/* What printk puts on the console: it ends lines, but does not begin on a fresh one. */
static const char splat[] =
	"[   12.345678] ------------[ cut here ]------------\r\n"
	"[   12.345679] WARNING: CPU: 0 PID: 1 at drivers/ufs/core/ufshcd.c:5501 "
	"ufshcd_intr+0x44/0x90\r\n"
	"[   12.345680] Call trace:\r\n"
	"[   12.345681]  ufshcd_intr+0x44/0x90\r\n"
	"[   12.345682]  __handle_irq_event_percpu+0x38/0x160\r\n"
	"[   12.345683] ---[ end trace 0000000000000000 ]---\r\n";

/* A panic's last line has nothing before it that could help. */
static const char panic[] =
	"[   12.345678] Kernel panic - not syncing: out of luck\r\n"
	"[   12.345679] ---[ end Kernel panic - not syncing: out of luck ]---\r\n";

struct ends {
	struct wire *rig, *agent;
	struct klog *klog;
	unsigned int messages, wrong, findings;
	char title[KLOG_TITLE_MAX];
	uint64_t now;
};

static void rig_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	struct ends *e = ctx;

	if (type == WIRE_HELLO)
		return;
	e->messages++;
	e->wrong += type != WIRE_METRIC || size != sizeof(payload) - 1 ||
		    memcmp(data, payload, size) != 0;
}

static void rig_text(void *ctx, const void *data, size_t size)
{
	struct ends *e = ctx;

	klog_feed(e->klog, data, size);
}

static void agent_message(void *ctx, unsigned int type, const void *data, size_t size)
{
	(void)ctx;
	(void)type;
	(void)data;
	(void)size;
}

static void found(void *ctx, const struct klog_finding *f)
{
	struct ends *e = ctx;

	e->findings++;
	memcpy(e->title, f->title, sizeof(e->title));
}

static void start(struct ends *e)
{
	static const struct wire_ops rig_ops = { rig_message, rig_text, NULL };
	static const struct wire_ops agent_ops = { agent_message, NULL, NULL };
	struct wire_link link = wire_link_console;

	memset(e, 0, sizeof(*e));
	link.side = WIRE_SIDE_RIG;
	e->rig = wire_new(&rig_ops, e, &link);
	link.side = WIRE_SIDE_AGENT;
	link.epoch = 7;
	e->agent = wire_new(&agent_ops, e, &link);
	e->klog = klog_new(found, e);
	assert_non_null(e->rig);
	assert_non_null(e->agent);
	assert_non_null(e->klog);
}

static void stop(struct ends *e)
{
	klog_free(e->klog);
	wire_free(e->rig);
	wire_free(e->agent);
}

/* Carries what both have to say; virtual time passes only when both are silent. */
static void settle(struct ends *e)
{
	uint64_t end =
		e->now + 60000; /* ends that never fall silent have not understood each other */
	char line[4096];

	for (int idle = 0; idle < 200; e->now += 10) {
		size_t up = wire_output(e->agent, line, sizeof(line), e->now);
		size_t down;

		wire_feed(e->rig, line, up, e->now);
		down = wire_output(e->rig, line, sizeof(line), e->now);
		wire_feed(e->agent, line, down, e->now);
		idle = up || down ? 0 : idle + 1;
		assert_true(e->now < end);
	}
}

/* The text arrives when `at` bytes of the frame are on the line. Returns the frame's size. */
static size_t collide(struct ends *e, const char *text, size_t at)
{
	char line[4096];
	size_t n;

	start(e);
	assert_int_equal(wire_send(e->agent, WIRE_HELLO, "a=b\n", 4), 0);
	settle(e);
	assert_int_equal(wire_send(e->agent, WIRE_METRIC, payload, sizeof(payload) - 1), 0);
	n = wire_output(e->agent, line, sizeof(line), e->now);
	assert_true(n > sizeof(payload));
	if (at > n)
		at = n;
	wire_feed(e->rig, line, at, e->now);
	wire_feed(e->rig, text, strlen(text), e->now);
	wire_feed(e->rig, line + at, n - at, e->now);
	settle(e);
	klog_finish(e->klog);
	return n;
}

static void every_offset(const char *text, const char *title)
{
	struct ends e;
	size_t n = 1;

	for (size_t at = 0; at <= n; at++) {
		n = collide(&e, text, at);
		if (e.messages != 1 || e.wrong || e.findings != 1 || strcmp(e.title, title) != 0)
			fail_msg("at byte %zu of %zu: %u messages, %u wrong, %u findings, \"%s\"",
				 at, n, e.messages, e.wrong, e.findings, e.title);
		stop(&e);
	}
	assert_true(n > 60);
}

static void warning_inside_a_frame(void **state)
{
	(void)state;
	every_offset(splat, "WARNING in ufshcd_intr");
}

static void panic_inside_a_frame(void **state)
{
	(void)state;
	every_offset(panic, "panic: out of luck");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warning_inside_a_frame),
		cmocka_unit_test(panic_inside_a_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
