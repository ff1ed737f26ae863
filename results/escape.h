/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of unknown origin (labels, kernel log lines, messages) inside another language. Every
 * function appends to out; bytes that are not UTF-8 become U+FFFD, one each. Layer: results, pure.
 */
#ifndef RESULTS_ESCAPE_H
#define RESULTS_ESCAPE_H

struct buf;

/* As it is, but valid UTF-8: for JSON libraries. */
void escape_utf8(struct buf *out, const char *text);

/*
 * XML 1.0 and HTML, in text and in quoted attributes: & < > " ' as references, control characters
 * and others that XML forbids as U+FFFD. A newline stays one in text; escape_xml_attribute() gives
 * it as a reference, because a parser would turn it into a space.
 */
void escape_xml(struct buf *out, const char *text);
void escape_xml_attribute(struct buf *out, const char *text);

/*
 * One field of a CSV line (RFC 4180): quoted when it must be. A text that a spreadsheet would run
 * as a formula (= + - @, tab or CR first) gets an apostrophe before it. Not for numbers of ours.
 */
void escape_csv(struct buf *out, const char *text);

/*
 * Markdown inline text, also within a table cell: punctuation that means something gets a
 * backslash, & and < become references, line ends a space.
 */
void escape_markdown(struct buf *out, const char *text);

#endif
