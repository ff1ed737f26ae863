/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The manifest of a built kernel: `key=value` lines that kernel/build.sh leaves in each cache
 * entry. Layer: base.
 */
#ifndef RIG_BASE_MANIFEST_H
#define RIG_BASE_MANIFEST_H

struct err;

/* All strings are the manifest's own, none is NULL; what the file lacks is "". */
struct manifest {
	char *id;      /* of the build: 16 hex digits */
	char *name;    /* SERIES:VARIANT, or what its patches were called */
	char *image;   /* absolute path of the image */
	char *dtb;     /* absolute path of its device tree; "" = it brings none */
	char *release; /* what uname -r must say */
	char *arch;    /* as the kernel calls it: arm64 */
	char *board;   /* board type */
	char *patches_hash;
	char *config_hash;
	char *compiler;
};

/*
 * Reads entry/manifest. Errors: RIG, code "no-kernel": not there, no image or release in it, or
 * not built for this board type (NULL = any).
 */
int manifest_read(struct manifest *m, const char *entry, const char *board, struct err *err);

/*
 * A kernel of one board type may run on another one of its architecture, when its user says so.
 * arch: the board's, as in its row: "aarch64". Error: USER, code "kernel-arch".
 */
int manifest_runs_on(const struct manifest *m, const char *arch, struct err *err);

void manifest_release(struct manifest *m);

#endif
