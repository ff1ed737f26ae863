// SPDX-License-Identifier: GPL-2.0-or-later
/* vnstat -> named numbers; see parse-vnstat.h. Layer: results, pure. */
#include "results/parse-vnstat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/json-text.h"

#define MAX_NUMBER 1e19
#define KIB	   1024.0

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const sides[] = { "rx", "tx" };

/* The interface that the next numbers belong to. */
struct interface {
	char name[40];
};

/* ---- JSON ---- */

static const struct field {
	const char *key, *name, *unit, *printed;
} fields[] = {
	{ "bytespersecond", "bw_bytes", UNIT_RATE, NULL },
	{ "packetspersecond", "packets_per_s", UNIT_PER_S, NULL },
	{ "bytes", "bytes", UNIT_BYTES, NULL },
	{ "packets", "packets", UNIT_COUNT, NULL },
};

/* In the last document of -l, which has no rate of its own; in the others they only grow. */
static const struct field totals[] = {
	{ "totalbytes", "run_bytes", UNIT_BYTES, NULL },
	{ "totalpackets", "run_packets", UNIT_COUNT, NULL },
};

static void set_name(struct interface *i, const json_t *name)
{
	if (json_is_string(name))
		snprintf(i->name, sizeof(i->name), "%s", json_string_value(name));
}

/* The number at a key if it can be one; -1 if it cannot. */
static int get_number(const json_t *object, const char *key, double *n, struct err *err)
{
	*n = json_text_number(object, key);
	if (isnan(*n) || (*n >= 0 && *n <= MAX_NUMBER))
		return 0;
	return err_set(err, BLAME_TEST, "vnstat-range", "%s = %g cannot be", key, *n);
}

static int put_total(const json_t *interface, bool kib, struct values *out, struct err *err)
{
	const json_t *total = json_object_get(json_object_get(interface, "traffic"), "total");
	const json_t *id = json_object_get(interface, "id"); /* version 1 */
	struct interface i = { "" };
	double n;

	set_name(&i, id ? id : json_object_get(interface, "name"));
	for (size_t side = 0; side < COUNT(sides); side++) {
		if (get_number(total, sides[side], &n, err) < 0)
			return -1;
		values_add(out, kib ? n * KIB : n, UNIT_BYTES, kib ? "KiB" : NULL,
			   "%s.total.%s_bytes", i.name, sides[side]);
	}
	return 0;
}

static int put_fields(const json_t *object, const struct field *f, size_t n_fields,
		      const char *prefix, struct values *out, struct err *err)
{
	for (const struct field *end = f + n_fields; f < end; f++) {
		double n;

		if (get_number(object, f->key, &n, err) < 0)
			return -1;
		values_add(out, n, f->unit, f->printed, "%s.%s", prefix, f->name);
	}
	return 0;
}

static int put_sample(const json_t *root, const struct interface *i, struct values *out,
		      struct err *err)
{
	for (size_t side = 0; side < COUNT(sides); side++) {
		const json_t *object = json_object_get(root, sides[side]);
		bool last = !json_object_get(object, fields[0].key);
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "%s.%s", i->name, sides[side]);
		if (put_fields(object, fields, COUNT(fields), prefix, out, err) < 0)
			return -1;
		if (last && put_fields(object, totals, COUNT(totals), prefix, out, err) < 0)
			return -1;
	}
	return 0;
}

static int put_document(const json_t *root, struct interface *i, struct values *out,
			struct err *err)
{
	const json_t *interfaces = json_object_get(root, "interfaces");
	const char *version = json_string_value(json_object_get(root, "jsonversion"));
	const char *error = json_string_value(json_object_get(root, "error"));
	bool kib = version && !strcmp(version, "1");

	if (error)
		return err_set(err, BLAME_TEST, "vnstat-error", "error: %s", error);
	set_name(i, json_object_get(root, "interface"));
	for (size_t k = 0; k < json_array_size(interfaces); k++)
		if (put_total(json_array_get(interfaces, k), kib, out, err) < 0)
			return -1;
	return put_sample(root, i, out, err);
}

/* ---- text ---- */

static const struct unit {
	const char *name;
	double factor; /* to bytes */
} units[] = {
	{ "B", 1 },	     { "KiB", 0x1p10 },	  { "MiB", 0x1p20 },   { "GiB", 0x1p30 },
	{ "TiB", 0x1p40 },   { "PiB", 0x1p50 },	  { "kB", 1e3 },       { "KB", 1e3 },
	{ "MB", 1e6 },	     { "GB", 1e9 },	  { "TB", 1e12 },      { "B/s", 1 },
	{ "KiB/s", 0x1p10 }, { "MiB/s", 0x1p20 }, { "GiB/s", 0x1p30 }, { "kB/s", 1e3 },
	{ "MB/s", 1e6 },     { "GB/s", 1e9 },	  { "bit/s", 0.125 },  { "kbit/s", 125 },
	{ "Mbit/s", 125e3 }, { "Gbit/s", 125e6 }, { "Tbit/s", 125e9 },
};

