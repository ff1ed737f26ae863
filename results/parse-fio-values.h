/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any output of fio (JSON, terse, the text for people) -> named numbers, job by job. For the
 * metrics of a step, summed over its jobs, see fio_metrics(). Layer: results, pure.
 *
 * Names, J being the name of the job, D read, write, trim or mixed:
 *	J.D.iops  .iops_avg .iops_min .iops_max .iops_stddev	IOPS
 *	J.D.bw_bytes						bytes/s
 *	J.D.io_bytes						bytes
 *	J.D.total_ios						count
 *	J.D.runtime_ns						ns
 *	J.D.lat_ns.mean .p50 .p99 .p999, J.D.clat_ns.mean ...	ns
 *	J.usr_cpu J.sys_cpu					%
 *	J.ctx							count
 * A direction that the document has but that did no I/O keeps the zeros that fio printed.
 */
#ifndef RESULTS_PARSE_FIO_VALUES_H
#define RESULTS_PARSE_FIO_VALUES_H

#include "results/parse-fio.h"
#include "results/parse.h"

/* parse_fn. -1: codes of fio_parse(), "fio-error" for a job that failed, "fio-idle" for no I/O. */
int fio_parse_values(const char *data, size_t size, struct values *out, struct err *err);

#endif
