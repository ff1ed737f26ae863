// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite and profile to plan; see suite.h. Layer: suite. */
#include "suite/expand.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "suite/step.h"
#include "suite/template.h"

#define SECONDS_MAX    86400
#define WORKLOADS_MAX  1000
#define ARGS_MAX_BYTES 4096

#define LETTERS	 "abcdefghijklmnopqrstuvwxyz0123456789"
#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* One expansion under way. */
struct expand {
	const struct suite *s;
	const struct suite_profile *profile;
	struct template_vars profile_vars;
	struct plan *plan;
	long estimate_ms;
	struct err *err;
};

static struct plan_step *add_step(struct plan *plan, const struct step_kind *kind)
{
	struct plan_step *step;

	plan->steps = xrealloc(plan->steps, (plan->n_steps + 1) * sizeof(*plan->steps));
	step = &plan->steps[plan->n_steps++];
	memset(step, 0, sizeof(*step));
	step->kind = xstrdup(kind->name);
	if (kind->roles & STEP_HOST)
		step->where = xstrdup("host");
	return step;
}

static void add_fixed_steps(struct expand *e, const struct conf_texts *kinds)
{
	for (size_t i = 0; i < kinds->n; i++) {
		const struct step_kind *kind = step_find(kinds->items[i].s);
		struct plan_step *step = add_step(e->plan, kind);

		step->timeout_ms = (long)kind->timeout_s * 1000;
	}
}

static bool in_list(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += size)
		if ((p == list || p[-1] == ',') && (!p[size] || p[size] == ','))
			return true;
	return false;
}

/* A gadget's disk is not there before a step makes the gadget. */
static bool made_by_step(const char *target)
{
	return !strncmp(target, "gadget:", strlen("gadget:"));
}

/*
 * Setup steps are told all devices that the workloads will use, separated by commas: they wait for
 * them before they tune or describe the machine.
 */
static void set_setup_targets(struct plan *plan, size_t n_setup)
{
	struct buf targets = BUF_INIT;

	for (size_t i = n_setup; i < plan->n_steps; i++) {
		const char *target = plan->steps[i].target;

		if (target && !made_by_step(target) && !in_list(buf_str(&targets), target))
			buf_addf(&targets, "%s%s", targets.size ? "," : "", target);
	}
	for (size_t i = 0; targets.size && i < n_setup; i++)
		plan->steps[i].target = xstrdup(buf_str(&targets));
	buf_release(&targets);
}

static int expand_seconds(struct expand *e, const struct conf_text *text,
			  const struct template_vars *vars, const char *what, long *ms)
{
	char *value = template_expand(e->s->conf, text, vars, what, e->err);
	char *end;
	long v;
	int rc = 0;

	if (!value)
		return -1;
	v = strtol(value, &end, 10);
	if (end == value || *end || v < 0 || v > SECONDS_MAX)
		rc = conf_error(e->s->conf, text->pos, e->err,
				"%s must be whole seconds, 0 to %d, not \"%.40s\"", what,
				SECONDS_MAX, value);
	*ms = v * 1000;
	free(value);
	return rc;
}

static int unknown_arg(struct expand *e, const struct step_kind *kind, const struct conf_text *text,
		       const char *arg)
{
	const char *guess = step_arg_guess(kind, arg);

	if (!strchr(arg, '='))
		return conf_error(e->s->conf, text->pos, e->err,
				  "step kind %s takes \"name=value\", not \"%.60s\"", kind->name,
				  arg);
	return conf_error(e->s->conf, text->pos, e->err, "step kind %s takes no \"%.*s\"%s%s%s",
			  kind->name, (int)strcspn(arg, "="), arg, guess ? "; did you mean \"" : "",
			  guess ? guess : "", guess ? "\"?" : "");
}

/* An argument without a default is to be given. */
static int check_args_given(struct expand *e, const struct suite_workload *w,
			    const struct step_kind *kind, const struct plan_step *step)
{
	for (const struct step_arg *a = kind->args; a && a->name; a++) {
		size_t i = 0;

		while (i < step->n_args && step_arg_find(kind, step->args[i]) != a)
			i++;
		if (i == step->n_args && !a->def)
			return conf_error(e->s->conf, w->pos, e->err,
					  "workload \"%s\": step kind %s needs \"%s=...\" in args",
					  w->name.s, kind->name, a->name);
	}
	return 0;
}

static int check_arg(struct expand *e, const struct step_kind *kind, const struct conf_text *text,
		     const char *arg)
{
	for (size_t i = 0; kind->flags && kind->flags[i]; i++) {
		size_t n = strlen(kind->flags[i]);

		if (!strncmp(arg, kind->flags[i], n) && (!arg[n] || arg[n] == '='))
			return conf_error(e->s->conf, text->pos, e->err,
					  "%s is set by the rig itself; leave it out of args",
					  kind->flags[i]);
	}
	return kind->args && !step_arg_find(kind, arg) ? unknown_arg(e, kind, text, arg) : 0;
}

