// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of printed numbers; see check-table.h. Layer: results, pure. */
#include "results/check-table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "results/check-names.h"
#include "results/csv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- equal strings are equal pointers; keys of sheets, blocks and rows -> what they are ---- */

struct names {
	json_t *texts;			/* the key is the text */
	json_t *sheets, *blocks, *rows; /* key -> index */
	struct block **all_blocks;
	struct row **all_rows;
	size_t n_blocks, n_rows;
	char *file;
};

static const char *intern(struct names *names, const char *text)
{
	if (!json_object_get(names->texts, text))
		json_object_set_new_nocheck(names->texts, text, json_true());
	return json_object_iter_key(json_object_iter_at(names->texts, text));
}

/* The number of this pair; a new one has the number `next`. */
static size_t number_of(json_t *map, const void *parent, const char *name, size_t next)
{
	char *key = xasprintf("%p %s", parent, name);
	json_t *known = json_object_get(map, key);
	size_t n = known ? (size_t)json_integer_value(known) : next;

	if (!known)
		json_object_set_new_nocheck(map, key, json_integer((json_int_t)n));
	free(key);
	return n;
}

static void *grow(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : xrealloc(array, (n ? 2 * n : 1) * size);
}

static struct sheet *sheet_of(struct check_table *t, const struct cell *c)
{
	size_t n = number_of(t->names->sheets, c->source, c->board, t->n_sheets);

	if (n == t->n_sheets) {
		t->sheets = grow(t->sheets, t->n_sheets, sizeof(struct sheet *));
		t->sheets[n] = xcalloc(1, sizeof(struct sheet));
		*t->sheets[n] = (struct sheet){ .source = c->source, .board = c->board };
		t->n_sheets++;
	}
	return t->sheets[n];
}

static struct block *block_of(struct check_table *t, const struct cell *c)
{
	struct sheet *sheet = sheet_of(t, c);
	struct names *names = t->names;
	size_t n = number_of(names->blocks, sheet, c->workload, names->n_blocks);
	struct block *b;
	char base[256];

	if (n < names->n_blocks)
		return names->all_blocks[n];
	b = xcalloc(1, sizeof(*b));
	*b = (struct block){ .sheet = sheet, .workload = c->workload };
	if (name_repetition(c->workload, base, sizeof(base)))
		b->repeated = intern(names, base);
	names->all_blocks = grow(names->all_blocks, names->n_blocks, sizeof(struct block *));
	names->all_blocks[names->n_blocks++] = b;
	sheet->blocks = grow(sheet->blocks, sheet->n, sizeof(struct block *));
	sheet->blocks[sheet->n++] = b;
	return b;
}

static struct row *row_of(struct check_table *t, const struct cell *c)
{
	struct block *b = block_of(t, c);
	struct names *names = t->names;
	size_t n = number_of(names->rows, b, c->metric, names->n_rows);
	struct row *r;

	if (n < names->n_rows)
		return names->all_rows[n];
	r = xcalloc(1, sizeof(*r));
	*r = (struct row){ .block = b, .metric = c->metric };
	names->all_rows = grow(names->all_rows, names->n_rows, sizeof(struct row *));
	names->all_rows[names->n_rows++] = r;
	b->rows = grow(b->rows, b->n, sizeof(struct row *));
	b->rows[b->n++] = r;
	return r;
}

static void place_cells(struct check_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct cell *c = &t->cells[i];
		struct row *r = row_of(t, c);

		r->cells = grow(r->cells, r->n, sizeof(struct cell *));
		r->cells[r->n++] = c;
		c->row = r;
	}
}

/* ---- columns ---- */

enum column { SOURCE, BOARD, WORKLOAD, VARIANT, METRIC, UNIT, VALUE, RUNS, NOTE, COLUMNS };

static const struct {
	const char *names[4];
	bool optional;
} columns[COLUMNS] = {
	[SOURCE] = { { "seed_file", "source", "file" }, false },
	[BOARD] = { { "board" }, false },
	[WORKLOAD] = { { "workload" }, false },
	[VARIANT] = { { "kernel_variant", "variant", "kernel" }, false },
	[METRIC] = { { "metric" }, false },
	[UNIT] = { { "unit" }, false },
	[VALUE] = { { "value" }, false },
	[RUNS] = { { "n_runs", "n", "runs" }, true },
	[NOTE] = { { "note", "notes" }, true },
};

static int column_named(const char *name)
{
	name += strspn(name, " \t");
	for (int i = 0; i < COLUMNS; i++) {
		for (size_t k = 0; k < 4 && columns[i].names[k]; k++) {
			size_t n = strlen(columns[i].names[k]);

			if (!strncasecmp(name, columns[i].names[k], n) &&
			    !name[n + strspn(name + n, " \t")])
				return i;
		}
	}
	return -1;
}

