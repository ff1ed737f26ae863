// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Step fio. Keys: target (see target.h), target_wait_ms (10000), arg repeated; {target} inside an
 * arg becomes the device. --output= and --output-format=json are added where missing. FILEs:
 * command (one line, fit for a shell), stdout, stderr, fio.json.
 */
#include "agents/agent.h"
#include "agents/sysfs.h"
#include "agents/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add_substituted(struct strv *argv, const char *arg, const char *dev)
{
	const char *mark = strstr(arg, "{target}");
	char *text;
	int rc;

	if (!mark)
		return strv_add(argv, arg);
	if (asprintf(&text, "%.*s%s%s", (int)(mark - arg), arg, dev, mark + strlen("{target}")) < 0)
		return -ENOMEM;
	rc = add_substituted(argv, text, dev);
	free(text);
	return rc;
}

/* The value of the last --name=value, or NULL. */
static const char *option(const struct strv *argv, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < argv->count; i++)
		if (!strncmp(argv->v[i], name, strlen(name)))
			value = argv->v[i] + strlen(name);
	return value;
}

static int build_argv(struct step *s, const char *dev, const char *json, struct strv *argv)
{
	char output[340];
	const char *arg;
	int rc = strv_add(argv, "fio");

	for (size_t at = 0; !rc && (arg = kv_next(&s->spec, "arg", &at));)
		rc = add_substituted(argv, arg, dev);
	snprintf(output, sizeof(output), "--output=%s", json);
	if (!rc && !option(argv, "--output="))
		rc = strv_add(argv, output);
	if (!rc && !option(argv, "--output-format="))
		rc = strv_add(argv, "--output-format=json");
	return rc;
}

/* As a shell would need it, so that it can be pasted. */
static void quote(FILE *f, const char *arg)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";

	if (*arg && !arg[strspn(arg, plain)]) {
		fputs(arg, f);
		return;
	}
	putc('\'', f);
	for (; *arg; arg++)
		fputs(*arg == '\'' ? "'\\''" : (char[]){ *arg, '\0' }, f);
	putc('\'', f);
}

static void send_command(struct step *s, const struct strv *argv)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	for (size_t i = 0; i < argv->count; i++) {
		if (i)
			putc(' ', f);
		quote(f, argv->v[i]);
	}
	putc('\n', f);
	if (!fclose(f))
		step_file_data(s, "command", text, size);
	free(text);
}

static void run_fio(struct step *s, const char *dev)
{
	char json[320], out[320], err[320];
	struct strv argv = { 0 };
	const char *json_path;

	step_path(s, "fio.json", json, sizeof(json));
	step_path(s, "stdout", out, sizeof(out));
	step_path(s, "stderr", err, sizeof(err));
	/* argv ends with a NULL: one more string, dropped again. */
	if (build_argv(s, dev, json, &argv) || strv_add(&argv, "")) {
		step_end(s, STEP_FAILED, "out of memory");
		goto out;
	}
	free(argv.v[--argv.count]);
	argv.v[argv.count] = NULL;
	json_path = option(&argv, "--output=");
	unlink(json_path);
	run_child(s->agent, (const char *const *)argv.v, out, err, s->timeout_ms, &s->run);
	step_judge(s, "fio", err);
	send_command(s, &argv);
	if (s->run.error)
		goto out;
	step_file(s, "stdout", out);
	step_file(s, "stderr", err);
	if (s->status == STEP_OK || !access(json_path, R_OK))
		step_file(s, "fio.json", json_path);
	unlink(json);
	unlink(out);
	unlink(err);
out:
	strv_release(&argv);
}

void step_fio(struct step *s)
{
	const char *selector = kv_get(&s->spec, "target", NULL);
	char dev[80] = "", why[256];
	uint64_t wait_ms = TARGET_WAIT_MS;
	int rc = 0;

	kv_get_u64(&s->spec, "target_wait_ms", &wait_ms);
	if (selector)
		rc = target_find(s->agent->root, selector, (unsigned int)wait_ms, dev, sizeof(dev),
				 why, sizeof(why));
	if (rc)
		step_end(s, STEP_FAILED, "%s", why);
	else
		run_fio(s, dev);
}
