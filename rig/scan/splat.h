/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One splat while it is read: from the row that opened it and the messages that follow to a
 * finding with title, call trace and guilty file. Inside of klog.h. Layer: scan.
 */
#ifndef RIG_SCAN_SPLAT_H
#define RIG_SCAN_SPLAT_H

#include <stdbool.h>

#include "scan/klog.h"
#include "scan/logline.h"
#include "scan/patterns.h"

/* How good the function of a title is. */
enum rank { RANK_NONE, RANK_GUESS, RANK_FRAME, RANK_SURE };

struct splat {
	bool open;
	bool reported; /* by klog_flush(); what follows is swallowed */
	bool ended;    /* "---[ end trace" was seen */
	bool framed;   /* a frame of its trace was seen */
	bool traced;   /* its first call trace is over */
	bool access;   /* "Read of size" was seen, or Write */
	const struct pattern *row;
	enum rank rank;
	unsigned int age;		   /* messages since it opened */
	unsigned int idle;		   /* messages in a row that are no part of it */
	char fallback[KLOG_FILE_MAX];	   /* the guilty file, if only generic ones are named */
	char fallback_func[KLOG_FUNC_MAX]; /* where it happened, if only generic code is named */
	struct klog_finding finding;
};

/* Begins a splat with a line that matched a row at `at`, inside msg. */
void splat_init(struct splat *s, const struct pattern *row, const struct logline *line,
		const struct logmsg *msg, const char *at);

/* A message in the course of a splat: is it one of its lines? */
bool splat_is_body(const struct logmsg *msg);

/* Takes a line of its body; again = the row that opened it has matched once more. */
void splat_extend(struct splat *s, const struct logline *line, const struct logmsg *msg,
		  bool again);

/* The finding as far as it is known. */
void splat_finding(const struct splat *s, struct klog_finding *f);

#endif
