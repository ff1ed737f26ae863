// SPDX-License-Identifier: GPL-2.0-or-later
/* rig console: a board's console on the screen, from its first byte on if wanted. Layer: cli. */
#include "cli/cli.h"
#include "cli/boot.h"
#include "cli/watch.h"
#include "base/log.h"
#include "board/lab-ports.h"
#include "board/lab-types.h"
#include "board/wiring.h"
#include "io/attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY_S	  86400
#define ATTACH_MS 5000

static struct {
	const char *lab, *until, *power, *kernel;
	long seconds;
	bool write;
} o;

static const struct opt opts[] = {
	{ OPT_FLAG, 'w', "write", NULL, "send the standard input too; Ctrl-] ends", &o.write, 0,
	  0 },
	{ OPT_INT, 't', "for", "SECONDS", "end after so long", &o.seconds, 1, DAY_S },
	{ OPT_STRING, 'u', "until", "TEXT", "end when TEXT came ('' = any byte); 3 if it did not",
	  &o.until, 0, 0 },
	{ OPT_STRING, 0, "power", "on|off|cycle", "switch its supplies, the console being open",
	  &o.power, 0, 0 },
	{ OPT_STRING, 'k', "kernel", "SERIES:VARIANT", "boot this kernel on it; off at the end",
	  &o.kernel, 0, 0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0, 0 },
	{ .type = OPT_END },
};

static void on_loader(void *ctx, const void *data, size_t size)
{
	watch_add(ctx, data, size);
}

static void on_note(void *ctx, const char *text)
{
	(void)ctx;
	log_info("%s", text);
}

static const struct board_hooks hooks = { on_loader, on_note };

/* What came of it, on stderr: the bytes themselves are on stdout. */
static int outcome(const struct watch *w, const char *board, int rc, struct err *err)
{
	char line[120];

	if (w->bytes)
		log_info("%s: %llu bytes, the first after %llu ms", board,
			 (unsigned long long)w->bytes, (unsigned long long)w->first_ms);
	else
		log_info("%s: no byte in %llu ms", board,
			 (unsigned long long)(mono_ms() - w->start_ms));
	if (rc == -EINTR && !o.until)
		return 0;
	if (rc == -EACCES)
		return err_set(err, BLAME_USER, "no-lease", "%s: typing was refused, see above",
			       board);
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "%s: cancelled", board);
	if (rc)
		return err_set(err, BLAME_BOARD, "console-gone", "%s: the console is gone", board);
	if (w->seen && *o.until)
		log_info("%s: \"%s\" after %llu ms", board, o.until,
			 (unsigned long long)w->until_ms);
	if (!o.until || w->seen)
		return 0;
	return err_set(err, BLAME_BOARD, "no-output", "%s: no \"%s\" in %ld s; last line: '%s'",
		       board, o.until, o.seconds, watch_last_line(w, line, sizeof(line)));
}

static int watch_it(struct watch *w, const struct lab_board *b, int fd, struct err *err)
{
	struct deadline d = o.seconds ? deadline_in((uint64_t)o.seconds * 1000) : deadline_never();

	return outcome(w, b->name, w->seen ? 0 : watch_run(w, fd, d), err);
}

