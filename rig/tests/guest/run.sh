#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots the guest in which the rig drives real kernel interfaces (virt-host), once, and runs cases in
# it: all of cases/*.sh, or those that are named. Prints "ok NAME", "not ok NAME", "skip NAME: why".
#
#   run.sh [CASE...]      CASE: usb gpio ...; RIG_GUEST_SHELL=1 gives a shell instead
#   RIG_GUEST_CMDLINE=...  more for the kernel: dummy_hcd.is_super_speed=1
#
#	host                                 guest
#	  build/guest/<pid>/console  <-----    ttyS0: kernel, everything the cases print
#	                    share    <--9p-->  /run/share: the lines of the cases, files for either side
#	  / (read-only)              --9p-->   /
#	  socket serial0, serial1    <---->    ttyS1 (8250), ttyUSB0 (ftdi_sio); bed.py is at this end
#	  dut/: QEMU, on demand                with the images that were written to a device in the guest
#	  socket qmp                 <-----    power and cables of the guest, for the test bed
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.." || exit 3
root=$PWD
logs=build/test-logs
limit_s=${RIG_GUEST_SECONDS:-1800}

command -v qemu-system-x86_64 >/dev/null || {
	echo "skip guest: no qemu-system-x86_64; \`make setup\` installs it"
	exit 0
}
entry=$(kernel/build.sh build --board virt-host stock:plain) || {
	echo "not ok guest kernel: it did not build, see above"
	exit 1
}

dir=$root/build/guest/$$
mkdir -p "$dir/share" "$logs"
qemu=0
bed=0
finish() {
	[ "$qemu" = 0 ] || kill "$qemu" 2>/dev/null
	[ "$bed" = 0 ] || kill "$bed" 2>/dev/null
	wait
	cp -f "$dir/console" "$logs/guest-console.log" 2>/dev/null
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 3' INT TERM

# What init.sh needs to know; the guest sees this file at the same path.
cat >"$dir/settings" <<END
root=$root
share=$dir/share
kernels=$(dirname "$entry")
case_s=${RIG_CASE_SECONDS:-900}
cases="$*"
shared=$(readlink -f "${RIG_SHARED:-../shared}" 2>/dev/null)
END

# Under TCG the time stamp counter is the host's: calibrated while the host was busy, it made the
# guest's seconds pass ten times too fast.
# What is read of the root stays in the guest's memory: nobody changes it meanwhile, and files that
# the two sides exchange are in the share.
# shellcheck disable=SC2054	# the commas are the kernel's
cmdline=(console=ttyS0,115200 panic=-1 quiet root=/dev/root rootfstype=9p
	"rootflags=trans=virtio,version=9p2000.L,msize=262144,cache=loose" ro "init=$here/init.sh"
	tsc=unstable clocksource=hpet dummy_hcd.num=2 "${RIG_GUEST_CMDLINE:-}"
	"rig.settings=$dir/settings")
# Without la57 a page walk has four levels, and TCG walks often.
# shellcheck disable=SC2054	# the commas are QEMU's
args=(-machine q35 -accel tcg,thread=multi -cpu max,la57=off -smp 2 -m 1024M -nodefaults -display none
	-no-reboot -kernel "$entry/bzImage"
	-append "${cmdline[*]}"
	-fsdev "local,id=root,path=/,security_model=none,readonly=on,multidevs=remap"
	-device "virtio-9p-pci,fsdev=root,mount_tag=/dev/root"
	-fsdev "local,id=share,path=$dir/share,security_model=none"
	-device "virtio-9p-pci,fsdev=share,mount_tag=share"
	-d cpu_reset -D "$dir/resets"
	-device virtio-rng-pci -device qemu-xhci,id=xhci
	-chardev "socket,id=line0,path=$dir/serial0,server=on,wait=off"
	-chardev "socket,id=line1,path=$dir/serial1,server=on,wait=off"
	-device "usb-serial,bus=xhci.0,id=ftdi,chardev=line1,serial=FTDUT0,always-plugged=on"
	-qmp "unix:$dir/qmp,server=on,wait=off")
if [ -n "${RIG_GUEST_SHELL:-}" ]; then
	echo "shell=1" >>"$dir/settings"
	exec qemu-system-x86_64 "${args[@]}" -serial mon:stdio -serial chardev:line0
fi
: >"$dir/share/results"
qemu-system-x86_64 "${args[@]}" -serial "file:$dir/console" -serial chardev:line0 \
	</dev/null >"$dir/qemu.log" 2>&1 &
qemu=$!
python3 "$here/bed.py" "$dir" >"$dir/bed.log" 2>&1 &
bed=$!

# Passes the lines on as they come; ends when the guest has powered off, or at the limit.
tail -n +1 -s 0.2 -f --pid="$qemu" "$dir/share/results" 2>/dev/null &
tailing=$!
end=$((SECONDS + limit_s))
while kill -0 "$qemu" 2>/dev/null && [ $SECONDS -lt $end ]; do
	sleep 0.2
done
if kill -0 "$qemu" 2>/dev/null; then
	kill "$qemu"
	echo "not ok guest: still running after $limit_s s, see $logs/guest-console.log"
fi
wait "$qemu"
status=$?
qemu=0
wait "$tailing"
cat "$dir/qemu.log" "$dir/bed.log"
grep -q '^end$' "$dir/share/results" || {
	echo "not ok guest: it ended before its last case (QEMU by $status, $(
		grep -c 'Triple fault' "$dir/resets") triple faults), see $logs/guest-console.log"
	exit 1
}
! grep -q '^not ok ' "$dir/share/results"
