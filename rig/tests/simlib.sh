# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of the daemon: a private $RIG_HOME with scripted boards (fakes/fake-qemu behind the
# driver of virt-ufs), kernels that say how they behave, and a rigd of its own.
#
#	sim_boards 4; start_rigd; ...; stop_rigd

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export tiny=$root/rig/tests/vm/tiny.yaml
unset RIG_SOCKET
rigd_pid=

if [ ! -x build/fakes/fake-qemu ] || [ ! -e build/initramfs/aarch64.cpio ]; then
	skip "$(basename "$0" .sh)" "no build/fakes/fake-qemu or no build/initramfs/aarch64.cpio"
	exit 0
fi

# Ends what a test left running: only processes that carry its own $RIG_HOME.
sim_cleanup() {
	local p
	for p in $(ours | cut -d' ' -f1); do
		kill -9 "$p" 2>/dev/null
	done
	cleanup
}
trap sim_cleanup EXIT

ours() {
	local p
	for p in /proc/[0-9]*; do
		grep -qzxF "RIG_HOME=$RIG_HOME" "$p/environ" 2>/dev/null || continue
		case $(cat "$p/comm" 2>/dev/null) in
		fake-qemu | rig-job | rig-console | rigd | rig) echo "${p#/proc/} $(cat "$p/comm")" ;;
		esac
	done
}

# kernel ID NAME WORDS...: an entry of the cache; the words go to fake-qemu.
kernel() {
	local dir=$RIG_HOME/kernels/$1
	mkdir -p "$dir"
	printf 6.12.0-fake >"$dir/Image"
	echo "${*:3}" >"$dir/fake"
	cat >"$dir/manifest" <<-END
	id=$1
	name=$2
	image=Image
	release=6.12.0-fake
	board=virt-ufs
	arch=arm64
	patches_hash=$1
	config_hash=c
	compiler=none
	END
}

# sim_lab N [LINE...]: the lab file: boards sim-1 to sim-N, then the lines.
sim_lab() {
	local i
	{
		echo boards:
		for i in $(seq "$1"); do
			echo "- {name: sim-$i, type: virt-ufs, boot_timeout_s: 20, qemu: $root/build/fakes/fake-qemu}"
		done
		shift
		[ $# = 0 ] || printf '%s\n' "$@"
	} >"$RIG_HOME/lab.yaml"
}

# The program of a board whose machine dies at its start while $work/broken is there.
loose_qemu() {
	cat >"$work/loose-qemu" <<-END
	#!/bin/sh
	[ -e "$work/broken" ] || exec "$root/build/fakes/fake-qemu" "\$@"
	echo "supply gone" >&2
	exit 7
	END
	chmod +x "$work/loose-qemu"
}

sim_boards() {
	mkdir -p "$RIG_HOME"
	sim_lab "$@"
	kernel 00000000000000aa good fake=numbers fake-iops=1000
	kernel 00000000000000ab same fake=numbers fake-iops=1000
	kernel 00000000000000bb slow fake=numbers fake-iops=800
	kernel 00000000000000cc noisy fake=numbers fake-iops=1000 fake-swing=0.1
	kernel 00000000000000dd gone fake-qemu=exit
	kernel 00000000000000ee long fake=numbers fake-iops=1000 fake-step-ms=600
	kernel 00000000000000ff endless fake=numbers fake-iops=1000 fake-step-ms=15000
}
export good=id:00000000000000aa same=id:00000000000000ab slow=id:00000000000000bb
export noisy=id:00000000000000cc gone=id:00000000000000dd long=id:00000000000000ee
export endless=id:00000000000000ff

rigd_answers() { rig top --once >/dev/null 2>&1; }
start_rigd() {
	rigd >>"$work/rigd.log" 2>&1 </dev/null &
	rigd_pid=$!
	until_true 20 rigd_answers || not_ok "rigd starts" "$(tail -n 5 "$work/rigd.log")"
}
kill_rigd() {
	kill "-${1:-KILL}" "$rigd_pid"
	wait "$rigd_pid" 2>/dev/null
}
stop_rigd() { kill_rigd TERM; }

# submit BOARD BASELINE CANDIDATE [OPTION...]: $job is its number.
submit() {
	try rig submit "$tiny" --board "$1" --baseline "$2" --candidate "$3" "${@:4}"
	# shellcheck disable=SC2034
	job=$out
}

# Columns of the store, for looking behind the commands.
sql() { sqlite3 -readonly "$RIG_HOME/results.db" "$1" 2>/dev/null || rig query "$1"; }
job_is() { [ "$(job_state "$1")" = "$2" ]; }
job_state() { rig queue "$1" 2>/dev/null | sed -n '1s/.*, //p'; }
job_verdict() { rig queue "$1" | sed -n 's/^verdict *//p'; }
job_over() { job_is "$1" "done" || job_is "$1" cancelled; }
board_is() { rig boards | grep -qE "^$1 .* $2( |\$)"; }
all_off() { ! ours | grep -qE ' (fake-qemu|rig-job)$'; }
