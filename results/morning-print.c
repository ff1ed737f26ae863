// SPDX-License-Identifier: GPL-2.0-or-later
/* The morning report as text and as a page of HTML; see morning.h. Layer: results, pure. */
#include "results/morning.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/day.h"
#include "results/escape.h"
#include "results/report-html.h"

static const char no_person[] = "Nothing needs a person.";
static const char no_change[] = "Nothing has changed.";
static const char no_session[] = "No session ended.";

static char *title(const struct morning *m)
{
	char since[DAY_TIME_SIZE], until[DAY_TIME_SIZE];

	day_minute(m->since_ms, since);
	day_minute(m->until_ms, until);
	return xasprintf("Morning report: %s to %s UTC", since, until);
}

/* ---- text ---- */

static const char *sign(enum verdict v)
{
	static const char *const signs[] = {
		[VERDICT_NONE] = ".",	      [VERDICT_PASS] = "+", [VERDICT_PENDING] = "?",
		[VERDICT_INCONCLUSIVE] = "?", [VERDICT_FAIL] = "x", [VERDICT_INVALID] = "!"
	};

	return signs[v];
}

static void text_lines(const struct morning_lines *l, const char *head, const char *none,
		       struct buf *out)
{
	buf_addf(out, "\n%s\n", head);
	if (!l->n)
		buf_addf(out, "  %s\n", none);
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "  %s %s: %s\n", sign(l->v[i].sign), l->v[i].subject, l->v[i].text);
}

static void text_verdict(const struct morning_verdict *v, struct buf *out)
{
	char date[DAY_TIME_SIZE];

	day_minute(v->started_ms, date);
	buf_addf(out, "  %s %-12s %-12s %-12s %-10s %s%s%s\n", date + 11, v->board,
		 v->result == VERDICT_NONE ? "measured" : verdict_name(v->result), v->suite,
		 v->profile, v->label, *v->baseline ? " against " : "", v->baseline);
}

void morning_text(const struct morning *m, struct buf *out)
{
	char *head = title(m);
	char *sentence = morning_sentence(m);

	buf_addf(out, "%s\n%s\n", head, sentence);
	text_lines(&m->person, "NEEDS A PERSON", no_person, out);
	text_lines(&m->changed, "CHANGED", no_change, out);
	buf_addf(out, "\nSESSIONS\n%s", m->first == m->n_verdicts ? "  " : "");
	if (m->first == m->n_verdicts)
		buf_addf(out, "%s\n", no_session);
	for (size_t i = m->first; i < m->n_verdicts; i++)
		text_verdict(&m->verdicts[i], out);
	free(sentence);
	free(head);
}

/* ---- HTML ---- */

static void html_cell(struct buf *out, const char *text)
{
	buf_adds(out, "<td>");
	escape_xml(out, text);
	buf_adds(out, "</td>");
}

static void html_lines(const struct morning_lines *l, const char *head, const char *none,
		       struct buf *out)
{
	buf_addf(out, "<section><h2>%s</h2>\n", head);
	if (!l->n)
		buf_addf(out, "<p>%s</p>\n", none);
	else
		buf_adds(out, "<table><tbody>\n");
	for (size_t i = 0; i < l->n; i++) {
		static const char *const words[] = {
			[VERDICT_NONE] = "note",    [VERDICT_PASS] = "good",
			[VERDICT_PENDING] = "look", [VERDICT_INCONCLUSIVE] = "look",
			[VERDICT_FAIL] = "FAIL",    [VERDICT_INVALID] = "act",
		};

		buf_adds(out, "<tr><td>");
		report_html_pill(out, l->v[i].sign, words[l->v[i].sign]);
		buf_adds(out, "</td>");
		html_cell(out, l->v[i].subject);
		html_cell(out, l->v[i].text);
		buf_adds(out, "</tr>\n");
	}
	buf_addf(out, "%s</section>\n", l->n ? "</tbody></table>\n" : "");
}

static void html_verdict(const struct morning_verdict *v, struct buf *out)
{
	char date[DAY_TIME_SIZE];

	day_minute(v->started_ms, date);
	buf_adds(out, "<tr>");
	html_cell(out, date);
	html_cell(out, v->board);
	buf_adds(out, "<td>");
	report_html_pill(out, v->result,
			 v->result == VERDICT_NONE ? "measured" : verdict_name(v->result));
	buf_adds(out, "</td>");
	html_cell(out, v->suite);
	html_cell(out, v->profile);
	html_cell(out, v->label);
	html_cell(out, v->baseline);
	html_cell(out, v->session);
	buf_adds(out, "</tr>\n");
}

static void html_sessions(const struct morning *m, struct buf *out)
{
	buf_adds(out, "<section><h2>Sessions</h2>\n");
	if (m->first == m->n_verdicts) {
		buf_addf(out, "<p>%s</p></section>\n", no_session);
		return;
	}
	buf_adds(out, "<table><thead><tr><th>started (UTC)</th><th>board</th><th>verdict</th>"
		      "<th>suite</th><th>profile</th><th>kernel</th><th>against</th>"
		      "<th>session</th></tr></thead><tbody>\n");
	for (size_t i = m->first; i < m->n_verdicts; i++)
		html_verdict(&m->verdicts[i], out);
	buf_adds(out, "</tbody></table></section>\n");
}

void morning_html(const struct morning *m, struct buf *out)
{
	char *head = title(m);
	char *sentence = morning_sentence(m);

	buf_addf(out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
		 "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>%s</title>\n"
		 "<style>\n%s</style>\n</head>\n<body>\n<main>\n<p class=\"over\">%s</p>\n"
		 "<h1>%s</h1>\n",
		 head, report_css, head, sentence);
	html_lines(&m->person, "Needs a person", no_person, out);
	html_lines(&m->changed, "Changed", no_change, out);
	html_sessions(m, out);
	buf_adds(out, "</main>\n</body>\n</html>\n");
	free(sentence);
	free(head);
}
