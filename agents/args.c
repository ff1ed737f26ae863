// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of a step; see args.h. */
#include "agents/args.h"
#include "agents/agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *args_text(const struct step *s, const char *name, const char *def)
{
	size_t at = 0, n = strlen(name);
	const char *arg;

	while ((arg = kv_next(&s->spec, "arg", &at)))
		if (!strncmp(arg, name, n) && arg[n] == '=')
			def = arg + n + 1;
	return def;
}

/* What the letter after a number multiplies it by; 0 = no such letter. */
static uint64_t factor(const char *suffix)
{
	static const char letters[] = "kMG";
	const char *p;

	if (!*suffix)
		return 1;
	p = suffix[1] ? NULL : strchr(letters, *suffix);
	return p ? UINT64_C(1) << 10 * (p - letters + 1) : 0;
}

bool args_number(struct step *s, const char *name, uint64_t def, uint64_t min, uint64_t max,
		 uint64_t *value)
{
	const char *text = args_text(s, name, NULL);
	uint64_t n, times;
	char *end;

	*value = def;
	if (!text)
		return true;
	errno = 0;
	n = strtoull(text, &end, 10);
	times = factor(end);
	if (end == text || *text == '-' || errno || !times || n > max / times || n * times < min) {
		step_end(s, STEP_FAILED, "%s=%s: a whole number, %llu to %llu (k, M, G: 1024)",
			 name, text, (unsigned long long)min, (unsigned long long)max);
		return false;
	}
	*value = n * times;
	return true;
}

bool args_yes(struct step *s, const char *name, bool def, bool *value)
{
	const char *text = args_text(s, name, def ? "yes" : "no");

	*value = !strcmp(text, "yes");
	if (*value || !strcmp(text, "no"))
		return true;
	step_end(s, STEP_FAILED, "%s=%s: yes or no", name, text);
	return false;
}
