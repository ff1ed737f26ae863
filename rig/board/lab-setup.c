// SPDX-License-Identifier: GPL-2.0-or-later
/* The set-up of a board as text, out of the table that its lab row was read by. Layer: board. */
#include "board/lab.h"

#include <stdlib.h>

#include "base/buf.h"

static void put_key(struct buf *out, const struct conf_key *key, const void *own)
{
	const void *at = (const char *)own + key->offset;
	const char *text;

	switch (key->type) {
	case CONF_STR:
		text = *(const char *const *)at;
		if (text)
			buf_addf(out, "%s=%s\n", key->name, text);
		break;
	case CONF_INT:
		buf_addf(out, "%s=%ld\n", key->name, *(const long *)at);
		break;
	case CONF_NUM:
		buf_addf(out, "%s=%g\n", key->name, *(const double *)at);
		break;
	case CONF_BOOL:
		buf_addf(out, "%s=%s\n", key->name, *(const bool *)at ? "true" : "false");
		break;
	case CONF_ENUM:
		buf_addf(out, "%s=%s\n", key->name, key->words[*(const int *)at]);
		break;
	default: /* no board type has a list or a mapping among its keys */
		break;
	}
}

char *lab_board_setup(const struct lab_board *board)
{
	const struct conf_table *table = board->row->table;
	struct buf out = BUF_INIT;

	buf_addf(&out, "type=%s\n", board->type);
	for (size_t i = 0; table && i < table->n_keys; i++)
		put_key(&out, &table->keys[i], board->own);
	return buf_detach(&out);
}
