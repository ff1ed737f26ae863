#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make check-hil against a virtual board, end to end: its steps pass or are skipped for what a virtual
# board has not, the transcript tells all of it, and a board that is broken ends it at the right step.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original
export RIG_HIL_ASK=0 RIG_HIL_CYCLES=3
hil=rig/tests/hil/hil.sh
transcript() { sed -n 's/.*transcript: //p' "$work/out"; }
logged() { grep -qF -- "$1" "$log"; }
not_in() { ! grep -q "$1" "$work/out"; }

try $hil; expect "without a board it says what it needs" 77 "skip hil: needs RIG_HIL_BOARD"
try env RIG_HIL_BOARD=virt-usf $hil; expect "an unknown board is guessed" 1 "virt-ufs"

try env RIG_HIL_BOARD=virt-ufs $hil
expect "virt-ufs passes" 0 "9 passed, 0 failed, 3 skipped"
sed -n 's/^ok /  /p' "$work/out"
log=$(transcript)
for step in 05-vbus 06-loader 11-cable; do
	check "$step is skipped, and says what it needs" grep -q "^skip $step: needs " "$work/out"
done
check "the transcript has the versions" logged "$(rig --version)"
check "and the lab's row" logged "(built-in lab)"
check "and each command with its exit code" logged '$ rig power virt-ufs off'
check "and the console" logged "Linux version"
check "and the journal" logged '"ev":"agent-hello"'
check "and the times of the cycles" grep -qE "first byte after, ms:( ?[0-9]+){3}" "$log"
check "nothing is left running" [ -z "$(ours)" ]
rm -f "$log"

# A board whose power does not come: the doctor cannot see that, the console does.
cat >"$work/lab.yaml" <<END
boards:
- {name: broken, type: virt-ufs, qemu: /bin/false}
END
try env RIG_HIL_BOARD=broken RIG_HIL_LAB="$work/lab.yaml" $hil
expect "a broken board fails" 1 "not ok 02-console" "QEMU ended by exit code 1"
check "and no later step is tried" not_in 03-power-off
log=$(transcript)
check "its transcript has the lab file" logged "qemu: /bin/false"
rm -f "$log"
finish
