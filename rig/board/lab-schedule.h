/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lab measures by itself, and when: the rows of `schedule` in the lab file. Layer: board.
 *
 *	schedule:
 *	- {name: nightly, at: "0 22 * * *", suite: ufs-irq, boards: [sm8650-1, "pixel*"],
 *	   tip: "stock:plain", base: "git:/srv/linux@origin/master", against: [last-good,
 *"id:22e2"]}
 *	- {name: noise, at: "0 12 * * 0", suite: ufs-irq, boards: "*", tip: "ufs-irq:original",
 *	   calibrate: true}
 */
#ifndef RIG_BOARD_LAB_SCHEDULE_H
#define RIG_BOARD_LAB_SCHEDULE_H

#include <stdbool.h>

#include "base/cron.h"
#include "board/lab.h"

#define LAB_SCHEDULE_MAX 50
#define LAB_LAST_GOOD	 "last-good"

struct lab_schedule {
	struct conf_pos pos;
	const char *name;
	struct conf_text at;
	const char *suite, *profile; /* profile NULL = the suite's own */
	struct conf_texts boards;    /* names, patterns of them, or types */
	const char *tip, *base;	     /* base NULL = the series' own */
	struct conf_texts against;   /* kernels, or LAB_LAST_GOOD; none = that */
	bool calibrate;		     /* the tip against itself, to learn the noise */
	long priority, deadline_h;
	struct cron cron;
};

extern const struct conf_table lab_schedule_table;

/* All rows: names given once, times that can be read, boards that there are. 0 or -1. */
int lab_schedule_check(const struct conf *c, const struct lab *lab, struct conf_list *rows,
		       struct err *err);

/* NULL past the end. */
const struct lab_schedule *lab_schedule(const struct lab *lab, size_t i);

/* By name; NULL with *err (USER). */
const struct lab_schedule *lab_schedule_find(const struct lab *lab, const char *name,
					     struct err *err);

/* Is the board one of those that are meant? */
bool lab_schedule_has(const struct lab_schedule *s, const struct lab_board *b);

#endif
