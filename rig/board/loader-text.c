// SPDX-License-Identifier: GPL-2.0-or-later
/* What bootloaders print, and what they are told; no console. See loader.h. Layer: board. */
#include "board/loader.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define STATUS_MARK "rig-rc="

/*
 * Texts by which loaders that have no status tell that a command failed. U-Boot since 2008, the
 * vendors' branches of it, and TFTP clients.
 */
static const struct {
	const char *text;
	const char *hint; /* NULL = the text says it */
} failures[] = {
	{ "Unknown command", "is the model right?" },
	{ "syntax error", NULL },
	{ "## Error", NULL },
	{ "Usage:", "the loader wants other arguments" },
	{ "TFTP error", NULL },
	{ "TFTP server died", NULL },
	{ "Retry count exceeded", "no answer from the TFTP server" },
	{ "ARP Retry count exceeded", "nobody has the TFTP server's address" },
	{ "ping failed", NULL },
	{ "Wrong Image Format", NULL },
	{ "Bad Magic Number", NULL },
	{ "Bad Header Checksum", NULL },
	{ "Bad Data CRC", "the image was damaged on its way" },
	{ "Bad Linux ARM", NULL },
	{ "Unsupported Architecture", NULL },
	{ "can't get kernel image", NULL },
	{ "FDT and ATAGS support not compiled in", NULL },
	{ "Could not find a valid device tree", NULL },
	{ "Ramdisk image is corrupt or invalid", NULL },
	{ "Checksum failed", NULL },
	{ "Load failed", NULL },
	{ "Operation failed", NULL },
	{ "No ethernet found", NULL },
	{ "ERROR:", NULL },
};

static const char *value_of(const struct loader_var *vars, const char *name, size_t n)
{
	for (; vars && vars->name; vars++)
		if (strlen(vars->name) == n && !memcmp(vars->name, name, n))
			return vars->value;
	return NULL;
}

int loader_expand(const char *text, const struct loader_var *vars, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "{");
		const char *value, *end;

		if (!text[n] || (n && text[n - 1] == '$')) {
			n += text[n] == '{';
			buf_append(out, text, n);
			text += n;
			continue;
		}
		end = strchr(text + n, '}');
		value = end ? value_of(vars, text + n + 1, (size_t)(end - text) - n - 1) : NULL;
		if (!value)
			return -EINVAL;
		buf_append(out, text, n);
		buf_adds(out, value);
		text = end + 1;
	}
	return 0;
}

bool loader_echoed(const char *heard, size_t size, const char *typed)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)heard[i];

		if (c < ' ' || c == 0x7f)
			continue;
		if (!*typed || (char)c != *typed++)
			return false;
	}
	return !*typed;
}

/* The line that holds the byte at, without what does not print. */
static void quote_line(const char *output, size_t size, size_t at, char *line, size_t line_size)
{
	size_t begin = at, n = 0;

	while (begin > 0 && output[begin - 1] != '\n' && output[begin - 1] != '\r')
		begin--;
	for (size_t i = begin; i < size && output[i] != '\n' && output[i] != '\r'; i++)
		if (isprint((unsigned char)output[i]) && n + 1 < line_size)
			line[n++] = output[i];
	line[n] = '\0';
}

static const char *find(const char *output, size_t size, const char *text)
{
	return memmem(output, size, text, strlen(text));
}

/* The last number that stands behind the mark; -1 = none. The echo has "$?" there. */
static int status_of(const char *output, size_t size)
{
	const char *end = output + size, *p = output;
	int status = -1;

	while ((p = find(p, (size_t)(end - p), STATUS_MARK))) {
		p += strlen(STATUS_MARK);
		if (p < end && isdigit((unsigned char)*p))
			status = (int)strtol(p, NULL, 10);
	}
	return status;
}

static int failed_text(const char *output, size_t size, char *why, size_t why_size)
{
	char line[160];

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		const char *at = find(output, size, failures[i].text);

		if (!at)
			continue;
		quote_line(output, size, (size_t)(at - output), line, sizeof(line));
		snprintf(why, why_size, "\"%s\"%s%s", line, failures[i].hint ? ": " : "",
			 failures[i].hint ? failures[i].hint : "");
		return -1;
	}
	return 0;
}

/* The last line that says something, the status aside. */
static void last_words(const char *output, size_t size, char *line, size_t line_size)
{
	line[0] = '\0';
	for (size_t end = size; end > 0; end--) {
		char text[160];

		quote_line(output, size, end - 1, text, sizeof(text));
		if (!text[strspn(text, " ")] || strstr(text, STATUS_MARK))
			continue;
		snprintf(line, line_size, "%s", text);
		return;
	}
}

int loader_judge(const char *output, size_t size, const char *want, bool status, char *why,
		 size_t why_size)
{
	char words[160];
	int rc = status ? status_of(output, size) : 0;

	if (failed_text(output, size, why, why_size))
		return -1;
	last_words(output, size, words, sizeof(words));
	if (rc < 0) {
		snprintf(why, why_size, "it does not tell its status; last line: \"%s\"", words);
		return -1;
	}
	if (rc > 0) {
		snprintf(why, why_size, "status %d; last line: \"%s\"", rc, words);
		return -1;
	}
	if (!want || find(output, size, want))
		return 0;
	snprintf(why, why_size, "\"%s\" is not in what it prints; last line: \"%s\"", want, words);
	return -1;
}

unsigned int loader_garbage(const char *heard, size_t size)
{
	size_t odd = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)heard[i];

		odd += c > 0x7e || !c; /* control characters may be our own keys, echoed */
	}
	return size ? (unsigned int)(odd * 100 / size) : 0;
}
