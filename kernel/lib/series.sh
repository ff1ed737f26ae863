# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernel build: the two hand-written tables, config/boards and series/<name>/variants, read
# strictly. A mistake is reported as FILE:LINE and ends the program with exit code 64.

# The keys of a variants file.
declare -rA VARIANT_KEYS=([variant]=1 [title]=1 [on]=1 [patch]=1 [cmdline]=1)

# One series, read: names in order, and by "variant" the other fields.
declare -a VARIANTS=()
declare -A TITLE=() ON=() PATCHES=() CMDLINE=()

# shellcheck disable=SC2034	# these are read in make.sh
# board_load NAME: sets BOARD ARCH CROSS TARGET IMAGE FRAGMENTS(array) DTBS(array) BOARD_ROW.
board_load()
{
	local file=$DATA/config/boards line=0 row fields names=() fragments

	[ -r "$file" ] || infra_error "no board table at $file"
	while IFS= read -r row; do
		line=$((line + 1))
		read -ra fields <<<"${row%%#*}"
		[ ${#fields[@]} -ne 0 ] || continue
		[[ ${#fields[@]} -eq 6 || ${#fields[@]} -eq 7 ]] ||
			usage_error "$file:$line: 6 or 7 fields expected, not ${#fields[@]}"
		names+=("${fields[0]}")
		[ "${fields[0]}" = "$1" ] || continue
		BOARD=${fields[0]} ARCH=${fields[1]} CROSS=${fields[2]#-} TARGET=${fields[3]}
		IMAGE=${fields[4]} fragments=${fields[5]} BOARD_ROW=${fields[*]}
		IFS=, read -ra FRAGMENTS <<<"$fragments"
		IFS=, read -ra DTBS <<<"${fields[6]-}"
		for row in "${FRAGMENTS[@]}"; do
			[ -r "$DATA/config/$row" ] || usage_error "$file:$line: no fragment $row"
		done
		return 0
	done <"$file"
	usage_error "no board '$1' in $file (known: ${names[*]})"
}

board_names()
{
	sed -e 's/#.*//' "$DATA/config/boards" | awk 'NF { print $1 }'
}

series_names()
{
	local dir

	for dir in "$DATA"/series/*/; do
		[ ! -e "$dir/variants" ] || basename "$dir"
	done
}

# series_load NAME: fills VARIANTS and the arrays beside it, sets SERIES_DIR and SERIES_BASE.
series_load()
{
	local at row key value current='' n=0

	VARIANTS=() TITLE=() ON=() PATCHES=() CMDLINE=()
	SERIES_DIR=$DATA/series/$1
	[ -r "$SERIES_DIR/variants" ] ||
		usage_error "no series '$1' (known: $(series_names | paste -sd ' '))"
	while IFS= read -r row || [ -n "$row" ]; do
		n=$((n + 1)) at=$SERIES_DIR/variants:$n
		read -r key value <<<"$row"
		[[ -n $key && $key != \#* ]] || continue
		[ -n "${VARIANT_KEYS[$key]+known}" ] ||
			usage_error "$at: unknown key '$key' (known: ${!VARIANT_KEYS[*]})"
		[ -n "$value" ] || usage_error "$at: '$key' without a value"
		if [ "$key" = variant ]; then
			variant_begin "$at" "$value"
			current=$value
		else
			[ -n "$current" ] || usage_error "$at: '$key' before the first variant"
			variant_key "$at" "$current" "$key" "$value"
		fi
	done <"$SERIES_DIR/variants"
	[ ${#VARIANTS[@]} -ne 0 ] || usage_error "$SERIES_DIR/variants: no variant"
	for current in "${VARIANTS[@]}"; do
		[ -n "${TITLE[$current]}" ] ||
			usage_error "$SERIES_DIR/variants: variant '$current' has no title"
	done
	series_base_load
}

series_base_load()
{
	SERIES_BASE=$(sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$SERIES_DIR/base" \
		2>/dev/null)
	[ -n "$SERIES_BASE" ] || usage_error "$SERIES_DIR/base: no base in it"
	[ "${SERIES_BASE//$'\n'/}" = "$SERIES_BASE" ] ||
		usage_error "$SERIES_DIR/base: one base expected"
}

# variant_begin AT NAME
variant_begin()
{
	[[ $2 =~ ^[a-z0-9][a-z0-9._-]*$ ]] ||
		usage_error "$1: '$2' is no variant name (lower case, digits, '.', '_', '-')"
	[ -z "${TITLE[$2]+known}" ] || usage_error "$1: variant '$2' twice"
	VARIANTS+=("$2")
	TITLE[$2]='' ON[$2]='' PATCHES[$2]='' CMDLINE[$2]=''
}

# variant_key AT VARIANT KEY VALUE
variant_key()
{
	case $3 in
	title)
		[ -z "${TITLE[$2]}" ] || usage_error "$1: second title of '$2'"
		TITLE[$2]=$4
		;;
	on)
		[ -z "${ON[$2]}" ] || usage_error "$1: second 'on' of '$2'"
		[[ $4 != "$2" && -n ${TITLE[$4]+known} ]] ||
			usage_error "$1: '$2' stands on '$4', which is not a variant above it"
		ON[$2]=$4
		;;
	patch)
		[[ $4 != */* && $4 != *[[:space:]]* && -r $SERIES_DIR/$4 ]] ||
			usage_error "$1: no patch file '$4' in $SERIES_DIR"
		PATCHES[$2]+="$4 "
		;;
	cmdline)
		CMDLINE[$2]+="${CMDLINE[$2]:+ }$4"
		;;
	esac
}

# variant_patches NAME: the files, those of the variants it stands on first.
variant_patches()
{
	local file

	[ -z "${ON[$1]}" ] || variant_patches "${ON[$1]}"
	for file in ${PATCHES[$1]}; do
		printf '%s\n' "$SERIES_DIR/$file"
	done
}

# variant_cmdline NAME: likewise.
variant_cmdline()
{
	local below=''

	[ -z "${ON[$1]}" ] || below=$(variant_cmdline "${ON[$1]}")
	printf '%s' "$below${below:+${CMDLINE[$1]:+ }}${CMDLINE[$1]}"
}

# select_variant SERIES:VARIANT: loads the series, sets VARIANT.
select_variant()
{
	local series=${1%%:*}

	[[ $1 =~ ^[^:/]+:[^:/]+$ ]] || usage_error "'$1' is not SERIES:VARIANT"
	VARIANT=${1#*:}
	series_load "$series"
	[ -n "${TITLE[$VARIANT]+known}" ] ||
		usage_error "series '$series' has no variant '$VARIANT' (known: ${VARIANTS[*]})"
}
