#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kernel/build.sh against a base that takes no time to build: a tarball with a Makefile that knows
# the targets build.sh calls. Prints "ok NAME", "not ok NAME" or "skip NAME: WHY", exits 1 if one
# failed.
# usage: build-test.sh [TEST...]
# shellcheck disable=SC2317	# tests are called by name

set -u
shopt -s nullglob
export LC_ALL=C

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
BUILD=${RIG_KERNEL_BUILD:-$HERE/../../../kernel/build.sh}
TMP=$(mktemp -d)
MOUNTED=
FAILED=0
trap '[ -z "$MOUNTED" ] || umount "$MOUNTED"; rm -rf "$TMP"' EXIT

# A tree with a.c and b.c. Its "objects" are copies, its image is their concatenation and the local
# version; allnoconfig loses CONFIG_LOST. A file `delay` slows each object down, an object whose
# source holds "#error" fails.
base_make()
{
	local dir=$TMP/base/linux-9.9

	mkdir -p "$dir/lib"
	printf 'config FAKE\n' >"$dir/Kconfig"
	seq -f 'int a%g;' 40 >"$dir/a.c"
	seq -f 'int b%g;' 40 >"$dir/lib/b.c"
	cat >"$dir/Makefile" <<-'END'
		.RECIPEPREFIX := >
		OBJS := $(O)/a.o $(O)/b.o
		allnoconfig:
		>@echo CONFIGURED
		>@grep -v CONFIG_LOST $(KCONFIG_ALLCONFIG) >$(O)/.config
		image: $(OBJS)
		>@mkdir -p $(O)/boot $(O)/include/config
		>@printf '9.9.0%s\n' '$(LOCALVERSION)' >$(O)/include/config/kernel.release
		>@echo '  LD      vmlinux'
		>@cat $(OBJS) $(O)/include/config/kernel.release >$(O)/boot/image
		$(O)/a.o: a.c
		$(O)/b.o: lib/b.c
		$(OBJS):
		>@echo '  CC      $@'
		>@if [ -f delay ]; then echo $$$$ >>'$(MARK)'; sleep $$(cat delay); fi
		>@if grep -n '#error' $<; then echo '$<:1: error: broken' >&2; exit 1; fi
		>@cp $< $@
		%.dtb:
		>@mkdir -p $(O)/arch/$(ARCH)/boot/dts/$(@D)
		>@echo $@ >$(O)/arch/$(ARCH)/boot/dts/$@
		.PHONY: allnoconfig image
	END
	sed -i "s|\$(MARK)|$TMP/mark|" "$dir/Makefile"
	tar -C "$TMP/base" -cf "$TMP/base.tar" linux-9.9
	printf '60\n' >"$dir/delay"
	tar -C "$TMP/base" -cf "$TMP/slow.tar" linux-9.9
	printf '1\n' >"$dir/delay"
	tar -C "$TMP/base" -cf "$TMP/tardy.tar" linux-9.9
	rm "$dir/delay"
	dd if=/dev/urandom of="$dir/big" bs=1M count=3 status=none
	tar -C "$TMP/base" -cf "$TMP/big.tar" linux-9.9
	rm "$dir/big"
}

# change FILE LINE-NUMBER SUBJECT: a patch that changes that line, as git format-patch writes it.
change()
{
	local old=$TMP/base/linux-9.9/$1 new=$TMP/new

	sed "$2s/.*/changed: $3/" "$old" >"$new"
	printf 'From 0000 Mon Sep 17 00:00:00 2001\nFrom: T <t@e.org>\n'
	printf 'Subject: [PATCH] %s\n\n---\n' "$3"
	printf 'diff --git a/%s b/%s\n' "$1" "$1"
	diff -u --label "a/$1" --label "b/$1" "$old" "$new"
}

