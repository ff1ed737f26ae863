#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The xhci-giveback experiment on virt-gadget, one boot of each kernel: every workload runs, and the
# interrupt is seen to do what each kernel makes it do. A verdict takes more boots than a test has.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_gadget_board
need_kernels xhci-giveback:with xhci-giveback:without

sed 's/^warmup: 1/warmup: 0/' suites/xhci-giveback.yaml >"$work/once.yaml"
try rig run "$work/once.yaml" --board virt-gadget --quick --pairs 1 --baseline without \
	--candidate with
expect "one pair is no verdict" 2 "INCONCLUSIVE" "1 complete pair"
run=$(newest_run)
check "no step failed, and none was left out" \
	[ "$(grep '"ev":"step-end"' "$run/events.jsonl" | grep -vc '"status":"ok"')" = 0 ]
check "no kernel log finding" [ "$(grep -c '"ev":"finding"' "$run/events.jsonl")" = 0 ]

# value KERNEL WORKLOAD METRIC: of its one visit, as a whole number; "" when it is not there.
value() {
	rig query "SELECT CAST(value AS INTEGER) FROM v_sample WHERE kernel = '$1' AND workload = '$2'
		AND metric = '$3'" --format csv 2>/dev/null | tail -n +2 | head -n 1
}
bh=$(value with irqtime/disk irq.xhci_hcd.mean_ns)
hard=$(value without irqtime/disk irq.xhci_hcd.mean_ns)
check "giveback in BH takes less hard interrupt time ($hard -> $bh ns)" [ "${bh:-0}" -gt 0 ] &&
	check "... by a quarter and more" [ "$hard" -gt $((bh * 5 / 4)) ]
tasklet=$(value with irqtime/disk softirq.TASKLET.count)
check "and what it took off is softirq work now (${tasklet:-no} runs)" [ "${tasklet:-0}" -gt 0 ]
for k in with without; do
	check "$k: 8 MiB were read, twice 4" [ "$(value $k disk/0 bytes)" = 8388608 ]
	check "$k: 45 frames" [ "$(value $k camera frames)" = 45 ]
	check "$k: packets arrive at the other end" [ "$(value $k ethernet rx.packets)" -gt 100 ]
	check "$k: the sound card takes frames" [ "$(value $k isochronous rate)" -gt 1000 ]
	check "$k: no isochronous interval was missed" \
		[ "$(value $k isochronous isoc.missed_service)" = 0 ]
done
check "nothing is left running" [ -z "$(ours)" ]
finish
