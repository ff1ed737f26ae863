#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon on scripted boards: verdicts as exit codes, order, cancelling, leases, holds, reload,
# and what a new rigd makes of what an old one left.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

sim_boards 2
try rig submit "$tiny" --board sim-1 --baseline $good --candidate $same
expect "without a daemon" 3 "no rigd at" "rig run"
start_rigd
try rigd
expect "a second daemon" 64 "another rigd has"
check "boards are made safe at the start" until_true 10 board_is sim-2 safe

# --- verdicts, as a CI job sees them
wait_for() { try rig submit "$tiny" --board sim-1 --baseline $good --candidate "$1" --wait "${@:2}"; }
wait_for $same
expect "PASS is 0" 0 "visit 8" "done, PASS"
wait_for $slow
expect "FAIL is 1" 1 "done, FAIL" "slower: randread/1"
wait_for $noisy
expect "INCONCLUSIVE is 2" 2 "done, INCONCLUSIVE"
wait_for $gone
expect "INVALID is 3" 3 "done, INVALID" "qemu-died"
wait_for $same
expect "the same work is not done twice" 0 "is the same work" "done, PASS"
first=$out
check "it is the same job" [ "${first%%[!0-9]*}" = 1 ]
submit sim-1 $good $same --again
check "unless it is asked for" [ "$job" -gt 4 ]
check "and then it is" until_true 20 job_over "$job"
submit sim-1 $good $gone
check "an INVALID one is done again" [ "$job" -gt 5 ]
until_true 20 job_over "$job"

# --- order and cancelling
submit sim-1 $long $good
running=$job
until_true 10 job_is "$running" running
submit sim-1 $good $slow --again
low=$job
submit sim-1 $good $slow --again --priority 5
high=$job
submit sim-1 $good $noisy --again
victim=$job
try rig queue
expect "rig queue" 0 "running" "queued"
check "the higher priority is listed first" \
	[ "$(rig queue | awk '$2 == "queued" { print $1; exit }')" = "$high" ]
try rig cancel "$victim"
expect "a queued job is cancelled" 0 "cancelled"
check "at once" job_is "$victim" cancelled
try rig cancel "$victim"
expect "a job that is over is not cancelled" 64 "is over"
try rig cancel 4711
expect "an unknown job" 64 "no job 4711"
until_true 30 job_over "$low"
check "the higher priority was started first" [ "$(sql "SELECT (SELECT started FROM job WHERE id =
	$high) < (SELECT started FROM job WHERE id = $low)" | tail -n 1)" = 1 ]

submit sim-2 $endless $good
until_true 10 job_is "$job" running
rig cancel "$job" >/dev/null
check "a running job is cancelled" until_true 20 job_is "$job" cancelled
check "and leaves its board off" all_off
check "and its board free" until_true 5 board_is sim-2 safe
check "its journal says whose wish it was" grep -q '"blame":"USER","code":"cancelled"' \
	"$RIG_HOME/runs/$(rig queue "$job" | sed -n 's/^session *//p')/events.jsonl"

rig submit "$tiny" --board sim-2 --baseline $endless --candidate $slow --wait \
	>"$work/out" 2>"$work/msg" </dev/null &
waiter=$!
until_true 10 grep -q "session" "$work/msg"
kill -INT $waiter
wait $waiter
code=$?
expect "Ctrl-C of --wait cancels the job: exit 3" 3 "cancelling job" "cancelled"
check "nothing is left running" all_off

submit sim-2 $endless $slow --again
shared=$job
until_true 10 job_is "$shared" running
rig submit "$tiny" --board sim-2 --baseline $endless --candidate $slow --wait \
	>"$work/out" 2>"$work/msg" </dev/null &
waiter=$!
until_true 10 grep -q "is the same work" "$work/msg"
kill -INT $waiter
wait $waiter
code=$?
expect "Ctrl-C of one who waits for another's job: he leaves" 3 "goes on"
check "and the job goes on" job_is "$shared" running
rig cancel "$shared" >/dev/null
until_true 20 job_over "$shared"

