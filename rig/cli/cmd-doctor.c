// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig doctor: what is missing on this host and the command that mends it, one row a check; udev
 * rules made from the lab file. Layer: cli.
 */
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/udev-rules.h"
#include "base/buf.h"
#include "board/lab-types.h"
#include "board/lab.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static struct {
	const char *lab, *format, *group;
	bool udev;
} o;

static const struct opt opts[] = {
	{ OPT_STRING, 'f', "format", "FORMAT", "text or json", &o.format, 0, 0 },
	{ OPT_FLAG, 0, "udev", NULL, "print udev rules for the boards of the lab instead", &o.udev,
	  0, 0 },
	{ OPT_STRING, 0, "group", "GROUP",
	  "with --udev: who may use the boards (default: dialout and plugdev)", &o.group, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ .type = OPT_END },
};

static void (*const topics[])(struct doctor *d) = {
	doctor_build,
	doctor_host,
	doctor_usb,
	doctor_wires,
};

static const char *const state_words[] = {
	[DOCTOR_OK] = "ok",
	[DOCTOR_WARN] = "warn",
	[DOCTOR_BAD] = "bad",
};

static void print_text(const struct doctor *d)
{
	static const char *const shown[] = { "ok", "warn", "BAD" };
	size_t bad = doctor_count(d, DOCTOR_BAD), warn = doctor_count(d, DOCTOR_WARN);

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct doctor_row *r = &d->rows[i];

		printf("%-4s %-15s %s\n", shown[r->state], r->check, r->evidence);
		if (r->mend)
			printf("     %-15s mend: %s\n", "", r->mend);
	}
	if (bad || warn)
		printf("%zu of %zu checks need attention, %zu are warnings\n", bad, d->n_rows,
		       warn);
}

static void print_json(const struct doctor *d)
{
	json_t *all = json_array();

	for (size_t i = 0; i < d->n_rows; i++) {
		const struct doctor_row *r = &d->rows[i];

		json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s*}", "state",
						     state_words[r->state], "check", r->check,
						     "evidence", r->evidence, "mend", r->mend));
	}
	json_dumpf(all, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(all);
}

static int print_rules(const struct lab *lab)
{
	struct buf text = BUF_INIT;

	udev_rules(lab, o.group, &text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

static int examine(const struct lab *lab, const struct err *lab_err)
{
	struct doctor d = { .lab = lab, .root = "" };
	int rc;

	doctor_add(&d, lab ? DOCTOR_OK : DOCTOR_BAD, "lab file", NULL, "%s",
		   lab ? lab_source(lab) : lab_err->message);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
		topics[i](&d);
	if (o.format && !strcmp(o.format, "json"))
		print_json(&d);
	else
		print_text(&d);
	rc = doctor_count(&d, DOCTOR_BAD) ? EXIT_INVALID : EXIT_PASS;
	doctor_release(&d);
	return rc;
}

static int run(int n, char **operands, struct err *err)
{
	struct err lab_err = ERR_INIT;
	struct lab *lab;
	int rc;

	(void)n;
	(void)operands;
	if (o.format && strcmp(o.format, "text") != 0 && strcmp(o.format, "json") != 0)
		return err_set(err, BLAME_USER, "usage", "--format: '%s' is neither text nor json",
			       o.format);
	lab = lab_open(o.lab, &lab_err);
	if (o.udev && !lab) {
		*err = lab_err;
		return -1;
	}
	rc = o.udev ? print_rules(lab) : examine(lab, &lab_err);
	lab_free(lab);
	return rc;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "what is missing on this host, and the command that mends it; udev rules",
	.opts = opts,
	.max_operands = 0,
	.run = run,
};
