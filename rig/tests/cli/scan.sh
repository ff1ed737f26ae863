#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig scan: exit codes, both formats, offsets behind a mark, what cannot be read.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

log=$work/console.log
printf '%s\r\n' 'U-Boot 2026.01' '[    0.000000] Linux version 6.12.0 (a@b) (gcc) #1 SMP' \
	'[    1.000000] usb 1-1: reset high-speed USB device number 3 using xhci_hcd' >"$log"
cp "$log" "$work/clean.log"
printf '%s\r\n' '[    2.000000] WARNING: CPU: 1 PID: 71 at drivers/ufs/core/ufshcd.c:55 ufshcd_x+0x9/0x1b' \
	'[    2.000001] Call trace:' '[    2.000002]  ufshcd_x+0x9/0x1b' \
	'[    2.000003] ---[ end trace 0000000000000000 ]---' '=== mark 7 ===' >>"$log"

begin=$(grep -abo '\[    2.000000\]' "$log" | cut -d: -f1)

try rig scan "$work/clean.log"; expect "a clean file is 0" 0
check "device notices are no findings by default" [ -z "$(rig scan "$work/clean.log" 2>/dev/null)" ]
try rig scan --all "$work/clean.log"; expect "--all counts device notices" 1 "USB: device reset"
try rig scan "$log"; expect "a splat is 1" 1 "WARNING in ufshcd_x" "console.log:$begin-"
try rig scan --format json "$log"
expect "json" 1 '"kind":"warning"' '"title":"WARNING in ufshcd_x"' "\"begin\":$begin,"
check "json of a clean file is empty" [ -z "$(rig scan -f json "$work/clean.log")" ]
check "every line is a document" python3 -c 'import json,sys
for line in sys.stdin: assert json.loads(line)["file"]' < <(rig scan -f json "$log" "$log")
check "- is the standard input" [ "$(rig scan -f json - <"$log" | grep -c '"file":"-"')" = 1 ]

try rig scan --since 'mark 7' "$log"; expect "nothing after the mark" 0
try rig scan --since 'using xhci' -f json "$log"; expect "offsets stay the file's" 1 "\"begin\":$begin,"
try rig scan --since 'mark 8' "$log"; expect "no such mark is not clean" 3 "mark 8" "console.log"
try rig scan "$work/absent" "$log"; expect "unreadable, the others are scanned" 3 "absent" "WARNING in"
try rig scan --format xml "$log"; expect "unknown format" 64 "xml" "json"
try rig scan --since '' "$log"; expect "empty mark" 64 "--since"
try rig scan; expect "no file" 64 "usage: rig scan"

sed 's/ufshcd_x/ufshcd_y/; s/2.000000/2.100000/' "$log" >"$work/other.log"
try rig scan --known "$log" "$log"; expect "what the baseline shows is no finding" 0 "known:"
try rig scan --known "$log" "$work/other.log"
expect "new and gone" 1 "new: error: WARNING in ufshcd_y" "gone: WARNING in ufshcd_x"
try rig scan -f json --known "$log" "$work/other.log"
expect "new and gone in json" 1 '"state":"new"' '"state":"gone"'
try rig scan --known "$work/absent" "$log"; expect "no baseline" 3 "absent"

# A change of the FIFO depth that left the numbers alone and put this into the log.
printf '%s\r\n' '[   21.100000] dwc3 dwc3.0.auto: Fifosize(2154) > RAM size(2022) ep5in depth:115540359' \
	'[   21.200000] WARNING: CPU: 1 PID: 471 at drivers/usb/gadget/udc/core.c:294 usb_ep_queue+0x7b/0x110' \
	'[   21.300000] Call Trace:' '[   21.400000]  u_audio_start_capture+0x1d4/0x2a0 [u_audio]' \
	'[   21.500000] ---[ end trace 0000000000000000 ]---' >"$work/dwc3.log"
try rig scan "$work/dwc3.log"
expect "the dwc3 warning" 1 "WARNING in usb_ep_queue" "udc/core.c" "trace: u_audio_start_capture"
try rig scan --all "$work/dwc3.log"; expect "and what came before it" 1 "dwc3: FIFOs larger than RAM"

list() { printf 'suppressions:\n  - title: "%s"\n    until: %s\n    reason: "known"\n' "$@"; }
list 'WARNING in ufshcd_*' 9999-12-31 >"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"; expect "suppressed" 0 "1 findings suppressed"
list 'WARNING in other' 9999-12-31 >"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"; expect "another title" 1 "WARNING in ufshcd_x"
list 'WARNING in ufshcd_*' 2020-01-31 >"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"
expect "expired" 1 "over since 2020-01-31" "list.yaml: line 2" "known" "WARNING in ufshcd_x"
list x 'tomorrow' >"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"; expect "no day" 64 "list.yaml:3:12" "tomorrow"
printf 'suppressions:\n  - title: x\n    until: 2030-01-01\n' >"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"; expect "no reason" 64 "reason"
printf 'suppressions:\n  - title: x\n    kind: oop\n    until: 2030-01-01\n    reason: y\n' \
	>"$work/list.yaml"
try rig scan --suppress "$work/list.yaml" "$log"; expect "no kind" 64 "list.yaml:3:11" "oop"

finish
