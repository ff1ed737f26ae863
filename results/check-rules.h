/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the sanity rules: what the files check-*.c share. A rule is one function over the whole
 * table; it adds what it finds to the report. Layer: results, pure.
 */
#ifndef RESULTS_CHECK_RULES_H
#define RESULTS_CHECK_RULES_H

#include "results/check-table.h"
#include "results/check.h"

#define CHECK_WARN   0.005 /* bandwidth against IOPS: odd */
#define CHECK_ERROR  0.015 /* wrong */
#define VARIANTS_MAX 16	   /* of a row that is looked at; more are passed over */

/* Columns exchanged in a block: column[i] has the number that belongs to column[from[i]]. */
struct swap {
	const struct block *block;
	const char *variants[VARIANTS_MAX];
	int from[VARIANTS_MAX]; /* the number that belongs in i stands in from[i] */
	int n;
	bool whole; /* repairs two cells at least by itself; else it follows from other blocks */
};

struct check {
	struct check_table *t;
	struct check_report *report;
	struct swap *swaps;
	size_t n_swaps;
	/* check-grain.c: is this metric of this document one of whole numbers? What was asked last.
	 */
	struct {
		const char *source, *metric;
		bool whole;
	} grain;
};

typedef void rule_fn(struct check *c);

rule_fn rule_text, rule_locale, rule_unit_mix, rule_unit_labels, rule_order, rule_swap,
	rule_swap_others, rule_bw_vs_iops, rule_granularity, rule_percent, rule_stated_mean,
	rule_claim, rule_duplicate, rule_cross_version, rule_suspicious_digits, rule_ceiling,
	rule_physical, rule_resolution, rule_mixture, rule_single_run, rule_no_dispersion,
	rule_confounded, rule_variant_identity, rule_decode;

/* ---- places and names, for the caller to free ---- */

/* A list of cells that a finding is about. */
struct cells {
	const struct cell *v[64];
	size_t n;
};

void cells_add(struct cells *list, const struct cell *c); /* beyond 64 they are only counted */
char *cells_place(const struct check *c, const struct cells *list);
char *cell_place(const struct check *c, const struct cell *cell);
char *cell_subject(const struct cell *cell); /* board workload metric variant */
char *row_subject(const struct row *r);	     /* board workload metric */

/* Calls fn for every row of the table. */
void check_rows(struct check *c, void (*fn)(struct check *c, struct row *r));
void check_blocks(struct check *c, void (*fn)(struct check *c, struct block *b));
void check_sheets(struct check *c, void (*fn)(struct check *c, struct sheet *s));

/* ---- bandwidth and IOPS: check-bw.c ---- */

/* A bandwidth and the IOPS of the same variant. */
struct pair {
	struct cell *bw;
	const struct cell *iops;
};

struct pairs {
	struct pair v[VARIANTS_MAX];
	int n;
};

/*
 * Pairs of a block's bandwidth row, in the order of its variants. from: 0 at first, then where the
 * next row is looked for. False: no more.
 */
bool block_pairs(const struct block *b, size_t *from, struct pairs *out);

/* IOPS times block size, bytes/s. */
double pair_expected(const struct block *b, const struct cell *iops);

/* How far the number is from what it should be: -0.01 = 1 % less. */
double bw_residual(const struct block *b, const struct cell *bw, const struct cell *iops);

/* ---- permutations: check-swap.c ---- */

/*
 * The permutation of n columns that makes most of them fit, and of these the one that moves
 * fewest; from[i] = the column whose number goes to i. fits(ctx, i, k): the number of column k
 * fits in column i. Returns how many fit. Up to 6 columns all permutations, beyond that exchanges
 * of two.
 */
int swap_best(int n, bool (*fits)(const void *ctx, int i, int k), const void *ctx,
	      int from[VARIANTS_MAX]);

/* "bw of v6.16 <-> v6.16+fix", or a cycle "a -> b -> c -> a". */
char *swap_text(const struct swap *s);

/* The swap found in the block, or NULL. */
const struct swap *swap_of(const struct check *c, const struct block *b);

#endif
