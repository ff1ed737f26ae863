/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace's function profiler, trace_stat/function* of all CPUs one after the other -> named
 * numbers. Layer: results, pure.
 *
 *	# function0
 *	  Function                               Hit    Time            Avg             s^2
 *	  --------                               ---    ----            ---             ---
 *	  usleep_range_state                    1000    62810.540 us    62.810 us       912.312 us
 *
 *	F.count		count: how often function F ran, all CPUs together
 *	F.total_ns	ns: in all
 *	F.mean_ns	ns: a run
 */
#ifndef RESULTS_PARSE_FUNCGRAPH_H
#define RESULTS_PARSE_FUNCGRAPH_H

#include "results/parse.h"

/* parse_fn. -1: "funcgraph-none" (no table), "funcgraph-idle" (tables, but no function in them). */
int funcgraph_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
