/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a journal, events.jsonl: written by the job, and by whoever ends the run of a job that
 * died. Layer: conf (JSON, beside YAML).
 */
#ifndef RIG_CONF_EVENT_H
#define RIG_CONF_EVENT_H

#include <jansson.h>

/*
 * {"t": now, "mono_ms": now, "ev": name, ...fields} and a newline; the caller frees. The reference
 * to fields stays the caller's; NULL = none.
 */
char *event_line(const char *name, json_t *fields);

#endif
