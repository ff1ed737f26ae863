// SPDX-License-Identifier: GPL-2.0-or-later
/* What names say; see check-names.h. Layer: results, pure. */
#include "results/check-names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "results/text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void copy(char *out, size_t size, const char *from, size_t n)
{
	while (n && isspace((unsigned char)*from)) {
		from++;
		n--;
	}
	while (n && isspace((unsigned char)from[n - 1]))
		n--;
	snprintf(out, size, "%.*s", (int)n, from);
}

/* ---- words ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '.' || (unsigned char)c >= 0x80;
}

/* The next word of *p; its length, 0 at the end. */
static size_t next_word(const char **p, const char **word)
{
	while (**p && !is_word(**p))
		(*p)++;
	*word = *p;
	while (**p && is_word(**p))
		(*p)++;
	return (size_t)(*p - *word);
}

static bool has_word(const char *text, const char *word, size_t size)
{
	const char *w;
	size_t n;

	while ((n = next_word(&text, &w)) > 0)
		if (n == size && !strncasecmp(w, word, n))
			return true;
	return false;
}

bool name_has_word(const char *text, const char *word)
{
	return has_word(text, word, strlen(word));
}

bool name_has_words(const char *text, const char *words)
{
	const char *w;
	size_t n;
	bool any = false;

	while ((n = next_word(&words, &w)) > 0) {
		if (!has_word(text, w, n))
			return false;
		any = true;
	}
	return any;
}

/* ---- metrics ---- */

static const struct {
	const char *word;
	enum role role;
	double percentile;
} roles[] = {
	{ "min", ROLE_MIN, 0 },		{ "minimum", ROLE_MIN, 0 },
	{ "lo", ROLE_MIN, 0 },		{ "low", ROLE_MIN, 0 },
	{ "max", ROLE_MAX, 0 },		{ "maximum", ROLE_MAX, 0 },
	{ "hi", ROLE_MAX, 0 },		{ "high", ROLE_MAX, 0 },
	{ "avg", ROLE_AVG, 0 },		{ "average", ROLE_AVG, 0 },
	{ "mean", ROLE_AVG, 0 },	{ "median", ROLE_PERCENTILE, 50 },
	{ "stddev", ROLE_SPREAD, 0 },	{ "stdev", ROLE_SPREAD, 0 },
	{ "sd", ROLE_SPREAD, 0 },	{ "std", ROLE_SPREAD, 0 },
	{ "cv", ROLE_SPREAD, 0 },	{ "ci", ROLE_SPREAD, 0 },
	{ "ci95", ROLE_SPREAD, 0 },	{ "sem", ROLE_SPREAD, 0 },
	{ "variance", ROLE_SPREAD, 0 },
};

/* "p99", "p99.9", "p999" (99.9), "99th". */
static double percentile_of(const char *word, size_t n)
{
	const char *digits = word + ((*word | 32) == 'p');
	char text[16];
	double value;
	char *end;

	if ((digits == word && !(n > 2 && !strncasecmp(word + n - 2, "th", 2))) ||
	    n >= sizeof(text))
		return -1;
	snprintf(text, sizeof(text), "%.*s", (int)(n - (size_t)(digits - word)), digits);
	value = strtod(text, &end);
	if (end == text || (*end && strcasecmp(end, "th") != 0) || value < 0)
		return -1;
	while (value > 100) /* p999, p9999 */
		value /= 10;
	return value;
}

static bool find_role(const char *word, size_t n, struct metric_name *out)
{
	double p;

	for (size_t i = 0; i < COUNT(roles); i++) {
		if (strlen(roles[i].word) == n && !strncasecmp(roles[i].word, word, n)) {
			out->role = roles[i].role;
			out->percentile = roles[i].percentile;
			return true;
		}
	}
	p = percentile_of(word, n);
	if (p < 0)
		return false;
	out->role = ROLE_PERCENTILE;
	out->percentile = p;
	return true;
}

