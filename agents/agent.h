/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DUT agent: one process, one line to the rig, one step at a time. Knows no board.
 *
 *	main.c      options, start, the loop that takes steps
 *	init.c      the duties of PID 1		tty.c      the line: raw mode, where it is
 *	talk.c      wire and line: send, wait, stay silent
 *	steps.c     the table of kinds; one STEP message from STARTED to END
 *	step-*.c    one file per kind		report.c   what a step sends: notes, metrics, files
 *	run.c       a child process, watched without a wake-up
 *	sysfs.c target.c json.c                 below all of these
 */
#ifndef AGENTS_AGENT_H
#define AGENTS_AGENT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agents/kv.h"
#include "agents/tune.h"
#include "agents/wire.h"

#define AGENT_STEPS_QUEUED 16

extern const char agent_version[]; /* main.c */

struct agent {
	struct wire *wire;
	int in_fd, out_fd; /* the line; may be the same */
	int signal_fd;	   /* SIGCHLD SIGTERM SIGINT SIGHUP */
	sigset_t old_mask; /* for children */
	bool pid1;
	bool may_reboot;
	const char *root;  /* before every /sys, /proc and /dev path; "" but in tests */
	char scratch[256]; /* directory in RAM for result files */
	struct tune tune;  /* what has to be restored */

	char *queued[AGENT_STEPS_QUEUED]; /* STEP messages not begun; malloc()ed */
	size_t queued_size[AGENT_STEPS_QUEUED];
	unsigned int queued_count;
	unsigned int session; /* counts restarts of the wire: results of an older one are dropped */
	bool cancel;	      /* the rig wants the present step to end */
	bool quit;	      /* SIGTERM, or the line is gone */
	bool line_lost;
	char present_id[64]; /* of the step being carried out, "" if none */
};

/* talk.c */

uint64_t agent_now_ns(void); /* CLOCK_MONOTONIC */
uint64_t agent_now_ms(void);
/* First words, also after wire_restart(); lost: messages that never arrived. */
void agent_hello(struct agent *a, unsigned int lost);
/* Moves bytes both ways and reaps children, once; waits for something to do for up to timeout_ms
 * (-1: forever). */
void agent_pump(struct agent *a, int timeout_ms);
/* Queues a message, waiting for room. 0, -EPIPE (it is lost, and the rig will be told so),
 * -EMSGSIZE. */
int agent_send(struct agent *a, unsigned int type, const void *data, size_t size);
/* Until all is acknowledged and has left the UART, so that nothing of ours disturbs what follows.
 */
void agent_settle(struct agent *a, int timeout_ms);
/* For poll loops elsewhere: takes what the line holds now. */
void agent_read_line(struct agent *a);
extern const struct wire_ops agent_wire_ops; /* ctx: struct agent */

/* tty.c */

/* The preferred console by /proc/consoles, or /dev/console: a descriptor, or -errno. */
int tty_open_console(const char *root);
int tty_open(const char *path);
/* No echo, no translation, no hang-up; remembers how it was for tty_restore(). No-op unless it is a
 * tty. */
void tty_raw(int fd);
void tty_restore(void);
void set_nonblock(int fd);

/* init.c */

void init_early_mounts(void); /* what a hello needs */
void init_late_mounts(void);
void init_environment(void);

/* run.c */

struct run_result {
	int error; /* -errno: could not be started; then nothing else is set */
	bool timed_out, cancelled;
	int exit;   /* exit code, -1 if ended by a signal */
	int signal; /* 0 if it exited */
	uint64_t duration_ns;
	/* The agent itself between start and end of the child: CPU time, and how often it was woken
	 * but for the end. */
	uint64_t agent_cpu_ns;
	uint64_t agent_wakeups;
};

/*
 * Runs argv (argv[0] is sought in PATH) as a process group of its own with stdin from /dev/null and
 * the two files as output. Settles first, then writes nothing and sleeps until the child ends,
 * timeout_ms (0: none) has passed, or the rig cancels; then the group gets SIGTERM and, 2 s later,
 * SIGKILL. What is left of the group at the end is killed.
 */
