/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket, $RIG_SOCKET or $RIG_HOME/rigd.sock: a stream of JSON objects, one a line, of
 * at most CONTROL_LINE_MAX bytes. Both ends' splitting of it, and the client's end as a blocking
 * one. Layer: rigd -> base.
 *
 *	-> {"op": "cancel", "job": 12}
 *	<- {"ok": true, "state": "running"}
 *	<- {"ok": false, "blame": "USER", "code": "no-job", "error": "no job 12"}
 *
 * One request is answered by one object, but for "watch", which first sends what happens:
 * {"event": {...}} for each line of the job's journal, {"state": ...} for each of its states.
 */
#ifndef RIG_RIGD_CONTROL_H
#define RIG_RIGD_CONTROL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/deadline.h"
#include "base/err.h"

#define CONTROL_LINE_MAX 65536

/* Directory and name of the socket; the caller frees both. */
void control_where(char **dir, char **name);

/*
 * Takes the first line out of what has come: 1 and a new *object; 0: it is not whole yet; -1 with
 * err (USER, code "protocol"): too long, not JSON, not an object. After -1 there is no going on.
 */
int control_take(struct buf *in, json_t **object, struct err *err);

/* Appends the object as a line. The reference is taken over. */
void control_put(struct buf *out, json_t *object);

/* {"ok": false, ...} of an error; control_error() is its inverse: 0 for an ok answer, else -1. */
json_t *control_failure(const struct err *err);
int control_error(const json_t *answer, struct err *err);

struct control;

/* Is there a daemon? Errors: RIG, code "no-daemon": nobody listens; USER, "denied". */
int control_open(struct control **out, struct err *err);
void control_close(struct control *c); /* NULL is fine */

/*
 * Sends the request, whose reference is taken over, and waits for its answer: 0 and a new *answer
 * that is ok (NULL: not wanted); -1 with err: what the daemon said, RIG "daemon-lost" when it went
 * away or did not answer, USER "cancelled" on a stop.
 */
int control_call(struct control *c, json_t *request, json_t **answer, struct err *err);

/* The same on a connection of its own. */
int control_ask(json_t *request, json_t **answer, struct err *err);

/* The next object of a watch; errors as above, and 1 at the deadline. */
int control_next(struct control *c, json_t **object, struct deadline d, struct err *err);

#endif
