/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel Edison (Merrifield): a kernel from RAM, nothing of its flash is written. Layer: board,
 * inside.
 *
 * deploy	power on, U-Boot stopped, kernel and initramfs to its RAM, CRCs of the RAM compared
 *		  by DFU (8087:0a99): it offers two pieces of RAM, the rig downloads; Ctrl-C
 *		  by TFTP over its gadget Ethernet, from a server of the rig's
 * power_on	zboot
 * power_off	supplies off, TFTP server down
 * recovery	power cycle, and the rescue program (xFSTK) while the boot ROM shows 8086:e005,
 *		which it does for about 10 s; then U-Boot comes up anew
 *
 * Console: the FTDI on J3, 115200. DFU and gadget Ethernet share the OTG port with the DUT's own
 * gadget: each leaves the bus when U-Boot has done with it.
 *
 * Placeholders: {kernel_addr} {kernel_room} {kernel_size} {kernel_hexsize} {kernel_crc}
 * {kernel_alt} {kernel_file}, the same with initrd_; {server} {client} {mac} {host_mac}; {cmdline}.
 * Rooms, addresses and hexsizes are hexadecimal, with 0x.
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
	const struct loader_step *dfu; /* the last one serves it until Ctrl-C */
	const struct loader_step *tftp;
	const struct loader_step *verify;
	const struct loader_step *boot;
	uint64_t kernel_addr, kernel_room;
	uint64_t initrd_addr, initrd_room;
};

enum merrifield_way { MERRIFIELD_DFU, MERRIFIELD_TFTP };

#define MERRIFIELD_PREPARE_MAX 8
#define MERRIFIELD_RESCUE_MAX  30

/* lab_board.more */
struct lab_merrifield {
	struct conf_pos pos;
	int load; /* enum merrifield_way */
	const char *kernel_alt, *initrd_alt;
	const char *server, *client;
	struct conf_texts prepare;
	const char *prompt; /* NULL = the model's */
	long stall_s;
	const char *rescue; /* the program; NULL = none */
	struct conf_texts rescue_args;
};

extern const struct lab_keys merrifield_keys;

/* "3.3 V; loader at '=>', stopped by any key": for `rig boards`. */
void merrifield_describe(const struct lab_board *b, char *text, size_t size);

#endif
