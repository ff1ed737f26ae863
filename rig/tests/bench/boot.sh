#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the rig costs on virt-ufs: hello beside bare boot, and the round trip of an empty step.
#   RIG_BOOTS=N (10)  RIG_STEPS=N (200)
set -u
cd "$(dirname "$0")/../../.." || exit 3
initramfs=build/initramfs/aarch64.cpio
kernel=$(build/bin/rig kernel build --board virt-ufs ufs-irq:original) || exit 3
mkdir -p build/bench
# shellcheck disable=SC2046
gcc -std=gnu11 -D_GNU_SOURCE -Irig -I. -O2 -o build/bench/boot rig/tests/bench/boot.c \
	build/librig.a $(pkg-config --libs jansson yaml-0.1 libmd) -lm || exit 3
RIG_HOME=$(mktemp -d)
export RIG_HOME
trap 'rm -rf "$RIG_HOME"' EXIT
build/bench/boot "$kernel" "$PWD/$initramfs" "${RIG_BOOTS:-10}" "${RIG_STEPS:-200}" 2>/dev/null
