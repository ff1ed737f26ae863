// SPDX-License-Identifier: GPL-2.0-or-later
/* Serial ports by libserialport; see serial.h. Layer: io. */
#include "io/serial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <limits.h>
#include <linux/serial.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/sysfs.h"

struct serial {
	struct sp_port *port;
	int lock_fd; /* holds the flock(); -1 = none */
	int fd;	     /* libserialport's */
	char *path;
};

/* ---- where it is ---- */

/* The first entry of the directory that begins with prefix, into name. */
static int first_entry(const char *dir, const char *prefix, char *name, size_t size)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = -ENODEV;

	if (!d)
		return -ENODEV;
	while (rc && (e = readdir(d)))
		if (!strncmp(e->d_name, prefix, strlen(prefix)))
			rc = snprintf(name, size, "%s", e->d_name) < (int)size ? 0 : -ENAMETOOLONG;
	closedir(d);
	return rc;
}

/* usb-serial has .../1-1:1.0/ttyUSB0, cdc_acm .../1-1:1.0/tty/ttyACM0. */
static int interface_tty(const char *interface, char *name, size_t size)
{
	char dir[PATH_MAX];

	snprintf(dir, sizeof(dir), SYSFS_USB "/%s", interface);
	if (!first_entry(dir, "ttyUSB", name, size))
		return 0;
	snprintf(dir, sizeof(dir), SYSFS_USB "/%s/tty", interface);
	return first_entry(dir, "tty", name, size);
}

/* The interface with the lowest number that has a tty. */
static int device_tty(const char *port, char *name, size_t size)
{
	struct dirent **entries;
	size_t len = strlen(port);
	int n = scandir(SYSFS_USB, &entries, NULL, alphasort);
	int rc = -ENODEV;

	for (int i = 0; i < n; i++) {
		const char *e = entries[i]->d_name;

		if (rc && !strncmp(e, port, len) && e[len] == ':')
			rc = interface_tty(e, name, size);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return rc;
}

static int locate_usb(const char *port, char *path, size_t size)
{
	char name[NAME_MAX + 1];
	int rc;

	if (!*port || strchr(port, '/'))
		return -EINVAL;
	rc = strchr(port, ':') ? interface_tty(port, name, sizeof(name))
			       : device_tty(port, name, sizeof(name));
	if (rc)
		return rc;
	return snprintf(path, size, "/dev/%s", name) < (int)size ? 0 : -ENAMETOOLONG;
}

int serial_locate(const char *where, char *path, size_t size)
{
	char *real;
	int rc;

	if (!strncmp(where, "usb:", 4))
		return locate_usb(where + 4, path, size);
	if (*where != '/')
		return -EINVAL;
	real = realpath(where, NULL);
	if (!real)
		return errno == ENOENT ? -ENODEV : -errno;
	rc = snprintf(path, size, "%s", real) < (int)size ? 0 : -ENAMETOOLONG;
	free(real);
	return rc;
}

/* ---- opening ---- */

static int sp_errno(enum sp_return rc)
{
	switch (rc) {
	case SP_OK:
		return 0;
	case SP_ERR_FAIL:
		return errno == ENOENT || errno == ENXIO ? -ENODEV : errno ? -errno : -EIO;
	case SP_ERR_MEM:
		return -ENOMEM;
	case SP_ERR_SUPP:
		return -EOPNOTSUPP;
	default:
		return -ENOTTY; /* a name that is no entry of /sys/class/tty */
	}
}

/*
 * The lock comes first, by a descriptor of its own: sp_open() sets the line up, which must not
 * happen to a port that somebody else is using. TIOCEXCL keeps other programs out, flock() other
 * rigs that run as root, whom TIOCEXCL does not stop.
 */
static int hold(struct serial *s)
{
	s->lock_fd = open(s->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (s->lock_fd < 0)
		return errno == ENOENT || errno == ENXIO ? -ENODEV : -errno;
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
}

/* libserialport sets HUPCL, with which closing the port would reset boards wired to DTR. */
static int take(struct serial *s)
{
	struct termios t;
	int rc = sp_errno(sp_open(s->port, SP_MODE_READ_WRITE));

	if (rc)
		return rc;
	if (sp_get_port_handle(s->port, &s->fd))
		return -EIO;
	if (fcntl(s->fd, F_SETFD, FD_CLOEXEC) < 0 || ioctl(s->fd, TIOCEXCL) < 0 ||
	    tcgetattr(s->fd, &t) < 0)
		return -errno;
	t.c_cflag &= ~(tcflag_t)HUPCL;
	return tcsetattr(s->fd, TCSANOW, &t) < 0 ? -errno : 0;
}

/* What the driver really does: sp_set_baudrate() succeeds when it did not take. */
static int read_back(const struct serial *s, long *baud)
{
	struct sp_port_config *config = NULL;
	int now = 0;
	int rc = sp_errno(sp_new_config(&config));

	if (!rc)
		rc = sp_errno(sp_get_config(s->port, config));
	if (!rc)
		rc = sp_errno(sp_get_config_baudrate(config, &now));
	sp_free_config(config);
	*baud = now;
	return rc;
}

static int configure(struct serial *s, long baud, long *got)
{
	int rc;

	if (sp_set_bits(s->port, 8) || sp_set_parity(s->port, SP_PARITY_NONE) ||
	    sp_set_stopbits(s->port, 1) || sp_set_flowcontrol(s->port, SP_FLOWCONTROL_NONE))
		return sp_errno(SP_ERR_FAIL);
	rc = sp_errno(sp_set_baudrate(s->port, (int)baud));
	/* some drivers refuse in words, most by keeping another speed */
	if (rc && rc != -EINVAL)
		return rc;
	rc = read_back(s, got);
	if (rc)
		return rc;
	return *got == baud ? 0 : -ERANGE;
}

/*
 * An FTDI holds short input back for 16 ms, which halves the throughput of a protocol that waits
 * for answers. Needs root or a udev rule; without it the port is only slower.
 */
static void hurry(const char *path)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "/sys/class/tty/%s/device/latency_timer",
		 strrchr(path, '/') + 1);
	sysfs_write(file, "1");
}

