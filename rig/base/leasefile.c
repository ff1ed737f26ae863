// SPDX-License-Identifier: GPL-2.0-or-later
/* The lease on a board as a file; see leasefile.h. */
#include "base/leasefile.h"
#include "base/buf.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX 4096

char *leasefile_path(const char *board)
{
	return path_in_home("boards/%s.lease", board);
}

int leasefile_write(const char *path, const struct leasefile *lease)
{
	char *text = xasprintf("%lu %" PRId64 " %.*s\n", (unsigned long)lease->uid, lease->until_s,
			       (int)strcspn(lease->who, "\n"), lease->who);
	int rc = path_write(path, text, strlen(text));

	free(text);
	return rc;
}

bool leasefile_read(const char *path, int64_t now_s, struct leasefile *lease)
{
	struct buf text = BUF_INIT;
	char *end = NULL;

	*lease = (struct leasefile){ .uid = (uid_t)-1 };
	if (path_read(path, &text, FILE_MAX) == 0) {
		lease->uid = (uid_t)strtoul(buf_str(&text), &end, 10);
		lease->until_s = *end == ' ' ? strtoll(end, &end, 10) : 0;
		end += strspn(end, " ");
		snprintf(lease->who, sizeof(lease->who), "%.*s", (int)strcspn(end, "\n"), end);
	}
	buf_release(&text);
	return lease->until_s > now_s;
}
