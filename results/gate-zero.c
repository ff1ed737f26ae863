// SPDX-License-Identifier: GPL-2.0-or-later
/* Metrics that must be 0; see gate-zero.h. Layer: results, pure. */
#include "results/gate-zero.h"

#include <string.h>

bool metric_must_be_zero(const struct session_metric *m)
{
	return m->loss == 0;
}

bool zero_find(const struct session *s, int kernel, const struct session_metric *m,
	       struct zero_hit *hit)
{
	*hit = (struct zero_hit){ .metric = m };
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct session_step *step = &s->steps[i];
		double value;

		if (s->visits[step->visit].kernel != kernel ||
		    strcmp(step->workload, m->workload) != 0 ||
		    session_value(s, (int)i, m->metric, &value) < 0 || value == 0)
			continue;
		if (!hit->visits++) {
			hit->visit = step->visit;
			hit->value = value;
		}
	}
	return hit->visits;
}
