// SPDX-License-Identifier: GPL-2.0-or-later
/* rig lease: a board for oneself, for a time and with a reason. Layer: cli. */
#include "cli/cli.h"
#include "base/day.h"
#include "results/store-queue.h"
#include "results/store.h"
#include "rigd/control.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	const char *reason;
	long minutes;
} o = { .minutes = 60 };

static const struct opt opts[] = {
	{ OPT_STRING, 'r', "reason", "TEXT", "take: what for; others will want to know", &o.reason,
	  0, 0 },
	{ OPT_INT, 'm', "for", "MINUTES", "take: how long, unless renewed (default: 60)",
	  &o.minutes, 1, 7 * 24 * 60 },
	{ .type = OPT_END },
};

static bool print(void *ctx, const struct store_lease *l)
{
	size_t *n = ctx;
	char until[DAY_TIME_SIZE];

	if (!(*n)++)
		printf("%-6s %-20s %-12s %-16s %s\n", "LEASE", "BOARD", "OWNER", "UNTIL", "REASON");
	day_minute(l->expires_ms, until);
	printf("%-6" PRId64 " %-20s %-12s %-16s %s\n", l->id, l->board, l->owner, until, l->reason);
	return true;
}

static int list(struct err *err)
{
	struct store *store = store_open_home(false, err);
	size_t n = 0;
	int rc = store ? store_lease_list(store, print, &n, err) : -1;

	if (!rc && !n)
		puts("no leases");
	store_close(store);
	return rc;
}

static int take(const char *board, struct err *err)
{
	json_t *answer = NULL;
	int rc;

	if (!o.reason)
		return err_set(err, BLAME_USER, "usage", "--reason is missing");
	rc = control_ask(json_pack("{s:s, s:s, s:s, s:I}", "op", "lease", "board", board, "reason",
				   o.reason, "ttl_s", (json_int_t)o.minutes * 60),
			 &answer, err);
	if (!rc)
		printf("%" JSON_INTEGER_FORMAT "\n",
		       json_integer_value(json_object_get(answer, "lease")));
	json_decref(answer);
	return rc;
}

static int by_number(const char *op, const char *operand, struct err *err)
{
	char *end;
	long long id = strtoll(operand, &end, 10);

	if (*end || id < 1)
		return err_set(err, BLAME_USER, "usage", "'%.40s' is no lease number; `rig lease`",
			       operand);
	return control_ask(json_pack("{s:s, s:I}", "op", op, "lease", (json_int_t)id), NULL, err);
}

static int run(int n, char **operands, struct err *err)
{
	const char *verb = n ? operands[0] : "list";

	if (!strcmp(verb, "list") && n < 2)
		return list(err);
	if (n == 2 && !strcmp(verb, "take"))
		return take(operands[1], err);
	if (n == 2 && (!strcmp(verb, "renew") || !strcmp(verb, "release")))
		return by_number(verb, operands[1], err);
	return err_set(err, BLAME_USER, "usage",
		       "usage: rig lease [list | take BOARD --reason TEXT | renew LEASE | "
		       "release LEASE]");
}

const struct command cmd_lease = {
	.name = "lease",
	.args = "[list | take BOARD --reason TEXT | renew LEASE | release LEASE]",
	.summary = "have a board for yourself: no job starts on it until you give it back",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
