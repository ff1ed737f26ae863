#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds kernels into a cache by content: the recipe behind `rig kernel`.
#
#   build.sh build   --home DIR --board BOARD [--jobs N] [--base SPEC] SOURCE
#   build.sh id      the same: prints the identity and builds nothing
#   build.sh show    --home DIR --board BOARD [--base SPEC] SOURCE    the manifest of a built kernel
#   build.sh list    --home DIR         what there is to build, and what is built
#   build.sh cmdline SERIES:VARIANT     its extra kernel command line
#   SOURCE           SERIES:VARIANT of kernel/series, or --patches DIR|MBOX [--name NAME]
#   SPEC             debian:PACKAGE, git:DIR@REV or a kernel tarball
#
# `build` prints one line, the cache entry <home>/kernels/<id>, and reports progress on stderr.
#   manifest   key=value: id name arch board image dtb release base base_hash patches_hash config_hash
#              compiler built_at build_s; `release` is what uname -r says and holds the id
#   <image>, config, patches/, build.log
# `list` prints tab separated rows:
#   variant  SERIES:VARIANT  BOARD  ID  built|-  TITLE          (id "-": base or compiler missing)
#   entry    ID  BOARD  RELEASE  BUILT_AT  BYTES  NAME
#
# Exit: 0 done, 3 the machine (disk, compiler, interrupted), 64 the input (usage, a series that does
# not apply or does not compile).
#
# lib/run.sh     messages, steps with progress, private directories, locks
# lib/series.sh  the board table and the variants files
# lib/source.sh  bases, patches
# lib/make.sh    identity, config, objects, entry

# shellcheck source-path=SCRIPTDIR
set -uo pipefail
shopt -s nullglob
export LC_ALL=C

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
DATA=${RIG_DATA:+$RIG_DATA/kernel}
DATA=${DATA:-$HERE}

# shellcheck source=lib/run.sh
. "$HERE/lib/run.sh"
# shellcheck source=lib/series.sh
. "$HERE/lib/series.sh"
# shellcheck source=lib/source.sh
. "$HERE/lib/source.sh"
# shellcheck source=lib/make.sh
. "$HERE/lib/make.sh"

usage()
{
	sed -n '3,/^# Exit/{/^# Exit/d;s/^# \{0,1\}//;p}' "$HERE/build.sh"
}

