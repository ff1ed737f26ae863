/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is typed at a foreign shell to bring a file there, and the reading of its answers. Pure.
 * Layer: job.
 *
 * Each command is followed by `echo "@""rig $?"`: its echo on the console does not look like the
 * answer, "@rig 0".
 */
#ifndef RIG_JOB_SHELL_TEXT_H
#define RIG_JOB_SHELL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* A tty takes lines of 4095 bytes in canonical mode, some shells 1023. */
#define SHELL_LINE_MAX 1000

/* "CMD; echo ..." and a newline, appended. */
void shell_line(struct buf *out, const char *command);

/* Is the last answer in what was heard? Then its exit code. */
bool shell_answer(const char *heard, size_t size, int *code);

/*
 * The words between two marks that the command printed: "<<text>>"; at most cap - 1 bytes. False:
 * there are none.
 */
bool shell_word(const char *heard, size_t size, char *word, size_t cap);

/* Three bytes become four characters. */
void shell_base64(struct buf *out, const void *data, size_t size);

/* Escapes for printf's format, \177\105: as few characters as that needs. */
void shell_octal(struct buf *out, const void *data, size_t size);

#endif