/* where[column] = its place in a row, -1 = not there. */
static int read_header(struct csv *csv, int where[COLUMNS], struct err *err)
{
	int rc = csv_next(csv, err);

	for (int i = 0; i < COLUMNS; i++)
		where[i] = -1;
	if (rc <= 0)
		return rc < 0 ? -1
			      : err_set(err, BLAME_USER, "bad-csv", "%s:1:1: the file is empty",
					csv->file);
	for (size_t i = 0; i < csv->n; i++) {
		int column = column_named(csv->fields[i].text);

		if (column >= 0 && where[column] >= 0)
			return err_set(err, BLAME_USER, "bad-csv",
				       "%s:%zu:%zu: a second column '%.40s'", csv->file,
				       csv->fields[i].line, csv->fields[i].column,
				       csv->fields[i].text);
		if (column >= 0)
			where[column] = (int)i;
	}
	for (int i = 0; i < COLUMNS; i++)
		if (where[i] < 0 && !columns[i].optional)
			return err_set(err, BLAME_USER, "bad-csv", "%s:1:1: no column '%s'",
				       csv->file, columns[i].names[0]);
	return 0;
}

bool check_table_is(const char *data, size_t size)
{
	struct csv csv;
	int where[COLUMNS];
	bool is;

	csv_init(&csv, "", data, size);
	is = read_header(&csv, where, NULL) == 0;
	csv_release(&csv);
	return is;
}

/* ---- cells ---- */

static const char *field(const struct csv *csv, const int where[COLUMNS], enum column column)
{
	return where[column] < 0 ? "" : csv->fields[where[column]].text;
}

/* "5", "8x5", "" -> parts and runs. */
static int read_runs(const struct csv *csv, const int where[COLUMNS], struct cell *c,
		     struct err *err)
{
	const char *text = field(csv, where, RUNS);
	char *end;
	long n = strtol(text, &end, 10);
	long m = -1;

	c->parts = 1;
	c->runs = 0;
	if (!text[strspn(text, " \t-?")])
		return 0;
	if (end != text && (*end == 'x' || *end == '*')) {
		m = n;
		text = end + 1;
		n = strtol(text, &end, 10);
	}
	if (end == text || end[strspn(end, " \t")] || n < 0 || n > 1000000000 || m > 1000000)
		return err_set(err, BLAME_USER, "bad-csv",
			       "%s:%zu:%zu: '%.40s' is no number of runs", csv->file,
			       csv->fields[where[RUNS]].line, csv->fields[where[RUNS]].column,
			       field(csv, where, RUNS));
	c->runs = (int)n;
	if (m > 0)
		c->parts = (int)m;
	return 0;
}

static bool is_claim(const char *note)
{
	static const char *const words[] = { "prose", "claim", "claimed", "claims", "text" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (name_has_word(note, words[i]))
			return true;
	return false;
}

static void read_number(struct cell *c)
{
	c->known = unit_find(c->unit);
	c->factor = c->known ? c->known->factor : 1;
	if (!number_parse(c->printed, &c->number)) {
		c->kind = CELL_EMPTY;
		c->number.value = NAN;
	}
}

static int read_cell(struct check_table *t, const struct csv *csv, const int where[COLUMNS],
		     struct err *err)
{
	struct cell c = { .line = csv->fields[0].line };
	const struct {
		enum column column;
		const char **text;
	} texts[] = {
		{ SOURCE, &c.source },	 { BOARD, &c.board },	{ WORKLOAD, &c.workload },
		{ VARIANT, &c.variant }, { METRIC, &c.metric }, { UNIT, &c.unit },
		{ VALUE, &c.printed },	 { NOTE, &c.note },
	};

	for (int i = 0; i < COLUMNS; i++)
		if (where[i] >= (int)csv->n && (i == VALUE || !columns[i].optional))
			return err_set(err, BLAME_USER, "bad-csv",
				       "%s:%zu:%zu: %zu fields, no '%s' among them", csv->file,
				       csv->fields[csv->n - 1].line, csv->fields[csv->n - 1].column,
				       csv->n, columns[i].names[0]);
	for (size_t i = 0; i < COUNT(texts); i++) {
		bool there = where[texts[i].column] < (int)csv->n;

		*texts[i].text = intern(t->names, there ? field(csv, where, texts[i].column) : "");
	}
	c.column = csv->fields[where[VALUE]].column;
	c.claim = is_claim(c.note);
	if (where[RUNS] < (int)csv->n && read_runs(csv, where, &c, err) < 0)
		return -1;
	read_number(&c);
	t->cells = grow(t->cells, t->n, sizeof(*t->cells));
	t->cells[t->n++] = c;
	return 0;
}

/* ---- which cells are of what kind ---- */

static bool has_metric(const struct check_table *t, const char *source, const char *metric)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->cells[i].source == source && !strcmp(t->cells[i].metric, metric))
			return true;
	return false;
}