# args_parse ARG...: sets HOME_DIR BOARD_NAME JOBS BASE_SPEC PATCH_SOURCE NAME SOURCE.
args_parse()
{
	HOME_DIR=${RIG_HOME:-${XDG_DATA_HOME:-${HOME:-}/.local/share}/rig}
	BOARD_NAME='' JOBS=$(nproc) BASE_SPEC='' PATCH_SOURCE='' NAME='' SOURCE=''
	while [ $# -gt 0 ]; do
		case $1 in
		--home | --board | --jobs | --base | --patches | --name)
			[[ $# -ge 2 && -n $2 ]] || usage_error "$1 without a value"
			;;
		esac
		case $1 in
		--home) HOME_DIR=$2; shift ;;
		--board) BOARD_NAME=$2; shift ;;
		--jobs) JOBS=$2; shift ;;
		--base) BASE_SPEC=$2; shift ;;
		--patches) PATCH_SOURCE=$2; shift ;;
		--name) NAME=$2; shift ;;
		-*) usage_error "unknown option '$1'" ;;
		*)
			[ -z "$SOURCE" ] || usage_error "'$1' after '$SOURCE': one kernel at a time"
			SOURCE=$1
			;;
		esac
		shift
	done
	[[ $JOBS =~ ^[1-9][0-9]*$ ]] || usage_error "--jobs $JOBS: a number from 1 expected"
	[[ $NAME =~ ^[A-Za-z0-9._:-]*$ ]] ||
		usage_error "--name '$NAME': letters, digits, '._:-' expected"
	[[ $HOME_DIR = /* ]] || HOME_DIR=$PWD/$HOME_DIR
	KERNELS=$HOME_DIR/kernels
}

# source_load: from the arguments to everything a build needs to know, up to ID.
source_load()
{
	local default=debian:linux-source-6.12

	[ -n "$BOARD_NAME" ] ||
		usage_error "--board is missing (known: $(board_names | paste -sd ' '))"
	board_load "$BOARD_NAME"
	PATCH_FILES=()
	if [ -n "$PATCH_SOURCE" ]; then
		[ -z "$SOURCE" ] || usage_error "'$SOURCE' and --patches: one of them"
		[ -n "$WORK" ] || WORK=$(mktemp -d) || infra_error "no temporary directory"
		mkdir "$WORK/patches" || infra_error "cannot write to $WORK"
		patches_collect "$WORK/patches" "$PATCH_SOURCE"
		PATCH_FILES=("$WORK/patches"/*)
		NAME=${NAME:-$(basename "$PATCH_SOURCE" | tr -cs 'A-Za-z0-9._\n-' '-')}
	else
		[ -n "$SOURCE" ] || usage_error "no kernel named: SERIES:VARIANT or --patches"
		select_variant "$SOURCE"
		mapfile -t PATCH_FILES < <(variant_patches "$VARIANT")
		NAME=$SOURCE default=$SERIES_BASE
	fi
	compiler_load
	base_resolve "${BASE_SPEC:-$default}"
	identity_load
}

cmd_build()
{
	work_new
	work_sweep
	source_load
	if [ ! -d "$KERNELS/$ID" ]; then
		with_lock "base-${BASE_HASH:0:16}" "$BASE" base_unpack
		with_lock "id-$ID" "$NAME" variant_build
		say "$NAME for $BOARD: built in $(elapsed)"
	fi
	printf '%s\n' "$KERNELS/$ID"
}

cmd_id()
{
	source_load
	printf '%s\n' "$ID"
}

cmd_show()
{
	source_load
	[ -r "$KERNELS/$ID/manifest" ] ||
		usage_error "$NAME for $BOARD is not built (it would be $ID)"
	cat "$KERNELS/$ID/manifest"
}

cmd_cmdline()
{
	[ -n "$SOURCE" ] || usage_error "cmdline: SERIES:VARIANT expected"
	select_variant "$SOURCE"
	printf '%s\n' "$(variant_cmdline "$VARIANT")"
}

# In a subshell each: a board without its compiler must not end the list.
list_variant()
{
	local id built=-

	id=$(BOARD_NAME=$3 SOURCE=$1:$2 cmd_id 2>/dev/null) || id=-
	[ ! -d "$KERNELS/$id" ] || built=built
	printf 'variant\t%s\t%s\t%s\t%s\t%s\n' "$1:$2" "$3" "$id" "$built" "${TITLE[$2]}"
}

list_entry()
{
	local key value
	local -A m=()

	while IFS='=' read -r key value; do
		m[$key]=$value
	done <"$1/manifest"
	printf 'entry\t%s\t%s\t%s\t%s\t%s\t%s\n' "${m[id]}" "${m[board]}" "${m[release]}" \
		"${m[built_at]}" "$(stat -c %s "$1/${m[image]}")" "${m[name]}"
}

cmd_list()
{
	local series variant board entry

	for series in $(series_names); do
		series_load "$series"
		for variant in "${VARIANTS[@]}"; do
			for board in $(board_names); do
				list_variant "$series" "$variant" "$board"
			done
		done
	done
	for entry in "$KERNELS"/*/; do
		[ ! -r "$entry/manifest" ] || list_entry "${entry%/}"
	done
}

trap finish EXIT
trap cancelled INT TERM HUP

COMMAND=${1-}
[ $# -eq 0 ] || shift
case $COMMAND in
build | id | show | list | cmdline)
	args_parse "$@"
	"cmd_$COMMAND"
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit "$EXIT_USAGE"
	;;
esac
