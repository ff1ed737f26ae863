// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of step kinds and their metrics; see step.h. Layer: suite. */
#include "suite/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "conf/conf.h"

static const char *const dirs[] = { "read", "write", "trim" };

#define DIR_MARK  "{dir}"
#define NAME_MARK "{name}"

/* What {name} may stand for: names of interrupts, softirqs and functions. */
#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:-"

static const struct step_metric fio_metrics[] = {
	{ "{dir}.iops", "IOPS", "higher", "I/Os completed over the run time" },
	{ "{dir}.iops_min", "IOPS", "higher", "lowest sample of fio's IOPS" },
	{ "{dir}.iops_max", "IOPS", "higher", "highest sample of fio's IOPS" },
	{ "{dir}.iops_avg", "IOPS", "higher", "mean of fio's IOPS samples" },
	{ "{dir}.bw_bytes", "B/s", "higher", "bytes per second" },
	{ "{dir}.lat_ns.mean", "ns", "lower", "mean total latency" },
	{ "{dir}.clat_ns.mean", "ns", "lower", "mean completion latency" },
	{ "{dir}.clat_ns.p50", "ns", "lower", "median completion latency" },
	{ "{dir}.clat_ns.p99", "ns", "lower", "99th percentile of the completion latency" },
	{ "{dir}.clat_ns.p999", "ns", "lower", "99.9th percentile of the completion latency" },
	{ "usr_cpu", "%", "lower", "user CPU time of the fio jobs" },
	{ "sys_cpu", "%", "lower", "system CPU time of the fio jobs" },
	{ "ctx", "count", "lower", "context switches of the fio jobs" },
};

/* The agent asks for JSON in a file of its own and measures only what it started itself. */
static const char *const fio_flags[] = { "--output",	      "--output-format",
					 "--status-interval", "--client",
					 "--server",	      "--daemonize",
					 "--parse-only",      NULL };

#define ARGS_END                                                                                   \
	{                                                                                          \
		NULL, NULL, NULL                                                                   \
	}

static const struct step_arg dd_args[] = {
	{ "bs", "1M", "bytes a request" },
	{ "count", "16", "requests a run" },
	{ "repeat", "1", "runs" },
	{ "write", "no", "*yes* writes zeros instead of reading" },
	{ "program", "agent",
	  "a dd on the board (*dd*, *busybox*, *toybox*, a path); *agent* does it "
	  "itself and tells nanoseconds" },
	ARGS_END,
};

static const struct step_metric dd_metrics[] = {
	{ "bw_bytes", "B/s", "higher", "all bytes of all runs over all their time" },
	{ "bw_bytes_min", "B/s", "higher", "the slowest run" },
	{ "bw_bytes_max", "B/s", "higher", "the fastest run" },
	{ "bytes", "B", "higher", "bytes of all runs" },
	{ "seconds", "s", "lower", "time of all runs" },
	{ "runs", "count", "higher", "how many there were" },
};

static const struct step_arg lun_args[] = {
	{ "samples", "100", "how many" },
	{ "sample", "10M", "bytes of one" },
	{ "access", "1000", "reads of 4 KiB at random places; the same places each time" },
	{ "write", "no", "*yes* writes the samples too; what was there is lost" },
	ARGS_END,
};

static const struct step_metric lun_metrics[] = {
	{ "{dir}.bw_bytes", "B/s", "higher", "all samples over all their time" },
	{ "{dir}.bw_bytes_min", "B/s", "higher", "the slowest sample" },
	{ "access.mean_ns", "ns", "lower", "mean time of one access" },
	{ "access.p99_ns", "ns", "lower", "99th percentile of the access time" },
	{ "access.max_ns", "ns", "lower", "longest access" },
};

static const struct step_arg capture_args[] = {
	{ "driver", "any", "of the camera: *uvcvideo*, *vivid*" },
	{ "device", "any", "its path" },
	{ "frames", "1500", "how many are taken" },
	{ "width", "as it is", "pixels; a camera that makes another size fails the step" },
	{ "height", "as it is", "pixels" },
	{ "fps", "as it is", "what is asked for" },
	{ "buffers", "4", "frames on their way at once" },
	ARGS_END,
};

