/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values that cannot fail, for the formats that are JSON. Inside report. Layer: results. */
#ifndef RESULTS_REPORT_JSON_H
#define RESULTS_REPORT_JSON_H

#include <jansson.h>

struct buf;

/* A string of any bytes: what is not UTF-8 becomes U+FFFD. */
json_t *json_text(const char *text);

/* An array of the lines that are not empty. */
json_t *json_lines(const char *text);

/* A number, or null for one that JSON does not have. */
json_t *json_number(double value);

/* Appends the document, members in order and numbers with 15 digits; releases json. */
void json_dump_into(struct buf *out, json_t *json, size_t flags);

#endif
