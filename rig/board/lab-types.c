// SPDX-License-Identifier: GPL-2.0-or-later
/* Lab file and board table together; see lab-types.h. Layer: board. */
#include "board/lab-types.h"
#include "board/board.h"

struct lab *lab_open(const char *path, struct err *err)
{
	size_t n;
	const struct lab_type *types = board_lab_types(&n);

	return lab_load(path, types, n, err);
}