static const struct step_metric capture_metrics[] = {
	{ "fps", "1/s", "higher", "frames per second, by their own time stamps" },
	{ "frames", "count", "higher", "frames taken" },
	{ "dropped", "count", "lower", "frames missing in the driver's numbering" },
	{ "errors", "count", "lower", "frames that the driver says are broken" },
	{ "interval.mean_ns", "ns", "lower", "mean time between two frames" },
	{ "interval.p99_ns", "ns", "lower", "99th percentile of that" },
	{ "interval.max_ns", "ns", "lower", "longest" },
	{ "jitter_ns", "ns", "lower", "standard deviation of the time between two frames" },
	{ "bytes", "B", "higher", "bytes of all frames" },
};

static const struct step_arg pktgen_args[] = {
	{ "from", NULL, "the interface that sends: its name, or *DRIVER:N*, the N-th of a driver" },
	{ "to", "none", "the other end of the cable, if it is in the same board" },
	{ "size", "1500", "bytes of a packet" },
	{ "seconds", "10", "how long is counted" },
	{ "line_mbit", "as the driver says", "what the line carries; more is no measurement" },
	ARGS_END,
};

static const struct step_metric pktgen_metrics[] = {
	{ "tx.bw_bytes", "B/s", "higher", "bytes sent, by the interface's counter" },
	{ "rx.bw_bytes", "B/s", "higher", "bytes received at the other end" },
	{ "tx.packets", "count", "higher", "packets sent" },
	{ "rx.packets", "count", "higher", "packets received" },
	{ "tx.seconds", "s", "higher", "time between the two looks at the counters" },
	{ "lost_percent", "%", "lower", "sent and not received" },
	{ "packets_per_s", "1/s", "higher", "by the generator's own account, ramps included" },
	{ "errors", "count", "lower", "packets that the generator could not send" },
};

static const struct step_arg play_args[] = {
	{ "seconds", "10", "how long" },
	{ "rate", "48000", "frames per second" },
	ARGS_END,
};

static const struct step_metric play_metrics[] = {
	{ "rate", "1/s", "higher", "frames per second that the card took" },
	{ "xruns", "count", "lower", "how often it ran out of frames" },
	{ "stalls", "count", "lower", "how often it took none for half a second" },
};

static const struct step_arg gadget_args[] = {
	{ "functions", NULL,
	  "joined by *+*: *acm*, *eem*, *gser*, *mass_storage*, *ncm*, *uac2*; "
	  "*none* takes the gadget down" },
	{ "lun", "64M", "bytes of the mass storage" },
	{ "backing", "ram", "what is behind it: a device or file, or an image in RAM" },
	{ "udc", "the first that is free", "name of the device controller" },
	{ "wait_ms", "10000", "how long its host may take to configure it" },
	ARGS_END,
};

static const struct step_metric gadget_metrics[] = {
	{ "enumerate_ns", "ns", "lower", "from the binding until the host has configured it" },
};

static const struct step_arg iperf3_args[] = {
	{ "from", NULL, "the client's interface, as for pktgen; *gadget:0* is the device's end" },
	{ "to", NULL, "the server's" },
	{ "seconds", "10", "how long" },
	{ "way", "out", "*out*: the client sends; *in*: the server does" },
	{ "streams", "1", "TCP connections at once" },
	ARGS_END,
};

static const struct step_metric iperf3_metrics[] = {
	{ "sum_received.bw_bytes", "B/s", "higher", "what arrived, by the receiver" },
	{ "sum_sent.bw_bytes", "B/s", "higher", "what was sent" },
	{ "sum_sent.retransmits", "count", "lower", "TCP segments sent again" },
	{ "cpu.host", "%", "lower", "CPU time of the client" },
	{ "cpu.remote", "%", "lower", "CPU time of the server" },
};

#define TIMES(kind, what)                                                                          \
	{ kind ".{name}.count", "count", "lower", "how often " what " ran" },                      \
		{ kind ".{name}.mean_ns", "ns", "lower", "mean time in " what },                   \
		{ kind ".{name}.p99_ns", "ns", "lower", "99th percentile of the time in " what },  \
		{ kind ".{name}.max_ns", "ns", "lower", "longest time in " what },                 \
	{                                                                                          \
		kind ".{name}.share", "%", "lower", "share of one CPU's time in " what             \
	}

static const struct step_metric irqtime_metrics[] = {
	TIMES("irq", "the hard interrupt handler of that name"),
	TIMES("softirq", "the softirq of that name, without hard interrupts in it"),
	{ "irqtime.seconds", "s", "higher", "how long was watched" },
};

