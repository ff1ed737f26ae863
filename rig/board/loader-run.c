// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to a bootloader, and what they answer; see loader.h. Layer: board. */
#include "board/loader-priv.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define ECHO_TRIES  3
#define ECHO_QUIETS 10 /* that many silences without the echo: it will not come */

/* 1 = whole; 0 = not, and it will not come. */
static int wait_echo(struct loader *l, const char *text, struct deadline d)
{
	struct deadline limit = deadline_min(d, deadline_in(l->quiet_ms * ECHO_QUIETS));

	for (;;) {
		ssize_t n;

		if (loader_echoed(buf_str(&l->heard), l->heard.size, text))
			return 1;
		if (deadline_passed(limit))
			return 0;
		n = loader_hear(l, SIZE_MAX, limit);
		if (n < 0)
			return (int)n;
	}
}

/* A loader without a FIFO loses what comes too fast: one byte, its echo, the next. */
static int type_slowly(struct loader *l, const char *text, struct deadline d)
{
	for (size_t i = 0; text[i]; i++) {
		char one[2] = { text[i], '\0' };
		size_t before = l->heard.size;
		int rc = loader_type(l, one, d);

		if (rc)
			return rc;
		if (loader_hear(l, SIZE_MAX, loader_quiet(l, d)) < 0 || l->heard.size == before)
			return 0; /* the comparison will tell */
	}
	return 0;
}

