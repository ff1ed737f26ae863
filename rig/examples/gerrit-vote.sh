#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For a Gerrit hook (patchset-created) or a listener on stream-events: judges the patch set that is
# checked out here and votes. A fault of rig or board takes no vote: it says so and asks for a recheck.
#
#	gerrit-vote.sh SUITE REVISION [option of rig submit...]
#
#	RIG_GERRIT	where to: "ssh -p 29418 gerrit.example.org gerrit"; what else: see rig-gate.sh
set -u

if [ $# -lt 2 ] || [ -z "${RIG_GERRIT:-}" ]; then
	echo "usage: RIG_GERRIT='ssh ... gerrit' gerrit-vote.sh SUITE REVISION" >&2
	exit 64
fi
suite=$1 revision=$2
shift 2
"$(dirname "$0")/rig-gate.sh" "$suite" "$@"
code=$?

case $code in
0) vote=+1 words="PASS" ;;
1) vote=-1 words="FAIL: slower, or broken" ;;
2) vote=0 words="INCONCLUSIVE: too noisy to tell; the report says how many pairs would do" ;;
*) vote=0 words="INVALID: the rig or the board was at fault; recheck" ;;
esac
report=
[ ! -e rig-report.txt ] || report=$(sed -n '/^Verdict$/,$p' rig-report.txt | head -n 20)
# shellcheck disable=SC2086	# RIG_GERRIT is a command with its arguments
$RIG_GERRIT review "$revision" --label "Verified=$vote" \
	--message "'rig $suite: $words${report:+

$report}'"
