// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ethtool -> named numbers; see parse-ethtool.h. Layer: results, pure.
 *
 *	NIC statistics:
 *	     rx_queue_0_packets: 232850
 *	     [0]: rx_ucast_packets: 7		some drivers have colons in a name
 */
#include "results/parse-ethtool.h"

#include <string.h>

#include "results/text.h"

#define MAX_NAME 100
#define MBIT	 125000.0 /* bytes/s */

static const char *const failures[] = {
	"Cannot get ",	     "netlink error:",		"no stats available",
	"No data available", "Operation not supported", "ethtool: bad command",
};

static const struct setting {
	const char *key, *name, *yes, *no;
} settings[] = {
	{ "Duplex", "duplex_full", "Full", "Half" },
	{ "Auto-negotiation", "autonegotiation", "on", "off" },
	{ "Link detected", "link", "yes", "no" },
};

/* "name: value" at the last colon. */
static bool split(struct text line, struct text *name, struct text *value)
{
	const char *colon = line.p < line.end ? memrchr(line.p, ':', text_size(line)) : NULL;

	if (!colon)
		return false;
	*name = text_trim((struct text){ line.p, colon });
	*value = text_trim((struct text){ colon + 1, line.end });
	return text_size(*name) > 0 && text_size(*name) <= MAX_NAME;
}

static void take_counter(struct values *out, struct text name, struct text value)
{
	bool bytes = text_find(name, "bytes") || text_find(name, "octets");
	const char *unit = bytes ? UNIT_BYTES : UNIT_COUNT;
	struct text positive = { value.p + 1, value.end };
	uint64_t n;

	if (text_u64(value, &n))
		values_count(out, n, unit, NULL, "%.*s", (int)text_size(name), name.p);
	else if (text_starts(value, "-") && text_u64(positive, &n))
		values_add(out, -(double)n, unit, NULL, "%.*s", (int)text_size(name), name.p);
}

static void take_setting(struct values *out, struct text name, struct text value)
{
	double speed;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const struct setting *s = &settings[i];

		bool yes = text_is(value, s->yes);

		if (text_is(name, s->key) && (yes || text_is(value, s->no)))
			values_count(out, yes, UNIT_COUNT, yes ? s->yes : s->no, "%s", s->name);
	}
	/* "Unknown!" when the link is down */
	if (text_is(name, "Speed") && text_number(&value, &speed) && text_is(value, "Mb/s"))
		values_add(out, speed * MBIT, UNIT_RATE, "Mb/s", "speed");
}

static bool is_failure(struct text line)
{
	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
		if (text_find(line, failures[i]))
			return true;
	return false;
}

/* A user who is not root gets the settings, and an error about the one that only root may see. */
int ethtool_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	void (*take)(struct values *, struct text, struct text) = NULL;
	struct text all = text_of(data, size);
	struct text failure = { NULL, NULL };
	struct text line;
	struct text name;
	struct text value;
	char quote[128];

	while (text_line(&all, &line)) {
		if (is_failure(line))
			failure = failure.p ? failure : line;
		else if (text_is(line, "NIC statistics:") ||
			 text_starts(line, "Standard stats for "))
			take = take_counter;
		else if (text_starts(line, "Settings for "))
			take = take_setting;
		else if (take && split(line, &name, &value))
			take(out, name, value);
	}
	if (failure.p && take != take_setting)
		return err_set(err, BLAME_TEST, "ethtool-error", "%s",
			       text_quote(failure, quote, sizeof(quote)));
	if (!take)
		return err_set(err, BLAME_TEST, "ethtool-none", "neither statistics nor settings");
	return 0;
}
