/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON documents in the middle of other text. Layer: results, pure. */
#ifndef RESULTS_JSON_TEXT_H
#define RESULTS_JSON_TEXT_H

#include <jansson.h>

#include "base/err.h"
#include "results/text.h"

/*
 * Takes the next document off *t: an object, or an array of objects, that begins a line. 1 with
 * *root (the caller releases), 0 when there is none, -1 with *err (TEST, `code`, line number in
 * what *t began with) for one that is broken.
 */
int json_text_next(struct text *t, const char *code, json_t **root, struct err *err);

/* The number at a key, or NAN. */
double json_text_number(const json_t *object, const char *key);

#endif
