#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What noise on the line costs: the wire's own test prints it, on a virtual clock.
set -u
cd "$(dirname "$0")/../../.." || exit 3
make --no-print-directory -s build/tests/test_wire >/dev/null || exit 3
build/tests/test_wire 2>&1 | grep -v '^\['
