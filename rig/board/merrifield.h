/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel Edison (Merrifield): a kernel from RAM, nothing of its flash is written. Layer: board,
 * inside.
 *
 *	deploy		power on, U-Boot stopped; it offers two pieces of RAM by DFU (8087:0a99),
 *the rig downloads kernel and initramfs there; Ctrl-C; CRCs of the RAM compared power_on
 *zboot power_off	supplies off recovery	power cycle, and the rescue program (xFSTK) while
 *the boot ROM shows 8086:e005, which it does for about 10 s; then U-Boot comes up anew
 *
 * Console: the FTDI on J3, 115200. The DFU port is the OTG port, which the DUT's own gadget needs
 * as well: it leaves the bus when U-Boot ends DFU, and comes back as what the kernel makes of it.
 *
 * Placeholders: {kernel_addr} {kernel_room} {kernel_hexsize} {kernel_crc} {kernel_alt}, the same
 * with initrd_, and {cmdline}. Rooms and addresses are hexadecimal, with 0x.
 */
#ifndef RIG_BOARD_MERRIFIELD_H
#define RIG_BOARD_MERRIFIELD_H

#include <stdint.h>

#include "board/lab.h"
#include "board/loader.h"

struct merrifield_model {
	const char *name; /* "model" in the lab file; NULL ends the table */
	const char *what;
	struct loader_rules rules;
	const struct loader_step *offer; /* the last one serves DFU until Ctrl-C */
	const struct loader_step *verify;
	const struct loader_step *boot;
	uint64_t kernel_addr, kernel_room;
	uint64_t initrd_addr, initrd_room;
};

/* lab_board.more */
struct lab_merrifield {
	struct conf_pos pos;
	const char *kernel_alt, *initrd_alt;
	const char *prompt; /* NULL = the model's */
	long stall_s;
	const char *rescue; /* the program; NULL = none */
	struct conf_texts rescue_args;
};

extern const struct lab_keys merrifield_keys;

/* "3.3 V; loader at '=>', stopped by any key": for `rig boards`. */
void merrifield_describe(const struct lab_board *b, char *text, size_t size);

#endif
