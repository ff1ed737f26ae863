// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig-job: runs one plan on one board and writes a run directory. Started by `rig run` or rigd, or
 * by hand. Layer: job.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/path.h"
#include "base/signals.h"
#include "base/unixsock.h"
#include "board/board.h"
#include "board/lab-types.h"
#include "io/attach.h"
#include "job/job.h"
#include "job/journal.h"
#include "base/manifest.h"
#include "suite/plan.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A keeper that must be started first, on a busy host. */
#define KEEPER_MS 20000

struct options {
	const char *plan;
	const char *dir;
	const char *lab;
	long control_fd;
	const char *board;
	bool listen;
	bool safe;
	bool verbose;
	bool help;
};

/* What a job holds while it runs; release() undoes any part of it. */
struct parts {
	struct lab *lab;
	const struct lab_board *board;
	struct plan plan;
	struct manifest *manifests;
	char *initrd;
	struct rundir dir;
	struct attach *keeper;
	struct job job;
	int listen_fd;
};

static int usage(const struct opt *table, FILE *out)
{
	fputs("usage: rig-job --plan FILE --dir RUNDIR [--control FD [--listen]] [--lab FILE]\n"
	      "       rig-job --safe --plan FILE|--board NAME [--lab FILE]\n"
	      "Runs a plan on its board and writes a run directory, or only drives the board to a\n"
	      "safe state (off) after another job died.\n\n",
	      out);
	opt_usage(table, out);
	return out == stdout ? EXIT_PASS : EXIT_USAGE;
}

static int load_manifests(struct parts *p, const struct board_row *row, struct err *err)
{
	p->manifests = xcalloc(p->plan.n_kernels, sizeof(*p->manifests));
	for (size_t i = 0; i < p->plan.n_kernels; i++)
		if (manifest_read(&p->manifests[i], p->plan.kernels[i].entry, NULL, err) ||
		    manifest_runs_on(&p->manifests[i], row->arch, err))
			return -1;
	return 0;
}

static int load(struct parts *p, const struct options *o, struct err *err)
{
	if (o->plan && (plan_load(o->plan, &p->plan, err) || plan_check(&p->plan, err)))
		return -1;
	p->lab = lab_open(o->lab, err);
	if (!p->lab)
		return -1;
	p->board = lab_find(p->lab, o->plan ? p->plan.board : o->board, err);
	return p->board ? 0 : -1;
}

/* From here on the job can be adopted: it has its lock, and a journal to be read. */
static int listen_for_supervisors(struct parts *p, struct err *err)
{
	p->listen_fd = unixsock_listen(p->dir.path, RUNDIR_CONTROL, SOCK_STREAM, 0600);
	if (p->listen_fd < 0)
		return err_sys(err, BLAME_RIG, "control", p->listen_fd, "%s/%s", p->dir.path,
			       RUNDIR_CONTROL);
	journal_listen(p->job.journal, p->listen_fd);
	return 0;
}

/*
 * The console's keeper: one that rigd keeps, or one of our own. It is told who we are, for those
 * who find the board in use.
 */
static int find_keeper(struct parts *p, const struct options *o, struct err *err)
{
	int rc = attach_start(&p->keeper, p->board->name, o->lab, ATTACH_JOB, o->dir,
			      deadline_in(KEEPER_MS));

	if (rc)
		return err_sys(err, BLAME_RIG, "keeper", rc, "%s: no console keeper%s%s",
			       p->board->name, *attach_reason(p->keeper) ? ": " : "",
			       attach_reason(p->keeper));
	board_keep(p->job.board, p->keeper);
	p->job.keeper = p->keeper;
	return 0;
}

static int prepare(struct parts *p, const struct options *o, struct err *err)
{
	const struct board_row *row = board_find(p->board->type);
	struct session_info info = { .plan = &p->plan, .board = p->board };
	char *events;
	int rc;

	if (load_manifests(p, row, err))
		return -1;
	p->initrd = p->board->agent.initramfs ? xstrdup(p->board->agent.initramfs)
					      : path_initramfs(row->arch);
	if (!path_exists(p->initrd))
		return err_set(err, BLAME_RIG, "no-initramfs",
			       "%s is missing; run 'make initramfs-all'", p->initrd);
	if (board_open(&p->job.board, p->board, o->dir, err))
		return -1;
	if (find_keeper(p, o, err))
		return -1;
	info.manifests = p->manifests;
	if (rundir_create(&p->dir, o->dir, &info, err))
		return -1;
	events = path_join(p->dir.path, RUNDIR_EVENTS);
	rc = journal_open(&p->job.journal, events, (int)o->control_fd, err);
	free(events);
	return !rc && o->listen ? listen_for_supervisors(p, err) : rc;
}

