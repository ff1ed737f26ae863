// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules ceiling and physical: what a link cannot carry, shares above the whole, rates and times
 * below zero. Layer: results, pure.
 */
#include "results/check-rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/values.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SATURATED    0.995 /* of the ceiling */

/*
 * Links as tables name them, and what they carry at best, bytes/s. The first that is named counts,
 * so the narrower name comes first. Ethernet: the line rate; per frame it costs 8 bytes preamble,
 * 12 gap and 4 FCS beyond what pktgen and MTU count. USB 2: 13 bulk packets of 512 bytes in a
 * microframe of 125 us. USB 3 and SATA: 8b/10b, USB 3.2 gen 2: 128b/132b.
 */
static const struct link {
	const char *words; /* all of them are in the text */
	double bytes_per_s;
	bool ethernet;
} links[] = {
	{ "10GbE", 10e9 / 8, true },
	{ "10GBASE", 10e9 / 8, true },
	{ "10GBASE.T", 10e9 / 8, true },
	{ "5GbE", 5e9 / 8, true },
	{ "2.5GbE", 2.5e9 / 8, true },
	{ "2.5GBASE", 2.5e9 / 8, true },
	{ "1GbE", 1e9 / 8, true },
	{ "GbE", 1e9 / 8, true },
	{ "gigabit", 1e9 / 8, true },
	{ "1000BASE", 1e9 / 8, true },
	{ "1000base.T", 1e9 / 8, true },
	{ "1 Gbit", 1e9 / 8, true },
	{ "1Gbit", 1e9 / 8, true },
	{ "100BASE", 100e6 / 8, true },
	{ "100 Mbit", 100e6 / 8, true },
	{ "100Mbit", 100e6 / 8, true },
	{ "100Mbps", 100e6 / 8, true },
	{ "100 Mbps", 100e6 / 8, true },
	{ "fast ethernet", 100e6 / 8, true },
	{ "10BASE", 10e6 / 8, true },
	{ "SuperSpeedPlus", 10e9 / 8 * 128 / 132, false },
	{ "USB 3.2", 10e9 / 8 * 128 / 132, false },
	{ "USB3.2", 10e9 / 8 * 128 / 132, false },
	{ "USB 3.1", 10e9 / 8 * 128 / 132, false },
	{ "USB3.1", 10e9 / 8 * 128 / 132, false },
	{ "SuperSpeed", 500e6, false },
	{ "USB 3.0", 500e6, false },
	{ "USB3.0", 500e6, false },
	{ "USB 3", 500e6, false },
	{ "USB3", 500e6, false },
	{ "SS", 500e6, false },
	{ "USB 2.0", 13 * 512 * 8000.0, false },
	{ "USB2.0", 13 * 512 * 8000.0, false },
	{ "USB 2", 13 * 512 * 8000.0, false },
	{ "USB2", 13 * 512 * 8000.0, false },
	{ "high speed USB", 13 * 512 * 8000.0, false },
	{ "HighSpeed", 13 * 512 * 8000.0, false },
	{ "USB 1.1", 1.216e6, false },
	{ "USB1.1", 1.216e6, false },
	{ "SATA III", 600e6, false },
	{ "SATA3", 600e6, false },
	{ "SATA 3", 600e6, false },
	{ "SATA II", 300e6, false },
	{ "SATA2", 300e6, false },
	{ "SATA 2", 300e6, false },
	{ "SATA I", 150e6, false },
	{ "SATA1", 150e6, false },
	{ "SATA", 600e6, false },
	{ "HS400", 400e6, false },
	{ "HS200", 200e6, false },
	{ "SDR104", 104e6, false },
	{ "DDR50", 50e6, false },
	{ "SDR50", 50e6, false },
};

/* The words of the table, one after the other in the text: "USB 3.0". */
static bool has_phrase(const char *text, const char *phrase)
{
	size_t n = strlen(phrase);

	for (const char *p = text; (p = strcasestr(p, phrase)); p++) {
		bool starts = p == text ||
			      !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.",
				      p[-1]);

		if (starts && (!p[n] || strchr(" ,;/()-+", p[n])))
			return true;
	}
	return false;
}

static const struct link *find_link(const struct cell *c)
{
	const char *texts[] = { c->workload, c->board, c->note };

	for (size_t t = 0; t < COUNT(texts); t++)
		for (size_t i = 0; i < COUNT(links); i++)
			if (has_phrase(texts[t], links[i].words))
				return &links[i];
	return NULL;
}

/* "1500 B", "1500-byte", "64B packets": bytes of a frame; 0 = not said. */
static double frame_size(const char *text)
{
	for (const char *p = text; *p; p++) {
		char *end;
		double n;

		if (*p < '0' || *p > '9' ||
		    (p > text && (p[-1] == '.' || (p[-1] >= '0' && p[-1] <= '9'))))
			continue;
		n = strtod(p, &end);
		end += *end == ' ' || *end == '-';
		if (n >= 46 && n <= 9216 &&
		    ((*end == 'B' && (!end[1] || strchr(" ,;)/", end[1]))) ||
		     !strncasecmp(end, "byte", 4)))
			return n;
	}
	return 0;
}

