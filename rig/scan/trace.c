// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames and source files; see trace.h. Layer: scan. */
#include "scan/trace.h"

#include <ctype.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_func_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static bool is_path_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '/' || c == '-' ||
	       c == '+' || c == ',';
}

static size_t blanks(const char *text, size_t n, size_t i)
{
	while (i < n && text[i] == ' ')
		i++;
	return i;
}

static bool starts(const char *text, size_t n, size_t i, const char *word)
{
	size_t len = strlen(word);

	return n - i >= len && !memcmp(text + i, word, len);
}

/* Past "[<ffffffff81051234>]" and "[ffffffff81051234]", one or several. */
static size_t skip_addresses(const char *text, size_t n, size_t i)
{
	for (;;) {
		size_t k = blanks(text, n, i), digits;

		if (k >= n || text[k++] != '[')
			return i;
		k += k < n && text[k] == '<';
		for (digits = k; k < n && isxdigit((unsigned char)text[k]); k++)
			;
		if (k - digits < 8)
			return i;
		k += k < n && text[k] == '>';
		if (k >= n || text[k] != ']')
			return i;
		i = k + 1;
	}
}

static const char *const extensions[] = { ".c:", ".h:", ".S:", ".rs:" };

/* The end of a file name at or after i, where ":123" follows; 0 = none. */
static size_t find_source(const char *text, size_t n, size_t i)
{
	for (; i + 3 < n; i++) {
		const char *dot = memchr(text + i, '.', n - i);

		if (!dot)
			return 0;
		i = (size_t)(dot - text);
		for (size_t e = 0; e < COUNT(extensions); e++) {
			size_t end = i + strlen(extensions[e]);

			if (end < n && starts(text, n, i, extensions[e]) &&
			    isdigit((unsigned char)text[end]))
				return end - 1;
		}
	}
	return 0;
}

/* What may stand between a function and the end of its frame. */
static bool is_place(const char *text, size_t n, size_t i)
{
	size_t end;

	if (starts(text, n, i, "+0x"))
		return true;
	if (i >= n || text[i] != ' ')
		return false;
	if (starts(text, n, i, " from "))
		return true;
	i++;
	i += i < n && text[i] == '(';
	end = find_source(text, n, i);
	for (; i < end; i++)
		if (!is_path_char(text[i]))
			return false;
	return end > 0;
}

/* Cuts ".isra.0" and its kin. */
static void set_func(struct frame *f, const char *name, size_t n)
{
	const char *dot = n > 1 ? memchr(name + 1, '.', n - 1) : NULL;

	f->func = name;
	f->func_n = dot ? (size_t)(dot - name) : n;
	f->sure = true;
}

bool frame_parse_place(const char *text, size_t n, struct frame *f)
{
	size_t i = 0;

	if (!n || (!isalpha((unsigned char)*text) && *text != '_'))
		return false;
	while (i < n && is_func_char(text[i]))
		i++;
	if (!is_place(text, n, i))
		return false;
	set_func(f, text, i);
	return true;
}

/* "(dump_stack) from [<...>]" and "(dump_stack+0x1/0x2) from [<...>]" */
static bool parse_arm(const char *text, size_t n, struct frame *f)
{
	const char *close = memchr(text, ')', n);
	size_t i = 1;

	if (!close || !starts(text, n, (size_t)(close - text), ") from "))
		return false;
	while (i < n && is_func_char(text[i]))
		i++;
	set_func(f, text + 1, i - 1);
	return f->func_n > 0;
}

bool frame_parse(const char *text, size_t n, struct frame *f)
{
	size_t i = blanks(text, n, skip_addresses(text, n, 0));
	bool guess = i + 1 < n && text[i] == '?' && text[i + 1] == ' ';

	if (guess)
		i = blanks(text, n, i + 1);
	if (i < n && text[i] == '(')
		return parse_arm(text + i, n - i, f);
	if (!frame_parse_place(text + i, n - i, f))
		return false;
	f->sure = !guess;
	return true;
}

static bool is_top_dir(const char *path, size_t n)
{
	static const char *const dirs[] = { "arch",    "block",	  "certs",    "crypto", "drivers",
					    "fs",      "init",	  "io_uring", "ipc",	"include",
					    "kernel",  "lib",	  "mm",	      "net",	"rust",
					    "samples", "scripts", "security", "sound",	"virt" };

	for (size_t i = 0; i < COUNT(dirs); i++)
		if (strlen(dirs[i]) == n && !memcmp(dirs[i], path, n))
			return true;
	return false;
}

/*
 * Cuts the directory of the build: "/usr/src/kernel/arch/x86/a.c" is arch/x86/a.c, where the
 * "kernel" is none of the tree because another top directory follows it.
 */
static size_t tree_begin(const char *path, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *slash = memchr(path + i, '/', n - i);
		const char *next;
		size_t len, after;

		if (!slash)
			break;
		len = (size_t)(slash - path) - i;
		after = i + len + 1;
		next = memchr(path + after, '/', n - after);
		if (is_top_dir(path + i, len) &&
		    !(len == 6 && !memcmp(path + i, "kernel", len) && next &&
		      is_top_dir(path + after, (size_t)(next - path) - after)))
			return i;
		i = after;
	}
	return 0;
}

bool source_in(const char *text, size_t n, char *out, size_t size)
{
	size_t end = find_source(text, n, 0), begin = end;

	if (!end)
		return false;
	while (begin > 0 && is_path_char(text[begin - 1]))
		begin--;
	while (starts(text, end, begin, "./") || starts(text, end, begin, "../"))
		begin += text[begin + 1] == '/' ? 2 : 3;
	if (text[begin] == '/')
		begin += tree_begin(text + begin, end - begin);
	if (end == begin || end - begin >= size)
		return false;
	memcpy(out, text + begin, end - begin);
	out[end - begin] = '\0';
	return true;
}