/* "50.15 Mbit/s"; a number alone is in bytes. */
static bool take_amount(struct text *t, double *n, const char **unit)
{
	struct text word;
	struct text rest;

	if (!text_word(t, &word) || !text_double(word, n))
		return false;
	rest = *t;
	*unit = UNIT_BYTES;
	if (!text_word(&rest, &word))
		return true;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (!text_is(word, units[i].name))
			continue;
		*n *= units[i].factor;
		*unit = units[i].name;
		*t = rest;
		return true;
	}
	return false;
}

static void name_text(struct interface *i, struct text name)
{
	text_quote(text_trim(name), i->name, sizeof(i->name));
}

/* "   eth0 since 2026-11-30", "Traffic average for lo", "Monitoring lo...    (press CTRL-C)" */
static bool take_name(struct interface *i, struct text line)
{
	static const char average[] = "Traffic average for ";
	static const char monitoring[] = "Monitoring ";
	const char *since = text_find(line, " since ");
	const char *dots = text_find(line, "...");

	if (text_starts(line, average))
		name_text(i, (struct text){ line.p + strlen(average), line.end });
	else if (text_starts(line, monitoring) && dots)
		name_text(i, (struct text){ line.p + strlen(monitoring), dots });
	else if (since)
		name_text(i, (struct text){ line.p, since });
	else
		return false;
	return true;
}

/* "rx:  1.50 GiB      tx:  0 B      total:  0 B"; with rates it is the live meter's line */
static void take_summary(const struct interface *i, struct text line, struct values *out)
{
	const char *tx = text_find(line, "tx:");
	const char *unit;
	double n;

	if (!text_starts(line, "rx:") || !tx)
		return;
	for (size_t side = 0; side < COUNT(sides); side++) {
		struct text amount = { side ? tx + 3 : line.p + 3, line.end };

		if (!take_amount(&amount, &n, &unit))
			continue;
		if (strstr(unit, "/s"))
			values_add(out, n, UNIT_RATE, unit, "%s.%s.bw_bytes", i->name, sides[side]);
		else
			values_add(out, n, UNIT_BYTES, unit, "%s.total.%s_bytes", i->name,
				   sides[side]);
	}
}

/* "rx        50.15 Mbit/s           248 packets/s" */
static void take_rate(const struct interface *i, struct text line, struct values *out)
{
	struct text side;
	struct text word;
	const char *unit;
	double n;

	if (!text_word(&line, &side) || !(text_is(side, "rx") || text_is(side, "tx")) ||
	    !take_amount(&line, &n, &unit) || !strstr(unit, "/s"))
		return;
	values_add(out, n, UNIT_RATE, unit, "%s.%.2s.bw_bytes", i->name, side.p);
	if (text_word(&line, &word) && text_double(word, &n) &&
	    text_is(text_trim(line), "packets/s"))
		values_add(out, n, UNIT_PER_S, "packets/s", "%s.%.2s.packets_per_s", i->name,
			   side.p);
}

/* "1;eth0;DATE;rx;tx;total;rate;MONTH;rx;tx;total;rate;rx;tx;total" */
static const struct {
	size_t at; /* of rx; tx follows it */
	const char *name;
} oneline[] = { { 3, "day" }, { 8, "month" }, { 12, "total" } };

static void take_oneline(struct text line, struct values *out)
{
	struct text f[15];
	struct interface i;
	const char *unit;
	size_t n = 0;
	double amount;

	while (n < 14 && text_until(&line, ';', &f[n]))
		n++;
	f[n++] = line;
	if (n != 15 || !text_is(f[0], "1") || text_find(line, ";"))
		return;
	name_text(&i, f[1]);
	for (size_t k = 0; k < COUNT(oneline); k++)
		for (size_t side = 0; side < COUNT(sides); side++)
			if (take_amount(&f[oneline[k].at + side], &amount, &unit))
				values_add(out, amount, UNIT_BYTES, unit, "%s.%s.%s_bytes", i.name,
					   oneline[k].name, sides[side]);
}

/* A line that is redrawn erases itself each time: only what is drawn last counts. */
static struct text last_drawn(struct text line)
{
	const char *p;

	while ((p = text_find(line, "\x1b[2K")))
		line.p = p + strlen("\x1b[2K");
	return text_trim(line);
}

static int parse_text(struct text all, struct values *out, struct err *err)
{
	struct interface i = { "" };
	struct text line;
	char quote[128];

	while (text_line(&all, &line)) {
		if (text_starts(line, "Error: "))
			return err_set(err, BLAME_TEST, "vnstat-error", "%s",
				       text_quote(line, quote, sizeof(quote)));
		if (take_name(&i, line))
			continue;
		line = last_drawn(line);
		take_summary(&i, line, out);
		take_rate(&i, line, out);
		take_oneline(line, out);
	}
	return 0;
}

/* ---- both ---- */

int vnstat_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct text t = text_of(data, size);
	struct interface i = { "" };
	size_t before = out->n;
	bool json = false;
	json_t *root;
	int rc;

	while ((rc = json_text_next(&t, "vnstat-broken", &root, err)) > 0) {
		rc = put_document(root, &i, out, err);
		json_decref(root);
		if (rc < 0)
			return -1;
		json = true;
	}
	if (!rc && !json)
		rc = parse_text(text_of(data, size), out, err);
	if (!rc && out->n == before)
		rc = err_set(err, BLAME_TEST, "vnstat-none", "no traffic in it");
	return rc;
}
