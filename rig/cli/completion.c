// SPDX-License-Identifier: GPL-2.0-or-later
/* Completion for bash and zsh; see completion.h. Layer: cli. */
#include "cli/completion.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* What an argument's name in a usage line says about it; what is in no row is a file. */
static const struct {
	const char *arg;
	const char *bash; /* prints words */
	const char *zsh;
} kinds[] = {
	{ "BOARD", "rig boards 2>/dev/null | awk 'NR > 1 && NF > 2 { print $1 }'", "_rig_boards" },
	{ "SUITE", "rig suite list 2>/dev/null | awk '{ print $1 }'", "_rig_suites" },
	{ "JOB", "rig queue 2>/dev/null | awk 'NR > 1 { print $1 }'", "_rig_jobs" },
	{ "SESSION", "rig sessions 2>/dev/null | awk '{ print $1 }'", "_rig_sessions" },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* The kind of "BOARD" or "SUITE --board BOARD ..."; -1 = none. */
static int kind_of(const char *args)
{
	size_t n = args ? strcspn(args, " .|[") : 0;

	for (size_t i = 0; args && i < N_KINDS; i++)
		if (strlen(kinds[i].arg) == n && !strncmp(kinds[i].arg, args, n))
			return (int)i;
	return -1;
}

/* ---- bash ---- */

static void bash_options(const struct command *c)
{
	printf("\t%s)\n\t\topts=\"--help", c->name);
	for (const struct opt *o = c->opts; o && o->type != OPT_END; o++) {
		printf(" --%s", o->name);
		if (o->letter)
			printf(" -%c", o->letter);
	}
	printf("\"\n\t\tcase $prev in\n");
	for (const struct opt *o = c->opts; o && o->type != OPT_END; o++) {
		int kind = kind_of(o->arg);

		if (o->type == OPT_FLAG)
			continue;
		printf("\t\t--%s", o->name);
		if (o->letter)
			printf(" | -%c", o->letter);
		printf(") value=1 words=$(%s) ;;\n", kind >= 0 ? kinds[kind].bash : "true");
	}
	printf("\t\t*) words=$(%s) ;;\n\t\tesac\n\t\t;;\n",
	       kind_of(c->args) >= 0 ? kinds[kind_of(c->args)].bash : "true");
}

static void bash(const struct command *const *commands, size_t n)
{
	fputs("# bash completion of rig; made by `rig completion bash`\n"
	      "_rig() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal opts= words= value=\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W \"help",
	      stdout);
	for (size_t i = 0; i < n; i++)
		printf(" %s", commands[i]->name);
	fputs("\" -- \"$cur\")\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", stdout);
	for (size_t i = 0; i < n; i++)
		bash_options(commands[i]);
	fputs("\tesac\n"
	      "\tif [ -z \"$value\" ] && [[ $cur == -* ]]; then\n\t\twords=$opts\n\tfi\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	      "}\n"
	      "complete -o bashdefault -o default -F _rig rig\n",
	      stdout);
}

/* ---- zsh ---- */

/* Inside of single quotes, with what _arguments and _describe would read as their own. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr(":[]\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct opt *o)
{
	int kind = kind_of(o->arg);
	const char *many = o->type == OPT_LIST ? "*" : "";

	if (o->letter)
		printf("\t\t\t'%s'{-%c,--%s}'[", many, o->letter, o->name);
	else
		printf("\t\t\t'%s--%s[", many, o->name);
	zsh_text(o->help);
	putchar(']');
	if (o->type != OPT_FLAG) {
		putchar(':');
		zsh_text(o->arg ? o->arg : "value");
		printf(":%s", kind >= 0 ? kinds[kind].zsh : "_files");
	}
	fputs("' \\\n", stdout);
}

static void zsh_command(const struct command *c)
{
	int kind = kind_of(c->args);

	printf("\t%s)\n\t\t_arguments -s \\\n", c->name);
	for (const struct opt *o = c->opts; o && o->type != OPT_END; o++)
		zsh_option(o);
	printf("\t\t\t'*:operand:%s'\n\t\t;;\n", kind >= 0 ? kinds[kind].zsh : "_files");
}

static void zsh(const struct command *const *commands, size_t n)
{
	fputs("#compdef rig\n# zsh completion of rig; made by `rig completion zsh`\n", stdout);
	for (size_t i = 0; i < N_KINDS; i++)
		printf("%s() { compadd -- ${(f)\"$(%s)\"} }\n", kinds[i].zsh, kinds[i].bash);
	fputs("_rig() {\n\tlocal -a commands\n\tcommands=(\n", stdout);
	for (size_t i = 0; i < n; i++) {
		printf("\t\t'%s:", commands[i]->name);
		zsh_text(commands[i]->summary);
		fputs("'\n", stdout);
	}
	fputs("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
	      "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n",
	      stdout);
	for (size_t i = 0; i < n; i++)
		zsh_command(commands[i]);
	fputs("\tesac\n}\nif [ \"$funcstack[1]\" = _rig ]; then\n\t_rig \"$@\"\nelse\n"
	      "\tcompdef _rig rig\nfi\n",
	      stdout);
}

static const struct {
	const char *name;
	void (*print)(const struct command *const *commands, size_t n);
} shells[] = {
	{ "bash", bash },
	{ "zsh", zsh },
};

int completion_print(const char *shell, const struct command *const *commands, size_t n,
		     struct err *err)
{
	for (size_t i = 0; shell && i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, shell) != 0)
			continue;
		shells[i].print(commands, n);
		return 0;
	}
	return err_set(err, BLAME_USER, "usage", "usage: rig completion bash|zsh");
}
