// SPDX-License-Identifier: GPL-2.0-or-later
/* Old run directories; see tidy.h. Layer: rigd. */
#include "rigd/tidy.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/packed.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "board/lab-daemon.h"
#include "results/import.h"
#include "results/session.h"
#include "results/store.h"
#include "rigd/recover.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DAY_S 86400

struct tidying {
	struct store *store;
	const struct lab_daemon *limits;
	int64_t now_s;
	struct tidy_counts *counts;
};

/* Days since its journal was written to last; -1: it has none. */
static int64_t age_days(const struct tidying *t, const char *dir)
{
	char *events = path_join(dir, RUNDIR_EVENTS);
	struct stat st;
	int64_t days = stat(events, &st) == 0 ? (t->now_s - (int64_t)st.st_mtime) / DAY_S : -1;

	free(events);
	return days;
}

static bool is_stored(const struct tidying *t, const char *dir)
{
	struct err err = ERR_INIT;
	struct session *s = store_get_session(t->store, strrchr(dir, '/') + 1, &err);
	bool stored = s && s->state == SESSION_ENDED;

	session_free(s);
	return stored;
}

static void failed(struct tidying *t, const char *path, int rc)
{
	t->counts->failed++;
	log_warn("%s: %s", path, strerror(-rc));
}

static void compress_visit(struct tidying *t, const char *visit)
{
	char *log = path_join(visit, "console.log");
	int rc = 0;

	if (path_exists(log)) {
		rc = packed_make(log);
		t->counts->compressed += !rc;
	}
	if (rc)
		failed(t, log, rc);
	free(log);
}

static void compress(struct tidying *t, const char *dir)
{
	char *visits = path_join(dir, "visits");
	DIR *d = opendir(visits);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *visit;

		if (e->d_name[0] == '.')
			continue;
		visit = path_join(visits, e->d_name);
		compress_visit(t, visit);
		free(visit);
	}
	if (d)
		closedir(d);
	free(visits);
}

static void tidy_one(void *ctx, const char *dir)
{
	struct tidying *t = ctx;
	int64_t days = age_days(t, dir);
	bool old = t->limits->compress_days && days >= t->limits->compress_days;
	bool over = t->limits->keep_days && days >= t->limits->keep_days;
	int rc;

	if ((!old && !over) || !import_has_ended(dir) || !is_stored(t, dir))
		return;
	if (!over) {
		compress(t, dir);
		return;
	}
	rc = path_remove(dir);
	if (rc)
		failed(t, dir, rc);
	else
		t->counts->removed++;
}

int tidy_runs(struct store *store, const struct lab_daemon *limits, int64_t now_ms,
	      struct tidy_counts *counts, struct err *err)
{
	struct tidying t = { store, limits, now_ms / 1000, counts };

	memset(counts, 0, sizeof(*counts));
	return recover_each(tidy_one, &t, err);
}
