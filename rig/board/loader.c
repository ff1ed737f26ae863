// SPDX-License-Identifier: GPL-2.0-or-later
/* The conversation with a bootloader; see loader.h. Layer: board. */
#include "board/loader-priv.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "io/prompt.h"

#define HEARD_MAX   65536
#define KEY_MS	    100 /* between two keys: the Edison's and the GS1900's windows are 1 s */
#define ANSWERS_MAX 3	/* the same question that often: the answer is wrong */
#define GARBAGE_PCT 30

static void add_row(struct loader *l, enum prompt_kind kind, const char *pattern)
{
	assert(l->n_rows < LOADER_ROWS_MAX);
	l->rows[l->n_rows++] = (struct prompt_row){ .kind = kind, .pattern = pattern };
}

/* Answers first: their index in the rows is that in rules->answers. */
static void make_rows(struct loader *l)
{
	const struct loader_rules *r = l->rules;

	for (const struct loader_step *s = r->answers; s && s->say; s++)
		add_row(l, PROMPT_PASSWORD, s->ask);
	l->n_answers = l->n_rows;
	add_row(l, PROMPT_LOADER, r->prompt);
	if (r->banner)
		add_row(l, PROMPT_AUTOBOOT, r->banner);
	for (size_t i = 0; i < prompt_rows_n; i++)
		if (prompt_rows[i].kind == PROMPT_AUTOBOOT)
			add_row(l, PROMPT_AUTOBOOT, prompt_rows[i].pattern);
}

struct loader *loader_new(const struct loader_rules *rules, struct loader_line line)
{
	struct loader *l = xcalloc(1, sizeof(*l));

	l->rules = rules;
	l->line = line;
	l->quiet_ms = rules->quiet_ms ? rules->quiet_ms : PROMPT_QUIET_MS;
	make_rows(l);
	prompt_init(&l->prompt, l->rows, l->n_rows);
	return l;
}

void loader_free(struct loader *l)
{
	if (!l)
		return;
	buf_release(&l->heard);
	free(l);
}

/* ---- bytes ---- */

static void take(struct loader *l, const char *data, size_t size)
{
	const struct prompt_row *row;

	prompt_feed(&l->prompt, data, size);
	row = prompt_banner(&l->prompt);
	l->restarted = l->restarted || row;
	buf_append(&l->heard, data, size);
	if (l->heard.size > HEARD_MAX)
		buf_consume(&l->heard, l->heard.size - HEARD_MAX);
}

/* Bytes that came, at most max; 0 = silence until d; -errno. */
ssize_t loader_hear(struct loader *l, size_t max, struct deadline d)
{
	char chunk[4096];
	ssize_t n = l->line.read(l->line.ctx, chunk, max < sizeof(chunk) ? max : sizeof(chunk), d);

	if (n > 0)
		take(l, chunk, (size_t)n);
	return n;
}

int loader_type(struct loader *l, const char *text, struct deadline d)
{
	return l->line.write(l->line.ctx, text, strlen(text), d);
}

void loader_forget(struct loader *l)
{
	buf_reset(&l->heard);
	l->restarted = false;
}

struct deadline loader_quiet(const struct loader *l, struct deadline d)
{
	return deadline_min(d, deadline_in(l->quiet_ms));
}

bool loader_heard(const struct loader *l, const char *text)
{
	return memmem(buf_str(&l->heard), l->heard.size, text, strlen(text)) != NULL;
}

/* ---- what went wrong ---- */

int loader_talk_failed(int rc, struct err *err)
{
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	if (rc == -ENODEV || rc == -EPIPE || rc == -EIO)
		return err_sys(err, BLAME_BOARD, "console", rc, "the console is gone");
	if (rc == -ETIMEDOUT)
		return err_set(err, BLAME_BOARD, "console", "the console takes no more bytes");
	return err_sys(err, BLAME_RIG, "console", rc, "console");
}

/* The unfinished line, as far as it prints: the last evidence. */
static void last_line(const struct loader *l, char *line, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < l->prompt.cursor && n + 1 < size; i++)
		line[n++] = l->prompt.line[i] < ' ' ? '?' : l->prompt.line[i];
	while (n && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
}

/* No prompt came in time. What did come tells most of the reasons apart. */
int loader_no_prompt(const struct loader *l, const char *doing, struct err *err)
{
	char line[120];

	last_line(l, line, sizeof(line));
	if (!l->heard.size)
		return err_set(err, BLAME_BOARD, "loader-silent",
			       "%s: not one byte on the console: is it powered, is this its port?",
			       doing);
	if (loader_garbage(buf_str(&l->heard), l->heard.size) > GARBAGE_PCT)
		return err_set(err, BLAME_BOARD, "loader-garbage",
			       "%s: %zu bytes came, most of them no text: is the speed right?",
			       doing, l->heard.size);
	if (line[0])
		return err_set(err, BLAME_BOARD, "loader-prompt",
			       "%s: it waits at '%s', but its prompt should be '%s'", doing, line,
			       l->rules->prompt);
	return err_set(err, BLAME_BOARD, "loader-timeout", "%s: no prompt '%s' in time", doing,
		       l->rules->prompt);
}

