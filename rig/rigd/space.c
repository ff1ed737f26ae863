// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Room on the disk; see daemon.h. A job starts only if what it may write, and what those that run
 * may still write, stays above the low-water mark. Below it a file of some megabytes is kept as a
 * reserve: when the disk is full all the same, it is given up so that a result gets its row.
 * Layer: rigd.
 */
#include "rigd/daemon.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "board/lab-daemon.h"
#include "board/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

struct space {
	char *home;
	char *reserve; /* path */
	bool low;
	char reason[200];
};

void space_open(struct daemon *d)
{
	struct space *s = xcalloc(1, sizeof(*s));

	s->home = path_home();
	s->reserve = path_in_home("reserve");
	d->space = s;
}

void space_close(struct daemon *d)
{
	if (!d->space)
		return;
	free(d->space->home);
	free(d->space->reserve);
	free(d->space);
	d->space = NULL;
}

/* There is always one while there is room for it. */
static void keep_reserve(struct daemon *d)
{
	uint64_t size = (uint64_t)lab_daemon(d->lab)->disk_reserve_mb * MIB;
	int fd = open(d->space->reserve, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	off_t have = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);

	if (fd >= 0 && have != (off_t)size &&
	    (ftruncate(fd, 0) < 0 || (size && fallocate(fd, 0, 0, (off_t)size) < 0)))
		log_debug("reserve: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

bool space_use_reserve(struct daemon *d)
{
	if (unlink(d->space->reserve) < 0)
		return false;
	log_warn("the disk is full: the reserve of %ld MiB is given up for the results",
		 lab_daemon(d->lab)->disk_reserve_mb);
	return true;
}

static bool enough(struct daemon *d, uint64_t *free_mb, uint64_t *needed_mb)
{
	const struct lab_daemon *c = lab_daemon(d->lab);
	struct statvfs fs;

	*needed_mb = (uint64_t)c->disk_low_mb + (d->n_runs + 1) * (uint64_t)c->job_disk_mb;
	if (statvfs(d->space->home, &fs) < 0)
		return true;
	*free_mb = (uint64_t)fs.f_bavail * fs.f_frsize / MIB;
	return *free_mb >= *needed_mb;
}

static void say(struct daemon *d, const char *verb)
{
	struct store_actor self = daemon_self();
	struct err err = ERR_INIT;

	daemon_note(&err, store_audit_add(d->memory, &self, verb, "disk", d->space->reason, &err));
}

bool space_for_job(struct daemon *d)
{
	struct space *s = d->space;
	uint64_t free_mb = 0, needed_mb = 0;
	bool low = !enough(d, &free_mb, &needed_mb);

	if (low)
		snprintf(s->reason, sizeof(s->reason),
			 "%s has %llu MiB left; %llu are needed to start another job", s->home,
			 (unsigned long long)free_mb, (unsigned long long)needed_mb);
	else
		keep_reserve(d);
	if (low && !s->low) {
		log_warn("nothing starts any more: %s", s->reason);
		say(d, "disk-low");
	} else if (!low && s->low) {
		s->reason[0] = '\0';
		log_info("there is room on the disk again");
		say(d, "disk-ok");
	}
	s->low = low;
	return !low;
}

const char *space_reason(const struct daemon *d)
{
	return d->space->low ? d->space->reason : "";
}
