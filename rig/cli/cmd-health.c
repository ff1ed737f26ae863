// SPDX-License-Identifier: GPL-2.0-or-later
/* rig health: how far the boards can be trusted. Layer: cli. */
#include "cli/cli.h"
#include "board/lab-types.h"
#include "results/health.h"
#include "results/store.h"
#include "rigd/control.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static struct {
	const char *lab, *canary;
	bool json;
} o;

static const struct opt opts[] = {
	{ OPT_STRING, 0, "canary", "BOARD",
	  "ask rigd to try a quarantined board now: it comes back if it does well", &o.canary, 0,
	  0 },
	{ OPT_FLAG, 0, "json", NULL, "for programs: one array", &o.json, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ .type = OPT_END },
};

static json_t *as_json(const char *board, const struct health *h)
{
	json_t *codes = json_object();

	for (size_t i = 0; i < h->n_codes; i++)
		json_object_set_new(codes, h->codes[i].code, json_integer(h->codes[i].n));
	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:s}", "board", board,
			 "state", health_state_name(h->state), "score", h->score, "sessions",
			 h->sessions, "faulty", h->faulty, "streak", h->streak, "boots", h->boots,
			 "came_up", h->came_up, "disturbed", h->disturbed, "faults", codes,
			 "reason", h->reason);
}

static void print_row(const char *board, const struct health *h)
{
	char score[16] = "-";

	if (h->score >= 0)
		snprintf(score, sizeof(score), "%d", h->score);
	printf("%-20s %-8s %5s  %4d of %-4d %8d  ", board, health_state_name(h->state), score,
	       h->came_up, h->boots, h->sessions);
	for (size_t i = 0; i < h->n_codes; i++)
		printf("%s%s x%d", i ? ", " : "", h->codes[i].code, h->codes[i].n);
	printf("%s\n", h->n_codes ? "" : "-");
	if (*h->reason)
		printf("    %s\n", h->reason);
}

static int show_one(struct store *store, const char *board, json_t *all, struct err *err)
{
	struct health h;

	if (health_of(store, board, &h, err) < 0)
		return -1;
	if (o.json)
		json_array_append_new(all, as_json(board, &h));
	else
		print_row(board, &h);
	return 0;
}

static int show(struct store *store, const struct lab *lab, const char *only, struct err *err)
{
	const struct lab_board *b;
	json_t *all = json_array();
	int rc = 0;

	if (!o.json)
		printf("%-20s %-8s %5s  %-12s %8s  %s\n", "BOARD", "HEALTH", "SCORE", "BOOTS UP",
		       "SESSIONS", "FAULTS");
	for (size_t i = 0; !rc && (b = lab_board(lab, i)); i++)
		if (!only || !strcmp(only, b->name))
			rc = show_one(store, b->name, all, err);
	if (!rc && o.json) {
		json_dumpf(all, stdout, JSON_INDENT(1));
		putchar('\n');
	}
	json_decref(all);
	return rc;
}

static int ask_canary(struct err *err)
{
	struct control *c = NULL;
	json_t *answer = NULL;
	int rc = control_open(&c, err);

	if (!rc)
		rc = control_call(c, json_pack("{s:s, s:s}", "op", "canary", "board", o.canary),
				  &answer, err);
	if (!rc)
		printf("%s: job %lld\n", o.canary,
		       (long long)json_integer_value(json_object_get(answer, "job")));
	json_decref(answer);
	control_close(c);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	const char *only = n ? operands[0] : NULL;
	struct store *store;
	struct lab *lab;
	int rc = -1;

	if (o.canary)
		return ask_canary(err);
	lab = lab_open(o.lab, err);
	if (!lab)
		return -1;
	store = !only || lab_find(lab, only, err) ? store_open_home(false, err) : NULL;
	if (store)
		rc = show(store, lab, only, err);
	store_close(store);
	lab_free(lab);
	return rc;
}

const struct command cmd_health = {
	.name = "health",
	.args = "[BOARD]",
	.summary = "how far the boards can be trusted, from what they ran",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
