#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make check-hil: a new board, step by step: the first thing to run on it, and its transcript is the
# bug report. Ends at the first step that fails; what cannot be tried here is skipped and says what
# it needs.
#
#   RIG_HIL_BOARD=NAME    the board, as the lab file calls it; needed
#   RIG_HIL_LAB=FILE      the lab file ($RIG_HOME/lab.yaml)
#   RIG_HIL_KERNEL=K      what is booted: SERIES:VARIANT or id:PREFIX (ufs-irq:original)
#   RIG_HIL_SUITE=FILE    what is run (rig/tests/hil/hil.yaml: fio on UFS)
#   RIG_HIL_CYCLES=N      power cycles of the last step (20)
#   RIG_HIL_LISTEN=S      how long silence and speech are listened to (20)
#   RIG_HIL_ASK=0         nobody is there to be asked
#
# Prints "ok NN-step: evidence", "skip NN-step: needs ...", "not ok NN-step"; the transcript is
# build/hil/BOARD-DATE.log. Exits with 0, 1 when a step failed, 77 without a board.
# shellcheck source=hillib.sh
. "$(dirname "$0")/hillib.sh"

# The host is fit, as far as this board needs it. Room on the disk is for building kernels.
doctor() {
	local others

	others=$(rig boards "${with_lab[@]}" | awk -v b="$board" 'NR > 1 && $1 != b && !/^\(/ { print $1 ":" }')
	run rig doctor "${with_lab[@]}"
	bad=$(awk -v others="$others" 'BEGIN { n = split(others, o); for (i = 1; i <= n; i++) other[o[i]] = 1 }
		/^BAD/ && $2 != "disk" {
			split(substr($0, 22), word, " "); if (!(word[1] in other)) { print substr($0, 6); exit } }' \
		"$work/out")
	[ -z "$bad" ] || { fail "rig doctor: $bad"; return; }
	pass "$(grep -c '^ok' "$work/out") checks are well, $(grep -c '^warn' "$work/out") warnings"
}

# The console opens and speaks at its speed: what comes must be text. At a wrong speed it is not.
console_speaks() {
	if is_virtual; then
		run rig console "$board" "${with_lab[@]}" -k "$kernel" --until 'Linux version' --for 120
	elif switched; then
		run rig console "$board" "${with_lab[@]}" --power cycle --for "$listen"
	else
		run rig console "$board" "${with_lab[@]}" --for 3
	fi
	[ "$code" = 0 ] || { fail "$(last_words)"; return; }
	bytes=$(wc -c <"$work/out")
	text=$(tr -dc '[:print:][:space:]\033' <"$work/out" | wc -c)
	if [ "$bytes" = 0 ] && ! switched && ! is_virtual; then
		needs "a board that speaks: it opens, but nothing was heard in 3 s, and nothing switches it"
	elif [ "$bytes" = 0 ]; then
		fail "silent for $listen s after its power was switched on: cable, RX and TX crossed, speed, power?"
	elif [ $((text * 100)) -lt $((bytes * 90)) ]; then
		fail "$text of $bytes bytes are text: the speed is wrong, or the levels (RS-232 or 3.3 V)"
	else
		pass "$bytes bytes, $((text * 100 / bytes)) % of them text"
	fi
}

# Off is silence.
silence() {
	switchable || return
	run rig power "$board" off "${with_lab[@]}" || { fail "$(last_words)"; return; }
	if is_virtual; then
		[ -e "$home/boards/$board.state" ] && { fail "its process is still noted as running"; return; }
		pass "its process is gone"
		return
	fi
	# What was still on its way when the power went.
	run rig console "$board" "${with_lab[@]}" --power off --for 2
	run rig console "$board" "${with_lab[@]}" --power off --for "$listen" || { fail "$(last_words)"; return; }
	bytes=$(wc -c <"$work/out")
	[ "$bytes" = 0 ] || {
		fail "$bytes bytes in $listen s without power: the switch cuts nothing (a phone lives on its battery)"
		return
	}
	pass "silent for $listen s"
}

# On: the first byte, and how long it took.
first_byte() {
	if is_virtual; then
		run rig console "$board" "${with_lab[@]}" -k "$kernel" --until '' --for 120
	elif switched; then
		run rig console "$board" "${with_lab[@]}" --power on --until '' --for 60
	else
		switchable || return
	fi
	[ "$code" = 0 ] || { fail "$(last_words)"; return; }
	pass "$(sed -n 's/.*the first after \([0-9]* ms\).*/first byte after \1/p' "$work/msg")"
}

has_left() {
	for _ in $(seq 25); do
		run rig doctor "${with_lab[@]}"
		grep -q "usb node *$board: .*can be opened" "$work/out" || return 0
		sleep 0.2
	done
	return 1
}

# VBUS is cut: the device leaves, and a person with a meter looks once, which no host can do.
vbus() {
	local holding=()

	has vbus || { needs "vbus in the lab file, on a board with a USB plug"; return; }
	# The command holds a GPIO line until it is interrupted.
	by_gpio && holding=(timeout --preserve-status -s INT 10)
	run "${holding[@]}" rig power "$board" cycle --supply vbus "${with_lab[@]}" ||
		{ fail "$(last_words)"; return; }
	run rig power "$board" off --supply vbus "${with_lab[@]}" || { fail "$(last_words)"; return; }
	has_left || { fail "the device is still there 5 s after VBUS was cut"; return; }
	ask "VBUS of $board is cut now. Measure it at the plug: is it below 0.8 V?"
	case $? in
	0) pass "the device has left, and VBUS was measured to be down" ;;
	1) fail "the hub cuts the data lines only: VBUS stays, so no vbus cycle resets this board" ;;
	*) needs "a person with a meter (and RIG_HIL_ASK=1): the device left, whether VBUS did nobody knows" ;;
	esac
}

