# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that run inside the guest; refuses to run on a host, whose USB and GPIO they would
# take over.
# shellcheck source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

[ -n "${RIG_GUEST:-}" ] || {
	skip "$(basename "$0" .sh)" "it runs in the guest: rig/tests/guest/run.sh"
	exit 0
}

not() { ! "$@" 2>/dev/null; }

# What is awaited is looked at often: with builtins only, as each start of a program is slow here.
uptime_ms() {
	local s
	read -r s _ </proc/uptime
	s=${s/./}0
	echo $((10#$s))
}

# In the background the program itself, so that $! is its pid and not that of a shell around it.
tool=$root/build/fakes/io-tool
io() { "$tool" "$@"; }

# A gadget of one function on a controller, by configfs.
#   gadget_new NAME FUNCTION SERIAL      FUNCTION: acm.0, ffs.adb ...
#   gadget_plug NAME UDC, gadget_unplug NAME, gadget_free NAME
gadgets=/sys/kernel/config/usb_gadget
gadget_new() {
	local g=$gadgets/$1

	mkdir -p "$g/strings/0x409" "$g/configs/c.1" "$g/functions/$2"
	echo 0x1d6b >"$g/idVendor"
	echo 0x0104 >"$g/idProduct"
	echo "$3" >"$g/strings/0x409/serialnumber"
	echo "rig $1" >"$g/strings/0x409/product"
	ln -s "$g/functions/$2" "$g/configs/c.1/"
}
gadget_plug() { echo "$2" >"$gadgets/$1/UDC"; }
gadget_unplug() { echo "" >"$gadgets/$1/UDC"; }
gadget_free() {
	local g=$gadgets/$1

	[ -z "$(cat "$g/UDC")" ] || echo "" >"$g/UDC"
	find "$g/configs/c.1" -type l -exec rm {} +
	rmdir "$g/configs/c.1" "$g"/functions/* "$g/strings/0x409" "$g"
}

# usb_port SERIAL: the port path of the device with that serial number, when it is there.
usb_port() {
	local f serial
	for f in /sys/bus/usb/devices/*/serial; do
		serial=
		{ read -r serial <"$f"; } 2>/dev/null
		[ "$serial" = "$1" ] || continue
		f=${f%/serial}
		echo "${f##*/}"
		return 0
	done
	return 1
}
plugged() { usb_port "$1" >/dev/null; }
unplugged() { ! plugged "$1"; }

# Simulated GPIO chips.
sims=/sys/kernel/config/gpio-sim

# chip_new NAME LABEL: a live chip of four lines, the second called "power".
chip_new() {
	mkdir -p "$sims/$1/bank0/line1"
	echo 4 >"$sims/$1/bank0/num_lines"
	echo "$2" >"$sims/$1/bank0/label"
	echo power >"$sims/$1/bank0/line1/name"
	echo 1 >"$sims/$1/live"
	udevadm settle --timeout=10
}
chip_free() {
	echo 0 >"$sims/$1/live" 2>/dev/null
	rmdir "$sims/$1/bank0/line1" "$sims/$1/bank0" "$sims/$1"
}
# pin NAME LINE: where the simulator shows the pin.
pin() {
	echo "/sys/devices/platform/$(cat "$sims/$1/dev_name")/$(cat "$sims/$1/bank0/chip_name")/sim_gpio$2"
}
