// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: a fastboot device's answers and Android sparse images, any bytes. A text is
 * always printable and ends inside; an image that is accepted can be split, and its pieces are no
 * longer than was asked for and cover what it covers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/fastboot-priv.h"
#include "io/fastboot-sparse.h"

#define PIECE 16384

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const uint8_t *data, size_t size)
{
	struct answer a;

	if (fastboot_parse(data, size, &a))
		return;
	for (const char *p = a.text; *p; p++)
		if (*p < ' ' || *p > '~' || p - a.text >= FASTBOOT_ANSWER_MAX)
			abort();
}

static void split(int fd, size_t size)
{
	static uint8_t piece[PIECE];
	uint64_t n;
	struct sparse *s;
	int pieces = 0;

	if (sparse_new(&s, fd, 0, size))
		return;
	while (pieces++ < 16 && sparse_next(s, PIECE, &n) == 1) {
		if (n > PIECE || sparse_read(s, piece, n) || !sparse_read(s, piece, 1))
			abort();
	}
	sparse_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t magic[] = { 0x3a, 0xff, 0x26, 0xed, 1, 0, 0, 0, 28, 0, 12, 0 };
	int fd = memfd_create("image", MFD_CLOEXEC);

	parse(data, size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	split(fd, size);
	/* most inputs would never get past the header */
	if (size >= 28 && pwrite(fd, magic, sizeof(magic), 0) == sizeof(magic))
		split(fd, size);
	close(fd);
	return 0;
}
