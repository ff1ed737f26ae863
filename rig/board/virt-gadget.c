// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual board that is both ends of its USB cables: x86_64, the stock xhci driver on QEMU's
 * xHCI. Layer: board.
 *
 *	qemu-xhci	usb-storage	a disk; reads give zeros, writes vanish
 *			usb-uas		another one, by the other transport
 *			usb-net x 2	joined by a cable: what one sends, the other receives
 *			usb-audio	isochronous OUT, heard by nobody
 *
 * Gadgets are made in the guest, on its dummy_hcd; the camera is its vivid.
 */
#include "board/driver.h"
#include "board/lab.h"
#include "board/virt.h"

#define DISK_BYTES (1L << 30)

static void device(struct virt_args *a, const char *text)
{
	virt_arg(a, "-device");
	virt_arg(a, "%s", text);
}

static void disk(struct virt_args *a, int n)
{
	virt_arg(a, "-blockdev");
	virt_arg(a, "driver=null-co,node-name=disk%d,size=%ld,read-zeroes=on", n, DISK_BYTES);
}

/* One end of the cable; the last byte of its address tells the ends apart. */
static void net_end(struct virt_args *a, int end)
{
	virt_arg(a, "-netdev");
	virt_arg(a, "hubport,id=net%d,hubid=1", end);
	virt_arg(a, "-device");
	virt_arg(a, "usb-net,bus=xhci.0,netdev=net%d,mac=52:54:00:00:00:%02x", end, end + 1);
}

static void devices(struct virt_args *a, const struct lab_board *board, const char *backing)
{
	(void)board;
	(void)backing;
	virt_arg(a, "-machine");
	virt_arg(a, "q35,hpet=off,vmport=off");
	virt_arg(a, "-cpu");
	virt_arg(a, "max");
	device(a, "qemu-xhci,id=xhci,p2=8,p3=8");
	disk(a, 0);
	device(a, "usb-storage,bus=xhci.0,port=1,drive=disk0");
	disk(a, 1);
	device(a, "usb-uas,id=uas,bus=xhci.0,port=2");
	device(a, "scsi-hd,bus=uas.0,drive=disk1");
	net_end(a, 0);
	net_end(a, 1);
	virt_arg(a, "-audiodev");
	virt_arg(a, "none,id=silence");
	device(a, "usb-audio,bus=xhci.0,audiodev=silence");
}

const struct virt_machine virt_gadget_machine = {
	.program = "qemu-system-x86_64",
	.package = "qemu-system-x86",
	.icount_shift = 4,
	.devices = devices,
};
