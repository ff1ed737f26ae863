// SPDX-License-Identifier: GPL-2.0-or-later
/* rig check: do the numbers of a session, or of a published table, agree? Layer: cli (top). */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/path.h"
#include "results/check-table.h"
#include "results/check.h"
#include "results/session.h"
#include "results/store.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX ((size_t)64 << 20)

static const char *format = "text";
static bool all;

static const struct opt opts[] = {
	{ OPT_STRING, 'f', "format", "FORMAT", "text (default) or json", &format, 0, 0 },
	{ OPT_FLAG, 'a', "all", NULL, "also what was looked at and found right", &all, 0, 0 },
	{ .type = OPT_END },
};

static enum severity least(void)
{
	return all ? SEVERITY_OK : SEVERITY_INFO;
}

/* ---- output ---- */

static void print_item(const struct check_item *x)
{
	printf("%-5s %-16s %s\n", severity_name(x->severity), x->rule,
	       x->subject ? x->subject : "");
	printf("      %s\n", x->message ? x->message : "");
	printf("      at %s\n", x->place ? x->place : "");
}

static void print_text(const struct check_report *r)
{
	int count[SEVERITY_ERROR + 1] = { 0 };

	for (int severity = SEVERITY_ERROR; severity >= (int)SEVERITY_OK; severity--) {
		for (size_t i = 0; i < r->n; i++) {
			if ((int)r->items[i].severity != severity)
				continue;
			count[severity]++;
			if (r->items[i].severity >= least())
				print_item(&r->items[i]);
		}
	}
	printf("%d errors, %d warnings, %d remarks\n", count[SEVERITY_ERROR], count[SEVERITY_WARN],
	       count[SEVERITY_INFO]);
}

static void print_json(const struct check_report *r)
{
	json_t *json = check_json(r, least());
	char *text = json_dumps(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER);

	puts(text);
	free(text);
	json_decref(json);
}

static const struct output {
	const char *name;
	void (*print)(const struct check_report *r);
} outputs[] = { { "text", print_text }, { "json", print_json } };

static int print(const struct check_report *r)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++)
		if (!strcmp(format, outputs[i].name))
			outputs[i].print(r);
	return check_worst(r) == SEVERITY_ERROR ? EXIT_FAIL : EXIT_PASS;
}

/* ---- what is looked at ---- */

static int unreadable(const struct err *err)
{
	fprintf(stderr, "rig: %s\n", err->message);
	return EXIT_INVALID;
}

static int check_file(const char *path)
{
	struct check_report report = CHECK_REPORT_INIT;
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct check_table *t = NULL;
	int rc = path_read(path, &text, FILE_MAX);

	if (rc)
		err_sys(&err, BLAME_USER, "no-file", rc, "%s", path);
	else
		t = check_table_read(path_name(path), buf_str(&text), text.size, &err);
	if (t) {
		check_table(t, &report);
		rc = print(&report);
	} else {
		rc = unreadable(&err);
	}
	check_table_free(t);
	check_report_release(&report);
	buf_release(&text);
	return rc;
}

static char *copy(const char *text)
{
	return *text ? xstrdup(text) : NULL;
}

static int check_stored(struct store *store, const char *name, struct err *err)
{
	struct session *s = store_get_session(store, name, err);
	struct check_report report = CHECK_REPORT_INIT;
	int rc;

	if (!s)
		return -1;
	check_session(s);
	for (size_t i = 0; i < s->n_anomalies; i++) {
		const struct session_anomaly *a = &s->anomalies[i];
		struct check_item *x = check_add(&report, a->rule, a->severity);

		x->place = copy(a->place);
		x->subject = copy(a->subject);
		x->printed = copy(a->printed);
		x->expected = copy(a->expected);
		x->message = copy(a->message);
	}
	rc = print(&report);
	check_report_release(&report);
	session_free(s);
	return rc;
}

static bool is_file(const char *path)
{
	struct stat st;

	return (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) ||
	       (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".csv"));
}

static int run(int n, char **operands, struct err *err)
{
	(void)n;
	if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
		return err_set(err, BLAME_USER, "usage", "--format %s: text or json", format);
	if (is_file(operands[0]))
		return check_file(operands[0]);
	return cli_with_session(false, operands[0], check_stored, err);
}

const struct command cmd_check = {
	.name = "check",
	.args = "SESSION|FILE.csv",
	.summary = "do the numbers agree with each other? Of a session, or of a published table",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
