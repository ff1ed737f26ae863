/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a board, for the drivers in this directory only. A NULL op means "not supported":
 * board_row_check() refuses a row that lacks one of the mandatory ones, and board.c answers for
 * the optional ones.
 */
#ifndef RIG_BOARD_DRIVER_H
#define RIG_BOARD_DRIVER_H

#include "board/board.h"

struct board {
	const struct board_row *row;
	const struct lab_board *lab;
	char *state_path; /* what make_safe reads: $RIG_HOME/boards/<name>.state */
	int lock_fd;
	struct attach *keeper; /* owns and records the console; NULL = the board opens it */
	void *priv;	       /* the driver's, made by init, freed by release */
	const struct board_hooks *hooks;
	void *hooks_ctx;
};

/* For drivers: what came in on the console; what is tried again, and why. */
void board_heard(struct board *b, const void *data, size_t size);
void board_note(struct board *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Functions that return int: 0, or -1 with err filled. */
struct board_ops {
	/* mandatory */
	int (*init)(struct board *b, struct err *err);
	void (*release)(struct board *b);
	int (*deploy)(struct board *b, const struct board_image *image, struct deadline d,
		      struct err *err);
	int (*console)(struct board *b, int *fd, struct deadline d, struct err *err);
	int (*power_on)(struct board *b, struct deadline d, struct err *err);
	int (*power_off)(struct board *b, struct deadline d, struct err *err);
	int (*make_safe)(const char *state_path, struct deadline d, struct err *err);
	/* optional */
	int (*check)(struct board *b, struct err *err);
	bool (*fallback)(struct board *b, const char **what);
	int (*push)(struct board *b, const char *path, const char *remote, struct deadline d,
		    struct err *err);
	int (*address)(struct board *b, char *text, size_t size, struct deadline d,
		       struct err *err);
};

/* The rows' ops and data. */
extern const struct board_ops virt_ops;
extern const struct virt_machine virt_ufs_machine, virt_gadget_machine;
extern const struct virt_machine virt_switch_machine;
extern const struct board_ops android_ops;
extern const struct android_model pixel_model, sm8650_model;
extern const struct pack pixel_pack, sm8650_pack, realtek_pack, virt_uboot_pack;
extern const struct board_ops netboot_ops;
extern const struct board_ops merrifield_ops;
extern const struct pack merrifield_pack;
extern const struct netboot_family realtek_family, virt_uboot_family;

#endif
