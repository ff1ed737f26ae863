#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig query and rig db: formats, what is refused, backup, retention.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

try rig query 'SELECT 1'; expect "no database yet" 64 "no results"
try rig db stats; expect "nothing to measure" 64 "no results"

# A session of one visit, imported as anybody would.
run=$work/20200101-000000-x-000001
mkdir -p "$run/v/s"
printf '%s' '{"format": 1, "session": "20200101-000000-x-000001", "started":
	"2020-01-01T00:00:00Z", "kernels": [{"label": "a", "id": "1"}], "suite": {"name": "x"},
	"board": {"name": "b"}, "plan": {}}' >"$run/session.json"
event() { printf '{"t": "2020-01-01T00:00:01Z", "ev": "%s"%s}\n' "$1" "$2" >>"$run/events.jsonl"; }
event visit-start ', "visit": 1, "kernel": 0, "pair": 1, "dir": "v"'
event step-start ', "visit": 1, "step": 0, "kind": "x", "workload": "w", "dir": "v/s"'
printf '%s\n' '{"name": "m", "value": 1.5}' '{"name": "n", "value": 2}' >"$run/v/s/metrics.jsonl"
event step-end ', "visit": 1, "step": 0, "status": "ok"'
event visit-end ', "visit": 1, "result": "ok"'
event session-end ', "result": "enough"'
rig import "$run" >/dev/null

all="SELECT metric, value, NULL AS none FROM v_sample ORDER BY metric"
try rig query "$all"
expect "a table" 0 "metric  value  none" "m         1.5" "n           2"
try rig query --format csv "$all"
check "csv" [ "$out" = "$(printf 'metric,value,none\nm,1.5,\nn,2,')" ]
check "json" python3 -c 'import json, sys
assert json.load(sys.stdin) == [{"metric": "m", "value": 1.5, "none": None},
	{"metric": "n", "value": 2.0, "none": None}]' < <(rig query --format json "$all")
check "json of nothing" [ "$(rig query --format json 'SELECT 1 AS x WHERE 0')" = "[]" ]
echo "SELECT 40 + 2 AS answer" >"$work/q.sql"
try rig query -f "$work/q.sql"; expect "from a file" 0 "42"
check "from the standard input" [ "$(rig query -f - --format csv <"$work/q.sql" | tail -n 1)" = 42 ]
try rig query --schema; expect "the schema" 0 "CREATE TABLE sample" "CREATE VIEW v_point"
try rig query "SELECT valu FROM v_sample"; expect "a wrong name" 64 "line 1, column 8" "valu"
try rig query "DELETE FROM session"; expect "writing is refused" 64 "only SELECT"
try rig query --timeout 1 "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c)
	SELECT count(*) FROM c"
expect "a query without end" 64 "--timeout"
try rig query; expect "nothing asked" 64 "--schema"
try rig query "SELECT 1" --schema; expect "two things asked" 64 "either"
try rig query "SELECT 1" --format xml; expect "no such format" 64 "xml" "json"
try rig query -f "$work/absent"; expect "no such file" 64 "absent"

try rig db check; expect "check" 0 "ok"
try rig db stats; expect "stats" 0 "1 sessions from 2020-01-01" "sample"
try rig db backup "$work/copy.db"; expect "backup" 0
mkdir "$work/restored" && cp "$work/copy.db" "$work/restored/results.db"
check "the copy is a database" [ "$(RIG_HOME=$work/restored rig query --format csv \
	"SELECT count(*) FROM sample" | tail -n 1)" = 2 ]
try rig db backup "$work/copy.db"; expect "no backup over a file" 64 "there already"
try rig db backup; expect "backup to where?" 64 "which file"
try rig db frob; expect "unknown verb" 64 "check, backup, prune, stats"
try rig db prune; expect "prune needs days" 64 "--keep-raw"
try rig db prune -k 365 -n; expect "would be pruned" 0 "would be: 2 samples of 1 sessions"
try rig db prune -k 365 -s other; expect "another suite" 0 "0 samples of 0 sessions"
check "all is there" [ "$(rig query --format csv "SELECT count(*) FROM sample" | tail -n 1)" = 2 ]
try rig db prune -k 365 --compact; expect "pruned" 0 "2 samples of 1 sessions"
check "samples are gone" [ "$(rig query --format csv "SELECT count(*) FROM sample" | tail -n 1)" = 0 ]
check "points stay" [ "$(rig query --format csv "SELECT count(*) FROM v_point" | tail -n 1)" = 2 ]
try rig gate 2020; expect "no verdict from nothing" 64 "rig db prune" "imported again"
try rig db check; expect "still sound" 0 "ok"
try rig import "$run"; try rig gate 2020; expect "imported again" 0 "measured"

python3 - "$RIG_HOME/results.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE point SET mean = 7")
db.commit()
PY
try rig db check; expect "a changed row is found" 3 "2 points are not what its samples give"

finish