/* ---- the way in ---- */

static int refused(const struct loader *l, size_t i, struct err *err)
{
	return err_set(err, BLAME_USER, "loader-password",
		       "the loader asked '%s' %d times: the answer in the lab file, or of the "
		       "model, is not what it wants",
		       l->rules->answers[i].ask, ANSWERS_MAX);
}

/* The line is at rest at row. 1 = it is the prompt; 0 = a question, answered; -1. */
static int respond(struct loader *l, const struct prompt_row *row, struct deadline d,
		   struct err *err)
{
	size_t i = (size_t)(row - l->rows);
	char *answer;
	int rc;

	if (i >= l->n_answers)
		return 1;
	if (++l->answered[i] > ANSWERS_MAX)
		return refused(l, i, err);
	answer = xasprintf("%s\r", l->rules->answers[i].say);
	rc = loader_type(l, answer, d);
	free(answer);
	return rc ? loader_talk_failed(rc, err) : 0;
}

int loader_clear(struct loader *l, struct deadline d)
{
	if (!l->rules->clear)
		return 0;
	/* the prompt that stands there now is not the one that answers */
	prompt_init(&l->prompt, l->rows, l->n_rows);
	return loader_type(l, l->rules->clear, d);
}

/* Until a line is at rest that is the prompt: 0. -ETIMEDOUT, -ECONNRESET = it started anew. */
int loader_wait_prompt(struct loader *l, struct deadline d)
{
	for (;;) {
		ssize_t n = loader_hear(l, SIZE_MAX, loader_quiet(l, d));
		const struct prompt_row *row = n ? NULL : prompt_at_rest(&l->prompt);

		if (!n && l->line.check)
			n = l->line.check(l->line.check_ctx);
		if (n < 0)
			return (int)n;
		if (l->restarted)
			return -ECONNRESET;
		if (row && row->kind == PROMPT_LOADER)
			return 0;
		if (deadline_passed(d))
			return -ETIMEDOUT;
	}
}

int loader_interrupt(struct loader *l, struct deadline d, struct err *err)
{
	int rc;

	loader_forget(l);
	rc = loader_clear(l, d);
	if (!rc)
		rc = loader_wait_prompt(l, d);
	if (rc == -ETIMEDOUT)
		return loader_no_prompt(l, "after Ctrl-C", err);
	if (rc == -ECONNRESET)
		return err_set(err, BLAME_BOARD, "loader-reset", "the loader started again");
	return rc ? loader_talk_failed(rc, err) : 0;
}

/* What was typed while the prompt was on its way is still in the line. */
static int tidy(struct loader *l, struct deadline d, struct err *err)
{
	if (l->rules->clear)
		return loader_interrupt(l, d, err);
	loader_forget(l);
	return 0;
}

static bool kernel_runs(const struct loader *l)
{
	return loader_heard(l, LOADER_STARTED_TEXT) || loader_heard(l, "Linux version ");
}

/* The key goes out from power-on on: the window in which it counts may be short. */
static int type_key(struct loader *l, struct deadline *next, struct deadline d, struct err *err)
{
	int rc;

	if (!l->rules->key || !deadline_passed(*next))
		return 0;
	rc = loader_type(l, l->rules->key, d);
	*next = deadline_in(KEY_MS);
	return rc ? loader_talk_failed(rc, err) : 0;
}

int loader_enter(struct loader *l, struct deadline d, struct err *err)
{
	struct deadline key = deadline_in(0);

	memset(l->answered, 0, sizeof(l->answered));
	prompt_init(&l->prompt, l->rows, l->n_rows);
	loader_forget(l);
	/* one that is at its prompt already has shown it before: it is asked for a new one */
	if (l->rules->clear && loader_type(l, l->rules->clear, d))
		return loader_talk_failed(-ENODEV, err);
	for (;;) {
		/* no key while the line may be the prompt: its echo would disturb the silence */
		const struct prompt_row *row = prompt_at_rest(&l->prompt);
		ssize_t n;
		int rc;

		if (!row && type_key(l, &key, d, err))
			return -1;
		n = loader_hear(l, SIZE_MAX,
				row || !l->rules->key ? loader_quiet(l, d) : deadline_min(d, key));
		if (n < 0)
			return loader_talk_failed((int)n, err);
		if (kernel_runs(l))
			return err_set(err, BLAME_BOARD, "loader-missed",
				       "the boot was not stopped in time, a kernel runs");
		rc = n == 0 && row ? respond(l, row, d, err) : 0;
		if (rc)
			return rc < 0 ? -1 : tidy(l, d, err);
		if (deadline_passed(d))
			return loader_no_prompt(l, "waiting for the loader", err);
	}
}
