/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the lab file (lab.h, which knows no board type) with the table of boards (board.h).
 * Layer: board.
 */
#ifndef RIG_BOARD_LAB_TYPES_H
#define RIG_BOARD_LAB_TYPES_H

#include "base/err.h"
#include "board/lab.h"

/* lab_load() with the types of the board table; path as there. */
struct lab *lab_open(const char *path, struct err *err);

#endif
