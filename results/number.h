/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A number as somebody printed it: what it is, and to how many digits. Layer: results, pure.
 */
#ifndef RESULTS_NUMBER_H
#define RESULTS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

struct number {
	double value;
	double ulp; /* one unit of its last digit: 0.01 of "21.46", 1 of "110" */
	int decimals;
	int digits;	    /* without leading zeros */
	bool comma;	    /* a decimal comma: "41,6" */
	bool groups;	    /* separators of thousands: "12,345.67" */
	bool ambiguous;	    /* "1,234": taken for a decimal comma, could be 1234 */
	char bound;	    /* '<', '>', '~' before it; 0 = none */
	const char *rest;   /* what follows it, in the text given: "%", "" */
	const char *number; /* where it begins */
	size_t size;	    /* of the number alone */
};

/* The text is a number, white space around it, and perhaps something behind it. False: no number.
 */
bool number_parse(const char *text, struct number *n);

/* Rounded or cut off, would this value be printed so? slack: of the inputs it was computed from. */
bool number_prints(const struct number *n, double value, double slack);

#endif
