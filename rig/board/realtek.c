// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Switches with Realtek's RTL838x, RTL839x and RTL93xx SoCs: what their vendors' U-Boots want. All
 * of it comes from OpenWrt's pull requests, whose numbers stand at the rows; none was tried by us.
 * Layer: board.
 *
 * 3.3 V and RS-232 look alike on a connector: the wrong adapter destroys a port. Hence the level.
 */
#include "board/driver.h"
#include "board/netboot.h"
#include "board/pack.h"

#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, 0, 0                                                             \
	}

/*
 * Without `rtk network on` the ports have no link; with it they still train for some seconds, so
 * the first TFTP may fail. The vendor's U-Boot (2011.12) splits a line at ';' but has no $?.
 */
static const struct loader_step network_on[] = {
	{ NULL, "rtk network on", NULL, 30000, 0 },
	{ NULL, "setenv ipaddr {client}", NULL, 0, 0 },
	{ NULL, "setenv serverip {server}", NULL, 0, 0 },
	END,
};

static const struct loader_step tftp[] = {
	{ NULL, "tftpboot {addr} {server}:{file}", "Bytes transferred = {size} ", 120000, 2 },
	{ NULL, "crc32 {addr} {hexsize}", "==> {crc}", 30000, 2 },
	END,
};

static const struct loader_step bootm[] = {
	{ NULL, "setenv bootargs {cmdline} rd_start={initrd_addr} rd_size={initrd_size}", NULL, 0,
	  0 },
	/* with the address: what the loader takes by itself is not where we loaded to */
	{ NULL, "bootm {addr}", "Starting kernel", 60000, 0 },
	END,
};

static const struct loader_step hasivo_answers[] = {
	{ "*assword:", "Hs2021cfgmg", NULL, 0, 0 },
	{ "CLI>", "XXXX", NULL, 0, 0 },
	END,
};

#define RULES(key_, prompt_, answers_)                                                             \
	{                                                                                          \
		.key = (key_), .prompt = (prompt_), .clear = "\003", .answers = (answers_)         \
	}

/* 128 MiB: the loader itself lies at its end, and the image must stay below. */
#define RTL838X(name_, what_, level_)                                                              \
	{                                                                                          \
		.name = (name_), .what = (what_), .level = (level_), .baud = 115200,               \
		.rules = RULES(" ", "RTL*#", NULL), .prepare = network_on, .load = tftp,           \
		.boot = bootm, .addr = 0x84f00000, .end = 0x88000000                               \
	}

/* 64 MiB */
#define RTL838X_64(name_, what_, level_)                                                           \
	{                                                                                          \
		.name = (name_), .what = (what_), .level = (level_), .baud = 115200,               \
		.rules = RULES(" ", "RTL*#", NULL), .prepare = network_on, .load = tftp,           \
		.boot = bootm, .addr = 0x81f00000, .end = 0x84000000                               \
	}

#define NOT_DRIVEN(name_, what_, level_, baud_, why_)                                              \
	{                                                                                          \
		.name = (name_), .what = (what_), .level = (level_), .baud = (baud_),              \
		.why_not = (why_)                                                                  \
	}

static const struct netboot_model models[] = {
	RTL838X("zyxel-gs1900-8", "ZyXEL GS1900-8 (RTL8380M)", "3.3 V"), /* 3860 */
	RTL838X("zyxel-gs1900-8hp", "ZyXEL GS1900-8HP (RTL8380M)", "3.3 V"),
	RTL838X("zyxel-gs1900-10hp", "ZyXEL GS1900-10HP (RTL8380M)", "3.3 V"),
	RTL838X("zyxel-gs1900-16", "ZyXEL GS1900-16 (RTL8382M)", "3.3 V"),   /* 9773 */
	RTL838X("zyxel-gs1900-24e", "ZyXEL GS1900-24E (RTL8382M)", "3.3 V"), /* 9929 */
	RTL838X("zyxel-gs1900-24hp-v2", "ZyXEL GS1900-24HP v2 (RTL8382M)", "3.3 V"),
	RTL838X("zyxel-gs1900-48", "ZyXEL GS1900-48 (RTL8393M)", "3.3 V"),
	RTL838X_64("zyxel-gs1900-24-v1", "ZyXEL GS1900-24 v1 (RTL8382M, 64 MiB)",
		   "RS-232"), /* 9400 */
	RTL838X_64("zyxel-gs1900-24hp-v1", "ZyXEL GS1900-24HP v1 (RTL8382M, 64 MiB)", "RS-232"),
	RTL838X("netgear-gs308t", "Netgear GS308T (RTL8380M)", "3.3 V"), /* 4122 */
	{
		.name = "hasivo-s1100wp-8gt-se", /* 21576 */
		.what = "Hasivo S1100WP-8GT-SE (RTL9303)",
		.level = "RS-232",
		.baud = 38400,
		.rules = RULES("\x1b", "RTL*#", hasivo_answers),
		.prepare = network_on,
		.load = tftp,
		.boot = bootm,
		.addr = 0x84f00000,
		.end = 0x90000000,
	},
	{
		.name = "hpe-1920-8g", /* 13067 */
		.what = "HPE 1920-8G (RTL8380M)",
		.level = "RS-232",
		.baud = 38400,
		.why_not =
			"its menu (Ctrl+B, 3, 5, 1) loads H3C's image format only, which the rig "
			"does not pack",
		.rules = { .key = "\x02", .prompt = "Enter your choice(0-8):" },
	},
	NOT_DRIVEN("cisco-sg220-26", "Cisco SG220-26 (RTL8382M)", "RS-232", 9600,
		   "nobody has written down its loader; describe it under \"loader\""),
	NOT_DRIVEN("zyxel-gs1920-24hp-v1", "ZyXEL GS1920-24HP v1 (RTL8392M)", "RS-232", 9600,
		   "ZyNOS: an unlock code per device, and XMODEM only"), /* 20439 */
	NOT_DRIVEN("zyxel-xs1930-12hp", "ZyXEL XS1930-12HP (RTL9313)", "3.3 V", 115200,
		   "ZyNOS: AT commands only, no TFTP"), /* 4973 */
	NOT_DRIVEN("tplink-t1600g-28ts-v3", "TP-Link T1600G-28TS v3 (RTL8382M)", "3.3 V", 38400,
		   "BOOTUTIL has no command that loads to memory"), /* 12332 */
	{ .name = NULL },
};

const struct netboot_family realtek_family = {
	.server = "192.168.1.2",
	.client = "192.168.1.1",
	.models = models,
};

/*
 * OpenWrt's KERNEL_LOADADDR; kernels of mainline have their entry there as well. They look for
 * their device tree right behind themselves (MIPS_RAW_APPENDED_DTB).
 */
const struct pack realtek_pack = {
	.files = { { PACK_MULTI, "kernel.uimage" } },
	.arch = "mips",
	.compression = "none",
	.load = 0x80100000,
	.entry = 0x80100000,
	.dtb_behind = true,
};
