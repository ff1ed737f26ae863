// SPDX-License-Identifier: GPL-2.0-or-later
/* A board on loan from the daemon; see borrow.h. Layer: cli. */
#include "cli/borrow.h"
#include "base/log.h"
#include "rigd/control.h"

#include <string.h>

/* Twice the time between two renewals, and a little: a command that dies gives it back soon. */
#define TTL_S 150

int borrow_board(struct borrow *b, const char *board, const char *reason, struct err *err)
{
	json_t *answer = NULL;
	int rc = control_ask(json_pack("{s:s, s:s, s:s, s:i}", "op", "lease", "board", board,
				       "reason", reason, "ttl_s", TTL_S),
			     &answer, err);

	b->lease = rc ? 0 : json_integer_value(json_object_get(answer, "lease"));
	json_decref(answer);
	if (rc && (!strcmp(err->code, "no-daemon") || !strcmp(err->code, "unknown-board"))) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	return rc ? err_prefix(err, "`rig submit` waits for its turn") : 0;
}

void borrow_renew(void *ctx)
{
	struct borrow *b = ctx;
	struct err err = ERR_INIT;

	/* a daemon that is away for a moment finds the lease in its store, and the board locked */
	if (b->lease &&
	    control_ask(json_pack("{s:s, s:I}", "op", "renew", "lease", (json_int_t)b->lease), NULL,
			&err))
		log_warn("%s", err.message);
}

void borrow_return(struct borrow *b)
{
	struct err err = ERR_INIT;

	if (b->lease)
		control_ask(json_pack("{s:s, s:I}", "op", "release", "lease", (json_int_t)b->lease),
			    NULL, &err);
	b->lease = 0;
}
