#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the agent costs: its size, and its CPU time and wake-ups on the DUT while fio runs, from a
# session of RIG_PAIRS (4) pairs on virt-ufs.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original

printf '%-10s %10s %s\n' arch bytes 'static binary'
for agent in build/bin/rig-agent-*; do
	printf '%-10s %10d %s\n' "${agent##*-}" "$(stat -c %s "$agent")" "$agent"
done
rig run "$tiny" --board virt-ufs --pairs "${RIG_PAIRS:-4}" --baseline original \
	--candidate original >"$work/out" 2>&1 || [ $? -lt 3 ] || { cat "$work/out"; exit 3; }
cp "$(newest_run)/events.jsonl" "${RIG_BENCH_OUT:-$work}/agent-events.jsonl"
python3 - "$(newest_run)/events.jsonl" <<'EOF'
import json, statistics, sys
events = [json.loads(line) for line in open(sys.argv[1])]
steps = [e for e in events if e["ev"] == "step-end" and e["kind"] == "fio"]
wire = [e["wire"] for e in events if e["ev"] == "visit-end" and "wire" in e]
cpu = [e["agent_cpu_ns"] / 1e6 for e in steps]
print(f"{len(steps)} fio steps of {statistics.median(e['duration_ns'] for e in steps) / 1e9:.2f} s:"
      f" agent wake-ups {sum(e['agent_wakeups'] for e in steps)},"
      f" CPU {statistics.median(cpu):.2f} ms (median), {max(cpu):.2f} ms (most)")
print(f"wire: {sum(w['frames_in'] for w in wire)} frames in,"
      f" {sum(w['frames_again'] for w in wire)} sent again,"
      f" {sum(w['frames_broken'] for w in wire)} broken,"
      f" {sum(w['bytes_in'] for w in wire) / len(wire):.0f} bytes of console a visit")
EOF