data_make()
{
	mkdir -p "$TMP/data/kernel/config" "$TMP/data/kernel/series/s" "$TMP/data/kernel/series/bad"
	cat >"$TMP/data/kernel/config/boards" <<-END
		# board arch cross target image fragments
		fake   host - image boot/image fake.config
		other  host - image boot/image fake.config,other.config
		lossy  host - image boot/image fake.config,lossy.config
		alien  host no-such-compiler- image boot/image fake.config
		trees  host - image boot/image fake.config v/one.dtb,v/two.dtb
	END
	printf 'CONFIG_FAKE=y\n# CONFIG_OFF is not set\n' >"$TMP/data/kernel/config/fake.config"
	printf 'CONFIG_OTHER="x"\n' >"$TMP/data/kernel/config/other.config"
	printf 'CONFIG_LOST=y\n' >"$TMP/data/kernel/config/lossy.config"
	cd "$TMP/data/kernel/series/s" || exit 1
	printf '%s\n' "$TMP/base.tar" >base
	change a.c 5 one >one.patch
	change lib/b.c 20 two >two.patch
	cat >variants <<-'END'
		variant plain
			title nothing changed
		variant one
			title one changed
			patch one.patch
			cmdline a=1 b
		variant two
			title both changed
			on one
			patch two.patch
			cmdline c=3
	END
	cd - >/dev/null || exit 1
}

# build ARG...: into $TMP/home; stdout to $TMP/out, stderr to $TMP/err.
build()
{
	"$BUILD" "$@" --home "$TMP/home" >"$TMP/out" 2>"$TMP/err" </dev/null
}

entries()
{
	find "$TMP/home/kernels" -mindepth 1 -maxdepth 1 -type d -name '[0-9a-f]*' | wc -l
}

# clean: no private directory, no entry beyond $1.
clean()
{
	local left

	left=$(find "$TMP/home/kernels/.work" -mindepth 1 -maxdepth 1)
	expect "private directories left" "" "$left" && expect "entries" "$1" "$(entries)"
}

expect()	# WHAT WANT HAVE
{
	[ "$2" = "$3" ] && return 0
	printf '# %s: want "%s", have "%s"\n' "$1" "$2" "$3"
	return 1
}

stderr_has()
{
	local word

	for word in "$@"; do
		grep -qF -- "$word" "$TMP/err" && continue
		printf '# "%s" is not in: %s\n' "$word" "$(<"$TMP/err")"
		return 1
	done
}

manifest_get()
{
	sed -n "s/^$1=//p" "$2/manifest"
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}

marked()
{
	[ -s "$TMP/mark" ]
}

mark_dead()
{
	local pid

	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || return 1
	done <"$TMP/mark"
}

test_id_is_stable()
{
	local plain one

	build id --board fake s:plain && plain=$(<"$TMP/out") || return 1
	[[ $plain =~ ^[0-9a-f]{16}$ ]] || expect "an id" "16 hex digits" "$plain" || return 1
	build id --board fake s:plain && expect "second id" "$plain" "$(<"$TMP/out")" || return 1
	build id --board fake s:one && one=$(<"$TMP/out") && [ "$one" != "$plain" ] || return 1
	build id --board other s:plain && [ "$(<"$TMP/out")" != "$plain" ] || return 1
	# names do not count, contents do
	mkdir "$TMP/renamed" && cp "$TMP/data/kernel/series/s/one.patch" "$TMP/renamed/9.patch"
	build id --board fake --patches "$TMP/renamed" --base "$TMP/base.tar" &&
		expect "id of the renamed patch" "$one" "$(<"$TMP/out")" || return 1
	[ ! -e "$TMP/home/kernels" ] || expect "id builds" nothing something
}

test_build_and_cache()
{
	local entry key

	build build --board fake s:plain || return 1
	entry=$(<"$TMP/out")
	expect "lines on stdout" 1 "$(wc -l <"$TMP/out")" || return 1
	for key in image config build.log manifest patches; do
		[ -e "$entry/$key" ] || expect "in the entry" "$key" missing || return 1
	done
	for key in id arch board image release base base_hash patches_hash config_hash compiler \
		built_at build_s; do
		[ -n "$(manifest_get "$key" "$entry")" ] ||
			expect "in the manifest" "$key" missing || return 1
	done
	expect "id" "${entry##*/}" "$(manifest_get id "$entry")" &&
		expect "release" "9.9.0-rig.$(basename "$entry" | cut -c 1-8)" \
			"$(manifest_get release "$entry")" &&
		expect "release in the image" 1 "$(grep -c "^9.9.0-rig" "$entry/image")" || return 1
	touch "$TMP/before"
	build build --board fake s:plain && expect "again" "$entry" "$(<"$TMP/out")" || return 1
	expect "rewritten" "" "$(find "$entry" -newer "$TMP/before")" && clean 1
}

