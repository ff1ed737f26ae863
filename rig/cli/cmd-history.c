// SPDX-License-Identifier: GPL-2.0-or-later
/* rig history: a metric night by night, with its change points. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/history-print.h"
#include "results/history.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct history_key key;
static const char *label;
static const char *since;
static const char *range;
static const char *format = "text";
static bool all;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "the board", &key.board, 0, 0 },
	{ OPT_STRING, 's', "suite", "SUITE", "the suite", &key.suite, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME", "its profile; needed when there are several",
	  &key.profile, 0, 0 },
	{ OPT_STRING, 'w', "workload", "WORKLOAD", "one workload; none: list what there is",
	  &key.workload, 0, 0 },
	{ OPT_STRING, 'm', "metric", "METRIC", "one metric (default: the gated one)", &key.metric,
	  0, 0 },
	{ OPT_STRING, 'l', "label", "LABEL",
	  "the kernel of each session that counts (default: the only one, else the candidate)",
	  &label, 0, 0 },
	{ OPT_STRING, 0, "since", "DATE", "nights since YYYY-MM-DD, or the last N as 30d", &since,
	  0, 0 },
	{ OPT_STRING, 'k', "kernel-range", "A..B", "from A's first night to B's last; also A.. ..B",
	  &range, 0, 0 },
	{ OPT_FLAG, 'a', "all", NULL, "list every metric, not only the gated ones", &all, 0, 0 },
	{ OPT_STRING, 'f', "format", "FORMAT", "text, json or csv", &format, 0, 0 },
	{ .type = OPT_END },
};

/* YYYY-MM-DD (noon of the host's time zone: a night begins then), or 30d before now. */
static int parse_since(const char *text, int64_t *ms, struct err *err)
{
	struct tm tm = { .tm_hour = 12, .tm_isdst = -1 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	char *unit;
	long days;
	time_t t;

	if (end && !*end) {
		t = mktime(&tm);
		*ms = (int64_t)t * 1000;
		return 0;
	}
	days = strtol(text, &unit, 10);
	if (unit != text && !strcmp(unit, "d") && days > 0 && days < 100000) {
		*ms = ((int64_t)time(NULL) - (int64_t)days * 86400) * 1000;
		return 0;
	}
	return err_set(err, BLAME_USER, "usage",
		       "--since %s: not a date as 2026-11-30, nor a number of days as 30d", text);
}

/* ---- the series that are meant ---- */

/* Names copied out of the store, so that it can be asked again. */
struct chosen {
	struct history_key *keys;
	size_t n;
};

static bool choose(void *ctx, const struct history_series *s)
{
	struct chosen *c = ctx;

	if (!key.metric && !all && !s->primary)
		return true;
	c->keys = xrealloc(c->keys, (c->n + 1) * sizeof(*c->keys));
	c->keys[c->n++] = (struct history_key){
		.board = xstrdup(s->board),
		.suite = xstrdup(s->suite),
		.profile = xstrdup(s->profile),
		.workload = xstrdup(s->workload),
		.metric = xstrdup(s->metric),
	};
	return true;
}

static void chosen_release(struct chosen *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free((char *)c->keys[i].board);
		free((char *)c->keys[i].suite);
		free((char *)c->keys[i].profile);
		free((char *)c->keys[i].workload);
		free((char *)c->keys[i].metric);
	}
	free(c->keys);
}

/* ---- output ---- */

static struct history *load(struct store *store, const struct history_key *k, int64_t since_ms,
			    struct err *err)
{
	struct history *h = history_load(store, k, label, err);

	if (h && history_window(h, since_ms, range, err) < 0) {
		history_free(h);
		return NULL;
	}
	return h;
}

static int whole(struct store *store, const struct history_key *k, int64_t since_ms,
		 const struct history_format *f, struct buf *out, struct err *err)
{
	struct history *h = load(store, k, since_ms, err);
	int rc;

	if (!h)
		return -1;
	if (h->end == h->from)
		rc = EXIT_INVALID;
	else
		rc = history_regressed(h) ? EXIT_FAIL : EXIT_PASS;
	f->whole(h, out);
	history_free(h);
	return rc;
}

static int list(struct store *store, const struct chosen *c, int64_t since_ms,
		const struct history_format *f, struct buf *out, struct err *err)
{
	bool regressed = false;
	size_t nights = 0;

	f->list_begin(out);
	for (size_t i = 0; i < c->n; i++) {
		struct history *h = load(store, &c->keys[i], since_ms, err);

		if (!h)
			return -1;
		f->list_row(h, i == 0, out);
		regressed |= history_regressed(h);
		nights += h->end - h->from;
		history_free(h);
	}
	f->list_end(out);
	if (!nights)
		return EXIT_INVALID;
	return regressed ? EXIT_FAIL : EXIT_PASS;
}

static int show(struct store *store, int64_t since_ms, const struct history_format *f,
		struct buf *out, struct err *err)
{
	struct chosen c = { NULL, 0 };
	int rc = store_series(store, &key, choose, &c, err);

	if (!rc && c.n == 0)
		rc = whole(store, &key, since_ms, f, out, err); /* says why there is none */
	else if (!rc && c.n == 1 && key.workload)
		rc = whole(store, &c.keys[0], since_ms, f, out, err);
	else if (!rc)
		rc = list(store, &c, since_ms, f, out, err);
	chosen_release(&c);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	const struct history_format *f = history_format_find(format, err);
	struct buf out = BUF_INIT;
	struct store *store;
	int64_t since_ms = 0;
	int rc;

	(void)n;
	(void)operands;
	if (!f || (since && parse_since(since, &since_ms, err) < 0))
		return -1;
	store = store_open_home(false, err);
	if (!store)
		return -1;
	rc = show(store, since_ms, f, &out, err);
	if (rc >= 0)
		fputs(buf_str(&out), stdout);
	buf_release(&out);
	store_close(store);
	return rc;
}

const struct command cmd_history = {
	.name = "history",
	.args = "",
	.summary = "a metric night by night, where it changed, and with which kernel",
	.opts = opts,
	.run = run,
};
