#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 in the middle of an import, 50 times: the database is sound and holds one whole version
# of the session or the other, and the next import completes.
#   KILLS=N (50)  SEED=N (4711)
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

command -v python3 >/dev/null || { skip "kill during import" "no python3"; exit 0; }
RANDOM=${SEED:-4711}
name=20261130-150000-kill-0000aa

# run_dir DIR VISITS: that session with so many visits of four steps of 200 numbers
cat >"$work/make.py" <<'PY'
import json, os, sys
top, name, visits = sys.argv[1], sys.argv[2], int(sys.argv[3])
kernels = [{"label": l, "id": "%016x" % i, "series": "s", "variant": l, "release": "6.12"}
           for i, l in enumerate(["original", "threaded"])]
os.makedirs(top)
json.dump({"format": 1, "session": name, "started": "2026-11-30T15:00:00.000Z", "kernels": kernels,
           "suite": {"name": "kill"}, "board": {"name": "b"}, "plan": {}},
          open(top + "/session.json", "w"))
with open(top + "/events.jsonl", "w") as events:
    def event(ev, **keys):
        events.write(json.dumps({"t": "2026-11-30T15:00:01.000Z", "mono_ms": 1, "ev": ev, **keys}) + "\n")
    for v in range(1, visits + 1):
        event("visit-start", visit=v, kernel=v % 2, pair=(v + 1) // 2, dir="v%d" % v)
        for step in range(4):
            d = "v%d/%d" % (v, step)
            os.makedirs(top + "/" + d)
            event("step-start", visit=v, step=step, kind="x", workload="w%d" % step, dir=d)
            with open("%s/%s/metrics.jsonl" % (top, d), "w") as f:
                for m in range(200):
                    f.write(json.dumps({"name": "m%d" % m, "value": v * 1000 + m + 0.5}) + "\n")
            event("step-end", visit=v, step=step, status="ok")
        event("visit-end", visit=v, result="ok")
    event("session-end", result="enough")
PY
# Prints "ok VISITS SAMPLES POINTS", or what is wrong.
cat >"$work/look.py" <<'PY'
import os, sqlite3, sys
if not os.path.exists(sys.argv[1]): print("ok 0 0 0"); sys.exit()
db = sqlite3.connect(sys.argv[1])
one = lambda sql: db.execute(sql).fetchone()[0]
state = one("PRAGMA integrity_check")
if db.execute("PRAGMA foreign_key_check").fetchall(): state = "foreign keys"
if not one("SELECT count(*) FROM sqlite_schema"): print(state, "0 0 0"); sys.exit()
print(state, *(one("SELECT count(*) FROM " + t) for t in ("boot", "sample", "point")))
PY
python3 "$work/make.py" "$work/small" "$name" 6
python3 "$work/make.py" "$work/large" "$name" 12
db=$RIG_HOME/results.db
small="ok 6 4800 1600" large="ok 12 9600 1600" none="ok 0 0 0"

begin=$(date +%s%N)
try rig import "$work/large"; expect "the import itself" 0 "$name: 12 visits"
whole_us=$((($(date +%s%N) - begin) / 1000))
check "is whole" [ "$(python3 "$work/look.py" "$db")" = "$large" ]

killed=0 torn=0 lost=0
declare -A seen=()
for ((i = 0; killed < ${KILLS:-50} && i < 200; i++)); do
	# a new database now and then: its creation is killed too
	((i % 10)) || rm -f "$db" "$db"-*
	run=$work/small
	((i % 2)) && run=$work/large
	rig import "$run" >/dev/null 2>&1 &
	pid=$!
	sleep "$(printf '0.%06d' $((RANDOM * 32768 % whole_us + RANDOM % 1000)))"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	# ended before: the next one is looked for earlier
	if [ $? = 137 ]; then killed=$((killed + 1)); else whole_us=$((whole_us * 9 / 10)); fi
	state=$(python3 "$work/look.py" "$db")
	seen[$state]=$((${seen[$state]:-0} + 1))
	case $state in
	"$small" | "$large" | "$none") ;;
	*) torn=$((torn + 1)); echo "kill $i left: $state" ;;
	esac
	if ((i % 5 == 4)); then
		rig import "$run" >/dev/null 2>&1
		want=$small
		((i % 2)) && want=$large
		[ "$(python3 "$work/look.py" "$db")" = "$want" ] || lost=$((lost + 1))
	fi
done
for state in "${!seen[@]}"; do echo "after a kill: $state: ${seen[$state]} times"; done
echo "$killed of $i were killed while they ran"
check "${KILLS:-50} were killed in time" [ "$killed" = "${KILLS:-50}" ]
check "no database is damaged, no session is half there" [ "$torn" = 0 ]
check "the next import completes" [ "$lost" = 0 ]
# the last kill may have come before there was a table
rig import "$run" >/dev/null 2>&1
try rig db check; expect "rig db check agrees" 0 "ok"

finish