static void stop_listening(struct parts *p)
{
	char *path;

	if (p->listen_fd < 0)
		return;
	close(p->listen_fd);
	path = path_join(p->dir.path, RUNDIR_CONTROL);
	unlink(path);
	free(path);
}

static void release(struct parts *p)
{
	journal_close(p->job.journal);
	stop_listening(p);
	rundir_release(&p->dir);
	board_close(p->job.board);
	/* the board is off, and has nothing more to say */
	if (p->job.keeper)
		attach_quit(p->keeper, deadline_in(KEEPER_MS));
	attach_close(p->keeper);
	for (size_t i = 0; p->manifests && i < p->plan.n_kernels; i++)
		manifest_release(&p->manifests[i]);
	free(p->manifests);
	free(p->initrd);
	plan_release(&p->plan);
	lab_free(p->lab);
}

static int run(struct parts *p, const struct options *o, struct err *err)
{
	if (load(p, o, err))
		return -1;
	if (o->safe)
		return board_make_safe(p->board->name, p->board->type, err);
	if (prepare(p, o, err))
		return -1;
	p->job.plan = &p->plan;
	p->job.manifests = p->manifests;
	p->job.initrd = p->initrd;
	p->job.dir = &p->dir;
	p->job.control_fd = (int)o->control_fd;
	p->job.adoptable = o->listen;
	return session_run(&p->job, err);
}

/* A session that was called off has no verdict: that is not the mistake of a caller. */
static int exit_code(const struct err *err)
{
	return strcmp(err->code, "cancelled") ? err_exit_code(err) : EXIT_INVALID;
}

int main(int argc, char **argv)
{
	struct options o = { .control_fd = -1 };
	const struct opt table[] = {
		{ OPT_STRING, 'p', "plan", "FILE", "the plan, as JSON", &o.plan, 0, 0 },
		{ OPT_STRING, 'd', "dir", "RUNDIR", "the run directory, to be created", &o.dir, 0,
		  0 },
		{ OPT_STRING, 'l', "lab", "FILE", "the lab file", &o.lab, 0, 0 },
		{ OPT_INT, 'c', "control", "FD", "socket to the supervisor", &o.control_fd, 0,
		  65535 },
		{ OPT_FLAG, 0, "listen", NULL,
		  "go on without a supervisor; another may connect to RUNDIR/control", &o.listen, 0,
		  0 },
		{ OPT_FLAG, 0, "safe", NULL, "only make the board safe", &o.safe, 0, 0 },
		{ OPT_STRING, 'b', "board", "NAME", "with --safe: the board, without a plan",
		  &o.board, 0, 0 },
		{ OPT_FLAG, 'v', "verbose", NULL, "say more", &o.verbose, 0, 0 },
		{ OPT_FLAG, 'h', "help", NULL, "this text", &o.help, 0, 0 },
		{ OPT_END, 0, NULL, NULL, NULL, NULL, 0, 0 },
	};
	struct parts p = { .plan = PLAN_INIT, .dir = { .lock_fd = -1 }, .listen_fd = -1 };
	struct err err = ERR_INIT;
	int operands = 0;
	int rc;

	log_init("rig-job", false);
	if (opt_parse(table, argc, argv, &operands, &err))
		return log_err(&err);
	if (o.help)
		return usage(table, stdout);
	if (!(o.safe ? o.plan || o.board : o.plan && o.dir) || operands)
		return usage(table, stderr);
	log_init("rig-job", o.verbose);
	stop_install();
	/* a file size limit is met as an error of write(2), like a full disk */
	signal(SIGXFSZ, SIG_IGN);
	if (o.control_fd >= 0)
		fcntl((int)o.control_fd, F_SETFD, FD_CLOEXEC);
	rc = run(&p, &o, &err);
	release(&p);
	if (!rc)
		return EXIT_PASS;
	log_err(&err);
	return exit_code(&err);
}
