/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * YAML files decoded by const tables. Suites and the lab file use it. Layer: base (a library of
 * its own beside rig/base, because it needs libyaml); wraps libyaml's document API, whose nodes
 * know their line and column.
 *
 * One table describes one kind of mapping ("workload"), one row one key of it: name, type, where
 * the value goes, limits, default, help. The row drives parsing, defaults, limits, the messages
 * and the man pages. Every complaint has the form
 *
 *	suites/ufs-irq.yaml:12:5: unknown key "runtme" in workload; did you mean "runtime"?
 *
 * with blame USER and code "config". Not accepted, each with a message: several documents,
 * duplicate keys, merge keys (<<), tags, null values, files over CONF_MAX_BYTES. Anchors and
 * aliases are fine; what they expand to is bounded.
 *
 *	struct point { long x; const char *name; };
 *	static const struct conf_key keys[] = {
 *		{ .name = "x", .type = CONF_INT, .offset = offsetof(struct point, x),
 *		  .required = true, .min = 0, .max = 99, .help = "..." },
 *		...
 *	};
 *	static const struct conf_table table = { "point", keys, ARRAY_LEN(keys), sizeof(...) };
 */
#ifndef RIG_CONF_CONF_H
#define RIG_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CONF_MAX_BYTES (1024 * 1024)

#ifndef ARRAY_LEN
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* A place in the file, both counted from 1; line 0 = nowhere (the value is a default). */
struct conf_pos {
	int line;
	int column;
};

/* A string that remembers where it came from, for complaints about its contents. */
struct conf_text {
	const char *s; /* NULL when the key is absent and has no default */
	struct conf_pos pos;
};

struct conf_texts {
	struct conf_text *items;
	size_t n;
};

/* A mapping whose keys the author of the file chooses; each value is one string or several. */
struct conf_pair {
	struct conf_text name;
	struct conf_texts values;
	bool is_list; /* written as a list, even when it has one element */
};

struct conf_pairs {
	struct conf_pair *items;
	size_t n;
};

/* A list of mappings of one table: items is an array of n structs of table->size bytes. */
struct conf_list {
	void *items;
	size_t n;
};

/* A node not decoded yet, for values whose table depends on another key; see conf_decode(). */
struct conf_node {
	int id; /* 0 = absent */
	struct conf_pos pos;
};

enum conf_type {
	CONF_STR,   /* const char *          scalar; min/max limit its length when max > 0 */
	CONF_TEXT,  /* struct conf_text      the same with its place */
	CONF_TEXTS, /* struct conf_texts     list of scalars, or one scalar; min/max = how many */
	CONF_INT,   /* long                  decimal; min..max */
	CONF_NUM,   /* double                min..max; "5%" is 0.05 */
	CONF_BOOL,  /* bool                  true false yes no on off */
	CONF_ENUM,  /* int                   index in words[] */
	CONF_PAIRS, /* struct conf_pairs     mapping with free keys; min/max = how many */
	CONF_MAP,   /* the struct of `sub`   nested mapping, in place */
	CONF_LIST,  /* struct conf_list      list of mappings of `sub`; min/max = how many */
	CONF_NODES, /* struct conf_list of struct conf_node: list of undecoded mappings */
};

struct buf;
struct conf_table;

struct conf_key {
	const char *name;
	enum conf_type type;
	size_t offset; /* of the value in the table's struct */
	bool required;
	const char *def;	  /* default, written as in the file; CONF_TEXTS: comma-separated */
	double min, max;	  /* see conf_type; no limit when both are 0 */
	const char *const *words; /* CONF_ENUM: NULL-terminated */
	const struct conf_table *sub; /* CONF_MAP, CONF_LIST */
	const char *unit;	      /* for messages and the manual; may be NULL */
	const char *help;	      /* one sentence for the manual */
};

struct conf_table {
	const char *what; /* "workload": in messages and as heading of the manual */
	const struct conf_key *keys;
	size_t n_keys;
	size_t size; /* of the struct the offsets are in; it must start with a struct conf_pos */
};

/* One open file. All decoded strings and arrays belong to it and live until conf_free(). */
struct conf;

/* Reads and parses a file. NULL and *err on failure. Messages show the path as given. */
struct conf *conf_load(const char *path, struct err *err);

/* Only the bytes, for those who need them as well (a hash). 0, or -1 with the same errors. */
int conf_read(const char *path, struct buf *text, struct err *err);

/* The same as conf_load() for text in memory; name stands for the path in messages. */
struct conf *conf_parse(const char *name, const char *text, size_t size, struct err *err);

void conf_free(struct conf *c);

/* Where a table's struct lies: the target of decoding. */
struct conf_part {
	const struct conf_table *table;
	void *dest; /* table->size bytes; overwritten */
};

/*
 * Decodes the mapping `node` (NULL = the root of the document) into n parts: the keys of all
 * their tables are allowed in the mapping. The first table names the mapping in messages.
 * 0, or -1 with *err. Must not be called with tables that share a key name.
 */
int conf_decode(struct conf *c, const struct conf_node *node, const struct conf_part *parts,
		size_t n, struct err *err);

/*
 * The scalar under `key` of a mapping that is not decoded yet (its type, say); .s is NULL when
 * it is absent or no scalar.
 */
struct conf_text conf_peek(struct conf *c, const struct conf_node *node, const char *key);

/* Fills the struct with the table's defaults; what has none is zero. For use without a file. */
void conf_defaults(struct conf *c, const struct conf_table *table, void *dest);

/* An empty document to hold defaults, for when there is no file. */
struct conf *conf_empty(const char *name);

/* Fills err with "path:line:column: message"; returns -1. */
int conf_error(const struct conf *c, struct conf_pos pos, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Memory that lives as long as the document: zeroed bytes, a copy of a string. */
void *conf_alloc(struct conf *c, size_t size);
const char *conf_strdup(struct conf *c, const char *s);

#endif
