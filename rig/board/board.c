// SPDX-License-Identifier: GPL-2.0-or-later
/* The roles of a board, whatever it is; see board.h. Layer: board. */
#include "board/driver.h"
#include "board/lab.h"
#include "board/lab-ports.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/signals.h"
#include "io/attach.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A host that is busier than this is not fit for virtual boards; no limit grows for ever. */
#define LOAD_SCALE_MAX 8.0

/* lab_types() has room for that many rows; a unit test counts them. */
#define TYPES_MAX 16

const struct board_row *board_find(const char *name)
{
	const struct board_row *row;

	for (size_t i = 0; (row = board_row(i)); i++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

const char *board_kernels(const char *type)
{
	const struct board_row *row = board_find(type);

	return row && row->kernels ? row->kernels : type;
}

const struct lab_type *board_lab_types(size_t *n)
{
	static struct lab_type types[TYPES_MAX];
	const struct board_row *row;

	*n = 0;
	for (size_t i = 0; (row = board_row(i)) && i < TYPES_MAX; i++) {
		types[i] = (struct lab_type){ row->name, row->keys, row->more, row->builtin };
		(*n)++;
	}
	return types;
}

int board_row_check(const struct board_row *row, struct err *err)
{
	const struct board_ops *ops = row->ops;
	const struct {
		const char *name;
		bool there;
	} mandatory[] = {
		{ "init", ops->init },		 { "release", ops->release },
		{ "deploy", ops->deploy },	 { "console", ops->console },
		{ "power_on", ops->power_on },	 { "power_off", ops->power_off },
		{ "make_safe", ops->make_safe },
	};

	for (size_t i = 0; i < sizeof(mandatory) / sizeof(mandatory[0]); i++)
		if (!mandatory[i].there)
			return err_set(err, BLAME_RIG, "board-row", "board type %s: no '%s' op",
				       row->name, mandatory[i].name);
	return 0;
}

static char *boards_path(const char *name, const char *suffix)
{
	return path_in_home("boards/%s.%s", name, suffix);
}

static int busy(const char *name, const char *lock_path, struct err *err)
{
	struct buf holder = BUF_INIT;

	path_read(lock_path, &holder, 4096);
	err_set(err, BLAME_RIG, "board-busy", "%s: the board is in use by %s", name,
		holder.size ? buf_str(&holder) : "another process");
	buf_release(&holder);
	return -1;
}

int board_lock(const char *name, const char *owner, struct err *err)
{
	char *dir = path_in_home("boards");
	char *path = boards_path(name, "lock");
	int fd = path_mkdirs(dir);

	if (!fd)
		fd = path_lock(path);
	if (fd == -EWOULDBLOCK) {
		fd = busy(name, path, err);
	} else if (fd < 0) {
		fd = err_sys(err, BLAME_RIG, "board-lock", fd, "%s: cannot lock %s", name, path);
	} else if (ftruncate(fd, 0) == 0) {
		/* for people only: who holds it is decided by the flock */
		dprintf(fd, "process %d (%s)", (int)getpid(), owner);
	}
	free(path);
	free(dir);
	return fd;
}

/* A guest took 2 s to come up on an idle host and 11 s at load 6, on two CPUs. */
static unsigned int scaled(const struct board_row *row, unsigned int base_ms)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	double load;

	if (!row->slows_with_load || cpus < 1 || getloadavg(&load, 1) != 1)
		return base_ms;
	load /= (double)cpus;
	if (load < 1.0)
		load = 1.0;
	if (load > LOAD_SCALE_MAX)
		load = LOAD_SCALE_MAX;
	return (unsigned int)(base_ms * load);
}

static int safe(const struct board_row *row, const char *name, struct err *err)
{
	char *state = boards_path(name, "state");
	int rc;

	stop_defer();
	rc = row->ops->make_safe(state, deadline_in(scaled(row, row->power_off_ms)), err);
	stop_resume();
	free(state);
	return rc ? err_prefix(err, "%s: make safe", name) : 0;
}

int board_make_safe(const char *name, const char *type, struct err *err)
{
	const struct board_row *row = board_find(type);
	int fd;
	int rc;

	if (!row)
		return err_set(err, BLAME_USER, "board-type", "%s: unknown board type '%s'", name,
			       type);
	fd = board_lock(name, "make safe", err);
	if (fd < 0)
		return -1;
	rc = safe(row, name, err);
	close(fd);
	return rc;
}

int board_open(struct board **out, const struct lab_board *lab, const char *owner, struct err *err)
{
	const struct board_row *row = board_find(lab->type);
	struct board *b;

	if (!row)
		return err_set(err, BLAME_USER, "board-type", "%s: unknown board type '%s'",
			       lab->name, lab->type);
	if (board_row_check(row, err))
		return -1;
	b = xcalloc(1, sizeof(*b));
	b->row = row;
	b->lab = lab;
	b->state_path = boards_path(lab->name, "state");
	b->lock_fd = board_lock(lab->name, owner, err);
	if (b->lock_fd < 0 || safe(row, lab->name, err) || row->ops->init(b, err)) {
		board_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

void board_close(struct board *b)
{
	if (!b)
		return;
	if (b->priv) {
		board_power_off(b, NULL);
		b->row->ops->release(b);
	}
	if (b->lock_fd >= 0)
		close(b->lock_fd);
	free(b->state_path);
	free(b);
}

const char *board_name(const struct board *b)
{
	return b->lab->name;
}

const struct lab_board *board_lab(const struct board *b)
{
	return b->lab;
}

const struct board_row *board_type(const struct board *b)
{
	return b->row;
}

unsigned int board_boot_ms(const struct board *b)
{
	return (unsigned int)b->lab->boot_timeout_s * 1000;
}

unsigned int board_limit_ms(const struct board *b, unsigned int base_ms)
{
	return scaled(b->row, base_ms);
}

static struct deadline limit(const struct board *b, unsigned int base_ms)
{
	return deadline_in(board_limit_ms(b, base_ms));
}

/* Every role names the board and what was tried. */
static int done(const struct board *b, const char *action, int rc, struct err *err)
{
	return rc ? err_prefix(err, "%s: %s", board_name(b), action) : 0;
}

int board_deploy(struct board *b, const struct board_image *image, struct err *err)
{
	int rc = b->row->ops->deploy(b, image, limit(b, b->row->deploy_ms), err);

	return done(b, "deploy", rc, err);
}

void board_keep(struct board *b, struct attach *keeper)
{
	b->keeper = keeper;
}

/* The keeper reads it from here on. Takes *fd over, and fills it with what the keeper gave. */
static int give(struct board *b, int *fd, struct deadline d, struct err *err)
{
	int source = *fd;
	int rc = attach_source(b->keeper, source, fd, d);

	close(source);
	if (!rc)
		return 0;
	*fd = -1;
	return err_sys(err, BLAME_RIG, "keeper", rc, "the console keeper: %s",
		       attach_reason(b->keeper));
}

int board_console(struct board *b, int *fd, struct err *err)
{
	struct deadline d = limit(b, b->row->power_on_ms);
	int rc = b->row->ops->console(b, fd, d, err);

	/* a wired board's is the keeper's already */
	if (!rc && b->keeper && !lab_wiring(b->lab))
		rc = give(b, fd, d, err);
	return done(b, "console", rc, err);
}

int board_power_on(struct board *b, struct err *err)
{
	int rc = b->row->ops->power_on(b, limit(b, b->row->power_on_ms), err);

	return done(b, "power on", rc, err);
}

/* The one wait that no event ends: a supply has run down when its time is over. */
static void settle(unsigned int ms)
{
	struct deadline d = deadline_in(ms);

	while (!deadline_passed(d))
		poll(NULL, 0, deadline_left_ms(d));
}

int board_power_off(struct board *b, struct err *err)
{
	int rc;

	stop_defer();
	rc = b->row->ops->power_off(b, limit(b, b->row->power_off_ms), err);
	stop_resume();
	settle(b->row->off_settle_ms);
	return done(b, "power off", rc, err);
}

void board_listen(struct board *b, const struct board_hooks *hooks, void *ctx)
{
	b->hooks = hooks;
	b->hooks_ctx = ctx;
}

void board_heard(struct board *b, const void *data, size_t size)
{
	if (b->hooks && b->hooks->console)
		b->hooks->console(b->hooks_ctx, data, size);
}

void board_note(struct board *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (b->hooks && b->hooks->note)
		b->hooks->note(b->hooks_ctx, text);
}

int board_check(struct board *b, struct err *err)
{
	if (!b->row->ops->check)
		return 0;
	return b->row->ops->check(b, err) ? err_prefix(err, "%s", board_name(b)) : 0;
}

bool board_fallback(struct board *b, const char **what)
{
	return b->row->ops->fallback && b->row->ops->fallback(b, what);
}

int board_push(struct board *b, const char *path, const char *remote, struct err *err)
{
	if (!b->row->ops->push)
		return err_set(err, BLAME_USER, "no-push",
			       "%s: files go there by the console only (agent.by)", board_name(b));
	return done(b, "push", b->row->ops->push(b, path, remote, limit(b, b->row->deploy_ms), err),
		    err);
}

int board_address(struct board *b, char *text, size_t size, struct err *err)
{
	if (!b->row->ops->address)
		return err_set(err, BLAME_USER, "no-address",
			       "%s: nobody knows its network address: give it with address=",
			       board_name(b));
	return done(b, "address",
		    b->row->ops->address(b, text, size, limit(b, b->row->power_on_ms), err), err);
}