static int expand_args(struct expand *e, const struct suite_workload *w,
		       const struct step_kind *kind, const struct template_vars *vars,
		       struct plan_step *step)
{
	size_t bytes = 0;

	step->args = xcalloc(w->args.n, sizeof(*step->args));
	for (size_t i = 0; i < w->args.n; i++) {
		const struct conf_text *text = &w->args.items[i];
		char *arg = template_expand(e->s->conf, text, vars, "args", e->err);

		if (!arg)
			return -1;
		step->args[step->n_args++] = arg;
		bytes += strlen(arg) + 1;
		if (check_arg(e, kind, text, arg))
			return -1;
	}
	if (bytes > ARGS_MAX_BYTES)
		return conf_error(e->s->conf, w->pos, e->err, "args are longer than %d bytes",
				  ARGS_MAX_BYTES);
	return check_args_given(e, w, kind, step);
}

static void expand_observe(const struct suite_workload *w, struct plan_step *step)
{
	step->observe = xcalloc(w->observe.n, sizeof(*step->observe));
	for (size_t i = 0; i < w->observe.n; i++)
		step->observe[step->n_observe++] = xstrdup(w->observe.items[i].s);
}

static int expand_times(struct expand *e, const struct suite_workload *w,
			const struct template_vars *vars, struct plan_step *step)
{
	long duration_ms, grace_ms;

	if (expand_seconds(e, &w->duration_s, vars, "duration_s", &duration_ms) ||
	    expand_seconds(e, &w->grace_s, vars, "grace_s", &grace_ms) ||
	    expand_seconds(e, &w->pause_s, vars, "pause_s", &step->pause_ms))
		return -1;
	step->timeout_ms = duration_ms + grace_ms;
	if (!step->timeout_ms)
		return conf_error(e->s->conf, w->grace_s.pos, e->err,
				  "duration_s and grace_s are both 0: it could never end in time");
	e->estimate_ms += duration_ms + step->pause_ms;
	return 0;
}

/* "ufs:0", "part:userdata": agents/target.h */
static bool target_ok(const char *target)
{
	size_t n = strspn(target, LETTERS "-");
	size_t rest = target[n] == ':' ? strspn(target + n + 1, LETTERS CAPITALS "._-") : 0;

	return n && rest && !target[n + 1 + rest];
}

static int expand_target(struct expand *e, const struct suite_workload *w,
			 const struct template_vars *vars, struct plan_step *step)
{
	if (!w->target.s)
		return 0;
	step->target = template_expand(e->s->conf, &w->target, vars, "target", e->err);
	if (!step->target)
		return -1;
	if (target_ok(step->target))
		return 0;
	return conf_error(e->s->conf, w->target.pos, e->err,
			  "target \"%.40s\" must be a class and a number or name, \"ufs:0\" or "
			  "\"part:userdata\" for example",
			  step->target);
}

/* The name becomes a part of paths. */
static bool name_ok(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-/";

	return *name && !name[strspn(name, allowed)] && name[0] != '/' && name[0] != '-' &&
	       !strstr(name, "..") && !strstr(name, "//") && name[strlen(name) - 1] != '/';
}

static int check_workload_name(struct expand *e, const struct suite_workload *w, const char *name)
{
	if (!name_ok(name))
		return conf_error(e->s->conf, w->name.pos, e->err,
				  "workload name \"%.60s\": letters, digits, '.', '_', '-' and '/' "
				  "only",
				  name);
	for (size_t i = 0; i < e->plan->n_steps; i++) {
		const char *other = e->plan->steps[i].workload;

		if (other && !strcmp(other, name))
			return conf_error(
				e->s->conf, w->name.pos, e->err,
				"two workloads are called \"%s\"; put the matrix variables "
				"into the name",
				name);
	}
	return 0;
}

static int unknown_metric(struct expand *e, const struct suite_metric *m,
			  const struct step_kind *kind, const char *name)
{
	char *guess = step_metric_guess(kind, name);

	conf_error(e->s->conf, m->name.pos, e->err, "step kind %s has no metric \"%.60s\"%s%s%s",
		   kind->name, name, guess ? "; did you mean \"" : "", guess ? guess : "",
		   guess ? "\"?" : "");
	free(guess);
	return -1;
}

