// SPDX-License-Identifier: GPL-2.0-or-later
/* The splat detector: messages to findings; see klog.h. Layer: scan. */
#include "scan/klog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/logline.h"
#include "scan/patterns.h"
#include "scan/symbol.h"

#define TAG_BITS     12
#define IDLE_MAX     12	 /* messages that are no part of it, after which a splat is over */
#define IDLE_ENDED   3	 /* the same once its end mark has been seen */
#define LEAD_MAX     8	 /* messages within which a LEAD row absorbs what says it again */
#define DEVICE_MAX   20	 /* findings reported per row of device errors: they come in storms */
#define BOOT_STAMP_S 5.0 /* a banner with an older message before it is a reboot */

/* How good the function of a title is. */
enum rank { RANK_NONE, RANK_FRAME, RANK_SURE };

struct splat {
	bool open;
	bool reported; /* by klog_flush(); what follows is swallowed */
	bool ended;    /* "---[ end trace" was seen */
	const struct pattern *row;
	enum rank rank;
	unsigned int age;  /* messages since it opened */
	unsigned int idle; /* messages in a row that are no part of it */
	bool framed;	   /* a frame of its trace was seen */
	struct klog_finding finding;
};

struct klog {
	klog_fn *found;
	void *ctx;
	struct logline_reader reader;
	struct splat splat;
	unsigned char tags[(1 << TAG_BITS) / 8]; /* which hashes of 4 bytes begin an anchor */
	unsigned int *device_seen;		 /* per row */
	bool running;				 /* a kernel has printed in this boot */
};

static const char *const kind_names[KLOG_N_KINDS] = {
	[KLOG_PANIC] = "panic",	  [KLOG_OOPS] = "oops",	      [KLOG_GPF] = "gpf",
	[KLOG_BUG] = "bug",	  [KLOG_WARNING] = "warning", [KLOG_KASAN] = "kasan",
	[KLOG_KFENCE] = "kfence", [KLOG_KCSAN] = "kcsan",     [KLOG_KMSAN] = "kmsan",
	[KLOG_UBSAN] = "ubsan",	  [KLOG_LOCKDEP] = "lockdep", [KLOG_ATOMIC] = "atomic",
	[KLOG_RCU] = "rcu-stall", [KLOG_LOCKUP] = "lockup",   [KLOG_HUNG] = "hung-task",
	[KLOG_OOM] = "oom",	  [KLOG_ALLOC] = "alloc",     [KLOG_REFCOUNT] = "refcount",
	[KLOG_LIST] = "list",	  [KLOG_LEAK] = "leak",	      [KLOG_MEMORY] = "memory",
	[KLOG_REBOOT] = "reboot", [KLOG_DEVICE] = "device",
};

const char *klog_kind_name(enum klog_kind kind)
{
	return kind_names[kind];
}

int klog_kind_parse(const char *name)
{
	for (int i = 0; i < KLOG_N_KINDS; i++)
		if (!strcmp(kind_names[i], name))
			return i;
	return -1;
}

const char *klog_severity_name(enum klog_severity severity)
{
	static const char *const names[] = { "", "notice", "error", "fatal" };

	return names[severity];
}

size_t klog_n_patterns(void)
{
	return patterns_n;
}

const struct klog_example *klog_examples(size_t i, enum klog_kind *kind, const char **anchor)
{
	*kind = patterns[i].kind;
	*anchor = patterns[i].anchor;
	return patterns[i].examples;
}

/* matching */

static uint32_t load_tag(const char *p)
{
	uint32_t tag;

	memcpy(&tag, p, sizeof(tag));
	return tag;
}

static uint32_t tag_hash(uint32_t tag)
{
	return (tag * 2654435761u) >> (32 - TAG_BITS);
}

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_';
}