test_variant_rebuilds_only_what_it_touches()
{
	local entry tree before

	tree=$(echo "$TMP"/home/kernels/.base/*/src)
	before=$(find "$tree" -type f -exec sha256sum {} + | sort | sha256sum)
	build build --board fake s:one || return 1
	entry=$(<"$TMP/out")
	expect "objects built" "  CC      obj/a.o" "$(grep '^  CC' "$entry/build.log")" &&
		expect "patched" 1 "$(grep -c '^changed: one' "$entry/image")" &&
		expect "patches kept" "$entry/patches/01-one.patch" "$(echo "$entry"/patches/*)" &&
		expect "pristine tree" "$before" \
			"$(find "$tree" -type f -exec sha256sum {} + | sort | sha256sum)"
}

test_stacked_variant()
{
	build build --board fake s:two || return 1
	expect "both patches" 2 "$(grep -c '^changed' "$(<"$TMP/out")/image")" || return 1
	build cmdline s:two && expect "cmdline" "a=1 b c=3" "$(<"$TMP/out")" || return 1
	build cmdline s:plain && expect "no cmdline" "" "$(<"$TMP/out")"
}

test_list_and_show()
{
	build list || return 1
	expect "variant rows" 15 "$(grep -c '^variant	' "$TMP/out")" &&
		expect "built rows" 3 "$(grep -c '	built	' "$TMP/out")" &&
		expect "entry rows" 3 "$(grep -c '^entry	' "$TMP/out")" &&
		expect "no compiler" 3 "$(grep -c '	alien	-	-	' "$TMP/out")" ||
		return 1
	build show --board fake s:one && expect "name" "name=s:one" "$(grep ^name= "$TMP/out")" ||
		return 1
	build show --board other s:one
	expect "exit of show for a kernel that is not built" 64 $?
}

test_same_image_again()
{
	local entry

	build build --board fake s:one || return 1
	entry=$(<"$TMP/out")
	mv "$entry" "$TMP/first" || return 1
	build build --board fake s:one && cmp "$entry/image" "$TMP/first/image"
}

test_patch_does_not_apply()
{
	local n

	n=$(entries)
	mkdir -p "$TMP/misfit"
	cp "$TMP/data/kernel/series/s/one.patch" "$TMP/misfit/0001-fits.patch"
	{ change lib/b.c 3 first; change lib/b.c 30 second | sed -n '/^@@/,$p'; } |
		sed 's/int b29;/int c29;/' >"$TMP/misfit/0002-misfit.patch"
	build build --board fake --patches "$TMP/misfit" --base "$TMP/base.tar"
	expect "exit" 64 $? && clean "$n" &&
		stderr_has 0002-misfit.patch lib/b.c "hunk 2" "(line 27)" || return 1
	sed 's|lib/b\.c|lib/none.c|' "$TMP/misfit/0002-misfit.patch" >"$TMP/misfit/2"
	mv "$TMP/misfit/2" "$TMP/misfit/0002-misfit.patch"
	build build --board fake --patches "$TMP/misfit" --base "$TMP/base.tar"
	expect "exit" 64 $? && clean "$n" && stderr_has 0002-misfit.patch lib/none.c "no such file"
}

test_series_does_not_compile()
{
	local n

	n=$(entries)
	mkdir -p "$TMP/broken"
	change a.c 7 '#error' >"$TMP/broken/0001-broken.patch"
	build build --board fake --patches "$TMP/broken" --base "$TMP/base.tar"
	expect "exit" 64 $? && clean "$n" && stderr_has "a.c:1: error: broken" "does not build"
}

test_directory_with_cover_letter()
{
	mkdir -p "$TMP/dir"
	printf 'Subject: [PATCH 0/2] cover\n\n a.c | 2 +-\n' >"$TMP/dir/0000-cover.patch"
	change a.c 5 one >"$TMP/dir/0001-one.patch"
	change lib/b.c 20 two >"$TMP/dir/0002-two.patch"
	build build --board fake --patches "$TMP/dir" --base "$TMP/base.tar" --name my-series ||
		return 1
	expect "patches" 2 "$(echo "$(<"$TMP/out")"/patches/* | wc -w)"
}

# mail SUBJECT: the head of one in an mbox.
mail()
{
	printf 'From a@b Thu Jan  1 00:00:00 1970\nFrom: A <a@b>\nSubject: %s\n' "$1"
}

# A mailing list archive: a reply before the patches, those in the wrong order, one of them encoded.
test_mbox()
{
	local entry

	{
		mail 'Re: [PATCH 1/2] x'
		printf '\n> diff --git a/a.c b/a.c\nno.\n\n'
		mail '[PATCH v2 2/2] lib: two'
		printf 'MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n'
		printf 'Content-Transfer-Encoding: base64\n\n'
		change lib/b.c 20 two | sed -n '/^---$/,$p' | base64
		printf '\n'
		mail '[PATCH v2 1/2] one'
		printf '\n'
		change a.c 5 one | sed -n '/^---$/,$p'
		printf '\n'
	} >"$TMP/series.mbox"
	build build --board fake --patches "$TMP/series.mbox" --base "$TMP/base.tar" || return 1
	entry=$(<"$TMP/out")
	expect "patches" "01-0001-one.patch 02-0002-lib-two.patch" \
		"$(cd "$entry/patches" && echo *)" &&
		expect "name" series.mbox "$(manifest_get name "$entry")" &&
		expect "both applied" 2 "$(grep -c '^changed' "$entry/image")" || return 1
	printf 'no mail\n' >"$TMP/none.mbox"
	build build --board fake --patches "$TMP/none.mbox" --base "$TMP/base.tar"
	expect "exit without a mail" 64 $?
}

test_git_base()
{
	local git="git -c user.name=t -c user.email=t@e -C $TMP/base/linux-9.9"

	$git init -q && $git add -A && $git commit -qm base || return 1
	build build --board fake s:one --base "git:$TMP/base/linux-9.9@HEAD" || return 1
	expect "patched" 1 "$(grep -c '^changed: one' "$(<"$TMP/out")/image")" || return 1
	rm -rf "$TMP/base/linux-9.9/.git"
	build id --board fake s:one --base "git:$TMP/base/linux-9.9@HEAD"
	expect "exit without a repository" 64 $?
}

test_two_at_once()
{
	local i pids=() rc=0

	for i in one one two plain; do
		"$BUILD" build --home "$TMP/both" --board fake "s:$i" --base "$TMP/tardy.tar" \
			>"$TMP/both.${#pids[@]}" 2>"$TMP/err.${#pids[@]}" </dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || rc=1
	done
	expect "exits" 0 "$rc" || { cat "$TMP"/err.?; return 1; }
	expect "same entry" "$(<"$TMP/both.0")" "$(<"$TMP/both.1")" &&
		expect "base built" 1 "$(echo "$TMP"/both/kernels/.base/*/obj-* | wc -w)" &&
		expect "entries" 3 "$(echo "$TMP"/both/kernels/[0-9a-f]* | wc -w)" &&
		expect "left" "" "$(ls "$TMP/both/kernels/.work")" &&
		expect "waited" 1 "$(cat "$TMP"/err.? | grep -c 'another build of s:one')"
}

