#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A few nights in a minute: a tip against the last good one and a release on three boards, a planted
# regression that is named, a planted broken board that is quarantined and blames no patch, a daemon
# that was down for days, and the report of the morning.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

# Builds of one tree: good, slow, good again; and a release.
sim_boards 2
kernel 00000000000000a1 tip fake=numbers fake-iops=1000
kernel 00000000000000a2 tip fake=numbers fake-iops=800
kernel 00000000000000a3 tip fake=numbers fake-iops=1001
kernel 00000000000000f0 release fake=numbers fake-iops=1000
loose_qemu

# tip ID: the lab file, with that tip.
tip() {
	sim_lab 2 "- {name: loose, type: virt-ufs, boot_timeout_s: 20, qemu: $work/loose-qemu}" \
		"schedule:" \
		"- {name: nightly, at: \"0 22 * * *\", suite: $tiny, boards: \"sim-*\", tip: \"id:$1\"}" \
		"- {name: other, at: \"30 22 * * *\", suite: $tiny, boards: loose, tip: \"id:$1\", against: [last-good, \"id:00000000000000f0\"]}" \
		"- {name: noise, at: \"0 12 * * 0\", suite: $tiny, boards: sim-1, tip: \"id:$1\", calibrate: true}"
	[ -z "$rigd_pid" ] || kill -HUP "$rigd_pid"
}
# Nothing is left but what waits for a board in quarantine.
idle() {
	[ "$(sql "SELECT count(*) FROM job j WHERE state NOT IN ('done', 'cancelled') AND NOT (state = 'queued'
		AND EXISTS (SELECT 1 FROM board_state b WHERE b.name = j.board AND b.state = 'quarantined'))" | tail -n 1)" = 0 ]
}
queued() { rig audit "schedule nightly" | grep -q "all is queued"; }
night() {
	try rig nightly "$@"
	until_true 60 idle || not_ok "the night ends" "$(rig queue)"
}
tip 00000000000000a1
start_rigd
until_true 10 board_is loose safe

try rig nightly
expect "the schedules" 0 "nightly" "0 22 * * *" "noise" "(calibrates)"
try rig nightly nihgtly
expect "an unknown one" 64 "known are nightly, other, noise; did you mean \"nightly\"?"
try rig morning
expect "a morning without a night" 0 "Nothing needs a person." "Nothing has changed." "No session ended."

night nightly
expect "the first night measures the tip alone" 0 "sim-1: job" "sim-2: job" "against nothing"
night nightly
expect "a tip that is still the last good one is not run again" 0 "the tip is the last good one still"
night other
expect "against the release, while no tip was good yet" 0 "no tip was good yet" "against id:00000000000000f0"
try rig morning
expect "all is well" 0 "Nothing needs a person." "Nothing has changed." "measured" "PASS"

# a regression, and a board that breaks
touch "$work/broken"
tip 00000000000000a2
night nightly
expect "the next tip goes against the last good one" 0 "id:00000000000000a2 against id:00000000000000a1"
for _ in 1 2; do night other --again; done
check "the broken board is quarantined" until_true 10 board_is loose quarantined
try rig morning
expect "the morning names the regression" 0 "CHANGED" "x sim-1, tiny quick: tip#2 against tip: FAIL" "slower"
expect "and what needs a person" 0 "board loose: quarantined since" "(qemu-died)"
check "the broken board blames no patch" [ "$(sql "SELECT count(*) FROM verdict v JOIN session s ON s.id =
	v.session JOIN board b ON b.id = s.board WHERE b.name = 'loose' AND v.result = 'FAIL'" | tail -n 1)" = 0 ]
night nightly --again
try rig morning
expect "the next morning it is not new" 0 "fails since"

# mended
tip 00000000000000a3
night nightly
expect "the last good one is still the old one" 0 "id:00000000000000a3 against id:00000000000000a1"
try rig morning -o "$work/morning.html"
expect "as a page" 0
check "which is XML" python3 -c "import xml.dom.minidom, sys; xml.dom.minidom.parse(sys.argv[1])" "$work/morning.html"
check "and says that it passes again" grep -q "PASS, was FAIL on" "$work/morning.html"
check "so that it needs nobody any more" [ "$(grep -c "fails since" "$work/morning.html")" = 0 ]

try rig nightly noise
expect "a calibration" 0 "sim-1: job"
check "is there" grep -q "sim-1 .*holds" <(rig calibrate)

# a daemon that was down for days makes up for what it missed, once
stop_rigd
python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit()' "$RIG_HOME/results.db" \
	"UPDATE audit SET at = at - 4 * 86400000 WHERE object = 'schedule nightly'"
start_rigd
check "missed nights are one run" until_true 10 grep -qE "schedule nightly: due [345] times, run once" "$work/rigd.log"
check "that queues what is to be done" until_true 20 queued
until_true 60 idle
check "and that is all" [ "$(grep -c "schedule nightly: due" "$work/rigd.log")" = 1 ]
try rig morning
expect "the morning tells" 0 "schedule nightly: due"
stop_rigd
finish