static const struct step_metric isoc_metrics[] = {
	{ "isoc.missed_service", "count", "lower", "isochronous intervals that the xHC missed" },
	{ "isoc.underrun", "count", "lower", "isochronous OUT rings that ran empty" },
	{ "isoc.overrun", "count", "lower", "isochronous IN rings that ran full" },
	{ "isoc.buffer_overrun", "count", "lower", "isochronous packets larger than their buffer" },
	{ "isoc.bandwidth_overrun", "count", "lower", "intervals that the bus had no time for" },
};

static const struct step_metric usleep_metrics[] = {
	{ "mean_ns", "ns", "lower", "mean time that a sleep took" },
	{ "p50_ns", "ns", "lower", "median of it" },
	{ "p99_ns", "ns", "lower", "99th percentile of it" },
	{ "min_ns", "ns", "lower", "shortest sleep" },
	{ "max_ns", "ns", "lower", "longest sleep" },
};
static const struct step_arg usleep_args[] = {
	{ "count", "10000", "sleeps, one after the other" },
	{ "min_us", "10", "what usleep_range() is asked for at least" },
	{ "max_us", "20", "and at most" },
	{ NULL, NULL, NULL },
};

static const struct step_metric irqrate_metrics[] = {
	{ "total.rate", "1/s", "lower", "interrupts per second, all rows and CPUs" },
	{ "total.{name}.rate", "1/s", "lower", "the same on one CPU: total.cpu0.rate" },
	{ "match.rate", "1/s", "lower", "interrupts per second of the rows that match" },
	{ "match.{name}.rate", "1/s", "lower", "the same on one CPU: match.cpu0.rate" },
	{ "{name}.rate", "1/s", "lower", "of the row that begins with that name: LOC.rate" },
	{ "seconds", "s", "higher", "how long was watched" },
};
static const struct step_arg irqrate_args[] = {
	{ "seconds", "10", "from the first look to the last" },
	{ "looks", "2", "how often it is looked" },
	{ "match", "timer", "what stands in the name or the description of the rows meant" },
	{ NULL, NULL, NULL },
};

static const struct step_metric funcgraph_metrics[] = {
	{ "{name}.mean_ns", "ns", "lower", "mean run time of the function of that name" },
	{ "{name}.total_ns", "ns", "lower", "all its runs together" },
	{ "{name}.count", "count", "lower", "how often it ran" },
};
static const struct step_arg funcgraph_args[] = {
	{ "function", NULL, "the kernel function: *smi_wait_op*" },
	{ "seconds", "0", "how long it is watched" },
	{ "write", "none", "a file whose writing makes it run" },
	{ "text", "none", "what is written there" },
	{ NULL, NULL, NULL },
};

static const struct step_metric ethtool_metrics[] = {
	{ "first_ns", "ns", "lower", "the first time that all was asked" },
	{ "mean_ns", "ns", "lower", "mean of all times" },
	{ "max_ns", "ns", "lower", "longest of them" },
	{ "speed", "B/s", "higher", "speed of the link" },
	{ "link", "count", "higher", "1 if there is a link" },
};
static const struct step_arg ethtool_args[] = {
	{ "interface", NULL, "the network port: *eth0*, *lan1*" },
	{ "count", "10", "how often" },
	{ NULL, NULL, NULL },
};

static const struct step_arg serve_args[] = {
	{ "interface", NULL, "the network port" },
	{ "address", NULL, "its IPv4 address, in a network of 24 bits" },
	{ "page_kb", "64", "size of the page" },
	{ NULL, NULL, NULL },
};

static const struct step_metric http_metrics[] = {
	{ "first_ns", "ns", "lower", "the first load, from connecting to the last byte" },
	{ "mean_ns", "ns", "lower", "mean of all loads" },
	{ "max_ns", "ns", "lower", "longest of them" },
	{ "page_bytes", "bytes", "higher", "size of the page" },
};
static const struct step_arg http_args[] = {
	{ "path", "/", "which page" },
	{ "count", "10", "how often, over a new connection each time" },
	{ "address", "the board's", "where: 192.168.1.1" },
	{ NULL, NULL, NULL },
};

static const struct step_metric boottime_metrics[] = {
	{ "{name}.time_ns", "ns", "lower",
	  "from power-on until that mark, by the host's clock; the mark ready is the agent's "
	  "hello" },
	{ "{name}.uptime_ns", "ns", "lower", "the same by the kernel's clock, from its start" },
};