/* In a metric a dot separates words, but in "p99.9". */
static size_t metric_word(const char *p)
{
	size_t n = strcspn(p, "_. -/()");

	if (p[n] == '.' && n && isdigit((unsigned char)p[n - 1]) &&
	    isdigit((unsigned char)p[n + 1]))
		n += 1 + strspn(p + n + 1, "0123456789");
	return n;
}

void metric_name_parse(const char *metric, struct metric_name *out)
{
	size_t used = 0;

	memset(out, 0, sizeof(*out));
	while (*metric) {
		size_t n = metric_word(metric);

		/* The last role counts: in "lat_min_avg" it is the mean of minima. */
		if (n && !find_role(metric, n, out) && used + n + 2 < sizeof(out->family)) {
			if (used)
				out->family[used++] = '_';
			memcpy(out->family + used, metric, n);
			used += n;
		}
		metric += n + (metric[n] != '\0');
	}
}

bool name_delta_base(const char *metric, char *base, size_t size)
{
	static const char *const suffixes[] = { "_pct",	 "_percent", "_delta",	   "_diff",
						"_gain", "_change",  "_change_pct" };
	size_t n = strlen(metric);

	for (size_t i = COUNT(suffixes); i-- > 0;) {
		size_t m = strlen(suffixes[i]);

		if (n > m && !strcasecmp(metric + n - m, suffixes[i])) {
			copy(base, size, metric, n - m);
			return true;
		}
	}
	return false;
}

/* ---- variants ---- */

bool name_sides(const char *variant, char *a, char *b, size_t size)
{
	static const char *const marks[] = { " vs ",	  " vs. ", " versus ",	   " over ",
					     " against ", " / ",   " relative to " };

	for (size_t i = 0; i < COUNT(marks); i++) {
		const char *at = strcasestr(variant, marks[i]);

		if (!at || at == variant)
			continue;
		copy(a, size, variant, (size_t)(at - variant));
		at += strlen(marks[i]);
		copy(b, size, at, strlen(at));
		return true;
	}
	return false;
}

