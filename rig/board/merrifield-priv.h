/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of merrifield.h share. Layer: board, inside. */
#ifndef RIG_BOARD_MERRIFIELD_PRIV_H
#define RIG_BOARD_MERRIFIELD_PRIV_H

#include <stdbool.h>

#include "board/loaded.h"
#include "board/merrifield.h"
#include "board/served.h"
#include "board/wired.h"

struct merrifield {
	struct wired wired;
	const struct lab_merrifield *lab;
	const struct merrifield_model *model;
	struct loader_rules rules;
	struct loader *loader;
	struct served served; /* with TFTP only */
	bool powered;
	struct loaded_file kernel, initrd;
	char kernel_file[80], initrd_file[80]; /* their names on the TFTP server */
	char *cmdline;
	struct loaded_vars vars;
};

/* The row of the board's model; NULL when there is none. */
const struct merrifield_model *merrifield_model(const struct lab_board *b);

/* The placeholders, once the files are known. */
void merrifield_set_vars(struct merrifield *e);

/* From U-Boot's prompt to its prompt, with both files in its RAM and their CRCs compared. */
int merrifield_load(struct merrifield *e, struct deadline d, struct err *err);

#endif
