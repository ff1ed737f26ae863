// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * results/check*: each rule on a sound table of our own making, and on the same table with one
 * mistake planted: that rule, and no other, says so.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "results/check-table.h"
#include "results/check.h"

#define HEADER "seed_file,board,workload,kernel_variant,metric,unit,value,n_runs,note\n"

enum metric { MIN, MAX, AVG, SPREAD, USR, SYS, BW, METRICS };

#define WORKLOADS 4
#define VARIANTS  4

static const struct {
	const char *name, *unit;
} metrics[METRICS] = {
	[MIN] = { "iops_min", "IOPS" },	     [MAX] = { "iops_max", "IOPS" },
	[AVG] = { "iops_avg", "IOPS" },	     [SPREAD] = { "iops_stddev", "IOPS" },
	[USR] = { "cpu_usr", "%" },	     [SYS] = { "cpu_sys", "%" },
	[BW] = { "bw", "MB/s(as printed)" },
};

static const char *const workloads[WORKLOADS] = { "randread/1", "randread/8", "randwrite/1",
						  "randwrite/8" };
static const char *const variants[VARIANTS] = { "before", "after", "fixed", "reverted" };

/* A table of one board, as printed. */
static char cells[WORKLOADS][VARIANTS][METRICS][24];
static int n_variants;
static const char *runs;
static const char *bw_unit;

/* A mean of five whole numbers. */
static double fifth(double v)
{
	return round(5 * v) / 5;
}

static void make(int n)
{
	static const double iops[WORKLOADS] = { 5488.82, 22529.94, 7169.77, 61539.05 };
	static const double change[VARIANTS] = { 1, 0.7713, 0.9691, 1.1337 };

	n_variants = n;
	runs = "5";
	bw_unit = metrics[BW].unit;
	for (int w = 0; w < WORKLOADS; w++) {
		for (int v = 0; v < n; v++) {
			double x = iops[w] * (change[v] + 0.013 * w * v);
			const double values[METRICS] = {
				fifth(0.8713 * x), fifth(1.1119 * x),	    x,
				0.0231 * x,	   2 + 0.37 * v + 0.11 * w, 21 + 3.1 * v - w,
				x * 4096 / 1e6
			};

			for (int m = 0; m < METRICS; m++)
				snprintf(cells[w][v][m], sizeof(cells[w][v][m]), "%.2f", values[m]);
		}
	}
}

static void add_table(struct buf *b, const char *source, const char *board)
{
	for (int w = 0; w < WORKLOADS; w++)
		for (int m = 0; m < METRICS; m++)
			for (int v = 0; v < n_variants; v++)
				buf_addf(b, "%s,%s,%s,%s,%s,%s,\"%s\",%s,L%d\n", source, board,
					 workloads[w], variants[v], metrics[m].name,
					 m == BW ? bw_unit : metrics[m].unit, cells[w][v][m], runs,
					 10 * w + m);
}

static void set(int w, int v, enum metric m, double value)
{
	snprintf(cells[w][v][m], sizeof(cells[w][v][m]), "%.2f", value);
}

static double get(int w, int v, enum metric m)
{
	return strtod(cells[w][v][m], NULL);
}

static void swap(int w, enum metric m, int a, int b)
{
	char x[24];

	memcpy(x, cells[w][a][m], sizeof(x));
	memcpy(cells[w][a][m], cells[w][b][m], sizeof(x));
	memcpy(cells[w][b][m], x, sizeof(x));
}

/* ---- what is said ---- */

static void check_csv(const char *csv, struct check_report *r)
{
	struct err err = ERR_INIT;
	struct check_table *t = check_table_read("t.csv", csv, strlen(csv), &err);

	if (!t)
		fail_msg("%s", err.message);
	check_table(t, r);
	check_table_free(t);
}

/*
 * Of rule and severity there are exactly n, one with these words in subject or message; nothing
 * else is a warning or an error. rule NULL: nothing at all.
 */
static void must_say(const char *csv, const char *rule, enum severity severity, size_t n,
		     const char *words)
{
	struct check_report r = CHECK_REPORT_INIT;
	size_t found = 0;
	bool told = !rule;

	check_csv(csv, &r);
	for (size_t i = 0; i < r.n; i++) {
		const struct check_item *x = &r.items[i];

		if (rule && !strcmp(x->rule, rule) && x->severity == severity) {
			found++;
			told |= strstr(x->subject, words) || strstr(x->message, words);
		} else if (x->severity >= SEVERITY_WARN) {
			fail_msg("wanted %s, not %s %s: %s: %s", rule ? rule : "nothing",
				 severity_name(x->severity), x->rule, x->subject, x->message);
		}
	}
	if (!told || (rule && found != n))
		fail_msg("%zu of %s, wanted %zu with '%s'; the last: %s", found, rule, n, words,
			 r.n ? r.items[r.n - 1].message : "-");
	check_report_release(&r);
}

