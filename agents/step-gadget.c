// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step gadget: makes this machine a USB device of those functions, or none at all. Keys: arg
 * functions= lun= backing= udc= wait_ms=.
 *
 * The mass storage gets a medium of lun= bytes: an image in RAM (backing=ram), or a device or file
 * that is named. The step has ended well only when the host has configured the gadget.
 *
 *	enumerate_ns	ns	from the binding to that
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/gadget.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IMAGE "/tmp/rig-lun.img"

/* Written out, not sparse: a hole that is filled while it is measured is memory management. */
static int make_image(uint64_t bytes)
{
	static const char zeros[65536];
	int fd = open(IMAGE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), rc = 0;

	if (fd < 0)
		return -errno;
	for (uint64_t done = 0; done < bytes && !rc; done += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != (ssize_t)sizeof(zeros))
			rc = errno ? -errno : -ENOSPC;
	close(fd);
	if (rc)
		unlink(IMAGE);
	return rc;
}

static const char *find_backing(struct step *s, uint64_t bytes)
{
	const char *backing = args_text(s, "backing", "ram");
	int rc;

	if (strcmp(backing, "ram") != 0)
		return backing;
	rc = make_image(bytes);
	if (!rc)
		return IMAGE;
	step_end(s, STEP_FAILED, "no image of %llu bytes in RAM: %s", (unsigned long long)bytes,
		 strerror(-rc));
	return NULL;
}

static void end_by(struct step *s, const struct gadget *g, int rc)
{
	if (rc)
		step_end(s, rc == -ENOTSUP || rc == -ENODEV ? STEP_UNSUPPORTED : STEP_FAILED, "%s",
			 g->why);
}

static void make(struct step *s, struct gadget *g, uint64_t wait_ms)
{
	uint64_t start = agent_now_ns();
	char text[32];
	int rc = gadget_make(g);

	if (!rc)
		rc = gadget_wait(g, (unsigned int)wait_ms);
	end_by(s, g, rc);
	if (rc)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(agent_now_ns() - start));
	step_metric(s, "enumerate_ns", text, "ns");
	step_note(s, "%s on %s%s%s", g->functions, g->bound, g->lun ? ", medium " : "",
		  g->lun ? g->lun : "");
}

void step_gadget(struct step *s)
{
	struct gadget g = { .root = s->agent->root,
			    .functions = args_text(s, "functions", ""),
			    .udc = args_text(s, "udc", NULL) };
	uint64_t lun_bytes, wait_ms;

	if (!args_number(s, "lun", 64 << 20, 65536, UINT64_C(1) << 40, &lun_bytes) ||
	    !args_number(s, "wait_ms", 10000, 0, 600000, &wait_ms))
		return;
	end_by(s, &g, gadget_remove(&g));
	unlink(IMAGE);
	if (s->status != STEP_OK || !strcmp(g.functions, "none"))
		return;
	if (strstr(g.functions, "mass_storage")) {
		g.lun = find_backing(s, lun_bytes);
		if (!g.lun)
			return;
	}
	make(s, &g, wait_ms);
}
