/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel logs of a session showed: its findings put together by signature and told apart.
 * Pure: rows in, classes out; the gate and every report use the same. Layer: results -> scan.
 *
 * Two findings are the same defect when their signatures are (scan/signature.h): kind, title and
 * those of the first frames of the call trace that both have. One without a trace, as in the rows
 * of an older rig, is compared by kind and title alone.
 *
 *	struct findings *f = findings_new(session);
 *	for (size_t i = 0; i < f->n; i++)
 *		if (findings_state(f, i, candidate) == FINDINGS_NEW) ...
 *	findings_free(f);
 */
#ifndef RESULTS_FINDINGS_H
#define RESULTS_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct session;
struct session_finding;
struct session_suppression;

enum findings_state {
	FINDINGS_ABSENT,     /* another kernel of the session shows it */
	FINDINGS_GONE,	     /* the baseline shows it, this candidate does not */
	FINDINGS_KNOWN,	     /* both show it */
	FINDINGS_SEEN,	     /* one shows it, and of the other no boot has ended well (yet) */
	FINDINGS_NEW,	     /* the candidate shows it, the baseline never */
	FINDINGS_SUPPRESSED, /* the lab passes it over, whoever shows it */
};

/* One kernel's share of a defect. Warm-up and control boots are boots. */
struct findings_seen {
	int boots;    /* of them show it */
	int first;    /* index of the first such visit; -1 = none */
	bool serious; /* above "notice" in one of them */
};

/* One defect. */
struct findings_item {
	const struct session_finding *finding; /* the fullest account of it; of equals the first */
	const struct session_suppression *suppression; /* the lab's row for it; NULL = none */
	bool expired; /* that row's last day was before the session: it has no effect */
	struct findings_seen *seen; /* of each kernel of the session */
};

struct findings {
	const struct session *session;
	struct findings_item *items; /* in order of their first visits */
	size_t n;
};

/* The session must outlive it. */
struct findings *findings_new(const struct session *s);
void findings_free(struct findings *f); /* NULL-safe */

/*
 * Item i as the candidate (index of a kernel, > 0) makes it; for kernel 0, of a session that
 * compares nothing, SEEN or SUPPRESSED.
 */
enum findings_state findings_state(const struct findings *f, size_t i, int candidate);

/* The worst state over all candidates, for a list that has one line for each defect. */
enum findings_state findings_overall(const struct findings *f, size_t i);

/* "absent", "gone", "known", "seen", "new", "suppressed". */
const char *findings_state_name(enum findings_state state);

/* Does it fail that candidate: new, and more than a notice? */
bool findings_fails(const struct findings *f, size_t i, int candidate);

/*
 * Appends where to look: "; guilty file drivers/usb/dwc3/gadget.c; call trace: a <- b <- c", with
 * at most `frames` functions; nothing when neither is known.
 */
void findings_where(const struct session_finding *finding, int frames, struct buf *out);

/* Appends the lab's words on it: "; suppressed until 2027-03-31: ..."; nothing without a row. */
void findings_why(const struct findings_item *item, struct buf *out);

#endif
