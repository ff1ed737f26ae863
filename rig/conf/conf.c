// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoding of YAML mappings by tables; see conf.h. Layer: base. */
#include "conf/conf.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "conf/doc.h"

/* What is being decoded, for messages and to reach the document. */
struct decode {
	struct conf *c;
	struct err *err;
	const char *what; /* the mapping: "workload" */
	const struct conf_key *key;
};

static int complain(const struct decode *d, const yaml_node_t *node, const char *problem)
{
	return conf_error(d->c, doc_pos(node), d->err, "%s of %s %s", d->key->name, d->what,
			  problem);
}

static bool limited(const struct conf_key *k)
{
	return k->min != 0 || k->max != 0;
}

static int check_range(const struct decode *d, const yaml_node_t *node, double v, const char *what)
{
	const struct conf_key *k = d->key;

	if (!limited(k) || (v >= k->min && v <= k->max))
		return 0;
	return conf_error(d->c, doc_pos(node), d->err,
			  "%s of %s: %s is out of range (%.10g to %.10g%s%s)", k->name, d->what,
			  what, k->min, k->max, k->unit ? " " : "", k->unit ? k->unit : "");
}

static int check_count(const struct decode *d, const yaml_node_t *node, size_t n, const char *what)
{
	const struct conf_key *k = d->key;

	if (!limited(k) || ((double)n >= k->min && (double)n <= k->max))
		return 0;
	return conf_error(d->c, doc_pos(node), d->err,
			  "%s of %s has %zu %s, allowed are %.10g to %.10g", k->name, d->what, n,
			  what, k->min, k->max);
}

static const char *need_scalar(const struct decode *d, const yaml_node_t *node, const char *want)
{
	const char *s = doc_scalar(node);

	if (s)
		return s;
	conf_error(d->c, doc_pos(node), d->err, "%s of %s must be %s, not %s", d->key->name,
		   d->what, want, doc_shape(node));
	return NULL;
}

static int bad_value(const struct decode *d, const yaml_node_t *node, const char *want)
{
	return conf_error(d->c, doc_pos(node), d->err, "%s of %s must be %s, not \"%.60s\"",
			  d->key->name, d->what, want, doc_scalar(node));
}

static int decode_text(struct decode *d, const yaml_node_t *node, struct conf_text *out)
{
	const char *s = need_scalar(d, node, "a single value");

	if (!s)
		return -1;
	if (strlen(s) != node->data.scalar.length) {
		complain(d, node, "holds a NUL byte");
		return -1;
	}
	out->s = conf_strdup(d->c, s);
	out->pos = doc_pos(node);
	return 0;
}

static int decode_str(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_text text;

	if (decode_text(d, node, &text) || check_count(d, node, strlen(text.s), "characters"))
		return -1;
	*(const char **)dest = text.s;
	return 0;
}

static int decode_one_text(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_text *out = dest;

	if (decode_text(d, node, out))
		return -1;
	return check_count(d, node, strlen(out->s), "characters");
}

static int decode_items(struct decode *d, const yaml_node_t *node, struct conf_texts *out)
{
	const yaml_node_item_t *i = node->data.sequence.items.start;
	size_t n = (size_t)(node->data.sequence.items.top - i);

	if (n > d->c->budget)
		return complain(d, node, "expands to too many values");
	d->c->budget -= (unsigned int)n;
	out->items = conf_alloc(d->c, n * sizeof(*out->items));
	for (; out->n < n; out->n++) {
		const yaml_node_t *item = doc_node(d->c, i[out->n]);

		if (doc_is_null(item))
			return complain(d, item, "has an empty element");
		if (decode_text(d, item, &out->items[out->n]))
			return -1;
	}
	return 0;
}

/* A list of scalars, or one scalar that stands for a list of one. */
static int decode_strings(struct decode *d, const yaml_node_t *node, struct conf_texts *out)
{
	if (node->type == YAML_SEQUENCE_NODE)
		return decode_items(d, node, out);
	if (node->type == YAML_MAPPING_NODE)
		return conf_error(d->c, doc_pos(node), d->err,
				  "%s of %s must be a list or a single value, not a mapping",
				  d->key->name, d->what);
	out->items = conf_alloc(d->c, sizeof(*out->items));
	out->n = 1;
	return decode_text(d, node, &out->items[0]);
}

static int decode_texts(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_texts *out = dest;

	if (decode_strings(d, node, out))
		return -1;
	return check_count(d, node, out->n, "elements");
}

