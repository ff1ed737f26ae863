// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rule stated-mean: a mean over several workloads or boards, computed again. Where it is wrong: is
 * it right with exchanged columns put back? and what would the doubtful cell have to be?
 * Layer: results, pure.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define PARTS_MAX 64
#define MEANS_MAX 256 /* of a file; more are not looked at */

/* A stated mean and the cells it is of. */
struct mean {
	const struct cell *stated;
	double factor; /* of its unit, as that of the cells proved to be */
	const struct cell *v[PARTS_MAX];
	int n;
	double printed;	 /* mean of the cells as printed */
	double restored; /* with exchanged columns put back */
	double slack;	 /* of both, by rounding */
	bool right;	 /* stated == printed */
	int doubtful;	 /* index of the cell that is in doubt, or -1 */
	double solved;	 /* what that would have to be */
	double solved_slack;
};

/* ---- what it is of ---- */

static void base_of(const char *metric, char *base, size_t size)
{
	static const char *const suffixes[] = { "_mean", "_avg", "_average" };
	size_t n = strlen(metric);

	for (size_t i = 0; i < 3; i++) {
		size_t m = strlen(suffixes[i]);

		if (n > m && !strcasecmp(metric + n - m, suffixes[i])) {
			n -= m;
			break;
		}
	}
	snprintf(base, size, "%.*s", (int)n, metric);
}

/* "sm8650-qrd+hdk" names sm8650-qrd and sm8650-hdk; "all" every board of the document. */
static bool names_board(const char *names, const char *board)
{
	size_t size = strlen(board);

	if (!strcmp(names, board) || name_has_word(names, "all"))
		return true;
	for (const char *p = names; *p;) {
		size_t n = strcspn(p, "+,&");

		while (n && *p == ' ') {
			p++;
			n--;
		}
		if (n && n <= size && !strncasecmp(board + size - n, p, n) &&
		    (n == size || strchr("- _/", board[size - n - 1])))
			return true;
		p += n + (p[n] != '\0');
	}
	return false;
}

static bool is_of(const struct mean *m, const struct block *b)
{
	return b->workload == m->stated->workload || name_has_word(m->stated->workload, "all") ||
	       name_has_word(m->stated->workload, "overall") ||
	       name_has_word(m->stated->workload, "mean");
}

static void gather(const struct check *c, struct mean *m)
{
	char base[128];

	base_of(m->stated->metric, base, sizeof(base));
	for (size_t i = 0; i < c->t->n_sheets; i++) {
		const struct sheet *s = c->t->sheets[i];

		if (s->source != m->stated->source || !names_board(m->stated->board, s->board))
			continue;
		for (size_t k = 0; k < s->n && m->n < PARTS_MAX; k++) {
			const struct cell *cell =
				row_cell(block_row(s->blocks[k], base), m->stated->variant);

			if (cell && is_of(m, s->blocks[k]))
				m->v[m->n++] = cell;
		}
	}
}

/* ---- computed ---- */

static double stated_value(const struct mean *m)
{
	return m->factor * m->stated->number.value;
}

static double restored(const struct cell *c)
{
	return cell_value(c->belongs ? c->belongs : c);
}

/* A block in which something is wrong that no exchange explains. */
static bool in_doubt(const struct check *c, const struct block *b)
{
	const struct swap *s = swap_of(c, b);

	if (s && !s->whole)
		return true;
	for (size_t i = 0; !s && i < b->n; i++)
		for (size_t k = 0; k < b->rows[i]->n; k++)
			if (b->rows[i]->cells[k]->explained)
				return true;
	return false;
}

static void compute(const struct check *c, struct mean *m)
{
	m->doubtful = -1;
	for (int i = 0; i < m->n; i++) {
		m->printed += cell_value(m->v[i]) / m->n;
		m->restored += restored(m->v[i]) / m->n;
		m->slack += cell_slack(m->v[i]) / m->n;
		if (in_doubt(c, m->v[i]->row->block))
			m->doubtful = m->doubtful == -1 ? i : -2;
	}
	if (m->doubtful >= 0) {
		m->solved = m->n * (stated_value(m) - m->restored) + restored(m->v[m->doubtful]);
		m->solved_slack = m->n * (m->factor * m->stated->number.ulp / 2 + m->slack);
	}
}

static bool prints(const struct mean *m, double value)
{
	return number_prints(&m->stated->number, value / m->factor, m->slack / m->factor);
}

/* ---- told ---- */

