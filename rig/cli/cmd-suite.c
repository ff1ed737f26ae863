// SPDX-License-Identifier: GPL-2.0-or-later
/* rig suite list|show|check: suites and what they expand to. Layer: cli. */
#include "cli/cli.h"
#include "suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *profile;

static const struct opt opts[] = {
	{ OPT_STRING, 'p', "profile", "NAME", "show: this profile instead of the default", &profile,
	  0, 0 },
	{ .type = OPT_END },
};

static int list(const char *unused, struct err *err)
{
	char **names = suite_names();
	int rc = 0;

	(void)unused;
	for (char **name = names; name && *name; name++) {
		struct suite *s = suite_load(*name, err);

		if (s)
			printf("%-14s %s\n", *name, suite_description(s));
		else
			rc = -1;
		suite_free(s);
	}
	suite_names_free(names);
	return rc;
}

static int show(const char *name, struct err *err)
{
	struct suite *s = suite_load(name, err);
	struct plan plan = PLAN_INIT;
	json_t *json;
	int rc;

	if (!s)
		return -1;
	rc = suite_expand(s, profile, &plan, err);
	if (!rc) {
		json = plan_to_json(&plan);
		json_dumpf(json, stdout, JSON_INDENT(2));
		putchar('\n');
		json_decref(json);
	}
	plan_release(&plan);
	suite_free(s);
	return rc;
}

/* What `rig run -n` printed. Its kernels are missing: nothing has been built for it. */
static int check_plan(const char *path, struct err *err)
{
	struct plan plan = PLAN_INIT;

	if (plan_load(path, &plan, err) < 0)
		return -1;
	printf("%s: plan of suite %s, profile %s: %zu steps, %zu metrics\n", path, plan.suite.name,
	       plan.suite.profile, plan.n_steps, plan.n_metrics);
	plan_release(&plan);
	return 0;
}

static bool is_plan(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".json");
}

static int check(const char *name, struct err *err)
{
	struct suite *s;

	if (is_plan(name))
		return check_plan(name, err);
	s = suite_load(name, err);
	if (!s)
		return -1;
	for (size_t i = 0; suite_profile(s, i); i++)
		printf("%s: profile %s: about %ld s a visit\n", suite_name(s), suite_profile(s, i),
		       suite_estimate_ms(s, suite_profile(s, i)) / 1000);
	suite_free(s);
	return 0;
}

static const struct {
	const char *name;
	int operands;
	int (*run)(const char *suite, struct err *err);
} verbs[] = {
	{ "list", 1, list },
	{ "show", 2, show },
	{ "check", 2, check },
};

static int run(int n, char **operands, struct err *err)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, operands[0]) != 0)
			continue;
		if (verbs[i].operands != n)
			return err_set(err, BLAME_USER, "usage", "suite %s: give %s", operands[0],
				       verbs[i].operands == 2 ? "one suite" : "no suite");
		return verbs[i].run(n > 1 ? operands[1] : NULL, err);
	}
	return err_set(err, BLAME_USER, "usage",
		       "suite: unknown verb '%s' (known: list, show, check)", operands[0]);
}

const struct command cmd_suite = {
	.name = "suite",
	.args = "list|show|check [SUITE]",
	.summary = "list suites, show what one expands to, check its file",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 2,
	.run = run,
};
