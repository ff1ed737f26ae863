#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A table in a comment that is too wide is folded by clang-format into one that cannot be read; what
# it leaves behind is a star with no blank after it.
set -u
cd "$(dirname "$0")/../../.." || exit 3
! git ls-files -co --exclude-standard '*.c' '*.h' | xargs grep -nE '^ \*[A-Za-z]' /dev/null
