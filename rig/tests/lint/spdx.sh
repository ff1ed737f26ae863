#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every source names its licence in the first two lines.
set -u
cd "$(dirname "$0")/../../.." || exit 3
bad=0
while IFS= read -r f; do
	head -n 2 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' && continue
	echo "$f: no SPDX line"
	bad=1
done < <(git ls-files -co --exclude-standard '*.c' '*.h' '*.sh' '*.sql' '*.mk' Makefile .ci/run)
exit $bad
