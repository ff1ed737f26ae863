// SPDX-License-Identifier: GPL-2.0-or-later
/* Suites: tables of the file format and the loading; see suite.h. Layer: suite. */
#include "suite/suite.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/guess.h"
#include "base/path.h"
#include "suite/expand.h"
#include "suite/step.h"
#include "suite/template.h"

#define AT(struct_, member) .offset = offsetof(struct struct_, member)

const char *const suite_direction_words[] = { "default", "higher", "lower", NULL };

static const struct conf_key metric_keys[] = {
	{ .name = "name",
	  .type = CONF_TEXT,
	  AT(suite_metric, name),
	  .required = true,
	  .help = "A metric of the step kind, *{rw}.iops* for example. Variables are replaced." },
	{ .name = "primary",
	  .type = CONF_BOOL,
	  AT(suite_metric, primary),
	  .def = "false",
	  .help = "Whether the verdict rests on it. Each gated workload has exactly one; all "
		  "others are reported only." },
	{ .name = "must_be_zero",
	  .type = CONF_BOOL,
	  AT(suite_metric, must_be_zero),
	  .def = "false",
	  .help = "A count of faults. Any value but 0 in a visit of a candidate fails it, without "
		  "statistics; in one of the baseline nothing can be said." },
	{ .name = "direction",
	  .type = CONF_ENUM,
	  AT(suite_metric, direction),
	  .def = "default",
	  .words = suite_direction_words,
	  .help = "Which way is better; *default* is that of the metric itself." },
	{ .name = "min_effect",
	  .type = CONF_NUM,
	  AT(suite_metric, min_effect),
	  .def = "2%",
	  .min = 0.0001,
	  .max = 0.9,
	  .help = "The smallest relative change that may fail the gate." },
	{ .name = "loss",
	  .type = CONF_NUM,
	  AT(suite_metric, loss),
	  .def = "5%",
	  .min = 0.0001,
	  .max = 0.9,
	  .help = "The relative loss that must be excluded for a pass." },
};
static const struct conf_table metric_table = { "metric", metric_keys, ARRAY_LEN(metric_keys),
						sizeof(struct suite_metric) };

static const struct conf_key workload_keys[] = {
	{ .name = "name",
	  .type = CONF_TEXT,
	  AT(suite_workload, name),
	  .required = true,
	  .min = 1,
	  .max = 100,
	  .help = "Its name, unique after variables are replaced: *rand{rw}/{jobs}*." },
	{ .name = "step",
	  .type = CONF_TEXT,
	  AT(suite_workload, step),
	  .required = true,
	  .help = "The step kind, see STEP KINDS." },
	{ .name = "matrix",
	  .type = CONF_PAIRS,
	  AT(suite_workload, matrix),
	  .min = 0,
	  .max = 8,
	  .help = "Variables with their values. The workload is run for every combination; the "
		  "first variable changes slowest." },
	{ .name = "args",
	  .type = CONF_TEXTS,
	  AT(suite_workload, args),
	  .min = 0,
	  .max = 64,
	  .help = "Arguments of the step, one an element: those of the program that it runs, or "
		  "*name=value* for steps that have arguments of their own, see STEP KINDS. "
		  "Variables are replaced; *{target}* becomes the device path on the board." },
	{ .name = "observe",
	  .type = CONF_TEXTS,
	  AT(suite_workload, observe),
	  .min = 1,
	  .max = 8,
	  .help = "What watches it while it runs, see OBSERVERS; its metrics may stand in "
		  "*metrics* too." },
	{ .name = "target",
	  .type = CONF_TEXT,
	  AT(suite_workload, target),
	  .min = 1,
	  .max = 64,
	  .help = "The device that is measured: *ufs:0* is logical unit 0 behind a UFS host "
		  "controller, *usb:0* the first disk on USB, *gadget:0* logical unit 0 of "
		  "a gadget's mass storage as its host sees it, *part:userdata* the partition of "
		  "that name, *disk:mmcblk0* the disk that the kernel calls so." },
	{ .name = "duration_s",
	  .type = CONF_TEXT,
	  AT(suite_workload, duration_s),
	  .def = "0",
	  .unit = "s",
	  .help = "How long it runs by design. A number, or a variable." },
	{ .name = "grace_s",
	  .type = CONF_TEXT,
	  AT(suite_workload, grace_s),
	  .def = "60",
	  .unit = "s",
	  .help = "How much longer it may take before it is ended as timed out." },
	{ .name = "pause_s",
	  .type = CONF_TEXT,
	  AT(suite_workload, pause_s),
	  .def = "0",
	  .unit = "s",
	  .help = "How long the board is left idle before it." },
	{ .name = "profiles",
	  .type = CONF_TEXTS,
	  AT(suite_workload, profiles),
	  .min = 1,
	  .max = 16,
	  .help = "The profiles it is part of. Default: all." },
	{ .name = "gate",
	  .type = CONF_BOOL,
	  AT(suite_workload, gate),
	  .def = "true",
	  .help = "Whether it is part of the verdict. With *false* it is run and reported, and "
		  "has no primary metric; its failure is still a failure, and what must be zero "
		  "must be so." },
	{ .name = "metrics",
	  .type = CONF_LIST,
	  AT(suite_workload, metrics),
	  .sub = &metric_table,
	  .min = 0,
	  .max = 32,
	  .help = "What is judged and reported of it; see METRICS." },
};
static const struct conf_table workload_table = { "workload", workload_keys,
						  ARRAY_LEN(workload_keys),
						  sizeof(struct suite_workload) };

