// SPDX-License-Identifier: GPL-2.0-or-later
/* How a board is wired, as a file; see lab-state.h. Layer: board, inside. */
#include "board/lab-state.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

/* ---- writing ---- */

static json_t *table_json(const struct conf_table *table, const void *from, json_t *to);

static json_t *texts_json(const struct conf_texts *texts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < texts->n; i++)
		json_array_append_new(list, json_string(texts->items[i].s));
	return list;
}

static json_t *map_json(const struct conf_key *key, const void *at)
{
	if (!((const struct conf_pos *)at)->line)
		return NULL;
	return table_json(key->sub, at, json_object());
}

/* NULL: the key is absent. */
static json_t *key_json(const struct conf_key *key, const void *at)
{
	switch (key->type) {
	case CONF_STR:
		return *(const char *const *)at ? json_string(*(const char *const *)at) : NULL;
	case CONF_INT:
		/* a default may lie below what the file may say: 0 for "the board type's" */
		return *(const long *)at >= (long)key->min ? json_integer(*(const long *)at) : NULL;
	case CONF_NUM:
		return json_real(*(const double *)at);
	case CONF_BOOL:
		return json_boolean(*(const bool *)at);
	case CONF_ENUM:
		return json_string(key->words[*(const int *)at]);
	case CONF_TEXTS:
		return ((const struct conf_texts *)at)->n ? texts_json(at) : NULL;
	case CONF_MAP:
		return map_json(key, at);
	default: /* see lab-setup.c */
		return NULL;
	}
}

static json_t *table_json(const struct conf_table *table, const void *from, json_t *to)
{
	for (size_t i = 0; i < table->n_keys; i++) {
		const struct conf_key *key = &table->keys[i];
		json_t *value = key_json(key, (const char *)from + key->offset);

		if (value)
			json_object_set_new(to, key->name, value);
	}
	return to;
}

int lab_state_write(const char *path, const struct lab_board *b, struct err *err)
{
	json_t *all = json_pack("{s:s}", "name", b->name);
	char *text;
	int rc;

	if (b->row->keys)
		table_json(b->row->keys->table, b->own, all);
	if (b->row->more)
		table_json(b->row->more->table, b->more, all);
	text = json_dumps(all, JSON_INDENT(1));
	json_decref(all);
	rc = text ? path_write(path, text, strlen(text)) : -1;
	free(text);
	return rc ? err_sys(err, BLAME_RIG, "state-file", rc, "cannot write %s", path) : 0;
}

/* ---- reading ---- */

struct root {
	struct conf_pos pos;
	const char *name;
};

static const struct conf_key root_keys[] = {
	{ .name = "name",
	  .type = CONF_STR,
	  .offset = offsetof(struct root, name),
	  .required = true },
};

static const struct conf_table root_table = { "state file", root_keys, ARRAY_LEN(root_keys),
					      sizeof(struct root) };

static void *add_part(struct lab_state *s, const struct lab_keys *keys, struct conf_part *part)
{
	*part = (struct conf_part){ keys->table, conf_alloc(s->conf, keys->table->size) };
	return part->dest;
}

int lab_state_read(struct lab_state *s, const char *path, const struct lab_keys *own,
		   const struct lab_keys *more, struct err *err)
{
	struct root root = { .name = NULL };
	struct conf_part parts[3] = { { &root_table, &root } };
	size_t n = 1;

	*s = (struct lab_state)LAB_STATE_INIT;
	if (!path_exists(path))
		return 0;
	s->conf = conf_load(path, err);
	if (!s->conf)
		goto broken;
	if (own)
		s->board.own = add_part(s, own, &parts[n++]);
	if (more)
		s->board.more = add_part(s, more, &parts[n++]);
	if (conf_decode(s->conf, NULL, parts, n, err))
		goto broken;
	s->type = (struct lab_type){ "state", own, more, false };
	s->board.name = root.name;
	s->board.type = s->type.name;
	s->board.row = &s->type;
	return 0;
broken:
	lab_state_release(s);
	if (err) { /* not the user's file */
		err->blame = BLAME_RIG;
		snprintf(err->code, sizeof(err->code), "unsafe");
	}
	return -1;
}

void lab_state_release(struct lab_state *s)
{
	conf_free(s->conf);
	s->conf = NULL;
}