static void explain(const struct mean *m, struct buf *b)
{
	const struct cell *doubtful = m->doubtful >= 0 ? m->v[m->doubtful] : NULL;
	double f = m->factor;
	double missing = m->n * (stated_value(m) - m->restored) / f;

	if (m->restored != m->printed && prints(m, m->restored))
		buf_addf(
			b,
			"; it is the mean only with the exchanged columns put back (%.2f): they were"
			" exchanged after it was computed",
			m->restored / f);
	else if (doubtful)
		buf_addf(b, "; it would be right if %s %s were %.2f +-%.2f", doubtful->board,
			 doubtful->workload, m->solved / f, m->solved_slack / f);
	else
		buf_addf(b, "; one of the cells would have to be %.2f %s", fabs(missing),
			 missing > 0 ? "larger" : "smaller");
}

static void tell(struct check *c, const struct mean *m)
{
	struct check_item *x =
		check_add(c->report, "stated-mean", m->right ? SEVERITY_OK : SEVERITY_ERROR);
	double f = m->factor;
	struct buf why = BUF_INIT;

	if (!m->right)
		explain(m, &why);
	x->place = cell_place(c, m->stated);
	x->subject = cell_subject(m->stated);
	x->printed = xstrdup(m->stated->printed);
	x->expected = m->restored != m->printed
			      ? xasprintf("%.2f as printed, %.2f with columns put back",
					  m->printed / f, m->restored / f)
			      : xasprintf("%.2f", m->printed / f);
	x->message = xasprintf("the mean of %d cells is %.2f, stated is %s%s", m->n, m->printed / f,
			       m->stated->printed, buf_str(&why));
	buf_release(&why);
}

/* "all 8 workloads", "8x5" */
static int parts_said(const struct cell *c)
{
	const char *p = strpbrk(c->workload, "0123456789");

	if (c->parts > 1)
		return c->parts;
	return p ? (int)strtol(p, NULL, 10) : 0;
}

static bool load(struct check *c, const struct cell *stated, struct mean *m)
{
	memset(m, 0, sizeof(*m));
	m->stated = stated;
	gather(c, m);
	m->factor = m->n && m->v[0]->known == stated->known ? m->v[0]->factor : stated->factor;
	if (m->n < 2 || (parts_said(stated) && parts_said(stated) != m->n))
		return false;
	compute(c, m);
	m->right = prints(m, m->printed);
	return true;
}

/* ---- bandwidth and IOPS that were averaged ---- */

/* What was averaged for the cell in doubt, whatever is printed for it now. */
static double averaged(const struct mean *m, int i)
{
	if (m->right)
		return cell_value(m->v[i]);
	return m->n * (stated_value(m) - m->restored) + restored(m->v[i]);
}

static void compare(struct check *c, const struct mean *bw, const struct mean *iops)
{
	int i = bw->doubtful;
	const struct block *b = i >= 0 ? bw->v[i]->row->block : NULL;
	double expected;
	double is;
	struct check_item *x;

	if (!b || iops->doubtful < 0 || iops->v[iops->doubtful]->row->block != b ||
	    !b->block_size || (bw->right && iops->right))
		return;
	is = averaged(bw, i);
	expected = averaged(iops, iops->doubtful) * b->block_size;
	if (fabs(is / expected - 1) <= CHECK_ERROR)
		return;
	x = check_add(c->report, "bw-vs-iops", SEVERITY_ERROR);
	x->place = cell_place(c, bw->stated);
	x->subject = xasprintf("%s %s %s %s as it was averaged", b->sheet->board, b->workload,
			       bw->v[i]->metric, bw->stated->variant);
	x->printed = xasprintf("%.2f (back-solved)", is / bw->factor);
	x->expected = xasprintf("%.2f", expected / bw->factor);
	x->message = xasprintf(
		"the means rest on %.2f with %.2f IOPS, which make %.2f: what was averaged"
		" did not agree with itself",
		is / bw->factor, averaged(iops, iops->doubtful), expected / bw->factor);
}

static bool has_unit(const struct cell *c, const char *canonical)
{
	return c->known && !strcmp(c->known->canonical, canonical);
}

static void compare_means(struct check *c, const struct mean *bw)
{
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *other = &c->t->cells[i];
		struct mean iops;

		if (other->kind == CELL_MEAN && has_unit(other, UNIT_IOPS) &&
		    other->source == bw->stated->source && other->board == bw->stated->board &&
		    other->workload == bw->stated->workload &&
		    other->variant == bw->stated->variant && load(c, other, &iops)) {
			compare(c, bw, &iops);
			return;
		}
	}
}

void rule_stated_mean(struct check *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->t->n && n < MEANS_MAX; i++) {
		struct mean m;

		n += c->t->cells[i].kind == CELL_MEAN;
		if (c->t->cells[i].kind != CELL_MEAN || !load(c, &c->t->cells[i], &m))
			continue;
		tell(c, &m);
		if (has_unit(m.stated, UNIT_RATE))
			compare_means(c, &m);
	}
}
