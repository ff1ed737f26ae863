/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity of a finding across boots and kernels: its kind, its normalised title and the top
 * of its call trace. With it a finding is new, known (the baseline shows it too) or gone.
 * Layer: scan -> base.
 *
 *	struct signature_set known = SIGNATURE_SET_INIT;
 *	signature_of(&finding, &s);
 *	signature_learn(&known, &s);		for each finding of the baseline
 *	signature_ask(&known, &s);		for each of the candidate: new or known
 *	signature_gone(&known, &at)		then: what only the baseline showed
 *	signature_set_release(&known);
 */
#ifndef RIG_SCAN_SIGNATURE_H
#define RIG_SCAN_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "scan/klog.h"

#define SIGNATURE_FRAMES  3
#define SIGNATURE_ID_SIZE 17   /* 16 hexadecimal digits and NUL */
#define SIGNATURE_SET_MAX 1024 /* what a set does not hold any more counts as new */

/* A value. */
struct signature {
	enum klog_kind kind;
	char title[KLOG_TITLE_MAX];
	unsigned int n_frames;
	char frames[SIGNATURE_FRAMES][KLOG_FRAME_MAX];
};

enum signature_state { SIGNATURE_NEW, SIGNATURE_KNOWN, SIGNATURE_GONE };

/*
 * A stall or a lockup is a sample of where a CPU happened to be: its function and its trace say
 * nothing, so all those of one kind are the same.
 */
void signature_of(const struct klog_finding *f, struct signature *s);

/*
 * Kind and title are equal, and so are the frames that both have: a trace that was cut, or torn
 * by another message, does not make a finding new.
 */
bool signature_same(const struct signature *a, const struct signature *b);

/* A short name for people and files; equal for equal signatures, on every machine. */
void signature_id(const struct signature *s, char id[SIGNATURE_ID_SIZE]);

struct signature_entry;

struct signature_set {
	struct signature_entry *entries;
	size_t n;
};

#define SIGNATURE_SET_INIT                                                                         \
	{                                                                                          \
		NULL, 0                                                                            \
	}

void signature_set_release(struct signature_set *set);

void signature_learn(struct signature_set *set, const struct signature *s);

/* SIGNATURE_NEW or SIGNATURE_KNOWN; a known one is no longer gone. */
enum signature_state signature_ask(struct signature_set *set, const struct signature *s);

/* The next one at or after *at (0 at first) that was learnt and never asked for; NULL = no more. */
const struct signature *signature_gone(const struct signature_set *set, size_t *at);

/* "new", "known", "gone". */
const char *signature_state_name(enum signature_state state);

#endif
