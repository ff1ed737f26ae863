// SPDX-License-Identifier: GPL-2.0-or-later
/* The agent on a foreign system; see shell.h. Layer: job. */
#include "job/shell.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/spawn.h"
#include "board/board.h"
#include "board/lab.h"
#include "io/prompt.h"
#include "job/dut.h"
#include "job/shell-text.h"

#include <md5.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGENT_MAX  (16u << 20)
#define LOGIN_MS   120000 /* power-on to a prompt: a full system starts its services first */
#define ASK_MS	   10000  /* nothing came for so long: a key is pressed */
#define COMMAND_MS 20000
#define PACK_MS	   30000
#define TRIES	   3
#define NAME	   "rig-agent"

struct shell {
	struct dut *dut;
	const struct lab_agent *how;
	struct prompt prompt;
	struct buf heard; /* since the last command */
	struct deadline limit;
	struct err *err;
};

static void hear(void *ctx, const void *data, size_t size)
{
	struct shell *s = ctx;

	prompt_feed(&s->prompt, data, size);
	buf_append(&s->heard, data, size);
}

static void type(struct shell *s, const char *text)
{
	dut_type(s->dut, text, strlen(text));
}

/* ---- login ---- */

/* The prompt that the console rests at; NULL at the deadline, or with s->err for what is worse. */
static const struct prompt_row *wait_prompt(struct shell *s, struct deadline d, int *rc)
{
	const struct prompt_row *row;

	do {
		*rc = dut_hear(s->dut, deadline_min(d, deadline_in(PROMPT_QUIET_MS)), s->err);
		row = *rc == 1 ? prompt_at_rest(&s->prompt) : NULL;
	} while (!row && *rc >= 0 && !deadline_passed(d));
	return row;
}

static int no_login(struct shell *s, const char *why)
{
	return err_set(s->err, BLAME_BOARD, "shell-login",
		       "%s; the console rests at '%.80s' after the line '%s'", why, s->prompt.line,
		       dut_last_line(s->dut));
}

/* What a prompt wants typed; NULL = nothing will do. */
static const char *answer_to(const struct shell *s, enum prompt_kind kind)
{
	if (kind == PROMPT_LOGIN)
		return s->how->login;
	return kind == PROMPT_PASSWORD ? s->how->password : NULL;
}

static int answer(struct shell *s, const struct prompt_row *row)
{
	const char *text = answer_to(s, row->kind);

	if (!text)
		return no_login(s, "the lab file has no answer to that prompt (login, password)");
	type(s, text);
	type(s, "\n");
	prompt_init(&s->prompt, prompt_rows, prompt_rows_n);
	return 0;
}

static int log_in(struct shell *s)
{
	struct deadline d = deadline_min(s->limit, deadline_in(LOGIN_MS));
	int rc = 0, answers = 0;

	while (!rc && !deadline_passed(d)) {
		const struct prompt_row *row =
			wait_prompt(s, deadline_min(d, deadline_in(ASK_MS)), &rc);

		if (rc < 0)
			return -1;
		rc = 0;
		if (row && row->kind == PROMPT_SHELL)
			return 0;
		if (row && answers++ == 4)
			return no_login(s, "it asks for name and password again and again");
		if (row)
			rc = answer(s, row);
		else
			type(s, "\n");
	}
	return rc ? -1 : no_login(s, "no prompt");
}

/* ---- commands ---- */