const struct step_observer step_observers[] = {
	{ "irqtime", irqtime_metrics, ARRAY_LEN(irqtime_metrics),
	  "how long hard interrupts and softirqs take, by trace events; BH work of drivers is softirq "
	  "HI and TASKLET" },
	{ "isoc", isoc_metrics, ARRAY_LEN(isoc_metrics),
	  "isochronous faults that the xHCI reports, by trace events" },
};
const size_t step_observers_n = ARRAY_LEN(step_observers);

const struct step_kind step_kinds[] = {
	{ "fio", STEP_WORKLOAD, true, 0, fio_flags, NULL, fio_metrics, ARRAY_LEN(fio_metrics),
	  "runs fio with the arguments given and keeps its JSON" },
	{ "dd", STEP_WORKLOAD, true, 0, NULL, dd_args, dd_metrics, ARRAY_LEN(dd_metrics),
	  "reads or writes a device from its beginning, past the page cache, by dd or by itself" },
	{ "lun", STEP_WORKLOAD, true, 0, NULL, lun_args, lun_metrics, ARRAY_LEN(lun_metrics),
	  "measures a disk as the benchmark of gnome-disks does: samples at evenly spaced places, "
	  "and the time of one access" },
	{ "capture", STEP_WORKLOAD, false, 0, NULL, capture_args, capture_metrics,
	  ARRAY_LEN(capture_metrics), "streams frames from a camera (V4L2)" },
	{ "pktgen", STEP_WORKLOAD, false, 0, NULL, pktgen_args, pktgen_metrics,
	  ARRAY_LEN(pktgen_metrics),
	  "sends packets by the kernel's generator, and counts them at both ends of the cable" },
	{ "play", STEP_WORKLOAD, false, 0, NULL, play_args, play_metrics, ARRAY_LEN(play_metrics),
	  "plays silence on a USB sound card: isochronous transfers" },
	{ "gadget", STEP_WORKLOAD, false, 0, NULL, gadget_args, gadget_metrics,
	  ARRAY_LEN(gadget_metrics),
	  "makes the board a USB device of some functions, or takes that down again" },
	{ "iperf3", STEP_WORKLOAD, false, 0, NULL, iperf3_args, iperf3_metrics,
	  ARRAY_LEN(iperf3_metrics),
	  "runs iperf3 over a cable whose two ends are both in the board, and keeps its JSON" },
	{ "usleep", STEP_WORKLOAD, false, 0, NULL, usleep_args, usleep_metrics,
	  ARRAY_LEN(usleep_metrics),
	  "times short sleeps inside the kernel (usleep_range), by a test that the series "
	  "otto-timer puts there" },
	{ "irqrate", STEP_WORKLOAD, false, 0, NULL, irqrate_args, irqrate_metrics,
	  ARRAY_LEN(irqrate_metrics), "counts interrupts per second while nothing else goes on" },
	{ "funcgraph", STEP_WORKLOAD, false, 0, NULL, funcgraph_args, funcgraph_metrics,
	  ARRAY_LEN(funcgraph_metrics),
	  "times a kernel function by ftrace's function profiler, sleeping included" },
	{ "ethtool", STEP_WORKLOAD, false, 0, NULL, ethtool_args, ethtool_metrics,
	  ARRAY_LEN(ethtool_metrics),
	  "asks a network port's driver what ethtool asks, by the same ioctls, and times that" },
	{ "serve", STEP_WORKLOAD, false, 0, NULL, serve_args, NULL, 0,
	  "sets a network port up and serves a page there (busybox httpd), for the step http" },
	{ "http", STEP_WORKLOAD | STEP_HOST, false, 0, NULL, http_args, http_metrics,
	  ARRAY_LEN(http_metrics), "loads a page of the board from this host" },
	{ "boottime", STEP_WORKLOAD | STEP_HOST, false, 0, NULL, NULL, boottime_metrics,
	  ARRAY_LEN(boottime_metrics),
	  "looks up on the console when *name=text* of args first came, and when the agent was "
	  "ready" },
	{ "noop", STEP_SETUP | STEP_WORKLOAD, false, 10, NULL, NULL, NULL, 0,
	  "does nothing: measures the round trip" },
	{ "tune", STEP_SETUP, false, 30, NULL, NULL, NULL, 0,
	  "sets the machine up for steady numbers: CPU and device frequencies, idle states, "
	  "interrupts, block queues" },
	{ "untune", STEP_SETUP, false, 30, NULL, NULL, NULL, 0, "puts back what tune changed" },
	{ "fingerprint", STEP_SETUP, false, 30, NULL, NULL, NULL, 0,
	  "records the state that numbers depend on" },
	{ "dmesg", STEP_SETUP, false, 60, NULL, NULL, NULL, 0, "fetches the kernel log" },
};
const size_t step_kinds_n = ARRAY_LEN(step_kinds);

