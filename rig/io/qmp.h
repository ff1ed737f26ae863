/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine protocol: JSON lines over a stream, greeting, capabilities, then one command at a
 * time with events in between (docs/interop/qmp-spec in QEMU's tree). A monitor serves one client
 * at a time and lets a second one hang, so each QEMU gets a connected socket of its own.
 * Layer: io.
 */
#ifndef RIG_IO_QMP_H
#define RIG_IO_QMP_H

#include <jansson.h>

#include "base/deadline.h"

struct qmp;

/* fd: a connected stream socket, becomes the qmp's. */
struct qmp *qmp_new(int fd);
void qmp_free(struct qmp *q);

/*
 * All of these return 0; -ETIMEDOUT at the deadline, -EPIPE when QEMU is gone, -EPROTO for what is
 * no QMP, -EREMOTEIO when QEMU refused the command (qmp_error() has its words), -EINTR on a stop.
 */

/* Greeting and capabilities; once, before anything else. */
int qmp_greet(struct qmp *q, struct deadline d);

/*
 * args: a reference that is taken over, NULL = none. *ret (may be NULL) becomes a new reference to
 * what the command returned.
 */
int qmp_execute(struct qmp *q, const char *command, json_t *args, json_t **ret, struct deadline d);

/*
 * The next event of that name, also one that came while a command was executed. *event (may be
 * NULL) becomes a new reference. Events of other names stay queued.
 */
int qmp_event(struct qmp *q, const char *name, json_t **event, struct deadline d);

/* QEMU's words for the last -EREMOTEIO; "" if none. */
const char *qmp_error(const struct qmp *q);

#endif
