/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boards that are told over their serial console to load a kernel by TFTP and to start it: switches
 * and most boards with U-Boot. One driver for all of them; what their loaders want typed is a row
 * of data, in the table of a family (realtek.c) or in the lab file. Layer: board, inside.
 *
 *	deploy		image packed, TFTP server up; power on, autoboot stopped, network up, image
 *			loaded and its CRC in the board's memory compared, where the loader has one
 *	power_on	bootm
 *	power_off	supplies off, TFTP server down
 *
 * Placeholders in the texts of a model:
 *	{addr} {end}		where the image goes, 0x84f00000; the first byte beyond
 *	{server} {client}	addresses of this host and of the board
 *	{file}			name of the image on the TFTP server
 *	{size} {hexsize}	of the image, 1257 and 4e9
 *	{crc}			CRC-32 of the image, 794df376
 *	{cmdline}		of the kernel
 *	{initrd_addr} {initrd_size}	of the initramfs inside a PACK_MULTI image; 0x..., decimal
 */
#ifndef RIG_BOARD_NETBOOT_H
#define RIG_BOARD_NETBOOT_H

#include <stddef.h>
#include <stdint.h>

#include "board/lab.h"
#include "board/loader.h"

struct err;

struct netboot_model {
	const char *name;  /* the board's "model" in the lab file; NULL ends a table */
	const char *what;  /* for a person */
	const char *level; /* of the serial port: "3.3 V", "RS-232" */
	long baud;
	const char *why_not; /* what keeps it from being driven; NULL = nothing */
	struct loader_rules rules;
	const struct loader_step *prepare; /* network up; NULL = nothing to do */
	const struct loader_step *load;
	const struct loader_step *boot; /* the last one starts the kernel */
	unsigned int enter_ms;		/* power-on to the prompt: DRAM, flash checks; 0 = 60 s */
	uint64_t addr;
	uint64_t end; /* the image must end before; 0 = not known */
};

struct netboot_family {
	const char *server, *client; /* where the lab file has none */
	const struct netboot_model *models;
};

/* Keys in the lab file beside those of the wiring: what the model has otherwise, or lacks. */
struct lab_netboot {
	struct conf_pos pos;
	const char *server, *client, *dtb;
	struct lab_loader {
		struct conf_pos pos;
		const char *level, *key, *prompt, *banner, *clear, *addr, *end;
		int status;   /* enum lab_status */
		long enter_s; /* 0 = the model's */
		struct conf_texts answers, prepare, load, boot;
	} loader;
};

enum lab_status { LAB_STATUS_MODEL, LAB_STATUS_NO, LAB_STATUS_YES };

extern const struct lab_keys lab_netboot_keys;

/*
 * The model of a board with what its lab row changes. NULL with err (USER, "model") when there is
 * no such row and the lab file does not describe all of it, or a text in it is wrong.
 */
struct netboot_model *netboot_model_new(const struct lab_board *b, struct err *err);
void netboot_model_free(struct netboot_model *m); /* NULL is fine */

/* The family of the board's type. */
const struct netboot_family *netboot_family(const struct lab_board *b);

/* This host's address that the loader asks for files. */
const char *netboot_server(const struct lab_board *b);

/* The model's speed; 0 = not known. */
long netboot_baud(const struct lab_board *b);

/* "3.3 V; loader at 'RTL*#', stopped by SPACE": for `rig boards`. */
void netboot_describe(const struct lab_board *b, char *text, size_t size);

#endif
