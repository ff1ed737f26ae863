#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig scan over a log of 1 GB, beside grep -c of one fixed string and cat, and what memory it takes
# at 100 MB and at 1 GB. The log is made on the spot: boots of our own text and, where there is a
# corpus, its kernel and serial logs, over and over. Rounds are interleaved; medians are printed,
# every round is kept. CPU time is what one core takes; wall time is what else the machine does, too.
#   RIG_SCAN_MB=N (1000)  RIG_SCAN_ROUNDS=N (3)
set -u
cd "$(dirname "$0")/../../.." || exit 3
shared=${RIG_SHARED:-../shared}
out=${RIG_BENCH_OUT:-$PWD/build/bench}
size_mb=${RIG_SCAN_MB:-1000}
rounds=${RIG_SCAN_ROUNDS:-3}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One boot as a console shows it, with one warning in it.
own_boot() {
	awk 'BEGIN {
		printf "U-Boot 2026.01 (Jan 05 2026)\r\n"
		printf "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x411fd070]\r\n"
		printf "[    0.000000] Linux version 6.12.48 (rig@host) (gcc 12.2.0) #1 SMP PREEMPT\r\n"
		for (i = 1; i < 4000; i++) {
			name = i % 3 ? "ufshcd-qcom 1d84000.ufshc" : "usb usb1-port"
			printf "[%5d.%06d] %s %d: registered as device %d, irq %d, rate %d kHz\r\n",
				i / 400, i * 2500 % 1000000, name, i, i % 17, i % 231, i * 7919 % 1e5
		}
		printf "[   10.000001] WARNING: CPU: 1 PID: 71 at drivers/ufs/core/ufshcd.c:55"
		printf " ufshcd_x+0x9/0x1b\r\n[   10.000002] Call trace:\r\n"
		printf "[   10.000003]  ufshcd_x+0x9/0x1b\r\n[   10.000004]  ufshcd_intr+0x1/0x2\r\n"
		printf "[   10.000005] ---[ end trace 0000000000000000 ]---\r\n"
		printf "[   10.500000] reboot: Restarting system\r\n"
	}'
}

# unit: a few MB; $1 MB of it over and over.
make_log() {
	local unit=$work/unit
	[ -s "$unit" ] || {
		for _ in 1 2 3 4 5 6 7 8; do own_boot; done
		find "$shared/corpus/kernel-log" "$shared/corpus/serial-boot" -type f -print0 2>/dev/null |
			sort -z | xargs -0r cat
	} >"$unit"
	while cat "$unit" 2>/dev/null; do :; done | head -c "$1"000000
}

# program: wall s, CPU s and peak memory in KiB of the command in "$@", which may exit with 1.
measure() {
	python3 - "$@" <<'PY'
import os, sys, time
begin = time.monotonic()
pid = os.fork()
if not pid:
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, use = os.wait4(pid, 0)
if os.waitstatus_to_exitcode(status) not in (0, 1):
    sys.exit("%s failed" % sys.argv[1])
print("%.3f %.3f %d" % (time.monotonic() - begin, use.ru_utime + use.ru_stime, use.ru_maxrss))
PY
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

make_log 100 >"$work/small.log"
make_log "$size_mb" >"$work/big.log"
small_kib=$(measure build/bin/rig scan "$work/small.log" | cut -d' ' -f3) || exit 3

declare -A command=(
	[scan]="build/bin/rig scan $work/big.log"
	[grep]="grep -c ufshcd_never_there $work/big.log"
	[cat]="cat $work/big.log"
)
cat "$work/big.log" >/dev/null # in the page cache before the first round
raw=$out/scan.tsv
printf 'round\tcommand\twall_s\tcpu_s\tpeak_kib\n' >"$raw"
for ((round = 1; round <= rounds; round++)); do
	for name in scan grep cat; do
		read -ra argv <<<"${command[$name]}"
		measured=$(measure "${argv[@]}") || exit 3
		printf '%d\t%s\t%s\n' "$round" "$name" "${measured// /$'\t'}" >>"$raw"
	done
done

column() { awk -v name="$1" -v c="$2" '$2 == name { print $c }' "$raw" | median; }
printf '%s MB, %d rounds, medians; load %s\n' "$size_mb" "$rounds" "$(cut -d' ' -f1-3 /proc/loadavg)"
printf '%-24s %9s %9s %9s %14s\n' '' 'wall s' 'CPU s' 'CPU MB/s' 'scan takes'
scan_cpu=$(column scan 4)
for name in scan grep cat; do
	awk -v name="$name" -v wall="$(column $name 3)" -v cpu="$(column $name 4)" -v mb="$size_mb" \
		-v scan="$scan_cpu" 'BEGIN {
		what["scan"] = "rig scan"; what["grep"] = "grep -c (fixed string)"
		what["cat"] = "cat >/dev/null"
		printf "%-24s %9.2f %9.2f %9.0f %12.1f x\n", what[name], wall, cpu,
			mb / (cpu > 0 ? cpu : 0.001), scan / (cpu > 0 ? cpu : 0.001)
	}'
done
printf 'peak memory of rig scan: %d KiB at 100 MB, %d KiB at %s MB\n' "$small_kib" \
	"$(column scan 5)" "$size_mb"
printf 'findings in it: %d\n' "$(build/bin/rig scan -f json "$work/big.log" | wc -l)"