/* The message begins here, or what is before it ends like a prefix: "kernel: ", "[ ", "<4>". */
static bool at_start(const char *text, const char *p)
{
	while (p > text && p[-1] == ' ')
		p--;
	return p == text || strchr(":[]>=*|-", p[-1]) ||
	       (p - text > 8 && p[-3] == ':' && p[-6] == ':'); /* a time of day */
}

/* One of the '|'-separated words is in the text. */
static bool has_any(const char *text, size_t n, const char *words)
{
	while (*words) {
		size_t len = strcspn(words, "|");

		if (len && memmem(text, n, words, len))
			return true;
		words += len + (words[len] == '|');
	}
	return false;
}

static bool row_matches(const struct pattern *row, const struct logmsg *msg, const char *p)
{
	size_t n = strlen(row->anchor), left = msg->n - (size_t)(p - msg->text);

	if (left < n || memcmp(p, row->anchor, n) != 0)
		return false;
	if (row->flags & AT_START ? !at_start(msg->text, p)
				  : p > msg->text && is_word_char(p[-1]) && is_word_char(*p))
		return false;
	if (row->need && !has_any(p + n, left - n, row->need))
		return false;
	return !row->forbid || !has_any(msg->text, msg->n, row->forbid);
}

/* The first row of the table, below `limit`, that matches at p; limit when there is none. */
static size_t match_at(const struct logmsg *msg, const char *p, size_t limit)
{
	for (size_t i = 0; i < limit; i++)
		if (*patterns[i].anchor == *p && row_matches(&patterns[i], msg, p))
			return i;
	return limit;
}

static const struct pattern *match(const struct klog *k, const struct logmsg *msg, const char **at)
{
	size_t best = patterns_n;

	for (size_t i = 0; i + 4 <= msg->n; i++) {
		uint32_t h = tag_hash(load_tag(msg->text + i));
		size_t row;

		if (!(k->tags[h / 8] & (1u << (h % 8))))
			continue;
		row = match_at(msg, msg->text + i, best);
		if (row < best) {
			best = row;
			*at = msg->text + i;
		}
	}
	return best < patterns_n ? &patterns[best] : NULL;
}

/* one splat */

static void finish_title(struct splat *s)
{
	struct klog_finding *f = &s->finding;
	size_t n = strlen(f->title);

	if (f->func[0] && !(s->row->flags & REST) && s->row->func != FUNC_NONE)
		snprintf(f->title + n, sizeof(f->title) - n, " in %s", f->func);
}

static void report(struct klog *k, struct splat *s)
{
	struct splat copy;

	if (s->reported)
		return;
	s->reported = true;
	copy = *s;
	finish_title(&copy);
	k->found(k->ctx, &copy.finding);
}

static void close_splat(struct klog *k)
{
	if (k->splat.open)
		report(k, &k->splat);
	k->splat.open = false;
}

static void set_func(struct splat *s, const char *text, size_t n, enum rank rank)
{
	char func[KLOG_FUNC_MAX];

	if (rank <= s->rank || !symbol_in(text, n, func, sizeof(func)) || symbol_is_noise(func))
		return;
	memcpy(s->finding.func, func, sizeof(func));
	s->rank = rank;
}

static void init_splat(struct splat *s, const struct pattern *row, const struct logline *line,
		       const struct logmsg *msg, const char *at)
{
	struct klog_finding *f = &s->finding;
	const char *rest = at + strlen(row->anchor);
	size_t n = msg->n - (size_t)(rest - msg->text);

	memset(s, 0, sizeof(*s));
	s->open = true;
	s->row = row;
	f->kind = row->kind;
	f->severity = row->severity;
	f->begin = line->begin;
	f->end = line->end;
	strncat(f->title, row->title, sizeof(f->title) - 1);
	if (row->flags & REST)
		symbol_normalise(rest, n, f->title, sizeof(f->title));
	if (row->func == FUNC_LINE)
		set_func(s, rest, n, RANK_SURE);
}

