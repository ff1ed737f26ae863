#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 16 consoles at 921,600 baud at once, each through a keeper with a job and a reader attached (one
# reader never reads): every byte on disk, and what a keeper costs. RIG_SECONDS (20).
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir -p build/bench "$RIG_HOME"
gcc -std=gnu11 -D_GNU_SOURCE -Irig -I. -O2 -o build/bin/.bench-consoles rig/tests/bench/consoles.c \
	build/librig.a -lutil || exit 3
trap 'rm -f build/bin/.bench-consoles; cleanup' EXIT
{
	echo boards:
	for i in $(seq -f %02g 0 15); do echo "- {name: c$i, type: virt-ufs}"; done
} >"$RIG_HOME/lab.yaml"
for burst in 1 4 16; do
	echo "bursts of $burst ms:"
	build/bin/.bench-consoles 16 921600 "${RIG_SECONDS:-20}" $burst || not_ok "bursts of $burst ms"
done
[ "$fails" = 0 ]
