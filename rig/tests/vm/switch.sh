#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The virtual switch: big-endian MIPS. Its agent does every step of the switch experiment, and a kernel
# without high resolution timers fails by its sleeps of a whole tick; so does one that was told to
# have none.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
if ! command -v qemu-system-mips >/dev/null || [ ! -e build/initramfs/mips.cpio ]; then
	skip switch "no qemu-system-mips or no build/initramfs/mips.cpio"
	exit 0
fi
for variant in with without; do
	rig kernel show --board virt-switch otto-timer:$variant >/dev/null 2>&1 && continue
	skip switch "its kernels take long: rig kernel build --board virt-switch otto-timer:$variant"
	exit 0
done
suite=rig/tests/vm/switch.yaml

# value STEP METRIC: of the newest session's last visit, as a whole number.
value() {
	find "$(newest_run)/visits" -path "*-$1/metrics.jsonl" | sort | tail -n 1 | xargs cat |
		sed -n "s/.*\"name\":\"$2\",\"value\":\([0-9]*\).*/\1/p"
}
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }
file() { find "$(newest_run)/visits" -path "*-$1/$2" | sort | tail -n 1; }

try rig run "$suite" -b virt-switch --baseline with --pairs 1
expect "a session on it" 0 "virt-switch"
log=$(find "$(newest_run)/visits" -name console.log | head -n 1)
check "the kernel is big-endian" grep -aq 'MIPS 34Kc' "$log"
check "a sleep takes some 100 us" between "$(value sleep mean_ns)" 10000 1000000
check "the histogram holds them all" [ "$(awk '{ n += $2 } END { print n }' "$(file sleep sleeps)")" = 50 ]
check "the profiler saw the function" grep -q usleep_range_state "$(file poll trace_stat)"
check "two looks at the interrupts" [ "$(grep -c '^# t_ns=' "$(file idle irqrate)")" = 2 ]
check "the kernel was seen after power-on" between "$(value boot kernel.time_ns)" 1000000 60000000000
check "the port's driver answers" between "$(value port mean_ns)" 1000 10000000000
check "the host loads a page of it" between "$(value web first_ns)" 10000 60000000000
try rig query "SELECT printf('%d', value) FROM v_sample WHERE metric = 'usleep_range_state.count'"
expect "the profiler's count is in the store" 0 20

ab() { rig run "$suite" -p sleep -b virt-switch --pairs 4 --baseline with --candidate "$1"; }
try ab without
expect "without the flag: FAIL" 1 "FAIL"
slept=$(rig query "SELECT CAST(min(value) AS INTEGER) FROM v_sample WHERE kernel = 'without'
	AND workload = 'sleep' AND metric = 'mean_ns'" --format csv | tail -n 1)
check "without the flag: a sleep takes a tick" between "$slept" 9000000 30000000
try ab highres-off
expect "highres=off: FAIL, too" 1 "FAIL"
check "no process is left" [ -z "$(ours)" ]
finish
