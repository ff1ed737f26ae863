/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lab file: which boards this host has and how each is wired, rig-lab(5). Without a file a
 * built-in lab applies: one board of each virtual type, called as its type, with all defaults.
 * Layer: board. It knows no board type: the table of types is a parameter, and each type brings
 * the tables of its keys: those of how it is made or wired, and those of its family.
 */
#ifndef RIG_BOARD_LAB_H
#define RIG_BOARD_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "conf/conf.h"

struct lab_board;
struct lab_daemon;

/* Keys that a board type brings, with what their table cannot say. */
struct lab_keys {
	const struct conf_table *table;
	/* One board by itself; 0, or -1 with the place (conf_error()). NULL = all is well. */
	int (*check)(const struct conf *c, const struct lab_board *b, struct err *err);
	/* Two boards with these keys; first comes first in the file. NULL = they never quarrel. */
	int (*clash)(const struct conf *c, const struct lab_board *first, const struct lab_board *b,
		     struct err *err);
};

/* A board type as far as the lab file is concerned. */
struct lab_type {
	const char *name;	     /* "virt-ufs" */
	const struct lab_keys *keys; /* of its kind, decoded to lab_board.own; NULL = none */
	const struct lab_keys *more; /* of its family, decoded to lab_board.more; NULL = none */
	bool builtin; /* the built-in lab has one board of this type, of the same name */
};

/* How the agent gets to run on a board. */
enum lab_agent_start { LAB_AGENT_INIT, LAB_AGENT_SHELL };
enum lab_agent_by { LAB_AGENT_BY_CONSOLE, LAB_AGENT_BY_ADB };

struct lab_agent {
	struct conf_pos pos;
	int start;	       /* enum lab_agent_start: as /init, or from a shell prompt */
	const char *initramfs; /* instead of the rig's; NULL = the rig's */
	const char *login;     /* what a login prompt is told; NULL = nothing */
	const char *password;  /* and a password prompt */
	const char *dir;       /* where the binary goes, in RAM if there is some */
	int by;		       /* enum lab_agent_by: how it gets there */
	bool may_reboot;       /* the steps reboot and poweroff are carried out */
};

struct lab_board {
	struct conf_pos pos;
	const char *name;    /* "virt-ufs", "pixel6-1" */
	const char *type;    /* a lab_type.name */
	const char *model;   /* for people and reports; default: the type */
	const char *serial;  /* identity for history; default: the name */
	const char *note;    /* free text; NULL = none */
	long boot_timeout_s; /* power-on to agent hello */
	struct lab_agent agent;
	const struct lab_type *row;
	void *own;  /* the struct of row->keys: how it is wired or made; NULL when it has none */
	void *more; /* the struct of row->more */
};

struct lab;

/* Keys of the virtual boards: lab_board.own of a type whose keys are lab_virt_keys. */
enum lab_accel { LAB_ACCEL_TCG, LAB_ACCEL_KVM };
enum lab_backing { LAB_BACKING_NULL, LAB_BACKING_FILE };

struct lab_virt {
	struct conf_pos pos;
	long cpus;
	long memory_mb;
	int accel;	       /* enum lab_accel */
	const char *qemu;      /* program to run; NULL = the default of the board type */
	const char *qemu_args; /* more arguments, split at blanks; NULL = none */
};

extern const struct lab_keys lab_virt_keys;

/* More of them for those with UFS units: lab_board.more. */
struct lab_virt_ufs {
	struct conf_pos pos;
	long ufs_mb; /* size of each logical unit */
	long luns;   /* how many */
	bool mcq;    /* multi circular queues */
	int backing; /* enum lab_backing: what stands behind the units */
};

extern const struct lab_keys lab_virt_ufs_keys;
extern const struct lab_keys lab_virt_mcq_keys; /* the same, mcq: true by default */

/* Words of the enums for reports: "tcg", "kvm"; "null", "file". */
extern const char *const lab_accel_words[];
extern const char *const lab_backing_words[];

/*
 * path NULL: $RIG_HOME/lab.yaml if it exists, else the built-in lab. A path that is given must
 * exist. types[n] must outlive the lab. NULL with *err (blame USER) on failure.
 */
struct lab *lab_load(const char *path, const struct lab_type *types, size_t n, struct err *err);

/* From memory; file stands for the path in messages. */
struct lab *lab_parse(const char *file, const char *text, size_t size, const struct lab_type *types,
		      size_t n, struct err *err);

/* The built-in lab. */
struct lab *lab_builtin(const struct lab_type *types, size_t n);

void lab_free(struct lab *lab);

/* The path that was read, or "built-in lab". */
const char *lab_source(const struct lab *lab);

/* The file, for complaints about what is in it (conf_error()). */
const struct conf *lab_conf(const struct lab *lab);

/*
 * Rows of struct suppress_row (conf/suppress.h). Their days and kinds are not checked yet: that
 * takes one who knows the kinds.
 */
const struct conf_list *lab_suppressions(const struct lab *lab);

/* The limits of the daemon, board/lab-daemon.h. */
const struct lab_daemon *lab_daemon(const struct lab *lab);

/* The i-th board in file order; NULL past the end. */
const struct lab_board *lab_board(const struct lab *lab, size_t i);

/* By name; NULL with *err (blame USER): the message lists the known boards and guesses. */
const struct lab_board *lab_find(const struct lab *lab, const char *name, struct err *err);

/*
 * How the board is set up, as far as its numbers may depend on it: "key=value" a line, the type
 * first, then the keys of its type in the order of their tables, absent ones left out, nested ones
 * as "console.baud=115200"; at the end "agent.start=shell" for a system that is not the rig's.
 * Name, serial, note and time-outs are not in it. The caller frees.
 */
char *lab_board_setup(const struct lab_board *board);

/* Keys that are there whatever the type, for the manual and its test. NULL-terminated. */
extern const struct conf_table *const lab_tables[];

#endif
