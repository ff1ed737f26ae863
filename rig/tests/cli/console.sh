#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The console keeper with a real job on virt-ufs: readers that come, go and hang, a keeper that is
# killed, a job that is killed.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original
entry=$(rig kernel build --board virt-ufs ufs-irq:original 2>/dev/null)
id=$(basename "$entry")

# run NAME PAIRS: a job in the background that boots and says hello; $job is its pid, $dir its run
# directory.
run() {
	local k='"series":"ufs-irq","variant":"original","id":"'$id'","entry":"'$entry'","cmdline":""'
	dir=$RIG_HOME/runs/$1
	cat >"$work/plan.json" <<-END
	{"format":1,
	 "suite":{"name":"console","hash":"$(printf '%064d' 0)","profile":"","notes":[]},
	 "board":"virt-ufs",
	 "kernels":[{"label":"a",$k},{"label":"b",$k}],
	 "pairs":{"fixed":$2,"min":1,"max":9},"warmup":0,
	 "steps":[{"kind":"dmesg","timeout_ms":20000,"pause_ms":0,"args":[]}],
	 "metrics":[]}
	END
	rig-job --plan "$work/plan.json" --dir "$dir" >"$work/out" 2>"$work/msg" </dev/null &
	job=$!
}
has() { grep -qs -- "$1" "$dir/events.jsonl"; }
keeper() { ours | sed -n 's/ rig-console$//p'; }
no_process() { [ -z "$(ours)" ]; }

run watched 3
until_true 30 has power-on
rig console virt-ufs --until 'Linux version' --for 60 >"$work/seen" 2>"$work/seen.msg"
code=$?
check "rig console attaches to a running job and sees its kernel" [ $code = 0 ]
check "what it saw is what the kernel said" grep -qa 'Linux version' "$work/seen"
try rig console virt-ufs --write --for 1
expect "typing into a job is refused" 64 "a lease lets you type"
# a reader that does not read at all
rig console virt-ufs --for 300 2>/dev/null | sleep 300 &
hung=$!
wait $job
code=$?
check "the job ends with 0, whoever reads" [ $code = 0 ]
kill $hung 2>/dev/null
check "its keeper ends with it" until_true 10 no_process
check "six consoles are on disk from their first byte" \
	[ "$(grep -la 'Linux version' "$dir"/visits/*/console.log | wc -l)" = 6 ]
check "their indexes are numbers" [ -z "$(cat "$dir"/visits/*/console.idx | grep -vE '^[0-9]+ [0-9]+$')" ]
check "nothing happened to the stream" [ "$(grep -c '"gaps": *0' "$dir/events.jsonl")" = 6 ]

run killed 9
until_true 30 has agent-hello
kill -9 "$(keeper)"
wait $job
code=$?
check "keeper killed: exit 3" [ $code = 3 ]
check "keeper killed: blamed on the rig" has '"blame":"RIG","code":"keeper-lost"'
check "keeper killed: the session was ended" has session-end
check "keeper killed: nothing is left running" until_true 10 no_process
check "keeper killed: the board is off" [ ! -e "$RIG_HOME/boards/virt-ufs.state" ]

run orphan 9
until_true 30 has agent-hello
kill -9 $job
wait $job 2>/dev/null
check "job killed: its keeper ends when the board is off" until_true 10 no_process

run after 1
wait $job
code=$?
check "the next session works" [ $code = 0 ]
finish
