/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a parser of tool output found: a list of named numbers in canonical units, each with the
 * unit that the tool printed. Layer: results, pure.
 *
 * A name that comes again in one document (jobs of one name, several runs, a series of samples)
 * gets "#2", "#3"...: within a list names are unique, and the first one has the bare name.
 */
#ifndef RESULTS_VALUES_H
#define RESULTS_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The canonical units. */
#define UNIT_RATE    "bytes/s"
#define UNIT_BYTES   "bytes"
#define UNIT_NS	     "ns"
#define UNIT_S	     "s"
#define UNIT_COUNT   "count"
#define UNIT_PER_S   "1/s"
#define UNIT_IOPS    "IOPS"
#define UNIT_PERCENT "%"

struct value {
	char *name;
	double value;	/* finite */
	uint64_t count; /* the same, exact, when is_count */
	bool is_count;
	const char *unit; /* one of the above: not owned */
	char *printed;	  /* as the tool printed it: "KiB/s", "usec", "Mbits/sec"; may be "" */
	char *label;	  /* text of the tool about it (the action of an interrupt), or NULL */
};

struct values {
	struct value *v;
	size_t n, cap;
	json_t *seen; /* name -> how often */
	bool full;    /* more than VALUES_MAX were offered */
};

#define VALUES_INIT                                                                                \
	{                                                                                          \
		NULL, 0, 0, NULL, false                                                            \
	}

#define VALUES_MAX (2u << 20)

/*
 * Appends a number; what is not finite is left out. Bytes of the name and of `printed` that are
 * not UTF-8 become '?'. printed NULL: the same as unit. The new value, valid until the next call,
 * or NULL when it was left out.
 */
struct value *values_add(struct values *v, double value, const char *unit, const char *printed,
			 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The same for a counter, which keeps all its 64 bits. */
struct value *values_count(struct values *v, uint64_t count, const char *unit, const char *printed,
			   const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Bytes of a foreign text as a label. */
void value_label(struct value *value, const char *text, size_t size);

/*
 * {"name": ..., "value": ..., "unit": ..., "printed_unit": ...} and "label" if there is one, on
 * one line; the number has the fewest digits that give it back. The caller frees.
 */
char *value_line(const struct value *value);

/* The fewest significant digits (15 to 17) that give the number back. */
size_t value_digits(double value);

/* Makes s UTF-8 where it stands: if it is not, bytes above ASCII become '?'. Returns s. */
char *values_clean(char *s);

/* A JSON string of any bytes, cleaned like a name. */
json_t *values_string(const char *s);

/* The first value of this name, or NULL. */
const struct value *values_find(const struct values *v, const char *name);

void values_release(struct values *v);

#endif
