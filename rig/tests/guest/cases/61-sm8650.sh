#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole sessions on an SM8650 kit, as 60-pixel.sh. It has no battery, but a relay for its supply and
# one for its volume key: off is off, and every fault is worth a power cycle.
# shellcheck source=../bedlib.sh
. "$(dirname "$0")/../bedlib.sh"
need_kernel ufs-irq:original arm64 sm8650

android_up hdk dummy_udc.0
lab_sm8650() {
	lab_android sm8650 <<-END
		    battery: false
		    power: {by: gpio, chip: relays, line: power}
		    key: {by: gpio, chip: relays, line: key}
	END
}
lab_sm8650

android_works
check "it is off" is_off

knob die-at=3000000
knob mute=2000
boot_s=15
lab_sm8650
session hdk
expect "unplugged in a download, then a kernel that never says hello" 3 INVALID
check "the download was tried again" tried_again "it has left the USB"
check "and worked: it was started" happened '.ev == "power-on"'
check "what was booted is what was sent, this time as well" android_booted
check "it is the board's fault, for want of another kernel" fault BOARD boot-timeout
check "it is off" is_off
knob mute=

knob slot=b
knob wrong-slot=99
session hdk
expect "a slot that is never taken" 3 INVALID
check "is the board's fault" fault BOARD fastboot
check "it was tried again" tried_again "set_active"
check "and after a power cycle" tried_again "" "after a power cycle"
check "it is off" is_off
knob wrong-slot=0

knob stall-at=1000000
session hdk
expect "a bootloader that falls silent for ever" 3 INVALID
check "is the board's fault" fault BOARD fastboot-timeout
check "it was tried again" tried_again "does not answer"
check "and after a power cycle" tried_again "" "after a power cycle"
check "it is off" is_off

android_down
finish
