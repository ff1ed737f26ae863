// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressed files; see packed.h. Layer: base. */
#include "base/packed.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNPACK_MS 120000
#define PACK_MS	  600000

static char *packed_name(const char *path)
{
	return xasprintf("%s.zst", path);
}

/* Into a file without a name: spawn_run() keeps no more than 16 MiB of a pipe. */
static int unpack(const char *packed, struct buf *out, size_t max)
{
	const char *argv[] = { "zstd", "-dcq", "--", packed, NULL };
	struct spawn sp = SPAWN_INIT;
	FILE *f = tmpfile();
	char path[32];
	int rc;

	if (!f)
		return -errno;
	sp.argv = argv;
	sp.out = fileno(f);
	rc = spawn_run(&sp, NULL, deadline_in(UNPACK_MS));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
	if (!rc)
		rc = path_read(path, out, max);
	fclose(f);
	return rc > 0 ? -EIO : rc;
}

int packed_read(const char *path, struct buf *out, size_t max)
{
	int rc = path_read(path, out, max);
	char *packed;

	if (rc != -ENOENT)
		return rc;
	packed = packed_name(path);
	if (path_exists(packed))
		rc = unpack(packed, out, max);
	free(packed);
	return rc;
}

/* zstd writes its file in place and removes the other: so it gets another name first. */
static int pack(const char *path, const char *packed)
{
	char *tmp = xasprintf("%s.part", packed);
	const char *argv[] = { "zstd", "-qf", "-o", tmp, "--", path, NULL };
	struct spawn sp = SPAWN_INIT;
	int fd = -1;
	int rc;

	sp.argv = argv;
	rc = spawn_run(&sp, NULL, deadline_in(PACK_MS));
	if (rc > 0)
		rc = -EIO;
	if (!rc)
		fd = open(tmp, O_RDONLY | O_CLOEXEC);
	if (!rc && (fd < 0 || fsync(fd) < 0 || rename(tmp, packed) < 0))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	if (rc)
		unlink(tmp);
	else if (unlink(path) < 0)
		rc = -errno;
	free(tmp);
	return rc;
}

int packed_make(const char *path)
{
	char *packed = packed_name(path);
	int rc = path_exists(path) ? pack(path, packed) : 0;

	free(packed);
	return rc;
}
