#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds an initramfs whose /init is the agent, and the static tools in it.
#
#   build.sh ARCH OUT AGENT [--home DIR] [--with iperf3]
#
# OUT is an uncompressed newc archive, the same bytes for the same input. The tools are built from Debian's
# source packages (no foreign architecture is added to the machine; iperf3: from its library, where that
# can be had, and left out elsewhere) and kept by content:
#   DIR/tools/src/            source packages as fetched; remove to fetch newer ones
#   DIR/tools/<16 hex>/       TOOL's program and `about`; hash of recipe, source and compiler
# DIR defaults to $RIG_HOME. A second run only looks at the cache. Exit codes: 0, 3 (infrastructure), 64 (usage).
set -u -o pipefail
umask 022
export LC_ALL=C

# The build matrix. --with adds a tool to those of its architecture.
#   arch     cross prefix         fio's --cpu  tools
matrix() {
	cat <<-END
		aarch64  aarch64-linux-gnu-   aarch64      busybox fio
		x86_64   x86_64-linux-gnu-    x86_64       busybox fio iperf3
		mips     mips-linux-gnu-      mips         busybox fio
	END
}

# What busybox is made of; everything else is off.
busybox_config() {
	cat <<-END
		STATIC LFS LONG_OPTS SHOW_USAGE FEATURE_VERBOSE_USAGE FEATURE_COMPRESS_USAGE BUSYBOX FEATURE_PREFER_APPLETS
		ASH ASH_ECHO ASH_PRINTF ASH_TEST ASH_JOB_CONTROL ASH_ALIAS ASH_GETOPTS ASH_CMDCMD SH_IS_ASH
		FEATURE_SH_MATH FEATURE_SH_MATH_64 FEATURE_EDITING FEATURE_EDITING_HISTORY FEATURE_FANCY_ECHO
		AWK BASENAME CAT CHMOD CHRT CMP CP CUT DATE DD FEATURE_DD_IBS_OBS FEATURE_DD_SIGNAL_HANDLING
		FEATURE_DD_THIRD_STATUS_LINE DF DIFF DIRNAME DMESG DU ECHO ENV EXPR FALSE FIND
		FREE GREP GUNZIP ZCAT HEAD HEXDUMP HOSTNAME HTTPD ID IFCONFIG INSMOD IP IP_ADDRESS IP_LINK IP_ROUTE FEATURE_IP_ADDRESS
		FEATURE_IP_LINK FEATURE_IP_ROUTE KILL KILLALL LN LOSETUP LS FEATURE_LS_FILETYPES FEATURE_LS_SORTFILES
		FEATURE_LS_TIMESTAMPS LSMOD LSPCI LSUSB MD5SUM MKDIR MKNOD MKSWAP MODPROBE MOUNT FEATURE_MOUNT_FLAGS MV
		NC NPROC NSENTER OD PIDOF PING PRINTF PS PWD READLINK REALPATH RM RMDIR RMMOD SED SEQ SHA256SUM SLEEP SORT STAT STTY
		SWAPON SWAPOFF SYNC SYSCTL TAIL TASKSET TEE TEST TFTP FEATURE_TFTP_GET TIME TIMEOUT TOP TOUCH TR TRUE
		TRUNCATE UMOUNT UNAME UNIQ UPTIME USLEEP VI WC WGET WHICH XARGS
	END
}

say() { printf 'initramfs: %s\n' "$*" >&2; }
die() { say "$*"; exit 3; }
usage() {
	printf 'usage: build.sh ARCH OUT AGENT [--home DIR] [--with iperf3]\narchitectures: %s\n' \
		"$(matrix | awk '{ print $1 }' | tr '\n' ' ')" >&2
	exit 64
}

work='' part=''
cleanup() {
	[ -z "$work" ] || rm -rf "$work"
	[ -z "$part" ] || rm -f "$part"
}
trap cleanup EXIT
trap 'exit 3' INT TERM HUP

arch='' out='' agent='' home=${RIG_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/rig} extra=''
while [ $# -gt 0 ]; do
	case $1 in
	--home) [ $# -ge 2 ] || usage; home=$2; shift ;;
	--with) [ $# -ge 2 ] || usage; extra="$extra $2"; shift ;;
	-*) usage ;;
	*) if [ -z "$arch" ]; then arch=$1; elif [ -z "$out" ]; then out=$1; elif [ -z "$agent" ]; then agent=$1; else usage; fi ;;
	esac
	shift
