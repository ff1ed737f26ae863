// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of one session, out and in; see store.h. Layer: results. */
#include "results/store-sqlite.h"

#include <string.h>

#include "results/session.h"

/* ---- storing ---- */

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
		    " result, dir, release, fingerprint, started, boot_ms)"
		    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "iiiiiiissssii", id, (int64_t)v->number, (int64_t)v->kernel, (int64_t)v->pair,
		    (int64_t)v->position, (int64_t)v->warmup, (int64_t)v->control,
		    visit_result_name(v->result), v->dir, v->release, v->fingerprint, v->started_ms,
		    v->boot_ms) < 0)
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

/* ---- loading ---- */

static int get_head(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT s.name, s.dir, s.started, s.state, s.result, s.user, s.host, s.rig_version,"
		" s.suite, s.suite_hash, s.profile, s.notes, s.pairs_fixed, s.pairs_min,"
		" s.pairs_max, s.warmup, s.seed, b.name, b.serial, b.model, s.setup,"
		" s.pruned FROM session s JOIN board b ON b.id = s.board WHERE s.id = ?",
		"i", id);
	const char **texts[] = { &s->name,   &s->dir,	     NULL,	  NULL,
				 &s->result, &s->user,	     &s->host,	  &s->rig_version,
				 &s->suite,  &s->suite_hash, &s->profile, &s->notes };
	int *numbers[] = { &s->pairs_fixed, &s->pairs_min, &s->pairs_max, &s->warmup };

	if (!q || sql_next(st, q, err) != 1)
		return -1;
	for (int i = 0; i < 12; i++)
		if (texts[i])
			*texts[i] = session_str(s, sql_text(q, i));
	for (int i = 0; i < 4; i++)
		*numbers[i] = sqlite3_column_int(q, 12 + i);
	s->started_ms = sqlite3_column_int64(q, 2);
	s->state = strcmp(sql_text(q, 3), "running") ? SESSION_ENDED : SESSION_RUNNING;
	s->seed = sqlite3_column_int64(q, 16);
	s->board = session_str(s, sql_text(q, 17));
	s->serial = session_str(s, sql_text(q, 18));
	s->model = session_str(s, sql_text(q, 19));
	s->setup = session_str(s, sql_text(q, 20));
	s->pruned_ms = sqlite3_column_int64(q, 21);
	sqlite3_reset(q);
	return 0;
}

static int get_kernels(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT sk.label, k.series, k.variant, k.hash, k.release, k.arch, k.patches_hash,"
		" k.config_hash, k.compiler, sk.cmdline FROM session_kernel sk"
		" JOIN kernel k ON k.id = sk.kernel WHERE sk.session = ? ORDER BY sk.idx",
		"i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_kernel *k = session_add_kernel(s);

		k->label = session_str(s, sql_text(q, 0));
		k->series = session_str(s, sql_text(q, 1));
		k->variant = session_str(s, sql_text(q, 2));
		k->id = session_str(s, sql_text(q, 3));
		k->release = session_str(s, sql_text(q, 4));
		k->arch = session_str(s, sql_text(q, 5));
		k->patches_hash = session_str(s, sql_text(q, 6));
		k->config_hash = session_str(s, sql_text(q, 7));
		k->compiler = session_str(s, sql_text(q, 8));
		k->cmdline = session_str(s, sql_text(q, 9));
	}
	return rc;
}

static int get_metrics(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT w.name, m.name, sm.unit, sm.direction, sm.is_primary, sm.min_effect,"
		" sm.loss FROM session_metric sm JOIN workload w ON w.id = sm.workload"
		" JOIN metric m ON m.id = sm.metric WHERE sm.session = ? ORDER BY sm.idx",
		"i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_metric *m = session_add_metric(s);

		m->workload = session_str(s, sql_text(q, 0));
		m->metric = session_str(s, sql_text(q, 1));
		m->unit = session_str(s, sql_text(q, 2));
		m->direction = (enum direction)direction_parse(sql_text(q, 3));
		m->primary = sqlite3_column_int(q, 4);
		m->min_effect = sqlite3_column_double(q, 5);
		m->loss = sqlite3_column_double(q, 6);
	}
	return rc;
}

