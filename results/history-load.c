// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A history out of the store, the part of it that is asked for, and what to say when there is none
 * of that name. Layer: results.
 */
#include "results/history.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"

#define NAMES_SHOWN 12 /* of the known ones, in a message */
#define HASH_DIGITS 4

/* ---- what is known, for a message ---- */

/* The parts of a key, from the outside in. */
static const struct {
	const char *name;
	size_t key, series; /* offset in history_key, in history_series */
} parts[] = {
	{ "board", offsetof(struct history_key, board), offsetof(struct history_series, board) },
	{ "suite", offsetof(struct history_key, suite), offsetof(struct history_series, suite) },
	{ "profile", offsetof(struct history_key, profile),
	  offsetof(struct history_series, profile) },
	{ "workload", offsetof(struct history_key, workload),
	  offsetof(struct history_series, workload) },
	{ "metric", offsetof(struct history_key, metric), offsetof(struct history_series, metric) },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

static const char **key_part(struct history_key *key, size_t part)
{
	return (const char **)((char *)key + parts[part].key);
}

static const char *series_part(const struct history_series *s, size_t part)
{
	return *(const char *const *)((const char *)s + parts[part].series);
}

struct names {
	size_t part;
	const char *typed;
	char **list;
	size_t n;
};

static bool take_name(void *ctx, const struct history_series *s)
{
	struct names *names = ctx;
	const char *name = series_part(s, names->part);

	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->list[i], name))
			return true;
	names->list = xrealloc(names->list, (names->n + 1) * sizeof(*names->list));
	names->list[names->n++] = xstrdup(name);
	return true;
}

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

static void say_names(const struct names *names, struct buf *b)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; names->typed && i < names->n; i++)
		guess_offer(&guess, names->typed, names->list[i]);
	if (guess.best)
		buf_addf(b, "did you mean '%s'? ", guess.best);
	buf_adds(b, "known:");
	for (size_t i = 0; i < names->n && i < NAMES_SHOWN; i++)
		buf_addf(b, "%s %s", i ? "," : "", names->list[i]);
	if (names->n > NAMES_SHOWN)
		buf_addf(b, ", and %zu more", names->n - NAMES_SHOWN);
}

/* "virt-ufs, ufs-irq": what the key says before that part; "" for nothing. */
static void say_context(const struct history_key *key, size_t part, struct buf *b)
{
	struct history_key copy = *key;
	const char *sep = "";

	for (size_t i = 0; i < part; i++) {
		const char *value = *key_part(&copy, i);

		if (!value)
			continue;
		buf_addf(b, "%s%s %s", sep, parts[i].name, value);
		sep = ", ";
	}
}

/* The first part of the key that fits nothing, with the names that would. */
static int explain_none(struct store *st, const struct history_key *key, struct err *err)
{
	struct history_key so_far = { NULL };
	struct history_key whole = *key;

	for (size_t i = 0; i < PARTS; i++) {
		struct names known = { .part = i, .typed = *key_part(&whole, i) };
		struct names hits = { .part = i };
		struct buf b = BUF_INIT;
		bool missing;

		if (!known.typed)
			continue;
		if (store_series(st, &so_far, take_name, &known, err) < 0)
			return -1;
		*key_part(&so_far, i) = known.typed;
		if (store_series(st, &so_far, take_name, &hits, err) < 0)
			return -1;
		missing = hits.n == 0;
		names_release(&hits);
		if (missing && known.n) {
			buf_addf(&b, "no %s '%s' in the results", parts[i].name, known.typed);
			if (i > 0)
				buf_adds(&b, " of ");
			say_context(key, i, &b);
			buf_adds(&b, "; ");
			say_names(&known, &b);
			err_set(err, BLAME_USER, "no-series", "%s", buf_str(&b));
		} else if (missing) {
			err_set(err, BLAME_USER, "no-series",
				"nothing is stored yet; `rig run` does");
		}
		buf_release(&b);
		names_release(&known);
		if (missing)
			return -1;
	}
	return err_set(err, BLAME_USER, "no-series", "nothing is stored yet; `rig run` does");
}

/* The first part that the key leaves open and that has several names. */
static int explain_several(struct store *st, const struct history_key *key, struct err *err)
{
	for (size_t i = 0; i < PARTS; i++) {
		struct history_key copy = *key;
		struct names names = { .part = i };
		struct buf b = BUF_INIT;
		bool several;

		if (store_series(st, key, take_name, &names, err) < 0)
			return -1;
		if (names.n > 1) {
			buf_addf(&b, "several series fit; say %s%s: ",
				 *key_part(&copy, i) ? "the whole " : "which ", parts[i].name);
			say_names(&names, &b);
			err_set(err, BLAME_USER, "several-series", "%s", buf_str(&b));
		}
		several = names.n > 1;
		buf_release(&b);
		names_release(&names);
		if (several)
			return -1;
	}
	return err_set(err, BLAME_USER, "several-series", "several series fit");
}

