// SPDX-License-Identifier: GPL-2.0-or-later
/* A plan into the daemon's queue; see enqueue.h. Layer: cli. */
#include "cli/enqueue.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "rigd/control.h"
#include "suite/plan.h"

#define HOUR_MS 3600000

static json_t *request(const struct launch *l, const struct plan *plan, const struct enqueue *e)
{
	int64_t deadline_ms = e->deadline_h ? cli_now_ms() + e->deadline_h * HOUR_MS : 0;

	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:b, s:o}", "op", "submit", "board",
			 l->type ? "" : l->board, "type", l->type ? l->type : "", "priority",
			 (json_int_t)e->priority, "deadline_ms", (json_int_t)deadline_ms, "again",
			 e->again, "plan", plan_to_json(plan));
}

int enqueue(const struct launch *l, const struct plan *plan, struct enqueue *e, struct err *err)
{
	struct control *c = NULL;
	json_t *answer = NULL;
	int rc = control_open(&c, err);

	if (rc)
		return err_prefix(err, "start rigd, or use `rig run`");
	rc = control_call(c, request(l, plan, e), &answer, err);
	control_close(c);
	e->job = json_integer_value(json_object_get(answer, "job"));
	e->same = json_is_true(json_object_get(answer, "same"));
	json_decref(answer);
	return rc;
}
