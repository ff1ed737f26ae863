/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.jsonl -> visits, steps, findings, faults. Inside import. */
#ifndef RESULTS_IMPORT_JOURNAL_H
#define RESULTS_IMPORT_JOURNAL_H

#include "results/import-json.h"

/* What the journal says about the session as a whole. */
struct journal_end {
	bool ended;	 /* session-end seen */
	int64_t last_ms; /* time of the last event */
};

/*
 * Reads the whole journal into r->s, which has its kernels already. A missing journal is an empty
 * one. 0, or -1 with r->err.
 */
int import_journal(struct reading *r, struct journal_end *end);

#endif