done
[ -n "$agent" ] || usage
read -r _ cross cpu tools <<<"$(matrix | awk -v a="$arch" '$1 == a')"
[ -n "${tools:-}" ] || { say "unknown architecture '$arch'"; usage; }
tools="$tools$extra"
# A native compiler has no prefix on some installations.
if [ "$arch" = "$(uname -m)" ] && ! command -v "${cross}gcc" >/dev/null; then cross=; fi
command -v "${cross}gcc" >/dev/null || die "no ${cross}gcc on this machine; 'make setup' installs it"
command -v cpio >/dev/null || die "no cpio on this machine; 'make setup' installs it"
[ -r "$agent" ] || die "$agent: no such agent; build it first (make)"

here=$(cd "$(dirname "$0")" && pwd)
cache=$home/tools
src=$cache/src
mkdir -p "$src" || die "$src cannot be made"
# What a run that was killed outright left.
find "$cache" -maxdepth 1 -name '.work.*' -mmin +1440 -exec rm -rf {} +
work=$(mktemp -d "$cache/.work.XXXXXX") || die "$cache is not writable"
log=$work/log

# fetch PACKAGE: sets dsc to the source package's .dsc in $src.
fetch() {
	local found
	case $1 in
	installed:*)
		dsc=$(dpkg -L "${1#installed:}" 2>/dev/null | grep '\.a$')
		[ -n "$dsc" ]
		return
		;;
	esac
	exec 8>"$src/.lock" && flock 8
	found=$(find "$src" -maxdepth 1 -name "$1_*.dsc" | sort -V | tail -n 1)
	if [ -z "$found" ]; then
		say "fetching the source package $1"
		mkdir -p "$work/get-$1"
		(cd "$work/get-$1" && apt-get -q source --download-only "$1") >"$log" 2>&1 || { exec 8>&-; return 1; }
		# The .dsc last: it says that the rest is there.
		find "$work/get-$1" -type f ! -name '*.dsc' -exec mv -t "$src" {} +
		find "$work/get-$1" -type f -name '*.dsc' -exec mv -t "$src" {} +
		found=$(find "$src" -maxdepth 1 -name "$1_*.dsc" | sort -V | tail -n 1)
	fi
	exec 8>&-
	dsc=$found
	[ -n "$dsc" ]
}

unpack() { # unpack PACKAGE DIRECTORY
	fetch "$1" || return 1
	dpkg-source --no-check -x "$dsc" "$2" >>"$log" 2>&1
}

# The variable keeps the time of day out of busybox's version.
compile() { nice make -j"$(nproc)" KCONFIG_NOTIMESTAMP=1 "$@" >>"$log" 2>&1; }

# Each build_TOOL works in $work/TOOL and leaves the program in $work/result; needs_TOOL: its source packages.

needs_busybox() { echo busybox; }
build_busybox() {
	local o config
	unpack busybox "$work/busybox" && cd "$work/busybox" || return 1
	compile allnoconfig || return 1
	for o in $(busybox_config); do
		sed -i "s/^# CONFIG_$o is not set\$/CONFIG_$o=y/" .config
		# what depends on an option that was off until now is not in it yet
		grep -qx "CONFIG_$o=y" .config || echo "CONFIG_$o=y" >>.config
	done
	# Questions that the options above bring up are answered with the default.
	(yes '' || true) | make oldconfig >>"$log" 2>&1
	config=$(grep -c '=y' .config)
	[ "$config" -gt 100 ] || { echo "only $config options on" >>"$log"; return 1; }
	compile CROSS_COMPILE="$cross" busybox busybox.links || return 1
	cp busybox "$work/result/busybox"
	sed 's,.*/,,' busybox.links | sort -u >"$work/result/applets"
}

