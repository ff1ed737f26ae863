/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel, initramfs and device tree in the form that a board's loader takes: Android boot images,
 * U-Boot images, or plain files for DFU and TFTP. A board row says by a const struct pack which
 * files that are; deploy makes them in a directory of the board's, `rig kernel package` in one of
 * the user's. The programs that pack are Debian's mkbootimg and u-boot-tools; what they made is
 * unpacked again and compared. Layer: board.
 *
 *	pack_build():	boot.img  vendor_boot.img     PACK_BOOT_4, PACK_VENDOR_BOOT
 *			kernel.itb                    PACK_FIT
 *			bzImage  initrd.cpio          PACK_KERNEL, PACK_INITRD
 *			SHA256SUMS                    always: lines that sha256sum(1) checks
 */
#ifndef RIG_BOARD_PACK_H
#define RIG_BOARD_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"

struct err;

enum pack_type {
	PACK_NONE,	  /* ends the list */
	PACK_KERNEL,	  /* the kernel as it is */
	PACK_INITRD,	  /* the initramfs as it is */
	PACK_DTB,	  /* the device tree as it is; left out when there is none */
	PACK_BOOT_2,	  /* boot image, header 2: kernel, ramdisk, dtb, command line */
	PACK_BOOT_4,	  /* boot image, header 4: kernel, ramdisk, command line */
	PACK_VENDOR_BOOT, /* its other half: dtb and an empty ramdisk; left out without a dtb */
	PACK_UIMAGE,	  /* legacy U-Boot image of the kernel */
	PACK_UINITRD,	  /* and of the initramfs */
	PACK_MULTI,	  /* both in one, for bootm with one address; dtb_behind */
	PACK_FIT,	  /* flattened image tree: kernel, initramfs, dtb if there is one */
};

#define PACK_FILES_MAX 4

struct pack {
	struct pack_file {
		enum pack_type type;
		const char *name; /* of the file */
	} files[PACK_FILES_MAX + 1];
	unsigned int page_size; /* of a boot image */
	/* of a boot image: where the loader puts things, offsets from base */
	uint64_t base, kernel_offset, ramdisk_offset, tags_offset, dtb_offset;
	const char *arch;	 /* of a U-Boot image: "arm64", "mips", "x86" */
	const char *compression; /* what the kernel file is already: "none", "gzip", "lzma" */
	uint64_t load, entry;	 /* of a U-Boot image */
	bool dtb_behind; /* the device tree goes behind the kernel: the loader knows of none */
};

struct pack_input {
	const char *kernel, *initrd;
	const char *dtb;     /* NULL = none */
	const char *cmdline; /* in Android images; a U-Boot board gets it as bootargs */
};

/*
 * Makes the files in dir (created if need be) and checks them. All paths are absolute. Errors: RIG,
 * code "pack": a program is not there or failed, an input cannot be read, or what was unpacked
 * again is not what went in; "no-dtb" when header 2 is wanted and there is no device tree.
 */
int pack_build(const struct pack *p, const struct pack_input *in, const char *dir,
	       struct deadline d, struct err *err);

/*
 * The device tree that a lab file names: a path, or the name of one that lies beside the kernel's
 * own; the kernel's own when it names none. To be freed; NULL = there is none.
 */
char *pack_dtb(const char *named, const char *own);

/* The path of the file of that type in dir, to be freed; NULL when the pack has none. */
char *pack_path(const struct pack *p, enum pack_type type, const char *dir);

/* The SHA-256 of a file as hex. 0 or -errno. */
#define PACK_HASH_SIZE 65
int pack_hash(const char *path, char hash[PACK_HASH_SIZE]);

#endif
