# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernel build: from source to a cache entry.
#
#   <kernels>/.base/<base>/src            pristine tree                (lock base-<base>)
#   <kernels>/.base/<base>/obj-<key>      objects of the base          (lock obj-<key>)
#   <kernels>/.work/<builder>/src         hard link farm, patched
#                        .../src/obj      copy of the base's objects, built further
#   <kernels>/<id>                        the entry: appears by one rename of a complete directory
#
# The build directory lies directly in the source tree, so kbuild calls the source ".." wherever
# both are: no path differs between two builds, make rebuilds only what a patch touched, and the
# same id gives the same image byte for byte. <key> names board row, fragments and compiler.

# Raise it when a change of this file changes what is built from the same input.
readonly RECIPE=1

# compiler_load: sets COMPILER, the version of everything that writes machine code.
compiler_load()
{
	local cc ld

	cc=$("${CROSS}gcc" --version 2>/dev/null | head -n 1)
	ld=$("${CROSS}ld" --version 2>/dev/null | head -n 1)
	[[ -n $cc && -n $ld ]] ||
		infra_error "no compiler ${CROSS}gcc for $BOARD; 'make setup' installs it"
	COMPILER="$cc; $ld"
}

fragments()
{
	cat "${FRAGMENTS[@]/#/$DATA/config/}"
}

# identity_load: sets PATCHES_HASH CONFIG_HASH OBJ_KEY ID. PATCH_FILES must be set.
identity_load()
{
	PATCHES_HASH=$(patches_hash "${PATCH_FILES[@]}") || infra_error "cannot read the patches"
	CONFIG_HASH=$({ printf '%s\n' "$BOARD_ROW"; fragments; } | sha256)
	OBJ_KEY=$(printf '%s\n' "$RECIPE" "$CONFIG_HASH" "$COMPILER" | sha256 | cut -c 1-16)
	ID=$(printf '%s\n' "$RECIPE" "$BASE_HASH" "$PATCHES_HASH" "$CONFIG_HASH" "$COMPILER" |
		sha256 | cut -c 1-16)
}

# kbuild SRC LOCALVERSION ARG...: the command line into KBUILD. The environment is cut down to what
# a compiler needs: a caller's MAKEFLAGS, KCFLAGS or ARCH must not end up in a kernel.
kbuild()
{
	local src=$1 localversion=$2

	shift 2
	KBUILD=(env -i "PATH=$PATH" "HOME=${HOME:-/}" LC_ALL=C
		nice make -C "$src" O=obj "ARCH=$ARCH" "CROSS_COMPILE=$CROSS"
		"LOCALVERSION=$localversion" KBUILD_BUILD_USER=rig KBUILD_BUILD_HOST=rig
		KBUILD_BUILD_VERSION=1 "KBUILD_BUILD_TIMESTAMP=Thu Jan  1 00:00:00 UTC 1970"
		"-j$JOBS" "$@")
}

# configure SRC LOCALVERSION: allnoconfig with the board's fragments. An option that did not take is
# an error: a kernel silently without the asked-for driver is the worst result a build can have.
configure()
{
	local lost

	{ mkdir -p "$1/obj" && fragments >"$WORK/fragments"; } ||
		infra_error "configuring: cannot write to $WORK"
	kbuild "$1" "$2" "KCONFIG_ALLCONFIG=$WORK/fragments" allnoconfig
	step "configuring $BOARD" "${KBUILD[@]}" || build_failed "configuring"
	lost=$(config_lost "$WORK/fragments" "$1/obj/.config")
	[ -z "$lost" ] || usage_error "the config of $BOARD did not take: $lost"
}

