// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of one session, in; see store.h. Layer: results. */
#include "results/store-sqlite.h"

#include "results/session.h"

static int64_t put_board(struct store *st, const struct session *s, struct err *err)
{
	int64_t id;

	if (sql_run(st, err,
		    "INSERT INTO board (name, serial, model) VALUES (?, ?, ?)"
		    " ON CONFLICT DO NOTHING",
		    "sss", s->board, s->serial, s->model) < 0 ||
	    sql_int(st, err, &id, -1,
		    "SELECT id FROM board WHERE name = ? AND serial = ? AND model = ?", "sss",
		    s->board, s->serial, s->model) < 0)
		return -1;
	return id;
}

static int64_t put_kernel(struct store *st, const struct session_kernel *k, struct err *err)
{
	int64_t id;

	if (sql_run(st, err,
		    "INSERT INTO kernel (hash, series, variant, release, arch, patches_hash,"
		    " config_hash, compiler) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
		    " ON CONFLICT (hash, series, variant) DO UPDATE SET release = excluded.release,"
		    " arch = excluded.arch, patches_hash = excluded.patches_hash,"
		    " config_hash = excluded.config_hash, compiler = excluded.compiler",
		    "ssssssss", k->id, k->series, k->variant, k->release, k->arch, k->patches_hash,
		    k->config_hash, k->compiler) < 0 ||
	    sql_int(st, err, &id, -1,
		    "SELECT id FROM kernel WHERE hash = ? AND series = ? AND variant = ?", "sss",
		    k->id, k->series, k->variant) < 0)
		return -1;
	return id;
}

static const char session_sql[] =
	"INSERT INTO session (name, dir, started, state, result, user, host, rig_version, suite,"
	" suite_hash, profile, notes, setup, board, pairs_fixed, pairs_min, pairs_max, warmup, seed)"
	" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	" ON CONFLICT (name) DO UPDATE SET dir = excluded.dir, started = excluded.started,"
	" state = excluded.state, result = excluded.result, user = excluded.user,"
	" host = excluded.host, rig_version = excluded.rig_version, suite = excluded.suite,"
	" suite_hash = excluded.suite_hash, profile = excluded.profile, notes = excluded.notes,"
	" setup = excluded.setup,"
	" board = excluded.board, pairs_fixed = excluded.pairs_fixed,"
	" pairs_min = excluded.pairs_min, pairs_max = excluded.pairs_max,"
	" warmup = excluded.warmup, seed = excluded.seed, pruned = 0";

/* Children of an earlier import go first: boots take their runs, samples and findings along. */
static int put_head(struct store *st, const struct session *s, int64_t *id, struct err *err)
{
	int64_t board = put_board(st, s, err);

	if (board < 0 ||
	    sql_run(st, err, session_sql, "ssissssssssssiiiiii", s->name, s->dir, s->started_ms,
		    s->state == SESSION_RUNNING ? "running" : "ended", s->result, s->user, s->host,
		    s->rig_version, s->suite, s->suite_hash, s->profile, s->notes, s->setup, board,
		    (int64_t)s->pairs_fixed, (int64_t)s->pairs_min, (int64_t)s->pairs_max,
		    (int64_t)s->warmup, s->seed) < 0)
		return -1;
	*id = sql_session(st, s->name, err);
	if (*id < 0 ||
	    sql_run(st, err, "DELETE FROM session_kernel WHERE session = ?", "i", *id) < 0 ||
	    sql_run(st, err, "DELETE FROM session_metric WHERE session = ?", "i", *id) < 0 ||
	    sql_run(st, err, "DELETE FROM session_suppression WHERE session = ?", "i", *id) < 0 ||
	    sql_run(st, err, "DELETE FROM boot WHERE session = ?", "i", *id) < 0 ||
	    sql_run(st, err, "DELETE FROM fault WHERE session = ?", "i", *id) < 0 ||
	    sql_run(st, err, "DELETE FROM anomaly WHERE session = ?", "i", *id) < 0)
		return -1;
	return 0;
}

static int put_plan(struct store *st, const struct session *s, int64_t id, struct err *err)
{
	for (size_t i = 0; i < s->n_kernels; i++) {
		const struct session_kernel *k = &s->kernels[i];
		int64_t kernel = put_kernel(st, k, err);

		if (kernel < 0 ||
		    sql_run(st, err,
			    "INSERT INTO session_kernel (session, idx, label, kernel,"
			    " cmdline) VALUES (?, ?, ?, ?, ?)",
			    "iisis", id, (int64_t)i, k->label, kernel, k->cmdline) < 0)
			return -1;
	}
	for (size_t i = 0; i < s->n_metrics; i++) {
		const struct session_metric *m = &s->metrics[i];
		int64_t workload = sql_workload(st, m->workload, err);
		int64_t metric = sql_metric(st, m->metric, err);

		if (workload < 0 || metric < 0 ||
		    sql_run(st, err,
			    "INSERT INTO session_metric (session, idx, workload, metric, unit,"
			    " direction, is_primary, min_effect, loss)"
			    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			    "iiiissidd", id, (int64_t)i, workload, metric, m->unit,
			    direction_name(m->direction), (int64_t)m->primary, m->min_effect,
			    m->loss) < 0)
			return -1;
	}
	return 0;
}

/* One statement, bound by hand: most of an import is here. */
static int put_samples(struct store *st, const struct session *s, size_t *next, int step,
		       int64_t run, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "INSERT INTO sample (run, metric, value) VALUES (?, ?, ?)",
				    "iid", run, (int64_t)0, 0.0);

	if (!q)
		return -1;
	for (; *next < s->n_samples && s->samples[*next].step == step; (*next)++) {
		int64_t metric = sql_metric(st, s->samples[*next].metric, err);

		if (metric < 0)
			return -1;
		sqlite3_bind_int64(q, 2, metric);
		sqlite3_bind_double(q, 3, s->samples[*next].value);
		if (sql_next(st, q, err) < 0)
			return -1;
	}
	return 0;
}

