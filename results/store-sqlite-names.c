// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The row numbers of workloads and metrics, remembered: an import asks for one a sample, and a
 * query each time would cost as much as storing the sample. Rows of both tables are never changed
 * nor deleted; what a rolled back transaction had added is forgotten with all the rest. Layer:
 * results.
 */
#include "results/store-sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

struct names_entry {
	char *name; /* NULL = free */
	int64_t id;
};

/* FNV-1a */
static size_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	while (*s)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3ULL;
	return (size_t)(h ^ (h >> 32));
}

/* The entry of the name, or the free one where it belongs. cap is a power of two, never full. */
static struct names_entry *find(const struct names *names, const char *name)
{
	size_t i = hash(name) & (names->cap - 1);

	while (names->v[i].name && strcmp(names->v[i].name, name) != 0)
		i = (i + 1) & (names->cap - 1);
	return &names->v[i];
}

static void grow(struct names *names)
{
	struct names old = *names;

	names->cap = old.cap ? 2 * old.cap : 256;
	names->v = xcalloc(names->cap, sizeof(*names->v));
	for (size_t i = 0; i < old.cap; i++)
		if (old.v[i].name)
			*find(names, old.v[i].name) = old.v[i];
	free(old.v);
}

void names_release(struct names *names)
{
	for (size_t i = 0; i < names->cap; i++)
		free(names->v[i].name);
	free(names->v);
	*names = (struct names){ NULL, 0, 0 };
}

/* Asks the database, which makes the row if need be. */
static int64_t ask(struct store *st, const char *select, const char *insert, const char *name,
		   struct err *err)
{
	int64_t id;

	if (sql_int(st, err, &id, -1, select, "s", name) < 0)
		return -1;
	if (id >= 0)
		return id;
	if (sql_run(st, err, insert, "s", name) < 0)
		return -1;
	return sqlite3_last_insert_rowid(st->db);
}

static int64_t id_of(struct store *st, struct names *names, const char *select, const char *insert,
		     const char *name, struct err *err)
{
	struct names_entry *entry;
	int64_t id;

	if (2 * names->n >= names->cap)
		grow(names);
	entry = find(names, name);
	if (entry->name)
		return entry->id;
	id = ask(st, select, insert, name, err);
	if (id < 0)
		return -1;
	entry->name = xstrdup(name);
	entry->id = id;
	names->n++;
	return id;
}

int64_t sql_workload(struct store *st, const char *name, struct err *err)
{
	return id_of(st, &st->workloads, "SELECT id FROM workload WHERE name = ?",
		     "INSERT INTO workload (name) VALUES (?)", name, err);
}

int64_t sql_metric(struct store *st, const char *name, struct err *err)
{
	return id_of(st, &st->metrics, "SELECT id FROM metric WHERE name = ?",
		     "INSERT INTO metric (name) VALUES (?)", name, err);
}
