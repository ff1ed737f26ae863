/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel-log splat detector. Pure and streaming: raw console bytes in, in chunks of any size,
 * findings out by callback; bounded memory, one pass. It sees through CR/LF mixes, NUL, ANSI
 * escapes, printk prefixes ("[   12.345678][ T123] ", "<4>") and syslog prefixes.
 * Layer: scan -> base (libc only). Used by the job (live) and by results (stored logs).
 *
 * What is looked for is a const table of patterns: literal anchors, no regular expressions. Each
 * row carries examples that must and that must not match; a unit test walks it.
 *
 *	static void found(void *ctx, const struct klog_finding *f) { ... }
 *	struct klog *k = klog_new(found, ctx);
 *	while ((n = read(fd, buf, sizeof(buf))) > 0)
 *		klog_feed(k, buf, n);
 *	klog_finish(k);
 *	klog_free(k);
 */
#ifndef RIG_SCAN_KLOG_H
#define RIG_SCAN_KLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum klog_kind {
	KLOG_PANIC,
	KLOG_OOPS,    /* "Unable to handle", "BUG: kernel NULL pointer", "Internal error: Oops" */
	KLOG_GPF,     /* general protection fault */
	KLOG_BUG,     /* BUG_ON, "kernel BUG at", "BUG: ..." of other sorts */
	KLOG_WARNING, /* WARN_ON */
	KLOG_KASAN,
	KLOG_KFENCE,
	KLOG_KCSAN,
	KLOG_KMSAN,
	KLOG_UBSAN,
	KLOG_LOCKDEP, /* possible deadlocks, suspicious RCU usage, bad unlock balance, ... */
	KLOG_ATOMIC,  /* sleeping function called from invalid context, scheduling while atomic */
	KLOG_RCU,     /* RCU stall */
	KLOG_LOCKUP,  /* soft and hard lockup, NMI watchdog */
	KLOG_HUNG,    /* hung task */
	KLOG_OOM,
	KLOG_ALLOC, /* page allocation failure */
	KLOG_REFCOUNT,
	KLOG_LIST,   /* list corruption */
	KLOG_LEAK,   /* kmemleak */
	KLOG_MEMORY, /* slab, page table and page state corruption */
	KLOG_REBOOT, /* a boot banner inside one boot: silent reset, boot loop */
	KLOG_DEVICE, /* controller errors and resets: UFS, SCSI, USB, dwc3, MMC, block I/O */
	KLOG_N_KINDS
};

enum klog_severity {
	KLOG_NOTICE = 1, /* device errors and resets that the driver recovered from */
	KLOG_ERROR = 2,	 /* a defect reported by the kernel, which goes on */
	KLOG_FATAL = 3,	 /* the kernel stops, or killed a task of its own */
};

#define KLOG_TITLE_MAX 160
#define KLOG_FUNC_MAX  80
#define KLOG_FILE_MAX  96
#define KLOG_FRAME_MAX 48
#define KLOG_TRACE_MAX 12

/* A value: valid during the callback, copy it to keep it. */
struct klog_finding {
	enum klog_kind kind;
	enum klog_severity severity;
	/*
	 * Normalised: the same defect gives the same title on every boot. Function instead of
	 * address; numbers NUM, addresses ADDR; "WARNING in ufshcd_foo",
	 * "panic: rig canary: ...". One line of printable ASCII, NUL-terminated.
	 */
	char title[KLOG_TITLE_MAX];
	char func[KLOG_FUNC_MAX]; /* the function of the title; "" = unknown */
	/*
	 * A guess at the source file to look at first, as a path inside the kernel tree: the first
	 * that the splat names, without those that only report, lock or allocate for others; such
	 * a one when there is no better; "" when none is named.
	 */
	char guilty[KLOG_FILE_MAX];
	/* The first call trace, innermost first, without such functions and without guesses ("?").
	 */
	unsigned int n_frames;
	char trace[KLOG_TRACE_MAX][KLOG_FRAME_MAX];
	/*
	 * Byte range in the fed stream: from the start of the first line of the splat to the end
	 * of the last line that belongs to it (its trace, its "end trace" line). begin is the
	 * identity of a finding within one log.
	 */
	uint64_t begin;
	uint64_t end;
};

typedef void klog_fn(void *ctx, const struct klog_finding *f);

struct klog;

/* found is called once per finding, in order of begin, when the splat has ended (see klog_flush).
 */
struct klog *klog_new(klog_fn *found, void *ctx);
void klog_free(struct klog *k);

void klog_feed(struct klog *k, const void *data, size_t size);

/* End of input: takes a last line without newline, reports what is open. Feed no more after it. */
void klog_finish(struct klog *k);

/*
 * Reports the open splat now, as far as it is known. For live logs: call it when the console has
 * been silent for a while (200 ms say) so that a panic, the last thing a kernel prints, is
 * reported at once. Feeding goes on after it; lines of the same splat are then swallowed.
 */
void klog_flush(struct klog *k);

/* True when a splat is open: begun, and not reported yet. */
bool klog_pending(const struct klog *k);

/*
 * The rig itself reset or powered the board at this point of the stream: the next boot banner is
 * expected and no finding. (The first banner of a stream is always expected.)
 */
void klog_expect_boot(struct klog *k);

/*
 * A stored log, of which nobody knows who asked for a reboot: one that the kernel or the loader
 * announces ("reboot: Restarting system") is no finding. In a live log the rig knows.
 */
void klog_allow_reboots(struct klog *k);

/* "panic", "oops", ... ; the word used in events and in JSON. Never NULL for a valid kind. */
const char *klog_kind_name(enum klog_kind kind);

/* The inverse; -1 for an unknown word. */
int klog_kind_parse(const char *name);

/* "notice", "error", "fatal". */
const char *klog_severity_name(enum klog_severity severity);

/* One row of the pattern table, for tests and the manual. */
struct klog_example {
	const char *line;  /* text of a console line, without prefix */
	const char *title; /* NULL: must not match this row */
};

size_t klog_n_patterns(void);
/* Examples of row i, ended by a NULL line; *kind is the row's kind, *anchor its literal. */
const struct klog_example *klog_examples(size_t i, enum klog_kind *kind, const char **anchor);

#endif
