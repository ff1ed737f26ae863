// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's limits in the lab file; see lab-daemon.h. Layer: board. */
#include "board/lab-daemon.h"

#include <stddef.h>

#define AT(member) .offset = offsetof(struct lab_daemon, member)

static const struct conf_key keys[] = {
	{ .name = "disk_low_mb",
	  .type = CONF_INT,
	  AT(disk_low_mb),
	  .def = "1024",
	  .min = 0,
	  .max = 10000000,
	  .unit = "MiB",
	  .help = "No job starts that could leave less than this on the disk of $RIG_HOME." },
	{ .name = "disk_reserve_mb",
	  .type = CONF_INT,
	  AT(disk_reserve_mb),
	  .def = "16",
	  .min = 0,
	  .max = 10000,
	  .unit = "MiB",
	  .help = "Size of a file that is given up when the disk is full all the same, so that a "
		  "result gets its row." },
	{ .name = "job_disk_mb",
	  .type = CONF_INT,
	  AT(job_disk_mb),
	  .def = "256",
	  .min = 1,
	  .max = 1000000,
	  .unit = "MiB",
	  .help = "What one job may write, counted for each that runs." },
	{ .name = "job_memory_mb",
	  .type = CONF_INT,
	  AT(job_memory_mb),
	  .def = "0",
	  .min = 0,
	  .max = 1000000,
	  .unit = "MiB",
	  .help = "Address space of each process of a job, its QEMU among them; 0 is no limit." },
	{ .name = "job_nice",
	  .type = CONF_INT,
	  AT(job_nice),
	  .def = "0",
	  .min = 0,
	  .max = 19,
	  .help = "How much the processes of a job give way to others." },
	{ .name = "compress_days",
	  .type = CONF_INT,
	  AT(compress_days),
	  .def = "7",
	  .min = 0,
	  .max = 10000,
	  .unit = "days",
	  .help = "Console logs of runs that are older are compressed (zstd); 0 is never." },
	{ .name = "keep_days",
	  .type = CONF_INT,
	  AT(keep_days),
	  .def = "0",
	  .min = 0,
	  .max = 10000,
	  .unit = "days",
	  .help = "Run directories that are older are removed, if they are stored; their rows stay. "
		  "0 is never." },
};

const struct conf_table lab_daemon_table = { "daemon", keys, ARRAY_LEN(keys),
					     sizeof(struct lab_daemon) };
