// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of one session, out; see store.h. Layer: results. */
#include "results/store-sqlite.h"

#include <string.h>

#include "results/session.h"

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
		" fingerprint, started, boot_ms, line_errors, line_gaps"
		" FROM boot WHERE session = ? ORDER BY visit",
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
		v->line_errors = sqlite3_column_int64(q, 12);
		v->line_gaps = sqlite3_column_int64(q, 13);
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