# The loader is reached. The same boot is looked at by the next step.
loader() {
	run rig console "$board" "${with_lab[@]}" -k "$kernel" --until 'Linux version' --for 180
	boot_code=$code
	cp "$work/msg" "$work/boot"
	if is_virtual; then
		needs "a board with a loader: a virtual one is given its kernel by QEMU"
	elif grep -q 'deployed in' "$work/boot"; then
		pass "it took commands"
	else
		fail "$(last_words)"
	fi
}

# The kernel gets there, and it is the one that starts.
deploy() {
	deployed=$(sed -n 's/.*\(deployed in [0-9]* ms\).*/\1/p' "$work/boot")
	[ -n "$deployed" ] || { fail "$(tail -n 1 "$work/boot")"; return; }
	[ "$boot_code" = 0 ] || { fail "deployed, but no Linux: $(tail -n 1 "$work/boot")"; return; }
	pass "$deployed, Linux $(sed -n 's/.*"Linux version" \(after [0-9]* ms\)/\1/p' "$work/boot")"
}

# A session of one visit: boot to the agent's hello. The next step looks at its workload.
hello() {
	local before boot

	before=$(newest_run)
	run rig run "$suite" --board "$board" "${with_lab[@]}" --baseline "$kernel" --pairs 1 --quick
	session=$(newest_run)
	[ "$session" != "$before" ] || { fail "it could not begin: $(last_words)"; return; }
	note "journal, $session/events.jsonl:"
	cat "$session/events.jsonl" >>"$log"
	boot=$(sed -n 's/.*"ev":"agent-hello","boot_ms":\([0-9]*\).*/\1/p' "$session/events.jsonl" | head -n 1)
	[ -n "$boot" ] || { fail "no agent: $(last_words)"; return; }
	pass "hello $boot ms after power-on"
}

