#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hostile clients of the control socket: refused, and the daemon goes on as if nothing had been.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

sim_boards 1
start_rigd
socket=$RIG_HOME/rigd.sock
until_true 10 board_is sim-1 safe
hostile() { try python3 rig/tests/fakes/hostile.py "$socket" "$@"; }
fds() { find "/proc/$rigd_pid/fd" -mindepth 1 | wc -l; }
rss_kb() { awk '/VmRSS/ { print $2 }' "/proc/$rigd_pid/status"; }

fds_before=$(fds)
rss_before=$(rss_kb)
hostile flood
expect "10,000 connections" 0 "after the flood: True" "refused some: True"
hostile garbage
expect "garbage" 0 "after the garbage: True"
hostile half
expect "half a message, slowly" 0 "hung up on the slow one: True"
hostile deaf
expect "a client that never reads" 0 "hung up on the deaf one: True alive: True"
rig run "$tiny" --board sim-1 --baseline $good -n >"$work/plan.json" 2>/dev/null
hostile tricks "$work/plan.json"
expect "path tricks in names" 0 "refused: 21 of 21" "fine: True"
check "the job's label made no path" until_true 20 job_over 1
check "its directory is where it belongs" \
	[ "$(find "$RIG_HOME/runs" -mindepth 3 -maxdepth 3 -type d | wc -l)" -gt 0 ]
check "nothing was written outside" [ "$(find "$work" -mindepth 1 -maxdepth 1 | grep -cvE '/(home|out|msg|plan.json|rigd.log)$')" = 0 ]
check "no descriptor was lost" until_true 5 [ "$(fds)" -le "$((fds_before + 2))" ]
# twice 1 MiB may be kept for a client; 16 MiB would be a leak
check "no memory was lost ($rss_before -> $(rss_kb) KiB)" [ "$(rss_kb)" -lt $((rss_before + 16384)) ]

# --- other users
if [ "$(id -u)" != 0 ] || ! setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null; then
	skip "other users" "not root"
	finish
	exit
fi
chmod 755 "$work" "$RIG_HOME"
as_nobody() { try setpriv --reuid 65534 --regid 65534 --clear-groups env RIG_HOME="$RIG_HOME" build/bin/rig "$@"; }
as_nobody cancel 1
expect "another user is not let in" 64 "not of the group"
check "the socket is 0660" [ "$(stat -c %a "$socket")" = 660 ]
stop_rigd
rigd --group "$(getent group 65534 | cut -d: -f1)" >>"$work/rigd.log" 2>&1 </dev/null &
rigd_pid=$!
until_true 20 rigd_answers
submit sim-1 $endless $good
until_true 10 job_is "$job" running
as_nobody cancel "$job"
expect "one of the group is let in, but ends no job of others" 64 "belongs to"
as_nobody boards --drain sim-1 --reason "bad fan"
expect "he may hold a board" 0
check "and the audit says who" grep -q "nobody .*board sim-1" <(rig audit "board sim-1")
rig cancel "$job" >/dev/null
until_true 20 job_over "$job"
try rig boards --resume sim-1
expect "which others may give back" 0
stop_rigd
finish
