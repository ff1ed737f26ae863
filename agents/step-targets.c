// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The devices that the workloads of a visit will use, as tune and fingerprint are told them: key
 * target, selectors separated by commas. Both wait for them, so that what they set and report does
 * not depend on how fast the kernel found its disks.
 */
#include "agents/agent.h"
#include "agents/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void step_targets(struct step *s, void (*each)(void *ctx, const char *selector, const char *name),
		  void *ctx)
{
	const char *at = kv_get(&s->spec, "target", "");
	char selector[128], name[64], why[256];
	size_t n;

	for (; *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		snprintf(selector, sizeof(selector), "%.*s", (int)n, at);
		if (target_wait(s->agent->root, selector, TARGET_WAIT_MS, name, sizeof(name), why,
				sizeof(why)))
			step_note(s, "%s", why);
		else if (each)
			each(ctx, selector, name);
	}
}

bool step_device(struct step *s, char *dev, size_t cap)
{
	char why[256];
	int rc = target_find(s->agent->root, kv_get(&s->spec, "target", ""), TARGET_WAIT_MS, dev,
			     cap, why, sizeof(why));

	if (rc)
		step_end(s, rc == -ENODEV ? STEP_UNSUPPORTED : STEP_FAILED, "%s", why);
	return !rc;
}
