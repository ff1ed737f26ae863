// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rigd: the daemon (daemon.h). By options it checks the lab file only, or ends what dead jobs left
 * behind, for hosts without a daemon. Layer: rigd (a main).
 */
#include "base/log.h"
#include "base/opt.h"
#include "base/signals.h"
#include "board/lab-daemon.h"
#include "board/lab-types.h"
#include "results/store.h"
#include "rigd/daemon.h"
#include "rigd/recover.h"
#include "rigd/tidy.h"
#include "version.h"

#include <stdbool.h>
#include <stdio.h>

static bool check;
static bool recover;
static bool tidy;
static bool version;
static bool help;
static const char *lab_path;
static const char *group;
static bool verbose;

static const struct opt opts[] = {
	{ OPT_FLAG, 0, "check", NULL, "check the lab file and list its boards", &check, 0, 0 },
	{ OPT_FLAG, 0, "recover", NULL,
	  "end the runs of dead jobs, make their boards safe, store them", &recover, 0, 0 },
	{ OPT_FLAG, 0, "tidy", NULL,
	  "compress old console logs, remove old run directories, as the lab file says", &tidy, 0,
	  0 },
	{ OPT_STRING, 0, "lab", "FILE", "another lab file than $RIG_HOME/lab.yaml", &lab_path, 0,
	  0 },
	{ OPT_STRING, 'g', "group", "GROUP", "whose members may use the control socket", &group, 0,
	  0 },
	{ OPT_FLAG, 'v', "verbose", NULL, "say more", &verbose, 0, 0 },
	{ OPT_FLAG, 0, "version", NULL, "print the version", &version, 0, 0 },
	{ OPT_FLAG, 'h', "help", NULL, "print this", &help, 0, 0 },
	{ .type = OPT_END },
};

static void usage(FILE *out)
{
	fputs("usage: rigd [--lab FILE] [--group GROUP]\n"
	      "       rigd --check | --recover | --tidy\n",
	      out);
	opt_usage(opts, out);
}

static int do_check(struct err *err)
{
	struct lab *lab = lab_open(lab_path, err);
	size_t n = 0;

	if (!lab)
		return -1;
	while (lab_board(lab, n))
		n++;
	printf("%s: %zu boards\n", lab_source(lab), n);
	lab_free(lab);
	return 0;
}

static int do_recover(struct err *err)
{
	struct store *store = store_open_home(true, err);
	struct recover_counts counts = { 0 };
	int rc = store ? recover_runs(store, &counts, err) : -1;

	if (!rc) {
		printf("%u ended, %u live, %u failed\n", counts.ended, counts.live, counts.failed);
		rc = counts.failed ? EXIT_INVALID : 0;
	}
	store_close(store);
	return rc;
}

static int do_tidy(struct err *err)
{
	struct lab *lab = lab_open(lab_path, err);
	struct store *store = lab ? store_open_home(true, err) : NULL;
	struct tidy_counts counts = { 0 };
	int rc = store ? tidy_runs(store, lab_daemon(lab), now_ms(), &counts, err) : -1;

	if (!rc) {
		printf("%u logs compressed, %u runs removed, %u failed\n", counts.compressed,
		       counts.removed, counts.failed);
		rc = counts.failed ? EXIT_INVALID : 0;
	}
	store_close(store);
	lab_free(lab);
	return rc;
}

static int do_it(struct err *err)
{
	const struct daemon_options options = { .lab_path = lab_path, .group = group };

	if (check)
		return do_check(err);
	if (recover)
		return do_recover(err);
	return tidy ? do_tidy(err) : daemon_run(&options, err);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int operands = 0;
	int rc;

	log_init("rigd", false);
	stop_install();
	if (opt_parse(opts, argc, argv, &operands, &err) < 0)
		return log_err(&err);
	if (version) {
		puts("rigd " RIG_VERSION);
		return 0;
	}
	if (help || operands || check + recover + tidy > 1) {
		usage(help ? stdout : stderr);
		return help ? 0 : EXIT_USAGE;
	}
	log_init("rigd", verbose);
	rc = do_it(&err);
	return rc < 0 ? log_err(&err) : rc;
}