/* ---- load ---- */

struct loading {
	struct history *history;
	const char *label;
	size_t series;
};

static bool take_series(void *ctx, const struct history_series *s)
{
	struct loading *l = ctx;

	if (l->series++ == 0)
		l->history = history_new(s, l->label);
	return l->series < 2;
}

static bool take_point(void *ctx, const struct history_point *p)
{
	history_add(ctx, p);
	return true;
}

static bool take_label(void *ctx, const struct history_point *p)
{
	return take_name(ctx, &(struct history_series){ .board = p->label });
}

static int no_label(struct store *st, const struct history_key *key, const char *label,
		    struct err *err)
{
	struct names names = { .typed = label };
	struct buf b = BUF_INIT;
	int rc = store_history(st, key, 0, take_label, &names, err);

	if (!rc && names.n) {
		say_names(&names, &b);
		rc = err_set(err, BLAME_USER, "no-kernel",
			     "no kernel is labelled '%s' in this history; %s", label, buf_str(&b));
	}
	buf_release(&b);
	names_release(&names);
	return rc;
}

struct history *history_load(struct store *st, const struct history_key *key, const char *label,
			     struct err *err)
{
	struct err why = ERR_INIT;
	struct loading l = { .label = label };
	int rc = store_series(st, key, take_series, &l, &why);

	if (!rc && l.series == 0)
		rc = explain_none(st, key, &why);
	else if (!rc && l.series > 1)
		rc = explain_several(st, key, &why);
	if (!rc)
		rc = store_history(st, key, 0, take_point, l.history, &why);
	if (!rc && label && !l.history->n_nights)
		rc = no_label(st, key, label, &why);
	if (rc) {
		history_free(l.history);
		err_set(err, why.blame, why.code, "%s", why.message);
		return NULL;
	}
	history_analyse(l.history);
	return l.history;
}

/* ---- window ---- */

static bool is_kernel(const struct history_night *n, const char *name)
{
	const char *colon = strchr(name, ':');

	if (!strcmp(n->label, name) || !strcmp(n->release, name))
		return true;
	if (colon)
		return !strncmp(n->series, name, (size_t)(colon - name)) &&
		       n->series[colon - name] == '\0' && !strcmp(n->variant, colon + 1);
	return strlen(name) >= HASH_DIGITS && !strncmp(n->hash, name, strlen(name));
}

static int no_kernel(const struct history *h, const char *name, struct err *err)
{
	struct names names = { .typed = name };
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < h->n_nights; i++) {
		struct history_series both[2] = { { .board = h->nights[i].label },
						  { .board = h->nights[i].release } };

		take_name(&names, &both[0]);
		if (*h->nights[i].release)
			take_name(&names, &both[1]);
	}
	say_names(&names, &b);
	err_set(err, BLAME_USER, "no-kernel",
		"no kernel '%s' in this history (a label, a release, SERIES:VARIANT or a build's"
		" identity); %s",
		name, buf_str(&b));
	names_release(&names);
	buf_release(&b);
	return -1;
}

static int find_first(struct history *h, const char *name, struct err *err)
{
	for (size_t i = 0; i < h->n_nights; i++)
		if (is_kernel(&h->nights[i], name)) {
			h->from = i > h->from ? i : h->from;
			return 0;
		}
	return no_kernel(h, name, err);
}

static int find_last(struct history *h, const char *name, struct err *err)
{
	for (size_t i = h->n_nights; i-- > 0;)
		if (is_kernel(&h->nights[i], name)) {
			h->end = i + 1;
			return 0;
		}
	return no_kernel(h, name, err);
}

int history_window(struct history *h, int64_t since_ms, const char *range, struct err *err)
{
	const char *dots = range ? strstr(range, "..") : NULL;
	char *first;
	int rc = 0;

	h->from = 0;
	h->end = h->n_nights;
	while (h->from < h->n_nights && h->nights[h->from].started_ms < since_ms)
		h->from++;
	if (!range)
		return 0;
	if (!dots || (dots == range && !dots[2]))
		return err_set(err, BLAME_USER, "usage",
			       "kernel range '%s' is not A..B, A.. or ..B", range);
	first = xstrdup(range);
	first[dots - range] = '\0';
	if (*first)
		rc = find_first(h, first, err);
	if (!rc && dots[2])
		rc = find_last(h, dots + 2, err);
	if (!rc && h->end < h->from)
		h->end = h->from;
	free(first);
	return rc;
}
