#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig calibrate, rig gate of two kernels and rig compare, by made-up sessions: what is computed,
# used, joined, left out and refused, with the exit codes.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || { skip "calibrate" "no python3"; exit 0; }

# make.py DIR NAME STARTED KERNELS EFFECT SEED [key=value...]: a session of 4 pairs in mirrored order.
# KERNELS are "a,b": equal names are one build. EFFECT is that of the second one.
cat >"$work/make.py" <<'PY'
import json, os, random, sys
top, name, started, kernels, effect, seed = sys.argv[1:7]
more = dict(a.split("=", 1) for a in sys.argv[7:])
kernels = kernels.split(",")
noise = random.Random(int(seed))
ids = ["%016x" % (0xabcdef000000 + sum(map(ord, k))) for k in kernels]
labels = [k if kernels.index(k) == i else k + "#2" for i, k in enumerate(kernels)]
os.makedirs(top)
json.dump({"format": 1, "session": name, "started": started, "host": "lab",
           "kernels": [{"label": l, "id": i, "series": "ufs-irq", "variant": k, "release": "6.12-" + i[-4:]}
                       for l, i, k in zip(labels, ids, kernels)],
           "suite": {"name": "ufs-irq", "hash": os.environ["SUITE_HASH"], "profile": "quick"},
           "board": {"name": more.get("board", "virt-ufs"), "serial": more.get("board", "virt-ufs"),
                     "model": "virt-ufs", "setup": os.environ["SETUP"]},
           "plan": {"pairs": {"min": 4, "max": 12},
                    "metrics": [{"workload": w, "metric": "iops", "unit": "IOPS", "direction": "higher",
                                 "primary": True} for w in ("w1", "w2")]}},
          open(top + "/session.json", "w"))
with open(top + "/events.jsonl", "w") as events:
    def event(ev, **keys):
        events.write(json.dumps({"t": started, "mono_ms": 1, "ev": ev, **keys}) + "\n")
    order = [k for pair in range(4) for k in ((0, 1) if pair % 2 == 0 else (1, 0))]
    if "blocks" in more:
        order.sort()
    for v, k in enumerate(order[:1] if len(kernels) == 1 else order):
        d = "v%d" % v
        pair = order[:v + 1].count(k)
        event("visit-start", visit=v, kernel=k, pair=pair, dir=d)
        event("agent-hello", visit=v, boot_ms=900, release="6.12-" + ids[k][-4:])
        for step, w in enumerate(("w1", "w2")):
            os.makedirs("%s/%s/%d" % (top, d, step))
            event("step-start", visit=v, step=step, kind="fio", workload=w, dir="%s/%d" % (d, step))
            value = 5000 * (float(effect) if k else 1) * noise.gauss(1, 0.01)
            json.dump({"fio version": "fio-3.33", "jobs": [{"jobname": "x", "error": 0, "read": {
                "io_bytes": int(value * 8192), "iops": value, "bw_bytes": int(value * 4096),
                "runtime": 2000, "total_ios": int(value * 2)}}]},
                open("%s/%s/%d/fio.json" % (top, d, step), "w"))
            event("step-end", visit=v, step=step, status="ok")
        json.dump({"boot_id": "%s-%d" % (name, v), "tools": {"fio": more.get("fio", "fio-3.33")}},
                  open("%s/%s/fingerprint.json" % (top, d), "w"))
        event("visit-end", visit=v, result="ok")
    event("session-end", result="enough")
PY
SUITE_HASH=$(sha256sum suites/ufs-irq.yaml | cut -d' ' -f1)
# the built-in lab's row
SETUP=$(printf '%s\n' type=virt-ufs cpus=1 memory_mb=512 accel=tcg ufs_mb=256 luns=1 mcq=false \
	backing=null; echo x)
SETUP=${SETUP%x}
export SUITE_HASH SETUP

n=0
# session STARTED KERNELS EFFECT SEED [key=value...]: made, imported, judged; its name in $name
session() {
	n=$((n + 1))
	name=$(printf '20261130-1500%02d-ufs-irq-%06d' $n $n)
	python3 "$work/make.py" "$work/runs/$name" "$name" "$@" &&
		rig import "$work/runs/$name" >/dev/null 2>"$work/import"
	rig gate "$name" >/dev/null 2>&1
}
past=2026-01-02T03:04:05.000Z
later=2096-01-02T03:04:05.000Z

