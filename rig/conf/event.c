// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of a journal; see event.h. Layer: conf. */
#include "conf/event.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/deadline.h"

char *event_line(const char *name, json_t *fields)
{
	char now[32];
	json_t *o = json_pack("{s:s, s:I, s:s}", "t", wall_iso(now, sizeof(now)), "mono_ms",
			      (json_int_t)mono_ms(), "ev", name);
	char *text;
	char *line;

	if (fields)
		json_object_update(o, fields);
	text = json_dumps(o, JSON_COMPACT);
	line = xasprintf("%s\n", text);
	free(text);
	json_decref(o);
	return line;
}
