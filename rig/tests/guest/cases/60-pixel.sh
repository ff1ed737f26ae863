#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole sessions on a Pixel: its bootloader is FunctionFS, its processor QEMU with the images that
# were flashed. It has a battery: off is to wait in the bootloader. One session that works, byte for
# byte, and what becomes of those that do not.
# shellcheck source=../bedlib.sh
. "$(dirname "$0")/../bedlib.sh"
need_kernel ufs-irq:original arm64 pixel

android_up oriole dummy_udc.0 battery
lab_pixel() {
	lab_android pixel <<-END
		    vbus: {by: hub, port: "$port"}
		    enter_s: ${enter_s:-60}
	END
}
lab_pixel

android_works
check "it waits in its bootloader again" until_true 20 plugged FAKE0001
check "and its processor is off" [ "$(bed state)" = off ]

knob stall-at=1000000
session oriole
expect "a bootloader that falls silent for ever" 3 INVALID
check "is the board's fault" fault BOARD fastboot-timeout
check "it was tried again" tried_again "does not answer"
check "and after a cycle of its USB power" tried_again "" "after a cycle of its USB power"
knob heal=1
knob hand=1
check "a person takes it" until_true 20 plugged FAKE0001

knob slot=b
# the client itself tries twice
knob wrong-slot=2
knob mute=2000
boot_s=15 enter_s=10
lab_pixel
session oriole
expect "a slot that is not taken at first, then a kernel that never says hello" 3 INVALID
check "the slot was selected again" tried_again "set_active"
check "what was booted is what was sent, this time as well" android_booted
check "it is the board's fault, for want of another kernel" fault BOARD boot-timeout
check "that it could not be parked is said" grep -q "not parked" "$work/msg"

android_down
finish
