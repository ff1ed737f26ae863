/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function names in kernel messages, and texts made comparable. Layer: scan -> libc.
 * Texts are pointer and length, not NUL-terminated; outputs are NUL-terminated and cut to size.
 */
#ifndef RIG_SCAN_SYMBOL_H
#define RIG_SCAN_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first "func+0x12/0x34" (or, failing that, "func()") of the text; compiler suffixes
 * (.isra.0, .part.3, .constprop.1, .cold) are cut. False when there is none.
 */
bool symbol_in(const char *text, size_t n, char *out, size_t size);

/* Names the program counter: "RIP: 0010:func+0x..", "pc : func+0x..", "PC is at func+0x..". */
bool symbol_is_pc_line(const char *text, size_t n);

/*
 * Appends the text with numbers as NUM, hexadecimal addresses as ADDR and "func+0x1/0x2" as func;
 * control and non-ASCII characters are dropped, blanks run together.
 */
void symbol_normalise(const char *text, size_t n, char *out, size_t size);

#endif
