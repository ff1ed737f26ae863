#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make lint: formatting, static analysis, layering, prints in low layers, banned functions,
# spelling, shell scripts. Runs every check, prints what each found, exits 1 if any did.
set -u
cd "$(dirname "$0")/../../.." || exit 3
here=rig/tests/lint
mapfile -t C < <(git ls-files -co --exclude-standard '*.c' '*.h')
mapfile -t SH < <(git ls-files -co --exclude-standard '*.sh' .ci/run)
mapfile -t TEXT < <(git ls-files -co --exclude-standard)
read -ra PKG < <(pkg-config --cflags jansson yaml-0.1 sqlite3 libmd libusb-1.0 libgpiod libserialport libcurl)
FLAGS=(-std=gnu11 -D_GNU_SOURCE -Irig -I. -Ibuild/gen "${PKG[@]}")
bad=0

# step NAME COMMAND...: quiet when clean.
step() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		printf 'ok   %s\n' "$name"
	else
		printf 'BAD  %s\n%s\n' "$name" "$out"
		bad=$((bad + 1))
	fi
}

format() { clang-format --style=file --dry-run -Werror "${C[@]}"; }

compile_sources() { printf '%s\n' "${C[@]}" | grep '\.c$' | grep -v -e '/fuzz/' -e '/tests/'; }

check_cppcheck() {
	compile_sources | cppcheck --file-list=- --quiet --error-exitcode=1 --inline-suppr \
		--enable=warning,performance,portability --std=c11 -Irig -I. -Ibuild/gen \
		--suppress=missingIncludeSystem --suppress=unknownMacro
}

# One file a run: clang-tidy 14 reports uninitialised va_lists falsely when it is given several.
check_tidy() {
	compile_sources | xargs -P "$(nproc)" -I '{}' clang-tidy --quiet \
		--config-file=$here/clang-tidy --warnings-as-errors='*' \
		--extra-arg=-Wno-unknown-warning-option '{}' -- "${FLAGS[@]}" 2>/dev/null
}

step clang-format format
step "include rule" $here/layers.sh
step "low layers do not print or exit" $here/quiet.sh
step "banned functions" $here/banned.sh
step "SPDX lines" $here/spdx.sh
step "tables in comments" $here/comments.sh
step shellcheck shellcheck -x -P SCRIPTDIR:rig/tests:rig/tests/guest "${SH[@]}"
step codespell codespell --ignore-words=$here/words --skip './build,*.patch,LICENSE' \
	"${TEXT[@]}"
step cppcheck check_cppcheck
step clang-tidy check_tidy
[ $bad = 0 ] && echo "lint: clean" || echo "lint: $bad checks found something"
[ $bad = 0 ]
