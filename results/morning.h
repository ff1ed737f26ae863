/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The morning report: what the night brought, what of it is new, and what needs a person. Filled
 * from a store; the two formats only print it. Layer: results.
 *
 *	needs a person	boards that are held or not known to be off, boards in bad health, sessions
 *			that were INVALID, jobs that could not run or wait for long, schedules that
 *			failed or were missed
 *	changed		verdicts that are not what the same tree had before on that board, with how
 *			long that had been so; levels that moved in the history
 *
 * What is as it was is neither: it is in the list of sessions.
 */
#ifndef RESULTS_MORNING_H
#define RESULTS_MORNING_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/gate.h"

struct buf;
struct store;

/* A verdict of the night, or of those before. */
struct morning_verdict {
	char *session, *board, *suite, *profile;
	char *label, *series, *variant; /* of the candidate */
	char *baseline;			/* its label; "" = measured alone */
	char *code, *reason;		/* reason: its first line */
	int64_t started_ms;
	enum verdict result;
	enum blame blame;
	int pairs;
};

struct morning_line {
	enum verdict sign; /* FAIL, INVALID, INCONCLUSIVE (look at it), PASS (good news) */
	char *subject;	   /* "board sm8650-1" */
	char *text;	   /* one line */
};

struct morning_lines {
	struct morning_line *v;
	size_t n;
};

struct morning {
	int64_t since_ms, until_ms;
	struct morning_lines person, changed;
	struct morning_verdict *verdicts; /* oldest first, those before since_ms too */
	size_t n_verdicts, first;	  /* first: of the night */
	int counts[VERDICT_INVALID + 1];
};

/* NULL with *err. */
struct morning *morning_new(struct store *st, int64_t since_ms, int64_t until_ms, struct err *err);
void morning_free(struct morning *m); /* NULL is fine */

/* "12 verdicts: 9 PASS, 1 FAIL; 2 things need a person, 1 has changed". The caller frees. */
char *morning_sentence(const struct morning *m);

void morning_text(const struct morning *m, struct buf *out);
void morning_html(const struct morning *m, struct buf *out);

#endif
