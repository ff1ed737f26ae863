/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Partitions of a fake device as files in a directory; raw and sparse images. */
#ifndef RIG_TESTS_FAKES_FASTBOOT_STORE_H
#define RIG_TESTS_FAKES_FASTBOOT_STORE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes an image, raw or sparse, to dir/name; a sparse one leaves what it does not cover. NULL, or
 * what is wrong in the bootloader's words. Written apart from rig/io's sparse code, after the same
 * header of AOSP, so that the two check each other.
 */
const char *store_flash(const char *dir, const char *name, uint64_t limit, const uint8_t *data,
			size_t n);

void store_erase(const char *dir, const char *name);

#endif
