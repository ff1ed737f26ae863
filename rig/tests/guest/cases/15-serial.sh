#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig/io/serial on real tty drivers: 8250, ftdi_sio, cdc_acm. The far ends of the first two are
# sockets of the host that send everything back; that of the third is a gadget's ttyGS0.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

gadget_new acm acm.0 RIGACM1
gadget_plug acm dummy_udc.0
check "acm: the port appears" until_true 15 plugged RIGACM1
until_true 10 [ -c /dev/ttyACM0 ]
udevadm settle --timeout=10
port=$(usb_port RIGACM1)
ftdi=$(usb_port FTDUT0)

try io serial-locate "usb:$port"; expect "found by port path" 0 "path=/dev/ttyACM0"
try io serial-locate "usb:$port:1.0"; expect "found by port and interface" 0 "path=/dev/ttyACM0"
try io serial-locate "usb:9-9"; expect "nothing in that port" 1 "rc=ENODEV"
try io serial-locate "ttyACM0"; expect "a bare name is no path" 1 "rc=EINVAL"
link=$(find /dev/serial/by-path -type l | head -n 1)
try io serial-open "$link" 115200; expect "a link is followed" 0 "rc=0"
try io serial-open /dev/null 115200; expect "not a serial port" 1 "rc=ENOTTY"
try io serial-open /dev/ttyUSB9 115200; expect "no such port" 1 "rc=ENODEV"

try io serial-open "usb:$ftdi" 3000000; expect "ftdi: 3,000,000 baud" 0 "baud=3000000"
try io serial-open "usb:$ftdi" 4000000; expect "ftdi: a speed that it refuses" 1 "rc=ERANGE"
try io serial-open /dev/ttyS1 921600; expect "8250: a speed that it refuses" 1 "rc=ERANGE"
check "ftdi: latency timer at 1 ms" grep -qx 1 /sys/class/tty/ttyUSB0/device/latency_timer

# A second owner: another rig, and another program.
"$tool" serial-wait "usb:$port" 115200 >"$work/owner" 2>&1 &
owner=$!
until_true 10 grep -q baud= "$work/owner"
try io serial-open "usb:$port" 115200; expect "held by another: EBUSY" 1 "rc=EBUSY"

# Unplugged while somebody waits for a byte, and plugged in again before that one lets go.
kill -STOP $owner
gadget_unplug acm
gadget_plug acm dummy_udc.0
until_true 15 plugged RIGACM1
until_true 10 [ -c /dev/ttyACM1 ]
udevadm settle --timeout=10
try io serial-locate "usb:$port"; expect "it came back under another number" 0 "path=/dev/ttyACM1"
kill -CONT $owner
wait $owner
check "unplugged: the owner hears of it" grep -q rc=0 "$work/owner"
cat "$work/owner"

try io serial-pair "usb:$port" 115200 1048576 /dev/ttyGS0
expect "acm: 1 MiB each way, no byte lost" 0 "rc=0"
echo "  $(grep kB/s "$work/out" | tr '\n' ';')"
try io serial-stuff "usb:$port" 115200
expect "closing with output that nobody reads" 0 "rc=0"
echo "  $(grep close_ms "$work/out")"
check "... takes no closing_wait" [ "$(sed -n 's/.*close_ms=//p' "$work/out")" -lt 5000 ]
try io serial-break "usb:$port" 115200; expect "acm: no break" 1 "rc=EOPNOTSUPP"
try io serial-break /dev/ttyS1 115200; expect "8250: a break" 0 "rc=0" "overrun="

try io serial-echo "usb:$ftdi" 3000000 1048576
expect "ftdi: 1 MiB out and back, no byte lost" 0 "rc=0" " 0 wrong"
echo "  $(grep kB/s "$work/out")"
try io serial-echo /dev/ttyS1 115200 65536	# QEMU keeps to the line rate: 10 kB/s
expect "8250: 64 KiB out and back, no byte lost" 0 "rc=0" " 0 wrong"
echo "  $(grep kB/s "$work/out")"

# How soon a wait ends, and what it costs, from the unplugging on.
"$tool" serial-wait "usb:$port" 115200 >"$work/owner" 2>&1 &
owner=$!
until_true 10 grep -q baud= "$work/owner"
sleep 2
from=$(uptime_ms)
gadget_unplug acm
wait $owner
at=$(sed -n 's/gone_at=\([0-9]*\).*/\1/p' "$work/owner")
check "unplugged: the wait ends" grep -q rc=0 "$work/owner"
echo "  $((at - from)) ms after the order to unplug; $(sed -n 's/.*\(cpu_ms=\)/\1/p' "$work/owner") in 2 s"
gadget_free acm
finish