static const struct conf_key profile_keys[] = {
	{ .name = "name",
	  .type = CONF_TEXT,
	  AT(suite_profile, name),
	  .required = true,
	  .min = 1,
	  .max = 32,
	  .help = "Its name; *rig run --quick* takes the one called *quick*." },
	{ .name = "notes",
	  .type = CONF_TEXTS,
	  AT(suite_profile, notes),
	  .min = 0,
	  .max = 16,
	  .help = "What reports must say about numbers taken with it." },
	{ .name = "vars",
	  .type = CONF_PAIRS,
	  AT(suite_profile, vars),
	  .min = 0,
	  .max = 32,
	  .help = "Its variables, one value each." },
};
static const struct conf_table profile_table = { "profile", profile_keys, ARRAY_LEN(profile_keys),
						 sizeof(struct suite_profile) };

static const struct conf_key pairs_keys[] = {
	{ .name = "min",
	  .type = CONF_INT,
	  AT(suite_pairs, min),
	  .def = "4",
	  .min = 1,
	  .max = 100,
	  .help = "Rounds before the first decision." },
	{ .name = "max",
	  .type = CONF_INT,
	  AT(suite_pairs, max),
	  .def = "12",
	  .min = 1,
	  .max = 100,
	  .help = "Rounds after which it ends undecided; before, if the rest would hardly settle it." },
};
static const struct conf_table pairs_table = { "pairs", pairs_keys, ARRAY_LEN(pairs_keys),
					       sizeof(struct suite_pairs) };

static const struct conf_key suite_keys[] = {
	{ .name = "name",
	  .type = CONF_TEXT,
	  AT(suite_root, name),
	  .required = true,
	  .min = 1,
	  .max = 64,
	  .help = "The name of the suite: that of the file without *.yaml*." },
	{ .name = "description",
	  .type = CONF_STR,
	  AT(suite_root, description),
	  .def = "",
	  .help = "One line for lists." },
	{ .name = "series",
	  .type = CONF_STR,
	  AT(suite_root, series),
	  .min = 1,
	  .max = 64,
	  .help = "The patch series meant by a bare variant name on the command line." },
	{ .name = "warmup",
	  .type = CONF_INT,
	  AT(suite_root, warmup),
	  .def = "1",
	  .min = 0,
	  .max = 10,
	  .help = "Visits of the baseline before the first round, recorded and not "
		  "counted." },
	{ .name = "pairs",
	  .type = CONF_MAP,
	  AT(suite_root, pairs),
	  .sub = &pairs_table,
	  .help = "How many rounds (one visit of each kernel) are run; see PAIRS." },
	{ .name = "setup",
	  .type = CONF_TEXTS,
	  AT(suite_root, setup),
	  .def = "tune, fingerprint",
	  .min = 0,
	  .max = 16,
	  .help = "Steps at the start of each visit." },
	{ .name = "teardown",
	  .type = CONF_TEXTS,
	  AT(suite_root, teardown),
	  .def = "dmesg, untune",
	  .min = 0,
	  .max = 16,
	  .help = "Steps at its end." },
	{ .name = "profiles",
	  .type = CONF_LIST,
	  AT(suite_root, profiles),
	  .required = true,
	  .sub = &profile_table,
	  .min = 1,
	  .max = 16,
	  .help = "Ways to run the suite; the first is the default. See PROFILES." },
	{ .name = "workloads",
	  .type = CONF_LIST,
	  AT(suite_root, workloads),
	  .required = true,
	  .sub = &workload_table,
	  .min = 1,
	  .max = 100,
	  .help = "What is run in each visit, in this order; see WORKLOADS." },
};
static const struct conf_table suite_table = { "suite", suite_keys, ARRAY_LEN(suite_keys),
					       sizeof(struct suite_root) };

