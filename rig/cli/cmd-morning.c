// SPDX-License-Identifier: GPL-2.0-or-later
/* rig morning: what the night brought, what changed, what needs a person. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "results/morning.h"
#include "results/store.h"

#include <string.h>

#define HOUR_MS INT64_C(3600000)

static struct {
	const char *output, *format;
	long hours;
} o = { .hours = 24 };

static const struct opt opts[] = {
	{ OPT_STRING, 'o', "output", "FILE", "write it there; a page when it ends in .html",
	  &o.output, 0, 0 },
	{ OPT_STRING, 'f', "format", "FORMAT", "text or html", &o.format, 0, 0 },
	{ OPT_INT, 0, "hours", "N", "how far back the night began (default: 24)", &o.hours, 1,
	  24 * 365 },
	{ .type = OPT_END },
};

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static int run(int n, char **operands, struct err *err)
{
	bool html = o.format ? !strcmp(o.format, "html") : o.output && ends_in(o.output, ".html");
	int64_t now = cli_now_ms();
	struct morning *m = NULL;
	struct buf text = BUF_INIT;
	struct store *store;
	int rc = -1;

	(void)n;
	(void)operands;
	if (o.format && !html && strcmp(o.format, "text") != 0)
		return err_set(err, BLAME_USER, "usage",
			       "--format: '%s' is neither 'text' nor 'html'", o.format);
	store = store_open_home(false, err);
	if (store)
		m = morning_new(store, now - o.hours * HOUR_MS, now + 1, err);
	if (m) {
		if (html)
			morning_html(m, &text);
		else
			morning_text(m, &text);
		rc = cli_write(&text, o.output, err);
	}
	buf_release(&text);
	morning_free(m);
	store_close(store);
	return rc;
}

const struct command cmd_morning = {
	.name = "morning",
	.args = "",
	.summary = "the morning report: what changed in the night, what needs a person",
	.opts = opts,
	.run = run,
};
