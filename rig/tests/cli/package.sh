#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `rig kernel package`: what it makes for each kind of loader is what the kernel and the initramfs
# were, taken apart by the tools of others. No kernel is built: a stand-in for kernel/build.sh
# answers with an entry of our own.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

data=$work/data
mkdir -p "$data/kernel" "$data/build/initramfs" "$work/entry" "$work/here"
cat >"$data/kernel/build.sh" <<'EOF'
#!/bin/sh
case $1 in
build) echo "$RIG_TEST_ENTRY" ;;
cmdline) echo "quiet" ;;
esac
EOF
chmod +x "$data/kernel/build.sh"
export RIG_DATA=$data RIG_TEST_ENTRY=$work/entry
head -c 300007 /dev/urandom >"$work/entry/Image"
head -c 3001 /dev/urandom >"$work/entry/board.dtb"
head -c 2001 /dev/urandom >"$work/other.dtb"
for arch in aarch64 x86_64 mips; do
	head -c 50003 /dev/urandom >"$data/build/initramfs/$arch.cpio"
done
initrd=$data/build/initramfs/aarch64.cpio

# entry BOARD [KEY=VALUE]: the manifest.
entry() {
	printf '%s\n' id=0123456789abcdef arch=arm64 "board=$1" image=Image \
		release=6.12-rig.01234567 "${@:2}" >"$work/entry/manifest"
}

# package BOARD ARG...: into $work/pkg
package() {
	rm -rf "$work/pkg"
	try rig kernel package --board "$1" -o "$work/pkg" "${@:2}" s:v
}

# parts IMAGE: unpacked into $work/parts
parts() {
	rm -rf "$work/parts"
	unpack_bootimg --boot_img "$work/pkg/$1" --out "$work/parts" >"$work/said"
}

same() { cmp -s "$1" "$2"; }
hash() { sha256sum <"$1" | cut -c1-64; }
sums() { (cd "$work/pkg" && sha256sum --quiet -c SHA256SUMS); }

entry pixel dtb=board.dtb
package pixel
expect "pixel" 0 "$work/pkg/boot.img" "$work/pkg/vendor_boot.img"
check "its hashes" sums
parts boot.img
check "its kernel" same "$work/parts/kernel" "$work/entry/Image"
check "its initramfs" same "$work/parts/ramdisk" "$initrd"
check "its header" grep -q "boot image header version: 4" "$work/said"
check "its command line" grep -qx "command line args: console=ttySAC0,115200n8 panic=0 quiet" \
	"$work/said"
parts vendor_boot.img
check "its device tree" same "$work/parts/dtb" "$work/entry/board.dtb"
package pixel --dtb "$work/other.dtb"
parts vendor_boot.img
check "another device tree" same "$work/parts/dtb" "$work/other.dtb"

entry sm8650 dtb=board.dtb
package sm8650
expect "sm8650" 0 "$work/pkg/boot.img"
parts boot.img
check "its kernel, too" same "$work/parts/kernel" "$work/entry/Image"
check "its device tree, in the same image" same "$work/parts/dtb" "$work/entry/board.dtb"
check "header 2" grep -q "boot image header version: 2" "$work/said"
entry sm8650
package sm8650
expect "sm8650 without a device tree" 64 'no "dtb" for this board' "brings none"

entry merrifield
package merrifield
expect "merrifield, for DFU" 0 "$work/pkg/"
check "its files are the kernel and the initramfs" sums
check "its kernel as it is" grep -q "^$(hash "$work/entry/Image")" "$work/pkg/SHA256SUMS"
check "its initramfs as it is" grep -q "^$(hash "$data/build/initramfs/x86_64.cpio")" \
	"$work/pkg/SHA256SUMS"

entry realtek
package realtek
expect "realtek, for TFTP" 0 "$work/pkg/"
image=$(find "$work/pkg" -type f ! -name SHA256SUMS)
dumpimage -T multi -p 0 -o "$work/part" "$image" >/dev/null
check "its kernel in the image" same "$work/part" "$work/entry/Image"
dumpimage -T multi -p 1 -o "$work/part" "$image" >/dev/null
check "and its initramfs" same "$work/part" "$data/build/initramfs/mips.cpio"

entry virt-uboot
package virt-uboot
expect "virt-uboot, a FIT" 0 "$work/pkg/kernel.itb"
dumpimage -T flat_dt -p 0 -o "$work/part" "$work/pkg/kernel.itb" >/dev/null
check "its kernel in the FIT" same "$work/part" "$work/entry/Image"

# A relative directory is the caller's, wherever the packers run.
entry pixel
(cd "$work/here" && rig kernel package --board pixel -o out s:v) >"$work/out" 2>"$work/msg"
code=$?
expect "a relative directory" 0 "$work/here/out/boot.img"

entry virt-ufs
package virt-ufs
expect "nothing to package" 64 "virt-ufs boots kernel and initramfs as they are"
package no-such-board
expect "no such board" 64 "unknown board type 'no-such-board'"
try rig kernel package --board pixel s:v
expect "without a directory" 64 "--output is missing"
try rig kernel build --board pixel -o x s:v
expect "build takes no directory" 64 "--output and --dtb are those of 'package'"
finish