# The workload of that session.
fio() {
	steps=$(grep '"ev":"step-end"' "$session/events.jsonl" | grep -v '"workload":null')
	[ -n "$steps" ] || { fail "the session ended before its workload"; return; }
	bad=$(grep -v '"status":"ok"' <<<"$steps" | head -n 1)
	[ -z "$bad" ] || { fail "$(sed -n 's/.*"message":"\([^"]*\)".*/\1/p' <<<"$bad")"; return; }
	grep -q '"result":"complete"' "$session/events.jsonl" || { fail "the session did not complete"; return; }
	pass "$(sed -n 's/.*"workload":"\([^"]*\)".*/\1/p' <<<"$steps" | tr '\n' ' ')ok, exit 0"
}

# After the session, and after an owner that was killed: off.
safe_off() {
	switchable || return
	rig console "$board" "${with_lab[@]}" -k "$kernel" --for 120 >"$work/owned" 2>&1 </dev/null &
	owner=$!
	for _ in $(seq 600); do
		[ -s "$work/owned" ] && [ -e "$home/boards/$board.state" ] && break
		sleep 0.2
	done
	[ -e "$home/boards/$board.state" ] || { kill $owner; fail "it was never noted as running"; return; }
	kill -9 $owner
	wait $owner 2>/dev/null
	run rig power "$board" off "${with_lab[@]}" || { fail "$(last_words)"; return; }
	[ ! -e "$home/boards/$board.state" ] || { fail "still noted as running"; return; }
	is_virtual || {
		run rig console "$board" "${with_lab[@]}" --power off --for "$listen"
		[ ! -s "$work/out" ] || { fail "it still speaks"; return; }
	}
	run rig power "$board" status "${with_lab[@]}"
	grep -q 'nobody uses it' "$work/out" || { fail "still locked: $(head -n 1 "$work/out")"; return; }
	pass "its owner was killed while it ran; off and free"
}

# A cable that is pulled is noticed, and the port is found again.
cable() {
	is_virtual && { needs "a cable"; return; }
	ask "The next step wants the console's USB cable pulled within 60 s of your answer, and then plugged in again. Ready?" ||
		{ needs "a person to pull the console's cable (and RIG_HIL_ASK=1)"; return; }
	run rig console "$board" "${with_lab[@]}" --for 60
	grep -q 'the console is gone' "$work/msg" || { fail "not noticed: $(last_words)"; return; }
	at=$took
	ask "Pulled. Plug it in again; is it?"
	for _ in $(seq 50); do
		run rig console "$board" "${with_lab[@]}" --for 1 && break
		sleep 0.2
	done
	[ "$code" = 0 ] || { fail "not found again: $(last_words)"; return; }
	pass "gone after $at ms, found again in its port"
}

# Power cycles: how often does it come up, and how long does its first byte take.
cycles() {
	switchable || return
	: >"$work/times"
	for i in $(seq "$cycles"); do
		if is_virtual; then
			run rig console "$board" "${with_lab[@]}" -k "$kernel" --until '' --for 120
		else
			run rig console "$board" "${with_lab[@]}" --power cycle --until '' --for 60
		fi
		[ "$code" = 0 ] && sed -n 's/.*the first after \([0-9]*\) ms.*/\1/p' "$work/msg" >>"$work/times"
		[ $((i % 5)) != 0 ] || note "after $i cycles: $(wc -l <"$work/times") came up"
	done
	sort -n "$work/times" >"$work/sorted"
	up=$(wc -l <"$work/sorted")
	note "first byte after, ms: $(tr '\n' ' ' <"$work/times")"
	[ "$up" = "$cycles" ] || { fail "came up in $up of $cycles cycles; the last one: $(last_words)"; return; }
	pass "$up of $cycles came up, first byte after $(head -n 1 "$work/sorted") to $(tail -n 1 "$work/sorted") ms, median $(sed -n "$(((up + 1) / 2))p" "$work/sorted") ms"
}

step 01-doctor doctor
step 02-console console_speaks
step 03-power-off silence
step 04-power-on first_byte
step 05-vbus vbus
step 06-loader loader
step 07-deploy deploy
step 08-hello hello
step 09-fio fio
step 10-safe-off safe_off
step 11-cable cable
step 12-cycles cycles
finish
