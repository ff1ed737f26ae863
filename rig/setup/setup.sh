#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what the rig needs on Debian 12 or 13, from the one list of that release beside this
# script. Says what it will do first; does nothing when everything is there.
#
#   setup.sh [--check] [--list FILE]
#     --check   only report what is missing (exit 0: nothing, 3: something)
#     --list    another package list (for tests)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
etc=${RIG_SETUP_ETC:-/etc/apt}
log=${RIG_SETUP_LOG:-$here/../../build/setup.log}
check=0
list=

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: error: %s\n' "$1" >&2; exit "${2:-3}"; }

while [ $# -gt 0 ]; do
	case $1 in
	--check) check=1 ;;
	--list) list=${2:?--list needs a file}; shift ;;
	*) die "unknown argument '$1' (known: --check, --list FILE)" 64 ;;
	esac
	shift
done

release_name() {
	# shellcheck disable=SC1091
	. /etc/os-release
	printf '%s\n' "${VERSION_CODENAME:-unknown}"
}

codename=$(release_name)
[ -n "$list" ] || list=$here/$codename.packages
[ -r "$list" ] || die "no package list for this release ($codename); known: $(cd "$here" && printf '%s ' ./*.packages)"

# Lists: every line but comments and directives names a package.
packages() { sed -e 's/#.*//' -e '/^@/d' "$list" | awk 'NF { print $1 }'; }
directive() { sed -n "s/^@$1 //p" "$list"; }
suite_of() { sed -e 's/#.*//' "$list" | awk -v p="$1" '$1 == p { print $2 }'; }

# Version of each package in the suite it is asked from: "NAME VERSION" lines, one look-up for all.
suite_versions=
load_suite_versions() {
	local names
	names=$(sed -e 's/#.*//' -e '/^@/d' "$list" | awk 'NF > 1 { print $1 }')
	# shellcheck disable=SC2086
	[ -z "$names" ] || suite_versions=$(apt-cache madison $names 2>/dev/null |
		awk -F'|' '{ gsub(/ /, "", $1); gsub(/ /, "", $2); split($3, w, " ");
			sub("/.*", "", w[2]); print $1, w[2], $2 }')
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }

# A package that is asked from a backports suite must be of that suite or newer.
new_enough() {
	local suite=$1 name=$2 have want
	[ -n "$suite" ] || return 0
	have=$(dpkg-query -W -f '${Version}' "$name")
	want=$(awk -v n="$name" -v s="$suite" '$1 == n && $2 == s { print $3; exit }' \
		<<<"$suite_versions")
	[ -n "$want" ] || return 1
	dpkg --compare-versions "$have" ge "$want"
}

missing_packages() {
	local p
	load_suite_versions
	for p in $(packages); do
		installed "$p" && new_enough "$(suite_of "$p")" "$p" || printf '%s\n' "$p"
	done
}

# The $(NAME) words below are apt's own, not the shell's.
# shellcheck disable=SC2016
# The mirror that this machine already uses for its release.
mirror() {
	apt-get indextargets --format '$(REPO_URI) $(CODENAME)' "Created-By: Packages" 2>/dev/null |
		awk -v c="$codename" '$2 == c { print $1; exit }'
}

stanza() {
	printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$2" "$3"
	printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
}

# shellcheck disable=SC2016
# True if some source already offers this kind (Packages, Sources) of this suite.
offered() {
	apt-get indextargets --format '$(CODENAME) $(CREATED_BY) $(SOURCESENTRY)' 2>/dev/null |
		awk -v s="$1" -v k="$2" -v own="$etc/sources.list.d/rig.sources" \
			'$1 == s && $2 == k && index($3, own) != 1 { found = 1 } END { exit !found }'
}

wanted_sources() {
	local uri suite
	uri=$(mirror)
	[ -n "$uri" ] || die "cannot tell which mirror this machine uses; is there a Debian source in $etc?"
	for suite in $(directive binary); do
		offered "$suite" Packages || stanza deb "$uri" "$suite"
	done
	for suite in $(directive source); do
		offered "$suite" Sources || stanza deb-src "$uri" "$suite"
	done
}

wanted_pins() {
	directive pin | while read -r suite names; do
		printf 'Package: %s\nPin: release n=%s\nPin-Priority: 990\n\n' "$names" "$suite"
	done
}

differs() { [ "$(cat "$1" 2>/dev/null || true)" != "$2" ]; }

sources_file=$etc/sources.list.d/rig.sources
pins_file=$etc/preferences.d/rig
sources=$(wanted_sources)
pins=$(wanted_pins)
todo_sources=0
todo_pins=0
[ -n "$sources" ] && differs "$sources_file" "$sources" && todo_sources=1
[ -n "$pins" ] && differs "$pins_file" "$pins" && todo_pins=1
missing=$(missing_packages | tr '\n' ' ')

if [ -z "${missing// /}" ] && [ $todo_sources = 0 ] && [ $todo_pins = 0 ]; then
	say "everything is installed ($(packages | wc -l) packages for $codename); nothing to do"
	exit 0
fi

[ $todo_sources = 1 ] && say "will add $sources_file: $(directive binary | tr '\n' ' ')and source packages"
[ $todo_pins = 1 ] && say "will add $pins_file: only $(directive pin | cut -d' ' -f2- | tr '\n' ' ')from there"
[ -n "${missing// /}" ] && say "will install: $missing"
[ $check = 1 ] && exit 3

sudo=
if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null || die "not root and no sudo here: run this as root"
	sudo=sudo
fi
mkdir -p "$(dirname "$log")"

write_root() { printf '%s\n' "$2" | $sudo tee "$1" >/dev/null; }

# apt, quietly, with the end of its output when it fails.
apt() {
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 ||
		{ tail -n 15 "$log" >&2; die "apt-get $1 failed; the whole output is in $log"; }
}

[ $todo_sources = 1 ] && write_root "$sources_file" "$sources"
[ $todo_pins = 1 ] && write_root "$pins_file" "$pins"
say "updating the package lists"
apt update
# With fresh lists the backports versions are known.
missing=$(missing_packages | tr '\n' ' ')
if [ -n "${missing// /}" ]; then
	say "installing $(wc -w <<<"$missing") packages (log: $log)"
	# shellcheck disable=SC2086
	apt install -y --no-install-recommends $missing
fi
left=$(missing_packages | tr '\n' ' ')
[ -z "${left// /}" ] || die "still missing after the installation: $left(see $log)"
say "done"
