# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernel build: where the source comes from. A base is resolved to a content hash, unpacked once per
# cache as a pristine tree, and never written to again: a build works in a hard link farm of it.
# GNU patch replaces the files it changes by renaming, so the links of a patched file are broken and
# the pristine tree stays what it was (kernel/patch-breaks-links in the tests holds it to that).

# base_resolve SPEC: sets BASE, BASE_HASH and what base_unpack() needs. SPEC is
#   debian:PACKAGE   /usr/src/PACKAGE.tar.xz, as the Debian source package installs it
#   git:DIR@REV      a revision of a git tree
#   PATH             a kernel tarball
base_resolve()
{
	local dir rev

	BASE=$1 BASE_TAR='' BASE_GIT=''
	case $1 in
	debian:*)
		BASE_TAR=${RIG_USR_SRC:-/usr/src}/${1#debian:}.tar.xz
		[ -r "$BASE_TAR" ] || infra_error "base $1: $BASE_TAR is not there;" \
			"'make setup' installs it"
		;;
	git:*@*)
		rev=${1##*@} dir=${1#git:} dir=${dir%@*}
		BASE_TREE=$(git -C "$dir" rev-parse --verify -q "$rev^{tree}" 2>/dev/null) ||
			usage_error "base $1: no revision '$rev' in a git tree at '$dir'"
		BASE_GIT=$dir BASE_HASH=$(printf 'git-tree %s' "$BASE_TREE" | sha256)
		return 0
		;;
	git:*)
		usage_error "base $1: git:DIR@REV expected"
		;;
	*)
		BASE_TAR=$1
		[[ -f $BASE_TAR && -r $BASE_TAR ]] || usage_error "base $1: no such tarball"
		;;
	esac
	BASE_HASH=$(tarball_hash "$BASE_TAR") || infra_error "base $1: cannot read $BASE_TAR"
}

sha256()
{
	local sum

	sum=$(sha256sum "$@") && printf '%s' "${sum%% *}"
}

# tarball_hash FILE: its SHA-256, remembered as long as inode, size and times stay the same: reading
# 150 MB again would cost more than all the rest of finding a kernel in the cache.
tarball_hash()
{
	local stamp was hash now

	now=$(stat -L -c '%d:%i:%s:%.9Y:%.9Z' "$1") || return 1
	stamp=$KERNELS/.base/stamp-$(printf '%s' "$1" | sha256 | cut -c 1-16)
	if { read -r was hash <"$stamp"; } 2>/dev/null && [ "$was" = "$now" ]; then
		printf '%s' "$hash"
		return 0
	fi
	hash=$(sha256 "$1") || return 1
	if [ -d "$KERNELS/.base" ]; then
		printf '%s %s\n' "$now" "$hash" 2>/dev/null >"$stamp.$$" &&
			mv -f "$stamp.$$" "$stamp" 2>/dev/null
	fi
	printf '%s' "$hash"
}

# base_unpack: the pristine tree, made if it is not there. Sets BASE_DIR; call with its lock held.
base_unpack()
{
	BASE_DIR=$KERNELS/.base/${BASE_HASH:0:16}
	[ ! -d "$BASE_DIR/src" ] || return 0
	mkdir -p "$BASE_DIR" "$WORK/unpack" || infra_error "cannot write to $KERNELS"
	if [ -n "$BASE_GIT" ]; then
		# shellcheck disable=SC2016
		step_or_die "unpacking $BASE" sh -c \
			'git -C "$1" archive --format=tar "$2" >"$3.tar" &&
			tar -xf "$3.tar" -C "$3" && rm "$3.tar"' \
			unpack "$BASE_GIT" "$BASE_TREE" "$WORK/unpack"
	else
		step_or_die "unpacking $BASE" tar -xf "$BASE_TAR" -C "$WORK/unpack" \
			--strip-components=1 --no-same-owner
	fi
	[[ -f $WORK/unpack/Makefile && -f $WORK/unpack/Kconfig ]] ||
		usage_error "base $BASE: no kernel source (no Makefile and Kconfig at its top)"
	step_or_die "writing the base to disk" sync -f "$WORK/unpack"
	mv -T "$WORK/unpack" "$BASE_DIR/src" || infra_error "cannot rename into $BASE_DIR"
}

# farm DIR: a hard link farm of the pristine tree.
farm()
{
	step_or_die "linking the source" cp -al "$BASE_DIR/src" "$1"
}

