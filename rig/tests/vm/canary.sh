#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels that are broken on purpose: each must FAIL for its own reason, and with the right words.
# shellcheck source=vm.sh
. "$(dirname "$0")/vm.sh"
need_kernels ufs-irq:original canary:warn canary:panic canary:hang

ab() { rig run "$tiny" --board virt-ufs --pairs 4 --baseline original --candidate "$1"; }

# seconds_between FILE A B: of the first events that match the two patterns
seconds_between() {
	python3 - "$@" <<-'EOF'
	import json, sys
	path, a, b = sys.argv[1:]
	t = {}
	for line in open(path):
	    e = json.loads(line)
	    for k in (a, b):
	        if e["ev"] + ":" + str(e.get("code", "")) == k and k not in t:
	            t[k] = e["mono_ms"]
	print(f"{(t[b] - t[a]) / 1000:.2f}" if len(t) == 2 else "none")
	EOF
}

try ab canary:warn
expect "warn: FAIL by the kernel log alone" 1 "FAIL" "KERNEL" "WARNING"
try rig gate --replay; expect "warn: the verdict is reproduced from rows" 0 "bit for bit"

try ab canary:panic
expect "panic: FAIL with the panic's own title" 1 "FAIL" "KERNEL" "panic: "
log=$(find "$(newest_run)/visits" -name console.log -path '*panic*' | sort | tail -n 1)
check "panic: its text is on the console that was kept" grep -aq "Kernel panic - not syncing" "$log"

try ab canary:hang
expect "hang: FAIL after the baseline has booted" 1 "FAIL" "KERNEL" "hello"
check "hang: the baseline was booted as a control" \
	grep -q '"control":true' "$(newest_run)/events.jsonl"

try ours
expect "no process is left" 0
check "none at all" [ -z "$out" ]
finish
