/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A board as the job sees it: roles (power, deploy, console) behind one table of operations, so
 * that a virtual board and a phone on a serial cable run the same visit. The rows are in boards.c;
 * a board's driver (virt.c, ...) sees driver.h as well.
 *
 * The order in which a visit calls it, and the state that each call needs:
 *
 *	board_open		locked, made safe: off
 *	  board_console		off: a new stream; no byte after power-on is lost
 *	  board_deploy		off: what the next power-on boots. A real board is powered
 *				for it and stays in its loader, kernel flashed or in memory
 *	  board_power_on	starts that kernel
 *	  board_check		after trouble: is it still there, and if not, why
 *	  board_power_off	any -> off; may be repeated
 *	board_close		off, unlocked
 */
#ifndef RIG_BOARD_BOARD_H
#define RIG_BOARD_BOARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/deadline.h"

struct attach;
struct err;
struct lab_type;
struct lab_board;
struct lab_keys;
struct pack;
struct board;
struct board_ops;

/* A program that boards of a type are driven by. */
struct board_program {
	const char *name;
	const char *package; /* of Debian; NULL = it has none, help says where it comes from */
	const char *help;    /* what it is for */
	bool optional;	     /* only for some of what the board can do */
};

/* One kind of board: a row of the table in boards.c. All times are limits but the settle delay. */
struct board_row {
	const char *name;    /* as on the command line: "virt-ufs" */
	const char *help;    /* for a person: what it is */
	const char *arch;    /* of the agent and the initramfs: aarch64, x86_64, mips */
	const char *cmdline; /* the kernel command line that this board always needs */
	const char *kernels; /* the board of kernel/config/boards it takes them of; NULL = its own
				name */
	const struct board_ops *ops;
	const struct lab_keys *keys; /* in the lab file: how it is made (lab_virt_keys) or wired */
	const struct lab_keys *more; /* and those of its family; NULL = none */
	const void *data;	     /* the driver's own constants */
	const struct pack *pack; /* what `rig kernel package` makes for it; NULL = needs nothing */
	const struct board_program *programs; /* ends with a NULL name; NULL = none */
	/* The address of this host that its bootloader asks for files; NULL = none. */
	const char *(*host_address)(const struct lab_board *lab);
	/* The speed of its console, where the lab file has none and models differ in it. */
	long (*baud)(const struct lab_board *lab);
	/*
	 * What the agent reboots the DUT into before it is powered off: for boards that no plug
	 * switches off. NULL = nothing.
	 */
	const char *leave;
	/* What a person should know of it beside its row; NULL = nothing. */
	void (*describe)(const struct lab_board *lab, char *text, size_t size);
	long console_baud;	      /* where the lab file has none; 0 = 115200 */
	bool builtin;		      /* every host has one of that name without a lab file */
	bool slows_with_load;	      /* runs on this host's CPUs: limits are scaled by load */
	unsigned int deploy_ms;	      /* board_deploy() */
	unsigned int power_on_ms;     /* board_power_on() */
	unsigned int power_off_ms;    /* board_power_off() */
	unsigned int off_settle_ms;   /* after power-off, until the supply is really down */
	unsigned int first_output_ms; /* power-on to the first byte on the console */
	unsigned int step_grace_ms;   /* after a step's own limit: its result must be here */
};

/* What to boot. The strings must live until the next deploy or close. */
struct board_image {
	const char *kernel;  /* path of the image file */
	const char *initrd;  /* path of the initramfs that holds the agent */
	const char *cmdline; /* what this kernel wants beyond the board's own; may be "" or NULL */
	const char *dtb;     /* path of the device tree that the kernel brings; NULL = none */
};

/* The row, or NULL for an unknown name. */
const struct board_row *board_find(const char *name);

/* The i-th row, NULL after the last. */
const struct board_row *board_row(size_t i);

/* The board of kernel/config/boards whose kernels one of that type boots. */
const char *board_kernels(const char *type);

