#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make fuzz: builds every harness beside this file with libFuzzer, ASan and UBSan, and runs each for
# FUZZ_SECONDS (default 60). It starts from the inputs in corpus/ and, where it exists, from the shared
# corpus of real files. New inputs stay in build/fuzz; a finding is kept there and named.
#
#   fuzz.sh [NAME...]     only these: klog fio ...
set -u
cd "$(dirname "$0")/../../.." || exit 3
here=rig/tests/fuzz
out=build/fuzz
seconds=${FUZZ_SECONDS:-60}
bad=0
read -ra PKG < <(pkg-config --cflags --libs jansson yaml-0.1 sqlite3 libmd libusb-1.0 libgpiod libserialport libcurl)

command -v clang >/dev/null || { echo "fuzz: no clang here; \`make setup\` installs it" >&2; exit 3; }
mkdir -p "$out"

# The directories of the shared corpus, or of this tree, that seed a harness.
seeds_of() {
	local shared=${RIG_SHARED:-../shared}/corpus
	case $1 in
	dd | interrupts | iperf) set -- "$shared/$1" ;;
	fio | fio_text) set -- "$shared/fio" ;;
	ethtool | pktgen | vnstat) set -- "$shared/net" ;;
	klog) set -- "$shared"/{kernel-crash,kernel-log,serial-boot} ;;
	prompt) set -- "$shared/serial-boot" ;;
	suite) set -- suites ;;
	*) set -- ;;
	esac
	local dir
	for dir in "$@"; do
		[ ! -d "$dir" ] || printf '%s\n' "$dir"
	done
}

# run_one NAME
run_one() {
	local name=$1 corpus=$out/corpus/$1
	local -a seeds
	mapfile -t seeds < <(seeds_of "$name")
	mkdir -p "$corpus"
	[ ! -d "$here/corpus/${name//_/-}" ] || cp -n "$here/corpus/${name//_/-}"/* "$corpus"
	clang -g -O1 -std=gnu11 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -Irig -I. -Ibuild/gen -o "$out/$name" \
		"$here/fuzz_$name.c" build/librig-fuzz.a "${PKG[@]}" -lm || return 1
	"$out/$name" -max_total_time="$seconds" -timeout=10 -max_len=65536 \
		-artifact_prefix="$out/$name-" "$corpus" "${seeds[@]}" >"$out/$name.log" 2>&1
}

names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(cd $here && printf '%s\n' fuzz_*.c | sed 's/^fuzz_//; s/\.c$//')
for name in "${names[@]}"; do
	if run_one "$name"; then
		printf 'ok   %-12s %s runs\n' "$name" \
			"$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$out/$name.log")"
	else
		printf 'BAD  %-12s see %s\n' "$name" "$out/$name.log"
		bad=$((bad + 1))
	fi
done
[ $bad = 0 ]