# patches_collect DEST SOURCE: copies a user's series as NNNN-name.patch into DEST, in order. SOURCE
# is a directory of git format-patch files (sorted by name) or an mbox.
patches_collect()
{
	local file n=0

	if [ -d "$2" ]; then
		for file in "$2"/*.patch "$2"/*.diff; do
			[ -f "$file" ] || continue
			# a cover letter has no diff, and a directory may hold one
			patch_has_diff "$file" || continue
			n=$((n + 1))
			cp "$file" "$1/" || infra_error "cannot copy $file"
		done
	elif [ -f "$2" ]; then
		mbox_split "$1" "$2"
		n=$(find "$1" -name '*.patch' | wc -l)
	else
		usage_error "no patches at '$2': a directory of *.patch files or an mbox expected"
	fi
	[ "$n" -ne 0 ] || usage_error "no patch in '$2'"
}

patch_has_diff()
{
	grep -qE '^(diff --git |--- [^ ])' "$1" && grep -q '^@@ ' "$1"
}

# mbox_split DEST MBOX: only mails with a diff, decoded (base64, quoted-printable). They stand in
# the order of their "[PATCH n/m]" if all have one, else in the order of the mbox.
mbox_split()
{
	local dir=$1.mails mail n name key

	{ mkdir -p "$dir" && git mailsplit -o"$dir" --keep-cr "$2" >/dev/null 2>&1; } ||
		usage_error "'$2' is not an mbox"
	for mail in "$dir"/[0-9]*; do
		[ -f "$mail" ] || continue
		git mailinfo -k "$dir/text" "$dir/diff" <"$mail" >"$dir/info" 2>/dev/null ||
			continue
		patch_has_diff "$dir/diff" || continue
		n=$(sed -nE '1,/^$/s/^Subject: \[[^]]*PATCH[^]]* 0*([0-9]+)\/[0-9]+\].*/\1/p' \
			"$dir/info")
		printf '%s\t%s\n' "${n:--}" "${mail##*/}" >>"$dir/order"
		{ cat "$dir/info" "$dir/text"; printf -- '---\n'; cat "$dir/diff"; } >"$mail.patch"
	done
	[ -s "$dir/order" ] || usage_error "no mail with a diff in '$2'"
	key=1,1n
	! grep -q '^-' "$dir/order" || key=2,2
	n=0
	while IFS=$'\t' read -r _ mail; do
		n=$((n + 1))
		name=$(sed -nE 's/^Subject: (\[[^]]*\] *)?//p' "$dir/$mail.patch" | head -n 1 |
			tr -cs 'A-Za-z0-9._\n' '-' | cut -c 1-52)
		mv "$dir/$mail.patch" "$1/$(printf '%04d-%s' "$n" "${name%-}").patch"
	done < <(sort -s -k "$key" "$dir/order")
	rm -rf "$dir"
}

# patches_hash FILE...: of the contents in order; names do not count.
patches_hash()
{
	local file

	for file in "$@"; do
		sha256 "$file" || return 1
		printf '\n'
	done | sha256
}

# patches_apply TREE FILE...: all or exit 64. No fuzz: a hunk whose context has changed is for a
# person to look at, as with git am.
patches_apply()
{
	local tree=$1 file

	shift
	for file in "$@"; do
		LC_ALL=C patch -d "$tree" -p1 -f -N -F0 --no-backup-if-mismatch -r - \
			<"$file" >"$WORK/patch.log" 2>&1 && continue
		cat "$WORK/patch.log" >>"$LOG"
		! disk_full || infra_error "patching: $(log_reason)"
		usage_error "${file##*/} does not apply to $BASE:" \
			"$(patch_reason "$WORK/patch.log")"
	done
}

# patch_reason LOG: "FILE: hunk N (line L), hunk M ..." from what GNU patch printed.
patch_reason()
{
	awk '
	function add(text) { out = out (out == "" ? "" : "; ") text }
	/^(patching|checking) file / { file = $3; gsub(/\047/, "", file); next }
	/^can.t find file to patch/ { missing = 1; next }
	missing && /^\|\+\+\+ / {
		file = $2; sub(/^[^\/]*\//, "", file)
		add(file ": hunk 1: no such file"); missing = 0; next
	}
	/^Hunk #[0-9]+ FAILED/ {
		sub(/^#/, "", $2); sub(/\.$/, "", $5)
		add(file ": hunk " $2 " (line " $5 ")"); next
	}
	/previously applied/ { add(file ": hunk 1: already applied, or reversed"); next }
	/^The next patch (would|when reversed)/ { sub(/,$/, "", $8); add($0); next }
	/git binary diffs are not supported/ || /[Oo]nly garbage/ || /malformed patch/ { add($0) }
	{ last = $0 }
	END { print out == "" ? last : out }' "$1"
}
