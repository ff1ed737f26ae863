#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What every other case needs of the guest: if one of these fails, look here first.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

check "udev answers" [ -S /run/udev/control ]
check "two USB device controllers" [ -d /sys/class/udc/dummy_udc.0 -a -d /sys/class/udc/dummy_udc.1 ]
check "configfs gadgets" [ -d /sys/kernel/config/usb_gadget ]
check "gpio-sim" [ -d /sys/kernel/config/gpio-sim ]
check "the FTDI adapter is there" until_true 60 [ -c /dev/ttyUSB0 ]
check "and has a stable name" until_true 60 [ -d /dev/serial/by-path ]
check "the root is read-only" not touch /usr/rig-was-here
check "the share is not" touch /run/share/touched
finish
