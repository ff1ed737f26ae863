#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs sets of tests and counts them. Ends with one line: N passed, N failed, N skipped
#
#   run.sh SET...     unit cli kernel vm, and after: what looks at the logs of the others. Those that
#                     are joined by + run as one
#   UNIT_TESTS="FILE.c..."   only these of unit
#
# A unit test is a cmocka program; its "[       OK ]" lines are counted. A script prints lines
# "ok NAME", "not ok NAME" or "skip NAME: why" and may print anything else. A program that exits
# with a fault although it reported none, or that reports nothing at all, counts as one failure.
set -u
cd "$(dirname "$0")/../.." || exit 3
B=build
export RIG_SHARED=${RIG_SHARED:-$PWD/../shared}
# The distribution's own programs, which setup filled in: where a version manager comes first, each
# start of Python costs a dozen shells.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
# Sanitizers: any finding is a failure of the test.
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=0:exitcode=99:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
export CMOCKA_MESSAGE_OUTPUT=STDOUT

passed=0 failed=0 skipped=0
declare -a bad=()
started=$SECONDS
logs=$B/test-logs
times=$logs/times
mkdir -p "$logs"
touch "$times"
# Most tests wait most of the time, so more of them run at once than there are processors. On a host
# that others keep busy that would only make them wait for each other, up to their limits.
read -r load _ </proc/loadavg
many=$((4 * $(nproc)))
[ "${load%.*}" -le $((2 * $(nproc))) ] || many=$(nproc)

# What a failed test prints: a unit test, a script; and what a sanitizer says of any program.
unit_wrong='^\[ +FAILED +\] [a-z_0-9]+$'
script_wrong='^not ok '
sanitizer='ERROR: AddressSanitizer|runtime error:'

# Names once: cmocka lists failed tests again at its end.
count() { grep -aE "$1" "$2" | sort -u | wc -l; }

# judge NAME LOG STATUS SECONDS
judge() {
	local name=$1 log=$2 status=$3 ok ko sk
	local good='^\[ +OK +\]' wrong=$unit_wrong skips='^\[ +SKIPPED +\] [a-z_0-9]+$'
	case $name in
	*/*) good='^ok ' wrong=$script_wrong skips='^skip ' ;;
	esac
	ok=$(count "$good" "$log")
	ko=$(count "$wrong" "$log")
	sk=$(count "$skips" "$log")
	if [ "$status" != 0 ] && [ "$ko" = 0 ]; then
		ko=1
		echo "  $name: exit code $status without a failed test: counted as a failure"
	elif [ $((ok + ko + sk)) = 0 ]; then
		ko=1
		echo "  $name: reported no test: counted as a failure"
	fi
	passed=$((passed + ok)) failed=$((failed + ko)) skipped=$((skipped + sk))
	printf '  %-28s %3d passed, %d failed, %d skipped  (%d s)\n' "$name" "$ok" "$ko" "$sk" "$4"
	grep -aE "$skips" "$log" | sort -u | sed 's/^/      /'
	[ "$ko" = 0 ] && return
	bad+=("$name")
	tail -n 40 "$log" | sed 's/^/    | /'
	echo "    (all of it: $log)"
}

# Who sees only the end of the output sees why: the first lines that name a failure, or the last.
why() {
	local log
	log=$(log_of "$1")
	echo "failed: $1"
	{ grep -aE -B 2 "$unit_wrong|$script_wrong|$sanitizer" "$log" || tail -n 6 "$log"; } | head -n 12 | sed 's/^/    | /'
}

# start NAME SECONDS COMMAND...: runs it; prints a line "NAME status seconds" when it has ended.
start() {
	local name=$1 limit=$2 began=$SECONDS status
	shift 2
	timeout -k 30 "$limit" "$@" >"$(log_of "$name")" 2>&1 </dev/null
	status=$?
	echo "$name $status $((SECONDS - began))"
}
log_of() { echo "$logs/${1/\//-}.log"; }

# The longest first, by what they took last time, so that no long one is left for the end. One that
# has not run yet comes before them.
longest_first() {
	local t
	for t in "$@"; do
		printf '%s %s\n' "$(sed -n "s|^$t ||p" "$times" | tail -n 1)" "$t"
	done | awk '{ print NF == 2 ? $1 : 9999, $NF }' | sort -k1,1nr -s | cut -d' ' -f2
}

# start_all AT-ONCE SECONDS: those of $tests.
start_all() {
	local name
	for name in $(longest_first "${tests[@]}"); do
		while [ "$(jobs -rp | wc -l)" -ge "$1" ]; do
			wait -n
		done
		[ "$2" -le 600 ] || echo "  $name ..." >&2
		# shellcheck disable=SC2046	# words of ours
		start "$name" "$2" $(command_of "$name") &
	done
	wait
}

# run_all AT-ONCE SECONDS: those of $tests, told of as they end.
run_all() {
	local name status took
	while read -r name status took; do
		judge "$name" "$(log_of "$name")" "$status" "$took"
		sed -i "\|^$name |d" "$times"
		echo "$name $took" >>"$times"
	done < <(start_all "$@")
}

command_of() {
	case $1 in
	*/*) echo "bash rig/tests/$1.sh" ;;
	*) echo "$B/tests/$1" ;;
	esac
}

# Into $tests.
add_unit() {
	local t
	# shellcheck disable=SC2086
	for t in ${UNIT_TESTS:-rig/tests/unit/test_*.c}; do
		tests+=("$(basename "$t" .c)")
	done
}
add_scripts() {
	local t
	for t in rig/tests/"$1"/*.sh; do
		[ ! -e "$t" ] || tests+=("$1/$(basename "$t" .sh)")
	done
}

for sets in "$@"; do
	echo "== $sets"
	tests=()
	jobs=$many limit=600
	IFS=+ read -ra names <<<"$sets"
	for set in "${names[@]}"; do
		case $set in
		unit) add_unit ;;
		cli | kernel | after) add_scripts "$set" ;;
		vm)
			add_scripts vm
			# as many machines as there are processors
			jobs=$(nproc) limit=3000
			;;
		*) echo "run.sh: unknown set '$set' (known: unit cli kernel vm after)" >&2; exit 64 ;;
		esac
	done
	run_all "$jobs" "$limit"
done

echo "took $((SECONDS - started)) s"
for name in "${bad[@]}"; do
	why "$name"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
