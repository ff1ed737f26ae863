#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# PID 1 of the guest: brings up what a lab host has (udev, configfs, loopback), runs the cases and
# powers off. The root is the host's, read-only: everything that is written goes to /run, which is
# where TMPDIR, HOME and RIG_HOME point. /tmp is left alone, the project may lie in it.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /run
mount -t configfs configfs /sys/kernel/config
mount -t debugfs debugfs /sys/kernel/debug
read -r -a words </proc/cmdline
for word in "${words[@]}"; do
	[ "${word%%=*}" = rig.settings ] && settings=${word#*=}
done
# shellcheck disable=SC1090	# written by run.sh
. "$settings"
export root share kernels shared RIG_SHARED=$shared
export TMPDIR=/run/tmp HOME=/run/home RIG_HOME=/run/rig RIG_GUEST=1
mkdir -p $TMPDIR $HOME $RIG_HOME /run/share /run/udev/rules.d
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 share /run/share
ip link set lo up
echo 256 >/sys/module/usbcore/parameters/usbfs_memory_mb

# A lab host has udev: libusb's hotplug hears of devices through it.
for udevd in /lib/systemd/systemd-udevd /usr/lib/systemd/systemd-udevd; do
	[ -x $udevd ] && break
done
$udevd --daemon
# On a busy host it needs many seconds to read its rules, and until then answers nobody.
udevadm control --ping --timeout=120
udevadm trigger --action=add
udevadm settle --timeout=120

if [ -n "${shell:-}" ]; then
	setsid bash -i <>/dev/ttyS0 >&0 2>&1
	"$root/build/fakes/poweroff"
fi
results=/run/share/results
cd "$root" || exit 1
run_case() {
	local case=rig/tests/guest/cases/$1.sh status pid
	echo "== $1"
	: >/run/case.out
	timeout -k 5 "${case_s:-900}" bash "$case" >/run/case.out 2>&1 </dev/null &
	pid=$!
	# not a pipe: what a case leaves behind would hold it open
	tail -n +1 -s 0.5 -f --pid=$pid /run/case.out | tee /dev/console |
		grep --line-buffered -aE '^(ok|not ok|skip|  ) ?' >>$results
	wait $pid
	status=$?
	[ $status = 0 ] || grep -q '^not ok' /run/case.out ||
		echo "not ok $1: exit code $status" >>$results
}
[ -n "$cases" ] || cases=$(cd rig/tests/guest/cases && printf '%s ' *.sh)
for case in $cases; do
	run_case "${case%.sh}"
done
echo end >>$results
"$root/build/fakes/poweroff"
