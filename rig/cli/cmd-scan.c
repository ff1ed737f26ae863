// SPDX-License-Identifier: GPL-2.0-or-later
/* rig scan: splats in stored console logs, in one pass of bounded memory. Layer: cli. */
#include "cli/cli.h"
#include "cli/suppress.h"
#include "base/buf.h"
#include "base/day.h"
#include "base/log.h"
#include "scan/klog.h"
#include "scan/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_SIZE ((size_t)256 << 10)
#define MARK_MAX   255

static const char *since;
static const char *format = "text";
static bool show_all;
static const char *suppress_path;
static struct opt_list known_paths;

static const struct opt opts[] = {
	{ OPT_STRING, 's', "since", "MARK",
	  "only what comes after the first line with MARK in it; offsets stay those of the file",
	  &since, 0, 0 },
	{ OPT_STRING, 'f', "format", "text|json", "json: one object a line", &format, 0, 0 },
	{ OPT_FLAG, 'a', "all", NULL,
	  "device errors that the driver recovered from (severity notice) count and are shown too",
	  &show_all, 0, 0 },
	{ OPT_LIST, 'k', "known", "FILE",
	  "a log of the baseline (repeatable): what it shows too is known and does not count",
	  &known_paths, 0, 0 },
	{ OPT_STRING, 'x', "suppress", "FILE", "findings to be passed over, a YAML file",
	  &suppress_path, 0, 0 },
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
	unsigned long found, notices, suppressed;
	struct suppress *suppress;
	bool comparing; /* with the logs of the baseline */
	bool learning;	/* these are being read now */
	struct signature_set known;
	const struct format *format;
};

struct format {
	const char *name;
	void (*finding)(const struct scan *s, const struct klog_finding *f,
			enum signature_state state);
	void (*gone)(const struct signature *signature);
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

static void print_object(json_t *o)
{
	char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;

	puts(line ? line : "{}");
	free(line);
	json_decref(o);
}

static void finding_json(const struct scan *s, const struct klog_finding *f,
			 enum signature_state state)
{
	json_t *o = json_pack("{s:o, s:s, s:s, s:s, s:I, s:I, s:s?}", "file", name_json(s->file),
			      "kind", klog_kind_name(f->kind), "title", f->title, "severity",
			      klog_severity_name(f->severity), "begin",
			      (json_int_t)s->base + (json_int_t)f->begin, "end",
			      (json_int_t)s->base + (json_int_t)f->end, "guilty",
			      *f->guilty ? f->guilty : NULL);

	if (o && s->comparing)
		json_object_set_new(o, "state", json_string(signature_state_name(state)));
	print_object(o);
}

static void gone_json(const struct signature *signature)
{
	print_object(json_pack("{s:s, s:s, s:s}", "kind", klog_kind_name(signature->kind), "title",
			       signature->title, "state", signature_state_name(SIGNATURE_GONE)));
}

static void finding_text(const struct scan *s, const struct klog_finding *f,
			 enum signature_state state)
{
	struct signature signature;
	char id[SIGNATURE_ID_SIZE];

	printf("%s:%" PRIu64 "-%" PRIu64 ": ", s->file, s->base + f->begin, s->base + f->end);
	if (s->comparing)
		printf("%s: ", signature_state_name(state));
	printf("%s: %s (%s)\n", klog_severity_name(f->severity), f->title, klog_kind_name(f->kind));
	signature_of(f, &signature);
	signature_id(&signature, id);
	printf("\tsignature: %s\n", id);
	if (*f->guilty)
		printf("\tguilty: %s\n", f->guilty);
	if (f->n_frames)
		printf("\ttrace:");
	for (unsigned int i = 0; i < f->n_frames; i++)
		printf(" %s%s", f->trace[i], i + 1 < f->n_frames ? " <-" : "\n");
}

static void gone_text(const struct signature *signature)
{
	printf("gone: %s (%s)\n", signature->title, klog_kind_name(signature->kind));
}

static const struct format formats[] = {
	{ "text", finding_text, gone_text },
	{ "json", finding_json, gone_json },
};

static void found(void *ctx, const struct klog_finding *f)
{
	enum signature_state state;
	struct signature signature;
	struct scan *s = ctx;

	signature_of(f, &signature);
	if (s->learning) {
		signature_learn(&s->known, &signature);
		return;
	}
	state = signature_ask(&s->known, &signature);
	if (f->severity == KLOG_NOTICE && !show_all) {
		s->notices++;
		return;
	}
	if (s->suppress && suppress_matches(s->suppress, f)) {
		s->suppressed++;
		return;
	}
	s->found += state == SIGNATURE_NEW;
	s->format->finding(s, f, state);
}

static int scan_fd(struct scan *s, int fd, char *block, struct err *err)
{
	struct klog *k = klog_new(found, s);
	struct mark mark;
	ssize_t n;

	klog_allow_reboots(k);
	mark_init(&mark, s->learning ? NULL : since);
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

static const struct format *choose_format(struct err *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, format))
			return &formats[i];
	err_set(err, BLAME_USER, "usage", "--format %s: text or json", format);
	return NULL;
}

static int check_mark(struct err *err)
{
	if (since && (!*since || strlen(since) > MARK_MAX))
		return err_set(err, BLAME_USER, "usage", "--since: 1 to %d characters", MARK_MAX);
	return 0;
}

static int load_suppressions(struct scan *s, struct err *err)
{
	char today[DAY_SIZE];

	if (!suppress_path)
		return 0;
	day_of(time(NULL), today);
	s->suppress = suppress_load(suppress_path, today, err);
	if (!s->suppress)
		return -1;
	for (size_t i = 0; i < suppress_count(s->suppress); i++) {
		const char *over = suppress_expired(s->suppress, i);

		if (over)
			log_warn("%s: %s", suppress_path, over);
	}
	return 0;
}

/* How many files could not be read. */
static unsigned int scan_files(struct scan *s, const char *const *paths, size_t n)
{
	char *block = xmalloc(BLOCK_SIZE);
	unsigned int failed = 0;

	for (size_t i = 0; i < n; i++) {
		struct err why = ERR_INIT;

		s->file = paths[i];
		s->base = 0;
		if (scan_file(s, block, &why) == 0)
			continue;
		failed++;
		log_warn("%s", why.message);
	}
	free(block);
	return failed;
}

/* Device errors come and go with the weather: only those that are shown can be gone. */
static void report_gone(const struct scan *s)
{
	const struct signature *signature;
	size_t at = 0;

	while ((signature = signature_gone(&s->known, &at)))
		if (signature->kind != KLOG_DEVICE || show_all)
			s->format->gone(signature);
}

static void report_hidden(const struct scan *s)
{
	if (s->notices)
		log_info("%lu device notices not shown; --all shows them", s->notices);
	if (s->suppressed)
		log_info("%lu findings suppressed by %s", s->suppressed, suppress_path);
}

static int run(int n, char **operands, struct err *err)
{
	struct scan scan = { .known = SIGNATURE_SET_INIT, .format = choose_format(err) };
	unsigned int failed;

	if (!scan.format || check_mark(err) < 0 || load_suppressions(&scan, err) < 0)
		return -1;
	scan.comparing = scan.learning = known_paths.count > 0;
	failed = scan_files(&scan, known_paths.values, known_paths.count);
	scan.learning = false;
	failed += scan_files(&scan, (const char *const *)operands, (size_t)n);
	if (!failed)
		report_gone(&scan);
	if (scan.format->finding == finding_text)
		report_hidden(&scan);
	signature_set_release(&scan.known);
	suppress_free(scan.suppress);
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
