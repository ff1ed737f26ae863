// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig doctor: what building kernels and running virtual boards needs of this host. Layer: cli.
 */
#include "cli/doctor.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"
#include "results/store.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A kernel tree, its objects and a few variants. */
#define DISK_WANTED_MB 8000u

#define VERSION_TIMEOUT_MS 5000

struct check {
	const char *name;
	/* true = healthy; evidence for both cases goes into note */
	bool (*healthy)(const struct check *c, struct buf *note);
	const char *arg;
	const char *mend; /* NULL = the note says it */
};

static bool runs(const struct check *c, struct buf *note)
{
	const char *argv[] = { c->arg, "--version", NULL };
	struct spawn s = SPAWN_INIT;
	int rc;

	s.argv = argv;
	rc = spawn_run(&s, note, deadline_in(VERSION_TIMEOUT_MS));
	if (rc == 0) {
		note->size = strcspn(buf_str(note), "\n");
		return true;
	}
	buf_reset(note);
	if (rc < 0)
		buf_addf(note, "%s: %s", c->arg, strerror(-rc));
	else
		buf_addf(note, "%s --version: exit code %d", c->arg, rc);
	return false;
}

/* The ufs device model is what virt-ufs is made of; QEMU 7.2 of Debian 12 has none. */
static bool has_ufs(const struct check *c, struct buf *note)
{
	const char *argv[] = { c->arg, "-device", "help", NULL };
	struct spawn s = SPAWN_INIT;
	struct buf out = BUF_INIT;
	bool found;

	s.argv = argv;
	found = spawn_run(&s, &out, deadline_in(VERSION_TIMEOUT_MS)) == 0 &&
		strstr(buf_str(&out), "name \"ufs\"");
	buf_adds(note,
		 found ? "has the ufs device" : "has no ufs device: QEMU 8.2 or later is needed");
	buf_release(&out);
	return found;
}

static bool in_data(const struct check *c, struct buf *note)
{
	char *data = path_data();
	char *path = path_join(data, c->arg);
	bool found = path_exists(path);

	buf_addf(note, "%s%s", path, found ? "" : " is not there");
	free(path);
	free(data);
	return found;
}

static bool beside(const struct check *c, struct buf *note)
{
	char *path = path_program(c->arg);
	bool found = access(path, X_OK) == 0;

	buf_addf(note, "%s%s", path, found ? "" : " is not there");
	free(path);
	return found;
}

static bool file_there(const struct check *c, struct buf *note)
{
	bool found = path_exists(c->arg);

	buf_addf(note, "%s%s", c->arg, found ? "" : " is not there");
	return found;
}

static bool home_writable(const struct check *c, struct buf *note)
{
	char *home = path_home();
	char *probe = path_join(home, ".doctor");
	int rc = path_mkdirs(home);

	(void)c;
	if (!rc)
		rc = path_write(probe, "", 0);
	unlink(probe);
	buf_addf(note, "%s%s%s", home, rc ? ": " : " is writable", rc ? strerror(-rc) : "");
	free(probe);
	free(home);
	return rc == 0;
}

static bool disk_room(const struct check *c, struct buf *note)
{
	char *home = path_home();
	struct statvfs fs;
	unsigned long long mb = 0;

	(void)c;
	if (statvfs(home, &fs) == 0)
		mb = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	buf_addf(note, "%llu MB free in %s, %u wanted", mb, home, DISK_WANTED_MB);
	free(home);
	return mb >= DISK_WANTED_MB;
}

static bool database_opens(const struct check *c, struct buf *note)
{
	struct err err = ERR_INIT;
	char *path = path_in_home("results.db");
	struct store *store = NULL;
	bool healthy = true;

	(void)c;
	if (!path_exists(path)) {
		buf_adds(note, "none yet");
	} else {
		store = store_open_home(false, &err);
		healthy = store != NULL;
		buf_adds(note, healthy ? path : err.message);
	}
	store_close(store);
	free(path);
	return healthy;
}

static const struct check checks[] = {
	{ "programs", beside, "rig-job", "make" },
	{ "kernel recipe", in_data, "kernel/build.sh", "set RIG_DATA to the source tree" },
	{ "initramfs", in_data, "build/initramfs/aarch64.cpio", "make initramfs" },
	{ "qemu aarch64", runs, "qemu-system-aarch64", "make setup" },
	{ "qemu ufs", has_ufs, "qemu-system-aarch64", "make setup" },
	{ "qemu mips", runs, "qemu-system-mips", "make setup" },
	{ "arm64 compiler", runs, "aarch64-linux-gnu-gcc", "make setup" },
	{ "mips compiler", runs, "mips-linux-gnu-gcc", "make setup" },
	{ "kernel source", file_there, "/usr/src/linux-source-6.12.tar.xz", "make setup" },
	{ "patch", runs, "patch", "make setup" },
	{ "home", home_writable, NULL, "set RIG_HOME to a directory that you may write" },
	{ "disk", disk_room, NULL, "free some space, or set RIG_HOME to a larger disk" },
	{ "database", database_opens, NULL, "move it away; `rig import` rebuilds it from runs/" },
};

void doctor_build(struct doctor *d)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const struct check *c = &checks[i];
		struct buf note = BUF_INIT;
		bool healthy = c->healthy(c, &note);

		doctor_add(d, healthy ? DOCTOR_OK : DOCTOR_BAD, c->name, c->mend, "%.*s",
			   (int)note.size, buf_str(&note));
		buf_release(&note);
	}
}
