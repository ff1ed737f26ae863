// SPDX-License-Identifier: GPL-2.0-or-later
/* Two kernels across boards; see compare.h. Layer: results. */
#include "results/compare.h"

#include <stdlib.h>
#include <string.h>

#include "results/store-shared.h"

/* An effect that is worth the word "faster": 2 %. */
#define FASTER 0.02

void compare_free(struct compare *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		shared_release(&c->rows[i].shared);
		free(c->rows[i].board);
		free(c->rows[i].suite);
	}
	free(c->rows);
	free(c->baseline);
	free(c->candidate);
	free(c);
}

/* ---- which boards ---- */

static void add_row(struct compare *c, const char *board, const char *suite)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->rows[i].board, board) && !strcmp(c->rows[i].suite, suite))
			return;
	c->rows = xrealloc(c->rows, (c->n + 1) * sizeof(*c->rows));
	c->rows[c->n++] = (struct compare_row){ xstrdup(board), xstrdup(suite), SHARED_INIT };
}

static bool add_found(void *ctx, const struct store_shared_row *r)
{
	add_row(ctx, r->board, r->suite);
	return true;
}

static int find_rows(struct store *st, const struct compare_query *q, const char *board,
		     struct compare *c, struct err *err)
{
	const struct store_shared_filter f = { .baseline = q->baseline,
					       .candidate = q->candidate,
					       .board = board,
					       .suite = q->suite,
					       .profile = q->profile };
	size_t before = c->n;

	if (store_list_shared(st, &f, add_found, c, err) < 0)
		return -1;
	/* a board that was asked for is answered for */
	if (c->n == before && board)
		add_row(c, board, q->suite ? q->suite : "");
	return 0;
}

static int by_board(const void *a, const void *b)
{
	const struct compare_row *x = a;
	const struct compare_row *y = b;
	int order = strcmp(x->board, y->board);

	return order ? order : strcmp(x->suite, y->suite);
}

static int find_all(struct store *st, const struct compare_query *q, struct compare *c,
		    struct err *err)
{
	if (!q->n_boards && find_rows(st, q, NULL, c, err) < 0)
		return -1;
	for (size_t i = 0; i < q->n_boards; i++)
		if (find_rows(st, q, q->boards[i], c, err) < 0)
			return -1;
	/* nowhere together: let the judge of it say what is known of each */
	if (!c->n)
		add_row(c, "", q->suite ? q->suite : "");
	qsort(c->rows, c->n, sizeof(*c->rows), by_board);
	return 0;
}

struct compare *compare_new(struct store *st, const struct compare_query *q, int64_t now_ms,
			    struct err *err)
{
	struct compare *c = xcalloc(1, sizeof(*c));
	int rc;

	c->baseline = xstrdup(q->baseline);
	c->candidate = xstrdup(q->candidate);
	rc = find_all(st, q, c, err);
	for (size_t i = 0; i < c->n && !rc; i++) {
		struct compare_row *row = &c->rows[i];
		const struct shared_query one = { .baseline = q->baseline,
						  .candidate = q->candidate,
						  .board = *row->board ? row->board : NULL,
						  .suite = *row->suite ? row->suite : NULL,
						  .profile = q->profile };

		rc = shared_judge(st, &one, now_ms, &row->shared, err);
	}
	if (!rc)
		return c;
	compare_free(c);
	return NULL;
}

/* ---- words ---- */

enum verdict compare_worst(const struct compare *c)
{
	enum verdict worst = VERDICT_NONE;

	for (size_t i = 0; i < c->n; i++)
		if (c->rows[i].shared.set->result > worst)
			worst = c->rows[i].shared.set->result;
	return worst;
}

static bool slower(const struct gate_workload *w)
{
	return w->est.result == VERDICT_FAIL;
}

static bool faster(const struct gate_workload *w)
{
	return w->est.lo > 0 && w->est.mean >= FASTER;
}

/* "is slower on a, b"; nothing when there is none. */
static void list_workloads(const struct gate_look *l, const char *word,
			   bool (*is)(const struct gate_workload *w), struct buf *out)
{
	size_t before = out->size;
	size_t n = 0;

	for (size_t i = 0; l && i < l->n_workloads; i++) {
		if (!is(&l->workloads[i]))
			continue;
		if (n++)
			buf_addf(out, ", %s", l->workloads[i].workload);
		else
			buf_addf(out, "%s%s on %s", before ? "; " : "", word,
				 l->workloads[i].workload);
	}
}

void compare_say(const struct compare_row *row, struct buf *out)
{
	const struct gate_verdict *v = &row->shared.set->verdicts[0];
	const struct gate_look *l = v->n_looks ? &v->looks[v->n_looks - 1] : NULL;
	struct buf text = BUF_INIT;

	if (v->result == VERDICT_INVALID) {
		buf_addf(&text, "cannot be compared (%s)", v->code);
	} else {
		if (v->result == VERDICT_FAIL && strcmp(v->code, "regression") != 0)
			buf_addf(&text, "is broken (%s)", v->code);
		list_workloads(l, "is slower", slower, &text);
		list_workloads(l, "is faster", faster, &text);
		if (v->result == VERDICT_PASS && !text.size)
			buf_adds(&text, "is no slower");
		else if (v->result == VERDICT_INCONCLUSIVE || v->result == VERDICT_PENDING)
			buf_addf(&text, "%s undecided", text.size ? "; else" : "is");
	}
	buf_adds(out, buf_str(&text));
	buf_release(&text);
}
