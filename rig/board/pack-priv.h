/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of pack.h share: one file that is being made, and running the programs that do.
 * Functions that return int: 0, or -1 with err. Layer: board, inside.
 */
#ifndef RIG_BOARD_PACK_PRIV_H
#define RIG_BOARD_PACK_PRIV_H

#include "base/buf.h"
#include "board/pack.h"

#define PACK_INPUT_MAX (256u << 20)

/* One file that is being made. */
struct pack_job {
	const struct pack *pack;
	const struct pack_input *in;
	const char *path; /* of the file */
	char *work;	  /* a directory beside it, for what is unpacked again; goes away */
	struct buf said;  /* by the last program */
	struct deadline d;
};

/* ---- programs: an argument list, its strings owned ---- */

#define PACK_ARGS_MAX 48

struct pack_args {
	char *v[PACK_ARGS_MAX + 1];
	size_t n;
};

void pack_arg(struct pack_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "--dtb X", when there is an X. */
void pack_option(struct pack_args *a, const char *name, const char *value);
void pack_number(struct pack_args *a, const char *name, uint64_t value);

/* Runs it, keeps what it says, and frees the arguments. */
int pack_run(struct pack_job *j, struct pack_args *a, struct err *err);

/* ---- files ---- */

/* What came out of an image is what went in. */
int pack_same(const struct pack_job *j, const char *part, const char *in, const char *out,
	      struct err *err);
int pack_copy(const char *from, const char *to, struct err *err);

/* ---- makers: pack-android.c, pack-uboot.c ---- */

int pack_make_boot_2(struct pack_job *j, struct err *err);
int pack_make_boot_4(struct pack_job *j, struct err *err);
int pack_make_vendor_boot(struct pack_job *j, struct err *err);
int pack_make_uimage(struct pack_job *j, struct err *err);
int pack_make_uinitrd(struct pack_job *j, struct err *err);
int pack_make_multi(struct pack_job *j, struct err *err);
int pack_make_fit(struct pack_job *j, struct err *err);

#endif
