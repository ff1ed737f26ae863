#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole sessions on an Edison: U-Boot on its console, DFU to its RAM on its plug, then QEMU with the
# bytes that lie there. One session that works, byte for byte, and what becomes of those that do not.
# shellcheck source=../bedlib.sh
. "$(dirname "$0")/../bedlib.sh"
need_kernel stock:plain x86_64 merrifield
suite=$root/rig/tests/guest/session-usb.yaml

edison_up dummy_udc.1
lab_edison </dev/null

edison_works
check "it is off" is_off

knob die=1
knob bad-crc=1
knob mute=2000
boot_s=15
lab_edison </dev/null
session edison
expect "it crashes in a download, bytes are damaged, its kernel never says hello" 3 INVALID
check "the download was tried again" tried_again "DFU"
check "and worked: it was started" happened '.ev == "power-on"'
edison_same
check "it is the board's fault, for want of another kernel" fault BOARD boot-timeout
check "it is off" is_off

knob no-dfu=1
session edison
expect "a U-Boot without DFU" 3 INVALID
check "is the board's fault" fault BOARD loader-command
check "by the word of its U-Boot" tried_again "dfu: .*Unknown command"
check "and after a power cycle" tried_again "" "after a power cycle"
check "it is off" is_off

edison_down
finish
