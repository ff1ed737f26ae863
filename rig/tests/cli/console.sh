#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The console keeper with a real rig-job on virt-ufs, whose QEMU is a fake: readers that come, go
# and hang, a keeper that is killed, a job that is killed.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
[ -x build/fakes/fake-qemu ] || { echo "skip console: no build/fakes/fake-qemu; run 'make fakes'"; exit 0; }

entry=$RIG_HOME/kernels/0123456789abcdef
mkdir -p "$entry"
printf '6.12.0-fake' >"$entry/Image"
printf 'image=Image\nrelease=6.12.0-fake\nboard=virt-ufs\narch=arm64\n' >"$entry/manifest"
cat >"$RIG_HOME/lab.yaml" <<END
boards:
- {name: v, type: virt-ufs, qemu: $root/build/fakes/fake-qemu}
END

# run NAME PAIRS STEP-MS: a job in the background; $job is its pid, $dir its run directory.
run() {
	local k='"series":"s","variant":"a","id":"0123456789abcdef","entry":"'$entry'"'
	k="$k,\"cmdline\":\"fake=numbers fake-step-ms=$3\""
	dir=$RIG_HOME/runs/$1
	cat >"$work/plan.json" <<-END
	{"format":1,
	 "suite":{"name":"console","hash":"$(printf '%064d' 0)","profile":"","notes":[]},
	 "board":"v",
	 "kernels":[{"label":"a",$k},{"label":"b",$k}],
	 "pairs":{"fixed":$2,"min":1,"max":9},"warmup":0,
	 "steps":[{"kind":"fio","workload":"w","target":"ufs:0","timeout_ms":60000,"pause_ms":0,
	           "args":["--name=x"]}],
	 "metrics":[]}
	END
	rig-job --plan "$work/plan.json" --dir "$dir" >"$work/job-out" 2>"$work/job-msg" </dev/null &
	job=$!
}
has() { grep -qs -- "$1" "$dir/events.jsonl"; }
# The processes that this test started and that still live: they carry its $RIG_HOME.
ours() {
	local p
	for p in /proc/[0-9]*; do
		grep -qzxF "RIG_HOME=$RIG_HOME" "$p/environ" 2>/dev/null || continue
		case $(cat "$p/comm" 2>/dev/null) in
		fake-qemu | rig-job | rig-console) echo "${p#/proc/} $(cat "$p/comm")" ;;
		esac
	done
}
keeper() { ours | sed -n 's/ rig-console$//p'; }
no_process() { [ -z "$(ours)" ]; }

run watched 2 1500
until_true 30 has power-on
rig console v --until 'Linux version' --for 60 >"$work/seen" 2>"$work/seen.msg"
code=$?
check "rig console attaches to a running job and sees its kernel" [ $code = 0 ]
check "what it saw is what the kernel said" grep -qa 'Linux version' "$work/seen"
try rig console v --write --for 1
expect "typing into a job is refused" 64 "a lease lets you type"
try rig console v --power off
expect "a job's board is not switched" 64 "nothing switches"
# a reader that does not read at all
# shellcheck disable=SC2216 # it is to read nothing
rig console v --for 300 2>/dev/null | sleep 300 &
hung=$!
wait $job
code=$?
check "the job ends with 0, whoever reads" [ $code = 0 ]
kill $hung
check "its keeper ends with it" until_true 10 no_process
check "all consoles are on disk from their first byte" \
	[ "$(grep -la 'Linux version' "$dir"/visits/*/console.log | wc -l)" = 4 ]
check "their indexes are numbers" [ -z "$(cat "$dir"/visits/*/console.idx | grep -vE '^[0-9]+ [0-9]+$')" ]
check "nothing happened to the stream" [ "$(grep -c '"gaps": *0' "$dir/events.jsonl")" = 4 ]
try rig console v --for 1
expect "without a job there is no console" 64 "while a job runs on it"

run killed 2 30000
until_true 30 has agent-hello
kill -9 "$(keeper)"
wait $job
code=$?
check "keeper killed: exit 3" [ $code = 3 ]
check "keeper killed: blamed on the rig" has '"blame": *"RIG", *"code": *"keeper-lost"'
check "keeper killed: the session was ended" has session-end
check "keeper killed: nothing is left running" until_true 10 no_process
check "keeper killed: the board is off" [ ! -e "$RIG_HOME/boards/v.state" ]

run orphan 2 30000
until_true 30 has agent-hello
kill -9 $job
wait $job 2>/dev/null
check "job killed: its keeper ends when the board is off" until_true 10 no_process

run after 1 10
wait $job
code=$?
check "the next session works" [ $code = 0 ]
finish
