#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Suites are data: those that are shipped, the example of the README, one of a user's own with its
# mistakes, and the expanded plan, which loads again and expands to the same.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

try rig suite list
expect "list has every file of suites/" 0 ufs-irq otto-timer ticks
for file in suites/*.yaml; do
	name=$(basename "$file" .yaml)
	try rig suite check "$name"
	expect "check $name: every profile with its time" 0 "profile quick: about"
	try rig suite show "$name"
	mv "$work/out" "$work/$name.json"
	try rig suite check "$work/$name.json"
	expect "show $name prints a plan that loads" 0 "plan of suite $name"
done
try rig suite check otfs-irq; expect "an unknown suite is guessed" 64 "did you mean \"ufs-irq\""
try rig suite; expect "without a verb" 64

# The example: what the README shows of its files stands in them.
missing=$(awk '/^## Your own experiment/ { on = 1; next } /^## / { on = 0 }
	on && /^        / { sub(/^ +/, ""); print }' README.md | while IFS= read -r line; do
	grep -qF -- "$line" kernel/series/ticks/variants suites/ticks.yaml || echo "$line"
done)
check "the README's example is the one in the tree" [ -z "$missing" ]

# One's own, anywhere.
cat >"$work/mine.yaml" <<'END2'
name: mine
description: how long nothing takes
series: ticks
profiles: [{name: only, vars: {n: 3}}]
workloads:
  - {name: "idle/{k}", step: irqrate, matrix: {k: [a, b]}, args: ["seconds={n}"], duration_s: "{n}",
     metrics: [{name: total.rate, primary: true}]}
END2
try rig suite check "$work/mine.yaml"; expect "one's own suite" 0 "profile only: about 6 s"
try rig run "$work/mine.yaml" -n -b virt-ufs --baseline default --candidate nohz-off
expect "run -n prints its plan" 0 '"workload": "idle/b"' '"seconds=3"'
cp "$work/out" "$work/plan.json"
try rig suite check "$work/plan.json"
expect "which loads again" 0 "plan of suite mine, profile only: 6 steps, 2 metrics"
check "nothing was built or run for it" [ ! -e "$RIG_HOME/runs" ]

# mistake NAME SED-SCRIPT TEXT: the file with that change is refused, and told where.
mistake() {
	sed "$2" "$work/mine.yaml" >"$work/bad.yaml"
	try rig suite check "$work/bad.yaml"
	expect "$1" 64 "bad.yaml:" "$3"
}
mistake "an unknown step" 's/irqrate/irqrat/' 'did you mean "irqrate"'
mistake "an unknown argument" 's/seconds=/second=/' 'did you mean "seconds"'
mistake "an unknown metric" 's/total.rate/totale_rate/' 'has no metric "totale_rate"'
mistake "an unknown variable" 's/={n}/={m}/' 'undefined variable {m}'
mistake "no primary metric" 's/, primary: true//' 'primary metrics; it needs one'
sed 's/"steps"/"stepps"/' "$work/plan.json" >"$work/bad.json"
try rig suite check "$work/bad.json"; expect "a plan with a wrong key" 64 "stepps"
finish
