// SPDX-License-Identifier: GPL-2.0-or-later
/* Ending the run of a dead job; see endrun.h. Layer: rigd. */
#include "rigd/endrun.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "conf/event.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The reference to fields is taken over. */
static int append_event(int fd, const char *name, json_t *fields)
{
	char *line = event_line(name, fields);
	int rc = path_write_fd(fd, line, strlen(line));

	free(line);
	json_decref(fields);
	return rc;
}

/* A torn last line is closed first, so that what follows it can be read. */
static int close_torn_line(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char last = '\n';

	if (size > 0 && pread(fd, &last, 1, size - 1) != 1)
		return -EIO;
	if (last != '\n' && write(fd, "\n", 1) != 1)
		return -EIO;
	return 0;
}

int endrun_journal(const char *run_dir, const char *message)
{
	char *path = path_join(run_dir, RUNDIR_EVENTS);
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	int rc;

	free(path);
	if (fd < 0)
		return -errno;
	rc = close_torn_line(fd);
	if (!rc)
		rc = append_event(fd, "fault",
				  json_pack("{s:s,s:s,s:s}", "blame", "RIG", "code", "job-lost",
					    "message", message));
	if (!rc)
		rc = append_event(fd, "session-end", json_pack("{s:s}", "result", "fault"));
	if (fsync(fd) < 0 && !rc)
		rc = -errno;
	close(fd);
	return rc;
}
