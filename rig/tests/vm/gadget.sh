#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The dwc3-fifo experiment on virt-gadget: gadgets are made, seen by their host, measured and taken
# down; and the warning of that discussion, printed by a canary, fails by the kernel log alone.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_gadget_board
need_kernels dwc3-fifo:plain canary:fifo

sed 's/^warmup: 1/warmup: 0/' suites/dwc3-fifo.yaml >"$work/once.yaml"
try rig run "$work/once.yaml" --board virt-gadget --quick --pairs 1 --baseline plain \
	--candidate canary:fifo
expect "the FIFO warning: FAIL by the kernel log alone" 1 "FAIL" "KERNEL" "usb_ep_queue" \
	"the baseline never shows it"
run=$(newest_run)
check "no step failed, and none was left out" \
	[ "$(grep '"ev":"step-end"' "$run/events.jsonl" | grep -vc '"status":"ok"')" = 0 ]
check "the warning is on the console of the canary, in its words" \
	grep -aqF "Fifosize(2154) > RAM size(2022)" "$run"/visits/*fifo*/console.log
check "and its call trace" grep -aq "usb_ep_queue" "$run"/visits/*fifo*/console.log
try rig report
expect "the report has title, place and call trace" 0 "dwc3: FIFOs larger than RAM" \
	"WARNING in usb_ep_queue" "udc/core.c" " <- "
check "iperf3's JSON is kept, both ways" \
	[ "$(grep -l '"sum_received"' "$run"/visits/*/steps/*iperf3*/stdout | wc -l)" = 4 ]
check "nothing is left running" [ -z "$(ours)" ]

# Made again over an old one, taken down twice; a LUN without a medium is refused.
cat >"$work/gadgets.yaml" <<'END'
name: gadgets
warmup: 0
series: dwc3-fifo
profiles: [{name: quick}]
workloads:
  - {name: one, step: gadget, gate: false, args: [functions=mass_storage, lun=1M]}
  - {name: over-it, step: gadget, gate: false, args: [functions=acm+ncm]}
  - {name: down, step: gadget, gate: false, args: [functions=none]}
  - {name: down-again, step: gadget, gate: false, args: [functions=none]}
  - {name: on-ram0, step: gadget, gate: false, args: [functions=mass_storage, backing=/dev/ram0]}
  - {name: read-it, step: dd, gate: false, target: gadget:0, args: [bs=64k, count=16]}
  - {name: by-busybox, step: dd, gate: false, target: usb:0,
     args: [bs=64k, count=16, program=busybox]}
  - {name: no-medium, step: gadget, gate: false, args: [functions=mass_storage, backing=/none]}
END
try rig run "$work/gadgets.yaml" --board virt-gadget --baseline plain --pairs 1
run=$(newest_run)
status() { grep "\"workload\":\"$1\"" "$run/events.jsonl" | grep -o '"status":"[a-z]*"' | cut -d'"' -f4; }
for s in one over-it down down-again on-ram0 read-it by-busybox; do
	check "gadget: $s" [ "$(status $s)" = ok ]
done
check "gadget: no-medium fails" [ "$(status no-medium)" = failed ]
check "gadget: and says why" grep -q '/none: No such file' "$run/events.jsonl"
finish
