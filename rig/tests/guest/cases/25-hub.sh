#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig/io/hub on dummy_hcd's root hub, which switches its port for real.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

gadget_new hub acm.0 RIGHUB1
gadget_plug hub dummy_udc.1
check "the device is there" until_true 15 plugged RIGHUB1
port=$(usb_port RIGHUB1)
address() { cat "/sys/bus/usb/devices/$port/devnum" 2>/dev/null; }

try io hub "$port" get; expect "the port is on" 0 "power=1"
try io hub "$port" switching; expect "it says that it switches port by port" 0 "switching=1"
try io hub "$port" off; expect "off: it has left when the call returns" 0 "rc=0"
check "not listed any more" unplugged RIGHUB1
try io hub "$port" get; expect "the port is off" 0 "power=0"
try io hub "$port" occupied; expect "nobody is there" 0 "occupied=0"
try io hub "$port" off; expect "off again" 0 "rc=0"
try io hub "$port" on; expect "on" 0 "rc=0"
until_true 15 plugged RIGHUB1
check "it comes back to the same port" [ "$(usb_port RIGHUB1)" = "$port" ]
before=$(address)
try io hub "$port" cycle; expect "a cycle" 0 "rc=0"
check "it comes back" until_true 15 plugged RIGHUB1
check "under another address" [ "$(address)" != "$before" ]

try io hub 9-1 off; expect "no such bus" 1 "rc=ENODEV"
try io hub "${port%-*}-7" off; expect "no such port" 1 "rc=ENODEV"
try io hub usb1 off; expect "not a port path" 1 "rc=EINVAL"
try io hub 9-1 switching; expect "no hub to ask" 1 "rc=ENODEV"
try io hub "1-" off; expect "half a port path" 1 "rc=EINVAL"
try io hub "1-1/../../x" off; expect "no path tricks" 1 "rc=EINVAL"

# A kernel without `disable`: the hub is asked itself.
bus=usb${port%-*}
dir=/sys/bus/usb/devices/$bus/${port%-*}-0:1.0/$bus-port${port#*-}
mount -t tmpfs none "$dir"
try io hub "$port" get; expect "by the hub: on" 0 "power=1"
try io hub "$port" cycle; expect "by the hub: a cycle" 0 "rc=0"
try io hub "$port" off; expect "by the hub: off" 0 "rc=0"
try io hub "$port" get; expect "by the hub: it is off" 0 "power=0"
try io hub "$port" on; expect "by the hub: on again" 0 "rc=0"
umount "$dir"
check "it comes back" until_true 15 plugged RIGHUB1
gadget_free hub
finish