/* 0 with *code; 1 when no answer came; -1 with s->err. */
static int command(struct shell *s, const char *text, int *code)
{
	struct deadline d = deadline_min(s->limit, deadline_in(COMMAND_MS));
	struct buf line = BUF_INIT;
	int rc = 0;

	buf_reset(&s->heard);
	shell_line(&line, text);
	dut_type(s->dut, line.data, line.size);
	buf_release(&line);
	while (!shell_answer(buf_str(&s->heard), s->heard.size, code)) {
		if (deadline_passed(d))
			return 1;
		rc = dut_hear(s->dut, d, s->err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* One that may be given again. 0 when it ended with 0. */
static int must(struct shell *s, const char *text)
{
	int code = -1, rc = 1;

	for (int i = 0; i < TRIES && rc == 1; i++)
		rc = command(s, text, &code);
	if (rc < 0 || (!rc && !code))
		return rc;
	return err_set(s->err, BLAME_BOARD, "shell-transfer", "'%.200s': %s", text,
		       rc ? "no answer" : "it failed");
}

/* What a command printed between << and >>; "" when it did not. */
static int ask(struct shell *s, const char *text, char *word, size_t cap)
{
	int code, rc = 1;

	*word = '\0';
	for (int i = 0; i < TRIES && rc == 1; i++)
		rc = command(s, text, &code);
	if (rc < 0)
		return -1;
	if (!rc)
		shell_word(buf_str(&s->heard), s->heard.size, word, cap);
	return 0;
}

/* ---- what the system has ---- */

/* A way to write any bytes as lines of a shell: begin, the bytes as text, end. */
struct encoding {
	const char *begin, *end;
	size_t piece; /* bytes a line */
	void (*put)(struct buf *line, const void *data, size_t n);
	size_t (*length)(size_t n); /* what such a line of n bytes appends */
};

static size_t base64_length(size_t n)
{
	return (n + 2) / 3 * 4 + 1;
}

static size_t octal_length(size_t n)
{
	return n;
}

static const struct encoding base64 = { "echo ", " >>" NAME ".t", (SHELL_LINE_MAX - 100) / 4 * 3,
					shell_base64, base64_length };
static const struct encoding octal = { "printf '", "' >>" NAME ".t", (SHELL_LINE_MAX - 100) / 4,
				       shell_octal, octal_length };

static const struct decoder {
	const char *name;
	const char *command; /* NAME.t to NAME.p */
	const struct encoding *encoding;
} decoders[] = {
	{ "base64", "base64 -d <" NAME ".t >" NAME ".p", &base64 },
	{ "openssl", "openssl base64 -d -A -in " NAME ".t -out " NAME ".p", &base64 },
	{ "printf", "mv " NAME ".t " NAME ".p", &octal },
};

static const struct sum {
	const char *name;
	const char *command;
	char *(*end)(const uint8_t *data, size_t size, char *hex);
} sums[] = {
	{ "sha256sum", "sha256sum <" NAME, SHA256Data },
	{ "md5sum", "md5sum <" NAME, MD5Data },
};

/* The first of the names that the system knows as a command. */
static int first_of(struct shell *s, const char *names, char *word, size_t cap)
{
	char text[300];

	snprintf(text, sizeof(text),
		 "for c in %s none; do command -v $c >/dev/null 2>&1 && break; done; "
		 "echo \"<\"\"<$c>\"\">\"",
		 names);
	return ask(s, text, word, cap);
}

static const struct decoder *find_decoder(struct shell *s)
{
	char name[32];

	if (first_of(s, "base64 openssl printf", name, sizeof(name)))
		return NULL;
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (!strcmp(decoders[i].name, name))
			return &decoders[i];
	err_set(s->err, BLAME_BOARD, "shell-transfer",
		"the system has neither base64 nor openssl nor printf to write a file with");
	return NULL;
}

/* ---- transfer ---- */

/* How many bytes have arrived; -1 with s->err. */
static long count_bytes(struct shell *s)
{
	char word[32];

	if (ask(s, "echo \"<\"\"<$(($(wc -c <" NAME ".t)))>\"\">\"", word, sizeof(word)))
		return -1;
	return strtol(word, NULL, 10);
}

/* `text` appends to what is there and makes it `bytes` long. Again, if it did not. */
static int append(struct shell *s, const char *text, long bytes)
{
	for (int i = 0; i < TRIES; i++) {
		int code, rc = command(s, text, &code);
		long now;

		if (rc < 0)
			return -1;
		if (!rc && !code)
			return 0;
		now = count_bytes(s);
		if (now < 0)
			return -1;
		if (now == bytes)
			return 0;
	}
	return err_set(s->err, BLAME_BOARD, "shell-transfer", "byte %ld does not arrive", bytes);
}

static int send_text(struct shell *s, const struct encoding *e, const struct buf *data)
{
	size_t bytes = 0;
	int rc = 0;

	for (size_t at = 0; !rc && at < data->size; at += e->piece) {
		size_t n = data->size - at < e->piece ? data->size - at : e->piece;
		struct buf line = BUF_INIT;

		buf_adds(&line, e->begin);
		e->put(&line, data->data + at, n);
		buf_adds(&line, e->end);
		bytes += e->length(n);
		rc = append(s, buf_str(&line), (long)bytes);
		buf_release(&line);
	}
	return rc;
}

/* By the program that every host has; what cannot be packed is sent as it is. */
static int pack(const char *path, struct buf *out)
{
	const char *const argv[] = { "gzip", "-9nc", path, NULL };
	struct spawn spawn = SPAWN_INIT;

	spawn.argv = argv;
	return spawn_run(&spawn, out, deadline_in(PACK_MS));
}

static int transfer_packed(struct shell *s, const struct buf *data, bool packed)
{
	const struct decoder *decoder = find_decoder(s);
	int rc = decoder ? must(s, "rm -f " NAME " " NAME ".t " NAME ".p") : -1;

	if (!rc)
		rc = send_text(s, decoder->encoding, data);
	if (!rc)
		rc = must(s, decoder->command);
	if (!rc)
		rc = must(s, packed ? "gunzip -c <" NAME ".p >" NAME : "cp " NAME ".p " NAME);
	return rc ? rc : must(s, "rm -f " NAME ".t " NAME ".p");
}

static int transfer(struct shell *s, const char *path, const struct buf *agent)
{
	struct buf small = BUF_INIT;
	char unpacker[32];
	bool packed = false;
	int rc = first_of(s, "gunzip", unpacker, sizeof(unpacker));

	if (!rc && !strcmp(unpacker, "gunzip"))
		packed = !pack(path, &small);
	if (!rc)
		rc = transfer_packed(s, packed ? &small : agent, packed);
	buf_release(&small);
	return rc;
}

/* ---- check ---- */

static int compare(struct shell *s, const struct sum *sum, const struct buf *agent)
{
	char hex[SHA256_DIGEST_STRING_LENGTH], text[200], word[100];

	sum->end((const uint8_t *)agent->data, agent->size, hex);
	snprintf(text, sizeof(text), "x=$(%s); echo \"<\"\"<${x%%%% *}>\"\">\"", sum->command);
	if (ask(s, text, word, sizeof(word)))
		return -1;
	if (!strcmp(word, hex))
		return 0;
	return err_set(s->err, BLAME_BOARD, "shell-transfer",
		       "the agent arrived damaged: %s is '%s' instead of %s", sum->name, word, hex);
}

static int check(struct shell *s, const struct buf *agent)
{
	char name[32];

	if (first_of(s, "sha256sum md5sum", name, sizeof(name)))
		return -1;
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (!strcmp(sums[i].name, name))
			return compare(s, &sums[i], agent);
	return err_set(s->err, BLAME_BOARD, "shell-transfer",
		       "the system has neither sha256sum nor md5sum to check what arrived");
}

/* ---- all of it ---- */

static int bring(struct shell *s, struct board *board, const char *path, const struct buf *agent)
{
	char *remote;
	int rc;

	if (s->how->by == LAB_AGENT_BY_CONSOLE)
		return transfer(s, path, agent);
	remote = path_join(s->how->dir, NAME);
	rc = board_push(board, path, remote, s->err);
	free(remote);
	return rc;
}

static int start(struct shell *s, struct board *board, const char *path, const struct buf *agent)
{
	char text[600];

	if (log_in(s))
		return -1;
	/* no escape sequences in prompts and no echo: half of the way is saved */
	if (must(s, "TERM=dumb; PS1='# '; stty -echo 2>/dev/null; true"))
		return -1;
	snprintf(text, sizeof(text), "cd '%s'", s->how->dir);
	if (must(s, text) || bring(s, board, path, agent) || check(s, agent) ||
	    must(s, "chmod 755 " NAME))
		return -1;
	snprintf(text, sizeof(text), "exec ./" NAME "%s\n",
		 s->how->may_reboot ? " --allow-reboot" : "");
	type(s, text);
	return 0;
}

int shell_start_agent(struct dut *d, struct board *board, const struct lab_agent *how,
		      const char *agent, struct deadline limit, struct err *err)
{
	struct shell s = { .dut = d, .how = how, .limit = limit, .err = err };
	struct buf binary = BUF_INIT;
	int rc = path_read(agent, &binary, AGENT_MAX);

	if (rc) {
		err_sys(err, BLAME_RIG, "agent", rc, "cannot read %s", agent);
	} else {
		prompt_init(&s.prompt, prompt_rows, prompt_rows_n);
		dut_listen(d, hear, &s);
		rc = start(&s, board, agent, &binary);
		dut_listen(d, NULL, NULL);
	}
	buf_release(&s.heard);
	buf_release(&binary);
	return rc ? -1 : 0;
}
