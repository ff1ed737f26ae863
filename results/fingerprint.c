// SPDX-License-Identifier: GPL-2.0-or-later
/* What must be equal for two boots to be compared; see fingerprint.h. Layer: results, pure. */
#include "results/fingerprint.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_DEPTH 16
#define SHOW	  3

/*
 * The first row that fits decides; what fits none does not matter. '*' also stands for dots and
 * slashes, so that "cpufreq.[policy0].scaling_governor" and a path in /sys are both found.
 */
static const struct {
	const char *pattern;
	bool matters;
} rules[] = {
	/* changes by itself, or with the kernel under test */
	{ "*temp*", false },
	{ "*cur_freq*", false },
	{ "*boot_id*", false },
	{ "*uptime*", false },
	{ "*release*", false },
	{ "*hash*", false },
	{ "*effective_affinity*", false },
	/* disks come and go; those that are measured stand under targets */
	{ "block.*", false },
	/* steers speed */
	{ "*governor*", true },
	{ "*min_freq*", true },
	{ "*max_freq*", true },
	{ "*affinity*", true },
	{ "*idle*disable*", true },
	{ "*online*", true },
	{ "*scheduler*", true },
	{ "*nomerges*", true },
	{ "*iostats*", true },
	{ "*clkgate*", true },
	{ "*gear*", true },
	{ "*lane*", true },
	{ "*power_info/mode*", true },
	{ "*power_info/rate*", true },
	{ "*speed*", true },
	{ "*cmdline*", true },
	{ "cpus_isolated", true },
	{ "smt*", true },
	{ "clocksource", true },
	{ "*write_cache", true },
	/* another device, or other firmware in it */
	{ "targets.*.size", true },
	{ "targets.*device/vendor", true },
	{ "targets.*device/model", true },
	{ "targets.*device/rev", true },
	{ "ufs.*string_descriptors/*", true },
	{ "tool*", true },
};

struct entry {
	char *key, *value;
};

struct fingerprint {
	struct entry *entries; /* by key */
	size_t n;
	char *boot_id;
};

bool fingerprint_matters(const char *key)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!fnmatch(rules[i].pattern, key, FNM_CASEFOLD))
			return rules[i].matters;
	return false;
}

/* ---- reading ---- */

/* Is the word one of those in list, both as on a command line? */
static bool has_word(const char *list, const char *word, size_t size)
{
	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == size && !strncmp(list, word, n))
			return true;
		list += n + (list[n] == ' ');
	}
	return false;
}

/* A command line without the variant's own words, and without the rig's own (rig.xyz=...). */
static char *strip_cmdline(const char *cmdline, const char *own)
{
	struct buf out = BUF_INIT;
	const char *p = cmdline;

	while (*p) {
		size_t n = strcspn(p, " \n");

		if (n && strncmp(p, "rig.", 4) != 0 && !has_word(own, p, n)) {
			buf_adds(&out, out.size ? " " : "");
			buf_append(&out, p, n);
		}
		p += n + (p[n] != '\0');
	}
	buf_adds(&out, "");
	return buf_detach(&out);
}

static char *scalar(const json_t *json, const char *key, const char *own_cmdline)
{
	const char *text = json_string_value(json);

	if (text && !fnmatch("*cmdline*", key, FNM_CASEFOLD))
		return strip_cmdline(text, own_cmdline);
	return text ? xstrdup(text) : json_dumps(json, JSON_ENCODE_ANY);
}

static void add_entry(struct fingerprint *f, const char *key, char *value)
{
	f->entries = xrealloc(f->entries, (f->n + 1) * sizeof(*f->entries));
	f->entries[f->n].key = xstrdup(key);
	f->entries[f->n++].value = value;
}

struct flatten {
	struct fingerprint *f;
	const char *own_cmdline;
};

static void flatten(const struct flatten *w, const char *path, const json_t *json, int depth);

static void flatten_member(const struct flatten *w, const char *path, const char *name,
			   const json_t *json, int depth)
{
	char *key = *path ? xasprintf("%s.%s", path, name) : xstrdup(name);

	flatten(w, key, json, depth + 1);
	free(key);
}

/* An element is known by what it is, not by its place: one that is found late shifts no other. */
static void flatten_element(const struct flatten *w, const char *path, size_t i,
			    const json_t *element, int depth)
{
	static const char *const identities[] = { "selector", "what", "name" };
	char name[80];

	snprintf(name, sizeof(name), "%zu", i);
	for (size_t k = sizeof(identities) / sizeof(identities[0]); k-- > 0;) {
		const char *text = json_string_value(json_object_get(element, identities[k]));

		if (text)
			snprintf(name, sizeof(name), "[%s]", text);
	}
	flatten_member(w, path, name, element, depth);
}

