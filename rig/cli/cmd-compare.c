// SPDX-License-Identifier: GPL-2.0-or-later
/* rig compare: two kernels on every board that ran both. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/compare.h"
#include "results/store.h"

#include <stdio.h>
#include <string.h>

static struct opt_list boards;
static const char *suite;
static const char *profile;
static const char *format;

static const struct opt opts[] = {
	{ OPT_LIST, 'b', "board", "BOARD", "only this board; may be repeated", &boards, 0, 0 },
	{ OPT_STRING, 's', "suite", "SUITE", "only this suite", &suite, 0, 0 },
	{ OPT_STRING, 'p', "profile", "NAME",
	  "this profile of it (default: that of the newest session)", &profile, 0, 0 },
	{ OPT_STRING, 'f', "format", "FORMAT", "text, csv or json (default: text)", &format, 0, 0 },
	{ .type = OPT_END },
};

static const struct compare_format *find_format(struct err *err)
{
	const struct compare_format *f = compare_formats;

	for (; format && f->name; f++)
		if (!strcmp(f->name, format))
			return f;
	if (!format)
		return f;
	err_set(err, BLAME_USER, "usage", "--format: '%s' is none of text, csv and json", format);
	return NULL;
}

static int compare(const struct compare_format *f, char **kernels, struct err *err)
{
	const struct compare_query q = { .baseline = kernels[0],
					 .candidate = kernels[1],
					 .boards = boards.values,
					 .n_boards = boards.count,
					 .suite = suite,
					 .profile = profile };
	struct store *store = store_open_home(false, err);
	struct compare *c = store ? compare_new(store, &q, cli_now_ms(), err) : NULL;
	struct buf out = BUF_INIT;
	int rc = -1;

	if (c) {
		f->print(c, &out);
		fputs(buf_str(&out), stdout);
		rc = gate_exit_code(&(struct gate_set){ .result = compare_worst(c) });
	}
	buf_release(&out);
	compare_free(c);
	store_close(store);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	const struct compare_format *f = find_format(err);

	(void)n;
	return f ? compare(f, operands, err) : -1;
}

const struct command cmd_compare = {
	.name = "compare",
	.args = "BASELINE CANDIDATE",
	.summary = "two kernels on every board that ran both, from what is stored",
	.opts = opts,
	.min_operands = 2,
	.max_operands = 2,
	.run = run,
};
