#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A pre-merge job: the patches of this branch, or a named kernel, against a baseline on a board of
# the rig. Leaves rig-report.{txt,html,xml} (JUnit) in the working directory.
#
#	rig-gate.sh SUITE [option of rig submit...]
#
#	RIG_BOARD or RIG_TYPE	where: one board, or any of a type
#	RIG_BASELINE		a kernel as for rig submit (default: original)
#	RIG_CANDIDATE		the same; without it the commits from RIG_SINCE to HEAD
#	RIG_SINCE		a revision: what the branch is to be merged into
#	RIG_ALLOW		exit codes that shall not fail the job, e.g. "2": INCONCLUSIVE
#
# Exit codes: 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID (rig or board were at fault: run it again),
# 64 wrong usage. TERM or INT, as a CI sends them, cancel the job on the rig.
set -u

# Not 1, which is a verdict.
die() {
	echo "rig-gate: $*" >&2
	exit 64
}

[ $# -ge 1 ] || die "usage: rig-gate.sh SUITE [options]"
suite=$1
shift
where=(--type "${RIG_TYPE:-}")
[ -n "${RIG_BOARD:-}" ] && where=(--board "$RIG_BOARD")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

candidate=${RIG_CANDIDATE:-}
if [ -z "$candidate" ]; then
	candidate=$scratch/branch
	[ -n "${RIG_SINCE:-}" ] || die "RIG_SINCE or RIG_CANDIDATE is needed"
	git format-patch -q -o "$candidate" "$RIG_SINCE..HEAD" || die "no patches from $RIG_SINCE to HEAD"
	if [ -z "$(ls "$candidate" 2>/dev/null)" ]; then
		echo "rig-gate: no commits from $RIG_SINCE to HEAD: nothing to be judged"
		exit 0
	fi
fi

rig submit "$suite" "${where[@]}" --baseline "${RIG_BASELINE:-original}" --candidate "$candidate" \
	--wait "$@" >"$scratch/out" &
waiter=$!
trap 'kill -INT $waiter 2>/dev/null' TERM INT
wait $waiter
code=$?
# a trap ends the wait, not the job: that takes a moment more
while kill -0 $waiter 2>/dev/null; do
	wait $waiter
	code=$?
done
cat "$scratch/out"

job=$(head -n 1 "$scratch/out")
session=$(rig queue "${job:-0}" 2>/dev/null | sed -n 's/^session *//p')
for format in txt html xml; do
	[ -z "$session" ] || rig report "$session" -o "rig-report.$format" || break
done
for allowed in ${RIG_ALLOW:-}; do
	if [ "$code" = "$allowed" ]; then
		echo "rig-gate: exit code $code is allowed here (RIG_ALLOW)"
		exit 0
	fi
done
exit $code
