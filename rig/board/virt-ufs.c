// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board with UFS: arm64, the stock ufshcd driver on QEMU's ufs device, xHCI with a
 * USB disk. Layer: board.
 */
#include "board/driver.h"
#include "board/lab.h"
#include "board/virt.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MIB	       (1L << 20)
#define USB_DISK_BYTES (64 * MIB)

/* The file behind one logical unit. */
static char *unit_path(const char *backing, long lun)
{
	return xasprintf("%s.lu%ld.img", backing, lun);
}

static int create_sparse(const char *path, long size_mb)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, size_mb * MIB) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* Each boot finds empty units: what one visit wrote must not speed up or slow down the next. */
static int prepare(const struct lab_board *board, const char *backing)
{
	const struct lab_virt_ufs *lab = board->more;
	int rc = 0;

	for (long i = 0; !rc && i < lab->luns && lab->backing == LAB_BACKING_FILE; i++) {
		char *path = unit_path(backing, i);

		rc = create_sparse(path, lab->ufs_mb);
		free(path);
	}
	return rc;
}

static void unit(struct virt_args *a, const struct lab_virt_ufs *lab, const char *backing, long lun)
{
	char *path = unit_path(backing, lun);

	virt_arg(a, "-blockdev");
	if (lab->backing == LAB_BACKING_FILE)
		virt_arg(a, "driver=file,node-name=lu%ld,filename=%s,cache.no-flush=on", lun, path);
	else
		virt_arg(a, "driver=null-co,node-name=lu%ld,size=%ld,read-zeroes=on", lun,
			 lab->ufs_mb * MIB);
	virt_arg(a, "-device");
	virt_arg(a, "ufs-lu,drive=lu%ld,bus=ufs0,lun=%ld", lun, lun);
	free(path);
}

/* One a CPU and one for polling; QEMU has 32 at most. */
static long queues(const struct lab_virt *lab)
{
	return lab->cpus < 31 ? lab->cpus + 1 : 32;
}

static void devices(struct virt_args *a, const struct lab_board *board, const char *backing)
{
	const struct lab_virt_ufs *lab = board->more;

	virt_arg(a, "-machine");
	virt_arg(a, "virt");
	virt_arg(a, "-cpu");
	virt_arg(a, "cortex-a57");
	virt_arg(a, "-device");
	if (lab->mcq)
		virt_arg(a, "ufs,id=ufs0,serial=rig-ufs,mcq=on,mcq-maxq=%ld", queues(board->own));
	else
		virt_arg(a, "ufs,id=ufs0,serial=rig-ufs,mcq=off");
	for (long i = 0; i < lab->luns; i++)
		unit(a, lab, backing, i);
	virt_arg(a, "-device");
	virt_arg(a, "qemu-xhci,id=xhci");
	virt_arg(a, "-blockdev");
	virt_arg(a, "driver=null-co,node-name=usb0,size=%ld,read-zeroes=on", USB_DISK_BYTES);
	virt_arg(a, "-device");
	virt_arg(a, "usb-storage,bus=xhci.0,drive=usb0");
}

const struct virt_machine virt_ufs_machine = {
	.program = "qemu-system-aarch64",
	.package = "qemu-system-arm",
	.icount_shift = 4,
	.devices = devices,
	.prepare = prepare,
};
