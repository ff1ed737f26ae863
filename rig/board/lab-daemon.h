/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the lab file says to the daemon: its limits, under the key `daemon`. Layer: board. */
#ifndef RIG_BOARD_LAB_DAEMON_H
#define RIG_BOARD_LAB_DAEMON_H

#include "conf/conf.h"

struct lab_daemon {
	struct conf_pos pos;
	long disk_low_mb;     /* nothing starts that could leave less than this */
	long disk_reserve_mb; /* kept in a file, for results when the disk is full */
	long job_disk_mb;     /* what one job may write */
	long job_memory_mb;   /* of rig-job and its QEMU; 0 = no limit */
	long job_nice;	      /* of rig-job and what it starts */
	long compress_days;   /* console logs of runs older than that; 0 = never */
	long keep_days;	      /* run directories; 0 = for ever */
};

extern const struct conf_table lab_daemon_table;

#endif