/* Types a line and its end, once its echo has come back whole. */
static int type_line(struct loader *l, const char *text, struct deadline d, struct err *err)
{
	for (int i = 0; i < ECHO_TRIES; i++) {
		int rc;

		loader_forget(l);
		rc = i ? type_slowly(l, text, d) : loader_type(l, text, d);
		if (!rc)
			rc = wait_echo(l, text, d);
		if (rc < 0)
			return loader_talk_failed(rc, err);
		if (rc) {
			loader_forget(l);
			rc = loader_type(l, "\r", d);
			return rc ? loader_talk_failed(rc, err) : 0;
		}
		rc = loader_clear(l, d);
		if (!rc)
			rc = loader_wait_prompt(l, deadline_min(d, deadline_in(LOADER_STEP_MS)));
		if (rc && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return loader_talk_failed(rc, err);
	}
	return err_set(err, BLAME_BOARD, "loader-echo",
		       "'%.60s' does not come back as it was typed, not even byte by byte", text);
}

/* The unfinished line must become what the step answers. */
static int wait_question(struct loader *l, const char *ask, struct deadline d, struct err *err)
{
	struct prompt_row row = { .kind = PROMPT_PASSWORD, .pattern = ask };

	for (;;) {
		struct prompt look = l->prompt;
		ssize_t n = loader_hear(l, SIZE_MAX, loader_quiet(l, d));

		if (n < 0)
			return loader_talk_failed((int)n, err);
		look.rows = &row;
		look.n_rows = 1;
		if (!n && prompt_at_rest(&look))
			return 0;
		if (deadline_passed(d))
			break;
	}
	return err_set(err, BLAME_BOARD, "loader-timeout", "the loader did not ask '%s' in time",
		       ask);
}

static int give_answer(struct loader *l, const char *text, struct deadline d, struct err *err)
{
	char *line = xasprintf("%s\r", text);
	int rc;

	loader_forget(l);
	rc = loader_type(l, line, d);
	free(line);
	return rc ? loader_talk_failed(rc, err) : 0;
}

/* A step with its placeholders filled in. */
struct spoken {
	const struct loader_step *step;
	char *say, *want; /* want may be NULL */
};

static int speak(struct spoken *s, const struct loader_step *step, const struct loader_var *vars,
		 struct err *err)
{
	struct buf say = BUF_INIT, want = BUF_INIT;
	int rc = loader_expand(step->say, vars, &say);

	if (!rc && step->want)
		rc = loader_expand(step->want, vars, &want);
	buf_adds(&say, "");
	s->step = step;
	s->say = buf_detach(&say);
	s->want = step->want ? buf_detach(&want) : NULL;
	buf_release(&want);
	return rc ? err_set(err, BLAME_USER, "loader-text", "'%s': a placeholder in it is unknown",
			    step->say)
		  : 0;
}

static void spoken_release(struct spoken *s)
{
	free(s->say);
	free(s->want);
}

/* Types it where it is wanted. status: the line asks for it as well. */
static int say(struct loader *l, const struct spoken *s, bool status, struct deadline d,
	       struct err *err)
{
	char *line;
	int rc;

	if (s->step->ask)
		return wait_question(l, s->step->ask, d, err) ? -1 : give_answer(l, s->say, d, err);
	line = xasprintf("%s%s", s->say, status ? LOADER_STATUS_ASK : "");
	rc = type_line(l, line, d, err);
	free(line);
	return rc;
}

static int judge(struct loader *l, const struct spoken *s, struct err *err)
{
	char why[400];

	if (!loader_judge(buf_str(&l->heard), l->heard.size, s->want, l->rules->status, why,
			  sizeof(why)))
		return 0;
	return err_set(err, BLAME_BOARD, "loader-command", "%s: %s", s->say, why);
}

static int late(struct loader *l, const struct spoken *s, int rc, struct err *err)
{
	char why[400];

	if (rc == -ECONNRESET && l->restarted)
		return err_set(err, BLAME_BOARD, "loader-reset",
			       "the loader started again during '%s'", s->say);
	if (rc != -ETIMEDOUT)
		return loader_talk_failed(rc, err);
	/* it may have said why before it fell silent */
	if (loader_judge(buf_str(&l->heard), l->heard.size, NULL, false, why, sizeof(why)))
		err_set(err, BLAME_BOARD, "loader-timeout", "%s: %s", s->say, why);
	else
		loader_no_prompt(l, s->say, err);
	loader_type(l, "\003", deadline_in(l->quiet_ms)); /* so that the next try finds a prompt */
	return -1;
}

static struct deadline step_limit(const struct loader_step *step, struct deadline d)
{
	return deadline_min(d, deadline_in(step->limit_ms ? step->limit_ms : LOADER_STEP_MS));
}

static int wait_text(struct loader *l, const char *text, struct deadline d)
{
	for (;;) {
		ssize_t n;

		if (loader_heard(l, text))
			return 0;
		if (deadline_passed(d))
			return -ETIMEDOUT;
		n = loader_hear(l, 1, d);
		if (n < 0)
			return (int)n;
		if (l->restarted)
			return -ECONNRESET;
	}
}

static int run_once(struct loader *l, const struct spoken *s, struct deadline d, struct err *err)
{
	struct deadline limit = step_limit(s->step, d);
	bool status = l->rules->status && !s->step->ask;
	int rc;

	if (say(l, s, status, limit, err))
		return -1;
	/* after an answer comes the next question, which the next step waits for */
	if (s->step->ask)
		rc = s->want ? wait_text(l, s->want, limit) : 0;
	else
		rc = loader_wait_prompt(l, limit);
	if (rc)
		return late(l, s, rc, err);
	return s->step->ask ? 0 : judge(l, s, err);
}

/* Is the loader back at its prompt, for another try? */
static bool recovered(struct loader *l, struct deadline d)
{
	return prompt_at_rest(&l->prompt) ||
	       !loader_wait_prompt(l, deadline_min(d, deadline_in(LOADER_STEP_MS)));
}

static int run_step(struct loader *l, const struct loader_step *step, const struct loader_var *vars,
		    struct deadline d, struct err *err)
{
	unsigned int left = step->tries ? step->tries : 1;
	struct err last = ERR_INIT;
	struct spoken s;
	int rc = speak(&s, step, vars, &last);

	while (!rc) {
		rc = run_once(l, &s, d, &last);
		if (!rc || !--left || deadline_passed(d) || l->restarted || !recovered(l, d))
			break;
		rc = 0;
	}
	spoken_release(&s);
	if (rc && err)
		*err = last;
	return rc;
}

int loader_script(struct loader *l, const struct loader_step *steps, const struct loader_var *vars,
		  struct deadline d, struct err *err)
{
	for (; steps && steps->say; steps++)
		if (run_step(l, steps, vars, d, err))
			return -1;
	return 0;
}

int loader_goes_on(struct loader *l, const char *what, struct deadline d, struct err *err)
{
	const struct prompt_row *row;
	char why[400] = "it ended at once";
	ssize_t n;

	do {
		n = loader_hear(l, SIZE_MAX, loader_quiet(l, d));
	} while (n > 0 && !deadline_passed(d));
	if (n < 0)
		return loader_talk_failed((int)n, err);
	if (l->restarted)
		return err_set(err, BLAME_BOARD, "loader-reset",
			       "the loader started again during '%s'", what);
	row = prompt_at_rest(&l->prompt);
	if (!row || row->kind != PROMPT_LOADER)
		return 0;
	loader_judge(buf_str(&l->heard), l->heard.size, NULL, false, why, sizeof(why));
	return err_set(err, BLAME_BOARD, "loader-command", "%s: %s", what, why);
}

/* ---- the start of the kernel ---- */

/* The text of success, or the prompt again, which is failure. Byte by byte. */
static int wait_start(struct loader *l, const struct spoken *s, struct deadline d, struct err *err)
{
	const char *want = s->want ? s->want : LOADER_STARTED_TEXT;
	char why[400];

	for (;;) {
		ssize_t n = loader_hear(l, 1, loader_quiet(l, d));
		const struct prompt_row *row = n ? NULL : prompt_at_rest(&l->prompt);

		if (n < 0)
			return late(l, s, (int)n, err);
		if (loader_heard(l, want))
			return 0;
		if (l->restarted)
			return late(l, s, -ECONNRESET, err);
		if (row && row->kind == PROMPT_LOADER) {
			loader_judge(buf_str(&l->heard), l->heard.size, want, false, why,
				     sizeof(why));
			return err_set(err, BLAME_BOARD, "loader-command", "%s: %s", s->say, why);
		}
		if (deadline_passed(d))
			return late(l, s, -ETIMEDOUT, err);
	}
}

static int start(struct loader *l, const struct loader_step *step, const struct loader_var *vars,
		 struct deadline d, struct err *err)
{
	struct deadline limit = step_limit(step, d);
	struct spoken s;
	int rc = speak(&s, step, vars, err);

	if (!rc)
		rc = say(l, &s, false, limit, err);
	if (!rc)
		rc = wait_start(l, &s, limit, err);
	spoken_release(&s);
	return rc;
}

int loader_boot(struct loader *l, const struct loader_step *steps, const struct loader_var *vars,
		struct deadline d, struct err *err)
{
	for (; steps[0].say && steps[1].say; steps++)
		if (run_step(l, steps, vars, d, err))
			return -1;
	return start(l, steps, vars, d, err);
}
