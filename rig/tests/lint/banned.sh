#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that the project does not use, and sleeps: waits have deadlines.
set -u
cd "$(dirname "$0")/../../.." || exit 3
git ls-files -co --exclude-standard '*.c' '*.h' | grep -v '^rig/tests/' |
	xargs grep -nE '(^|[^a-z_>.])(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|system|popen|sleep|usleep)\(' &&
	exit 1
exit 0
