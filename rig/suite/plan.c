// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan: its fields, how it is put together and checked; see plan.h. Layer: suite. */
#include "suite/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "suite/shape.h"

#define AT(struct_, member)   .name = #member, .offset = offsetof(struct struct_, member)
#define N_AT(struct_, member) .offset_n = offsetof(struct struct_, member)
#define SHAPE(fields_, struct_)                                                                    \
	{                                                                                          \
		fields_, sizeof(fields_) / sizeof((fields_)[0]), sizeof(struct struct_)            \
	}
#define MS_MAX 604800000.0 /* a week */

static const struct shape_field suite_fields[] = {
	{ AT(plan_suite, name), .type = SHAPE_STR },
	{ AT(plan_suite, hash), .type = SHAPE_STR },
	{ AT(plan_suite, profile), .type = SHAPE_STR },
	{ AT(plan_suite, notes), N_AT(plan_suite, n_notes), .type = SHAPE_STRS },
};
static const struct shape suite_shape = SHAPE(suite_fields, plan_suite);

static const struct shape_field kernel_fields[] = {
	{ AT(plan_kernel, label), .type = SHAPE_STR },
	{ AT(plan_kernel, series), .type = SHAPE_STR },
	{ AT(plan_kernel, variant), .type = SHAPE_STR },
	{ AT(plan_kernel, id), .type = SHAPE_STR },
	{ AT(plan_kernel, entry), .type = SHAPE_STR },
	{ AT(plan_kernel, cmdline), .type = SHAPE_STR },
};
static const struct shape kernel_shape = SHAPE(kernel_fields, plan_kernel);

static const struct shape_field pairs_fields[] = {
	{ AT(plan_pairs, fixed), .type = SHAPE_INT, .min = 0, .max = 1000 },
	{ AT(plan_pairs, min), .type = SHAPE_INT, .min = 1, .max = 1000 },
	{ AT(plan_pairs, max), .type = SHAPE_INT, .min = 1, .max = 1000 },
};
static const struct shape pairs_shape = SHAPE(pairs_fields, plan_pairs);

static const struct shape_field step_fields[] = {
	{ AT(plan_step, kind), .type = SHAPE_STR },
	{ AT(plan_step, where), .type = SHAPE_OPTIONAL },
	{ AT(plan_step, workload), .type = SHAPE_OPTIONAL },
	{ AT(plan_step, target), .type = SHAPE_OPTIONAL },
	{ AT(plan_step, timeout_ms), .type = SHAPE_INT, .min = 1, .max = MS_MAX },
	{ AT(plan_step, pause_ms), .type = SHAPE_INT, .min = 0, .max = MS_MAX },
	{ AT(plan_step, args), N_AT(plan_step, n_args), .type = SHAPE_STRS },
	{ AT(plan_step, observe), N_AT(plan_step, n_observe), .type = SHAPE_STRS_OPTIONAL },
};
static const struct shape step_shape = SHAPE(step_fields, plan_step);

static const struct shape_field metric_fields[] = {
	{ AT(plan_metric, workload), .type = SHAPE_STR },
	{ AT(plan_metric, metric), .type = SHAPE_STR },
	{ AT(plan_metric, unit), .type = SHAPE_STR },
	{ AT(plan_metric, direction), .type = SHAPE_STR },
	{ AT(plan_metric, primary), .type = SHAPE_BOOL },
	{ AT(plan_metric, min_effect), .type = SHAPE_NUM, .min = 0, .max = 1 },
	{ AT(plan_metric, loss), .type = SHAPE_NUM, .min = 0, .max = 1 },
};
static const struct shape metric_shape = SHAPE(metric_fields, plan_metric);

static const struct shape_field suppression_fields[] = {
	{ AT(plan_suppression, title), .type = SHAPE_STR },
	{ AT(plan_suppression, kind), .type = SHAPE_STR },
	{ AT(plan_suppression, guilty), .type = SHAPE_STR },
	{ AT(plan_suppression, until), .type = SHAPE_STR },
	{ AT(plan_suppression, reason), .type = SHAPE_STR },
};
static const struct shape suppression_shape = SHAPE(suppression_fields, plan_suppression);

static const struct shape_field plan_fields[] = {
	{ .name = "format", .type = SHAPE_FORMAT, .max = PLAN_FORMAT },
	{ AT(plan, suite), .type = SHAPE_OBJECT, .sub = &suite_shape },
	{ AT(plan, board), .type = SHAPE_STR },
	{ AT(plan, kernels), N_AT(plan, n_kernels), .type = SHAPE_LIST, .sub = &kernel_shape },
	{ AT(plan, pairs), .type = SHAPE_OBJECT, .sub = &pairs_shape },
	{ AT(plan, warmup), .type = SHAPE_INT, .min = 0, .max = 100 },
	{ AT(plan, steps), N_AT(plan, n_steps), .type = SHAPE_LIST, .sub = &step_shape },
	{ AT(plan, metrics), N_AT(plan, n_metrics), .type = SHAPE_LIST, .sub = &metric_shape },
	{ AT(plan, suppressions), N_AT(plan, n_suppressions), .type = SHAPE_LIST_OPTIONAL,
	  .sub = &suppression_shape },
};
static const struct shape plan_shape = SHAPE(plan_fields, plan);

void plan_release(struct plan *plan)
{
	shape_release(&plan_shape, plan);
}

json_t *plan_to_json(const struct plan *plan)
{
	return shape_write(&plan_shape, plan);
}

int plan_from_json(const json_t *json, struct plan *plan, struct err *err)
{
	return shape_read(&plan_shape, json, plan, "plan", err);
}

