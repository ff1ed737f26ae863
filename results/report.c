// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of formats, and a stored session in one of them; see report.h. Layer: results. */
#include "results/report.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "results/gate.h"
#include "results/report-format.h"
#include "results/report-model.h"
#include "results/session.h"
#include "results/store.h"

/* kcidb before json: the longer ending of a file's name wins. */
const struct report_ops *const report_formats[] = {
	&report_text,  &report_markdown, &report_html, &report_csv,
	&report_junit, &report_kcidb,	 &report_json, NULL,
};

const struct report_ops *report_find(const char *name, struct err *err)
{
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (const struct report_ops *const *ops = report_formats; *ops; ops++) {
		if (!strcmp((*ops)->name, name)) {
			buf_release(&known);
			return *ops;
		}
		guess_offer(&guess, name, (*ops)->name);
		buf_addf(&known, " %s", (*ops)->name);
	}
	if (guess.best)
		err_set(err, BLAME_USER, "usage", "unknown format '%s'; did you mean '%s'?", name,
			guess.best);
	else
		err_set(err, BLAME_USER, "usage", "unknown format '%s' (known:%s)", name,
			buf_str(&known));
	buf_release(&known);
	return NULL;
}

const struct report_ops *report_find_by_file(const char *path)
{
	size_t n = strlen(path);

	for (const struct report_ops *const *ops = report_formats; *ops; ops++) {
		size_t m = strlen((*ops)->extension);

		if (n > m + 1 && path[n - m - 1] == '.' && !strcmp(path + n - m, (*ops)->extension))
			return *ops;
	}
	return NULL;
}

int report_check_options(const struct report_options *options, struct err *err)
{
	const char *p = options->origin;

	if (!p)
		return 0;
	while (islower((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_')
		p++;
	if (*p || p == options->origin)
		return err_set(err, BLAME_USER, "usage",
			       "'%s' is no origin: one word of a-z, 0-9 and _", options->origin);
	return 0;
}

/* A metric without a history is no error: there is no chart then. */
static void load_histories(struct store *st, struct report *r)
{
	for (size_t i = 0; i < r->n_workloads; i++) {
		struct report_workload *w = &r->workloads[i];
		struct err ignored = ERR_INIT;

		if (w->primary)
			w->history = history_load(
				st,
				&(struct history_key){ .board = r->s->board,
						       .suite = r->s->suite,
						       .profile = r->s->profile,
						       .workload = w->name,
						       .metric = w->primary->metric->metric },
				NULL, &ignored);
	}
}

int report_session(struct store *st, const char *session, const struct report_ops *ops,
		   const struct report_options *options, struct buf *out, struct err *err)
{
	static const struct report_options defaults;
	struct session *s = store_get_session(st, session, err);
	struct gate_set *set = s ? store_get_verdicts(st, session, err) : NULL;
	struct report *r = NULL;

	if (set && !set->n_verdicts) {
		gate_set_free(set);
		set = gate_judge(s);
	}
	if (set) {
		r = report_new(s, set);
		if (ops && ops->history)
			load_histories(st, r);
		(ops ? ops : &report_text)->session(r, options ? options : &defaults, out);
	}
	report_free(r);
	gate_set_free(set);
	session_free(s);
	return set ? 0 : -1;
}
