#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Speed of fastboot downloads in the guest, at high speed and at SuperSpeed: see bench/fastboot.sh.
set -u
here=$(dirname "$0")
status=0
for super in 0 1; do
	RIG_GUEST_CMDLINE="dummy_hcd.is_super_speed=$super" "$here/run.sh" ../bench/fastboot || status=1
done
exit $status