static void add_metric(struct plan *plan, const struct suite_metric *m,
		       const struct step_metric *row, const char *workload, char *name)
{
	struct plan_metric *out;

	plan->metrics = xrealloc(plan->metrics, (plan->n_metrics + 1) * sizeof(*plan->metrics));
	out = &plan->metrics[plan->n_metrics++];
	out->workload = xstrdup(workload);
	out->metric = name;
	out->unit = xstrdup(row->unit);
	out->direction = xstrdup(m->direction == DIRECTION_DEFAULT
					 ? row->direction
					 : suite_direction_words[m->direction]);
	out->primary = m->primary;
	out->min_effect = m->must_be_zero ? 0 : m->min_effect;
	out->loss = m->must_be_zero ? 0 : m->loss;
}

static const struct step_metric *find_metric(const struct suite_workload *w,
					     const struct step_kind *kind, const char *name)
{
	const struct step_metric *row = step_metric_find(kind, name);

	for (size_t i = 0; i < w->observe.n && !row; i++)
		row = step_observer_metric_find(step_observer_find(w->observe.items[i].s), name);
	return row;
}

static int expand_metric(struct expand *e, const struct suite_workload *w,
			 const struct suite_metric *m, const struct step_kind *kind,
			 const struct template_vars *vars, const char *workload)
{
	char *name = template_expand(e->s->conf, &m->name, vars, "metric", e->err);
	const struct step_metric *row = name ? find_metric(w, kind, name) : NULL;

	if (row && m->must_be_zero && m->primary)
		return free(name), conf_error(e->s->conf, m->pos, e->err,
					      "metric \"%s\" is primary and must_be_zero: numbers "
					      "are judged by either",
					      m->name.s);
	if (row) {
		add_metric(e->plan, m, row, workload, name);
		return 0;
	}
	if (name)
		unknown_metric(e, m, kind, name);
	free(name);
	return -1;
}

static int check_primary(struct expand *e, const struct suite_workload *w)
{
	const struct suite_metric *m = w->metrics.items;
	size_t n = 0;

	for (size_t i = 0; i < w->metrics.n; i++)
		n += m[i].primary;
	if (n == (w->gate ? 1 : 0))
		return 0;
	if (!w->gate)
		return conf_error(e->s->conf, w->pos, e->err,
				  "workload \"%s\" has gate: false and a primary metric",
				  w->name.s);
	return conf_error(e->s->conf, w->pos, e->err,
			  "workload \"%s\" has %zu primary metrics; it needs one, or gate: false",
			  w->name.s, n);
}

static int expand_metrics(struct expand *e, const struct suite_workload *w,
			  const struct step_kind *kind, const struct template_vars *vars,
			  const char *workload)
{
	const struct suite_metric *m = w->metrics.items;
	size_t first = e->plan->n_metrics;

	if (check_primary(e, w))
		return -1;
	for (size_t i = 0; i < w->metrics.n; i++) {
		if (expand_metric(e, w, &m[i], kind, vars, workload))
			return -1;
		for (size_t j = first; j + 1 < e->plan->n_metrics; j++)
			if (!strcmp(e->plan->metrics[j].metric, e->plan->metrics[first + i].metric))
				return conf_error(e->s->conf, m[i].pos, e->err,
						  "metric \"%s\" is given twice",
						  e->plan->metrics[j].metric);
	}
	return 0;
}

/* One combination of the matrix. */
static int expand_one(struct expand *e, const struct suite_workload *w,
		      const struct template_vars *vars)
{
	const struct step_kind *kind = step_find(w->step.s);
	char *name = template_expand(e->s->conf, &w->name, vars, "name", e->err);
	struct plan_step *step;
	int rc = name ? check_workload_name(e, w, name) : -1;

	if (rc) {
		free(name);
		return -1;
	}
	if (e->plan->n_steps >= WORKLOADS_MAX)
		rc = conf_error(e->s->conf, w->pos, e->err, "more than %d steps", WORKLOADS_MAX);
	step = add_step(e->plan, kind);
	step->workload = name;
	expand_observe(w, step);
	if (rc || expand_target(e, w, vars, step) || expand_times(e, w, vars, step) ||
	    expand_args(e, w, kind, vars, step))
		return -1;
	return expand_metrics(e, w, kind, vars, step->workload);
}

/* Walks the matrix from variable i on; vars holds the values of those before it. */
static int expand_matrix(struct expand *e, const struct suite_workload *w,
			 struct template_vars *vars, struct template_var *values, size_t i)
{
	const struct conf_pair *pair;

	if (i == w->matrix.n)
		return expand_one(e, w, vars);
	pair = &w->matrix.items[i];
	values[i].name = pair->name.s;
	for (size_t v = 0; v < pair->values.n; v++) {
		values[i].value = pair->values.items[v].s;
		vars->n = i + 1;
		if (expand_matrix(e, w, vars, values, i + 1))
			return -1;
	}
	return 0;
}

