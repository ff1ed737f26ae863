/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the names in a table of numbers say: metrics ("iops_min"), variants ("v6.16+fix(v2)"),
 * repetitions ("... rep3"), sizes ("bs=4k"). Layer: results, pure.
 */
#ifndef RESULTS_CHECK_NAMES_H
#define RESULTS_CHECK_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* What a metric's name says of its family: iops_min, iops_avg, iops_max are one. */
enum role {
	ROLE_NONE,
	ROLE_MIN,
	ROLE_AVG,
	ROLE_MAX,
	ROLE_PERCENTILE,
	ROLE_SPREAD, /* standard deviation, interval */
};

struct metric_name {
	char family[96]; /* without the role's word */
	enum role role;
	double percentile; /* of ROLE_PERCENTILE */
};

void metric_name_parse(const char *metric, struct metric_name *out);

/* The metric whose change "bw_pct" or "boot_time_delta" is; false: the name is of no change. */
bool name_delta_base(const char *metric, char *base, size_t size);

/* "A vs B": the two sides. */
bool name_sides(const char *variant, char *a, char *b, size_t size);

/* "... rep3", "sample 2 (1 s apart)", "run 1": what is before the number. False: no repetition. */
bool name_repetition(const char *workload, char *base, size_t size);

/* Bytes of an I/O in "bs=4k", "--bs=128k", "randread-4k"; 0: not said. */
double name_block_size(const char *text);

/* Words of letters, digits and dots: does text have this one, in any case? */
bool name_has_word(const char *text, const char *word);

/* Every word of `words` is one of text. */
bool name_has_words(const char *text, const char *words);

/*
 * Does a variant have the shape of code: a base ("v6.16", "original") and what was added to it
 * ("+ V10", "(v2)")? Parts are trimmed, in order; the base comes first.
 */
#define NAME_PARTS_MAX 8

struct variant_name {
	char parts[NAME_PARTS_MAX][48];
	int n;
	bool is_version; /* the base is a kernel version */
};

void variant_name_parse(const char *variant, struct variant_name *out);

/* How many things differ between the two, 2 = more than one? "a or b" is either. */
int variant_changes(const char *a, const char *b);

/* The label without brackets, and what was in them ("" when there are none). */
void variant_qualifier(const char *variant, char *label, char *qualifier, size_t size);

#endif
