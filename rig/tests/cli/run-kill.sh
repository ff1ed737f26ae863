#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig run without a daemon, struck: its job, its machine, itself, all of them, Ctrl-C. As vm/kill.sh
# does with QEMU at random moments, here on a scripted machine at a known one.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

sim_boards 1
run_dir() { find "$RIG_HOME/runs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sort | tail -n 1; }
has_event() { grep -qs "\"ev\":\"$1\"" "$(run_dir)/events.jsonl"; }
pid_of() { ours | awk -v name="$1" '$2 == name { print $1; exit }'; }
nothing_left() { [ -z "$(ours)" ]; }

begin() {
	rm -rf "$RIG_HOME/runs"
	rig run "$tiny" --board sim-1 --baseline $endless --candidate $good >"$work/out" 2>"$work/msg" </dev/null &
	runner=$!
	until_true 20 has_event step-start || not_ok "it runs" "$(cat "$work/msg")"
}
ended() {
	wait $runner 2>/dev/null
	code=$?
}

begin
kill -9 "$(pid_of rig-job)"
ended
expect "its job is killed" 3 "INVALID" "RIG" "signal 9"
check "nothing is left" until_true 10 nothing_left
check "the journal was ended" has_event session-end
try rig import "$(run_dir)"
expect "it can be imported again" 0 "INVALID"

begin
kill -9 "$(pid_of fake-qemu)"
ended
expect "its machine is killed" 3 "INVALID" "BOARD" "qemu-died"
check "nothing is left" until_true 10 nothing_left

begin
kill -9 $runner
ended
check "rig run is killed: its job ends by itself" until_true 30 nothing_left
check "and says why" grep -q '"code":"supervisor-gone"' "$(run_dir)/events.jsonl"
try rigd --recover
expect "nothing is dead" 0 "0 ended, 0 live, 0 failed"

begin
kill -9 $runner "$(pid_of rig-job)"
ended
check "both are killed: the machine dies with them" until_true 10 nothing_left
check "nobody ended the journal" [ -z "$(grep session-end "$(run_dir)/events.jsonl")" ]
try rigd --recover
expect "rigd --recover does" 0 "1 ended, 0 live, 0 failed"
try rig gate
expect "INVALID, the rig's fault" 3 "INVALID" "RIG"
try rigd --recover
expect "once" 0 "0 ended, 0 live, 0 failed"

begin
kill -INT $runner
ended
expect "Ctrl-C" 3 "INVALID" "USER"
check "nothing is left" nothing_left
check "cancelled, says the journal" grep -q '"result":"cancelled"' "$(run_dir)/events.jsonl"

try rig run "$tiny" --board sim-1 --baseline $good --candidate $same
expect "the next one works" 0 "PASS"
finish
