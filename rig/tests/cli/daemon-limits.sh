#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the daemon does about disk, memory and processor: a low disk starts nothing, a full one loses
# no result, jobs are bounded, old logs become small and old runs go.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

limits() { sim_lab 1 "daemon: {$1}"; }

sim_boards 1 "daemon: {disk_low_mb: 10000000, job_memory_mb: 900, job_nice: 7}"
start_rigd
submit sim-1 $good $same
until_true 10 grep -q "nothing starts any more" "$work/rigd.log"
check "below the low-water mark nothing starts" job_is "$job" queued
try rig top --once
expect "rig top says why" 0 "nothing starts: " "MiB left"
try rig audit disk
expect "and so does the audit" 0 "disk-low"
limits "disk_low_mb: 1, job_memory_mb: 900, job_nice: 7"
kill -HUP "$rigd_pid"
check "with room again, it runs" until_true 30 job_over "$job"
check "to its verdict" [ "$(job_verdict "$job")" = PASS ]
check "a reserve is kept" [ "$(stat -c %s "$RIG_HOME/reserve")" = $((16 << 20)) ]

submit sim-1 $endless $good
until_true 10 job_is "$job" running
pid=$(cat "$RIG_HOME/runs/$(rig queue "$job" | sed -n 's/^session *//p')/lock")
check "a job's memory is bounded" grep -qE "^Max address space +943718400 " "/proc/$pid/limits"
check "a job gives way to others" [ "$(ps -o ni= -p "$pid" | tr -d ' ')" = 7 ]
check "so does its machine" until_true 5 grep -q "7$" <(ps -C fake-qemu -o ni=)
rig cancel "$job" >/dev/null
until_true 20 job_over "$job"
stop_rigd

# --- old runs
session=$(rig queue 1 | sed -n 's/^session *//p')
dir=$RIG_HOME/runs/$session
rig log "$session" --visit 1 --raw >"$work/before"
import_before=$(rig gate "$session")
try rigd --tidy
expect "young logs stay" 0 "0 logs compressed"
touch -d '10 days ago' "$dir/events.jsonl"
try rigd --tidy
expect "old logs are compressed" 0 "8 logs compressed, 0 runs removed"
check "the log itself is gone" [ ! -e "$dir/visits/001-good/console.log" ]
rig log "$session" --visit 1 --raw >"$work/after"
check "rig log shows the same bytes" cmp "$work/before" "$work/after"
try rig import "$dir"
expect "the run can be imported again" 0 "PASS"
check "with the same verdict" [ "$(rig gate "$session")" = "$import_before" ]
try rigd --tidy
expect "a second time there is nothing to do" 0 "0 logs compressed"
limits "keep_days: 20"
try rigd --tidy
expect "not old enough to go" 0 "0 runs removed"
limits "keep_days: 9"
cp -a "$dir" "$RIG_HOME/runs/20200101-000000-alien-000000"
touch -d '10 days ago' "$RIG_HOME/runs/20200101-000000-alien-000000/events.jsonl"
try rigd --tidy
expect "old runs go" 0 "1 runs removed"
check "the directory is gone" [ ! -e "$dir" ]
check "one that is not stored stays" [ -e "$RIG_HOME/runs/20200101-000000-alien-000000" ]
try rig gate "$session"
expect "its rows stay" 0 "PASS"

# --- a full disk
if [ "$(id -u)" != 0 ] || ! mkdir -p "$work/small" || ! mount -t tmpfs -o size=24m tmpfs "$work/small"; then
	skip "full disk" "no right to mount a tmpfs"
	finish
	exit
fi
export RIG_HOME=$work/small/home
sim_boards 1 "daemon: {disk_low_mb: 0, disk_reserve_mb: 4, job_disk_mb: 1}"
start_rigd
submit sim-1 $good $same
check "there is room for one" until_true 30 job_over "$job"
submit sim-1 $long $good
until_true 10 job_is "$job" running
session=$(rig queue "$job" | sed -n 's/^session *//p')
dd if=/dev/zero of="$RIG_HOME/filler" bs=64k status=none 2>/dev/null
check "a full disk ends the job" until_true 60 job_over "$job"
check "which has its row, and says so" \
	grep -q "disk-full" <(rig query "SELECT code FROM fault" 2>/dev/null; rig queue "$job")
check "with a verdict that blames nobody else" [ "$(job_verdict "$job")" = INVALID ]
check "its board is off" all_off
rm "$RIG_HOME/filler"
submit sim-1 $good $slow
check "with room again, the next one runs" until_true 60 job_over "$job"
check "to its verdict too" [ "$(job_verdict "$job")" = FAIL ]
stop_rigd
finish
