# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For test scripts: results as lines, a private $RIG_HOME, running a command with its output kept.
#
#	. "$(dirname "$0")/../lib.sh"
#	try rig run ...                  # sets $code, $out (stdout), $msg (stderr)
#	expect "wrong board" 64 "known boards"
#	finish

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 3
root=$PWD
work=$(mktemp -d)
fails=0
# The caller's own home is only looked at, for its kernel cache.
export user_home=${RIG_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/rig}
export RIG_HOME=$work/home
export PATH=$root/build/bin:$PATH

cleanup() {
	if mountpoint -q "$work/small" 2>/dev/null; then umount "$work/small"; fi
	rm -rf "$work"
}
trap cleanup EXIT

ok() { echo "ok $1"; }
skip() { echo "skip $1: $2"; }
not_ok() {
	echo "not ok $1"
	shift
	printf '  # %s\n' "$@"
	fails=$((fails + 1))
}

# check NAME COMMAND...: ok when the command succeeds.
check() {
	local name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name" "failed: $*"; fi
}

try() {
	"$@" >"$work/out" 2>"$work/msg" </dev/null
	code=$?
	out=$(<"$work/out")
	msg=$(<"$work/msg")
}

# expect NAME CODE TEXT...: the last try ended with CODE and printed every TEXT somewhere.
expect() {
	local name=$1 want=$2 text said
	said=$(<"$work/out")$'\n'$(<"$work/msg")
	shift 2
	if [ "$code" != "$want" ]; then
		not_ok "$name" "exit code $code, expected $want" "stderr: $msg" "stdout: ${out:0:2000}"
		return
	fi
	for text in "$@"; do
		if [[ $said != *"$text"* ]]; then
			not_ok "$name" "no \"$text\" in the output" "stderr: $msg" "stdout: ${out:0:2000}"
			return
		fi
	done
	ok "$name"
}

# A short sleep without the start of a program: nobody writes into that pipe.
mkfifo "$work/nap"
exec {nap}<>"$work/nap"
rm "$work/nap"
nap() { read -rt "$1" -u "$nap" _ || true; }

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		nap 0.05
	done
}

finish() { [ "$fails" = 0 ]; }
