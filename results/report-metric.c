// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and units of metrics in reports; see report-metric.h. Layer: results, pure. */
#include "results/report-metric.h"

#include <stddef.h>
#include <string.h>

const struct report_metric report_metrics[] = {
	{ "iops_min", "min IOPS", "IOPS", 1, 2 },
	{ "iops_max", "max IOPS", "IOPS", 1, 2 },
	{ "iops_avg", "avg IOPS", "IOPS", 1, 2 },
	{ "iops", "IOPS", "IOPS", 1, 2 },
	{ "iops_stddev", "IOPS stddev", "IOPS", 1, 2 },
	{ "usr_cpu", "cpu % usr", "%", 1, 2 },
	{ "sys_cpu", "cpu % sys", "%", 1, 2 },
	{ "tx.bw_bytes", "tx MB/s", "MB/s", 1e-6, 2 },
	{ "rx.bw_bytes", "rx MB/s", "MB/s", 1e-6, 2 },
	{ "bw_bytes", "bw MB/s", "MB/s", 1e-6, 2 },
	{ "bw_bytes_min", "slowest MB/s", "MB/s", 1e-6, 2 },
	{ "bw_bytes_max", "fastest MB/s", "MB/s", 1e-6, 2 },
	{ "lat_ns.mean", "lat us", "us", 1e-3, 2 },
	{ "clat_ns.mean", "clat us", "us", 1e-3, 2 },
	{ "clat_ns.p50", "clat p50 us", "us", 1e-3, 2 },
	{ "clat_ns.p99", "clat p99 us", "us", 1e-3, 2 },
	{ "clat_ns.p999", "p99.9 us", "us", 1e-3, 2 },
	{ "ctx", "ctx switches", "", 1, 0 },
	{ "xhci_hcd.mean_ns", "irq mean us", "us", 1e-3, 2 },
	{ "xhci_hcd.p99_ns", "irq p99 us", "us", 1e-3, 2 },
	{ "xhci_hcd.max_ns", "irq max us", "us", 1e-3, 2 },
	{ "xhci_hcd.count", "irqs", "", 1, 0 },
	{ "xhci_hcd.share", "irq cpu %", "%", 1, 2 },
	{ "TASKLET.mean_ns", "tasklet us", "us", 1e-3, 2 },
	{ "TASKLET.share", "tasklet cpu%", "%", 1, 2 },
	{ "HI.mean_ns", "hi us", "us", 1e-3, 2 },
	{ "HI.share", "hi cpu %", "%", 1, 2 },
	{ "access.mean_ns", "access us", "us", 1e-3, 2 },
	{ "access.max_ns", "acc. max us", "us", 1e-3, 2 },
	{ "jitter_ns", "jitter us", "us", 1e-3, 2 },
	{ "enumerate_ns", "enumerate ms", "ms", 1e-6, 1 },
	{ "missed_service", "missed", "", 1, 0 },
	{ "buffer_overrun", "buf overrun", "", 1, 0 },
	{ "bandwidth_overrun", "bw overrun", "", 1, 0 },
	{ "mean_ns", "mean us", "us", 1e-3, 2 },
	{ "p50_ns", "p50 us", "us", 1e-3, 2 },
	{ "p99_ns", "p99 us", "us", 1e-3, 2 },
	{ "max_ns", "max us", "us", 1e-3, 2 },
	{ "first_ns", "first us", "us", 1e-3, 2 },
	{ "ready.uptime_ns", "ready up ms", "ms", 1e-6, 1 },
	{ "ready.time_ns", "ready ms", "ms", 1e-6, 1 },
	{ "userspace.uptime_ns", "user up ms", "ms", 1e-6, 1 },
	{ "userspace.time_ns", "user ms", "ms", 1e-6, 1 },
	{ "kernel.time_ns", "kernel ms", "ms", 1e-6, 1 },
	{ "bootloader.time_ns", "loader ms", "ms", 1e-6, 1 },
	{ "match.rate", "match irq/s", "1/s", 1, 2 },
	{ "total.rate", "irqs/s", "1/s", 1, 2 },
	{ .name = NULL },
};

const struct report_metric *report_metric_find(const char *metric)
{
	size_t n = strlen(metric);

	for (const struct report_metric *row = report_metrics; row->name; row++) {
		size_t m = strlen(row->name);

		if (n >= m && !strcmp(metric + n - m, row->name) &&
		    (n == m || metric[n - m - 1] == '.'))
			return row;
	}
	return NULL;
}