static void flatten(const struct flatten *w, const char *path, const json_t *json, int depth)
{
	if (depth > MAX_DEPTH)
		return;
	if (json_is_object(json)) {
		const char *name;
		json_t *value;

		json_object_foreach ((json_t *)json, name, value)
			flatten_member(w, path, name, value, depth);
	} else if (json_is_array(json)) {
		for (size_t i = 0; i < json_array_size(json); i++)
			flatten_element(w, path, i, json_array_get(json, i), depth);
	} else if (fingerprint_matters(path)) {
		add_entry(w->f, path, scalar(json, path, w->own_cmdline));
	} else if (!w->f->boot_id && !fnmatch("*boot_id", path, FNM_CASEFOLD)) {
		w->f->boot_id = scalar(json, path, "");
	}
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

struct fingerprint *fingerprint_new(const char *json, const char *own_cmdline)
{
	json_t *root = json_loads(json, 0, NULL);
	struct fingerprint *f;
	struct flatten w;

	if (!root)
		return NULL;
	f = xcalloc(1, sizeof(*f));
	w = (struct flatten){ f, own_cmdline };
	flatten(&w, "", root, 0);
	json_decref(root);
	if (f->n)
		qsort(f->entries, f->n, sizeof(*f->entries), by_key);
	return f;
}

void fingerprint_free(struct fingerprint *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		free(f->entries[i].key);
		free(f->entries[i].value);
	}
	free(f->entries);
	free(f->boot_id);
	free(f);
}

char *fingerprint_dump(const struct fingerprint *f)
{
	json_t *root = json_object();
	char *text;

	for (size_t i = 0; i < f->n; i++)
		json_object_set_new(root, f->entries[i].key, json_string(f->entries[i].value));
	text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(root);
	return text;
}

const char *fingerprint_boot_id(const struct fingerprint *f)
{
	return f->boot_id ? f->boot_id : "";
}

/* ---- comparing ---- */

static void show(struct buf *out, size_t n, const char *key, const char *a, const char *b)
{
	if (n < SHOW)
		buf_addf(out, "%s%.80s: %.120s / %.120s", n ? "; " : "", key, a ? a : "(not there)",
			 b ? b : "(not there)");
	else if (n == SHOW)
		buf_adds(out, "; ...");
}

static bool begins(const struct fingerprint *f, const char *prefix, size_t size)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strncmp(f->entries[i].key, prefix, size))
			return true;
	return false;
}

/*
 * A device that one of the two has not at all ("usb.[2-1].speed") is no difference in how the
 * other was set; a measured one cannot be missing.
 */
static bool missing_counts(const struct fingerprint *other, const char *key)
{
	const char *end = strstr(key, "].");

	if (!end || !strncmp(key, "targets.", 8))
		return true;
	return begins(other, key, (size_t)(end - key) + 1);
}

size_t fingerprint_diff(const struct fingerprint *a, const struct fingerprint *b, struct buf *out)
{
	size_t n = 0;
	size_t i = 0;
	size_t k = 0;

	while (i < a->n || k < b->n) {
		const struct entry *x = i < a->n ? &a->entries[i] : NULL;
		const struct entry *y = k < b->n ? &b->entries[k] : NULL;
		int order = x && y ? strcmp(x->key, y->key) : 0;

		if (x && (!y || order < 0)) {
			if (missing_counts(b, x->key))
				show(out, n++, x->key, x->value, NULL);
			i++;
		} else if (y && (!x || order > 0)) {
			if (missing_counts(a, y->key))
				show(out, n++, y->key, NULL, y->value);
			k++;
		} else if (x && y) {
			if (strcmp(x->value, y->value) != 0)
				show(out, n++, x->key, x->value, y->value);
			i++;
			k++;
		}
	}
	return n;
}

/* "fio-3.33" and "BusyBox v1.35.0 (date) ..." name themselves. */
static void put_tool(struct buf *out, const char *name, const char *version)
{
	size_t n = strcspn(version, "(");

	while (n && version[n - 1] == ' ')
		n--;
	if (strncasecmp(version, name, strlen(name)) != 0)
		buf_addf(out, "%s ", name);
	buf_append(out, version, n);
}

void fingerprint_tools(const char *json, struct buf *out)
{
	json_t *root = json_loads(json, 0, NULL);
	json_t *tools = json_object_get(root, "tools");
	const char *name;
	json_t *value;

	json_object_foreach (tools, name, value) {
		if (!json_is_string(value))
			continue;
		buf_adds(out, out->size ? ", " : "");
		put_tool(out, name, json_string_value(value));
	}
	json_decref(root);
}
