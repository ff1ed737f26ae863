#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A board that fails: no patch is blamed, the board is quarantined with the reason, tried by canary
# sessions, and trusted again when it does well.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

sim_boards 1 "- {name: loose, type: virt-ufs, boot_timeout_s: 20, qemu: $work/loose-qemu}"
loose_qemu
start_rigd
until_true 10 board_is loose safe

try rig health
expect "boards that ran nothing" 0 "loose" "unknown"
try rig health --canary loose
expect "a board that is well has no canary" 64 "a canary tries one that is quarantined"
wait_for() { try rig submit "$tiny" --board loose --baseline $good --candidate "$1" --again --wait; }
wait_for $same
expect "the board works" 0 "done, PASS"
touch "$work/broken"
for i in 1 2 3; do
	wait_for $slow
	expect "fault $i: INVALID, and nobody's patch" 3 "done, INVALID" "qemu-died"
done
check "it is quarantined" until_true 5 board_is loose quarantined
try rig boards
expect "with the reason" 0 "3 sessions in a row ended by faults of board or wiring; the last: qemu-died"
try rig health loose
expect "rig health says so" 0 "sick" "qemu-died x3"
check "and for programs" [ "$(rig health --json | python3 -c 'import json, sys
print([(h["state"], h["score"], h["streak"]) for h in json.load(sys.stdin) if h["board"] == "loose"])')" = "[('sick', 18, 3)]" ]
submit loose $good $same --again
waiting=$job
try rig submit "$tiny" --board sim-1 --baseline $good --candidate $same --wait
expect "other boards go on" 0 "done, PASS"
check "no job starts on it" job_is "$waiting" queued

try rig health --canary loose
expect "a canary" 0 "loose: job"
canary=${out##* }
check "of a board that is still broken ends" until_true 20 job_over "$canary"
check "as INVALID" [ "$(job_verdict "$canary")" = INVALID ]
check "and the board stays where it is" until_true 5 board_is loose quarantined
kill_rigd KILL
start_rigd
check "a new daemon remembers" until_true 10 board_is loose "quarantined .*health: 3 sessions"
rm "$work/broken"
try rig health --canary loose
canary=${out##* }
check "a canary that does well" until_true 20 job_over "$canary"
check "brings it back" until_true 10 job_over "$waiting"
check "and what waited runs" [ "$(job_verdict "$waiting")" = PASS ]
check "it boots three times" [ "$(sql "SELECT count(*) FROM boot v JOIN session s ON s.id = v.session
	WHERE s.suite = 'canary' AND v.result = 'ok'" | tail -n 1)" = 3 ]
try rig health loose
expect "it is in good health" 0 "good" "100"

# a person who gives it back is believed
rig boards --quarantine loose --reason "smells" >/dev/null
check "quarantined by hand" until_true 5 board_is loose "quarantined \(smells\)"
rig boards --resume loose >/dev/null
check "given back by hand" until_true 10 board_is loose safe
try rig health loose
expect "what was before is forgotten" 0 "unknown"
stop_rigd
finish
