#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs sets of tests and counts them. Ends with one line: N passed, N failed, N skipped
#
#   run.sh SET...     sets: unit cli kernel vm
#   UNIT_TESTS="FILE.c..."   only these of unit
#
# A unit test is a cmocka program; its "[       OK ]" lines are counted. A script prints lines
# "ok NAME", "not ok NAME" or "skip NAME: why" and may print anything else. A program that exits
# with a fault although it reported none, or that reports nothing at all, counts as one failure.
set -u
cd "$(dirname "$0")/../.." || exit 3
B=build
export RIG_SHARED=${RIG_SHARED:-$PWD/../shared}
# Sanitizers: any finding is a failure of the test.
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:exitcode=99:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export CMOCKA_MESSAGE_OUTPUT=STDOUT

passed=0 failed=0 skipped=0
declare -a bad=()
started=$SECONDS
logs=$B/test-logs
mkdir -p "$logs"

# Names once: cmocka lists failed tests again at its end.
count() { grep -aE "$1" "$2" | sort -u | wc -l; }

# judge NAME LOG STATUS OK-PATTERN FAILED-PATTERN SKIPPED-PATTERN
judge() {
	local name=$1 log=$2 status=$3 ok ko sk
	ok=$(count "$4" "$log")
	ko=$(count "$5" "$log")
	sk=$(count "$6" "$log")
	if [ "$status" != 0 ] && [ "$ko" = 0 ]; then
		ko=1
		echo "  $name: exit code $status without a failed test: counted as a failure"
	elif [ $((ok + ko + sk)) = 0 ]; then
		ko=1
		echo "  $name: reported no test: counted as a failure"
	fi
	passed=$((passed + ok)) failed=$((failed + ko)) skipped=$((skipped + sk))
	printf '  %-28s %3d passed, %d failed, %d skipped  (%d s)\n' "$name" "$ok" "$ko" "$sk" \
		$((SECONDS - began))
	grep -aE "$6" "$log" | sort -u | sed 's/^/      /'
	[ "$ko" = 0 ] && return
	bad+=("$name")
	tail -n 40 "$log" | sed 's/^/    | /'
	echo "    (all of it: $log)"
}

# unit_start NAME: leaves "status seconds" beside the log.
unit_start() {
	local began=$SECONDS status
	timeout 300 "$B/tests/$1" >"$logs/$1.log" 2>&1 </dev/null
	status=$?
	echo "$status $((SECONDS - began))" >"$logs/$1.status.new"
	mv "$logs/$1.status.new" "$logs/$1.status"
}

# Most of them wait most of the time, so more of them run at once than there are processors.
run_unit() {
	local t name status took
	local -a names=()
	# shellcheck disable=SC2086
	for t in ${UNIT_TESTS:-rig/tests/unit/test_*.c}; do
		names+=("$(basename "$t" .c)")
	done
	rm -f "$logs"/*.status
	(
		for name in "${names[@]}"; do
			while [ "$(jobs -rp | wc -l)" -ge $((2 * $(nproc))) ]; do
				wait -n
			done
			unit_start "$name" &
		done
		wait
	) &
	for name in "${names[@]}"; do
		until [ -e "$logs/$name.status" ]; do
			sleep 0.1
		done
		read -r status took <"$logs/$name.status"
		began=$((SECONDS - took))
		judge "$name" "$logs/$name.log" "$status" '^\[ +OK +\]' \
			'^\[ +FAILED +\] [a-z_0-9]+$' '^\[ +SKIPPED +\] [a-z_0-9]+$'
	done
	wait
}

# run_scripts DIRECTORY SECONDS-PER-SCRIPT
run_scripts() {
	local t name status
	for t in "$1"/*.sh; do
		[ -e "$t" ] || continue
		name=$(basename "$1")/$(basename "$t" .sh)
		began=$SECONDS
		echo "  $name ..."
		timeout -k 30 "$2" bash "$t" >"$logs/${name/\//-}.log" 2>&1 </dev/null
		status=$?
		judge "$name" "$logs/${name/\//-}.log" $status '^ok ' '^not ok ' '^skip '
	done
}

for set in "$@"; do
	echo "== $set"
	case $set in
	unit) run_unit ;;
	cli | kernel) run_scripts "rig/tests/$set" 600 ;;
	vm) run_scripts rig/tests/vm 3000 ;;
	*) echo "run.sh: unknown set '$set' (known: unit cli kernel vm)" >&2; exit 64 ;;
	esac
done

echo "took $((SECONDS - started)) s"
[ ${#bad[@]} = 0 ] || echo "failed: ${bad[*]}"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