int plan_load(const char *path, struct plan *plan, struct err *err)
{
	json_error_t problem;
	json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &problem);
	int rc;

	if (!json && problem.line < 0)
		return err_set(err, BLAME_USER, "plan", "%s: %s", path, problem.text);
	if (!json)
		return err_set(err, BLAME_USER, "plan", "%s:%d:%d: %s", path, problem.line,
			       problem.column, problem.text);
	rc = plan_from_json(json, plan, err);
	json_decref(json);
	return rc ? err_prefix(err, "%s", path) : 0;
}

/* building */

void plan_set_board(struct plan *plan, const char *board)
{
	char *copy = xstrdup(board);

	free(plan->board);
	plan->board = copy;
}

static bool label_used(const struct plan *plan, const char *label)
{
	for (size_t i = 0; i < plan->n_kernels; i++)
		if (!strcmp(plan->kernels[i].label, label))
			return true;
	return false;
}

static bool variant_ambiguous(const struct plan *plan, const struct plan_kernel *k)
{
	for (size_t i = 0; i < plan->n_kernels; i++)
		if (!strcmp(plan->kernels[i].variant, k->variant) &&
		    strcmp(plan->kernels[i].series, k->series) != 0)
			return true;
	return false;
}

static char *make_label(const struct plan *plan, const struct plan_kernel *k)
{
	char *base, *label;

	if (k->label)
		base = xstrdup(k->label);
	else if (variant_ambiguous(plan, k))
		base = xasprintf("%s:%s", k->series, k->variant);
	else
		base = xstrdup(k->variant);
	label = xstrdup(base);
	for (unsigned int i = 2; label_used(plan, label); i++) {
		free(label);
		label = xasprintf("%s#%u", base, i);
	}
	free(base);
	return label;
}

static char *copy_str(const char *s)
{
	return xstrdup(s ? s : "");
}

const struct plan_kernel *plan_add_kernel(struct plan *plan, const struct plan_kernel *k)
{
	struct plan_kernel copy = { .series = copy_str(k->series),
				    .variant = copy_str(k->variant),
				    .id = copy_str(k->id),
				    .entry = copy_str(k->entry),
				    .cmdline = copy_str(k->cmdline),
				    .label = k->label };

	copy.label = make_label(plan, &copy);
	plan->kernels = xrealloc(plan->kernels, (plan->n_kernels + 1) * sizeof(copy));
	plan->kernels[plan->n_kernels] = copy;
	return &plan->kernels[plan->n_kernels++];
}

void plan_add_suppression(struct plan *plan, const char *title, const char *kind,
			  const char *guilty, const char *until, const char *reason)
{
	plan->suppressions = xrealloc(plan->suppressions,
				      (plan->n_suppressions + 1) * sizeof(*plan->suppressions));
	plan->suppressions[plan->n_suppressions++] = (struct plan_suppression){
		.title = copy_str(title),
		.kind = copy_str(kind),
		.guilty = copy_str(guilty),
		.until = copy_str(until),
		.reason = copy_str(reason),
	};
}

size_t plan_visit(const struct plan *plan, unsigned int pair, size_t position)
{
	if (pair % 2)
		return position;
	return plan->n_kernels - 1 - position;
}

/* checking */

static int bad(struct err *err, const char *where, const char *problem)
{
	return err_set(err, BLAME_USER, "plan", "%s: %s", where, problem);
}

static bool workload_exists(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (plan->steps[i].workload && !strcmp(plan->steps[i].workload, name))
			return true;
	return false;
}

static int check_metric(const struct plan *plan, size_t i, struct err *err)
{
	const struct plan_metric *m = &plan->metrics[i];

	if (!workload_exists(plan, m->workload))
		return err_set(err, BLAME_USER, "plan", "plan.metrics[%zu]: no workload \"%s\"", i,
			       m->workload);
	if (strcmp(m->direction, "higher") != 0 && strcmp(m->direction, "lower") != 0)
		return err_set(err, BLAME_USER, "plan",
			       "plan.metrics[%zu].direction: must be higher or lower", i);
	for (size_t j = 0; j < i && m->primary; j++)
		if (plan->metrics[j].primary && !strcmp(plan->metrics[j].workload, m->workload))
			return err_set(err, BLAME_USER, "plan",
				       "plan.metrics[%zu]: a second primary metric of \"%s\"", i,
				       m->workload);
	return 0;
}

static int check_labels(const struct plan *plan, struct err *err)
{
	for (size_t i = 0; i < plan->n_kernels; i++) {
		if (!*plan->kernels[i].label)
			return err_set(err, BLAME_USER, "plan", "plan.kernels[%zu].label: empty",
				       i);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(plan->kernels[i].label, plan->kernels[j].label))
				return err_set(err, BLAME_USER, "plan",
					       "plan.kernels[%zu].label: \"%s\" is not unique", i,
					       plan->kernels[i].label);
	}
	return 0;
}

int plan_check(const struct plan *plan, struct err *err)
{
	if (!plan->board || !*plan->board)
		return bad(err, "plan.board", "no board");
	if (!plan->n_kernels)
		return bad(err, "plan.kernels", "no kernel");
	if (!plan->n_steps)
		return bad(err, "plan.steps", "no step");
	if (plan->pairs.max < plan->pairs.min)
		return bad(err, "plan.pairs", "max is less than min");
	if (check_labels(plan, err))
		return -1;
	for (size_t i = 0; i < plan->n_metrics; i++)
		if (check_metric(plan, i, err))
			return -1;
	return 0;
}
