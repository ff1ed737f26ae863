#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make setup: says what it would do, does nothing when there is nothing to do. Installs nothing here.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
setup=rig/setup/setup.sh

printf '# a comment\nlibc6 # always there\n\ndpkg\n' >"$work/have"
try $setup --check --list "$work/have"
expect "all there: nothing to do" 0 "everything is installed (2 packages" "nothing to do"

printf 'libc6\nno-such-package-of-the-rig\n' >"$work/lack"
try $setup --check --list "$work/lack"
expect "something missing: says what" 3 "will install: no-such-package-of-the-rig"

printf '@pin some-suite src:some-source src:other\nlibc6\n' >"$work/pins"
mkdir -p "$work/etc/sources.list.d" "$work/etc/preferences.d"
try env RIG_SETUP_ETC="$work/etc" $setup --check --list "$work/pins"
expect "a pin that is not there yet" 3 "preferences.d/rig: only src:some-source src:other"
check "--check wrote nothing" [ -z "$(find "$work/etc" -type f)" ]
printf 'Package: src:some-source src:other\nPin: release n=some-suite\nPin-Priority: 990\n' \
	>"$work/etc/preferences.d/rig"
try env RIG_SETUP_ETC="$work/etc" $setup --check --list "$work/pins"
expect "a pin that is there" 0 "nothing to do"

try $setup --check --list "$work/absent"
expect "no list for this release" 3 "no package list"
try $setup --chekc
expect "unknown argument" 64 "unknown argument '--chekc'"

for list in rig/setup/*.packages; do
	mapfile -t twice < <(sed -e 's/#.*//' -e '/^@/d' "$list" | awk 'NF { print $1 }' | sort | uniq -d)
	check "$(basename "$list") names nothing twice" [ ${#twice[@]} = 0 ]
done
bookworm=$(sed -e 's/#.*//' -e '/^@/d' rig/setup/bookworm.packages | awk 'NF { print $1 }' | sort)
trixie=$(sed -e 's/#.*//' -e '/^@/d' rig/setup/trixie.packages | awk 'NF { print $1 }' | sort)
check "both releases get the same packages" [ "$bookworm" = "$trixie" ]
finish
