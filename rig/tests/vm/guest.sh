#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rig's drivers on real kernel interfaces: one boot of the guest, all its cases.
exec "$(dirname "$0")/../guest/run.sh"
