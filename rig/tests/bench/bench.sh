#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make bench: every benchmark beside this file, one after the other. Each prints a table; what it
# prints is kept in build/bench/<date>/, with the load of the machine before and after.
set -u
cd "$(dirname "$0")/../../.." || exit 3
out=build/bench/$(date -u +%Y%m%d-%H%M%S)
mkdir -p "$out"
export RIG_BENCH_OUT=$PWD/$out
bad=0
uptime >"$out/load"
for t in rig/tests/bench/*.sh; do
	name=$(basename "$t" .sh)
	[ "$name" = bench ] && continue
	echo "== $name"
	bash "$t" 2>&1 | tee "$out/$name.txt"
	[ "${PIPESTATUS[0]}" = 0 ] || bad=$((bad + 1))
done
uptime >>"$out/load"
echo "raw numbers: $out"
[ $bad = 0 ]
