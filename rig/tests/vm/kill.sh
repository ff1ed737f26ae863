#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 of rig-job and of QEMU at random moments: every run directory imports, the verdict is
# INVALID with the true blame, nothing is left running, and the next session works.
#   RIG_KILLS=N   kills of each kind (default 3)
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original
kills=${RIG_KILLS:-3}
RANDOM=${RIG_SEED:-$RANDOM}

# aa PAIRS; begin: six pairs in the background, $runner is the pid of rig itself
aa() { rig run "$tiny" --board virt-ufs --pairs "$1" --baseline original --candidate original; }
begin() {
	rig run "$tiny" --board virt-ufs --pairs 6 --baseline original --candidate original \
		>"$work/out" 2>"$work/msg" &
	runner=$!
}

has_job() { [ -s "$(newest_run)/lock" ]; }
job_pid() { tr -dc '0-9\n' <"$(newest_run)/lock" | head -n 1; }
qemu_pid() { ours | awk '$2 ~ /^qemu/ { print $1; exit }'; }
has_qemu() { [ -n "$(qemu_pid)" ]; }

strike() {
	local pid
	pid=$("$1_pid")
	[ -n "$pid" ] && kill -9 "$pid" 2>/dev/null
}

# one_kill WHAT BLAME NUMBER
one_kill() {
	local what=$1 blame=$2 name="$1 kill $3" delay
	rm -rf "$RIG_HOME/runs"
	begin
	until_true 30 "has_$what" || { not_ok "$name" "it never started: $(cat "$work/msg")"; return; }
	delay=$(printf '0.%02d' $((RANDOM % 100)))
	delay=$((RANDOM % 9))$(cut -c2- <<<"$delay")
	sleep "$delay"
	# between two visits there is no QEMU for a moment
	until_true 30 strike "$what" || not_ok "$name" "nothing to kill after $delay s"
	wait $runner
	code=$?
	if [ $code != 3 ]; then
		not_ok "$name (after $delay s)" "exit code $code" "$(tail -n 5 "$work/msg")"
	elif ! grep -q "INVALID" "$work/out" || ! grep -q "$blame" "$work/out"; then
		not_ok "$name (after $delay s)" "no INVALID with blame $blame" "$(tail -n 20 "$work/out")"
	elif [ -n "$(ours)" ]; then
		not_ok "$name (after $delay s)" "left running: $(ours)"
	elif ! rig import "$(newest_run)" >"$work/again" 2>&1 || ! grep -q INVALID "$work/again"; then
		not_ok "$name (after $delay s)" "second import: $(cat "$work/again")"
	elif [ -n "$(find "$(newest_run)" -name '*.??????' -newer "$tiny" -type f)" ]; then
		not_ok "$name (after $delay s)" "half-written: $(find "$(newest_run)" -name '*.??????')"
	else
		ok "$name (after $delay s): INVALID, $blame"
	fi
}

for i in $(seq "$kills"); do
	one_kill job RIG "$i"
	one_kill qemu BOARD "$i"
done

try aa 4
case $code in
0 | 1 | 2) ok "the next session works" ;;
*) not_ok "the next session works" "exit code $code" "$msg" ;;
esac

# A supervisor that is killed as well: the job sees its channel close and ends by itself.
begin
until_true 30 has_qemu
kill -9 $runner
wait $runner 2>/dev/null
nothing_left() { [ -z "$(ours)" ]; }
check "a killed rig run: job and QEMU end by themselves" until_true 30 nothing_left
check "the job has closed its journal" grep -q session-end "$(newest_run)/events.jsonl"
try rigd --recover
expect "rigd --recover finds nothing dead" 0 "0 ended, 0 live, 0 failed"

# All of them at once, as when the host loses power: nobody is left to end the session.
rm -rf "$RIG_HOME/runs"
begin
until_true 30 has_qemu
kill -9 $runner "$(job_pid)"
wait $runner 2>/dev/null
check "a killed rig run and rig-job: QEMU dies with them" until_true 30 nothing_left
check "nobody ended that session" [ -z "$(grep session-end "$(newest_run)/events.jsonl")" ]
try rigd --recover
expect "rigd --recover ends it" 0 "1 ended, 0 live, 0 failed"
try rig gate
expect "and it is INVALID, with the blame on the rig" 3 "INVALID" "RIG"
try rigd --recover
expect "a second time there is nothing to do" 0 "0 ended, 0 live, 0 failed"

# Ctrl-C: the board off, the run directory whole.
rm -rf "$RIG_HOME/runs"
begin
until_true 30 has_qemu
kill -INT $runner
wait $runner
code=$?
expect "Ctrl-C ends the session as INVALID" 3 "INVALID" "USER"
check "Ctrl-C leaves nothing running" nothing_left
check "Ctrl-C closes the journal" grep -q '"session-end"' "$(newest_run)/events.jsonl"
finish