static bool in_profile(const struct suite_workload *w, const char *profile)
{
	for (size_t i = 0; i < w->profiles.n; i++)
		if (!strcmp(w->profiles.items[i].s, profile))
			return true;
	return !w->profiles.n;
}

static int expand_workloads(struct expand *e)
{
	const struct suite_workload *w = e->s->root.workloads.items;
	int rc = 0;

	for (size_t i = 0; i < e->s->root.workloads.n && !rc; i++) {
		struct template_var *values = xcalloc(w[i].matrix.n, sizeof(*values));
		struct template_vars vars = { values, 0, &e->profile_vars };

		if (in_profile(&w[i], e->profile->name.s))
			rc = expand_matrix(e, &w[i], &vars, values, 0);
		free(values);
	}
	return rc;
}

static void copy_head(struct expand *e)
{
	const struct conf_texts *notes = &e->profile->notes;
	struct plan_suite *out = &e->plan->suite;

	out->name = xstrdup(e->s->root.name.s);
	out->hash = xstrdup(e->s->hash);
	out->profile = xstrdup(e->profile->name.s);
	out->notes = xcalloc(notes->n, sizeof(*out->notes));
	for (; out->n_notes < notes->n; out->n_notes++)
		out->notes[out->n_notes] = xstrdup(notes->items[out->n_notes].s);
	e->plan->pairs.min = e->s->root.pairs.min;
	e->plan->pairs.max = e->s->root.pairs.max;
	e->plan->warmup = e->s->root.warmup;
}

static int expand_all(struct expand *e)
{
	size_t fixed;

	copy_head(e);
	add_fixed_steps(e, &e->s->root.setup);
	fixed = e->plan->n_steps;
	if (expand_workloads(e))
		return -1;
	if (e->plan->n_steps == fixed)
		return conf_error(e->s->conf, e->profile->pos, e->err,
				  "profile \"%s\" has no workload", e->profile->name.s);
	set_setup_targets(e->plan, fixed);
	add_fixed_steps(e, &e->s->root.teardown);
	return 0;
}

static int unknown_profile(const struct suite *s, const char *name, struct err *err)
{
	const struct suite_profile *all = s->root.profiles.items;
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (size_t i = 0; all && i < s->root.profiles.n; i++) {
		buf_addf(&known, "%s%s", i ? ", " : "", all[i].name.s);
		guess_offer(&guess, name, all[i].name.s);
	}
	err_set(err, BLAME_USER, "unknown-profile",
		"suite %s has no profile \"%.40s\"; known are %s%s%s%s", s->root.name.s, name,
		buf_str(&known), guess.best ? "; did you mean \"" : "",
		guess.best ? guess.best : "", guess.best ? "\"?" : "");
	buf_release(&known);
	return -1;
}

static const struct suite_profile *find_profile(const struct suite *s, const char *name)
{
	const struct suite_profile *all = s->root.profiles.items;

	for (size_t i = 0; i < s->root.profiles.n; i++)
		if (!name || !strcmp(all[i].name.s, name))
			return &all[i];
	return NULL;
}

static struct template_var *profile_vars(const struct suite_profile *p)
{
	struct template_var *vars = xcalloc(p->vars.n, sizeof(*vars));

	for (size_t i = 0; i < p->vars.n; i++) {
		vars[i].name = p->vars.items[i].name.s;
		vars[i].value = p->vars.items[i].values.items[0].s;
	}
	return vars;
}

/* The common part of suite_expand() and suite_estimate_ms(). */
static int expand(const struct suite *s, const char *profile, struct plan *plan, long *estimate_ms,
		  struct err *err)
{
	struct expand e = { .s = s, .profile = find_profile(s, profile), .plan = plan, .err = err };
	struct template_var *vars;
	int rc;

	if (!e.profile)
		return unknown_profile(s, profile, err);
	vars = profile_vars(e.profile);
	e.profile_vars.items = vars;
	e.profile_vars.n = e.profile->vars.n;
	rc = expand_all(&e);
	if (rc)
		plan_release(plan);
	*estimate_ms = e.estimate_ms;
	free(vars);
	return rc;
}

int suite_expand(const struct suite *s, const char *profile, struct plan *plan, struct err *err)
{
	long estimate_ms;

	return expand(s, profile, plan, &estimate_ms, err);
}

long suite_estimate_ms(const struct suite *s, const char *profile)
{
	struct plan plan = PLAN_INIT;
	long estimate_ms = 0;

	expand(s, profile, &plan, &estimate_ms, NULL);
	plan_release(&plan);
	return estimate_ms;
}
