// SPDX-License-Identifier: GPL-2.0-or-later
/* Records between jobs; see idle.h. Layer: console. */
#include "console/idle.h"
#include "base/buf.h"
#include "base/deadline.h"
#include "base/path.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_record(const struct dirent *e)
{
	return e->d_name[0] >= '0' && e->d_name[0] <= '9';
}

/* Names begin with the time, so the oldest come first. */
static void prune(const char *parent, size_t kept)
{
	struct dirent **entries;
	int n = scandir(parent, &entries, is_record, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = path_join(parent, entries[i]->d_name);

		if ((size_t)(n - i) > kept)
			path_remove(path);
		free(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

char *idle_dir(const char *parent, size_t kept)
{
	char now[32];
	char *dir = path_join(parent, wall_iso(now, sizeof(now)));

	if (path_mkdirs(dir)) {
		free(dir);
		return NULL;
	}
	prune(parent, kept);
	return dir;
}
