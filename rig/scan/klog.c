// SPDX-License-Identifier: GPL-2.0-or-later
/* The splat detector: messages to findings; see klog.h. Layer: scan. */
#include "scan/klog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "scan/boot.h"
#include "scan/logline.h"
#include "scan/patterns.h"
#include "scan/splat.h"

#define TAG_BITS   12
#define IDLE_MAX   12 /* messages that are no part of it, after which a splat is over */
#define IDLE_ENDED 3  /* the same once its end mark has been seen */
#define LEAD_MAX   8  /* messages within which a LEAD row absorbs what says it again */
#define AGAIN_MAX                                                                                  \
	12	      /* messages within which the same line may come again, with inlined callers  \
		       */
#define DEVICE_MAX 20 /* findings reported per row of device errors: they come in storms */

struct klog {
	klog_fn *found;
	void *ctx;
	struct logline_reader reader;
	struct splat splat;
	/*
	 * By the hash of 4 bytes: the first row whose anchor begins with them, plus 1, and to each
	 * row the next one; rows of the boot table follow those of the pattern table.
	 */
	uint16_t head[1 << TAG_BITS];
	uint16_t *next;
	unsigned int *device_seen; /* per row */
	struct boot_watch boot;
	bool allow_reboots;
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

/* The head of a report about a crash, or of a mail, quotes its title. */
static bool is_quote(const struct logline *line)
{
	static const char *const heads[] = { "TITLE: ", "ALT: ", "START: ", "END: ", "Subject: " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (*heads[i] == *line->text && !strncmp(line->text, heads[i], strlen(heads[i])))
			return true;
	}
	return false;
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
				  : !(row->flags & GLUED) && p > msg->text && is_word_char(p[-1]) &&
					    is_word_char(*p))
		return false;
	if (row->need && !has_any(p + n, left - n, row->need))
		return false;
	return !row->forbid || !has_any(msg->text, msg->n, row->forbid);
}

/* What a message holds: the first row of either table that matches anywhere in it. */
struct match {
	size_t pattern;
	const char *at; /* where the pattern's anchor is */
	const struct boot_row *boot;
};

static void match_at(const struct klog *k, const struct logmsg *msg, const char *p, size_t row,
		     struct match *m)
{
	for (; row; row = k->next[row]) {
		if (row > patterns_n) {
			const struct boot_row *boot = &boot_rows[row - 1 - patterns_n];

			if (!m->boot && boot_matches(boot, msg, p, at_start(msg->text, p)))
				m->boot = boot;
		} else if (row - 1 < m->pattern && row_matches(&patterns[row - 1], msg, p)) {
			m->pattern = row - 1;
			m->at = p;
		}
	}
}

static void find_rows(const struct klog *k, const struct logmsg *msg, struct match *m)
{
	*m = (struct match){ .pattern = patterns_n };
	for (size_t i = 0; i + 4 <= msg->n; i++) {
		size_t row = k->head[tag_hash(load_tag(msg->text + i))];

		if (row)
			match_at(k, msg, msg->text + i, row, m);
	}
}

/* one splat */

static void report(struct klog *k, struct splat *s)
{
	struct klog_finding f;

	if (s->reported)
		return;
	s->reported = true;
	splat_finding(s, &f);
	k->found(k->ctx, &f);
}

static void close_splat(struct klog *k)
{
	if (k->splat.open)
		report(k, &k->splat);
	k->splat.open = false;
}

/* Is the row only another line of the open splat? */
static bool absorbs(const struct splat *s, const struct pattern *row)
{
	if (!s->open || (s->reported && row->severity > s->finding.severity))
		return false;
	if (row->flags & FOLLOW)
		return true;
	if (row == s->row && (row->flags & AGAIN) && s->age < AGAIN_MAX && !s->framed)
		return true;
	if (!(s->row->flags & LEAD) || s->age > LEAD_MAX || s->framed)
		return false;
	return row->kind == KLOG_WARNING || row->kind == KLOG_BUG || row->kind == KLOG_REFCOUNT ||
	       row->kind == KLOG_LOCKDEP || row->kind == KLOG_LEAK;
}

static void go_on(struct klog *k, const struct logline *line, const struct logmsg *msg)
{
	struct splat *s = &k->splat;

	s->age++;
	if (splat_is_body(msg)) {
		splat_extend(s, line, msg, false);
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
	splat_init(&s, row, line, msg, at);
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
		splat_init(s, row, line, msg, at);
		return;
	}
	s->age++;
	if (row->severity > s->finding.severity)
		s->finding.severity = row->severity;
	splat_extend(s, line, msg, row == s->row);
}

/* boots */

static void take_boot(struct klog *k, const struct boot_row *row, const struct logline *line,
		      const struct logmsg *msg)
{
	struct klog_finding f = { .kind = KLOG_REBOOT,
				  .severity = KLOG_FATAL,
				  .title = "unexpected reboot",
				  .begin = line->begin,
				  .end = line->end };

	close_splat(k);
	if (boot_take(&k->boot, row, msg))
		k->found(k->ctx, &f);
}

/* the stream */

static void take_message(struct klog *k, const struct logline *line, const struct logmsg *msg)
{
	struct match m;

	if (boot_is_kernel(msg)) {
		take_boot(k, NULL, line, msg);
		return;
	}
	find_rows(k, msg, &m);
	if (m.boot && (m.boot->role == BOOT_LOADER || k->allow_reboots)) {
		take_boot(k, m.boot, line, msg);
		return;
	}
	boot_note(&k->boot, msg);
	if (m.at)
		take_row(k, &patterns[m.pattern], line, msg, m.at);
	else if (k->splat.open)
		go_on(k, line, msg);
}

static void take_line(struct klog *k)
{
	const struct logline *line = &k->reader.line;
	struct logmsg msg;
	size_t pos = 0;

	if (is_quote(line))
		return;
	while (logline_message(line, &pos, &msg)) {
		/* such a file spans boots, and rarely holds the end of one */
		if (msg.syslog)
			boot_expect(&k->boot);
		take_message(k, line, &msg);
	}
}

static void add_anchor(struct klog *k, const char *anchor, size_t row)
{
	uint16_t *head = &k->head[tag_hash(load_tag(anchor))];

	k->next[row] = *head;
	*head = (uint16_t)row;
}

struct klog *klog_new(klog_fn *found, void *ctx)
{
	struct klog *k = xcalloc(1, sizeof(*k));

	k->device_seen = xcalloc(patterns_n, sizeof(*k->device_seen));
	k->next = xcalloc(patterns_n + boot_rows_n + 1, sizeof(*k->next));
	k->found = found;
	k->ctx = ctx;
	logline_init(&k->reader);
	for (size_t i = boot_rows_n; i > 0; i--)
		add_anchor(k, boot_rows[i - 1].literal, patterns_n + i);
	for (size_t i = patterns_n; i > 0; i--)
		add_anchor(k, patterns[i - 1].anchor, i);
	return k;
}

void klog_free(struct klog *k)
{
	if (!k)
		return;
	free(k->device_seen);
	free(k->next);
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
	boot_expect(&k->boot);
}

void klog_allow_reboots(struct klog *k)
{
	k->allow_reboots = true;
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
