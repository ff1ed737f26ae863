// SPDX-License-Identifier: GPL-2.0-or-later
/* rig report: a session in one of the formats of results/report.h. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/literature.h"
#include "results/report.h"
#include "results/store.h"

#include <stdlib.h>
#include <string.h>

#define LITERATURE "literature"

static const char *format;
static const char *output;
static const struct report_ops *ops;
static struct report_options options;

static const struct opt opts[] = {
	{ OPT_STRING, 'f', "format", "FORMAT",
	  "text, markdown, html, json, csv, junit or kcidb (default: by FILE's ending, else text)",
	  &format, 0, 0 },
	{ OPT_STRING, 'o', "output", "FILE", "write to FILE, as a whole or not at all", &output, 0,
	  0 },
	{ OPT_FLAG, 'a', "all", NULL, "csv: every stored metric, not only those the suite names",
	  &options.all, 0, 0 },
	{ OPT_STRING, 0, "origin", "NAME", "kcidb: the name of this CI system (default: rig)",
	  &options.origin, 0, 0 },
	{ .type = OPT_END },
};

static int print(struct store *store, const char *session, struct err *err)
{
	return cli_report(store, session, ops, &options, output, err);
}

/* "literature", "literature:SOURCE", "literature:SOURCE:BOARD": published numbers, as text. */
static int print_literature(const char *operand, struct err *err)
{
	struct store *store = store_open_home(false, err);
	char *source = xstrdup(operand + strlen(LITERATURE) + (operand[strlen(LITERATURE)] == ':'));
	char *board = strchr(source, ':');
	struct buf out = BUF_INIT;
	int rc = -1;

	if (board)
		*board++ = '\0';
	if (store)
		rc = literature_report(store, source, board, &out, err);
	if (!rc)
		rc = cli_write(&out, output, err);
	buf_release(&out);
	store_close(store);
	free(source);
	return rc;
}

static bool is_literature(const char *operand)
{
	size_t n = strlen(LITERATURE);

	return !strncmp(operand, LITERATURE, n) && (!operand[n] || operand[n] == ':');
}

static int run(int n, char **operands, struct err *err)
{
	ops = format ? report_find(format, err) : output ? report_find_by_file(output) : NULL;
	if ((format && !ops) || report_check_options(&options, err))
		return -1;
	if (n && is_literature(operands[0])) {
		if (ops && ops != report_formats[0])
			return err_set(err, BLAME_USER, "usage",
				       "published numbers are printed as text only");
		return print_literature(operands[0], err);
	}
	return cli_with_session(false, n ? operands[0] : NULL, print, err);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[SESSION|literature[:SOURCE[:BOARD]]]",
	.summary = "print a session as a table, page or file for other tools",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
