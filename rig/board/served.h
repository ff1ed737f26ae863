/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TFTP server of a board that loads over the network, with the files of one deploy: started by
 * deploy, ended when the board is off. Layer: board, inside.
 *
 * An address may be late: that of a board's gadget Ethernet is the host's only while the board's
 * bootloader is asking. Then the server starts as soon as the address is there, in the silences of
 * the conversation with the bootloader, of which served_check() is told.
 */
#ifndef RIG_BOARD_SERVED_H
#define RIG_BOARD_SERVED_H

#include <stdbool.h>
#include <stddef.h>

struct board;
struct err;
struct tftp;

#define SERVED_FILES_MAX 2

/* Texts are the caller's, and must last. */
struct served {
	struct board *board;
	const char *address; /* of this host */
	bool late;
	struct served_file {
		const char *name, *path;
	} files[SERVED_FILES_MAX];
	size_t n_files;
	struct tftp *tftp; /* NULL = not started, or not yet */
};

/* Anew, whatever it was. RIG, "tftp": what keeps it from starting, and what to do. */
int served_start(struct served *s, struct err *err);
void served_stop(struct served *s);

/* For struct loader_line: 0, or -errno when it has died and nothing can come of waiting. */
int served_check(void *served);

/*
 * After a command of the bootloader failed: makes the error the rig's when the server had died, and
 * says so when the address never came. Always -1.
 */
int served_failed(const struct served *s, struct err *err);

#endif
