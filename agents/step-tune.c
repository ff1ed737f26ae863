// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps tune and untune: see tune.h and tune.c. */
#include "agents/agent.h"

static void note(void *ctx, const char *text)
{
	step_note(ctx, "%s", text);
}

void step_tune(struct step *s)
{
	struct tune_result r = { 0 };

	step_targets(s, NULL, NULL);
	if (tune_apply(&s->agent->tune, s->agent->root, &s->spec, note, s, &r))
		step_end(s, STEP_FAILED, "out of memory");
	else if (r.refused)
		step_end(s, STEP_OK, "%u of %u settings did not take", r.refused,
			 r.set + r.refused);
}

void step_untune(struct step *s)
{
	struct tune_result r = { 0 };

	tune_restore(&s->agent->tune, s->agent->root, note, s, &r);
	if (r.refused)
		step_end(s, STEP_FAILED, "%u of %u settings could not be restored", r.refused,
			 r.set + r.refused);
}
