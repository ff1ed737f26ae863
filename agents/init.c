// SPDX-License-Identifier: GPL-2.0-or-later
/* What PID 1 of a rig-built initramfs does before it is an agent. */
#include "agents/agent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
	const char *type, *target, *options;
	unsigned long flags;
} mounts[] = {
	{ "proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
	{ "devtmpfs", "/dev", "mode=0755", MS_NOSUID },
	/* Up to here before the hello, the rest while it is on its way. */
	{ "sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
	{ "devpts", "/dev/pts", "mode=0620,ptmxmode=0666", MS_NOSUID | MS_NOEXEC },
	{ "tmpfs", "/dev/shm", "mode=1777", MS_NOSUID | MS_NODEV },
	{ "tmpfs", "/run", "mode=0755", MS_NOSUID | MS_NODEV },
	{ "tmpfs", "/tmp", "mode=1777", MS_NOSUID | MS_NODEV },
	{ "debugfs", "/sys/kernel/debug", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
	{ "tracefs", "/sys/kernel/tracing", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
	{ "configfs", "/sys/kernel/config", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
};

#define EARLY 2

/* What the kernel lacks is missed by whoever needs it, who then says so. */
static void mount_range(size_t i, size_t end)
{
	for (; i < end; i++) {
		mkdir(mounts[i].target, 0755);
		mount(mounts[i].type, mounts[i].target, mounts[i].type, mounts[i].flags,
		      mounts[i].options);
	}
}

void init_early_mounts(void)
{
	mount_range(0, EARLY);
}

void init_late_mounts(void)
{
	mount_range(EARLY, sizeof(mounts) / sizeof(mounts[0]));
}

/* The kernel hands PID 1 its own unknown command line words as environment; children get none of
 * it. */
void init_environment(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	clearenv();
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/", 1);
	setenv("TERM", "dumb", 1);
	umask(022);
	/* Whatever writes to the agent's own stdout or stderr shall not get between the frames. */
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}