# --- leases and holds
try rig lease take sim-2
expect "a lease needs a reason" 64 "--reason is missing"
try rig lease take sim-2 --reason "measuring its supply"
expect "a lease" 0
lease=$out
check "the keeper of its console can read it" grep -q "^$(id -u) .* $(id -un)" "$RIG_HOME/boards/sim-2.lease"
try rig lease
expect "rig lease lists it" 0 "sim-2" "measuring its supply" "$(id -un)"
try rig lease take sim-2 --reason "me too"
expect "one lease a board" 64 "leased by" "measuring its supply"
submit sim-2 $good $same --again
check "no job starts on a leased board" job_is "$job" queued
try rig run "$tiny" --board sim-2 --baseline $good --candidate $same
expect "rig run does not fight" 64 "leased by"
rig lease renew "$lease"
rig lease release "$lease"
check "and is told when it is over" [ ! -e "$RIG_HOME/boards/sim-2.lease" ]
check "released, it is used" until_true 20 job_over "$job"
try rig lease release "$lease"
expect "a lease that is over" 64 "no lease $lease"
try rig run "$tiny" --board sim-2 --baseline $good --candidate $same
expect "rig run beside the daemon takes a lease" 0 "PASS"
check "which is in the audit" grep -q "lease .*for 150 s: .*tiny" <(rig audit "board sim-2" -n 1000)
check "and gives it back" [ "$(rig lease)" = "no leases" ]

try rig boards --drain sim-2 --reason "new cable"
expect "a board is drained" 0
check "and says so" board_is sim-2 "drained \(new cable\)"
submit sim-2 $good $same --again
until_true 2 false
check "no job starts on it" job_is "$job" queued
try rig boards --resume sim-2
expect "it comes back" 0
check "and is used" until_true 20 job_over "$job"

# --- reload
sim_lab 3
kill -HUP "$rigd_pid"
check "SIGHUP: a new board comes" until_true 10 board_is sim-3 safe
echo "nonsense: 1" >>"$RIG_HOME/lab.yaml"
kill -HUP "$rigd_pid"
check "SIGHUP: a mistake changes nothing" until_true 10 grep -q "stays as it was: .*lab.yaml:5" "$work/rigd.log"
sim_lab 3

# --- another daemon
submit sim-1 $long $good --again
until_true 10 job_is "$job" running
kill_rigd TERM
check "SIGTERM leaves the job alone" grep -q rig-job <(ours)
start_rigd
check "the next daemon takes it over" until_true 30 job_over "$job"
check "and judges it" [ "$(job_verdict "$job")" = PASS ]
submit sim-1 $long $good --again
until_true 10 job_is "$job" running
kill_rigd KILL
start_rigd
check "killed with -9: the same" until_true 30 job_over "$job"
check "and judges it all the same" [ "$(job_verdict "$job")" = PASS ]
check "it ran once" [ "$(sql "SELECT count(*) FROM audit WHERE object = 'job $job' AND verb = 'running'" | tail -n 1)" = 1 ]

# who waits is not told that it is lost
rig submit "$tiny" --board sim-1 --baseline $long --candidate $slow --again --wait --report "$work/r.xml" \
	>"$work/out" 2>"$work/msg" </dev/null &
waiter=$!
until_true 20 grep -q "visit 1" "$work/msg"
kill_rigd KILL
until_true 10 grep -q "rigd is away" "$work/msg"
start_rigd
wait $waiter
code=$?
expect "--wait survives the daemon" 1 "is not lost" "done, FAIL"
check "and writes its report" grep -q "<testsuite" "$work/r.xml"

submit sim-1 $endless $good --again
until_true 10 job_is "$job" running
session=$(rig queue "$job" | sed -n 's/^session *//p')
kill_rigd KILL
kill -9 "$(cat "$RIG_HOME/runs/$session/lock")"
submit_later=$job
start_rigd
check "killed with its job: it ends as INVALID" until_true 10 job_is "$submit_later" "done"
check "blamed on the rig" grep -q '"blame":"RIG","code":"job-lost"' "$RIG_HOME/runs/$session/events.jsonl"
check "with its board safe" until_true 10 board_is sim-1 safe
check "and nothing running" all_off

submit sim-1 $endless $good --again
until_true 10 job_is "$job" running
kill -9 "$(cat "$RIG_HOME/runs/$(rig queue "$job" | sed -n 's/^session *//p')/lock")"
check "a job that is killed ends as INVALID" until_true 10 job_is "$job" "done"
check "so it says" [ "$(job_verdict "$job")" = INVALID ]
check "its board is free again" until_true 10 board_is sim-1 safe
check "nothing of it runs" all_off

# --- a board in other hands
exec 9>"$RIG_HOME/boards/sim-3.lock"
flock 9
submit sim-3 $good $same --again
check "a locked board: the job waits" until_true 10 grep -q "queued again" "$work/rigd.log"
flock -u 9
check "and runs when it is free" until_true 30 job_over "$job"
check "to its verdict" [ "$(job_verdict "$job")" = PASS ]

try rig top --once
expect "rig top" 0 "sim-1" "0 queued, 0 run"
try rig audit -u "$(id -un)" -n 5
expect "rig audit" 0 "submit"
stop_rigd
check "SIGTERM ends it" [ -z "$(ours)" ]
finish
