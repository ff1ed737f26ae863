# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that boot virtual boards: kernels come from the user's cache, everything else is
# private. Skips the whole script when there is no QEMU or no initramfs.

# shellcheck source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mkdir -p "$user_home/kernels" "$RIG_HOME"
ln -s "$user_home/kernels" "$RIG_HOME/kernels"
export tiny=$root/rig/tests/vm/tiny.yaml

if ! command -v qemu-system-aarch64 >/dev/null || [ ! -e build/initramfs/aarch64.cpio ]; then
	skip "$(basename "$0" .sh)" "no qemu-system-aarch64 or no build/initramfs/aarch64.cpio"
	exit 0
fi

# need_kernels SERIES:VARIANT...: builds what the cache lacks for $board, in the open.
board=virt-ufs
need_kernels() {
	local k
	for k in "$@"; do
		rig kernel build --board "$board" "$k" >/dev/null || {
			not_ok "kernel $k" "see above"
			exit 1
		}
	done
}

# need_gadget_board: for tests of virt-gadget.
need_gadget_board() {
	board=virt-gadget
	command -v qemu-system-x86_64 >/dev/null && [ -e build/initramfs/x86_64.cpio ] && return
	skip "$(basename "$0" .sh)" "no qemu-system-x86_64 or no build/initramfs/x86_64.cpio"
	exit 0
}

# The processes that this test started and that still live: they carry its $RIG_HOME.
ours() {
	local p
	for p in /proc/[0-9]*; do
		grep -qzxF "RIG_HOME=$RIG_HOME" "$p/environ" 2>/dev/null || continue
		case $(cat "$p/comm" 2>/dev/null) in
		qemu-* | rig-job | rig-console | rig) echo "${p#/proc/} $(cat "$p/comm")" ;;
		esac
	done
}

newest_run() { find "$RIG_HOME/runs" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sort | tail -n 1; }
