/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lease on a board as a file, for those who cannot ask the daemon: $RIG_HOME/boards/NAME.lease,
 * "<uid> <until: seconds since 1970> <who>\n". rigd writes it as a whole when a lease is taken or
 * renewed and removes it at its end; one whose time is past counts for nothing.
 */
#ifndef RIG_BASE_LEASEFILE_H
#define RIG_BASE_LEASEFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct leasefile {
	uid_t uid;
	int64_t until_s;
	char who[128];
};

/* $RIG_HOME/boards/NAME.lease; the caller frees. */
char *leasefile_path(const char *board);

/* 0 or -errno. */
int leasefile_write(const char *path, const struct leasefile *lease);

/* True when there is one that holds at that time. */
bool leasefile_read(const char *path, int64_t now_s, struct leasefile *lease);

#endif
