// SPDX-License-Identifier: GPL-2.0-or-later
/* Manifests of built kernels; see manifest.h. Layer: job. */
#include "job/manifest.h"
#include "agents/kv.h"
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
	{ "image", offsetof(struct manifest, image) },
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

static void fill(struct manifest *m, const struct kv_list *list, const char *entry)
{
	char *image;

	for (size_t i = 0; i < N_FIELDS; i++)
		*field(m, i) = xstrdup(kv_get(list, fields[i].key, ""));
	if (!*m->image)
		return;
	image = path_join(entry, m->image);
	free(m->image);
	m->image = image;
}

static int check(const struct manifest *m, const char *path, const char *board, struct err *err)
{
	if (!*m->image || !*m->release)
		return err_set(err, BLAME_RIG, "no-kernel", "%s: no image or no release in it",
			       path);
	if (strcmp(m->board, board) != 0)
		return err_set(err, BLAME_RIG, "no-kernel",
			       "%s: built for board type '%s', not '%s'", path, m->board, board);
	return 0;
}

int manifest_read(struct manifest *m, const char *entry, const char *board, struct err *err)
{
	char *path = path_join(entry, "manifest");
	struct kv_list list = { 0 };
	struct buf text = BUF_INIT;
	int rc;

	memset(m, 0, sizeof(*m));
	rc = path_read(path, &text, MANIFEST_MAX);
	if (!rc)
		rc = kv_parse(&list, buf_str(&text), text.size);
	if (rc) {
		err_sys(err, BLAME_RIG, "no-kernel", rc, "cannot read %s", path);
	} else {
		fill(m, &list, entry);
		rc = check(m, path, board, err);
	}
	kv_list_release(&list);
	buf_release(&text);
	free(path);
	return rc ? -1 : 0;
}

void manifest_release(struct manifest *m)
{
	for (size_t i = 0; i < N_FIELDS; i++)
		free(*field(m, i));
	memset(m, 0, sizeof(*m));
}