static void table_must_say(const char *rule, enum severity severity, size_t n, const char *words)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, HEADER);
	add_table(&b, "doc", "boardX");
	must_say(buf_str(&b), rule, severity, n, words);
	buf_release(&b);
}

static void table_must_be_silent(void)
{
	table_must_say(NULL, SEVERITY_OK, 0, "");
}

/* Rows beside a spread, so that nobody misses one. */
static void rows_must_say(const char *rows, const char *rule, enum severity severity, size_t n,
			  const char *words)
{
	char *csv = xasprintf(HEADER "s,spread,w,v,x_stddev,s,0.51,5,\n%s", rows);

	must_say(csv, rule, severity, n, words);
	free(csv);
}

static void rows_must_be_silent(const char *rows)
{
	rows_must_say(rows, NULL, SEVERITY_OK, 0, "");
}

/* ---- bandwidth and IOPS ---- */

static void sound(void **state)
{
	(void)state;
	for (int n = 1; n <= VARIANTS; n++) {
		make(n);
		table_must_be_silent();
	}
}

static void unit_of_a_table(void **state)
{
	static const struct {
		const char *label, *real;
		double factor; /* what is printed = factor * MB/s */
	} units_mixed[] = {
		{ "MB/s(as printed)", "MiB/s", 1 / 1.048576 },
		{ "MiB/s", "MB/s", 1 },
		{ "MB/s", "Mbit/s", 8 },
		{ "MB/s", "kB/s", 1000 },
		{ "MB/s", "KiB/s", 1e6 / 1024 },
		{ "GB/s", "MB/s", 1 },
		{ "Mbit/s", "MB/s", 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(units_mixed) / sizeof(units_mixed[0]); i++) {
		struct buf b = BUF_INIT;
		char words[64];

		buf_adds(&b, HEADER);
		make(3);
		add_table(&b, "doc", "sound");
		for (int w = 0; w < WORKLOADS; w++)
			for (int v = 0; v < 3; v++)
				set(w, v, BW, get(w, v, BW) * units_mixed[i].factor);
		bw_unit = units_mixed[i].label;
		add_table(&b, "doc", "boardX");
		snprintf(words, sizeof(words), "are %s: e.g.", units_mixed[i].real);
		must_say(buf_str(&b), "unit-mix", SEVERITY_ERROR, 1, words);
		buf_release(&b);
	}
}

static void unit_of_a_row(void **state)
{
	(void)state;
	make(3);
	for (int v = 0; v < 3; v++)
		set(1, v, BW, get(1, v, BW) / 1.048576);
	table_must_say("unit-mix", SEVERITY_ERROR, 1, "3 of 12 cells labelled");
}

static void labels(void **state)
{
	(void)state;
	rows_must_say("d,b,w,old,time,ms,11.31,5,\nd,b,w,new,time,s,0.0113,5,\n", "unit-mix",
		      SEVERITY_WARN, 1, "one row, two units");
	rows_must_say("d,b,w,old,x,ms,11.31,5,\nd,b,w,new,x,MB/s,11.52,5,\n", "unit-mix",
		      SEVERITY_ERROR, 1, "do not measure the same");
}

static void tolerance(void **state)
{
	static const struct {
		double factor;
		enum severity severity;
	} steps[] = {
		{ 1.004, SEVERITY_OK },	      { 0.996, SEVERITY_OK },	 { 1.006, SEVERITY_WARN },
		{ 0.994, SEVERITY_WARN },     { 1.014, SEVERITY_WARN },	 { 0.986, SEVERITY_WARN },
		{ 1.016, SEVERITY_ERROR },    { 0.984, SEVERITY_ERROR }, { 1.5, SEVERITY_ERROR },
		{ 0.953674, SEVERITY_ERROR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		make(3);
		set(3, 1, BW, get(3, 1, BW) * steps[i].factor);
		if (steps[i].severity == SEVERITY_OK)
			table_must_be_silent();
		else
			table_must_say("bw-vs-iops", steps[i].severity, 1,
				       "boardX randwrite/8 bw after");
	}
}

/* Few digits are no error: 0.9 MB/s of 210 IOPS is 4.6 % off, and right. */
static void few_digits(void **state)
{
	(void)state;
	rows_must_be_silent("d,b,r bs=4k,old,iops,IOPS,210,5,\nd,b,r bs=4k,old,bw,MB/s,0.9,5,\n"
			    "d,b,r bs=4k,new,iops,IOPS,250,5,\nd,b,r bs=4k,new,bw,MB/s,1.0,5,\n");
}

static void block_sizes(void **state)
{
	(void)state;
	rows_must_be_silent(
		"d,b,seq bs=128k,old,iops,IOPS,1000,5,\nd,b,seq bs=128k,old,bw,MB/s,131.07,5,\n"
		"d,b,rand 4k,old,iops,IOPS,1000,5,\nd,b,rand 4k,old,bw,MB/s,4.10,5,\n");
	rows_must_say(
		"d,b,seq bs=128k,old,iops,IOPS,1000,5,\nd,b,seq bs=128k,old,bw,MB/s,120.07,5,\n",
		"bw-vs-iops", SEVERITY_ERROR, 1, "131072 bytes");
}

/* ---- swaps ---- */

static void swap_of_two(void **state)
{
	(void)state;
	for (int n = 2; n <= VARIANTS; n++) {
		for (int a = 0; a < n; a++) {
			for (int b = a + 1; b < n; b++) {
				char words[64];

				make(n);
				swap(2, BW, a, b);
				snprintf(words, sizeof(words), "exchange %s <-> %s", variants[a],
					 variants[b]);
				table_must_say("column-swap", SEVERITY_ERROR, 1, words);
			}
		}
	}
}

static void swap_of_three(void **state)
{
	(void)state;
	make(4);
	swap(0, BW, 0, 1);
	swap(0, BW, 1, 3);
	table_must_say("column-swap", SEVERITY_ERROR, 1, "before <- reverted <- after <- before");
}

/* In MiB/s under the wrong label, and swapped: both are told, in all workloads. */
static void swap_and_unit(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;
	struct buf b = BUF_INIT;
	size_t swaps = 0;
	size_t units_wrong = 0;

	(void)state;
	make(2);
	for (int w = 0; w < WORKLOADS; w++) {
		for (int v = 0; v < 2; v++)
			set(w, v, BW, get(w, v, BW) / 1.048576);
		swap(w, BW, 0, 1);
	}
	buf_adds(&b, HEADER);
	add_table(&b, "doc", "boardX");
	check_csv(buf_str(&b), &r);
	for (size_t i = 0; i < r.n; i++) {
		swaps += !strcmp(r.items[i].rule, "column-swap");
		units_wrong += !strcmp(r.items[i].rule, "unit-mix");
	}
	assert_int_equal(swaps, WORKLOADS);
	assert_int_equal(units_wrong, 1);
	check_report_release(&r);
	buf_release(&b);
}

/* Two mistakes that no exchange mends. */
static void no_swap(void **state)
{
	(void)state;
	make(3);
	set(2, 0, BW, get(2, 0, BW) * 1.1);
	set(2, 1, BW, get(2, 1, BW) * 1.2);
	table_must_say("bw-vs-iops", SEVERITY_ERROR, 2, "randwrite/1 bw before");
}

/* ---- order ---- */

static void order(void **state)
{
	(void)state;
	make(3);
	set(1, 2, MIN, fifth(get(1, 2, MAX) + 7));
	table_must_say("min<=avg<=max", SEVERITY_ERROR, 1, "boardX randread/8");
	make(3);
	set(1, 2, MAX, fifth(get(1, 2, AVG) - 7));
	table_must_say("min<=avg<=max", SEVERITY_ERROR, 1, "iops_avg fixed");
	make(3);
	swap(1, MIN, 0, 3 - 1);
	make(3);
	set(0, 0, AVG, get(0, 0, MIN) - 0.5);
	set(0, 0, BW, get(0, 0, AVG) * 4096 / 1e6);
	table_must_say("min<=avg<=max", SEVERITY_ERROR, 1, "iops_avg before");
}

static void order_of_others(void **state)
{
	(void)state;
	rows_must_be_silent(
		"d,b,w,v,lat_p50,us,10.5,5,\nd,b,w,v,lat_p99,us,20.5,5,\nd,b,w,v,lat_max,us,20.5,5,\n"
		"d,b,w,v,lat_mean,us,11.5,5,\nd,b,w,v,lat_min,us,3.5,5,\n");
	rows_must_say(
		"d,b,w,v,lat_p99,us,20.5,5,\nd,b,w,v,lat_p99.9,us,19.5,5,\nd,b,w,v,lat_p50,us,3.5,5,\n",
		"min<=avg<=max", SEVERITY_ERROR, 1, "lat_p99.9");
	rows_must_say("d,b,w,v,lat_p99,us,20.5,5,\nd,b,w,v,lat_max,us,19.5,5,\n", "min<=avg<=max",
		      SEVERITY_ERROR, 1, "lat_max");
	/* rounding: equal is in order */
	rows_must_be_silent(
		"d,b,w,v,t_min,s,0.61,5,\nd,b,w,v,t_avg,s,0.6,5,\nd,b,w,v,t_max,s,0.64,5,\n");
}

/* Minimum, mean and maximum agree when the columns of one of them are exchanged. */
static void swapped_order(void **state)
{
	(void)state;
	rows_must_say("d,b,w,old,t_min,s,1.51,5,\nd,b,w,new,t_min,s,7.12,5,\n"
		      "d,b,w,old,t_avg,s,8.23,5,\nd,b,w,new,t_avg,s,2.31,5,\n"
		      "d,b,w,old,t_max,s,3.14,5,\nd,b,w,new,t_max,s,9.52,5,\n",
		      "column-swap", SEVERITY_ERROR, 1, "t_avg of old <-> new");
}

/* ---- digits ---- */

static void granularity(void **state)
{
	(void)state;
	make(3);
	set(2, 1, MIN, get(2, 1, MIN) + 0.11);
	table_must_say("granularity", SEVERITY_WARN, 1, "randwrite/1 iops_min after");
	/* of ten runs tenths are possible, of 100 anything */
	rows_must_be_silent(
		"d,b,dd if=/dev/sda,v,bw,MB/s,130.2,10,\nd,b,dd if=/dev/sda,w,bw,MB/s,131.37,100,\n");
	rows_must_say("d,b,dd if=/dev/sda,v,bw,MB/s,103.667,10,\n", "granularity", SEVERITY_WARN, 1,
		      "n would be 3,6,9");
	rows_must_say("d,b,w,v,errors,count,2.33,5,\n", "granularity", SEVERITY_WARN, 1, "2.33");
	/* not whole to begin with */
	rows_must_be_silent("d,b,w,v,time,s,103.667,10,\n");
}

/* A metric of which nobody knows that it is whole, but all cells but one say so. */
static void learnt_granularity(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	for (int i = 0; i < 12; i++)
		buf_addf(&b, "d,b,w%d,v,score,points,%d.%d0,5,\n", i, 100 + 37 * i * i,
			 2 * (i * 3 % 5));
	rows_must_be_silent(buf_str(&b));
	buf_adds(&b, "d,b,wx,v,score,points,777.37,5,\n");
	rows_must_say(buf_str(&b), "granularity", SEVERITY_WARN, 1, "777.37");
	buf_release(&b);
}

static void resolution(void **state)
{
	(void)state;
	rows_must_say("d,b,w,v,time_avg,s,0.00,10,\nd,b,w,v,time_max,s,0.01,10,\n", "resolution",
		      SEVERITY_WARN, 1, "time_max 0.01");
	rows_must_be_silent("d,b,w,v,time_avg,s,0.35,10,\n");
}

static void suspicious_digits(void **state)
{
	(void)state;
	rows_must_say("d,b,w,old,rate,Mbit/s,933.86,5,\nd,b,w,new,rate,Mbit/s,983.86,5,\n",
		      "suspicious-digits", SEVERITY_WARN, 1, "differ in one digit");
	rows_must_say("d,b,w,old,t,s,93.486,5,\nd,b,w,new,t,s,94.386,5,\n", "suspicious-digits",
		      SEVERITY_WARN, 1, "two of them exchanged");
	rows_must_say("d,b,w,old,t,s,93.41,5,\nd,b,w,new,t,s,9.463,5,\nd,b,w,fix,t,s,92.77,5,\n",
		      "suspicious-digits", SEVERITY_WARN, 1, "power of ten");
	/* near each other: of course most digits are equal */
	rows_must_be_silent("d,b,w,old,t,s,933.86,5,\nd,b,w,new,t,s,933.91,5,\n");
	rows_must_be_silent("d,b,w,old,t,s,219.40,5,\nd,b,w,new,t,s,219.60,5,\n");
}

/* ---- changes, means, claims ---- */

static void percent(void **state)
{
	static const char rows[] = "d,b,w,old,bw,MB/s,40.46,5,\nd,b,w,new,bw,MB/s,27.92,5,\n";
	static const struct {
		const char *printed;
		bool right;
	} deltas[] = {
		{ "-30.99", true },  { "-31.0", true },	 { "-31", true },     { "-30.98", true },
		{ "-30.90", false }, { "30.99", false }, { "-39.99", false }, { "-30.13", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++) {
		char *csv =
			xasprintf("%sd,b,w,new vs old,bw_pct,%%,%s,5,\n", rows, deltas[i].printed);

		if (deltas[i].right)
			rows_must_be_silent(csv);
		else
			rows_must_say(csv, "percent", SEVERITY_ERROR, 1,
				      "40.46 -> 27.92 is -30.99");
		free(csv);
	}
}

static void swapped_percents(void **state)
{
	static const char rows[] = "d,b,w,old,bw,MB/s,40.46,5,\nd,b,w,new,bw,MB/s,27.92,5,\n"
				   "d,b,w,fix,bw,MB/s,43.34,5,\n";
	char *csv = xasprintf(
		"%sd,b,w,new vs old,bw_pct,%%,7.12,5,\nd,b,w,fix vs old,bw_pct,%%,-30.99,5,\n",
		rows);

	(void)state;
	rows_must_say(csv, "column-swap", SEVERITY_ERROR, 1, "new vs old <-> fix vs old");
	free(csv);
}

static void stated_mean(void **state)
{
	struct buf b = BUF_INIT;
	double mean = 0;

	(void)state;
	make(2);
	for (int w = 0; w < WORKLOADS; w++)
		mean += get(w, 0, AVG) / WORKLOADS;
	buf_adds(&b, HEADER);
	add_table(&b, "doc", "boardX");
	buf_addf(&b, "doc,boardX,all 4 workloads,before,iops_avg_mean,IOPS,%.2f,4x5,\n", mean);
	must_say(buf_str(&b), NULL, SEVERITY_OK, 0, "");
	buf_addf(&b, "doc,boardX,all 4 workloads,after,iops_avg_mean,IOPS,%.2f,4x5,\n", mean);
	must_say(buf_str(&b), "stated-mean", SEVERITY_ERROR, 1, "iops_avg_mean after");
	buf_release(&b);
}

/* One cell was changed after the mean was made of it: it is named, and what it was. */
static void solved_mean(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;
	struct buf b = BUF_INIT;
	double mean = 0;
	bool told = false;
	char was[24];

	(void)state;
	make(2);
	for (int w = 0; w < WORKLOADS; w++)
		mean += get(w, 0, BW) / WORKLOADS;
	memcpy(was, cells[3][0][BW], sizeof(was));
	set(3, 0, BW, get(3, 0, BW) + 13);
	buf_adds(&b, HEADER);
	add_table(&b, "doc", "boardX");
	buf_addf(&b, "doc,boardX,all 4 workloads,before,bw_mean,MB/s,%.2f,4x5,\n", mean);
	check_csv(buf_str(&b), &r);
	for (size_t i = 0; i < r.n; i++) {
		/* to what rounding leaves: four times half a unit of the mean */
		char *words = xasprintf("boardX randwrite/8 were %.0f.", floor(strtod(was, NULL)));

		told |= !strcmp(r.items[i].rule, "stated-mean") &&
			strstr(r.items[i].message, words);
		free(words);
	}
	assert_true(told);
	check_report_release(&r);
	buf_release(&b);
}

static void claims(void **state)
{
	static const char rows[] = "d,b,net RX,without x,rate,Mbit/s,830.18,5,\n"
				   "d,b,net RX,with x,rate,Mbit/s,882.75,5,\n";
	static const struct {
		const char *claim;
		bool right;
	} said[] = { { "6", true },  { "6.3", true }, { "6.33", true },
		     { "2", false }, { "8", false },  { "-6", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		char *csv = xasprintf("%sd,b,net,with vs without x,rate_pct,%%,%s,1,prose claim\n",
				      rows, said[i].claim);

		if (said[i].right)
			rows_must_be_silent(csv);
		else
			rows_must_say(csv, "claim-vs-table", SEVERITY_ERROR, 1,
				      "+6.33 % (830.18 -> 882.75)");
		free(csv);
	}
	rows_must_say(
		"d,b,w,old,t,s,110,5,\nd,b,w,new,t,s,50,5,\nd,b,w,c0ffee1 vs before,t_delta,s,90,0,prose\n",
		"claim-vs-table", SEVERITY_ERROR, 1, "-60.00 s");
	rows_must_say("d,b,w,old,t,s,110,5,\nd,b,w,old,t,s,150,5,prose\n", "claim-vs-table",
		      SEVERITY_ERROR, 1, "the text says 150");
}

/* ---- repetitions and documents ---- */

static void duplicates(void **state)
{
	(void)state;
	rows_must_say("d,b,w rep1,v,bw,MB/s,193.60,9,\nd,b,w rep2,v,bw,MB/s,195.86,9,\n"
		      "d,b,w rep3,v,bw,MB/s,184.77,9,\nd,b,w rep4,v,bw,MB/s,193.60,9,\n",
		      "duplicate", SEVERITY_WARN, 1, "repetitions 1 and 4 of 4");
	/* a coarse number repeats itself */
	rows_must_be_silent("d,b,w rep1,v,bw,MB/s,193,9,\nd,b,w rep2,v,bw,MB/s,195,9,\n"
			    "d,b,w rep3,v,bw,MB/s,194,9,\nd,b,w rep4,v,bw,MB/s,193,9,\n");
	make(3);
	for (int w = 0; w < WORKLOADS; w++)
		memcpy(cells[w][2], cells[w][1], sizeof(cells[w][1]));
	{
		struct check_report r = CHECK_REPORT_INIT;
		struct buf b = BUF_INIT;
		size_t n = 0;

		buf_adds(&b, HEADER);
		add_table(&b, "doc", "boardX");
		check_csv(buf_str(&b), &r);
		for (size_t i = 0; i < r.n; i++)
			n += !strcmp(r.items[i].rule, "duplicate");
		assert_true(n >= 4);
		check_report_release(&r);
		buf_release(&b);
	}
}

static void documents(void **state)
{
	static const char rows[] = "d1,b,w1,v,bw,MB/s,129.74,10,\nd1,b,w2,v,bw,MB/s,103.61,10,\n"
				   "d1,b,w3,v,bw,MB/s,130.2,10,\n";
	char *csv = xasprintf("%sd2,b,w1,v,bw,MB/s,131.74,10,\nd2,b,w2,v,bw,MB/s,101.92,10,\n"
			      "d2,b,w3,v,bw,MB/s,127.7,10,\n",
			      rows);
	struct check_report r = CHECK_REPORT_INIT;
	bool cross = false;
	bool reused = false;

	(void)state;
	/* all measured again */
	rows_must_be_silent(csv);
	free(csv);
	csv = xasprintf(HEADER "%sd2,b,w1,v,bw,MB/s,129.74,10,\nd2,b,w2,v,bw,MB/s,103.61,10,\n"
			       "d2,b,w3,v,bw,MB/s,103.2,10,\n",
			rows);
	check_csv(csv, &r);
	for (size_t i = 0; i < r.n; i++) {
		cross |= !strcmp(r.items[i].rule, "cross-version") &&
			 r.items[i].severity == SEVERITY_ERROR &&
			 strstr(r.items[i].message, "digits changed places");
		reused |= !strcmp(r.items[i].rule, "reused-values") &&
			  strstr(r.items[i].message, "2 of 3 cells");
	}
	assert_true(cross && reused);
	check_report_release(&r);
	free(csv);
}

/* ---- limits ---- */

static void ceilings(void **state)
{
	static const struct {
		const char *where, *workload, *value, *unit;
		enum severity severity;
	} rates[] = {
		{ "nic 1GbE", "iperf 1500 B", "983.86", "Mbit/s", SEVERITY_WARN },
		{ "nic 1GbE", "iperf 1500 B", "933.86", "Mbit/s", SEVERITY_OK },
		{ "nic 1GbE", "iperf 1500 B", "1010.31", "Mbit/s", SEVERITY_ERROR },
		{ "nic 1GbE", "iperf 64 B", "800.31", "Mbit/s", SEVERITY_ERROR },
		{ "gigabit nic", "iperf", "126.31", "MB/s", SEVERITY_ERROR },
		{ "nic 100 Mbit", "iperf", "94.31", "Mbit/s", SEVERITY_OK },
		{ "nic 100 Mbit", "iperf", "121.31", "Mbit/s", SEVERITY_ERROR },
		{ "stick", "dd USB 2.0", "41.13", "MB/s", SEVERITY_OK },
		{ "stick", "dd USB 2.0", "61.23", "MB/s", SEVERITY_ERROR },
		{ "stick USB3.0", "read", "431.23", "MB/s", SEVERITY_OK },
		{ "stick USB3.0", "read", "561.23", "MB/s", SEVERITY_ERROR },
		{ "ssd SATA", "read", "561.23", "MB/s", SEVERITY_OK },
		{ "ssd SATA", "read", "641.23", "MB/s", SEVERITY_ERROR },
		{ "ssd NVMe", "read", "3541.23", "MB/s", SEVERITY_OK },
		{ "stick 32GB", "mass_storage", "3541.23", "MB/s", SEVERITY_OK },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		char *row = xasprintf("d,%s,%s,v,rate,%s,%s,5,\n", rates[i].where,
				      rates[i].workload, rates[i].unit, rates[i].value);

		/* dd's whole numbers are another matter */
		if (!strncmp(rates[i].workload, "dd", 2))
			memcpy(strstr(row, "dd "), "cp ", 3);
		if (rates[i].severity == SEVERITY_OK)
			rows_must_be_silent(row);
		else
			rows_must_say(row, "ceiling", rates[i].severity, 1, rates[i].value);
		free(row);
	}
	rows_must_say("d,b,w,v,cpu_usr,%,61.22,5,\nd,b,w,v,cpu_sys,%,41.31,5,\n", "ceiling",
		      SEVERITY_ERROR, 1, "102.5");
	rows_must_be_silent("d,b,w,v,cpu_usr,%,61.22,5,\nd,b,w,v,cpu_sys,%,38.31,5,\n");
	rows_must_say("d,b,w,v,time,s,-1.53,5,\n", "physical", SEVERITY_ERROR, 1, "-1.53");
}

/* ---- design ---- */

static void single_runs(void **state)
{
	(void)state;
	rows_must_say("d,b,w,v,time,s,2.64,1,\n", "single-run", SEVERITY_WARN, 1, "2.64 s");
	rows_must_say("d,b,w,v,time,s,2.64,2,\n", "single-run", SEVERITY_WARN, 1, "2 runs");
	rows_must_be_silent(
		"d,b,w,v,time,s,2.64,3,\nd,b,w,v,irqs,count,388182,1,\nd,b,w2,v,time,s,1.64,0,\n");
	must_say(HEADER "d,b,w,v,time,s,2.64,5,\n", "no-dispersion", SEVERITY_WARN, 1, "no spread");
}

static void confounded(void **state)
{
	static const struct {
		const char *a, *b, *between;
		bool bad;
	} pairs[] = {
		{ "v5.12.0", "v5.13.0-rc5 + V10", NULL, true },
		{ "v6.15", "v6.16+fix", NULL, true },
		{ "v6.15", "v6.16+fix", "v6.16", false },
		{ "v6.15", "v6.16 with fix", NULL, true },
		{ "v6.15", "v6.16", NULL, false },
		{ "v6.16", "v6.16 + V10", NULL, false },
		{ "v6.16+v1", "v6.16+v2", NULL, false },
		{ "original", "patched", NULL, false },
		{ "xhci without tasklet", "xhci with tasklet", NULL, false },
		{ "r4k or otto+continuous", "otto", NULL, false },
		{ "TXFIFO depth 3", "TXFIFO depth 6", NULL, false },
		{ "original, HZ=100", "patched, HZ=1000", NULL, true },
		{ "original, HZ=100", "patched, HZ=100", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *rows = xasprintf(
			"d,b,w,\"%s\",time,s,2.641,5,\nd,b,w,\"%s\",time,s,2.757,5,\n%s%s%s",
			pairs[i].a, pairs[i].b, pairs[i].between ? "d,b,w," : "",
			pairs[i].between ? pairs[i].between : "",
			pairs[i].between ? ",time,s,2.693,5,\n" : "");

		if (pairs[i].bad)
			rows_must_say(rows, "confounded", SEVERITY_ERROR, 1, pairs[i].b);
		else
			rows_must_be_silent(rows);
		free(rows);
	}
}

static void identity(void **state)
{
	(void)state;
	rows_must_say("d,b,w,fix(v2),t,s,2.641,5,\nd,c,w,fix(ktime),t,s,2.757,5,\n",
		      "variant-identity", SEVERITY_ERROR, 1, "v2, ktime");
	rows_must_be_silent(
		"d,b,w,fix(v2),t,s,2.641,5,\nd,c,w,fix(v2),t,s,2.757,5,\ne,c,w,fix(v3),t,s,2.797,5,\n");
	rows_must_say(
		"d,b,w,fix,t,s,2.641,5,commit 3c7ac40d7322\nd,c,w,fix,t,s,2.757,5,commit 85569e1cdd71\n",
		"variant-identity", SEVERITY_ERROR, 1, "3c7ac40d7322, 85569e1cdd71");
	rows_must_say("d,b,w,fix,t,s,2.641,5,v2 of the series\nd,c,w,fix,t,s,2.757,5,v3\n",
		      "variant-identity", SEVERITY_ERROR, 1, "v2, v3");
}

static void mixture(void **state)
{
	(void)state;
	rows_must_say("d,b,w,v,rate,fps,26.44,5,switches 30/24 fps\n", "mixture", SEVERITY_WARN, 1,
		      "24 and 30");
	rows_must_say("d,b,cam 24 or 30 fps,v,rate,fps,26.44,5,\n", "mixture", SEVERITY_WARN, 1,
		      "24 and 30");
	rows_must_be_silent(
		"d,b,w,v,rate,fps,30,5,switches 30/24 fps\nd,b,w2,v,rate,fps,26.3,5,30 fps\n");
}

/* ---- letters ---- */

static void text(void **state)
{
	(void)state;
	rows_must_say("d,b,w,v,t,s,fast,5,\n", "text", SEVERITY_ERROR, 1,
		      "t.csv:3:13: 'fast' is no number");
	rows_must_say("d,b,w,v,t,s,2.64 (best),5,\n", "text", SEVERITY_WARN, 1, "2.64 (best)");
	rows_must_say("d,b,w,v,t,s,2.64,5,between 13^ and 36%\n", "text", SEVERITY_WARN, 1, "13^");
	rows_must_be_silent("d,b,w,v,t,s,2.64 s,5,2^20 bytes\nd,b,w,u,t,s,,5,\nd,b,w,x,t,s,n/a,5,\n"
			    "d,b,w,y,t,s,<2.6,5,\n");
}

static void locale(void **state)
{
	struct check_report r = CHECK_REPORT_INIT;

	(void)state;
	check_csv(
		HEADER
		"d,b,w,v,t,s,\"41,6\",5,\nd,b,w,u,t,s,\"1.234,5\",5,\nd,b,w,x,t,s,\"12,345.6\",5,\n"
		"d,b,w2,v,t,s,\"1,234\",5,\nd,b,w2,u,t,s,1187,5,\n",
		&r);
	assert_string_equal(r.items[0].rule, "locale");
	assert_int_equal(r.items[0].severity, SEVERITY_INFO);
	assert_string_equal(r.items[0].expected, "41.6");
	assert_string_equal(r.items[1].expected, "1234.5");
	assert_string_equal(r.items[2].expected, "12345.6");
	/* beside 1187 it is no 1.234, but nobody can be sure */
	assert_string_equal(r.items[3].expected, "1234");
	assert_int_equal(r.items[3].severity, SEVERITY_WARN);
	check_report_release(&r);
}

/* ---- reading ---- */

/* Spreadsheets' ways to write the same: what is found is the same. */
static void dialects(void **state)
{
	static const char *const files[] = {
		"\xef\xbb\xbf" HEADER "d,b,w,v,time,s,2.64,1,\r\n",
		"value;unit;metric;variant;workload;board;source;extra;n\r\n2,64;s;time;v;w;b;d;x;1\r\n\r\n",
		"note\tn\tvalue\tunit\tmetric\tkernel_variant\tworkload\tboard\tseed_file\n"
		"\"a\nb\"\t1\t2.64\ts\ttime\tv\tw\tb\td",
		"seed_file,board,workload,kernel_variant,metric,unit,value,n_runs\nd,b,w,v,time,s, 2.64 ,1\n\n\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct check_report r = CHECK_REPORT_INIT;
		bool told = false;

		check_csv(files[i], &r);
		for (size_t k = 0; k < r.n; k++)
			told |= !strcmp(r.items[k].rule, "single-run") &&
				!strcmp(r.items[k].subject, "b w time v");
		if (!told)
			fail_msg("file %zu", i);
		check_report_release(&r);
	}
}

static void unreadable(void **state)
{
	static const struct {
		const char *csv, *message;
	} files[] = {
		{ "", "t.csv:1:1: the file is empty" },
		{ "a,b,c\n1,2,3\n", "t.csv:1:1: no column 'seed_file'" },
		{ "seed_file,board,workload,kernel_variant,metric,unit\n",
		  "t.csv:1:1: no column 'value'" },
		{ HEADER "d,b,\"w,v,time,s,2.64,1,\n", "t.csv:2:5: a quote that is never closed" },
		{ HEADER "d,b,\"w\"x,v,time,s,2.64,1,\n", "t.csv:2:8: text after a closing quote" },
		{ HEADER "d,b,w\n", "t.csv:2:5: 3 fields, no 'kernel_variant' among them" },
		{ HEADER "d,b,w,v,time,s,2.64,many,\n", "t.csv:2:21: 'many' is no number of runs" },
		{ HEADER "d,b,w,v,time,s,2.64,-1,\n", "t.csv:2:21: '-1' is no number of runs" },
		{ "board," HEADER "x\n", "t.csv:1:17: a second column 'board'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct err err = ERR_INIT;

		assert_null(check_table_read("t.csv", files[i].csv, strlen(files[i].csv), &err));
		assert_string_equal(err.message, files[i].message);
		assert_string_equal(err.code, "bad-csv");
		assert_int_equal(err.blame, BLAME_USER);
	}
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		double value, ulp;
	} good[] = {
		{ "110", 110, 1 },
		{ "21.46", 21.46, 0.01 },
		{ "-0.5", -0.5, 0.1 },
		{ "+3", 3, 1 },
		{ "\xe2\x88\x92"
		  "3.5",
		  -3.5, 0.1 },
		{ "41,6", 41.6, 0.1 },
		{ "1,234,567", 1234567, 1 },
		{ "1.5e3", 1500, 100 },
		{ "~ 20", 20, 1 },
		{ "0.00", 0, 0.01 },
	};
	static const char *const bad[] = { "", "-", ".", "x1", "1e999", "nan", "inf", "--3" };
	struct number n;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(number_parse(good[i].text, &n));
		assert_true(n.value == good[i].value);
		assert_true(fabs(n.ulp / good[i].ulp - 1) < 1e-12);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_parse(bad[i], &n));
}

/* Every unit of bandwidth that a label can have is found by its name, and by it alone. */
static void unit_table(void **state)
{
	(void)state;
	for (const struct unit *u = units; u->printed; u++) {
		char name[40];

		assert_true(u->factor > 0);
		assert_ptr_equal(unit_find(u->printed), u);
		snprintf(name, sizeof(name), "%s (as printed)", u->printed);
		assert_ptr_equal(unit_find(name), u);
	}
	assert_null(unit_find("furlongs"));
	assert_null(unit_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound),
		cmocka_unit_test(unit_of_a_table),
		cmocka_unit_test(unit_of_a_row),
		cmocka_unit_test(labels),
		cmocka_unit_test(tolerance),
		cmocka_unit_test(few_digits),
		cmocka_unit_test(block_sizes),
		cmocka_unit_test(swap_of_two),
		cmocka_unit_test(swap_of_three),
		cmocka_unit_test(swap_and_unit),
		cmocka_unit_test(no_swap),
		cmocka_unit_test(order),
		cmocka_unit_test(order_of_others),
		cmocka_unit_test(swapped_order),
		cmocka_unit_test(granularity),
		cmocka_unit_test(learnt_granularity),
		cmocka_unit_test(resolution),
		cmocka_unit_test(suspicious_digits),
		cmocka_unit_test(percent),
		cmocka_unit_test(swapped_percents),
		cmocka_unit_test(stated_mean),
		cmocka_unit_test(solved_mean),
		cmocka_unit_test(claims),
		cmocka_unit_test(duplicates),
		cmocka_unit_test(documents),
		cmocka_unit_test(ceilings),
		cmocka_unit_test(single_runs),
		cmocka_unit_test(confounded),
		cmocka_unit_test(identity),
		cmocka_unit_test(mixture),
		cmocka_unit_test(text),
		cmocka_unit_test(locale),
		cmocka_unit_test(dialects),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(numbers),
		cmocka_unit_test(unit_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
