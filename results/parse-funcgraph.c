// SPDX-License-Identifier: GPL-2.0-or-later
/* ftrace's function profiler -> named numbers; see parse-funcgraph.h. Layer: results, pure. */
#include "results/parse-funcgraph.h"

#include <stdlib.h>

#include "base/buf.h"
#include "results/text.h"

#define FUNCTIONS_MAX 10000

struct function {
	char *name;
	uint64_t count;
	double total_us;
};

struct functions {
	struct function *v;
	size_t n;
};

static struct function *function_of(struct functions *all, struct text name)
{
	for (size_t i = 0; i < all->n; i++)
		if (text_is(name, all->v[i].name))
			return &all->v[i];
	if (all->n == FUNCTIONS_MAX)
		return NULL;
	all->v = xrealloc(all->v, (all->n + 1) * sizeof(*all->v));
	all->v[all->n] = (struct function){
		.name = xasprintf("%.*s", (int)text_size(name), name.p),
	};
	return &all->v[all->n++];
}

/* "usleep_range_state  1000  62810.540 us ..."; a kernel without the graph tracer prints no time.
 */
static void take_row(struct functions *all, struct text line)
{
	struct text name, hits, time, unit;
	struct function *f;
	uint64_t count;
	double us;

	if (!text_word(&line, &name) || !text_word(&line, &hits) || !text_u64(hits, &count) ||
	    !count || !text_word(&line, &time) || !text_double(time, &us) ||
	    !text_word(&line, &unit) || !text_is(unit, "us"))
		return;
	f = function_of(all, name);
	if (!f)
		return;
	f->count += count;
	f->total_us += us;
}

static void tell(const struct function *f, struct values *out)
{
	values_count(out, f->count, UNIT_COUNT, NULL, "%s.count", f->name);
	values_add(out, f->total_us * 1e3, UNIT_NS, "us", "%s.total_ns", f->name);
	values_add(out, f->total_us * 1e3 / (double)f->count, UNIT_NS, "us", "%s.mean_ns", f->name);
}

int funcgraph_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct text all = text_of(data, size), line;
	struct functions functions = { NULL, 0 };
	bool table = false;

	while (text_line(&all, &line)) {
		if (text_starts(line, "Function ") && text_find(line, "Hit"))
			table = true;
		else if (table)
			take_row(&functions, line);
	}
	for (size_t i = 0; i < functions.n; i++) {
		tell(&functions.v[i], out);
		free(functions.v[i].name);
	}
	free(functions.v);
	if (!table)
		return err_set(err, BLAME_TEST, "funcgraph-none", "no table of functions in it");
	if (!functions.n)
		return err_set(err, BLAME_TEST, "funcgraph-idle", "no function ran");
	return 0;
}
