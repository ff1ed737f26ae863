#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig-job alone, without supervisor and store, on the real virt-ufs: a good session, Ctrl-C, a
# killed QEMU, a killed job, a busy board, a full disk.
#   RIG_JOB_KILLS=N   random kill -9 of each kind (default 2)
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original
entry=$(rig kernel build --board virt-ufs ufs-irq:original 2>/dev/null)
id=$(basename "$entry")
kills=${RIG_JOB_KILLS:-2}
RANDOM=${RIG_SEED:-$RANDOM}
state=$RIG_HOME/boards/virt-ufs.state

# plan FILE PAIRS: an A/A plan with one short workload.
plan() {
	local k='"series":"ufs-irq","variant":"original","id":"'$id'","entry":"'$entry'","cmdline":""'
	local setup='"timeout_ms":20000,"pause_ms":0,"args":[]'
	cat >"$1" <<-END
	{"format":1,
	 "suite":{"name":"job","hash":"$(printf '%064d' 0)","profile":"","notes":[]},
	 "board":"virt-ufs",
	 "kernels":[{"label":"a",$k},{"label":"b",$k}],
	 "pairs":{"fixed":$2,"min":1,"max":9},"warmup":0,
	 "steps":[{"kind":"tune",$setup},{"kind":"fingerprint",$setup},
	  {"kind":"fio","workload":"randread/1","target":"ufs:0","timeout_ms":20000,"pause_ms":0,
	   "args":["--name=r","--rw=randread","--ioengine=libaio","--direct=1","--bs=4k","--size=32m",
	   "--runtime=1","--time_based","--filename={target}"]},
	  {"kind":"dmesg",$setup},{"kind":"untune",$setup}],
	 "metrics":[]}
	END
}

# run NAME [PAIRS]: starts a job in the background; $job is its pid, $dir its run directory.
run() {
	dir=$RIG_HOME/runs/$1
	plan "$work/plan.json" "${2:-1}"
	rig-job --plan "$work/plan.json" --dir "$dir" >"$work/out" 2>"$work/msg" </dev/null &
	job=$!
}
events() { grep -c "\"ev\":\"$1\"" "$dir/events.jsonl"; }
has() { grep -qs -- "$1" "$dir/events.jsonl"; }
qemu_pid() { cut -d' ' -f1 "$state" 2>/dev/null; }
no_process() { [ -z "$(ours)" ]; }
# A keeper of the console that lost its job ends as soon as the board is off.
nothing_left() { until_true 5 no_process && [ ! -e "$state" ]; }
# Whole lines only, but for a last one that is torn; no temporary files.
is_whole() {
	[ -z "$(find "$dir" -name '*.??????' -type f)" ] && python3 - "$dir/events.jsonl" <<-'END'
	import json, sys
	for line in open(sys.argv[1], "rb").read().split(b"\n")[:-1]:
	    json.loads(line)
	END
}

run good
wait $job
code=$?
check "a session of one pair ends with 0" [ $code = 0 ]
check "two visits, ten steps, one end" [ "$(events visit-end),$(events step-end),$(events session-end)" = 2,10,1 ]
check "fio's numbers are there" grep -q '"iops"' "$dir"/visits/002-b/steps/02-randread_1/fio.json
check "the console is recorded from its first byte" grep -qa 'Linux version' "$dir/visits/001-a/console.log"
check "the index is numbers" [ -z "$(grep -vE '^[0-9]+ [0-9]+$' "$dir/visits/001-a/console.idx")" ]
check "nothing is left running" nothing_left

run interrupted 4
until_true 30 has agent-hello
try rig-job --plan "$work/plan.json" --dir "$RIG_HOME/runs/second"
expect "a second job on the same board is refused" 3 "in use by process $job"
kill -INT $job
wait $job
code=$?
check "Ctrl-C: exit 3" [ $code = 3 ]
check "Ctrl-C: blamed on the user, ended as cancelled" has '"result":"cancelled"'
check "Ctrl-C: the visit was ended, the board is off" [ "$(events power-off)" = "$(events visit-start)" ]
check "Ctrl-C: nothing is left running" nothing_left

for i in $(seq "$kills"); do
	delay=$((RANDOM % 4)).$((RANDOM % 100))
	run "qemu-$i" 4
	until_true 30 has power-on
	sleep "$delay"
	until_true 30 test -e "$state"
	kill -9 "$(qemu_pid)"
	wait $job
	code=$?
	check "QEMU killed after $delay s: exit 3" [ $code = 3 ]
	check "QEMU killed after $delay s: qemu-died, BOARD, signal 9" has \
		'"blame":"BOARD","code":"qemu-died","message":".*signal 9'
	check "QEMU killed after $delay s: the session was ended" has session-end
	check "QEMU killed after $delay s: the run directory is whole" is_whole
	check "QEMU killed after $delay s: nothing is left running" nothing_left

	delay=$((RANDOM % 4)).$((RANDOM % 100))
	run "job-$i" 4
	until_true 30 has session-start
	sleep "$delay"
	kill -9 $job
	wait $job 2>/dev/null
	check "job killed after $delay s: no QEMU left" until_true 5 no_process
	check "job killed after $delay s: the run directory is whole" is_whole
	try rig-job --safe --plan "$work/plan.json"
	expect "job killed after $delay s: made safe" 0
	check "job killed after $delay s: the board is off" nothing_left
done

run after
wait $job
check "the next session works" has '"result":"complete"'

if [ "$(id -u)" = 0 ] && mkdir -p "$work/small" && mount -t tmpfs -o size=400k tmpfs "$work/small"; then
	home=$RIG_HOME
	export RIG_HOME=$work/small
	run full 9
	wait $job
	code=$?
	check "full disk: exit 3" [ $code = 3 ]
	check "full disk: the journal says so" has '"blame":"RIG","code":"disk-full"'
	check "full disk: the session was ended" has '"ev":"session-end","result":"fault"'
	check "full disk: nothing is left running" nothing_left
	export RIG_HOME=$home
else
	skip "full disk" "no right to mount a tmpfs"
fi

mkdir -p "$work/bin"
try env PATH="$work/bin" "$root/build/bin/rig-job" --plan "$work/plan.json" --dir "$work/none"
expect "without QEMU" 3 "qemu-system-aarch64 is not installed" "make setup"
finish
