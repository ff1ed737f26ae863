// SPDX-License-Identifier: GPL-2.0-or-later
/* Manifests of built kernels; see manifest.h. Layer: base. */
#include "base/manifest.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST_MAX 65536

static const struct {
	const char *key;
	size_t offset;
} fields[] = {
	{ "id", offsetof(struct manifest, id) },
	{ "name", offsetof(struct manifest, name) },
	{ "image", offsetof(struct manifest, image) },
	{ "dtb", offsetof(struct manifest, dtb) },
	{ "release", offsetof(struct manifest, release) },
	{ "arch", offsetof(struct manifest, arch) },
	{ "board", offsetof(struct manifest, board) },
	{ "patches_hash", offsetof(struct manifest, patches_hash) },
	{ "config_hash", offsetof(struct manifest, config_hash) },
	{ "compiler", offsetof(struct manifest, compiler) },
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

static char **field(struct manifest *m, size_t i)
{
	return (char **)((char *)m + fields[i].offset);
}

/* One line of the file, "key=value"; others than ours are left alone. */
static void take_line(struct manifest *m, const char *line)
{
	for (size_t i = 0; i < N_FIELDS; i++) {
		size_t n = strlen(fields[i].key);

		if (strncmp(line, fields[i].key, n) != 0 || line[n] != '=')
			continue;
		free(*field(m, i));
		*field(m, i) = xstrdup(line + n + 1);
	}
}

/* The name of a file in the entry becomes its path. */
static void make_absolute(char **name, const char *entry)
{
	char *path;

	if (!**name)
		return;
	path = path_join(entry, *name);
	free(*name);
	*name = path;
}

static void fill(struct manifest *m, char *text, const char *entry)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		*field(m, i) = xstrdup("");
	while (text) {
		char *eol = strchr(text, '\n');

		if (eol)
			*eol = '\0';
		take_line(m, text);
		text = eol ? eol + 1 : NULL;
	}
	make_absolute(&m->image, entry);
	make_absolute(&m->dtb, entry);
}

static int check(const struct manifest *m, const char *path, const char *board, struct err *err)
{
	if (!*m->image || !*m->release)
		return err_set(err, BLAME_RIG, "no-kernel", "%s: no image or no release in it",
			       path);
	if (board && strcmp(m->board, board) != 0)
		return err_set(err, BLAME_RIG, "no-kernel",
			       "%s: built for board type '%s', not '%s'", path, m->board, board);
	return 0;
}

int manifest_read(struct manifest *m, const char *entry, const char *board, struct err *err)
{
	char *path = path_join(entry, "manifest");
	struct buf text = BUF_INIT;
	int rc;

	memset(m, 0, sizeof(*m));
	rc = path_read(path, &text, MANIFEST_MAX);
	if (rc) {
		err_sys(err, BLAME_RIG, "no-kernel", rc, "cannot read %s", path);
	} else {
		fill(m, text.data, entry);
		rc = check(m, path, board, err);
	}
	buf_release(&text);
	free(path);
	return rc ? -1 : 0;
}

/* The kernel's name of an architecture, where it has one of its own. */
static const char *kernel_arch(const char *arch)
{
	return strcmp(arch, "aarch64") != 0 ? arch : "arm64";
}

int manifest_runs_on(const struct manifest *m, const char *arch, struct err *err)
{
	if (!strcmp(m->arch, kernel_arch(arch)))
		return 0;
	return err_set(err, BLAME_USER, "kernel-arch",
		       "kernel %s (%s) is built for %s, the board is %s", m->id, m->name, m->arch,
		       kernel_arch(arch));
}

void manifest_release(struct manifest *m)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		free(*field(m, i));
	memset(m, 0, sizeof(*m));
}
