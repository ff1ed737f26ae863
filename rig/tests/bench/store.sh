#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The store at scale, beside the limit of SQLite on the same disk: import, history, gate, size.
#   BENCH_SAMPLES=N (10000000)  BENCH_ROUNDS=N (5)
set -u
cd "$(dirname "$0")/../../.." || exit 3
out=${RIG_BENCH_OUT:-$PWD/build/bench}
mkdir -p "$out"
# shellcheck disable=SC2046
gcc -std=gnu11 -D_GNU_SOURCE -Irig -I. -O2 -o build/bench/store rig/tests/bench/store.c \
	build/librig.a $(pkg-config --libs jansson yaml-0.1 sqlite3 libmd) -lm || exit 3
# On the disk of the build, not in memory.
RIG_HOME=$(mktemp -d -p build/bench)
RIG_HOME=$(realpath "$RIG_HOME")
export RIG_HOME
trap 'rm -rf "$RIG_HOME"' EXIT
build/bench/store "$RIG_HOME" "${BENCH_SAMPLES:-10000000}" "${BENCH_ROUNDS:-5}" "$out/store.raw"
