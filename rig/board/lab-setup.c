// SPDX-License-Identifier: GPL-2.0-or-later
/* The set-up of a board as text, out of the table that its lab row was read by. Layer: board. */
#include "board/lab.h"

#include <stdlib.h>

#include "base/buf.h"

static void put_table(struct buf *out, const struct conf_table *table, const void *own,
		      const char *prefix);

static void put_texts(struct buf *out, const struct conf_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++)
		buf_addf(out, "%s%s", i ? " " : "", texts->items[i].s);
}

static void put_map(struct buf *out, const struct conf_key *key, const void *at, const char *prefix)
{
	char *inner = xasprintf("%s%s.", prefix, key->name);

	if (((const struct conf_pos *)at)->line)
		put_table(out, key->sub, at, inner);
	free(inner);
}

static bool is_absent(const struct conf_key *key, const void *at)
{
	if (key->type == CONF_TEXTS)
		return !((const struct conf_texts *)at)->n;
	return key->type == CONF_STR && !*(const char *const *)at;
}

static void put_key(struct buf *out, const struct conf_key *key, const void *own,
		    const char *prefix)
{
	const void *at = (const char *)own + key->offset;

	if (key->type == CONF_MAP) {
		put_map(out, key, at, prefix);
		return;
	}
	if (is_absent(key, at))
		return;
	buf_addf(out, "%s%s=", prefix, key->name);
	switch (key->type) {
	case CONF_STR:
		buf_adds(out, *(const char *const *)at);
		break;
	case CONF_INT:
		buf_addf(out, "%ld", *(const long *)at);
		break;
	case CONF_NUM:
		buf_addf(out, "%g", *(const double *)at);
		break;
	case CONF_BOOL:
		buf_adds(out, *(const bool *)at ? "true" : "false");
		break;
	case CONF_ENUM:
		buf_adds(out, key->words[*(const int *)at]);
		break;
	case CONF_TEXTS:
		put_texts(out, at);
		break;
	default: /* no board type has such keys; test_lab looks at all of them */
		break;
	}
	buf_adds(out, "\n");
}

static void put_table(struct buf *out, const struct conf_table *table, const void *own,
		      const char *prefix)
{
	for (size_t i = 0; i < table->n_keys; i++)
		put_key(out, &table->keys[i], own, prefix);
}

char *lab_board_setup(const struct lab_board *board)
{
	struct buf out = BUF_INIT;

	buf_addf(&out, "type=%s\n", board->type);
	if (board->row->keys)
		put_table(&out, board->row->keys->table, board->own, "");
	if (board->row->more)
		put_table(&out, board->row->more->table, board->more, "");
	/* a system that is not the rig's has other services running */
	if (board->agent.start == LAB_AGENT_SHELL)
		buf_adds(&out, "agent.start=shell\n");
	return buf_detach(&out);
}