try rig calibrate; expect "nothing stored yet" 64 "no results yet"
try rig calibrate --suite ufs-irq; expect "a suite needs a board" 64 "--board is missing"
try rig calibrate --stored; expect "what is stored of which suite?" 64 "--suite is missing"
try rig calibrate --format xml; expect "wrong format" 64 "neither 'text' nor 'json'"

session $past original,original 1 1
CAL=(rig calibrate --board virt-ufs --suite ufs-irq --quick --stored)
try "${CAL[@]}" --dry-run; expect "one A/A session" 0 "from 1 session" "false alarms: 0 of 1" "w1"
try rig calibrate; expect "a dry run stores nothing" 0 "STATE"
check "no row" [ "$(wc -l <"$work/out")" = 1 ]
try rig calibrate --board other --suite ufs-irq --quick --stored
expect "no A/A session there" 64 "no stored session compares a kernel with itself"
session $past original,original 1 2
session $past original,original 1 3 fio=fio-3.40
session $past original,original 1 4
try "${CAL[@]}"
expect "the newest set-up counts, others are named" 0 "from 3 sessions" "left out: " \
	"tools.fio: fio-3.33 / fio-3.40" "Kolmogorov-Smirnov" "0 of 3 judged"
try rig calibrate --format json
expect "as JSON" 0 '"sessions":3' '"state":"holds"' '"workload":"w2"'
check "JSON is JSON" python3 -c 'import json,sys; json.load(sys.stdin)' <"$work/out"
try rig calibrate; expect "it holds" 0 "holds"
printf 'boards:\n  - {name: virt-ufs, type: virt-ufs, cpus: 2}\n' >"$work/lab.yaml"
try rig calibrate --lab "$work/lab.yaml"
expect "another lab row" 0 "holds no more: cpus: 1 / 2"

session $past original,slow 0.93 5
try rig gate "$name"; expect "a session before it has no prior" 1 "variance: of these pairs alone"
session $later original,slow 0.93 5
try rig gate "$name"; expect "a session after it has one" 1 "variance: borrowed, d0 = "
try rig gate --replay "$name"; expect "replayed with the prior" 0 "bit for bit"
kept=$name
try rig calibrate --withdraw "new cable"; expect "withdrawn" 0 "1 calibration withdrawn: new cable"
try rig calibrate; expect "and listed so" 0 "holds no more: withdrawn: new cable"
session $later original,slow 0.93 6
try rig gate "$name"; expect "withdrawn: no prior any more" 1 "variance: of these pairs alone"
try rig gate --replay "$kept"; expect "what was judged with it is replayed with it" 0 "bit for bit"
rig import "$work/runs/$kept" >/dev/null
try rig gate --replay "$kept"; expect "also when it is imported again" 0 "bit for bit"

GATE=(rig gate --suite ufs-irq --board virt-ufs)
try "${GATE[@]}" --baseline original; expect "one kernel is not two" 64 "go together"
try "${GATE[@]}" --baseline original --candidate slow x; expect "a session and kernels" 64 "either"
try "${GATE[@]}" --baseline original --candidate slow
expect "three sessions joined" 1 "3 sessions, joined: " "at 12 pairs" "ufs-irq:slow, build"
try "${GATE[@]}" --baseline slow --candidate original
expect "and the other way round" 0 "PASS" "faster: w1"
try "${GATE[@]}" --baseline original --candidate sloww; expect "unknown kernel" 64 "'sloww'"
session $past original,fast 1.1 7
try "${GATE[@]}" --baseline slow --candidate fast
expect "never in one session" 3 "INVALID" "never took turns in one session"
session $past original,blocky 0.9 8 blocks=1
try "${GATE[@]}" --baseline original --candidate blocky
expect "not interleaved" 3 "INVALID" "times in a row"

session $past original,slow 1.1 9 board=sm8650
try rig compare original slow
expect "each board for itself" 1 "virt-ufs: slow is slower on w1, w2" "sm8650: slow is faster on w1, w2"
try rig compare original slow --board sm8650; expect "one board" 0 "sm8650: slow is faster"
check "and no other" [ -z "$(grep virt-ufs "$work/out")" ]
try rig compare original slow --format csv
expect "CSV" 1 "board,suite,profile" "sm8650,ufs-irq,quick,original,slow,w2,"
try rig compare original slow --format json
expect "JSON" 1 '"candidate": "is slower on w1, w2"'
check "which is JSON" python3 -c 'import json,sys; json.load(sys.stdin)' <"$work/out"
try rig compare original slow --board pixel6; expect "a board that ran neither" 64 "on pixel6"
try rig compare original; expect "one kernel" 64 "usage: rig compare"
finish
