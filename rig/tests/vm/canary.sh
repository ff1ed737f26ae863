#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels that are broken on purpose: each must FAIL for its own reason, and with the right words.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original canary:warn canary:panic canary:hang \
	canary:stuck

# The hang costs a whole boot deadline; 15 s is long for a board that boots in one.
printf 'boards:\n  - {name: virt-ufs, type: virt-ufs, boot_timeout_s: 15}\n' >"$work/lab.yaml"
ab() {
	rig run "$tiny" --lab "$work/lab.yaml" --board virt-ufs --pairs 4 --baseline original \
		--candidate "$1"
}

try ab canary:warn
expect "warn: FAIL by the kernel log alone" 1 "FAIL" "KERNEL" "WARNING"
try rig gate --replay; expect "warn: the verdict is reproduced from rows" 0 "bit for bit"

try ab canary:panic
expect "panic: FAIL with the panic's own title" 1 "FAIL" "KERNEL" "panic: "
log=$(find "$(newest_run)/visits" -name console.log -path '*panic*' | sort | tail -n 1)
check "panic: its text is on the console that was kept" grep -aq "Kernel panic - not syncing" "$log"
try rig log
expect "panic: rig log shows that visit" 0 "Kernel panic - not syncing: rig canary"
check "panic: without the frames of the wire" [ "$(grep -c '^~{' "$work/out")" = 0 ]
try rig log --raw
check "panic: and with them when asked" cmp -s "$work/out" "$log"
# From the panic's first byte on the console (its index) to the fault in the journal.
took=$(python3 rig/tests/vm/panic-delay.py "$(newest_run)" "$(dirname "$log")")
check "panic: the fault is in the journal" [ "$took" -ge 0 ]
echo "  (it was $took ms after the panic's first byte)"

try ab canary:hang
expect "hang: FAIL after the baseline has booted" 1 "FAIL" "KERNEL" "hello"
check "hang: the baseline was booted as a control" \
	grep -q '"control":true' "$(newest_run)/events.jsonl"

# It leaves no splat: what tells it from a loose cable is that it comes again, and to it alone.
# Two visits wait for the step's limit, so the suite's is cut to what an idle host needs.
sed 's/^    duration_s: .*/&\n    grace_s: 2/' "$tiny" >"$work/short.yaml"
tiny=$work/short.yaml try ab canary:stuck
expect "stuck: FAIL, as it stood still again and the baseline got through" 1 "FAIL" "KERNEL" "hang" \
	"while the baseline got through"
check "stuck: it and the baseline were booted as controls" \
	[ "$(grep -c '"control":true' "$(newest_run)/events.jsonl")" = 2 ]

check "no process is left" [ -z "$(ours)" ]
finish
