// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs whose job died; see recover.h. Layer: rigd. */
#include "rigd/recover.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "results/import.h"
#include "rigd/loop.h"
#include "rigd/supervise.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum recover_found recover_look(const char *dir, int *lock_fd)
{
	char *session = path_join(dir, RUNDIR_SESSION);
	char *lock = path_join(dir, RUNDIR_LOCK);
	enum recover_found found = RECOVER_NOTHING;
	int fd = -1;

	*lock_fd = -1;
	if (!path_exists(lock) || import_has_ended(dir))
		goto out;
	fd = path_lock(lock);
	if (fd == -EWOULDBLOCK)
		found = RECOVER_LIVE;
	else if (fd < 0)
		found = RECOVER_UNKNOWN;
	else if (path_exists(session))
		found = RECOVER_DEAD;
	if (found == RECOVER_DEAD)
		*lock_fd = fd;
	else if (fd >= 0)
		close(fd);
out:
	free(lock);
	free(session);
	return found;
}

char *recover_board(const char *dir)
{
	char *path = path_join(dir, RUNDIR_SESSION);
	json_t *o = json_load_file(path, 0, NULL);
	const char *name = json_string_value(json_object_get(json_object_get(o, "board"), "name"));
	char *board = name ? xstrdup(name) : NULL;

	json_decref(o);
	free(path);
	return board;
}

/* One run that is being ended. */
struct burial {
	struct loop *loop;
	const char *dir;
	bool failed;
};

static void buried(void *ctx, const struct supervise_result *result)
{
	struct burial *b = ctx;

	b->failed = !result->safe || !result->imported;
	if (b->failed)
		log_warn("%s: %s", b->dir, result->err.message);
	else
		log_info("%s: its job was dead; ended, board off", b->dir);
	loop_stop(b->loop);
}

static bool bury(struct store *store, const char *dir)
{
	struct burial b = { .loop = loop_new(), .dir = dir };
	char *plan = path_join(dir, RUNDIR_PLAN);
	char *board = recover_board(dir);
	struct supervise_spec spec = {
		.plan_path = plan,
		.board = board,
		.run_dir = dir,
		.session = strrchr(dir, '/') + 1,
		.store = store,
		.ended = buried,
		.ctx = &b,
	};
	struct supervise *s = supervise_bury(b.loop, &spec);

	b.failed = true;
	loop_run(b.loop);
	supervise_free(s);
	loop_free(b.loop);
	free(board);
	free(plan);
	return !b.failed;
}

static void recover_one(struct store *store, const char *dir, struct recover_counts *counts)
{
	int lock_fd;

	switch (recover_look(dir, &lock_fd)) {
	case RECOVER_NOTHING:
		break;
	case RECOVER_LIVE:
		counts->live++;
		break;
	case RECOVER_UNKNOWN:
		counts->failed++;
		log_warn("%s: its lock cannot be read", dir);
		break;
	case RECOVER_DEAD:
		if (bury(store, dir))
			counts->ended++;
		else
			counts->failed++;
		close(lock_fd);
	}
}

int recover_each(void (*run)(void *ctx, const char *dir), void *ctx, struct err *err)
{
	char *runs = path_in_home("runs");
	DIR *d = opendir(runs);
	struct dirent *e;
	int rc = 0;

	if (!d && errno != ENOENT)
		rc = err_sys(err, BLAME_RIG, "recover", errno, "%s", runs);
	while (d && (e = readdir(d))) {
		char *dir;

		if (e->d_name[0] == '.')
			continue;
		dir = path_join(runs, e->d_name);
		run(ctx, dir);
		free(dir);
	}
	if (d)
		closedir(d);
	free(runs);
	return rc;
}

struct recovery {
	struct store *store;
	struct recover_counts *counts;
};

static void each(void *ctx, const char *dir)
{
	struct recovery *r = ctx;

	recover_one(r->store, dir, r->counts);
}

int recover_runs(struct store *store, struct recover_counts *counts, struct err *err)
{
	struct recovery r = { store, counts };

	memset(counts, 0, sizeof(*counts));
	return recover_each(each, &r, err);
}