static double ceiling_of(const struct link *link, const struct cell *c)
{
	double frame = link->ethernet ? frame_size(c->workload) : 0;

	return frame > 0 ? link->bytes_per_s * frame / (frame + 24) : link->bytes_per_s;
}

static void rate_ceiling(struct check *c, struct cell *cell)
{
	const struct link *link = find_link(cell);
	struct check_item *x;
	double ceiling;
	double share;
	bool above;

	if (!link)
		return;
	ceiling = ceiling_of(link, cell);
	share = cell_value(cell) / ceiling;
	if (share < SATURATED)
		return;
	above = cell_value(cell) - cell_slack(cell) > ceiling * 1.0005;
	x = check_add(c->report, "ceiling", above ? SEVERITY_ERROR : SEVERITY_WARN);
	x->place = cell_place(c, cell);
	x->subject = cell_subject(cell);
	x->printed = xasprintf("%s %s", cell->printed, cell->unit);
	x->expected = xasprintf("%s %.2f %s", above ? "at most" : "below", ceiling / cell->factor,
				cell->known->printed);
	x->message = xasprintf("%s %s is %.3f %% of the %.2f %s that %s can carry: %s",
			       cell->printed, cell->known->printed, 100 * share,
			       ceiling / cell->factor, cell->known->printed, link->words,
			       above ? "it cannot be"
				     : "a saturated link, a gain beyond it cannot show");
}

/*
 * A share of one processor's time, as time and fio tell it; other tools add up all processors, or
 * number them.
 */
static bool is_share(const struct cell *c)
{
	static const char *const words[] = { "usr",  "user", "sys",    "system",
					     "idle", "irq",  "iowait", "softirq" };
	char name[128];

	if (!c->known || strcmp(c->known->canonical, UNIT_PERCENT) != 0 ||
	    strpbrk(c->metric, "0123456789"))
		return false;
	snprintf(name, sizeof(name), "%s", c->metric);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = ' ';
	for (size_t i = 0; i < COUNT(words); i++)
		if (name_has_word(name, words[i]))
			return true;
	return false;
}

static void share_above(struct check *c, const struct cells *list, double sum)
{
	struct check_item *x = check_add(c->report, "ceiling", SEVERITY_ERROR);

	x->place = cells_place(c, list);
	x->subject = cell_subject(list->v[0]);
	x->printed = xasprintf("%.2f %%", sum);
	x->expected = xstrdup("at most 100 %");
	x->message = xasprintf("shares of one processor's time add up to %.2f %%", sum);
}

/* The shares of one variant in a block: each, and usr + sys, are at most the whole. */
static void shares(struct check *c, struct block *b)
{
	for (size_t i = 0; i < b->n && b->n <= CHECK_ROWS_MAX; i++) {
		for (size_t k = 0; k < b->rows[i]->n && k < CHECK_COLUMNS_MAX; k++) {
			const struct cell *first = b->rows[i]->cells[k];
			struct cells list = { .n = 0 };
			double sum = 0;
			size_t m = 0;

			if (!is_share(first))
				continue;
			for (; m < b->n; m++) {
				const struct cell *x = row_cell(b->rows[m], first->variant);

				if (!x || !is_share(x))
					continue;
				/* only from the first of them */
				if (!list.n && x != first)
					break;
				cells_add(&list, x);
				sum += x->number.value - x->number.ulp / 2;
			}
			if (m == b->n && list.n && sum > 100)
				share_above(c, &list, sum);
		}
	}
}

void rule_ceiling(struct check *c)
{
	for (size_t i = 0; i < c->t->n; i++) {
		struct cell *cell = &c->t->cells[i];

		if (cell_counts(cell) && cell->known && !strcmp(cell->known->canonical, UNIT_RATE))
			rate_ceiling(c, cell);
	}
	check_blocks(c, shares);
}

/* ---- physical ---- */

static bool never_negative(const struct cell *c)
{
	static const char *const which[] = { UNIT_RATE,	 UNIT_NS,    UNIT_IOPS,
					     UNIT_PER_S, UNIT_COUNT, UNIT_BYTES };

	for (size_t i = 0; c->known && i < COUNT(which); i++)
		if (!strcmp(c->known->canonical, which[i]))
			return true;
	return is_share(c);
}

void rule_physical(struct check *c)
{
	for (size_t i = 0; i < c->t->n; i++) {
		const struct cell *cell = &c->t->cells[i];
		struct check_item *x;

		if (!cell_counts(cell) || cell->number.value >= 0 || !never_negative(cell))
			continue;
		x = check_add(c->report, "physical", SEVERITY_ERROR);
		x->place = cell_place(c, cell);
		x->subject = cell_subject(cell);
		x->printed = xasprintf("%s %s", cell->printed, cell->unit);
		x->expected = xstrdup("not below 0");
		x->message =
			xasprintf("%s of %s %s cannot be", cell->metric, cell->printed, cell->unit);
	}
}
