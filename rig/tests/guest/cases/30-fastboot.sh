#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig/io/usb and fastboot on real usbfs, against a FunctionFS device, and Debian's fastboot beside
# it: the same bytes arrive; unplugging, silence, replugging and a hub's power end as they should.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

ffs=$root/build/fakes/ffs-fastboot
fb=$root/build/fakes/fastboot-tool
store=/run/phone
serial=FAKE0001
mkfifo /run/knobs
"$ffs" phone dummy_udc.0 $store max-download-size=0x4000000 </run/knobs >/run/ffs.out 2>&1 &
fake=$!
exec 9>/run/knobs
knob() { echo "$1" >&9; }
event() { grep -q "^event $1" /run/ffs.out; }

check "the device is there" until_true 20 plugged $serial
port=$(usb_port $serial)
address() { cat "/sys/bus/usb/devices/$port/devnum" 2>/dev/null; }
fastboot() { timeout 120 fastboot -s "usb:$port" "$@" 2>&1; }
same() { cmp -n "$(stat -c %s "$1")" "$1" "$2"; }

head -c $((32 * 1024 * 1024 + 1)) /dev/urandom >/run/image
head -c $((24 * 1024 * 1024)) /dev/urandom >/run/blocks

try "$fb" "$port" 10000 getvar product; expect "a variable" 0 "value=oriole"
try "$fb" "$port" 60000 flash boot /run/image; expect "flash 32 MiB + 1" 0 "rc=0"
check "ours: the bytes are there" cmp /run/image $store/boot_a
rm -f $store/boot_a
check "Debian's fastboot flashes it" fastboot flash boot_a /run/image
check "Debian's: the bytes are there" cmp /run/image $store/boot_a

knob max-download-size=0x800000
try "$fb" "$port" 60000 flash vendor_boot /run/image; expect "flash in sparse pieces" 0 "rc=0"
check "ours: the pieces make the image" same /run/image $store/vendor_boot_a
check "Debian's fastboot splits too" fastboot flash userdata /run/blocks
check "Debian's: the pieces make the image" same /run/blocks $store/userdata
knob max-download-size=0x4000000

try "$fb" "$port" 10000 set-active b; expect "set_active" 0 "rc=0"
try "$fb" "$port" 10000 getvar current-slot; expect "it is the current slot" 0 "value=b"
knob wrong-slot=2
try "$fb" "$port" 10000 set-active a; expect "set_active that does not take" 1 "rc=EREMOTEIO"

before=$(address)
try "$fb" "$port" 30000 reboot bootloader; expect "reboot to the bootloader" 0 "rc=0"
check "under another address" [ "$(address)" != "$before" ]
try "$fb" "$port" 30000 reboot fastboot; expect "reboot to fastbootd" 0 "rc=0"
try "$fb" "$port" 10000 getvar is-userspace; expect "it is fastbootd" 0 "value=yes"

# Unplugged in the middle of a download.
knob die-at=8000000
try "$fb" "$port" 30000 flash userdata /run/image; expect "unplugged in a download" 1 "rc=ENODEV"
check "it said so" event die
knob heal=1
knob plug
check "plugged in again" until_true 20 plugged $serial
try "$fb" "$port" 60000 flash userdata /run/image; expect "the next one works" 0 "rc=0"

# Silent for ever: the deadline ends it; alive again, the same client finds its way.
kill -STOP $fake
try "$fb" "$port" 1500 getvar product; expect "a stopped device: the deadline" 1 "rc=ETIMEDOUT"
kill -CONT $fake
try "$fb" "$port" 20000 getvar product; expect "and it answers again" 0 "value=oriole"
# The same in the middle of a download, after which the device waits for the rest of it.
knob stall-at=8000000
mkfifo /run/again
"$fb" "$port" 1500 reflash userdata /run/image </run/again >/run/reflash.out &
client=$!
exec 8>/run/again
check "silent in a download: the deadline" until_true 30 grep -q '^first=ETIMEDOUT' /run/reflash.out
knob heal=1
echo go >&8
wait $client
check "the same client then flashes it" grep -q '^rc=0' /run/reflash.out
check "and the bytes are right" cmp /run/image $store/userdata
exec 8>&-

# A hub's power is a replug.
before=$(address)
try io hub "$port" cycle; expect "a cycle of the hub's power" 0 "rc=0"
check "it comes back" until_true 20 plugged $serial
check "under another address" [ "$(address)" != "$before" ]
try "$fb" "$port" 20000 getvar product; expect "and answers" 0 "value=oriole"

# Two with the same serial number: only the port path tells them apart.
mkfifo /run/twin-knobs
"$ffs" twin dummy_udc.1 /run/twin </run/twin-knobs >/run/twin.out 2>&1 &
twin=$!
exec 7>/run/twin-knobs
twins() { [ "$(cat /sys/bus/usb/devices/*/serial | grep -c $serial)" = 2 ]; }
check "a twin is plugged in" until_true 20 twins
try "$fb" "$port" 20000 flash boot_b /run/blocks; expect "flash the one in that port" 0 "rc=0"
check "it was that one" cmp /run/blocks $store/boot_b
check "and not the other" not test -e /run/twin/boot_b

try "$fb" "$port" 20000 reboot system; expect "reboot to the system: it leaves" 0 "rc=0"
check "it said so" event system
try "$fb" "$port" 500 getvar product; expect "nobody there" 1 "rc=ENODEV"
exec 9>&- 7>&-
wait $fake $twin
finish
