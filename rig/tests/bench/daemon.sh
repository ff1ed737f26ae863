#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rigd under load: 32 scripted boards (rig-job, keeper and driver are real, the machine is a
# script), 1,000 queued jobs of one pair each. Latency, CPU and memory of rigd; no job may be lost.
#   RIG_BENCH_JOBS=N RIG_BENCH_BOARDS=N
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

jobs=${RIG_BENCH_JOBS:-1000}
boards=${RIG_BENCH_BOARDS:-32}
sim_boards "$boards"
began=$(date +%s%N)
start_rigd
# shellcheck disable=SC2317	# called by until_true
safe_boards() { [ "$(rig boards | grep -cE "^sim-.* safe")" = "$boards" ]; }
until_true 60 safe_boards
echo "start            $boards boards known to be off $((($(date +%s%N) - began) / 1000000)) ms after the start"
rig run "$tiny" --board sim-1 --baseline $good -n --pairs 1 2>/dev/null |
	python3 -c '
import json, sys
p = json.load(sys.stdin)
k = {"series": "s", "variant": "v", "entry": "", "cmdline": ""}
p["kernels"] = [dict(k, label="good", id="00000000000000aa"), dict(k, label="same", id="00000000000000ab")]
json.dump(p, sys.stdout)' >"$work/plan.json"
python3 rig/tests/bench/daemon.py "$RIG_HOME/rigd.sock" "$RIG_HOME/results.db" "$work/plan.json" \
	"$jobs" "$boards"
code=$?
stop_rigd
exit $code
