// SPDX-License-Identifier: GPL-2.0-or-later
/* Function names and comparable texts; see symbol.h. Layer: scan. */
#include "scan/symbol.h"

#include <ctype.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *find(const char *text, size_t n, const char *word)
{
	return memmem(text, n, word, strlen(word));
}

/* Cuts ".isra.0" and its kin. */
static size_t cut_suffix(const char *name, size_t n)
{
	const char *dot = memchr(name + (n > 0), '.', n - (n > 0));

	return dot ? (size_t)(dot - name) : n;
}

static bool take_name(const char *text, const char *end, char *out, size_t size)
{
	const char *begin = end;
	size_t n;

	while (begin > text && is_name_char(begin[-1]))
		begin--;
	n = cut_suffix(begin, (size_t)(end - begin));
	if (!n || isdigit((unsigned char)*begin) || *begin == '.')
		return false;
	if (n >= size)
		n = size - 1;
	memcpy(out, begin, n);
	out[n] = '\0';
	return true;
}

bool symbol_in(const char *text, size_t n, char *out, size_t size)
{
	static const char *const marks[] = { "+0x", "()" };

	for (size_t i = 0; i < COUNT(marks); i++) {
		const char *p = text;

		while ((p = find(p, n - (size_t)(p - text), marks[i]))) {
			if (take_name(text, p, out, size))
				return true;
			p++;
		}
	}
	return false;
}

bool symbol_is_pc_line(const char *text, size_t n)
{
	static const char *const marks[] = {
		"RIP: ",  "RIP  ",    "EIP: ", "EIP is at ",  "pc : ", "PC is at ", "pc is at ",
		"epc : ", "epc   : ", "NIP [", "Krnl PSW : ", "ECR: ", "rip: "
	};

	for (size_t i = 0; i < COUNT(marks); i++)
		if (find(text, n, marks[i]))
			return true;
	return false;
}

/* Output with a limit. */
struct sink {
	char *at, *end;
};

static void sink_put(struct sink *s, char c)
{
	if (s->at < s->end)
		*s->at++ = c;
	*s->at = '\0';
}

static void sink_puts(struct sink *s, const char *word)
{
	while (*word)
		sink_put(s, *word++);
}

/* Length of a hexadecimal address or number at p: 0x..., or at least 8 hex digits. */
static size_t hex_length(const char *p, size_t n)
{
	size_t prefix = n > 2 && p[0] == '0' && p[1] == 'x' ? 2 : 0;
	size_t i = prefix;

	while (i < n && isxdigit((unsigned char)p[i]))
		i++;
	if (i < n && is_name_char(p[i]) && p[i] != '.')
		return 0;
	return i >= (prefix ? 3 : 8) ? i : 0;
}

/* A word that begins with a digit counts as a number: "8bb9", "4k". */
static size_t digits_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (i ? isalnum((unsigned char)p[i]) : isdigit((unsigned char)p[i])))
		i++;
	return i;
}

static size_t offset_length(const char *p, size_t n)
{
	size_t i = 3;

	if (n < 4 || memcmp(p, "+0x", 3) != 0)
		return 0;
	while (i < n && (isxdigit((unsigned char)p[i]) || p[i] == '/' || p[i] == 'x'))
		i++;
	return i;
}

void symbol_normalise(const char *text, size_t n, char *out, size_t size)
{
	struct sink s = { out + strlen(out), out + size - 1 };
	char before = s.at > out ? s.at[-1] : ' ';

	for (size_t i = 0; i < n;) {
		bool in_word = isalnum((unsigned char)before) || before == '_';
		size_t hex = in_word ? 0 : hex_length(text + i, n - i);
		size_t digits = in_word ? 0 : digits_length(text + i, n - i);
		size_t skip = hex ? hex : digits;

		if (skip) {
			sink_puts(&s, hex ? "ADDR" : "NUM");
			before = 'x';
			i += skip;
			continue;
		}
		skip = offset_length(text + i, n - i);
		if (skip) {
			i += skip;
			continue;
		}
		if (text[i] > ' ' && text[i] < 0x7f)
			sink_put(&s, text[i]);
		else if (text[i] == ' ' && before != ' ')
			sink_put(&s, ' ');
		before = text[i++];
	}
	while (s.at > out && s.at[-1] == ' ')
		*--s.at = '\0';
}