void run_child(struct agent *a, const char *const argv[], const char *out_path,
	       const char *err_path, uint64_t timeout_ms, struct run_result *result);
/*
 * The same for a function of ours in a process of its own: what it returns is the exit code. It may
 * use stdio; it must not use the agent's line.
 */
void run_function(struct agent *a, int (*function)(void *ctx), void *ctx, const char *out_path,
		  const char *err_path, uint64_t timeout_ms, struct run_result *result);
/* Reaps whatever has ended; true, with *status, when pid was among it. pid may be 0. */
bool run_reap(int pid, int *status);

/* steps.c */

enum step_status { STEP_OK, STEP_FAILED, STEP_TIMEOUT, STEP_UNSUPPORTED };

struct step {
	struct agent *agent;
	struct kv_list spec;
	const char *id;
	unsigned int session;
	uint64_t timeout_ms; /* 0: none */
	/* The END message. Starts as ok, exit 0. */
	enum step_status status;
	struct run_result run;
	char message[512];
};

struct step_kind {
	const char *name;
	void (*run)(struct step *s);
	/* After END has been acknowledged; NULL: nothing. */
	void (*after)(struct step *s);
};

extern const struct step_kind step_kinds[]; /* ends with name NULL */
/* Carries out one STEP message, from STARTED to END. */
void step_execute(struct agent *a, const void *data, size_t size);

void step_noop(struct step *s);
void step_fio(struct step *s);
void step_dd(struct step *s);
void step_lun(struct step *s);
void step_capture(struct step *s);
void step_pktgen(struct step *s);
void step_play(struct step *s);
void step_gadget(struct step *s);
void step_iperf3(struct step *s);
void step_usleep(struct step *s);
void step_irqrate(struct step *s);
void step_funcgraph(struct step *s);
void step_ethtool(struct step *s);
void step_serve(struct step *s);
void step_fingerprint(struct step *s);
void step_tune(struct step *s);
void step_untune(struct step *s);
void step_dmesg(struct step *s);
void step_power(struct step *s);
void step_reboot_after(struct step *s);
void step_poweroff_after(struct step *s);

/* report.c */

/*
 * The device that key target means, waited for and free: false when the step has been ended, as
 * unsupported if there is none such.
 */
bool step_device(struct step *s, char *dev, size_t cap);
/*
 * Waits for each device named in the key target (selectors separated by commas); one that does not
 * come is noted. each may be NULL.
 */
void step_targets(struct step *s, void (*each)(void *ctx, const char *selector, const char *name),
		  void *ctx);

void step_note(struct step *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void step_metric(struct step *s, const char *name, const char *value, const char *unit);
/* Sends the file, in several messages when it is large. 0 or -errno. */
int step_file(struct step *s, const char *name, const char *path);
int step_file_data(struct step *s, const char *name, const void *data, size_t size);
/* Sets status and message; the first failure stays. */
void step_end(struct step *s, enum step_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void step_path(const struct step *s, const char *name, char *path,
	       size_t cap); /* in the scratch directory */
/*
 * Ends the step by s->run, unless the child ended well: who it was, and the last line of the file
 * that its stderr went to. Exit code STEP_EXIT_UNSUPPORTED means that this machine cannot do it.
 */
#define STEP_EXIT_UNSUPPORTED 77
void step_judge(struct step *s, const char *who, const char *err_path);

/* work.c */

/*
 * Runs a step's work in a process of its own, by run_function(), under the step's time limit. It
 * gives numbers with work_metric() and returns 0, work_fail() or work_unsupported(). What it wrote
 * to stderr is kept as FILE stderr if there is any.
 */
void work_run(struct step *s, int (*work)(void *step));
/* The same for work that leaves a FILE of that name at path, in the scratch directory. */
void work_run_file(struct step *s, int (*work)(void *step), const char *name, const char *path);
/* Of agent_now_ns(), to a millisecond. */
void work_sleep_until(uint64_t ns);
void work_metric(const char *name, double value, const char *unit);
int work_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
int work_unsupported(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