const struct step_kind *step_find(const char *name)
{
	for (size_t i = 0; i < step_kinds_n; i++)
		if (!strcmp(step_kinds[i].name, name))
			return &step_kinds[i];
	return NULL;
}

/* What follows "read." of "read.iops" when row is "{dir}.iops"; the whole name otherwise. */
static const char *skip_dir(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		size_t n = strlen(dirs[i]);

		if (!strncmp(name, dirs[i], n) && name[n] == '.')
			return name + n;
	}
	return NULL;
}

/* "irq.xhci_hcd.max_ns" of "irq.{name}.max_ns" */
static bool is_named(const char *row, const char *mark, const char *name)
{
	size_t before = (size_t)(mark - row), size;

	if (strncmp(row, name, before) != 0)
		return false;
	size = strspn(name + before, NAME_LETTERS);
	return size && !strcmp(name + before + size, mark + strlen(NAME_MARK));
}

static bool is_instance(const char *row, const char *name)
{
	const char *rest, *mark = strstr(row, NAME_MARK);

	if (mark)
		return is_named(row, mark, name);

	if (strncmp(row, DIR_MARK, strlen(DIR_MARK)) != 0)
		return !strcmp(row, name);
	rest = skip_dir(name);
	return rest && !strcmp(rest, row + strlen(DIR_MARK));
}

static const struct step_metric *find_metric(const struct step_metric *rows, size_t n,
					     const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (is_instance(rows[i].name, name))
			return &rows[i];
	return NULL;
}

const struct step_metric *step_metric_find(const struct step_kind *kind, const char *name)
{
	return find_metric(kind->metrics, kind->n_metrics, name);
}

const struct step_observer *step_observer_find(const char *name)
{
	for (size_t i = 0; i < step_observers_n; i++)
		if (!strcmp(step_observers[i].name, name))
			return &step_observers[i];
	return NULL;
}

const struct step_metric *step_observer_metric_find(const struct step_observer *observer,
						    const char *name)
{
	return find_metric(observer->metrics, observer->n_metrics, name);
}

const char *step_observer_guess(const char *name)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; i < step_observers_n; i++)
		guess_offer(&guess, name, step_observers[i].name);
	return guess.best;
}

const struct step_arg *step_arg_find(const struct step_kind *kind, const char *word)
{
	size_t n = strcspn(word, "=");

	for (const struct step_arg *a = kind->args; a && a->name && word[n]; a++)
		if (strlen(a->name) == n && !strncmp(a->name, word, n))
			return a;
	return NULL;
}

const char *step_arg_guess(const struct step_kind *kind, const char *word)
{
	char *name = xasprintf("%.*s", (int)strcspn(word, "="), word);
	struct guess guess = GUESS_INIT;

	for (const struct step_arg *a = kind->args; a && a->name; a++)
		guess_offer(&guess, name, a->name);
	free(name);
	return guess.best;
}

const char *step_guess(const char *name, int roles)
{
	struct guess guess = GUESS_INIT;

	for (size_t i = 0; i < ARRAY_LEN(step_kinds); i++)
		if (step_kinds[i].roles & roles)
			guess_offer(&guess, name, step_kinds[i].name);
	return guess.best;
}

/* Offers one name; *best is replaced by a copy when it is the nearest so far. */
static void offer_copy(struct guess *guess, const char *typed, char *known, char **best)
{
	guess_offer(guess, typed, known);
	if (guess->best != known) {
		free(known);
		return;
	}
	free(*best);
	*best = known;
}

char *step_metric_guess(const struct step_kind *kind, const char *name)
{
	struct guess guess = GUESS_INIT;
	char *best = NULL;

	for (size_t i = 0; i < kind->n_metrics; i++) {
		const char *row = kind->metrics[i].name;

		if (strncmp(row, DIR_MARK, strlen(DIR_MARK)) != 0) {
			offer_copy(&guess, name, xstrdup(row), &best);
			continue;
		}
		for (size_t d = 0; d < ARRAY_LEN(dirs); d++)
			offer_copy(&guess, name, xasprintf("%s%s", dirs[d], row + strlen(DIR_MARK)),
				   &best);
	}
	return best;
}