static int put_step(struct store *st, const struct session_step *p, int64_t boot, struct err *err)
{
	int64_t workload = *p->workload ? sql_workload(st, p->workload, err) : 0;

	if (workload < 0)
		return -1;
	/* Set-up steps have no workload: NULL by way of nullif(). */
	return sql_run(st, err,
		       "INSERT INTO run (boot, step, kind, workload, status, blame, message, dir,"
		       " command, exit_code, signal, duration_ns, agent_cpu_ns, agent_wakeups)"
		       " VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		       "iisisssssiiiii", boot, (int64_t)p->number, p->kind, workload,
		       step_status_name(p->status), blame_name(p->blame), p->message, p->dir,
		       p->command, (int64_t)p->exit_code, (int64_t)p->signal, p->duration_ns,
		       p->agent_cpu_ns, p->agent_wakeups);
}

/* Steps and samples are in order of their visits and steps: one walk over all three. */
struct walk {
	size_t step, sample;
};

static int put_boot(struct store *st, const struct session *s, int64_t id, size_t visit,
		    struct walk *w, struct err *err)
{
	const struct session_visit *v = &s->visits[visit];
	int64_t boot;

	if (sql_run(st, err,
		    "INSERT INTO boot (session, visit, kernel_idx, pair, position, warmup, control,"
		    " result, dir, release, fingerprint, started, boot_ms, line_errors,"
		    " line_gaps)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "iiiiiiissssiiii", id, (int64_t)v->number, (int64_t)v->kernel, (int64_t)v->pair,
		    (int64_t)v->position, (int64_t)v->warmup, (int64_t)v->control,
		    visit_result_name(v->result), v->dir, v->release, v->fingerprint, v->started_ms,
		    v->boot_ms, v->line_errors, v->line_gaps) < 0)
		return -1;
	boot = sqlite3_last_insert_rowid(st->db);
	for (; w->step < s->n_steps && s->steps[w->step].visit == (int)visit; w->step++) {
		if (put_step(st, &s->steps[w->step], boot, err) < 0 ||
		    put_samples(st, s, &w->sample, (int)w->step, sqlite3_last_insert_rowid(st->db),
				err) < 0)
			return -1;
	}
	for (size_t i = 0; i < s->n_findings; i++) {
		const struct session_finding *f = &s->findings[i];

		if (f->visit == (int)visit &&
		    sql_run(st, err,
			    "INSERT INTO finding (boot, kind, title, severity, signature, guilty,"
			    " trace, log_begin, log_end) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			    "issssssii", boot, f->kind, f->title, f->severity, f->signature,
			    f->guilty, f->trace, f->begin, f->end) < 0)
			return -1;
	}
	return 0;
}

static int put_faults(struct store *st, const struct session *s, int64_t id, struct err *err)
{
	for (size_t i = 0; i < s->n_faults; i++) {
		const struct session_fault *f = &s->faults[i];
		int64_t visit = f->visit < 0 ? -1 : s->visits[f->visit].number;

		if (sql_run(st, err,
			    "INSERT INTO fault (session, visit, blame, code, message, at)"
			    " VALUES (?, nullif(?, -1), ?, ?, ?, ?)",
			    "iisssi", id, visit, blame_name(f->blame), f->code, f->message,
			    f->at_ms) < 0)
			return -1;
	}
	return 0;
}

static int put_anomalies(struct store *st, const struct session *s, int64_t id, struct err *err)
{
	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];

		if (sql_run(st, err,
			    "INSERT INTO anomaly (session, idx, rule, severity, place, subject,"
			    " printed, expected, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			    "iisssssss", id, (int64_t)i, a->rule, severity_name(a->severity),
			    a->place, a->subject, a->printed, a->expected, a->message) < 0)
			return -1;
	}
	return 0;
}

static int put_suppressions(struct store *st, const struct session *s, int64_t id, struct err *err)
{
	for (size_t i = 0; i < s->n_suppressions; i++) {
		const struct session_suppression *p = &s->suppressions[i];

		if (sql_run(st, err,
			    "INSERT INTO session_suppression (session, idx, title, kind, guilty,"
			    " until, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
			    "iisssss", id, (int64_t)i, p->title, p->kind, p->guilty, p->until,
			    p->reason) < 0)
			return -1;
	}
	return 0;
}

static int put_boots(struct store *st, const struct session *s, int64_t id, struct err *err)
{
	struct walk w = { 0, 0 };

	for (size_t i = 0; i < s->n_visits; i++)
		if (put_boot(st, s, id, i, &w, err) < 0)
			return -1;
	return 0;
}

typedef int putter(struct store *st, const struct session *s, int64_t id, struct err *err);

static int put_all(struct store *st, const struct session *s, struct err *err)
{
	static putter *const putters[] = {
		put_plan, put_suppressions, put_boots, put_faults, put_anomalies,
	};
	int64_t id;

	if (put_head(st, s, &id, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(putters) / sizeof(putters[0]); i++)
		if (putters[i](st, s, id, err) < 0)
			return -1;
	return points_put(st, id, err);
}

int store_put_session(struct store *st, const struct session *s, struct err *err)
{
	/* Out of the store, without what its points were made from. */
	if (s->pruned_ms)
		return session_check_pruned(s, err);
	if (sql_begin(st, err) < 0)
		return -1;
	return sql_end(st, put_all(st, s, err), err);
}