static int get_visits(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT visit, kernel_idx, pair, position, warmup, control, result, dir, release,"
		" fingerprint, started, boot_ms FROM boot WHERE session = ? ORDER BY visit",
		"i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_visit *v = session_add_visit(s);

		v->number = sqlite3_column_int(q, 0);
		v->kernel = sqlite3_column_int(q, 1);
		v->pair = sqlite3_column_int(q, 2);
		v->position = sqlite3_column_int(q, 3);
		v->warmup = sqlite3_column_int(q, 4);
		v->control = sqlite3_column_int(q, 5);
		v->result = (enum visit_result)visit_result_parse(sql_text(q, 6));
		v->dir = session_str(s, sql_text(q, 7));
		v->release = session_str(s, sql_text(q, 8));
		v->fingerprint = session_str(s, sql_text(q, 9));
		v->started_ms = sqlite3_column_int64(q, 10);
		v->boot_ms = sqlite3_column_int64(q, 11);
	}
	return rc;
}

static int get_steps(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err,
			  "SELECT b.visit, r.step, r.kind, coalesce(w.name, ''), r.status, r.blame,"
			  " r.message, r.dir, r.command, r.exit_code, r.signal, r.duration_ns,"
			  " r.agent_cpu_ns, r.agent_wakeups FROM boot b JOIN run r ON r.boot = b.id"
			  " LEFT JOIN workload w ON w.id = r.workload WHERE b.session = ?"
			  " ORDER BY b.visit, r.step",
			  "i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_step *p = session_add_step(s);

		p->visit = session_find_visit(s, sqlite3_column_int(q, 0));
		p->number = sqlite3_column_int(q, 1);
		p->kind = session_str(s, sql_text(q, 2));
		p->workload = session_str(s, sql_text(q, 3));
		p->status = (enum step_status)step_status_parse(sql_text(q, 4));
		p->blame = blame_parse(sql_text(q, 5));
		p->message = session_str(s, sql_text(q, 6));
		p->dir = session_str(s, sql_text(q, 7));
		p->command = session_str(s, sql_text(q, 8));
		p->exit_code = sqlite3_column_int(q, 9);
		p->signal = sqlite3_column_int(q, 10);
		p->duration_ns = sqlite3_column_int64(q, 11);
		p->agent_cpu_ns = sqlite3_column_int64(q, 12);
		p->agent_wakeups = sqlite3_column_int64(q, 13);
	}
	return rc;
}

static int get_samples(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT b.visit, r.step, m.name, x.value FROM boot b JOIN run r ON r.boot = b.id"
		" JOIN sample x ON x.run = r.id JOIN metric m ON m.id = x.metric"
		" WHERE b.session = ? ORDER BY b.visit, r.step, x.metric",
		"i", id);
	int rc = q ? 1 : -1;
	size_t step = 0;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_sample *x;

		/* Both lists are in the same order. */
		while (step < s->n_steps &&
		       (s->visits[s->steps[step].visit].number != sqlite3_column_int(q, 0) ||
			s->steps[step].number != sqlite3_column_int(q, 1)))
			step++;
		x = session_add_sample(s);
		x->step = (int)step;
		x->metric = session_str(s, sql_text(q, 2));
		x->value = sqlite3_column_double(q, 3);
	}
	return rc;
}