needs_fio() { echo fio libaio; }
build_fio() {
	unpack libaio "$work/libaio" || return 1
	compile -C "$work/libaio/src" CC="${cross}gcc" AR="${cross}ar" RANLIB="${cross}ranlib" libaio.a || return 1
	unpack fio "$work/fio" && cd "$work/fio" || return 1
	LDFLAGS="-L$work/libaio/src" nice ./configure --cc="${cross}gcc" --cpu="$cpu" --build-static --disable-native \
		--disable-numa --disable-rdma --disable-http --disable-libnfs --disable-pmem --disable-xnvme \
		--disable-libzbc --disable-dfs --disable-rados --disable-rbd --disable-gfapi --disable-lex \
		--disable-tcmalloc --extra-cflags="-I$work/libaio/src -ffile-prefix-map=$work=." >>"$log" 2>&1 || return 1
	compile fio || return 1
	grep -q 'define CONFIG_LIBAIO' config-host.h || { echo 'configure found no libaio' >>"$log"; return 1; }
	"${cross}strip" -o "$work/result/fio" fio
	local engine
	for engine in libaio io_uring pvsync2; do
		grep -aq "$engine" "$work/result/fio" || { echo "engine $engine is missing" >>"$log"; return 1; }
	done
}

# Its source package cannot be had everywhere, its library can: of the machine's own architecture.
needs_iperf3() { echo installed:libiperf-dev; }
build_iperf3() {
	[ "$arch" = "$(uname -m)" ] || { echo "libiperf-dev here is not for $arch" >>"$log"; return 1; }
	"${cross}gcc" -O2 -static -s -o "$work/result/iperf3" "$here/iperf3.c" -l:libiperf.a -lm >>"$log" 2>&1
}

# Identity of a tool: how it is made, from what, by which compiler, for which architecture.
identity() {
	local p
	{
		declare -f "build_$1" compile unpack
		[ "$1" != busybox ] || busybox_config
		[ "$1" != iperf3 ] || cat "$here/iperf3.c"
		printf '%s %s %s\n' "$arch" "$cross" "$cpu"
		"${cross}gcc" --version | head -n 1
		for p in $("needs_$1"); do
			fetch "$p" || return 1
			sha256sum <"$dsc"
		done
	} | sha256sum | cut -c1-16
}

no_source() {
	say "$1: its source packages ($("needs_$1")) cannot be fetched; last lines of apt-get:"
	tail -n 3 "$log" >&2
	say "are source packages enabled? 'make setup' does that"
}

# tool NAME: sets entry to the cache directory that holds it, building it first if need be.
tool() {
	local id
	: >"$log"
	id=$(identity "$1") || { no_source "$1"; return 1; }
	entry=$cache/$id
	[ ! -e "$entry/about" ] || return 0
	exec 9>"$cache/.lock-$id" && flock 9
	if [ ! -e "$entry/about" ]; then
		say "building $1 for $arch"
		mkdir -p "$work/result"
		("build_$1") || {
			cp "$log" "$cache/failed-$1-$arch.log"
			tail -n 15 "$log" >&2
			say "$1 for $arch cannot be built; all of it: $cache/failed-$1-$arch.log"
			exec 9>&-
			return 1
		}
		printf 'tool=%s\narch=%s\ncompiler=%s\n' "$1" "$arch" "$("${cross}gcc" --version | head -n 1)" \
			>"$work/result/about"
		rm -rf "$entry"
		mv "$work/result" "$entry" || return 1
	fi
	rm -f "$cache/.lock-$id"
	exec 9>&-
}

root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,run,tmp,root,etc}
install -m 755 "$agent" "$root/init" || die "$agent cannot be copied"
inside=
for t in $tools; do
	if ! declare -F "build_$t" >/dev/null; then
		say "--with $t: no recipe for it"
		usage
	fi
	if ! tool "$t"; then
		case " iperf3$extra " in
		*" $t "*) say "$t is left out"; continue ;;
		*) die "$arch: nothing written" ;;
		esac
	fi
	inside="$inside${inside:+ }$t"
	install -m 755 "$entry/$t" "$root/bin/$t" || die "$entry/$t cannot be copied"
	[ ! -e "$entry/applets" ] || while read -r applet; do
		[ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
	done <"$entry/applets"
done

# Into place by rename, so that nobody ever sees half of it.
mkdir -p "$(dirname "$out")" || die "$(dirname "$out") cannot be made"
part=$out.part.$$
find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . -mindepth 1 -print0 | sort -z |
	cpio --null --create --format=newc --reproducible --owner=0:0 --quiet) >"$part" || die "cpio failed"
mv "$part" "$out" || die "$out cannot be written"
say "$out: $(stat -c %s "$out") bytes ($inside)"