/* The checks of a row at load: every op that a visit cannot do without is there. 0 or -1. */
int board_row_check(const struct board_row *row, struct err *err);

/* The rows as the lab file wants them; *n gets their number. */
const struct lab_type *board_lab_types(size_t *n);

/*
 * Takes the board for this process: checks the row, locks $RIG_HOME/boards/<name>.lock (the error
 * names who holds it) and drives the board to "off", whatever an earlier owner left. lab must
 * outlive the board; its type must be one of board_lab_types(). owner is put into the lock file
 * for others to read: a session's name. Errors: RIG for the lock, BOARD for the rest.
 */
int board_open(struct board **out, const struct lab_board *lab, const char *owner, struct err *err);

/* Powers off, unlocks and frees; NULL is fine. Errors of the last power-off are lost: call
 * board_power_off() first where they matter. */
void board_close(struct board *b);

const char *board_name(const struct board *b);
const struct lab_board *board_lab(const struct board *b);
const struct board_row *board_type(const struct board *b);

/* Power-on to the agent's hello, as the lab file has it. Not scaled. */
unsigned int board_boot_ms(const struct board *b);

/* A limit of the row in ms, scaled by the host's load where the row says so. */
unsigned int board_limit_ms(const struct board *b, unsigned int base_ms);

int board_deploy(struct board *b, const struct board_image *image, struct err *err);

/*
 * What a board tells while deploy and power-on work: bytes of the console that it read itself, as
 * it talked to a loader on it, and what it tried again. Either may be NULL.
 */
struct board_hooks {
	void (*console)(void *ctx, const void *data, size_t size);
	void (*note)(void *ctx, const char *text);
};

/* hooks must outlive the board or the next call; NULL = nobody listens any more. */
void board_listen(struct board *b, const struct board_hooks *hooks, void *ctx);

/*
 * The board's console keeper, attached to as its job: consoles are opened by it, or, those of
 * virtual boards, given to it; board_console() then returns the stream that it hands out. keeper
 * must outlive the board.
 */
void board_keep(struct board *b, struct attach *keeper);

/* A new console stream: *fd (non-blocking, close-on-exec) becomes the caller's. */
int board_console(struct board *b, int *fd, struct err *err);

int board_power_on(struct board *b, struct err *err);

/* Off and settled. Not cut short by a stop request. */
int board_power_off(struct board *b, struct err *err);

/*
 * 0 while the board is powered and its means of control answer; else -1 with err saying what
 * happened to it (qemu-died: exit status and last words). Boards that cannot tell return 0.
 */
int board_check(struct board *b, struct err *err);

/*
 * Copies a file to the system that runs on the board, by a way of its own (adb). 0; -1 with err:
 * USER no-push for a board that has none.
 */
int board_push(struct board *b, const char *path, const char *remote, struct err *err);

/*
 * Where this host reaches the web server (TCP port 80) of the board while it runs:
 * "127.0.0.1:40123". 0; -1 with err: USER no-address for a board that has none.
 */
int board_address(struct board *b, char *text, size_t size, struct err *err);

/*
 * The board gave no sign of life: tries a more conservative way of running it. True when there is
 * one, with *what (static) saying what was dropped; the caller boots again.
 */
bool board_fallback(struct board *b, const char **what);

/*
 * Locks $RIG_HOME/boards/<name>.lock for this process, as board_open() does, without touching the
 * board: for those who look at its wiring. The descriptor, to be closed; -1 with err (RIG,
 * board-busy: the message says who holds it). owner is put into the file for others to read.
 */
int board_lock(const char *name, const char *owner, struct err *err);

/*
 * From outside, after the owner died: drives the board to "off" by what is on disk alone.
 * Idempotent. Refuses (RIG, board-busy) while a living process holds the board.
 */
int board_make_safe(const char *name, const char *type, struct err *err);

#endif
