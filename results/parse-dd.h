/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dd prints when it is done (GNU in any language, BusyBox, toybox, uutils, BSD) -> named
 * numbers. Layer: results, pure.
 *
 *	bytes				bytes
 *	seconds				s
 *	bw_bytes			bytes/s: bytes / seconds, not the rounded rate of dd
 *	records_in.full .partial	count
 *	records_out.full .partial	count
 *
 * Words are in the language of the user, so none is looked for: a result is a line that ends in
 * "number, time, rate". The rate is left out when the time was printed as 0. What
 * status=progress rewrites with '\r' does not count. Old BusyBox prints records only.
 */
#ifndef RESULTS_PARSE_DD_H
#define RESULTS_PARSE_DD_H

#include "results/parse.h"

/*
 * parse_fn. -1: "dd-error" (a line "dd: ..." that is no warning: the message quotes it),
 * "dd-none" (nothing of dd in it, or it did not come to an end).
 */
int dd_parse(const char *data, size_t size, struct values *out, struct err *err);

/* All runs of one document together. */
struct dd_total {
	size_t runs;
	double bytes, seconds;
	double slowest, fastest; /* bytes/s of one run */
};

/* From what dd_parse() found; -1: "dd-none", a run without a time that could be divided by. */
int dd_total(const struct values *values, struct dd_total *total, struct err *err);

#endif