/* Is the row only another line of the open splat? */
static bool absorbs(const struct splat *s, const struct pattern *row)
{
	if (!s->open || (s->reported && row->severity > s->finding.severity))
		return false;
	if (row->flags & FOLLOW)
		return true;
	if (!(s->row->flags & LEAD) || s->age > LEAD_MAX || s->framed)
		return false;
	return row->kind == KLOG_WARNING || row->kind == KLOG_BUG || row->kind == KLOG_REFCOUNT ||
	       row->kind == KLOG_LOCKDEP || row->kind == KLOG_LEAK;
}

/* Lines that belong to a splat, by how they begin. */
static bool is_body(const struct logmsg *msg)
{
	static const char *const words[] = {
		"Call Trace",
		"Call trace",
		"Modules linked",
		"CPU:",
		"Hardware name",
		"RIP",
		"RSP",
		"RAX",
		"RDX",
		"RBP",
		"R10",
		"R13",
		"FS:",
		"CS:",
		"CR2",
		"DR0",
		"DR3",
		"Code",
		"EIP",
		"EAX",
		"ESI",
		"pc ",
		"lr ",
		"sp ",
		"x2",
		"x1",
		"x8",
		"x5",
		"x0",
		"pstate",
		"PC is",
		"LR is",
		"psr",
		"r1",
		"r7",
		"r3",
		"r0",
		"Flags:",
		"Control:",
		"Process ",
		"Stack",
		"Backtrace",
		"Workqueue",
		"Exception",
		"Tainted",
		"#PF",
		"PGD",
		"pgd",
		"Read of size",
		"Write of size",
		"Allocated by",
		"Freed by",
		"The buggy",
		"Memory state",
		"page:",
		"page ",
		"raw:",
		"flags:",
		"==",
		"---[",
		"stack backtrace",
		"other info",
		"rcu:",
		"Sending NMI",
		"NMI backtrace",
		"Showing",
		"Mem-Info",
		"Node ",
		"DMA",
		"Normal",
		"epc",
		"ra ",
		"Status",
		"Cause",
		"BadVA",
		"Mem abort",
		"Data abort",
		"ESR",
		"user pgtable",
		"swapper pgtable",
		"Internal error",
		"Kernel Offset",
		"Rebooting",
		"the existing dependency",
		"-> #",
		"but task",
		"which lock",
		"task:",
		"backtrace",
		"comm ",
		"hex dump",
		"Disabling lock",
		"SMP: stopping",
		"Last level",
		"INFO:",
		"last function",
		"gp",
		"tp",
		"t0",
		"s0",
		"a0",
		"[<",
		"$",
	};

	if (!msg->n || msg->text[0] == ' ')
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (msg->n >= n && !memcmp(msg->text, words[i], n))
			return true;
	}
	return memmem(msg->text, msg->n, "+0x", 3) != NULL;
}

static void extend(struct splat *s, const struct logline *line, const struct logmsg *msg)
{
	s->idle = 0;
	s->finding.end = line->end;
	if (msg->n > 7 && memmem(msg->text, msg->n, "---[ end ", 9))
		s->ended = true;
	if (s->row->func == FUNC_NONE || s->ended)
		return;
	if (symbol_is_pc_line(msg->text, msg->n) && s->row->func != FUNC_FRAME)
		set_func(s, msg->text, msg->n, RANK_SURE);
	else if (symbol_is_frame(msg->text, msg->n))
		set_func(s, msg->text, msg->n, RANK_FRAME);
	s->framed = s->framed || symbol_is_frame(msg->text, msg->n);
}

static void go_on(struct klog *k, const struct logline *line, const struct logmsg *msg)
{
	struct splat *s = &k->splat;

	s->age++;
	if (is_body(msg)) {
		extend(s, line, msg);
		return;
	}
	s->idle++;
	if (s->idle >= (s->ended ? IDLE_ENDED : IDLE_MAX))
		close_splat(k);
}

