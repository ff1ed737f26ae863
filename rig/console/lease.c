// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may type; see lease.h. Layer: console. */
#include "console/lease.h"
#include "base/leasefile.h"

#include <stdio.h>
#include <unistd.h>

bool lease_allows(const char *path, uid_t uid, bool job_runs, int64_t now_s, char *why, size_t size)
{
	struct leasefile lease;

	if (leasefile_read(path, now_s, &lease)) {
		snprintf(why, size, "the board is leased to %s", lease.who);
		return uid == lease.uid;
	}
	if (job_runs) {
		snprintf(why, size, "a job runs on the board; a lease lets you type: `rig lease`");
		return false;
	}
	snprintf(why, size, "typing needs a lease: `rig lease`");
	return uid == 0 || uid == geteuid();
}
