// SPDX-License-Identifier: GPL-2.0-or-later
/* What must be equal for numbers of two sessions to go together; see setup.h. Layer: results. */
#include "results/setup.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/fingerprint.h"
#include "results/session.h"

struct setup setup_of(const struct session *s)
{
	return (struct setup){
		.serial = s->serial,
		.model = s->model,
		.host = s->host,
		.suite = s->suite,
		.profile = s->profile,
		.suite_hash = s->suite_hash,
		.lab = s->setup,
		.print = "",
	};
}

/* Without the agent: see setup.h. */
static char *dump(const struct fingerprint *f)
{
	char *all = fingerprint_dump(f);
	json_t *root = json_loads(all, 0, NULL);
	char *text;

	json_object_del(root, "tools.agent");
	text = json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(root);
	free(all);
	return text;
}

char *setup_print(const struct session *s)
{
	struct fingerprint *f = NULL;
	char *text;

	for (size_t i = 0; i < s->n_visits && !f; i++) {
		const struct session_visit *v = &s->visits[i];

		if (!v->kernel && v->pair >= 1)
			f = fingerprint_new(v->fingerprint, s->kernels[0].cmdline);
	}
	text = f ? dump(f) : xstrdup("");
	fingerprint_free(f);
	return text;
}

/* ---- comparing ---- */

/* A text that need not end with NUL; size -1 = there is none. */
struct part {
	const char *text;
	int size;
};

static bool same_part(struct part a, struct part b)
{
	return a.size == b.size && (a.size <= 0 || !memcmp(a.text, b.text, (size_t)a.size));
}

static void put_part(struct buf *why, struct part p)
{
	if (p.size < 0)
		buf_adds(why, "(not there)");
	else
		buf_addf(why, "%.*s", p.size > 120 ? 120 : p.size, p.text);
}

static void differ(struct buf *why, struct part key, struct part a, struct part b)
{
	if (same_part(a, b))
		return;
	buf_addf(why, "%s%.*s: ", why->size ? "; " : "", key.size, key.text);
	put_part(why, a);
	buf_adds(why, " / ");
	put_part(why, b);
}

static struct part whole(const char *text)
{
	return (struct part){ text, (int)strlen(text) };
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static struct part key_of(const char *line)
{
	return (struct part){ line, (int)strcspn(line, "=\n") };
}

static struct part value_of(const char *lines, struct part key)
{
	for (; *lines; lines = next_line(lines))
		if (same_part(key_of(lines), key) && lines[key.size] == '=')
			return (struct part){ lines + key.size + 1,
					      (int)strcspn(lines + key.size + 1, "\n") };
	return (struct part){ NULL, -1 };
}

static void diff_lab(const char *a, const char *b, struct buf *why)
{
	for (const char *line = a; *line; line = next_line(line))
		differ(why, key_of(line), value_of(a, key_of(line)), value_of(b, key_of(line)));
	for (const char *line = b; *line; line = next_line(line))
		if (value_of(a, key_of(line)).size < 0)
			differ(why, key_of(line), value_of(a, key_of(line)),
			       value_of(b, key_of(line)));
}

static void diff_prints(const char *a, const char *b, struct buf *why)
{
	struct fingerprint *x = fingerprint_new(a, "");
	struct fingerprint *y = fingerprint_new(b, "");
	struct buf diff = BUF_INIT;

	if (!x != !y)
		differ(why, whole("fingerprint"), whole(x ? "taken" : "none"),
		       whole(y ? "taken" : "none"));
	else if (x && fingerprint_diff(x, y, &diff))
		buf_addf(why, "%s%s", why->size ? "; " : "", buf_str(&diff));
	buf_release(&diff);
	fingerprint_free(x);
	fingerprint_free(y);
}

bool setup_same(const struct setup *a, const struct setup *b, struct buf *why)
{
	struct buf diff = BUF_INIT;
	bool same;

	differ(&diff, whole("serial"), whole(a->serial), whole(b->serial));
	differ(&diff, whole("model"), whole(a->model), whole(b->model));
	differ(&diff, whole("host"), whole(a->host), whole(b->host));
	differ(&diff, whole("suite"), whole(a->suite), whole(b->suite));
	differ(&diff, whole("profile"), whole(a->profile), whole(b->profile));
	if (strcmp(a->suite_hash, b->suite_hash) != 0)
		buf_addf(&diff, "%sthe suite file has changed (%.12s / %.12s)",
			 diff.size ? "; " : "", a->suite_hash, b->suite_hash);
	diff_lab(a->lab, b->lab, &diff);
	diff_prints(a->print, b->print, &diff);
	same = !diff.size;
	buf_adds(why, buf_str(&diff));
	buf_release(&diff);
	return same;
}
