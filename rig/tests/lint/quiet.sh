#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Only mains, the commands and the log itself print or end the process.
set -u
cd "$(dirname "$0")/../../.." || exit 3
git ls-files -co --exclude-standard 'rig/*.c' 'results/*.c' 'agents/*.c' |
	grep -vE '^rig/(cli|tests)/|^rig/base/log\.c$|/main\.c$|^results/tests/|^agents/(agent|main)\.c$' |
	xargs grep -nE '(^|[^a-z_])(printf|puts|putchar|perror|exit)\(' && exit 1
exit 0
