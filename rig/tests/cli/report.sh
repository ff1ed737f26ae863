#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports in every format against their schemas: the golden files, which test_report holds the
# programs to. Then the options of rig report and rig sessions that need no session.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

golden=rig/tests/golden
schemas=rig/tests/schema

validate_json() { # SCHEMA FILE
	python3 -W ignore - "$@" <<'EOF'
import json, sys
import jsonschema
schema, document = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
jsonschema.Draft7Validator.check_schema(schema)
errors = list(jsonschema.Draft7Validator(schema).iter_errors(document))
for e in errors[:5]:
    print("  #", "/".join(map(str, e.absolute_path)), e.message[:200])
sys.exit(bool(errors))
EOF
}

lacks() { ! grep -nEi "$@"; }

# A schema that lets everything through would make the checks below worthless.
spoiled() { # SCHEMA FILE OLD NEW
	sed "s/$3/$4/" "$2" >"$work/spoiled.${2##*.}"
	! cmp -s "$2" "$work/spoiled.${2##*.}" || return 1
	case $2 in
	*.xml) ! xmllint --noout --schema "$1" "$work/spoiled.xml" 2>/dev/null ;;
	*) ! validate_json "$1" "$work/spoiled.json" >/dev/null ;;
	esac
}

if command -v xmllint >/dev/null; then
	for f in "$golden"/report-*.xml; do
		check "junit: ${f##*/}" xmllint --noout --nonet --schema "$schemas/junit.xsd" "$f"
	done
	for f in "$golden"/report-*.html; do
		check "html is well-formed: ${f##*/}" xmllint --noout --nonet "$f"
		check "html needs no other file: ${f##*/}" lacks 'src=|https?:|url\(|@import|<link|<script' "$f"
	done
	check "junit: a count that is none is seen" \
		spoiled "$schemas/junit.xsd" "$golden/report-undecided.xml" 'errors="0"' 'errors="x"'
	check "junit: INVALID is an error" grep -q '<error ' "$golden/report-job-lost.xml"
	check "junit: INCONCLUSIVE is skipped" grep -q '<skipped type="INCONCLUSIVE"' \
		"$golden/report-undecided.xml"
else
	skip "junit and html" "no xmllint: make setup"
fi

if python3 -c 'import jsonschema' 2>/dev/null; then
	for f in "$golden"/report-*.kcidb.json; do
		check "kcidb: ${f##*/}" validate_json "$schemas/kcidb-5.json" "$f"
	done
	for f in "$golden"/report-*.json; do
		case $f in *.kcidb.json) continue ;; esac
		check "json: ${f##*/}" validate_json results/formats/report-1.schema.json "$f"
	done
	check "json: an unknown member is seen" spoiled results/formats/report-1.schema.json \
		"$golden/report-undecided.json" '"tools"' '"tolls"'
	check "kcidb: an unknown status is seen" spoiled "$schemas/kcidb-5.json" \
		"$golden/report-undecided.kcidb.json" '"PASS"' '"GOOD"'
else
	skip "json and kcidb" "no python3-jsonschema: make setup"
fi

# csv: every line has as many fields as the first, also where names hold commas and newlines
check "csv: ${golden##*/}" python3 - "$golden"/report-*.csv <<'EOF'
import csv, sys
for name in sys.argv[1:]:
    rows = list(csv.reader(open(name, newline="", encoding="utf-8"), strict=True))
    assert len(rows) > 8, name
    for row in rows:
        assert len(row) == len(rows[0]), (name, row)
        assert not row[0].startswith(("=", "+", "@")), row
    at = rows[0].index("value")
    for row in rows[1:]:
        float(row[at])
EOF

try rig report --format jsno; expect "unknown format is guessed" 64 "did you mean 'json'?"
try rig report --format pdf; expect "unknown format lists the known" 64 "text markdown html"
try rig report --origin 'My CI'; expect "an origin is a word" 64 "'My CI' is no origin"
try rig sessions --format html; expect "a format without a list says so" 64 "no list of sessions"
try rig run ufs-irq --board virt-ufs --baseline original --report x.pdf
expect "rig run wants a format it knows" 64 "--report x.pdf: its ending names no format"
try rig report; expect "no session at all" 64 "results.db"

finish
