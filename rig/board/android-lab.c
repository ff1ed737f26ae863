// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of Android boards in the lab file; see android.h. Layer: board, inside. */
#include "board/android.h"

#include <string.h>

#include "board/lab-wired.h"

static const char *const slot_words[] = { "a", "b", NULL };
static const char *const boot_words[] = { "flash", "ram", NULL };

#define AT(member) .offset = offsetof(struct lab_android, member)

#define IMAGE(partition, what)                                                                     \
	{                                                                                          \
		.name = #partition, .type = CONF_STR, AT(partition), .min = 1, .max = 4096,        \
		.help = (what),                                                                    \
	}

static const struct conf_key keys[] = {
	{ .name = "slot",
	  .type = CONF_ENUM,
	  AT(slot),
	  .def = "a",
	  .words = slot_words,
	  .help = "The slot that kernels are written to and booted from." },
	{ .name = "boot",
	  .type = CONF_ENUM,
	  AT(boot),
	  .def = "flash",
	  .words = boot_words,
	  .help = "*flash*: the kernel is written to the boot partition. *ram*: it is sent and "
		  "started (*fastboot boot*), so that nothing is worn; a bootloader that refuses "
		  "to gets it flashed." },
	{ .name = "adb",
	  .type = CONF_BOOL,
	  AT(adb),
	  .def = "false",
	  .help = "The system that it starts by itself answers adb, so that *adb reboot "
		  "bootloader* brings it into its bootloader." },
	{ .name = "key",
	  .type = CONF_MAP,
	  AT(key),
	  .sub = &lab_power_table,
	  .help = "What holds its key (volume down) while its power comes back: the way into the "
		  "bootloader from anywhere. The same keys as for *power*; on is pressed." },
	{ .name = "battery",
	  .type = CONF_BOOL,
	  AT(battery),
	  .def = "true",
	  .help = "It runs on without its plug. Then its \"off\" is to wait in the bootloader, and "
		  "its USB power stays on. *false*: it is off when its supplies are." },
	{ .name = "enter_s",
	  .type = CONF_INT,
	  AT(enter_s),
	  .min = 1,
	  .max = 600,
	  .unit = "s",
	  .help = "How long it may take to come into its bootloader, at most; the default is the "
		  "model's." },
	{ .name = "oem_uart",
	  .type = CONF_BOOL,
	  AT(oem_uart),
	  .def = "false",
	  .help = "Tell the bootloader before each boot to enable the UART, at the speed of the "
		  "console (*oem uart*, Pixel)." },
	{ .name = "dtb",
	  .type = CONF_STR,
	  AT(dtb),
	  .min = 1,
	  .max = 4096,
	  .help = "The device tree of the board: a file, or the name of one that the kernel brings "
		  "(sm8650-qrd.dtb). The default is the first that it brings." },
	IMAGE(dtbo, "An image of that partition; written when it changed. So are the next four."),
	IMAGE(vendor_boot, "Instead of the one that is made of a device tree."),
	IMAGE(vendor_kernel_boot, "An image of that partition."),
	IMAGE(init_boot, "An image of that partition."),
	IMAGE(vbmeta, "Written with verity and verification off, whatever its flags say."),
	{ .name = "edl_programmer",
	  .type = CONF_STR,
	  AT(edl_programmer),
	  .min = 1,
	  .max = 4096,
	  .help = "The firehose programmer (prog_firehose_ddr.elf) with which *qdl* rescues a "
		  "board that is in emergency download mode." },
	{ .name = "edl_files",
	  .type = CONF_TEXTS,
	  AT(edl_files),
	  .max = 40,
	  .help = "What it writes then: rawprogram*.xml, patch*.xml." },
};

static const struct conf_table table = { "Android board", keys, ARRAY_LEN(keys),
					 sizeof(struct lab_android) };

/* All texts of the table are files, which are read by programs that run elsewhere; or one's name.
 */
static bool is_fine(const struct conf_key *key, const char *path)
{
	bool name_will_do = key->offset == offsetof(struct lab_android, dtb);

	return !path || path[0] == '/' || (name_will_do && !strchr(path, '/'));
}

static int check_paths(const struct conf *c, const struct lab_board *b, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *path;

		if (keys[i].type != CONF_STR)
			continue;
		memcpy(&path, (const char *)b->more + keys[i].offset, sizeof(path));
		if (!is_fine(&keys[i], path))
			return conf_error(c, b->pos, err,
					  "%s of board \"%s\": \"%s\" is no absolute path",
					  keys[i].name, b->name, path);
	}
	return 0;
}

static int check(const struct conf *c, const struct lab_board *b, struct err *err)
{
	const struct lab_android *lab = b->more;
	const struct lab_wired *wired = b->own;

	if (lab_wired_needs_usb(c, b, err) || power_check(c, &lab->key, err) ||
	    check_paths(c, b, err))
		return -1;
	if (!lab->battery && wired->power.by == POWER_NONE && wired->vbus.by == POWER_NONE)
		return conf_error(c, b->pos, err,
				  "board \"%s\": without a battery and with nothing that switches "
				  "\"power\" or \"vbus\" it is never off",
				  b->name);
	if (lab->key.by != POWER_NONE && wired->power.by == POWER_NONE)
		return conf_error(c, lab->key.pos, err,
				  "\"key\" is held through a power cycle, and board \"%s\" has no "
				  "\"power\"",
				  b->name);
	if (!lab->edl_programmer != !lab->edl_files.n)
		return conf_error(c, b->pos, err,
				  "board \"%s\": \"edl_programmer\" and \"edl_files\" go together",
				  b->name);
	return 0;
}

const struct lab_keys android_keys = { &table, check, NULL };
