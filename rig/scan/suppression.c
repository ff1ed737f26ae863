// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that pass findings over; see suppression.h. Layer: scan. */
#include "scan/suppression.h"

#include <fnmatch.h>
#include <string.h>

/* A title may hold '[' without being a pattern, so the text itself matches too. */
static bool fits(const char *pattern, const char *text)
{
	return !pattern || !*pattern || !strcmp(pattern, text) ||
	       fnmatch(pattern, text, FNM_NOESCAPE) == 0;
}

bool suppression_matches(const struct suppression *s, const char *kind, const char *title,
			 const char *guilty)
{
	return fits(s->title, title) && fits(s->guilty, guilty) &&
	       (!s->kind || !*s->kind || !strcmp(s->kind, kind));
}

bool suppression_expired(const struct suppression *s, const char *day)
{
	return strcmp(s->until, day) < 0;
}
