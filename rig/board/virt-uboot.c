// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The board that stands in for switches: Debian's U-Boot for QEMU's arm64 'virt' machine, with the
 * real driver (netboot.c). QEMU is started by whoever set up the lab, see tests/vm/uboot.sh.
 * Layer: board.
 */
#include "board/driver.h"
#include "board/netboot.h"
#include "board/pack.h"

#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, 0, 0                                                             \
	}

static const struct loader_step network[] = {
	{ NULL, "setenv ipaddr {client}; setenv serverip {server}", NULL, 0, 0 },
	END,
};

static const struct loader_step load[] = {
	{ NULL, "tftpboot {addr} {server}:{file}", "Bytes transferred = {size} ", 120000, 2 },
	{ NULL, "crc32 {addr} {hexsize}", "==> {crc}", 30000, 2 },
	END,
};

/* The configuration is named: left to itself this U-Boot takes the one that fits its device tree.
 */
static const struct loader_step boot[] = {
	{ NULL, "setenv bootargs '{cmdline}'", NULL, 0, 0 },
	{ NULL, "bootm {addr}#conf-1 {addr}#conf-1 ${fdtcontroladdr}", "Starting kernel", 60000,
	  0 },
	END,
};

static const struct netboot_model models[] = {
	{
		.name = "qemu-arm64",
		.what = "U-Boot for QEMU's arm64 'virt' machine",
		.level = "a socket",
		.rules = { .key = " ", .prompt = "=>", .clear = "\003", .status = true },
		.prepare = network,
		.load = load,
		.boot = boot,
		.addr = 0x48000000,
		.end = 0x50000000,
	},
	{ .name = NULL },
};

const struct netboot_family virt_uboot_family = {
	.server = "192.168.1.2",
	.client = "192.168.1.1",
	.models = models,
};

/*
 * Where a kernel for arm64 may lie in QEMU's memory: from 0x40200000, which is free of the device
 * tree at its beginning and far enough from where the image is loaded to.
 */
const struct pack virt_uboot_pack = {
	.files = { { PACK_FIT, "kernel.itb" } },
	.arch = "arm64",
	.compression = "none",
	.load = 0x40200000,
	.entry = 0x40200000,
};
