#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The udev rules that `rig doctor --udev` makes, in force in a real udevd; and what `rig doctor`
# finds on real ports.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"
lab_tool=$root/build/fakes/lab-tool
rules=/run/udev/rules.d/65-rig.rules

gadget_new acm acm.0 RIGUDEV1
gadget_plug acm dummy_udc.0
check "the port appears" until_true 20 plugged RIGUDEV1
until_true 10 [ -c /dev/ttyACM0 ]
udevadm settle --timeout=10
acm=$(usb_port RIGUDEV1)
ftdi=$(usb_port FTDUT0)
# lab BAUD: of the FTDI adapter.
lab() {
	cat >"$work/lab.yaml" <<-END
	boards:
	- name: b1
	  type: wired
	  console: {at: "usb:$ftdi", baud: $1}
	  power: {by: gpio, chip: no-such-relays, line: b1}
	- name: b2
	  type: wired
	  usb: "$acm"
	  console: {at: "usb:$acm:1.0"}
	  vbus: {by: hub, port: "$acm"}
	END
}
lab 115200
# doctor STATE TEXT: such a row is there.
doctor() { "$lab_tool" doctor "$work/lab.yaml" >"$work/rows" && grep -q "^$1|.*$2" "$work/rows"; }
links_to() { [ "$(readlink -f "$1")" = "$2" ]; }
property() { udevadm info -q property -n "$1" | grep -qx "$2"; }

echo 16 >/sys/class/tty/ttyUSB0/device/latency_timer
check "doctor: the latency timer is long" doctor warn "ttyUSB0 holds short input back for 16 ms"

try "$lab_tool" udev "$work/lab.yaml"; expect "rules are made" 0 "/etc/udev/rules.d/65-rig.rules"
cp "$work/out" $rules
if udevadm verify --help >/dev/null 2>&1; then
	try udevadm verify $rules; expect "udevadm verify finds them right" 0
else
	skip "udevadm verify" "this udev has none, it came with systemd 254"
fi
udevadm test /sys/class/tty/ttyUSB0 >"$work/test" 2>&1
check "udevd reads them without complaint" not grep -E "65-rig.rules:[0-9]+ .*(Invalid|Unknown|ignor)" "$work/test"
udevadm control --reload
udevadm trigger --action=add
udevadm settle --timeout=30

check "the adapter has its stable name" links_to /dev/rig/b1-console /dev/ttyUSB0
check "the gadget's port too" links_to /dev/rig/b2-console /dev/ttyACM0
check "and the board's own plug" [ -c "$(readlink -f /dev/rig/b2-usb)" ]
check "console: group and mode" [ "$(stat -L -c '%G %a' /dev/rig/b1-console)" = "dialout 660" ]
check "plug: group and mode" [ "$(stat -L -c '%G %a' /dev/rig/b2-usb)" = "plugdev 660" ]
check "ModemManager keeps off the adapter" property /dev/ttyUSB0 ID_MM_PORT_IGNORE=1
check "and off the board" property /dev/rig/b2-usb ID_MM_DEVICE_IGNORE=1
check "latency timer at 1 ms" grep -qx 1 /sys/class/tty/ttyUSB0/device/latency_timer
bus=usb${acm%-*}
disable=/sys/bus/usb/devices/$bus/${acm%-*}-0:1.0/$bus-port${acm#*-}/disable
check "the hub's switch is the group's" [ "$(stat -c '%G %A' "$disable")" = "plugdev -rw-rw-r--" ]

# Another number: somebody still has the old one open.
exec 7<>/dev/ttyACM0
gadget_unplug acm
gadget_plug acm dummy_udc.0
until_true 20 [ -c /dev/ttyACM1 ]
udevadm settle --timeout=10
check "replugged: the name follows to ttyACM1" until_true 10 links_to /dev/rig/b2-console /dev/ttyACM1
exec 7>&-

check "doctor: udevd answers" doctor ok "udevd|answers"
check "doctor: the console's speed is read back" doctor ok "b1: usb:$ftdi is /dev/ttyUSB0, 115200 Bd"
check "doctor: the hub can switch" doctor ok "b2: hub port $acm: says that it switches port by port"
check "doctor: the relay is missing" doctor bad "b1: gpio no-such-relays/b1: there is no GPIO chip"
check "doctor: the board's node can be opened" doctor ok "b2: /dev/bus/usb/.*can be opened"
"$tool" serial-wait "usb:$ftdi" 115200 >"$work/owner" 2>&1 &
owner=$!
until_true 10 grep -q baud= "$work/owner"
check "doctor: a console that is held" doctor warn "b1: usb:$ftdi: held by another program"
kill $owner
wait $owner 2>/dev/null
lab 4000000
check "doctor: a speed that the driver refuses" doctor bad "it stays at [0-9]*): the driver refuses that speed"

gadget_new twin acm.1 RIGUDEV1
gadget_plug twin dummy_udc.1
until_true 20 [ -c /dev/ttyACM0 ]
check "doctor: equal serial numbers" until_true 10 doctor warn "both show 1d6b:0104 RIGUDEV1"
gadget_free twin
gadget_free acm
check "doctor: a board that is off is not there" doctor ok "b2: nothing in port $acm now"
check "doctor: nor is its console" doctor bad "usb:$acm:1.0: nothing is plugged in there"

rm -f $rules
udevadm control --reload
finish