static int decode_int(struct decode *d, const yaml_node_t *node, void *dest)
{
	const char *s = need_scalar(d, node, "a whole number");
	char *end;
	long v;

	if (!s)
		return -1;
	errno = 0;
	v = strtol(s, &end, 10);
	if (end == s || *end || errno)
		return bad_value(d, node, "a whole number");
	*(long *)dest = v;
	return check_range(d, node, (double)v, s);
}

static int decode_num(struct decode *d, const yaml_node_t *node, void *dest)
{
	const char *s = need_scalar(d, node, "a number");
	char *end;
	double v;

	if (!s)
		return -1;
	v = strtod(s, &end);
	if (end != s && !strcmp(end, "%")) {
		v /= 100;
		end++;
	}
	if (end == s || *end || !isfinite(v))
		return bad_value(d, node, "a number or a percentage");
	*(double *)dest = v;
	return check_range(d, node, v, s);
}

static int find_word(const char *s, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(s, words[i]))
			return i;
	return -1;
}

static int decode_bool(struct decode *d, const yaml_node_t *node, void *dest)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", NULL };
	const char *s = need_scalar(d, node, "true or false");
	int i = s ? find_word(s, words) : -1;

	if (!s)
		return -1;
	if (i < 0)
		return bad_value(d, node, "true or false");
	*(bool *)dest = i % 2;
	return 0;
}

static int unknown_word(const struct decode *d, const yaml_node_t *node, const char *s)
{
	struct guess guess = GUESS_INIT;
	struct buf all = BUF_INIT;

	for (const char *const *w = d->key->words; *w; w++) {
		guess_offer(&guess, s, *w);
		buf_addf(&all, "%s%s", all.size ? ", " : "", *w);
	}
	conf_error(d->c, doc_pos(node), d->err, "%s of %s must be one of %s, not \"%.60s\"%s%s%s",
		   d->key->name, d->what, buf_str(&all), s, guess.best ? "; did you mean \"" : "",
		   guess.best ? guess.best : "", guess.best ? "\"?" : "");
	buf_release(&all);
	return -1;
}

static int decode_enum(struct decode *d, const yaml_node_t *node, void *dest)
{
	const char *s = need_scalar(d, node, "a single value");
	int i = s ? find_word(s, d->key->words) : -1;

	if (!s)
		return -1;
	if (i < 0)
		return unknown_word(d, node, s);
	*(int *)dest = i;
	return 0;
}

static int need_shape(const struct decode *d, const yaml_node_t *node, yaml_node_type_t type,
		      const char *want)
{
	if (node->type == type)
		return 0;
	return conf_error(d->c, doc_pos(node), d->err, "%s of %s must be %s, not %s", d->key->name,
			  d->what, want, doc_shape(node));
}

