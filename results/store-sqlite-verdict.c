// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts, their looks and estimates as rows; see store.h. Layer: results. */
#include "results/store-sqlite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "results/gate.h"

/* ---- storing ---- */

static int put_estimate(struct store *st, int64_t look, size_t i, const struct gate_workload *w,
			struct err *err)
{
	const struct gate_estimate *e = &w->est;
	int64_t workload = sql_workload(st, w->workload, err);
	int64_t metric = sql_metric(st, w->metric, err);

	if (workload < 0 || metric < 0)
		return -1;
	return sql_run(
		st, err,
		"INSERT INTO estimate (look, idx, workload, metric, unit, direction,"
		" base_mean, cand_mean, signflip_p, n, mean, sd, se, df, t, p, p_adj, lo, hi,"
		" mde, pairs_needed, result) VALUES"
		" (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"iiiissdddiddddddddddis", look, (int64_t)i, workload, metric, w->unit,
		direction_name(w->direction), w->base_mean, w->cand_mean, w->signflip_p,
		(int64_t)e->n, e->mean, e->sd, e->se, e->df, e->t, e->p, e->p_adj, e->lo, e->hi,
		e->mde, (int64_t)e->pairs_needed, verdict_name(e->result));
}

static int put_look(struct store *st, int64_t verdict, const struct gate_look *l, struct err *err)
{
	int64_t look;

	if (sql_run(st, err, "INSERT INTO look (verdict, pairs, level, result) VALUES (?, ?, ?, ?)",
		    "iids", verdict, (int64_t)l->pairs, l->level, verdict_name(l->result)) < 0)
		return -1;
	look = sqlite3_last_insert_rowid(st->db);
	for (size_t i = 0; i < l->n_workloads; i++)
		if (put_estimate(st, look, i, &l->workloads[i], err) < 0)
			return -1;
	return 0;
}

static int put_verdict(struct store *st, int64_t session, const struct gate_set *set,
		       const struct gate_verdict *v, struct err *err)
{
	int64_t verdict;

	if (sql_run(st, err,
		    "INSERT INTO verdict (session, candidate, label, result, blame, code, reason,"
		    " pairs, more, rows_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "iisssssiii", session, (int64_t)v->candidate, v->label, verdict_name(v->result),
		    blame_name(v->blame), v->code, v->reason, (int64_t)v->pairs, (int64_t)set->more,
		    (int64_t)set->rows_hash) < 0)
		return -1;
	verdict = sqlite3_last_insert_rowid(st->db);
	for (size_t i = 0; i < v->n_looks; i++)
		if (put_look(st, verdict, &v->looks[i], err) < 0)
			return -1;
	return 0;
}

static int put_set(struct store *st, const char *name, const struct gate_set *set, struct err *err)
{
	int64_t session = sql_session(st, name, err);

	if (session < 0 ||
	    sql_run(st, err, "DELETE FROM verdict WHERE session = ?", "i", session) < 0)
		return -1;
	for (size_t i = 0; i < set->n_verdicts; i++)
		if (put_verdict(st, session, set, &set->verdicts[i], err) < 0)
			return -1;
	return 0;
}

int store_put_verdicts(struct store *st, const char *session, const struct gate_set *set,
		       struct err *err)
{
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put_set(st, session, set, err), err);
}

/* ---- loading ---- */

/* NULL, which NAN is stored as, back to NAN. */
static double real(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL ? NAN
							     : sqlite3_column_double(q, column);
}