static void report_single(struct klog *k, const struct pattern *row, const struct logline *line,
			  const struct logmsg *msg, const char *at)
{
	struct splat s;
	unsigned int *seen = &k->device_seen[row - patterns];

	if (row->kind == KLOG_DEVICE && ++*seen > DEVICE_MAX)
		return;
	init_splat(&s, row, line, msg, at);
	report(k, &s);
}

static void take_row(struct klog *k, const struct pattern *row, const struct logline *line,
		     const struct logmsg *msg, const char *at)
{
	struct splat *s = &k->splat;

	if (row->flags & LAST) {
		report_single(k, row, line, msg, at);
		return;
	}
	if (!absorbs(s, row)) {
		close_splat(k);
		init_splat(s, row, line, msg, at);
		return;
	}
	s->age++;
	if (row->severity > s->finding.severity)
		s->finding.severity = row->severity;
	extend(s, line, msg);
}

/* boots */

static bool is_banner(const struct logmsg *msg)
{
	static const char banner[] = "Linux version ";
	size_t n = sizeof(banner) - 1;

	return msg->n > n && !memcmp(msg->text, banner, n) && msg->text[n] >= '0' &&
	       msg->text[n] <= '9' && (!msg->stamped || msg->time_s < BOOT_STAMP_S) &&
	       memchr(msg->text, '(', msg->n);
}

static void take_banner(struct klog *k, const struct logline *line)
{
	struct splat s = { .open = true };

	close_splat(k);
	if (k->running) {
		s.row = &patterns[0];
		s.rank = RANK_NONE;
		s.finding.kind = KLOG_REBOOT;
		s.finding.severity = KLOG_FATAL;
		s.finding.begin = line->begin;
		s.finding.end = line->end;
		strncat(s.finding.title, "unexpected reboot", sizeof(s.finding.title) - 1);
		report(k, &s);
	}
	k->running = true;
}

/* the stream */

static void take_message(struct klog *k, const struct logline *line, const struct logmsg *msg)
{
	const char *at = NULL;
	const struct pattern *row;

	if (is_banner(msg)) {
		take_banner(k, line);
		return;
	}
	if (msg->stamped && msg->time_s > BOOT_STAMP_S)
		k->running = true;
	row = match(k, msg, &at);
	if (row)
		take_row(k, row, line, msg, at);
	else if (k->splat.open)
		go_on(k, line, msg);
}

static void take_line(struct klog *k)
{
	const struct logline *line = &k->reader.line;
	struct logmsg msg;
	size_t pos = 0;

	while (logline_message(line, &pos, &msg))
		take_message(k, line, &msg);
}

struct klog *klog_new(klog_fn *found, void *ctx)
{
	struct klog *k = calloc(1, sizeof(*k));

	if (k)
		k->device_seen = calloc(patterns_n, sizeof(*k->device_seen));
	if (!k || !k->device_seen)
		abort();
	k->found = found;
	k->ctx = ctx;
	logline_init(&k->reader);
	for (size_t i = 0; i < patterns_n; i++) {
		uint32_t h = tag_hash(load_tag(patterns[i].anchor));

		k->tags[h / 8] = (unsigned char)(k->tags[h / 8] | (1u << (h % 8)));
	}
	return k;
}

void klog_free(struct klog *k)
{
	if (!k)
		return;
	free(k->device_seen);
	free(k);
}

void klog_feed(struct klog *k, const void *data, size_t size)
{
	const char *p = data;

	while (size) {
		size_t n = logline_feed(&k->reader, p, size);

		p += n;
		size -= n;
		if (k->reader.complete)
			take_line(k);
	}
}

void klog_finish(struct klog *k)
{
	if (logline_finish(&k->reader))
		take_line(k);
	close_splat(k);
}

void klog_expect_boot(struct klog *k)
{
	klog_finish(k);
	k->running = false;
}

void klog_flush(struct klog *k)
{
	if (k->splat.open)
		report(k, &k->splat);
}

bool klog_pending(const struct klog *k)
{
	return k->splat.open && !k->splat.reported;
}
