#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An Edison's gadget Ethernet, for one file: comes on the bus, gets the file by TFTP in a network
# namespace of its own, leaves the bus. Prints "size N" or "error WHY".
#	usbnet.sh UDC MAC HOST_MAC CLIENT SERVER FILE OUT
udc=$1 mac=$2 host_mac=$3 client=$4 server=$5 file=$6 out=$7
g=/sys/kernel/config/usb_gadget/edison-net
f=$g/functions/eem.net
here=$(dirname "$0")

unplug() {
	echo "" >$g/UDC
	rm $g/configs/c.1/eem.net
	rmdir $g/configs/c.1 $f $g/strings/0x409 $g
	ip netns del edison
} 2>/dev/null
trap unplug EXIT

ip netns add edison
mkdir -p $g/strings/0x409 $g/configs/c.1 $f
echo 0x0525 >$g/idVendor
echo 0xa4a2 >$g/idProduct
echo EDISON >$g/strings/0x409/serialnumber
echo "$mac" >$f/dev_addr
echo "$host_mac" >$f/host_addr
ln -s $f $g/configs/c.1/
echo "$udc" >$g/UDC || { echo "error no controller"; exit 1; }
ip link set "$(cat $f/ifname)" netns edison name usb0
ip -n edison address add "$client/24" dev usb0
ip -n edison link set usb0 up
ip netns exec edison python3 -B "$here/../fakes/tftp_get.py" "$server" "$file" "$out" 2>&1
