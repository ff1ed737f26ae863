// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may type; see lease.h. Layer: console. */
#include "console/lease.h"
#include "base/buf.h"
#include "base/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX 4096

/* True when there is a lease that holds. */
static bool read_lease(const char *path, int64_t now_s, uid_t *uid, char *who, size_t size)
{
	struct buf text = BUF_INIT;
	char *end = NULL;
	bool valid = false;

	if (path_read(path, &text, FILE_MAX) == 0) {
		unsigned long holder = strtoul(buf_str(&text), &end, 10);
		long long until = *end == ' ' ? strtoll(end, &end, 10) : 0;

		valid = until > now_s;
		*uid = (uid_t)holder;
		end += strspn(end, " ");
		snprintf(who, size, "%.*s", (int)strcspn(end, "\n"), end);
	}
	buf_release(&text);
	return valid;
}

bool lease_allows(const char *path, uid_t uid, bool job_runs, int64_t now_s, char *why, size_t size)
{
	char who[128] = "";
	uid_t holder = 0;

	if (read_lease(path, now_s, &holder, who, sizeof(who))) {
		snprintf(why, size, "the board is leased to %s", who);
		return uid == holder;
	}
	if (job_runs) {
		snprintf(why, size, "a job runs on the board; a lease lets you type: `rig lease`");
		return false;
	}
	snprintf(why, size, "typing needs a lease: `rig lease`");
	return uid == 0 || uid == geteuid();
}