static int get_findings(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(
		st, err,
		"SELECT b.visit, f.kind, f.title, f.severity, f.signature, f.guilty, f.trace,"
		" f.log_begin, f.log_end FROM boot b JOIN finding f ON f.boot = b.id"
		" WHERE b.session = ? ORDER BY b.visit, f.id",
		"i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_finding *f = session_add_finding(s);

		f->visit = session_find_visit(s, sqlite3_column_int(q, 0));
		f->kind = session_str(s, sql_text(q, 1));
		f->title = session_str(s, sql_text(q, 2));
		f->severity = session_str(s, sql_text(q, 3));
		f->signature = session_str(s, sql_text(q, 4));
		f->guilty = session_str(s, sql_text(q, 5));
		f->trace = session_str(s, sql_text(q, 6));
		f->begin = sqlite3_column_int64(q, 7);
		f->end = sqlite3_column_int64(q, 8);
	}
	return rc;
}

static int get_faults(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "SELECT coalesce(visit, -1), blame, code, message, at"
				    " FROM fault WHERE session = ? ORDER BY id",
				    "i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_fault *f = session_add_fault(s);

		f->visit = session_find_visit(s, sqlite3_column_int(q, 0));
		f->blame = blame_parse(sql_text(q, 1));
		f->code = session_str(s, sql_text(q, 2));
		f->message = session_str(s, sql_text(q, 3));
		f->at_ms = sqlite3_column_int64(q, 4);
	}
	return rc;
}

static int get_anomalies(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "SELECT rule, severity, place, subject, printed, expected,"
				    " message FROM anomaly WHERE session = ? ORDER BY idx",
				    "i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_anomaly *a = session_add_anomaly(s);

		a->rule = session_str(s, sql_text(q, 0));
		a->severity = (enum severity)severity_parse(sql_text(q, 1));
		a->place = session_str(s, sql_text(q, 2));
		a->subject = session_str(s, sql_text(q, 3));
		a->printed = session_str(s, sql_text(q, 4));
		a->expected = session_str(s, sql_text(q, 5));
		a->message = session_str(s, sql_text(q, 6));
	}
	return rc;
}

static int get_priors(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q =
		sql_query(st, err,
			  "SELECT w.name, m.name, p.d0, p.s0sq, p.made FROM session_prior p"
			  " JOIN workload w ON w.id = p.workload JOIN metric m ON m.id = p.metric"
			  " WHERE p.session = ? ORDER BY p.idx",
			  "i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_prior *p = session_add_prior(s);

		p->workload = session_str(s, sql_text(q, 0));
		p->metric = session_str(s, sql_text(q, 1));
		p->d0 = sqlite3_column_double(q, 2);
		p->s0sq = sqlite3_column_double(q, 3);
		p->made_ms = sqlite3_column_int64(q, 4);
	}
	return rc;
}

static int get_suppressions(struct store *st, struct session *s, int64_t id, struct err *err)
{
	sqlite3_stmt *q = sql_query(st, err,
				    "SELECT title, kind, guilty, until, reason"
				    " FROM session_suppression WHERE session = ? ORDER BY idx",
				    "i", id);
	int rc = q ? 1 : -1;

	while (rc > 0 && (rc = sql_next(st, q, err)) == 1) {
		struct session_suppression *p = session_add_suppression(s);

		p->title = session_str(s, sql_text(q, 0));
		p->kind = session_str(s, sql_text(q, 1));
		p->guilty = session_str(s, sql_text(q, 2));
		p->until = session_str(s, sql_text(q, 3));
		p->reason = session_str(s, sql_text(q, 4));
	}
	return rc;
}

typedef int getter(struct store *st, struct session *s, int64_t id, struct err *err);

struct session *store_get_session(struct store *st, const char *name, struct err *err)
{
	static getter *const getters[] = { get_head,	  get_kernels, get_metrics,	get_visits,
					   get_steps,	  get_samples, get_findings,	get_faults,
					   get_anomalies, get_priors,  get_suppressions };
	int64_t id = sql_session(st, name, err);
	struct session *s;

	if (id < 0)
		return NULL;
	s = session_new();
	for (size_t i = 0; i < sizeof(getters) / sizeof(getters[0]); i++) {
		if (getters[i](st, s, id, err) < 0) {
			session_free(s);
			return NULL;
		}
	}
	return s;
}