static size_t mapping_size(const yaml_node_t *node)
{
	return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

/* Keys are scalars and unique; merge keys are not understood. */
static int check_keys(const struct decode *d, const yaml_node_t *node, const char *what)
{
	const yaml_node_pair_t *start = node->data.mapping.pairs.start;
	size_t n = mapping_size(node);

	for (size_t i = 0; i < n; i++) {
		const yaml_node_t *key = doc_node(d->c, start[i].key);
		const char *s = doc_scalar(key);

		if (!s)
			return conf_error(d->c, doc_pos(key), d->err, "a key of %s is %s", what,
					  doc_shape(key));
		if (!strcmp(s, "<<"))
			return conf_error(d->c, doc_pos(key), d->err,
					  "merge keys (<<) are not supported; repeat the keys");
		for (size_t j = 0; j < i; j++) {
			const yaml_node_t *other = doc_node(d->c, start[j].key);

			if (!strcmp(s, doc_scalar(other)))
				return conf_error(
					d->c, doc_pos(key), d->err,
					"key \"%s\" of %s is given twice, first in line %d", s,
					what, doc_pos(other).line);
		}
	}
	return 0;
}

static int decode_pair(struct decode *d, const yaml_node_pair_t *from, struct conf_pair *to)
{
	const yaml_node_t *value = doc_node(d->c, from->value);

	if (decode_text(d, doc_node(d->c, from->key), &to->name))
		return -1;
	if (doc_is_null(value))
		return conf_error(d->c, doc_pos(value), d->err, "\"%s\" in %s of %s has no value",
				  to->name.s, d->key->name, d->what);
	to->is_list = value->type == YAML_SEQUENCE_NODE;
	return decode_strings(d, value, &to->values);
}

static int decode_pairs(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_pairs *out = dest;
	size_t n;

	if (need_shape(d, node, YAML_MAPPING_NODE, "a mapping") ||
	    check_keys(d, node, d->key->name))
		return -1;
	n = mapping_size(node);
	if (check_count(d, node, n, "entries"))
		return -1;
	out->items = conf_alloc(d->c, n * sizeof(*out->items));
	for (; out->n < n; out->n++)
		if (decode_pair(d, &node->data.mapping.pairs.start[out->n], &out->items[out->n]))
			return -1;
	return 0;
}

static int decode_mapping(struct conf *c, const yaml_node_t *node, const struct conf_part *parts,
			  size_t n_parts, struct err *err);

static int decode_map(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_part part = { d->key->sub, dest };

	if (need_shape(d, node, YAML_MAPPING_NODE, "a mapping"))
		return -1;
	return decode_mapping(d->c, node, &part, 1, d->err);
}

static int list_size(const struct decode *d, const yaml_node_t *node, size_t *n)
{
	if (need_shape(d, node, YAML_SEQUENCE_NODE, "a list"))
		return -1;
	*n = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
	return check_count(d, node, *n, "elements");
}

static const yaml_node_t *list_item(const struct decode *d, const yaml_node_t *node, size_t i)
{
	const yaml_node_t *item = doc_node(d->c, node->data.sequence.items.start[i]);

	if (item->type == YAML_MAPPING_NODE)
		return item;
	conf_error(d->c, doc_pos(item), d->err, "an element of %s of %s must be a mapping, not %s",
		   d->key->name, d->what, doc_shape(item));
	return NULL;
}

static int decode_list(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_list *out = dest;
	const struct conf_table *sub = d->key->sub;
	size_t n;

	if (list_size(d, node, &n))
		return -1;
	out->items = conf_alloc(d->c, n * sub->size);
	for (; out->n < n; out->n++) {
		const yaml_node_t *item = list_item(d, node, out->n);
		struct conf_part part = { sub, (char *)out->items + out->n * sub->size };

		if (!item || decode_mapping(d->c, item, &part, 1, d->err))
			return -1;
	}
	return 0;
}

static int decode_nodes(struct decode *d, const yaml_node_t *node, void *dest)
{
	struct conf_list *out = dest;
	struct conf_node *items;
	size_t n;

	if (list_size(d, node, &n))
		return -1;
	items = conf_alloc(d->c, n * sizeof(*items));
	out->items = items;
	for (; out->n < n; out->n++) {
		const yaml_node_t *item = list_item(d, node, out->n);

		if (!item)
			return -1;
		items[out->n].id = node->data.sequence.items.start[out->n];
		items[out->n].pos = doc_pos(item);
	}
	return 0;
}

typedef int decode_fn(struct decode *d, const yaml_node_t *node, void *dest);

static const struct {
	decode_fn *decode;
} types[] = {
	[CONF_STR] = { decode_str },	 [CONF_TEXT] = { decode_one_text },
	[CONF_TEXTS] = { decode_texts }, [CONF_INT] = { decode_int },
	[CONF_NUM] = { decode_num },	 [CONF_BOOL] = { decode_bool },
	[CONF_ENUM] = { decode_enum },	 [CONF_PAIRS] = { decode_pairs },
	[CONF_MAP] = { decode_map },	 [CONF_LIST] = { decode_list },
	[CONF_NODES] = { decode_nodes },
};

static int decode_value(struct decode *d, const yaml_node_t *node, void *dest)
{
	if (!d->c->budget)
		return complain(d, node, "expands to too many values");
	d->c->budget--;
	if (doc_is_null(node) && d->key->type != CONF_ENUM)
		return complain(d, node, "has no value");
	return types[d->key->type].decode(d, node, dest);
}

/* A default becomes a node, so that it is read exactly as a file's value is; its line is 0. */
static int decode_default(struct decode *d, const char *text, size_t size, decode_fn *decode,
			  void *dest)
{
	char *copy = xasprintf("%.*s", (int)size, text);
	yaml_node_t node = { .type = YAML_SCALAR_NODE };
	int rc;

	node.start_mark.line = (size_t)-1;
	node.start_mark.column = (size_t)-1;
	node.data.scalar.value = (yaml_char_t *)copy;
	node.data.scalar.length = size;
	node.data.scalar.style = YAML_PLAIN_SCALAR_STYLE;
	rc = decode(d, &node, dest);
	free(copy);
	return rc;
}

/* "a, b" as a list. */
static int default_texts(struct decode *d, const char *def, struct conf_texts *out)
{
	out->items = conf_alloc(d->c, (strlen(def) + 1) * sizeof(*out->items));
	for (; *def; def += strspn(def, ", ")) {
		size_t size = strcspn(def, ",");

		if (decode_default(d, def, size, decode_one_text, &out->items[out->n++]))
			return -1;
		def += size;
	}
	return 0;
}

static int set_default(struct decode *d, const struct conf_key *k, void *dest)
{
	d->key = k;
	if (k->type == CONF_MAP)
		conf_defaults(d->c, k->sub, dest);
	else if (k->def && k->type == CONF_TEXTS)
		return default_texts(d, k->def, dest);
	else if (k->def)
		return decode_default(d, k->def, strlen(k->def), types[k->type].decode, dest);
	return 0;
}

void conf_defaults(struct conf *c, const struct conf_table *table, void *dest)
{
	struct err err = ERR_INIT;
	struct decode d = { c, &err, table->what, NULL };

	memset(dest, 0, table->size);
	for (size_t i = 0; i < table->n_keys; i++)
		if (set_default(&d, &table->keys[i], (char *)dest + table->keys[i].offset))
			abort(); /* a default that its own row refuses: the unit test finds it */
}

static const yaml_node_pair_t *find_pair(struct conf *c, const yaml_node_t *node, const char *key)
{
	const yaml_node_pair_t *p = node->data.mapping.pairs.start;

	for (; p < node->data.mapping.pairs.top; p++) {
		const char *s = doc_scalar(doc_node(c, p->key));

		if (s && !strcmp(s, key))
			return p;
	}
	return NULL;
}

static bool key_known(const struct conf_part *parts, size_t n_parts, const char *name)
{
	for (size_t p = 0; p < n_parts; p++)
		for (size_t i = 0; i < parts[p].table->n_keys; i++)
			if (!strcmp(parts[p].table->keys[i].name, name))
				return true;
	return false;
}

static int unknown_key(const struct decode *d, const struct conf_part *parts, size_t n_parts,
		       const yaml_node_t *key)
{
	struct guess guess = GUESS_INIT;

	for (size_t p = 0; p < n_parts; p++)
		for (size_t i = 0; i < parts[p].table->n_keys; i++)
			guess_offer(&guess, doc_scalar(key), parts[p].table->keys[i].name);
	return conf_error(d->c, doc_pos(key), d->err, "unknown key \"%.60s\" in %s%s%s%s",
			  doc_scalar(key), d->what, guess.best ? "; did you mean \"" : "",
			  guess.best ? guess.best : "", guess.best ? "\"?" : "");
}

static int check_known(const struct decode *d, const yaml_node_t *node,
		       const struct conf_part *parts, size_t n_parts)
{
	const yaml_node_pair_t *p = node->data.mapping.pairs.start;

	for (; p < node->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = doc_node(d->c, p->key);

		if (!key_known(parts, n_parts, doc_scalar(key)))
			return unknown_key(d, parts, n_parts, key);
	}
	return 0;
}

static int decode_part(struct decode *d, const yaml_node_t *node, const struct conf_part *part)
{
	memset(part->dest, 0, part->table->size);
	*(struct conf_pos *)part->dest = doc_pos(node);
	for (size_t i = 0; i < part->table->n_keys; i++) {
		const struct conf_key *k = &part->table->keys[i];
		const yaml_node_pair_t *p = find_pair(d->c, node, k->name);
		void *dest = (char *)part->dest + k->offset;

		d->key = k;
		if (!p && k->required)
			return conf_error(d->c, doc_pos(node), d->err, "%s has no \"%s\"", d->what,
					  k->name);
		if (p ? decode_value(d, doc_node(d->c, p->value), dest) : set_default(d, k, dest))
			return -1;
	}
	return 0;
}

static int decode_mapping(struct conf *c, const yaml_node_t *node, const struct conf_part *parts,
			  size_t n_parts, struct err *err)
{
	struct decode d = { c, err, parts[0].table->what, NULL };

	if (check_keys(&d, node, d.what) || check_known(&d, node, parts, n_parts))
		return -1;
	for (size_t p = 0; p < n_parts; p++)
		if (decode_part(&d, node, &parts[p]))
			return -1;
	return 0;
}

int conf_decode(struct conf *c, const struct conf_node *node, const struct conf_part *parts,
		size_t n, struct err *err)
{
	const yaml_node_t *n_yaml = node ? doc_node(c, node->id) : doc_root(c);

	return decode_mapping(c, n_yaml, parts, n, err);
}

struct conf_text conf_peek(struct conf *c, const struct conf_node *node, const char *key)
{
	struct conf_text text = { NULL, { 0, 0 } };
	const yaml_node_pair_t *p = find_pair(c, doc_node(c, node->id), key);
	const yaml_node_t *value = p ? doc_node(c, p->value) : NULL;

	if (!value || !doc_scalar(value))
		return text;
	text.s = conf_strdup(c, doc_scalar(value));
	text.pos = doc_pos(value);
	return text;
}
