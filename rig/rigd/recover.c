// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs whose job died; see recover.h. Layer: rigd. */
#include "rigd/recover.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/path.h"
#include "base/runfiles.h"
#include "results/gate.h"
#include "results/import.h"
#include "results/session.h"
#include "rigd/endrun.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int end_and_store(struct store *store, const char *dir, struct err *err)
{
	char *plan = path_join(dir, RUNDIR_PLAN);
	struct session *session = NULL;
	struct gate_set *set = NULL;
	int rc = path_exists(plan) ? endrun_make_safe(plan, NULL, err) : 0;
	int journal;

	free(plan);
	if (rc)
		return -1;
	journal = endrun_journal(dir, "the job and its supervisor died before the session ended");
	if (journal)
		return err_sys(err, BLAME_RIG, "recover", journal, "%s/%s", dir, RUNDIR_EVENTS);
	rc = import_run(store, dir, &session, err);
	if (!rc && !(set = gate_run(store, session->name, err)))
		rc = -1;
	gate_set_free(set);
	session_free(session);
	return rc;
}

static void recover_one(struct store *store, const char *dir, struct recover_counts *counts)
{
	char *session = path_join(dir, RUNDIR_SESSION);
	char *lock = path_join(dir, RUNDIR_LOCK);
	struct err err = ERR_INIT;
	int fd = -1;

	if (!path_exists(session) || import_has_ended(dir))
		goto out;
	fd = path_lock(lock);
	if (fd == -EWOULDBLOCK) {
		counts->live++;
	} else if (fd < 0) {
		counts->failed++;
		log_warn("%s: %s", lock, strerror(-fd));
	} else if (end_and_store(store, dir, &err) < 0) {
		counts->failed++;
		log_warn("%s: %s", dir, err.message);
	} else {
		counts->ended++;
		log_info("%s: its job was dead; ended, board off", dir);
	}
out:
	if (fd >= 0)
		close(fd);
	free(lock);
	free(session);
}

int recover_runs(struct store *store, struct recover_counts *counts, struct err *err)
{
	char *runs = path_in_home("runs");
	DIR *d = opendir(runs);
	struct dirent *e;
	int rc = 0;

	memset(counts, 0, sizeof(*counts));
	if (!d && errno != ENOENT)
		rc = err_sys(err, BLAME_RIG, "recover", errno, "%s", runs);
	while (d && (e = readdir(d))) {
		char *dir;

		if (e->d_name[0] == '.')
			continue;
		dir = path_join(runs, e->d_name);
		recover_one(store, dir, counts);
		free(dir);
	}
	if (d)
		closedir(d);
	free(runs);
	return rc;
}
