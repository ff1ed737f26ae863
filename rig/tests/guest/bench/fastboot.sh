#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: how fast a download is by Debian's fastboot, by ours, and by a bare loop of libusb
# (1 MiB after the other, synchronous), in turns. Started by ../bench-fastboot.sh.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"

ffs=$root/build/fakes/ffs-fastboot
fb=$root/build/fakes/fastboot-tool
mib=32
rounds=3

mkfifo /run/knobs
"$ffs" phone dummy_udc.0 /run/phone </run/knobs >/run/ffs.out 2>&1 &
exec 9>/run/knobs
until_true 20 plugged FAKE0001 || { not_ok "the device is there"; exit 1; }
port=$(usb_port FAKE0001)
head -c $((mib << 20)) /dev/urandom >/run/image

rate() { sed -n 's,^MB/s=,,p' | grep . || echo 0; }
debian() {
	timeout 120 fastboot -s "usb:$port" flash userdata /run/image 2>&1 |
		sed -n 's/^Sending.*OKAY \[ *\([0-9.]*\)s\].*/\1/p' |
		awk -v mib=$mib '{ printf "%.1f\n", mib * 1.048576 / $1 }'
}
ours() { "$fb" "$port" 60000 bench-ours /run/image | rate; }
raw() { "$fb" "$port" 60000 bench-raw /run/image | rate; }
median() { printf '%s\n' "$@" | sort -n | sed -n "$((($# + 1) / 2))p"; }

d=() o=() r=()
ours >/dev/null # the first one pays for everybody's page cache
for ((i = 0; i < rounds; i++)); do
	d+=("$(debian)")
	o+=("$(ours)")
	r+=("$(raw)")
done
for row in "debian ${d[*]}" "ours ${o[*]}" "raw ${r[*]}"; do
	read -ra words <<<"$row"
	echo "  ${words[0]}: ${words[*]:1} MB/s"
done
awk -v d="$(median "${d[@]}")" -v o="$(median "${o[@]}")" -v r="$(median "${r[@]}")" \
	-v speed="$(cat "/sys/bus/usb/devices/$port/speed")" 'BEGIN {
	printf "  %s Mbit/s, medians in MB/s: debian %.1f, ours %.1f, raw %.1f; ", speed, d, o, r
	printf "ours/debian %.2f, ours/raw %.2f\n", o / d, o / r
	exit !(o >= d && o >= 0.9 * r) }'
met=$?
check "at least Debian's speed and 0.9 of a bare loop's" [ $met = 0 ]
exec 9>&-
finish