const struct conf_table *const suite_tables[] = { &suite_table,	   &pairs_table,  &profile_table,
						  &workload_table, &metric_table, NULL };

static int unknown_step(const struct suite *s, const struct conf_text *kind, int role,
			const char *where, struct err *err)
{
	const char *guess = step_guess(kind->s, role);
	const struct step_kind *k = step_find(kind->s);

	if (k)
		return conf_error(s->conf, kind->pos, err, "step kind \"%s\" cannot stand in %s",
				  kind->s, where);
	return conf_error(s->conf, kind->pos, err, "unknown step kind \"%.60s\" in %s%s%s%s",
			  kind->s, where, guess ? "; did you mean \"" : "", guess ? guess : "",
			  guess ? "\"?" : "");
}

static int check_steps(const struct suite *s, const struct conf_texts *steps, const char *where,
		       struct err *err)
{
	for (size_t i = 0; i < steps->n; i++) {
		const struct step_kind *k = step_find(steps->items[i].s);

		if (!k || !(k->roles & STEP_SETUP))
			return unknown_step(s, &steps->items[i], STEP_SETUP, where, err);
	}
	return 0;
}

static int check_var_name(const struct suite *s, const struct conf_text *name, const char *where,
			  struct err *err)
{
	if (template_name_ok(name->s))
		return 0;
	return conf_error(s->conf, name->pos, err,
			  "\"%.40s\" in %s is no name for a variable: lower-case letters, digits "
			  "and '_', and not \"" TEMPLATE_TARGET "\"",
			  name->s, where);
}

static int check_profile(const struct suite *s, size_t i, struct err *err)
{
	const struct suite_profile *all = s->root.profiles.items, *p = &all[i];

	for (size_t j = 0; j < i; j++)
		if (!strcmp(all[j].name.s, p->name.s))
			return conf_error(s->conf, p->name.pos, err,
					  "profile \"%s\" is given twice, first in line %d",
					  p->name.s, all[j].name.pos.line);
	for (size_t j = 0; j < p->vars.n; j++) {
		const struct conf_pair *v = &p->vars.items[j];

		if (check_var_name(s, &v->name, "vars", err))
			return -1;
		if (v->is_list)
			return conf_error(s->conf, v->name.pos, err,
					  "variable %s of a profile has one value, not a list",
					  v->name.s);
	}
	return 0;
}

static const struct suite_profile *find_profile(const struct suite *s, const char *name)
{
	const struct suite_profile *all = s->root.profiles.items;

	for (size_t i = 0; i < s->root.profiles.n; i++)
		if (!strcmp(all[i].name.s, name))
			return &all[i];
	return NULL;
}