# A patch to a Kconfig file: the config is made again, from what is now in the fragments' reach.
test_patched_kconfig()
{
	mkdir -p "$TMP/kconf"
	change Kconfig 1 'config NEW' >"$TMP/kconf/0001-kconfig.patch"
	build build --board fake --patches "$TMP/kconf" --base "$TMP/base.tar" || return 1
	expect "configured" 1 "$(grep -c CONFIGURED "$(<"$TMP/out")/build.log")" || return 1
	build build --board fake s:two --base "$TMP/base.tar" || return 1
	expect "not configured" 0 "$(grep -c CONFIGURED "$(<"$TMP/out")/build.log")"
}

# interrupted SIGNAL: what is left of a build that gets it while its objects are made.
interrupted()
{
	local pid n rc

	n=$(entries)
	rm -f "$TMP/mark"
	set -m	# a job of its own, or the shell makes it ignore SIGINT
	"$BUILD" build --home "$TMP/home" --board fake s:one --base "$TMP/slow.tar" \
		>"$TMP/out" 2>"$TMP/err" </dev/null &
	pid=$!
	set +m
	wait_for 10 marked || { kill "$pid"; return 1; }
	kill -"$1" "$pid"
	wait "$pid" 2>/dev/null
	rc=$?
	wait_for 5 mark_dead || expect "compilers" dead alive || return 1
	[ "$1" = KILL ] || { expect "exit" 3 "$rc" && stderr_has cancelled && clean "$n"; }
}