static void read_estimate(sqlite3_stmt *q, struct gate_workload *w)
{
	struct gate_estimate *e = &w->est;
	double *reals[] = { &e->mean, &e->sd,	 &e->se, &e->df, &e->t,
			    &e->p,    &e->p_adj, &e->lo, &e->hi, &e->mde };

	w->workload = xstrdup(sql_text(q, 0));
	w->metric = xstrdup(sql_text(q, 1));
	w->unit = xstrdup(sql_text(q, 2));
	w->direction = (enum direction)direction_parse(sql_text(q, 3));
	w->base_mean = real(q, 4);
	w->cand_mean = real(q, 5);
	w->signflip_p = real(q, 6);
	e->n = sqlite3_column_int(q, 7);
	for (int i = 0; i < 10; i++)
		*reals[i] = real(q, 8 + i);
	e->pairs_needed = sqlite3_column_int(q, 18);
	e->result = (enum verdict)verdict_parse(sql_text(q, 19));
}

static int get_estimates(struct store *st, int64_t look, struct gate_look *l, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT w.name, m.name, e.unit, e.direction, e.base_mean, e.cand_mean,"
		" e.signflip_p, e.n, e.mean, e.sd, e.se, e.df, e.t, e.p, e.p_adj, e.lo, e.hi, e.mde,"
		" e.pairs_needed, e.result FROM estimate e JOIN workload w ON w.id = e.workload"
		" JOIN metric m ON m.id = e.metric WHERE e.look = ? ORDER BY e.idx",
		"i", look);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		l->workloads = xrealloc(l->workloads, (l->n_workloads + 1) * sizeof(*l->workloads));
		read_estimate(q, &l->workloads[l->n_workloads++]);
	}
	return rc;
}

static int get_looks(struct store *st, int64_t verdict, struct gate_verdict *v, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "SELECT id, pairs, level, result FROM look WHERE verdict = ?"
				    " ORDER BY pairs",
				    "i", verdict);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct gate_look *l;

		v->looks = xrealloc(v->looks, (v->n_looks + 1) * sizeof(*v->looks));
		l = &v->looks[v->n_looks++];
		*l = (struct gate_look){
			.pairs = sqlite3_column_int(q, 1),
			.level = sqlite3_column_double(q, 2),
			.result = (enum verdict)verdict_parse(sql_text(q, 3)),
		};
		if (get_estimates(st, sqlite3_column_int64(q, 0), l, err) < 0)
			rc = -1;
	}
	return rc;
}

static int get_verdict(struct store *st, sqlite3_stmt *q, struct gate_set *set, struct err *err)
{
	struct gate_verdict *v;

	set->verdicts = xrealloc(set->verdicts, (set->n_verdicts + 1) * sizeof(*set->verdicts));
	v = &set->verdicts[set->n_verdicts++];
	*v = (struct gate_verdict){
		.candidate = sqlite3_column_int(q, 1),
		.label = xstrdup(sql_text(q, 2)),
		.result = (enum verdict)verdict_parse(sql_text(q, 3)),
		.blame = blame_parse(sql_text(q, 4)),
		.reason = xstrdup(sql_text(q, 6)),
		.pairs = sqlite3_column_int(q, 7),
	};
	snprintf(v->code, sizeof(v->code), "%s", sql_text(q, 5));
	set->more = sqlite3_column_int(q, 8);
	set->rows_hash = (uint64_t)sqlite3_column_int64(q, 9);
	if (v->result > set->result) {
		set->result = v->result;
		set->blame = v->blame;
	}
	return get_looks(st, sqlite3_column_int64(q, 0), v, err);
}

struct gate_set *store_get_verdicts(struct store *st, const char *session, struct err *err)
{
	int64_t id = sql_session(st, session, err);
	struct gate_set *set;
	sqlite3_stmt *q;
	int rc;

	if (id < 0)
		return NULL;
	q = sql_query(st, err,
		      "SELECT id, candidate, label, result, blame, code, reason, pairs, more,"
		      " rows_hash FROM verdict WHERE session = ? ORDER BY candidate",
		      "i", id);
	if (!q)
		return NULL;
	set = xcalloc(1, sizeof(*set));
	while ((rc = sql_next(st, q, err)) == 1)
		if (get_verdict(st, q, set, err) < 0)
			break;
	sqlite3_reset(q);
	if (rc) {
		gate_set_free(set);
		return NULL;
	}
	return set;
}
