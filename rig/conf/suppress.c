// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of `suppressions:`; see suppress.h. Layer: conf. */
#include "conf/suppress.h"

#include "base/day.h"

#define TITLE_MAX  160
#define REASON_MAX 400

#define AT(member) .offset = offsetof(struct suppress_row, member)

static const struct conf_key keys[] = {
	{ .name = "title",
	  .type = CONF_STR,
	  AT(title),
	  .required = true,
	  .min = 1,
	  .max = TITLE_MAX,
	  .help = "The title of the finding; * and ? stand for anything, as in file names." },
	{ .name = "kind",
	  .type = CONF_TEXT,
	  AT(kind),
	  .help = "Only findings of this kind: *warning*, *lockdep* ..." },
	{ .name = "guilty",
	  .type = CONF_STR,
	  AT(guilty),
	  .help = "Only findings that name this source file; * and ? as for the title." },
	{ .name = "until",
	  .type = CONF_TEXT,
	  AT(until),
	  .required = true,
	  .help = "The last day on which it is passed over: 2027-03-31." },
	{ .name = "reason",
	  .type = CONF_STR,
	  AT(reason),
	  .required = true,
	  .min = 1,
	  .max = REASON_MAX,
	  .help = "Why, for people: a mail, a commit, a bug." },
};

const struct conf_table suppress_table = { "suppression", keys, ARRAY_LEN(keys),
					   sizeof(struct suppress_row) };

int suppress_check(const struct conf *conf, const struct conf_list *rows,
		   bool (*is_kind)(const char *word), struct err *err)
{
	const struct suppress_row *row = rows->items;

	for (size_t i = 0; i < rows->n; i++, row++) {
		if (!day_valid(row->until.s))
			return conf_error(conf, row->until.pos, err,
					  "\"until\" is a day like 2027-03-31, not \"%s\"",
					  row->until.s);
		if (row->kind.s && !is_kind(row->kind.s))
			return conf_error(conf, row->kind.pos, err, "unknown kind \"%s\"",
					  row->kind.s);
	}
	return 0;
}
