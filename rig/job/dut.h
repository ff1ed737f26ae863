/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DUT as a blocking client sees it: the agent behind the wire, and the kernel log around it,
 * both on one console. Layer: job.
 *
 *	console ---> record (console.c) ---> wire ---> messages: hello, files, metrics, end
 *	                                      |
 *	                                      +------> text ---> klog ---> findings
 *
 * Every wait has a deadline and ends at once when it has become pointless. Errors of all waits:
 *
 *	KERNEL panic		a fatal splat; the message is its title
 *	BOARD  silent-reset	it booted again, without being asked to and without a splat
 *	BOARD  console-lost	end of the console; ask board_check() for more
 *	BOARD  wire-lost	the agent does not answer any more, or not in time
 *	BOARD  boot-timeout	no hello (dut_wait_hello() only)
 *	RIG    disk-full, record	the console cannot be recorded
 *	RIG    keeper-lost	the console's keeper is gone
 *	RIG    supervisor-gone	peer_fd hung up
 *	USER   cancelled	a stop was asked for
 */
#ifndef RIG_JOB_DUT_H
#define RIG_JOB_DUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "scan/klog.h"

struct console;
struct err;
struct dut;
struct wire_link;
struct wire_stats;

/* Told while waiting. Each may be NULL. */
struct dut_hooks {
	/* a kernel splat; begin and end are offsets into the console's record */
	void (*finding)(void *ctx, const struct klog_finding *f);
	/* a result file, whole and checked */
	void (*file)(void *ctx, const char *name, const void *data, size_t size);
	void (*metric)(void *ctx, const char *name, const char *value, const char *unit);
	void (*note)(void *ctx, const char *text);
};

struct dut_hello {
	char version[64];
	char arch[32];
	char release[128]; /* uname -r */
	char boot_id[64];
	int64_t uptime_ms; /* of the kernel, when it was sent; -1 = it does not say */
};

struct dut_step {
	const char *kind;
	const char *target; /* NULL = none */
	const char *const *args;
	size_t n_args;
	const char *const *observe; /* what watches it; n_observe of them */
	size_t n_observe;
	long timeout_ms; /* the agent's limit; the deadline of the wait is longer */
};

enum dut_status { DUT_OK, DUT_FAILED, DUT_TIMEOUT, DUT_UNSUPPORTED };

struct dut_result {
	enum dut_status status;
	int64_t exit; /* -1 = unknown, as all below */
	int64_t signal;
	int64_t duration_ns;
	int64_t agent_cpu_ns;
	int64_t agent_wakeups;
	char message[512];
};

/* con and hooks stay the caller's. peer_fd: see console_wait(). link: wire_link_console, ... */
struct dut *dut_new(struct console *con, const struct wire_link *link, int peer_fd,
		    const struct dut_hooks *hooks, void *ctx);

/* Reports what is still open in the kernel log, and frees. NULL is fine. */
void dut_free(struct dut *d);

/* Waits for the first byte: 0; 1 at the deadline; -1 with err. */
int dut_wait_output(struct dut *d, struct deadline limit, struct err *err);

int dut_wait_hello(struct dut *d, struct dut_hello *hello, struct deadline limit, struct err *err);

/*
 * Runs one step to its end. 0 whenever the agent said how it ended, also if it failed: see
 * result->status. A file that did not come whole makes the result DUT_FAILED.
 */
int dut_run(struct dut *d, const struct dut_step *step, struct dut_result *result,
	    struct deadline limit, struct err *err);

/*
 * Types at what is on the console before the agent is: takes what it can, the rest goes out during
 * the next waits. What the console says meanwhile goes to ear as well, if there is one.
 */
void dut_type(struct dut *d, const void *data, size_t size);
void dut_listen(struct dut *d, void (*ear)(void *ctx, const void *data, size_t size), void *ctx);

/* Lets time pass until something comes on the console: 0; 1 at the deadline; -1 with err. */
int dut_hear(struct dut *d, struct deadline limit, struct err *err);

/* Lets time pass, listening. */
int dut_pause(struct dut *d, unsigned int ms, struct err *err);

/*
 * Takes what the console still holds, until it is silent for a moment: for the last words of a DUT
 * that is in trouble or off. No error: there is nobody left to tell.
 */
void dut_drain(struct dut *d);

/* The last complete line of console text that holds a printable character; "" if none yet. */
const char *dut_last_line(const struct dut *d);

const struct wire_stats *dut_wire_stats(const struct dut *d);

const char *dut_status_name(enum dut_status status);

#endif
