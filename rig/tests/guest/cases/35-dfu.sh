#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig/io/dfu on real usbfs, against an Edison-like device on raw-gadget, and Debian's dfu-util beside
# it: what one writes the other reads; errors, unplugging, a poll time, a reboot into what was loaded.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

dfu=$root/build/fakes/dfu-tool
store=/run/edison
mkfifo /run/dfu-knobs
"$root/build/fakes/raw-dfu" dummy_udc.1 $store </run/dfu-knobs >/run/dfu.out 2>&1 &
fake=$!
exec 9>/run/dfu-knobs
knob() { echo "$1" >&9; }
check "the device is there" until_true 20 plugged E0001
port=$(usb_port E0001)
util() { timeout 120 dfu-util -d 8087:0a99 "$@" >/dev/null 2>&1; }
head -c 1000000 /dev/urandom >/run/firmware

try "$dfu" "$port" 10000 list; expect "its parts by name" 0 "alt 1 u-boot0" "alt 5 initrd"
try "$dfu" "$port" 60000 download u-boot0 /run/firmware; expect "ours downloads 1 MB" 0 "rc=0"
check "ours: the bytes are there" cmp /run/firmware $store/u-boot0
check "dfu-util downloads" util --alt boot -D /run/firmware
check "dfu-util: the bytes are there" cmp /run/firmware $store/boot
try "$dfu" "$port" 60000 upload boot /run/back; expect "ours uploads it" 0 "rc=0"
check "ours: the same" cmp /run/firmware /run/back
rm -f /run/back
check "dfu-util uploads ours" util --alt u-boot0 -U /run/back
check "dfu-util: the same" cmp /run/firmware /run/back

head -c 100000 /run/firmware >/run/small
knob poll-ms=20
try "$dfu" "$port" 60000 download boot /run/small; expect "a device that wants to be left alone" 0 "rc=0"
try "$dfu" "$port" 2500 download boot /run/firmware; expect "the deadline all the same" 1 "rc=ETIMEDOUT"
knob poll-ms=0
try "$dfu" "$port" 20000 download boot /run/small; expect "the next one works" 0 "rc=0"

knob error=3
try "$dfu" "$port" 20000 download boot /run/small
expect "an error of the device" 1 "rc=EREMOTEIO" "errWRITE"
knob heal=1
try "$dfu" "$port" 20000 download boot /run/small; expect "is cleared for the next" 0 "rc=0"

knob die=1
try "$dfu" "$port" 20000 download boot /run/small; expect "unplugged in a download" 1 "rc=ENODEV"
check "it has left" until_true 20 unplugged E0001
knob heal=1
knob plug
check "plugged in again" until_true 20 plugged E0001
try "$dfu" "$port" 20000 download boot /run/small; expect "the next one works" 0 "rc=0"
try "$dfu" "$port" 20000 detach; expect "detach" 0 "rc=0"
check "it leaves" until_true 20 unplugged E0001
try "$dfu" "$port" 300 list; expect "nobody there" 1 "rc=ENODEV"
exec 9>&-
wait $fake
finish
