// SPDX-License-Identifier: GPL-2.0-or-later
/* iperf3's JSON -> named numbers; see parse-iperf.h. Layer: results, pure. */
#include "results/parse-iperf.h"

#include <math.h>
#include <string.h>

#include "results/json-text.h"

#define MAX_NUMBER 1e18

static const struct field {
	const char *key;
	const char *name, *unit, *printed;
	double factor;
	bool negative; /* seen in the wild: late packets are counted twice */
} fields[] = {
	{ "bits_per_second", "bw_bytes", UNIT_RATE, "bits/s", 1.0 / 8, false },
	{ "bytes", "bytes", UNIT_BYTES, NULL, 1, false },
	{ "seconds", "seconds", UNIT_S, NULL, 1, false },
	{ "retransmits", "retransmits", UNIT_COUNT, NULL, 1, false },
	{ "jitter_ms", "jitter_ns", UNIT_NS, "ms", 1e6, false },
	{ "packets", "packets", UNIT_COUNT, NULL, 1, false },
	{ "lost_packets", "lost_packets", UNIT_COUNT, NULL, 1, true },
	{ "lost_percent", "lost_percent", UNIT_PERCENT, NULL, 1, true },
};

static const char *const sums[] = {
	"sum",
	"sum_sent",
	"sum_received",
	"sum_bidir_reverse",
	"sum_sent_bidir_reverse",
	"sum_received_bidir_reverse",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int put_field(const json_t *object, const char *prefix, const struct field *f,
		     struct values *out, struct err *err)
{
	double n = json_text_number(object, f->key);

	if (isnan(n))
		return 0;
	if ((n < 0 && !f->negative) || fabs(n) > MAX_NUMBER)
		return err_set(err, BLAME_TEST, "iperf-range", "%s.%s = %g cannot be", prefix,
			       f->key, n);
	values_add(out, n * f->factor, f->unit, f->printed, "%s.%s", prefix, f->name);
	return 0;
}

static int put_sum(const json_t *object, const char *prefix, struct values *out, struct err *err)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (put_field(object, prefix, &fields[i], out, err) < 0)
			return -1;
	return 0;
}

static int put_end(const json_t *end, struct values *out, struct err *err)
{
	const json_t *cpu = json_object_get(end, "cpu_utilization_percent");
	size_t before = out->n;

	for (size_t i = 0; i < COUNT(sums); i++)
		if (put_sum(json_object_get(end, sums[i]), sums[i], out, err) < 0)
			return -1;
	if (out->n == before)
		return err_set(err, BLAME_TEST, "iperf-none", "a result without a sum");
	values_add(out, json_text_number(cpu, "host_total"), UNIT_PERCENT, NULL, "cpu.host");
	values_add(out, json_text_number(cpu, "remote_total"), UNIT_PERCENT, NULL, "cpu.remote");
	return 0;
}

static int put_interval(const json_t *interval, struct values *out, struct err *err)
{
	const struct field *bandwidth = &fields[0];

	if (put_field(json_object_get(interval, "sum"), "interval", bandwidth, out, err) < 0)
		return -1;
	return put_field(json_object_get(interval, "sum_bidir_reverse"), "interval_bidir_reverse",
			 bandwidth, out, err);
}

static void put_start(const json_t *start, struct values *out)
{
	const json_t *test = json_object_get(start, "test_start");

	values_add(out, json_text_number(test, "num_streams"), UNIT_COUNT, NULL, "streams");
	values_add(out, json_text_number(test, "reverse"), UNIT_COUNT, NULL, "reverse");
}

static int tell_error(const json_t *error, struct err *err)
{
	const char *text = json_string_value(error);

	return err_set(err, BLAME_TEST, "iperf-error", "%s",
		       text && *text ? text : "unknown error");
}

/* A line of --json-stream: {"event": "interval", "data": ...}. */
static int put_event(const json_t *root, const char *event, struct values *out, struct err *err)
{
	const json_t *data = json_object_get(root, "data");

	if (!strcmp(event, "error"))
		return tell_error(data, err);
	if (!strcmp(event, "start"))
		put_start(data, out);
	if (!strcmp(event, "interval"))
		return put_interval(data, out, err);
	return strcmp(event, "end") ? 0 : put_end(data, out, err);
}

static int put_document(const json_t *root, struct values *out, struct err *err)
{
	const char *event = json_string_value(json_object_get(root, "event"));
	const json_t *error = json_object_get(root, "error");
	const json_t *intervals = json_object_get(root, "intervals");

	if (error)
		return tell_error(error, err);
	if (event)
		return put_event(root, event, out, err);
	put_start(json_object_get(root, "start"), out);
	if (put_end(json_object_get(root, "end"), out, err) < 0)
		return -1;
	values_count(out, json_array_size(intervals), UNIT_COUNT, NULL, "intervals");
	for (size_t i = 0; i < json_array_size(intervals); i++)
		if (put_interval(json_array_get(intervals, i), out, err) < 0)
			return -1;
	return 0;
}

/* Some keep the results of several runs in one array. */
static int put_root(const json_t *root, struct values *out, struct err *err)
{
	if (!json_is_array(root))
		return put_document(root, out, err);
	for (size_t i = 0; i < json_array_size(root); i++)
		if (put_document(json_array_get(root, i), out, err) < 0)
			return -1;
	return 0;
}

int iperf_parse(const char *data, size_t size, struct values *out, struct err *err)
{
	struct text t = text_of(data, size);
	size_t documents = 0;
	json_t *root;
	int rc;

	while ((rc = json_text_next(&t, "iperf-broken", &root, err)) > 0) {
		rc = put_root(root, out, err);
		json_decref(root);
		if (rc < 0)
			return -1;
		documents++;
	}
	if (rc < 0)
		return -1;
	if (!documents)
		return iperf_parse_text(data, size, out, err);
	/* a stream that ends before its "end" has intervals only */
	if (!values_find(out, "sum.bw_bytes") && !values_find(out, "sum_sent.bw_bytes") &&
	    !values_find(out, "sum_received.bw_bytes"))
		return err_set(err, BLAME_TEST, "iperf-none", "no result at its end");
	return 0;
}
