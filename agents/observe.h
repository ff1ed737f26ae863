/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What watches a step while it runs: key observe, may repeat. It writes trace events to a buffer,
 * reads them when the step has ended, and sends metrics. Above trace.c.
 */
#ifndef AGENTS_OBSERVE_H
#define AGENTS_OBSERVE_H

struct step;
struct observers;

/*
 * Begins to watch; NULL when nothing is to be watched. What this machine cannot watch is noted; a
 * name that nobody knows ends the step.
 */
struct observers *observe_begin(struct step *s);

/* Ends it and sends metrics, also of a step that failed; NULL is fine. */
void observe_end(struct step *s, struct observers *o);

#endif
