// SPDX-License-Identifier: GPL-2.0-or-later
/* What the lab measures by itself; see lab-schedule.h. Layer: board. */
#include "board/lab-schedule.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct lab_schedule, member)

static const struct conf_key keys[] = {
	{ .name = "name",
	  .type = CONF_STR,
	  AT(name),
	  .required = true,
	  .min = 1,
	  .max = 40,
	  .help = "What it is called: letters, digits, dot, underscore and dash." },
	{ .name = "at",
	  .type = CONF_TEXT,
	  AT(at),
	  .required = true,
	  .min = 1,
	  .max = 200,
	  .help = "When, in the host's time zone, as crontab(5) writes it: minute, hour, day, month, "
		  "day of the week. What was missed while rigd was down is made up for by one run." },
	{ .name = "suite",
	  .type = CONF_STR,
	  AT(suite),
	  .required = true,
	  .min = 1,
	  .max = 4096,
	  .help = "What is run." },
	{ .name = "profile",
	  .type = CONF_STR,
	  AT(profile),
	  .min = 1,
	  .max = 40,
	  .help = "The suite's profile. The default is its first." },
	{ .name = "boards",
	  .type = CONF_TEXTS,
	  AT(boards),
	  .required = true,
	  .min = 1,
	  .max = 200,
	  .help = "On which boards: names, patterns of names (*sm8650-\\**), or types." },
	{ .name = "tip",
	  .type = CONF_STR,
	  AT(tip),
	  .required = true,
	  .min = 1,
	  .max = 4096,
	  .help = "The kernel that is measured, as *rig run* takes it; built anew each time." },
	{ .name = "base",
	  .type = CONF_STR,
	  AT(base),
	  .min = 1,
	  .max = 4096,
	  .help = "What the tip is built on: *git:/srv/linux@origin/master*. The default is that of "
		  "its series." },
	{ .name = "against",
	  .type = CONF_TEXTS,
	  AT(against),
	  .min = 1,
	  .max = 8,
	  .help = "What it is compared with, one session each: *last-good* (the newest tip that "
		  "passed on that board, the default), or a kernel: the last release." },
	{ .name = "calibrate",
	  .type = CONF_BOOL,
	  AT(calibrate),
	  .def = "false",
	  .help = "Run the tip against itself instead, and learn the board's noise from it." },
	{ .name = "priority",
	  .type = CONF_INT,
	  AT(priority),
	  .def = "-10",
	  .min = -1000,
	  .max = 1000,
	  .help = "In the queue; people's jobs have 0." },
	{ .name = "deadline_h",
	  .type = CONF_INT,
	  AT(deadline_h),
	  .def = "12",
	  .min = 1,
	  .max = 1000,
	  .unit = "h",
	  .help = "A job that has not started by then is cancelled." },
};

const struct conf_table lab_schedule_table = { "schedule", keys, ARRAY_LEN(keys),
					       sizeof(struct lab_schedule) };

static bool fits(const char *pattern, const struct lab_board *b)
{
	return !fnmatch(pattern, b->name, 0) || !strcmp(pattern, b->type);
}

bool lab_schedule_has(const struct lab_schedule *s, const struct lab_board *b)
{
	for (size_t i = 0; i < s->boards.n; i++)
		if (fits(s->boards.items[i].s, b))
			return true;
	return false;
}

static int check_boards(const struct conf *c, const struct lab *lab, const struct lab_schedule *s,
			struct err *err)
{
	for (size_t i = 0; i < s->boards.n; i++) {
		const struct lab_board *b;
		bool any = false;

		for (size_t k = 0; !any && (b = lab_board(lab, k)); k++)
			any = fits(s->boards.items[i].s, b);
		if (!any)
			return conf_error(c, s->boards.items[i].pos, err,
					  "no board is called \"%.60s\" or is of that type",
					  s->boards.items[i].s);
	}
	return 0;
}

static int check(const struct conf *c, const struct lab *lab, struct lab_schedule *rows, size_t i,
		 struct err *err)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	struct lab_schedule *s = &rows[i];
	const char *wrong = cron_parse(s->at.s, &s->cron);

	if (wrong)
		return conf_error(c, s->at.pos, err, "at \"%.60s\": %s", s->at.s, wrong);
	if (s->name[strspn(s->name, good)] || s->name[0] == '.' || s->name[0] == '-')
		return conf_error(c, s->pos, err,
				  "schedule \"%s\": letters, digits, '.', '_' and '-' only",
				  s->name);
	for (size_t k = 0; k < i; k++)
		if (!strcmp(rows[k].name, s->name))
			return conf_error(c, s->pos, err,
					  "schedule \"%s\" is given twice, first in line %d",
					  s->name, rows[k].pos.line);
	return check_boards(c, lab, s, err);
}

int lab_schedule_check(const struct conf *c, const struct lab *lab, struct conf_list *rows,
		       struct err *err)
{
	for (size_t i = 0; i < rows->n; i++)
		if (check(c, lab, rows->items, i, err))
			return -1;
	return 0;
}
