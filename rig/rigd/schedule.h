/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lab measures by itself: the rows of `schedule` in the lab file, board/lab-schedule.h.
 * When one is due, `rig nightly NAME` is started, which builds and queues: neither may hold up the
 * loop. When it was last due is in the audit trail (verb "schedule", object "schedule NAME"), so a
 * daemon that was down for a while makes up for what it missed, once. Layer: rigd.
 */
#ifndef RIG_RIGD_SCHEDULE_H
#define RIG_RIGD_SCHEDULE_H

struct daemon;
struct schedule;

/* After daemon.lab and daemon.memory are there. */
struct schedule *schedule_new(struct daemon *d);

/* Leaves what runs as it is. NULL is fine. */
void schedule_free(struct schedule *s);

/* After the lab file was read again, before the old one is freed. */
void schedule_follow_lab(struct schedule *s);

/* Starts what is due: called every second. */
void schedule_tick(struct schedule *s);

#endif
