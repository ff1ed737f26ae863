// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of parsers of tool output; see parse.h. Layer: results, pure. */
#include "results/parse.h"

#include <string.h>

#include "results/parse-dd.h"
#include "results/parse-ethtool.h"
#include "results/parse-fio-values.h"
#include "results/parse-funcgraph.h"
#include "results/parse-iperf.h"
#include "results/parse-irq.h"
#include "results/parse-irqrate.h"
#include "results/parse-pktgen.h"
#include "results/parse-vnstat.h"

const struct parser parsers[] = {
	{ "fio", fio_parse_values },
	{ "iperf", iperf_parse },
	{ "dd", dd_parse },
	{ "interrupts", interrupts_parse },
	{ "ethtool", ethtool_parse },
	{ "vnstat", vnstat_parse },
	{ "pktgen", pktgen_parse },
	{ "irqrate", irqrate_parse },
	{ "funcgraph", funcgraph_parse },
	{ NULL, NULL },
};

const struct parser *parser_find(const char *kind)
{
	for (const struct parser *p = parsers; p->kind; p++)
		if (!strcmp(p->kind, kind))
			return p;
	return NULL;
}

int parse_output(const struct parser *parser, const char *data, size_t size, struct values *out,
		 struct err *err)
{
	if (parser->parse(data, size, out, err) < 0)
		return -1;
	if (out->full)
		return err_set(err, BLAME_TEST, "parse-size", "more than %u numbers", VALUES_MAX);
	if (!out->n)
		return err_set(err, BLAME_TEST, "parse-none", "no number in it");
	return 0;
}