# config_lost FRAGMENTS CONFIG: "OPTION=asked (is REALITY), ..." for what differs; the last line of
# the fragments that names an option counts.
config_lost()
{
	awk '
	function parse(line) {
		if (match(line, /^# CONFIG_[A-Za-z0-9_]+ is not set/)) {
			split(line, part, " "); name = part[2]; value = "n"; return 1
		}
		if (match(line, /^CONFIG_[A-Za-z0-9_]+=/)) {
			name = substr(line, 1, RLENGTH - 1); value = substr(line, RLENGTH + 1)
			return 1
		}
		return 0
	}
	parse($0) && FNR == NR { if (!(name in want)) order[n++] = name; want[name] = value; next }
	parse($0) { have[name] = value }
	END {
		for (i = 0; i < n; i++) {
			name = order[i]; is = name in have ? have[name] : "n"
			if (is == want[name]) continue
			printf "%s%s=%s (is %s)", sep, name, want[name], is; sep = ", "
		}
	}' "$1" "$2"
}

# build_failed WHAT: a failed make. With patches on top it is the series that does not build.
build_failed()
{
	local log=$KERNELS/.failed/$ID.log

	! disk_full || infra_error "$1: $(log_reason)"
	mkdir -p "$KERNELS/.failed" && cp "$LOG" "$log" || log='(not kept)'
	grep -E '(error|ERROR|undefined reference)[: ]' "$LOG" | head -n 5 >&2
	[ "${#PATCH_FILES[@]}" -eq 0 ] || [ "$1" = base ] ||
		usage_error "$1: the patched kernel does not build; log: $log"
	infra_error "$1: make failed: $(log_reason); log: $log"
}

# base_objects: the base's objects, made if they are not there. Sets OBJ_DIR; call with its lock.
base_objects()
{
	OBJ_DIR=$BASE_DIR/obj-$OBJ_KEY
	[ ! -d "$OBJ_DIR" ] || return 0
	farm "$WORK/base"
	configure "$WORK/base" -rig.base
	kbuild "$WORK/base" -rig.base "$TARGET" ${DTBS[@]+"${DTBS[@]}"}
	step "building the base for $BOARD" "${KBUILD[@]}" || build_failed base
	step_or_die "writing the base's objects to disk" sync -f "$WORK/base/obj"
	mv -T "$WORK/base/obj" "$OBJ_DIR" || infra_error "cannot rename into $BASE_DIR"
	rm -rf "$WORK/base"
}

# patched_files SRC: what patches changed in a farm has one link, all else at least two. It is made
# newer than the objects, which may have been built after the patching; and it tells whether the
# config of the base still is the config of the variant.
patched_files()
{
	find "$1" -path "$1/obj" -prune -o -type f -links 1 -print0
}

# objtool_keep SRC LOCALVERSION: x86 only. Every object depends on the time stamp of objtool, and
# objtool knows the directory it was built in, so that it is built again in each farm and all objects
# after it: 25 times the work of the variant itself. Where no patch touches tools/ it is the same
# program as before; with the base's time stamp make sees that too.
objtool_keep()
{
	local tool=tools/objtool/objtool

	[ -e "$1/obj/$tool" ] || return 0
	! grep -qz "^$1/tools/" "$WORK/patched" || return 0
	kbuild "$1" "$2" prepare
	step "preparing $BOARD" "${KBUILD[@]}" || build_failed "preparing"
	find "$1/obj/${tool%/*}" -type f -exec touch -r "$OBJ_DIR/$tool" {} + ||
		infra_error "cannot keep objtool's time stamp"
}

# variant_build: patch a farm, build on from the base's objects, and let the entry appear.
variant_build()
{
	local src=$WORK/src localversion=-rig.${ID:0:8} began

	[ ! -d "$KERNELS/$ID" ] || return 0
	farm "$src"
	patches_apply "$src" "${PATCH_FILES[@]}"
	with_lock "obj-$OBJ_KEY" "the base for $BOARD" base_objects
	began=$SECONDS
	step_or_die "copying the base's objects" cp -a --reflink=auto "$OBJ_DIR" "$src/obj"
	{ patched_files "$src" >"$WORK/patched" && xargs -r0 touch <"$WORK/patched"; } ||
		infra_error "cannot mark what was patched: $(disk_free) free"
	! grep -qz '/Kconfig[^/]*$' "$WORK/patched" || configure "$src" "$localversion"
	objtool_keep "$src" "$localversion"
	kbuild "$src" "$localversion" "$TARGET" ${DTBS[@]+"${DTBS[@]}"}
	step "building ${NAME:-$ID} for $BOARD" "${KBUILD[@]}" || build_failed "${NAME:-$ID}"
	entry_make "$src/obj" $((SECONDS - began))
}

# entry_make OBJ SECONDS
entry_make()
{
	local entry=$WORK/entry file n=0

	{ mkdir -p "$entry/patches" &&
		cp "${DTBS[@]/#/$1/arch/$ARCH/boot/dts/}" "$1/$IMAGE" "$entry" &&
		cp "$1/.config" "$entry/config" &&
		cp "$LOG" "$entry/build.log" &&
		manifest "$1" "$2" >"$entry/manifest"; } ||
		infra_error "writing the entry in $WORK: $(disk_free) free"
	for file in "${PATCH_FILES[@]}"; do
		n=$((n + 1))
		cp "$file" "$entry/patches/$(printf '%02d' "$n")-${file##*/}" ||
			infra_error "writing the entry: cannot copy ${file##*/}"
	done
	{ find "$entry" -type f -exec sync {} + && mv -T "$entry" "$KERNELS/$ID"; } ||
		infra_error "writing the entry: cannot complete $KERNELS/$ID"
}

# manifest OBJ SECONDS
manifest()
{
	cat <<-END
		id=$ID
		name=$NAME
		arch=$ARCH
		board=$BOARD
		image=${IMAGE##*/}${DTBS[0]+
		dtb=${DTBS[0]##*/}}
		release=$(<"$1/include/config/kernel.release")
		base=$BASE
		base_hash=$BASE_HASH
		patches_hash=$PATCHES_HASH
		config_hash=$CONFIG_HASH
		compiler=$COMPILER
		built_at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
		build_s=$2
	END
}