static int boot_and_watch(struct watch *w, const struct lab_board *b, struct err *err)
{
	struct boot *boot = NULL;
	int fd = -1;
	int rc = boot_open(&boot, b, o.kernel, &fd, err);

	w->start_ms = mono_ms();
	if (!rc)
		rc = boot_start(boot, &hooks, w, err);
	if (!rc)
		rc = watch_it(w, b, fd, err);
	boot_close(boot);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int switch_and_watch(struct watch *w, const struct lab_board *b, int action, struct err *err)
{
	struct wiring *wiring = NULL;
	int fd = -1;
	int rc = wiring_open(&wiring, b, action < 0 ? 0 : WIRING_BOTH, "rig console", err);

	if (!rc)
		rc = wiring_console(wiring, &fd, err);
	if (!rc && action == WIRING_CYCLE)
		rc = wiring_switch(wiring, WIRING_OFF, err);
	w->start_ms = mono_ms();
	if (!rc && action >= 0)
		rc = wiring_switch(wiring, action == WIRING_OFF ? WIRING_OFF : WIRING_ON, err);
	if (!rc)
		rc = watch_it(w, b, fd, err);
	wiring_close(wiring);
	if (fd >= 0)
		close(fd);
	return rc;
}

/*
 * The board's console keeper has it: attach, and switch beside it if wanted. 1 = there is no
 * keeper. A keeper's board is locked while its job runs, so switching is refused then.
 */
static int attach_and_watch(struct watch *w, const struct lab_board *b, int action, struct err *err)
{
	char *path = attach_path(b->name);
	struct wiring *wiring = NULL;
	int rc = attach_open(&w->keeper, path, o.write ? ATTACH_WRITE : ATTACH_READ,
			     getenv("USER") ? getenv("USER") : "rig console",
			     deadline_in(ATTACH_MS));

	free(path);
	if (rc == -ENOENT || rc == -ECONNREFUSED || rc == -EPIPE) {
		rc = 1;
		goto out;
	}
	if (rc) {
		const char *why = attach_reason(w->keeper);

		err_set(err, rc == -EACCES ? BLAME_USER : BLAME_RIG, "console",
			"%s: the console keeper: %s", b->name, *why ? why : strerror(-rc));
		rc = -1;
		goto out;
	}
	w->start_ms = mono_ms();
	if (action >= 0)
		rc = wiring_open(&wiring, b, WIRING_BOTH, "rig console", err);
	if (!rc && action >= 0)
		rc = wiring_switch(wiring, (enum wiring_action)action, err);
	if (!rc)
		rc = watch_it(w, b, -1, err);
	wiring_close(wiring);
out:
	attach_close(w->keeper);
	w->keeper = NULL;
	return rc;
}

static int check(int *action, struct err *err)
{
	static const char *const words[] = { "off", "on", "cycle" };

	*action = -1;
	for (int i = 0; o.power && i < 3; i++)
		if (!strcmp(words[i], o.power))
			*action = i;
	if (o.power && *action < 0)
		return err_set(err, BLAME_USER, "usage", "--power: '%s' is none of on, off, cycle",
			       o.power);
	if (o.power && o.kernel)
		return err_set(err, BLAME_USER, "usage",
			       "--power and --kernel exclude each other: a boot switches it on");
	if (o.until && strlen(o.until) > WATCH_TEXT_MAX)
		return err_set(err, BLAME_USER, "usage", "--until: at most %d bytes",
			       WATCH_TEXT_MAX);
	if (o.until && !o.seconds)
		return err_set(err, BLAME_USER, "usage", "--until needs a limit: --for SECONDS");
	return 0;
}

static int look_at(const struct lab_board *b, int action, struct err *err)
{
	struct watch w = { .until = o.until, .write = o.write };

	int rc;

	if (o.kernel)
		return boot_and_watch(&w, b, err);
	if (o.power && !lab_wiring(b))
		return err_set(err, BLAME_USER, "no-supply",
			       "%s: nothing switches a board of type %s but its kernel's boot: "
			       "--kernel SERIES:VARIANT",
			       b->name, b->type);
	rc = attach_and_watch(&w, b, action, err);
	if (rc <= 0)
		return rc;
	if (!lab_wiring(b))
		return err_set(
			err, BLAME_USER, "no-console",
			"%s: a board of type %s has a console only while a job runs on it; `rig "
			"console %s --kernel SERIES:VARIANT` boots it, `rig log` shows what "
			"sessions have kept",
			b->name, b->type, b->name);
	return switch_and_watch(&w, b, action, err);
}

static int run(int n, char **operands, struct err *err)
{
	const struct lab_board *b;
	struct lab *lab;
	int action;
	int rc = -1;

	(void)n;
	if (check(&action, err))
		return -1;
	lab = lab_open(o.lab, err);
	b = lab ? lab_find(lab, operands[0], err) : NULL;
	if (b)
		rc = look_at(b, action, err);
	lab_free(lab);
	return rc;
}

const struct command cmd_console = {
	.name = "console",
	.args = "BOARD",
	.summary = "a board's console; switch or boot it meanwhile",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
