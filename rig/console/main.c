// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig-console: keeps the console of one board; see keeper.h. Started by whoever runs the board:
 * rigd, or the job itself. Layer: console (a main).
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/leasefile.h"
#include "base/log.h"
#include "base/opt.h"
#include "base/path.h"
#include "base/signals.h"
#include "board/lab-types.h"
#include "console/keeper.h"
#include "io/attach.h"
#include "io/unix.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define KEEPER_NICE (-15)

static struct {
	const char *board, *lab, *dir, *socket;
	bool stay, help;
} o;

static const struct opt opts[] = {
	{ OPT_STRING, 'b', "board", "BOARD", "whose console it is", &o.board, 0, 0 },
	{ OPT_STRING, 'l', "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &o.lab, 0,
	  0 },
	{ OPT_STRING, 'd', "dir", "DIR",
	  "what comes between jobs goes here ($RIG_HOME/boards/BOARD)", &o.dir, 0, 0 },
	{ OPT_STRING, 's', "socket", "PATH", "where it listens ($RIG_HOME/boards/BOARD.console)",
	  &o.socket, 0, 0 },
	{ OPT_FLAG, 0, "stay", NULL,
	  "stay when no job runs, and keep the line open; without it the keeper ends with its job",
	  &o.stay, 0, 0 },
	{ OPT_FLAG, 'h', "help", NULL, "this text", &o.help, 0, 0 },
	{ .type = OPT_END },
};

static int usage(FILE *out)
{
	fputs("usage: rig-console --board BOARD [--stay]\n"
	      "Records a board's console and lets `rig console` and the job attach to it.\n\n",
	      out);
	opt_usage(opts, out);
	return out == stdout ? EXIT_PASS : EXIT_USAGE;
}

/* One keeper a socket: the lock lasts as long as the process. 1 = there is one already. */
static int take_socket(const char *path, int *fd, struct err *err)
{
	char *lock = xasprintf("%s.lock", path);
	char *dir = path_dir(path);
	int held;

	path_mkdirs(dir);
	held = path_lock(lock);
	if (held >= 0)
		*fd = unix_listen(path);
	free(dir);
	free(lock);
	if (held == -EWOULDBLOCK)
		return 1;
	if (held < 0)
		return err_sys(err, BLAME_RIG, "keeper", held, "%s.lock", path);
	return *fd < 0 ? err_sys(err, BLAME_RIG, "keeper", *fd, "cannot listen at %s", path) : 0;
}

static int keep(const struct lab_board *b, struct err *err)
{
	char *socket = o.socket ? xstrdup(o.socket) : attach_path(b->name);
	char *idle = o.dir ? xstrdup(o.dir) : path_in_home("boards/%s", b->name);
	char *lease = leasefile_path(b->name);
	struct keeper_options k = {
		.board = b, .idle_dir = idle, .lease_path = lease, .listen_fd = -1, .stay = o.stay
	};
	int rc = take_socket(socket, &k.listen_fd, err);

	if (!rc) {
		rc = keeper_run(&k, err);
		unlink(socket);
	} else if (rc > 0) {
		log_info("%s: its console has a keeper already", b->name);
		rc = 0;
	}
	free(lease);
	free(idle);
	free(socket);
	return rc;
}

int main(int argc, char **argv)
{
	const struct lab_board *b = NULL;
	struct err err = ERR_INIT;
	struct lab *lab = NULL;
	int operands = 0;
	int rc = -1;

	log_init("rig-console", false);
	if (opt_parse(opts, argc, argv, &operands, &err))
		return log_err(&err);
	if (o.help)
		return usage(stdout);
	if (!o.board || operands)
		return usage(stderr);
	stop_install();
	signal(SIGXFSZ, SIG_IGN);
	/* a tty holds some 50 ms of a fast console: on a host where 26 programs wanted 2 CPUs, 3 %
	 * were lost; who may not do that is in no worse place than without */
	setpriority(PRIO_PROCESS, 0, KEEPER_NICE);
	lab = lab_open(o.lab, &err);
	b = lab ? lab_find(lab, o.board, &err) : NULL;
	if (b)
		rc = keep(b, &err);
	lab_free(lab);
	return rc ? log_err(&err) : EXIT_PASS;
}