test_ctrl_c()
{
	interrupted INT
}

test_sigterm()
{
	interrupted TERM
}

test_killed_and_swept()
{
	interrupted KILL || return 1
	expect "left by the dead" 1 "$(echo "$TMP"/home/kernels/.work/* | wc -w)" || return 1
	# a directory of a living builder stays
	mkdir "$TMP/home/kernels/.work/$$.$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20).x"
	build build --board fake s:plain || return 1
	expect "after the next build" 1 "$(echo "$TMP"/home/kernels/.work/* | wc -w)" &&
		stderr_has "removing what a dead build left" || return 1
	rm -r "$TMP"/home/kernels/.work/*
}

# full_disk SIZE: either all of a build fits, or it says that the disk is full and leaves nothing.
full_disk()
{
	local rc entries

	mount -t tmpfs -o "size=$1" tmpfs "$TMP/small" 2>/dev/null || return 77
	MOUNTED=$TMP/small
	"$BUILD" build --home "$TMP/small" --board fake s:one --base "$TMP/big.tar" \
		>"$TMP/out" 2>"$TMP/err" </dev/null
	rc=$?
	entries=("$TMP"/small/kernels/[0-9a-f]*)
	expect "left at $1" "" "$(ls "$TMP/small/kernels/.work")" || return 1
	umount "$TMP/small"
	MOUNTED=
	if [ "$rc" = 0 ]; then
		expect "entries at $1" 1 ${#entries[@]}
	else
		expect "exit at $1" 3 "$rc" && expect "entries at $1" 0 ${#entries[@]} &&
			stderr_has "o space left"
	fi
}

# From "the tree does not fit" by steps of a few pages to "all fits", so that it ends in each stage.
test_full_disk()
{
	local size

	mkdir -p "$TMP/small"
	for size in 40 1024 3092 3104 3116 3128 3140 3152 3164 3300; do
		full_disk "${size}k" || return
	done
}

test_unwritable_home()
{
	"$BUILD" build --home /dev/null/rig --board fake s:one >"$TMP/out" 2>"$TMP/err" </dev/null
	expect "exit" 3 $? && stderr_has "cannot write to /dev/null/rig/kernels"
}

test_lost_option_is_named()
{
	local n

	n=$(entries)
	build build --board lossy s:plain
	expect "exit" 64 $? && clean "$n" && stderr_has "CONFIG_LOST=y (is n)"
}

test_missing_base_and_compiler()
{
	RIG_USR_SRC=$TMP build build --board fake s:one --base debian:linux-source-0.0
	expect "exit" 3 $? && stderr_has linux-source-0.0.tar.xz "make setup" || return 1
	build build --board alien s:one
	expect "exit" 3 $? && stderr_has no-such-compiler-gcc "make setup" || return 1
	build build --board fake s:one --base "$TMP/no.tar"
	expect "exit" 64 $? || return 1
	tar -C "$TMP" -cf "$TMP/not-linux.tar" data
	build build --board fake s:one --base "$TMP/not-linux.tar"
	expect "exit" 64 $? && stderr_has "no kernel source"
}

# bad LINE MESSAGE: a variants file with that as its fourth line is refused with that message.
bad()
{
	printf 'variant v\n\ttitle t\n\n%s\n' "$1" >"$TMP/data/kernel/series/bad/variants"
	build cmdline bad:v
	expect "exit for '$1'" 64 $? && stderr_has "bad/variants:4: $2"
}

test_strict_variants()
{
	local dir=$TMP/data/kernel/series/bad rc=0

	printf '%s\n' "$TMP/base.tar" >"$dir/base"
	bad 'patches x' "unknown key 'patches'" &&
		bad 'cmdline' "'cmdline' without a value" &&
		bad 'patch none.patch' "no patch file 'none.patch'" &&
		bad 'patch ../s/one.patch' "no patch file" &&
		bad 'title again' "second title" &&
		bad 'variant v' "variant 'v' twice" &&
		bad 'variant V!' "'V!' is no variant name" &&
		bad 'on v' "'v' stands on 'v', which is not a variant above it" &&
		bad 'on w' "'v' stands on 'w', which is not a variant above it" || rc=1
	printf 'title t\n' >"$dir/variants"
	build cmdline bad:v
	expect "exit" 64 $? && stderr_has "bad/variants:1: 'title' before" || rc=1
	printf 'variant v\nvariant w\ntitle t\n' >"$dir/variants"
	build cmdline bad:v
	expect "exit" 64 $? && stderr_has "variant 'v' has no title" || rc=1
	rm "$dir/variants"
	return "$rc"
}

# usage_is ARG...: refused with 64.
usage_is()
{
	"$BUILD" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	expect "exit of '$*'" 64 $? && expect "stdout of '$*'" "" "$(<"$TMP/out")"
}

test_usage()
{
	usage_is && usage_is frob && usage_is build && usage_is build --home &&
		usage_is build s:one && usage_is build --board nope s:one &&
		usage_is build --board fake s:nope &&
		usage_is build --board fake nope:one && usage_is build --board fake one &&
		usage_is build --board fake --jobs 0 s:one &&
		usage_is build --board fake --frob s:one &&
		usage_is build --board fake s:one s:two &&
		usage_is build --board fake --patches "$TMP" s:one &&
		usage_is build --board fake --patches "$TMP/none"
}

# The committed tables: every series reads, every patch file is used, every board's fragments exist.
test_device_trees()
{
	local entry

	build build --board trees s:one || return 1
	entry=$(<"$TMP/out")
	expect "the first tree" v/one.dtb "$(<"$entry/one.dtb")" &&
		expect "the second tree" v/two.dtb "$(<"$entry/two.dtb")" &&
		expect "in the manifest" dtb=one.dtb "$(grep ^dtb= "$entry/manifest")" &&
		expect "after the image" image=image "$(grep -B1 ^dtb= "$entry/manifest" | head -n 1)" ||
		return 1
	build build --board fake s:one || return 1
	expect "of a board without" "" "$(grep ^dtb= "$(<"$TMP/out")/manifest")"
}

test_committed_series()
{
	local data series variant used

	data=$(dirname "$BUILD")
	for series in "$data"/series/*/; do
		series=$(basename "$series")
		while read -r variant; do
			RIG_DATA='' build cmdline "$series:$variant" || return 1
		done < <(sed -n 's/^variant *//p' "$data/series/$series/variants")
		used=$(sed -nE 's/^\s*patch\s+//p' "$data/series/$series/variants" | sort -u)
		expect "patches of $series" "$used" \
			"$(cd "$data/series/$series" && printf '%s\n' *.patch)" || return 1
	done
	RIG_DATA='' build list
}

readonly TESTS=(id_is_stable build_and_cache variant_rebuilds_only_what_it_touches stacked_variant
	list_and_show same_image_again patch_does_not_apply series_does_not_compile
	directory_with_cover_letter mbox git_base patched_kconfig two_at_once ctrl_c sigterm
	killed_and_swept full_disk unwritable_home lost_option_is_named
	missing_base_and_compiler strict_variants
	usage device_trees committed_series)

base_make
data_make
export RIG_DATA=$TMP/data
[ $# -ne 0 ] || set -- "${TESTS[@]}"
for name in "$@"; do
	"test_$name" >"$TMP/report"
	rc=$?
	case $rc in
	0) echo "ok kernel/$name" ;;
	77) echo "skip kernel/$name: cannot mount a tmpfs here" ;;
	*)
		echo "not ok kernel/$name"
		cat "$TMP/report"
		sed 's/^/#   /' "$TMP/err"
		FAILED=1
		;;
	esac
done
exit "$FAILED"
