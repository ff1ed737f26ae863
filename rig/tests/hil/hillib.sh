# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For hil.sh: what is tried on which board, running a step's commands with everything in the
# transcript, asking a person.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.." || exit 3
export PATH=$PWD/build/bin:$PATH

board=${RIG_HIL_BOARD:-}
[ -n "$board" ] || {
	echo "skip hil: needs RIG_HIL_BOARD=NAME, a board of the lab file (\`rig boards\` lists them)"
	exit 77
}
kernel=${RIG_HIL_KERNEL:-ufs-irq:original}
suite=${RIG_HIL_SUITE:-$here/hil.yaml}
cycles=${RIG_HIL_CYCLES:-20}
listen=${RIG_HIL_LISTEN:-20}
home=${RIG_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/rig}
lab=${RIG_HIL_LAB:-}
[ -n "$lab" ] || [ ! -e "$home/lab.yaml" ] || lab=$home/lab.yaml
with_lab=()
[ -z "$lab" ] || with_lab=(--lab "$lab")

mkdir -p build/hil
log=build/hil/$board-$(date -u +%Y%m%d-%H%M%S).log
work=$(mktemp -d)
# Whatever happens: the board goes off. Who interrupts a step wants that, too.
leave() {
	trap - EXIT
	rig power "$board" off "${with_lab[@]}" >/dev/null 2>&1
	rm -rf "$work"
}
trap leave EXIT
trap 'exit 3' INT TERM

note() { printf '%s\n' "$*" >>"$log"; }
say() { printf '%s\n' "$*" | tee -a "$log"; }

# run COMMAND...: its output is in $work/out and $work/msg, its exit code in $code, how long it took
# in $took; all of it in the transcript. A console may hold anything: what is no text is shown as ^X.
run() {
	local begin
	begin=$(date +%s%N)
	note "\$ $*"
	"$@" >"$work/out" 2>"$work/msg" </dev/null
	code=$?
	took=$((($(date +%s%N) - begin) / 1000000))
	{
		cat -v "$work/out"
		sed 's/^/2> /' "$work/msg"
		echo "(exit code $code, $took ms)"
	} >>"$log"
	return "$code"
}

# What a step ends with. why: one line.
pass() { why=$*; return 0; }
fail() { why=$*; return 1; }
needs() { why="needs $*"; return 77; }
last_words() { tail -n 1 "$work/msg" | sed 's/^rig: //'; }

# ask QUESTION: yes, no, or nobody there (2). The answer is in the transcript.
ask() {
	local answer
	[ "${RIG_HIL_ASK:-1}" = 1 ] && { : </dev/tty; } 2>/dev/null || return 2
	note "asked: $*"
	read -r -p "$* [y/n] " answer </dev/tty 2>/dev/tty || return 2
	note "answered: $answer"
	[ "$answer" = y ]
}

newest_run() { find "$home/runs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sort | tail -n 1; }

# What the board is: steps ask these.
rig power "$board" status "${with_lab[@]}" >"$work/status" 2>"$work/msg" || {
	cat "$work/msg"
	exit 1
}
is_virtual() { grep -q '^power  a process of this host' "$work/status"; }
has() { ! is_virtual && grep -q "^$1 " "$work/status" && ! grep -q "^$1 *nothing switches it" "$work/status"; }
by_gpio() { grep -qE '^(power|vbus) +gpio' "$work/status"; }
switched() { has power || has vbus; }
switchable() {
	is_virtual || switched || needs "power or vbus in the lab file: nothing switches this board"
}

version() { printf '%-12s %s\n' "$1" "$("$@" --version 2>&1 | head -n 1)"; }
{
	echo "check-hil of $board, $(date -u +%Y-%m-%dT%H:%M:%SZ)"
	echo "kernel $kernel, suite $suite, $cycles cycles, $listen s of listening"
	echo
	uname -srvm
	for tool in rig qemu-system-aarch64 fastboot adb dnsmasq udevadm; do
		command -v $tool >/dev/null && version $tool
	done
	echo
	rig boards "${with_lab[@]}"
	cat "$work/status"
	echo
	if [ -n "$lab" ]; then cat "$lab"; else echo "(built-in lab)"; fi
} >"$log"

failed=0 passed=0 skipped=0
# step NAME FUNCTION: after a step that failed none is tried.
step() {
	local begin=$SECONDS result
	[ $failed = 0 ] || return
	printf '\n== %s  %s\n' "$1" "$(date -u +%H:%M:%S)" >>"$log"
	why=
	"$2"
	result=$?
	case $result in
	0) say "ok $1: $why ($((SECONDS - begin)) s)"; passed=$((passed + 1)) ;;
	77) say "skip $1: $why"; skipped=$((skipped + 1)) ;;
	*) say "not ok $1"; say "  # $why"; failed=1 ;;
	esac
}
finish() {
	say "$passed passed, $failed failed, $skipped skipped; transcript: $log"
	[ $failed = 0 ]
}