static int unknown_observer(const struct suite *s, const struct conf_text *name, struct err *err)
{
	const char *guess = step_observer_guess(name->s);

	return conf_error(s->conf, name->pos, err, "unknown observer \"%.60s\"%s%s%s", name->s,
			  guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
}

static int check_workload(const struct suite *s, const struct suite_workload *w, struct err *err)
{
	const struct step_kind *k = step_find(w->step.s);

	if (!k || !(k->roles & STEP_WORKLOAD))
		return unknown_step(s, &w->step, STEP_WORKLOAD, "workload", err);
	if (k->target_required && !w->target.s)
		return conf_error(s->conf, w->pos, err,
				  "workload \"%s\" has no \"target\": %s needs one", w->name.s,
				  k->name);
	for (size_t i = 0; i < w->observe.n; i++)
		if (!step_observer_find(w->observe.items[i].s))
			return unknown_observer(s, &w->observe.items[i], err);
	for (size_t i = 0; i < w->profiles.n; i++)
		if (!find_profile(s, w->profiles.items[i].s))
			return conf_error(s->conf, w->profiles.items[i].pos, err,
					  "no profile \"%.40s\" in this suite",
					  w->profiles.items[i].s);
	for (size_t i = 0; i < w->matrix.n; i++) {
		if (check_var_name(s, &w->matrix.items[i].name, "matrix", err))
			return -1;
		if (!w->matrix.items[i].values.n)
			return conf_error(s->conf, w->matrix.items[i].name.pos, err,
					  "matrix variable %s has no values",
					  w->matrix.items[i].name.s);
	}
	return 0;
}

static int check_name(const struct suite *s, struct err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
	const struct conf_text *name = &s->root.name;

	if (!name->s[strspn(name->s, allowed)] && name->s[0] != '.' && name->s[0] != '-')
		return 0;
	return conf_error(s->conf, name->pos, err,
			  "suite name \"%s\": lower-case letters, digits, '-', '_' and '.' only",
			  name->s);
}

/* Expands under every profile, so that a mistake shows at load and not at night. */
static int check_expansions(const struct suite *s, struct err *err)
{
	const struct suite_profile *all = s->root.profiles.items;

	for (size_t i = 0; i < s->root.profiles.n; i++) {
		struct plan plan = PLAN_INIT;
		int rc = suite_expand(s, all[i].name.s, &plan, err);

		plan_release(&plan);
		if (rc)
			return -1;
	}
	return 0;
}

static int check_suite(const struct suite *s, struct err *err)
{
	const struct suite_workload *w = s->root.workloads.items;

	if (check_name(s, err))
		return -1;
	if (s->root.pairs.max < s->root.pairs.min)
		return conf_error(s->conf, s->root.pairs.pos, err, "pairs: max is less than min");
	if (check_steps(s, &s->root.setup, "setup", err) ||
	    check_steps(s, &s->root.teardown, "teardown", err))
		return -1;
	for (size_t i = 0; i < s->root.profiles.n; i++)
		if (check_profile(s, i, err))
			return -1;
	for (size_t i = 0; i < s->root.workloads.n; i++)
		if (check_workload(s, &w[i], err))
			return -1;
	return check_expansions(s, err);
}

struct suite *suite_parse(const char *file, const char *text, size_t size, struct err *err)
{
	struct suite *s = xcalloc(1, sizeof(*s));
	struct conf_part part = { &suite_table, &s->root };

	SHA256Data((const uint8_t *)text, size, s->hash);
	s->conf = conf_parse(file, text, size, err);
	if (s->conf && !conf_decode(s->conf, NULL, &part, 1, err) && !check_suite(s, err))
		return s;
	suite_free(s);
	return NULL;
}

void suite_free(struct suite *s)
{
	if (!s)
		return;
	conf_free(s->conf);
	free(s);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **suite_names(void)
{
	char *data = path_data(), *dir = data ? path_join(data, "suites") : NULL;
	DIR *d = dir ? opendir(dir) : NULL;
	char **names = xcalloc(1, sizeof(*names));
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len <= 5 || e->d_name[0] == '.' || strcmp(e->d_name + len - 5, ".yaml") != 0)
			continue;
		names = xrealloc(names, (n + 2) * sizeof(*names));
		names[n++] = xasprintf("%.*s", (int)(len - 5), e->d_name);
		names[n] = NULL;
	}
	if (d)
		closedir(d);
	qsort(names, n, sizeof(*names), by_name);
	free(dir);
	free(data);
	return names;
}

void suite_names_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static int unknown_suite(const char *name, struct err *err)
{
	char **names = suite_names();
	struct buf known = BUF_INIT;
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; names[i]; i++) {
		buf_addf(&known, "%s%s", i ? ", " : "", names[i]);
		guess_offer(&guess, name, names[i]);
	}
	err_set(err, BLAME_USER, "unknown-suite", "no suite \"%.60s\"; known are %s%s%s%s", name,
		known.size ? buf_str(&known) : "none", guess.best ? "; did you mean \"" : "",
		guess.best ? guess.best : "", guess.best ? "\"?" : "");
	buf_release(&known);
	suite_names_free(names);
	return -1;
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml"));
}

/* Messages show a path below the working directory without it. */
static const char *short_path(const char *path)
{
	char cwd[PATH_MAX];
	size_t n;

	if (!getcwd(cwd, sizeof(cwd)))
		return path;
	n = strlen(cwd);
	return !strncmp(path, cwd, n) && path[n] == '/' ? path + n + 1 : path;
}

static struct suite *load_file(const char *path, struct err *err)
{
	struct buf text = BUF_INIT;
	struct suite *s = NULL;

	if (conf_read(path, &text, err) == 0)
		s = suite_parse(path, buf_str(&text), text.size, err);
	buf_release(&text);
	return s;
}

struct suite *suite_load(const char *name, struct err *err)
{
	char *data = NULL, *path = NULL;
	struct suite *s = NULL;

	if (is_path(name))
		return load_file(name, err);
	data = path_data();
	path = xasprintf("%s/suites/%s.yaml", data ? data : ".", name);
	if (path_exists(path))
		s = load_file(short_path(path), err);
	else
		unknown_suite(name, err);
	free(path);
	free(data);
	return s;
}

const char *suite_name(const struct suite *s)
{
	return s->root.name.s;
}

const char *suite_description(const struct suite *s)
{
	return s->root.description;
}

const char *suite_series(const struct suite *s)
{
	return s->root.series;
}

const char *suite_profile(const struct suite *s, size_t i)
{
	const struct suite_profile *all = s->root.profiles.items;

	return i < s->root.profiles.n ? all[i].name.s : NULL;
}
