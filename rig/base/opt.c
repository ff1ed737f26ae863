// SPDX-License-Identifier: GPL-2.0-or-later
/* Options from a table; see opt.h. Layer: base. */
#include "base/opt.h"
#include "base/err.h"
#include "base/guess.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct opt *find_long(const struct opt *table, const char *name, size_t size)
{
	for (; table->type; table++)
		if (strlen(table->name) == size && !strncmp(table->name, name, size))
			return table;
	return NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (; table->type; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

static int unknown(const struct opt *table, const char *word, size_t size, struct err *err)
{
	struct guess guess = GUESS_INIT;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)size, word);
	for (const struct opt *o = table; o->type; o++)
		guess_offer(&guess, name, o->name);
	if (guess.best)
		return err_set(err, BLAME_USER, "usage", "unknown option --%s; did you mean --%s?",
			       name, guess.best);
	return err_set(err, BLAME_USER, "usage", "unknown option --%s", name);
}

static int set_int(const struct opt *o, const char *text, struct err *err)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < o->min || value > o->max)
		return err_set(err, BLAME_USER, "usage",
			       "--%s: '%s' is not a whole number from %ld to %ld", o->name, text,
			       o->min, o->max);
	*(long *)o->value = value;
	return 0;
}

static int set_list(const struct opt *o, const char *text, struct err *err)
{
	struct opt_list *list = o->value;

	if (list->count == OPT_LIST_MAX)
		return err_set(err, BLAME_USER, "usage", "--%s given more than %d times", o->name,
			       OPT_LIST_MAX);
	list->values[list->count++] = text;
	return 0;
}

static int set(const struct opt *o, const char *text, struct err *err)
{
	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = true;
		return 0;
	case OPT_STRING:
		*(const char **)o->value = text;
		return 0;
	case OPT_LIST:
		return set_list(o, text, err);
	case OPT_INT:
		return set_int(o, text, err);
	default:
		return 0;
	}
}

/* The option of argv[*i], its inline argument in *text. Moves *i past a separate argument. */
static int parse_one(const struct opt *table, int argc, char **argv, int *i, struct err *err)
{
	const char *word = argv[*i];
	const char *text = NULL;
	const struct opt *o;

	if (word[1] == '-') {
		size_t size = strcspn(word + 2, "=");

		o = find_long(table, word + 2, size);
		if (!o)
			return unknown(table, word + 2, size, err);
		if (word[2 + size] == '=')
			text = word + 2 + size + 1;
	} else {
		o = find_letter(table, word[1]);
		if (!o || (o->type == OPT_FLAG && word[2]))
			return err_set(err, BLAME_USER, "usage", "unknown option %s", word);
		if (word[2])
			text = word + 2;
	}
	if (o->type == OPT_FLAG && text)
		return err_set(err, BLAME_USER, "usage", "--%s takes no argument", o->name);
	if (o->type != OPT_FLAG && !text) {
		if (*i + 1 >= argc)
			return err_set(err, BLAME_USER, "usage", "--%s needs %s", o->name, o->arg);
		text = argv[++*i];
	}
	return set(o, text, err);
}

int opt_parse(const struct opt *table, int argc, char **argv, int *operands, struct err *err)
{
	bool options = true;
	int count = 0;

	for (int i = 1; i < argc; i++) {
		if (options && !strcmp(argv[i], "--")) {
			options = false;
		} else if (options && argv[i][0] == '-' && argv[i][1]) {
			if (parse_one(table, argc, argv, &i, err) < 0)
				return -1;
		} else {
			argv[1 + count++] = argv[i];
		}
	}
	*operands = count;
	return 0;
}

void opt_usage(const struct opt *table, FILE *out)
{
	for (; table->type; table++) {
		char head[48];

		snprintf(head, sizeof(head), "--%s%s%s", table->name, table->arg ? " " : "",
			 table->arg ? table->arg : "");
		if (table->letter)
			fprintf(out, "  -%c, %-24s %s\n", table->letter, head, table->help);
		else
			fprintf(out, "      %-24s %s\n", head, table->help);
	}
}