static bool is_mean(const struct check_table *t, const struct cell *c)
{
	static const char *const suffixes[] = { "_mean", "_avg", "_average" };
	size_t n = strlen(c->metric);

	if (c->parts == 1 && !name_has_word(c->workload, "all") &&
	    !name_has_word(c->workload, "overall") && !name_has_word(c->workload, "mean"))
		return false;
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		size_t m = strlen(suffixes[i]);
		char base[128];

		if (n <= m || n - m >= sizeof(base) ||
		    strcasecmp(c->metric + n - m, suffixes[i]) != 0)
			continue;
		memcpy(base, c->metric, n - m);
		base[n - m] = '\0';
		if (has_metric(t, c->source, base))
			return true;
	}
	return c->parts > 1;
}

static void classify(struct check_table *t)
{
	char a[128];
	char b[128];

	for (size_t i = 0; i < t->n; i++) {
		struct cell *c = &t->cells[i];

		if (c->kind == CELL_EMPTY)
			continue;
		if (name_sides(c->variant, a, b, sizeof(a)) ||
		    name_delta_base(c->metric, a, sizeof(a)))
			c->kind = CELL_DELTA;
		else if (is_mean(t, c))
			c->kind = CELL_MEAN;
	}
}

/* "1,234" beside 1187 and 1302 is 1234. */
static void resolve_commas(struct row *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct number *n = &r->cells[i]->number;
		double off = 0;

		if (!n->ambiguous)
			continue;
		for (size_t k = 0; k < r->n; k++) {
			const struct number *other = &r->cells[k]->number;

			if (!other->comma && other->value * n->value > 0)
				off += log(other->value / n->value) > log(1000.0) / 2 ? 1 : -1;
		}
		if (off > 0) {
			n->value *= 1000;
			n->ulp *= 1000;
			n->decimals = 0;
		}
	}
}

struct check_table *check_table_read(const char *file, const char *data, size_t size,
				     struct err *err)
{
	struct check_table *t = xcalloc(1, sizeof(*t));
	int where[COLUMNS];
	struct csv csv;
	int rc;

	t->names = xcalloc(1, sizeof(*t->names));
	t->names->texts = json_object();
	t->names->sheets = json_object();
	t->names->blocks = json_object();
	t->names->rows = json_object();
	t->file = t->names->file = xstrdup(file);
	csv_init(&csv, file, data, size);
	rc = read_header(&csv, where, err);
	while (!rc && (rc = csv_next(&csv, err)) == 1) {
		rc = t->n < CHECK_CELLS_MAX
			     ? read_cell(t, &csv, where, err)
			     : err_set(err, BLAME_USER, "bad-csv", "%s:%zu:1: more than %d rows",
				       file, csv.line - 1, CHECK_CELLS_MAX);
	}
	csv_release(&csv);
	if (rc < 0) {
		check_table_free(t);
		return NULL;
	}
	classify(t);
	place_cells(t);
	for (size_t i = 0; i < t->names->n_rows; i++)
		resolve_commas(t->names->all_rows[i]);
	return t;
}

void check_table_free(struct check_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->names->n_rows; i++) {
		free(t->names->all_rows[i]->cells);
		free(t->names->all_rows[i]);
	}
	for (size_t i = 0; i < t->names->n_blocks; i++) {
		free(t->names->all_blocks[i]->rows);
		free(t->names->all_blocks[i]);
	}
	for (size_t i = 0; i < t->n_sheets; i++) {
		free(t->sheets[i]->blocks);
		free(t->sheets[i]);
	}
	free(t->names->all_rows);
	free(t->names->all_blocks);
	json_decref(t->names->texts);
	json_decref(t->names->sheets);
	json_decref(t->names->blocks);
	json_decref(t->names->rows);
	free(t->names->file);
	free(t->names);
	free(t->sheets);
	free(t->cells);
	free(t);
}

/* ---- looking at it ---- */

const struct row *block_row(const struct block *b, const char *metric)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->rows[i]->metric, metric))
			return b->rows[i];
	return NULL;
}

bool cell_counts(const struct cell *c)
{
	return c->kind == CELL_MEASURED && !c->claim;
}

struct cell *row_cell(const struct row *r, const char *variant)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (cell_counts(r->cells[i]) && !strcmp(r->cells[i]->variant, variant))
			return r->cells[i];
	return NULL;
}

double cell_value(const struct cell *c)
{
	return c->factor * c->number.value;
}

double cell_slack(const struct cell *c)
{
	return c->factor * c->number.ulp / 2;
}