int serial_open(struct serial **out, const char *where, long baud, long *got)
{
	struct serial *s = xcalloc(1, sizeof(*s));
	char path[PATH_MAX];
	long speed = 0;
	int rc;

	s->fd = s->lock_fd = -1;
	rc = serial_locate(where, path, sizeof(path));
	if (rc)
		goto out;
	s->path = xstrdup(path);
	rc = hold(s);
	if (!rc)
		rc = sp_errno(sp_get_port_by_name(path, &s->port));
	if (!rc)
		rc = take(s);
	if (!rc)
		rc = configure(s, baud, &speed);
	if (rc)
		goto out;
	hurry(path);
	sp_flush(s->port, SP_BUF_BOTH);
	*out = s;
	s = NULL;
out:
	if (got)
		*got = speed;
	serial_close(s);
	return rc;
}

void serial_close(struct serial *s)
{
	if (!s)
		return;
	if (s->fd >= 0) {
		/* undrained output would hold sp_close() for the driver's closing_wait, 30 s */
		sp_flush(s->port, SP_BUF_BOTH);
		ioctl(s->fd, TIOCNXCL);
		sp_close(s->port);
	}
	if (s->port)
		sp_free_port(s->port);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s->path);
	free(s);
}

/* ---- the open port ---- */

int serial_fd(const struct serial *s)
{
	return s->fd;
}

const char *serial_path(const struct serial *s)
{
	return s->path;
}

int serial_check(const struct serial *s)
{
	return sp_input_waiting(s->port) < 0 ? -ENODEV : 0;
}

int serial_break(struct serial *s, unsigned int ms)
{
	int rc = sp_errno(sp_start_break(s->port));

	if (rc)
		return rc;
	/* nothing to wait for but time; a port that hangs up ends it */
	deadline_poll(s->fd, POLLHUP, deadline_in(ms));
	return sp_errno(sp_end_break(s->port));
}

int serial_errors(const struct serial *s, struct serial_errors *e)
{
	struct serial_icounter_struct c;

	memset(&c, 0, sizeof(c));
	if (ioctl(s->fd, TIOCGICOUNT, &c) < 0)
		return -errno;
	*e = (struct serial_errors){
		.overrun = (unsigned int)c.overrun,
		.buffer_full = (unsigned int)c.buf_overrun,
		.frame = (unsigned int)c.frame,
		.parity = (unsigned int)c.parity,
		.breaks = (unsigned int)c.brk,
	};
	return 0;
}
