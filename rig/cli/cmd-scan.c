// SPDX-License-Identifier: GPL-2.0-or-later
/* rig scan: splats in stored console logs, in one pass of bounded memory. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/log.h"
#include "scan/klog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_SIZE ((size_t)256 << 10)
#define MARK_MAX   255

static const char *since;
static const char *format = "text";
static bool show_all;

static const struct opt opts[] = {
	{ OPT_STRING, 's', "since", "MARK",
	  "only what comes after the first line with MARK in it; offsets stay those of the file",
	  &since, 0, 0 },
	{ OPT_STRING, 'f', "format", "text|json", "json: one object a line", &format, 0, 0 },
	{ OPT_FLAG, 'a', "all", NULL,
	  "device errors that the driver recovered from (severity notice) count and are shown too",
	  &show_all, 0, 0 },
	{ .type = OPT_END },
};

/* Finds a text in a stream, whatever blocks it comes in (Knuth, Morris and Pratt). */
struct mark {
	const char *text;
	size_t n;
	size_t matched;
	size_t fallback[MARK_MAX]; /* length of the longest border of text[0..i] */
	bool seen, passed;	   /* the text; the end of its line */
};

struct scan {
	const char *file;
	uint64_t base; /* offset in the file of the first byte fed */
	unsigned long found, notices;
	void (*print)(const struct scan *s, const struct klog_finding *f);
};

static size_t mark_step(const struct mark *m, size_t matched, char c)
{
	while (matched && m->text[matched] != c)
		matched = m->fallback[matched - 1];
	return m->text[matched] == c ? matched + 1 : 0;
}

static void mark_init(struct mark *m, const char *text)
{
	memset(m, 0, sizeof(*m));
	m->text = text;
	m->n = text ? strlen(text) : 0;
	m->seen = m->passed = !m->n;
	for (size_t i = 1; i < m->n; i++)
		m->fallback[i] = mark_step(m, m->fallback[i - 1], text[i]);
}

/* How many of these bytes are not to be scanned: all up to the end of the mark's line. */
static size_t mark_skip(struct mark *m, const char *data, size_t size)
{
	size_t i = 0;

	for (; i < size && !m->seen; i++) {
		m->matched = mark_step(m, m->matched, data[i]);
		m->seen = m->matched == m->n;
	}
	for (; i < size && !m->passed; i++)
		m->passed = data[i] == '\n';
	return i;
}

/* A file name may be any bytes; JSON is UTF-8. */
static json_t *name_json(const char *name)
{
	json_t *value = json_string(name);
	char *copy;

	if (value)
		return value;
	copy = xstrdup(name);
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

static void print_json(const struct scan *s, const struct klog_finding *f)
{
	json_t *o = json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:s?}", "file", name_json(s->file),
			      "kind", klog_kind_name(f->kind), "title", f->title, "severity",
			      klog_severity_name(f->severity), "begin",
			      (json_int_t)(s->base + f->begin), "end",
			      (json_int_t)(s->base + f->end), "guilty",
			      *f->guilty ? f->guilty : NULL);
	char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;

	puts(line ? line : "{}");
	free(line);
	json_decref(o);
}

static void print_text(const struct scan *s, const struct klog_finding *f)
{
	printf("%s:%" PRIu64 "-%" PRIu64 ": %s: %s (%s)\n", s->file, s->base + f->begin,
	       s->base + f->end, klog_severity_name(f->severity), f->title,
	       klog_kind_name(f->kind));
	if (*f->guilty)
		printf("\tguilty: %s\n", f->guilty);
	if (f->n_frames)
		printf("\ttrace:");
	for (unsigned int i = 0; i < f->n_frames; i++)
		printf(" %s%s", f->trace[i], i + 1 < f->n_frames ? " <-" : "\n");
}

static const struct {
	const char *name;
	void (*print)(const struct scan *s, const struct klog_finding *f);
} formats[] = {
	{ "text", print_text },
	{ "json", print_json },
};

static void found(void *ctx, const struct klog_finding *f)
{
	struct scan *s = ctx;

	if (f->severity == KLOG_NOTICE && !show_all) {
		s->notices++;
		return;
	}
	s->found++;
	s->print(s, f);
}

static int scan_fd(struct scan *s, int fd, char *block, struct err *err)
{
	struct klog *k = klog_new(found, s);
	struct mark mark;
	ssize_t n;

	mark_init(&mark, since);
	while ((n = read(fd, block, BLOCK_SIZE)) > 0 || (n < 0 && errno == EINTR)) {
		size_t size = n > 0 ? (size_t)n : 0, skip = mark_skip(&mark, block, size);

		s->base += skip;
		klog_feed(k, block + skip, size - skip);
	}
	if (n < 0)
		err_sys(err, BLAME_USER, "unreadable", errno, "%s", s->file);
	else if (!mark.seen)
		err_set(err, BLAME_USER, "no-mark", "%s: no line contains '%s'", s->file, since);
	klog_finish(k);
	klog_free(k);
	return n < 0 || !mark.seen ? -1 : 0;
}

static int scan_file(struct scan *s, char *block, struct err *err)
{
	bool input = !strcmp(s->file, "-");
	int fd = input ? STDIN_FILENO : open(s->file, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return err_sys(err, BLAME_USER, "unreadable", errno, "%s", s->file);
	rc = scan_fd(s, fd, block, err);
	if (!input)
		close(fd);
	return rc;
}

static int choose_format(struct scan *s, struct err *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, format))
			s->print = formats[i].print;
	if (!s->print)
		return err_set(err, BLAME_USER, "usage", "--format %s: text or json", format);
	if (since && (!*since || strlen(since) > MARK_MAX))
		return err_set(err, BLAME_USER, "usage", "--since: 1 to %d characters", MARK_MAX);
	return 0;
}

static int run(int n, char **operands, struct err *err)
{
	struct scan scan = { .file = NULL };
	unsigned int failed = 0;
	char *block;

	if (choose_format(&scan, err) < 0)
		return -1;
	block = xmalloc(BLOCK_SIZE);
	for (int i = 0; i < n; i++) {
		struct err why = ERR_INIT;

		scan.file = operands[i];
		scan.base = 0;
		if (scan_file(&scan, block, &why) == 0)
			continue;
		failed++;
		log_warn("%s", why.message);
	}
	free(block);
	if (scan.notices && scan.print == print_text)
		log_info("%lu device notices not shown; --all shows them", scan.notices);
	if (failed)
		return EXIT_INVALID;
	return scan.found ? EXIT_FAIL : EXIT_PASS;
}

const struct command cmd_scan = {
	.name = "scan",
	.args = "FILE...",
	.summary = "find splats in console logs: panics, warnings, lockups, reboots ...",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1000000,
	.run = run,
};
