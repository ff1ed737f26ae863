// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step serve: brings a network port up and has busybox httpd serve a page on it, until the DUT is
 * switched off; the rig loads that page in a step of its own (http). For systems that the rig made;
 * others have a web server. Keys: arg interface= (net.h) address= page_kb=.
 */
#include "agents/agent.h"
#include "agents/args.h"
#include "agents/net.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS	 5000
#define ROOT	 "/run/www"
#define LINE	 64 /* bytes of the page's lines */
#define START_MS 10000

static int write_page(uint64_t kb)
{
	FILE *f;

	mkdir(ROOT, 0755);
	f = fopen(ROOT "/index.html", "we");
	if (!f)
		return -errno;
	for (uint64_t i = 0; i < kb * 1024 / LINE; i++)
		fprintf(f, "%-*llu\n", LINE - 1, (unsigned long long)i);
	return fclose(f) ? -errno : 0;
}

/* A port without a carrier drops what it is sent. */
static bool has_carrier(const char *root, const char *name)
{
	char path[SYSFS_PATH], text[8];

	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", name);
	return sysfs_read(root, path, text, sizeof(text)) > 0 && *text == '1';
}

static void wait_carrier(struct step *s, const char *name)
{
	uint64_t end_ms = agent_now_ms() + WAIT_MS;

	while (!has_carrier(s->agent->root, name) && agent_now_ms() < end_ms)
		poll(NULL, 0, 20);
	if (!has_carrier(s->agent->root, name))
		step_note(s, "%s: no carrier within %d ms", name, WAIT_MS);
}

/* It goes to the background by itself once it listens. */
static void start(struct step *s)
{
	static const char *const argv[] = { "httpd", "-p", "80", "-h", ROOT, NULL };
	char out[320], err[320];

	step_path(s, "stdout", out, sizeof(out));
	step_path(s, "stderr", err, sizeof(err));
	run_child(s->agent, argv, out, err, START_MS, &s->run);
	step_judge(s, "httpd", err);
	unlink(out);
	unlink(err);
}

void step_serve(struct step *s)
{
	char name[NET_NAME], why[160];
	uint64_t page_kb;
	int rc;

	if (!args_number(s, "page_kb", 64, 1, 16384, &page_kb))
		return;
	if (net_find(s->agent->root, args_text(s, "interface", ""), WAIT_MS, name, why,
		     sizeof(why))) {
		step_end(s, STEP_FAILED, "%s", why);
		return;
	}
	rc = net_up(name);
	if (!rc)
		rc = net_address(name, args_text(s, "address", ""));
	if (!rc)
		rc = write_page(page_kb);
	if (rc) {
		step_end(s, STEP_FAILED, "%s: %s", name, strerror(-rc));
		return;
	}
	wait_carrier(s, name);
	start(s);
}
