// SPDX-License-Identifier: GPL-2.0-or-later
/* Intel Edison: its models and its keys in the lab file; see merrifield.h. Layer: board. */
#include "board/merrifield-priv.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "board/driver.h"
#include "board/lab-wired.h"
#include "board/pack.h"

/* ---- models ---- */

#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, 0, 0                                                             \
	}

static const struct loader_step dfu[] = {
	{ NULL,
	  "setenv dfu_alt_info '{kernel_alt} ram {kernel_addr} {kernel_room};{initrd_alt} ram "
	  "{initrd_addr} {initrd_room}'",
	  NULL, 0, 0 },
	/* goes on until Ctrl-C; what it prints differs, so that it runs is seen on the bus */
	{ NULL, "dfu 0 ram 0", "", 0, 0 },
	END,
};

/*
 * Its gadget Ethernet is on the bus only while a command of the network runs: this host's address
 * comes and goes with it. {host_mac} is by what the host knows that interface.
 */
static const struct loader_step tftp[] = {
	{ NULL, "setenv usbnet_devaddr {mac}; setenv usbnet_hostaddr {host_mac}", NULL, 0, 0 },
	{ NULL, "setenv ethact usb_ether; setenv ipaddr {client}; setenv serverip {server}", NULL,
	  0, 0 },
	{ NULL, "tftpboot {kernel_addr} {server}:{kernel_file}",
	  "Bytes transferred = {kernel_size} ", 120000, 2 },
	{ NULL, "tftpboot {initrd_addr} {server}:{initrd_file}",
	  "Bytes transferred = {initrd_size} ", 120000, 2 },
	END,
};

static const struct loader_step verify[] = {
	{ NULL, "crc32 {kernel_addr} {kernel_hexsize}", "==> {kernel_crc}", 30000, 2 },
	{ NULL, "crc32 {initrd_addr} {initrd_hexsize}", "==> {initrd_crc}", 30000, 2 },
	END,
};

static const struct loader_step boot[] = {
	{ NULL, "setenv bootargs '{cmdline}'", NULL, 0, 0 },
	{ NULL, "zboot {kernel_addr} {kernel_hexsize} {initrd_addr} {initrd_hexsize}",
	  "Starting kernel", 30000, 0 },
	END,
};

#define MODEL(name_, what_, prompt_)                                                               \
	{                                                                                          \
		.name = (name_), .what = (what_),                                                  \
		.rules = { .key = " ", .prompt = (prompt_), .clear = "\003", .status = true },     \
		.dfu = dfu, .tftp = tftp, .verify = verify, .boot = boot,                          \
		.kernel_addr = 0x3000000, .kernel_room = 0x2000000, .initrd_addr = 0x8000000,      \
		.initrd_room = 0x8000000                                                           \
	}

static const struct merrifield_model models[] = {
	MODEL("edison", "Intel Edison with mainline U-Boot", "=>"),
	MODEL("edison-stock", "Intel Edison with the U-Boot it was shipped with, 2014.04",
	      "boot >"),
	{ .name = NULL },
};

/* The image is 64 bit, like the agent; unpacked as `rig kernel package` does it. */
const struct pack merrifield_pack = {
	.files = { { PACK_KERNEL, "bzImage" }, { PACK_INITRD, "initrd.cpio" } },
};

/* ---- the lab file ---- */

#define AT(member) .offset = offsetof(struct lab_merrifield, member)

static const char *const load_words[] = { "dfu", "tftp", NULL };

static const struct conf_key keys[] = {
	{ .name = "load",
	  .type = CONF_ENUM,
	  AT(load),
	  .def = "dfu",
	  .words = load_words,
	  .help = "How kernel and initramfs get to its RAM: by *dfu*, or by *tftp* over its gadget "
		  "Ethernet, which the host has to give the address *server* whenever it comes." },
	{ .name = "server",
	  .type = CONF_STR,
	  AT(server),
	  .def = "192.168.7.1",
	  .min = 7,
	  .max = 15,
	  .help = "For *tftp*: the IPv4 address of this host on that Ethernet." },
	{ .name = "client",
	  .type = CONF_STR,
	  AT(client),
	  .def = "192.168.7.2",
	  .min = 7,
	  .max = 15,
	  .help = "For *tftp*: the address of the board." },
	{ .name = "prepare",
	  .type = CONF_TEXTS,
	  AT(prepare),
	  .max = MERRIFIELD_PREPARE_MAX,
	  .help = "For *tftp*: commands that its U-Boot wants before the first one." },
	{ .name = "kernel_alt",
	  .type = CONF_STR,
	  AT(kernel_alt),
	  .def = "kernel",
	  .min = 1,
	  .max = 40,
	  .help = "What U-Boot is told to call the kernel's piece of RAM on DFU." },
	{ .name = "initrd_alt",
	  .type = CONF_STR,
	  AT(initrd_alt),
	  .def = "initrd",
	  .min = 1,
	  .max = 40,
	  .help = "The same for the initramfs." },
	{ .name = "stall_s",
	  .type = CONF_INT,
	  AT(stall_s),
	  .def = "10",
	  .min = 1,
	  .max = 600,
	  .unit = "s",
	  .help = "How long a DFU transfer may get no further before it is given up." },
	{ .name = "prompt",
	  .type = CONF_STR,
	  AT(prompt),
	  .min = 1,
	  .max = 80,
	  .help = "Its U-Boot's prompt; the default is the model's, *=>* or *boot >*." },
	{ .name = "rescue",
	  .type = CONF_STR,
	  AT(rescue),
	  .min = 1,
	  .max = 4096,
	  .help = "The program that brings up a board whose U-Boot is dead: xfstk-dldr-solo, or a "
		  "script around it. Run right after a power cycle, when nothing else helped." },
	{ .name = "rescue_args",
	  .type = CONF_TEXTS,
	  AT(rescue_args),
	  .max = MERRIFIELD_RESCUE_MAX,
	  .help = "Its arguments." },
};
#undef AT

static const struct conf_table table = { "merrifield board", keys, ARRAY_LEN(keys),
					 sizeof(struct lab_merrifield) };

const struct merrifield_model *merrifield_model(const struct lab_board *b)
{
	/* "model" defaults to the type */
	if (!strcmp(b->model, b->type))
		return &models[0];
	for (const struct merrifield_model *m = models; m->name; m++)
		if (!strcmp(m->name, b->model))
			return m;
	return NULL;
}

static int check(const struct conf *c, const struct lab_board *b, struct err *err)
{
	const struct lab_merrifield *lab = b->more;

	if (!merrifield_model(b))
		return conf_error(c, b->pos, err,
				  "board \"%s\": model \"%s\" is not known; known are edison, "
				  "edison-stock",
				  b->name, b->model);
	if (lab_check_ipv4(c, b->pos, "server", lab->server, err) ||
	    lab_check_ipv4(c, b->pos, "client", lab->client, err))
		return -1;
	return lab_wired_needs_usb(c, b, err);
}

const struct lab_keys merrifield_keys = { &table, check, NULL };

void merrifield_describe(const struct lab_board *b, char *text, size_t size)
{
	const struct lab_merrifield *lab = b->more;
	const struct merrifield_model *m = merrifield_model(b);

	snprintf(text, size, "3.3 V; loader at '%s', stopped by any key; %s on %s",
		 lab->prompt ? lab->prompt : m->rules.prompt,
		 lab->load == MERRIFIELD_TFTP ? "TFTP" : "DFU",
		 ((const struct lab_wired *)b->own)->usb);
}
