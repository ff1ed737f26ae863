// SPDX-License-Identifier: GPL-2.0-or-later
/* Text inside other languages; see escape.h. Layer: results, pure. */
#include "results/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

struct rune {
	uint32_t code; /* UINT32_MAX: not UTF-8 */
	size_t size;
};

static const struct {
	unsigned char mask, lead;
	uint32_t least; /* shorter forms exist below: forbidden */
} shapes[] = {
	{ 0x80, 0x00, 0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

static struct rune decode(const char *text, size_t shape)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t code = p[0] & (unsigned char)~shapes[shape].mask;

	for (size_t i = 1; i <= shape; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return (struct rune){ UINT32_MAX, 1 };
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < shapes[shape].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return (struct rune){ UINT32_MAX, 1 };
	return (struct rune){ code, shape + 1 };
}

/* The character at text, which is not at its end. */
static struct rune next(const char *text)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (((unsigned char)*text & shapes[i].mask) == shapes[i].lead)
			return decode(text, i);
	return (struct rune){ UINT32_MAX, 1 };
}

static void put(struct buf *out, const char *text, struct rune r)
{
	if (r.code == UINT32_MAX)
		buf_adds(out, REPLACEMENT);
	else
		buf_append(out, text, r.size);
}

void escape_utf8(struct buf *out, const char *text)
{
	for (struct rune r; *text; text += r.size) {
		r = next(text);
		put(out, text, r);
	}
}

/* ---- XML ---- */

static const char *reference(uint32_t code)
{
	switch (code) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Tab, LF and CR are the only control characters that XML 1.0 knows. HTML takes them as well. */
static bool forbidden(uint32_t code)
{
	return (code < ' ' && code != '\t' && code != '\n' && code != '\r') ||
	       (code >= 127 && code < 160) || (code & 0xfffe) == 0xfffe ||
	       (code >= 0xfdd0 && code < 0xfdf0);
}

static void put_xml(struct buf *out, const char *text, bool attribute)
{
	for (struct rune r; *text; text += r.size) {
		r = next(text);
		if (r.code == UINT32_MAX || forbidden(r.code))
			buf_adds(out, REPLACEMENT);
		else if (reference(r.code))
			buf_adds(out, reference(r.code));
		else if (r.code == '\r' || (attribute && r.code < ' '))
			buf_addf(out, "&#%u;", (unsigned int)r.code);
		else
			put(out, text, r);
	}
}

void escape_xml(struct buf *out, const char *text)
{
	put_xml(out, text, false);
}

void escape_xml_attribute(struct buf *out, const char *text)
{
	put_xml(out, text, true);
}

/* ---- CSV ---- */

void escape_csv(struct buf *out, const char *text)
{
	bool formula = *text && strchr("=+-@\t\r", *text);
	bool quote = formula || *text == ' ' || strpbrk(text, ",\"\r\n;\t");

	if (quote)
		buf_adds(out, "\"");
	if (formula)
		buf_adds(out, "'");
	for (struct rune r; *text; text += r.size) {
		r = next(text);
		if (r.code == '"')
			buf_adds(out, "\"");
		if (r.code < ' ' && !strchr("\t\r\n", (int)r.code))
			buf_adds(out, REPLACEMENT);
		else
			put(out, text, r);
	}
	if (quote)
		buf_adds(out, "\"");
}

/* ---- Markdown ---- */

void escape_markdown(struct buf *out, const char *text)
{
	const char *begin = text;

	for (struct rune r; *text; text += r.size) {
		r = next(text);
		if (r.code == '&' || r.code == '<')
			buf_adds(out, reference(r.code));
		else if (r.code < ' ' || r.code == 127)
			buf_adds(out, " ");
		else if (r.code < 127 && (strchr("\\`*_[]#|~@$", (int)r.code) ||
					  (text == begin && strchr("+->=", (int)r.code))))
			buf_addf(out, "\\%c", (int)r.code);
		else
			put(out, text, r);
	}
}