/* "v6.16", "6.12.3-rc5", "next-20250708", "linux-6.1". */
static bool is_version(const char *s)
{
	const char *p = s;

	if (!strncasecmp(p, "next-", 5))
		return isdigit((unsigned char)p[5]);
	if (!strncasecmp(p, "linux", 5))
		p += 5 + (p[5] == '-' || p[5] == ' ');
	if (*p == 'v' || *p == 'V')
		p++;
	if (!isdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789");
	return *p == '.' && isdigit((unsigned char)p[1]);
}

void variant_name_parse(const char *variant, struct variant_name *out)
{
	memset(out, 0, sizeof(*out));
	while (*variant && out->n < NAME_PARTS_MAX) {
		const char *with = out->n ? NULL : strcasestr(variant, " with ");
		size_t n = strcspn(variant, "+,;&");
		size_t skip = 1;

		/* "v6.16 with V10"; but "xhci with tasklet" is a name */
		if (with && is_version(variant) && (size_t)(with - variant) < n) {
			n = (size_t)(with - variant);
			skip = 6;
		}
		copy(out->parts[out->n], sizeof(out->parts[0]), variant, n);
		out->n += *out->parts[out->n] != '\0';
		variant += n + (variant[n] ? skip : 0);
	}
	out->is_version = out->n && is_version(out->parts[0]);
}

static bool has_part(const struct variant_name *v, const char *part)
{
	for (int i = 1; i < v->n; i++)
		if (!strcasecmp(v->parts[i], part))
			return true;
	return false;
}

static int parts_missing(const struct variant_name *a, const struct variant_name *b)
{
	int n = 0;

	for (int i = 1; i < a->n; i++)
		n += !has_part(b, a->parts[i]);
	return n;
}

/*
 * A series of several patches on one base is one change; so are unlike names without more. Two are
 * a version and a patch, or a part replaced beside a base or another part.
 */
static int changes(const char *a, const char *b)
{
	struct variant_name x;
	struct variant_name y;
	bool base;
	int added;
	int removed;

	variant_name_parse(a, &x);
	variant_name_parse(b, &y);
	if (!x.n || !y.n)
		return 0;
	base = strcasecmp(x.parts[0], y.parts[0]) != 0;
	added = parts_missing(&y, &x);
	removed = parts_missing(&x, &y);
	if (base && x.is_version && y.is_version)
		return 1 + (added || removed);
	if (added && removed)
		return base + (added < removed ? added : removed);
	return base || added || removed;
}

/* "a or b" -> each in turn; the text after the last. */
static const char *alternative(const char *v, char *out, size_t size)
{
	const char *at = strcasestr(v, " or ");

	copy(out, size, v, at ? (size_t)(at - v) : strlen(v));
	return at ? at + 4 : "";
}

int variant_changes(const char *a, const char *b)
{
	int least = 100;
	char x[128];
	char y[128];

	for (const char *p = a; *p;) {
		p = alternative(p, x, sizeof(x));
		for (const char *q = b; *q;) {
			int n;

			q = alternative(q, y, sizeof(y));
			n = changes(x, y);
			least = n < least ? n : least;
		}
	}
	return least;
}

void variant_qualifier(const char *variant, char *label, char *qualifier, size_t size)
{
	const char *open = strpbrk(variant, "([");
	size_t n = open ? (size_t)(open - variant) : strlen(variant);

	copy(label, size, variant, n);
	copy(qualifier, size, open ? open + 1 : "", open ? strcspn(open + 1, ")]") : 0);
}

/* ---- workloads ---- */

/* What follows the number of a repetition whose word is w, or NULL. */
static const char *after_repetition(const char *w, size_t n)
{
	static const char *const words[] = { "repetition", "replicate", "iteration", "sample",
					     "round",	   "trial",	"iter",	     "pass",
					     "rep",	   "run" };

	for (size_t i = 0; i < COUNT(words); i++) {
		size_t m = strlen(words[i]);
		const char *p = w + m;

		if (n < m || strncasecmp(w, words[i], m) != 0)
			continue;
		p += *p == ' ' || *p == '#' || *p == '_';
		if (!isdigit((unsigned char)*p))
			continue;
		p += strspn(p, "0123456789");
		return isalnum((unsigned char)*p) ? NULL : p;
	}
	return NULL;
}

bool name_repetition(const char *workload, char *base, size_t size)
{
	const char *p = workload;
	const char *w;
	size_t n;

	while ((n = next_word(&p, &w)) > 0) {
		const char *rest = after_repetition(w, n);

		if (!rest)
			continue;
		snprintf(base, size, "%.*s%s", (int)(w - workload), workload, rest);
		return true;
	}
	return false;
}

/* "4k", "128KiB", "1M" -> bytes; anything else: 0. */
static double size_of(const char *word, size_t n)
{
	static const struct {
		char letter;
		double bytes;
	} sizes[] = { { 'k', 1024 }, { 'm', 1024 * 1024 } };
	char *end;
	double value = strtod(word, &end);
	size_t digits = (size_t)(end - word);

	if (end == word || value < 0.5 || value > 4096 || digits >= n)
		return 0;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		if ((*end | 32) != sizes[i].letter)
			continue;
		if (n == digits + 1 || (n == digits + 2 && (end[1] | 32) == 'b') ||
		    (n == digits + 3 && end[1] == 'i' && (end[2] | 32) == 'b'))
			return value * sizes[i].bytes;
	}
	return 0;
}

double name_block_size(const char *text)
{
	const char *bs = strstr(text, "bs=");
	const char *w;
	size_t n;

	if (bs) {
		double size;

		bs += 3;
		n = strcspn(bs, " ,;)");
		size = size_of(bs, n);
		if (size > 0 || !isdigit((unsigned char)*bs))
			return size;
		if (strspn(bs, "0123456789") == n)
			return strtod(bs, NULL);
		return 0; /* "1G": no I/O is so large */
	}
	while ((n = next_word(&text, &w)) > 0) {
		double size = isdigit((unsigned char)*w) ? size_of(w, n) : 0;

		if (size > 0)
			return size;
	}
	return 0;
}
