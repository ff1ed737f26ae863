// SPDX-License-Identifier: GPL-2.0-or-later
/* One splat while it is read; see splat.h. Layer: scan. */
#include "scan/splat.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "scan/generic.h"
#include "scan/symbol.h"
#include "scan/trace.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool begins(const struct logmsg *msg, const char *word)
{
	size_t n = strlen(word);

	return msg->n >= n && !memcmp(msg->text, word, n);
}

static bool begins_with_any(const struct logmsg *msg, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins(msg, words[i]))
			return true;
	return false;
}

/* "dfe0: 00000000 00000000 ...": the stack, as arm prints it */
static bool is_dump(const struct logmsg *msg)
{
	size_t i = 0;

	while (i < msg->n && isxdigit((unsigned char)msg->text[i]))
		i++;
	return i >= 4 && i + 1 < msg->n && msg->text[i] == ':' && msg->text[i + 1] == ' ';
}

/* Lines that belong to a splat, by how they begin. */
bool splat_is_body(const struct logmsg *msg)
{
	/* clang-format off */
	static const char *const words[] = {
		"Call Trace", "Call trace", "Modules linked", "CPU:", "Hardware name", "RIP",
		"RSP", "RAX", "RDX", "RBP", "R10", "R13", "FS:", "CS:", "CR2", "DR0", "DR3",
		"Code", "EIP", "EAX", "ESI", "pc ", "lr ", "sp ", "x2", "x1", "x8", "x5", "x0",
		"pstate", "PC is", "LR is", "psr", "r1", "r7", "r3", "r0", "Flags:", "Control:",
		"Process ", "Stack", "Backtrace", "Workqueue", "Exception", "Tainted", "#PF",
		"PGD", "pgd", "Read of size", "Write of size", "Allocated by", "Freed by",
		"The buggy", "Memory state", "page:", "page ", "raw:", "flags:", "==", "---[",
		"stack backtrace", "other info", "rcu:", "Sending NMI", "NMI backtrace",
		"Showing", "Mem-Info", "Node ", "DMA", "Normal", "epc", "ra ", "Status", "Cause",
		"BadVA", "Mem abort", "Data abort", "ESR", "user pgtable", "swapper pgtable",
		"Internal error", "Kernel Offset", "Rebooting", "the existing dependency", "-> #",
		"but task", "which lock", "task:", "backtrace", "comm ", "hex dump",
		"Disabling lock", "SMP: stopping", "Last level", "INFO:", "last function", "gp",
		"tp", "t0", "s0", "a0", "[<", "$", "irq event", "hardirqs last", "softirqs last",
		"Uninit was", "Local variable", "Bytes ", "Memory access", "Memory tags",
		"Object ", "Redzone", "Padding", "Bad frame", "ra:", "epc:", "hi ", "lo ", "PrId",
		"Not tainted", "task ", "NIP", "MSR", "GPR", "LR ", "Krnl", "XER",
		"badaddr", "status:", "Last branch", "The existing", "unwind", "Function entered",
		"Exception stack", "Process:", "Register ", "8<--",
	};
	/* clang-format on */

	if (!msg->n || msg->text[0] == ' ' || is_dump(msg))
		return true;
	return begins_with_any(msg, words, COUNT(words)) ||
	       memmem(msg->text, msg->n, "+0x", 3) != NULL;
}

/* functions */

static void take_func(struct splat *s, const char *func, size_t n, enum rank rank)
{
	char name[KLOG_FUNC_MAX];

	if (rank <= s->rank || !n)
		return;
	if (n >= sizeof(name))
		n = sizeof(name) - 1;
	memcpy(name, func, n);
	name[n] = '\0';
	if (generic_func(name)) {
		if (rank == RANK_SURE && !s->fallback_func[0])
			memcpy(s->fallback_func, name, n + 1);
		return;
	}
	memcpy(s->finding.func, name, n + 1);
	s->rank = rank;
}

static void take_symbol(struct splat *s, const char *text, size_t n, enum rank rank)
{
	char func[KLOG_FUNC_MAX];

	if (symbol_in(text, n, func, sizeof(func)))
		take_func(s, func, strlen(func), rank);
}

/* "... in foo+0x1/0x2", "... in foo a/b.c:12 [inline]" */
static void take_place(struct splat *s, const char *text, size_t n)
{
	static const char *const words[] = { " in ", " at " };
	struct frame f;

	take_symbol(s, text, n, RANK_SURE);
	for (size_t i = 0; i < COUNT(words); i++) {
		const char *p = memmem(text, n, words[i], 4);

		if (p && frame_parse_place(p + 4, n - (size_t)(p + 4 - text), &f))
			take_func(s, f.func, f.func_n, RANK_SURE);
	}
}

/* "RIP: 0010:foo+0x1/0x2", "RIP: 0010:foo a/b.c:12 [inline]", "pc : foo+0x1/0x2" */
static void take_pc(struct splat *s, const char *text, size_t n)
{
	const char *p = memchr(text, ':', n);
	struct frame f;

	take_symbol(s, text, n, RANK_SURE);
	for (; p; p = memchr(p, ':', n - (size_t)(p - text))) {
		p++;
		while ((size_t)(p - text) < n && *p == ' ')
			p++;
		if (frame_parse(p, n - (size_t)(p - text), &f))
			take_func(s, f.func, f.func_n, RANK_SURE);
	}
}

/* " (lock){....}, at: [<ffff>] foo+0x1/0x2": the first is the lock that is being taken */
static void take_lock(struct splat *s, const struct logmsg *msg)
{
	const char *p = memmem(msg->text, msg->n, "at: ", 4);

	if (p && !s->framed)
		take_symbol(s, p, msg->n - (size_t)(p - msg->text), RANK_SURE);
}

static void add_frame(struct klog_finding *f, const struct frame *frame)
{
	char *name = f->trace[f->n_frames];
	size_t n = frame->func_n < KLOG_FRAME_MAX ? frame->func_n : KLOG_FRAME_MAX - 1;

	memcpy(name, frame->func, n);
	name[n] = '\0';
	if (!generic_func(name))
		f->n_frames++;
}

static void take_frame(struct splat *s, const struct logmsg *msg)
{
	struct frame f;

	if (!frame_parse(msg->text, msg->n, &f))
		return;
	s->framed = true;
	if (f.sure && !s->traced && s->finding.n_frames < KLOG_TRACE_MAX)
		add_frame(&s->finding, &f);
	if (s->row->func != FUNC_NONE)
		take_func(s, f.func, f.func_n, f.sure ? RANK_FRAME : RANK_GUESS);
}

/* files */

static bool is_header(const char *file)
{
	size_t n = strlen(file);

	return n > 2 && !strcmp(file + n - 2, ".h");
}

static void take_file(struct splat *s, const char *text, size_t n)
{
	char file[KLOG_FILE_MAX];

	if (s->finding.guilty[0] || !source_in(text, n, file, sizeof(file)))
		return;
	if (!generic_file(file))
		memcpy(s->finding.guilty, file, sizeof(file));
	else if (!s->fallback[0] || (is_header(s->fallback) && !is_header(file)))
		memcpy(s->fallback, file, sizeof(file));
}

/* titles */

/* Where the part of a message ends that is the same on every boot. */
static size_t title_length(const char *text, size_t n)
{
	static const char *const ends[] = {
		" in ",		" at ",	      " on address", " to address", " on addr",
		" for address", " for bogus", " outside ",   " mm:",	    " pfn",
		" (",		", ",	      " on CPU",     " CPU",	    " still in use",
		": CPU",
	};
	size_t best = n;

	for (size_t i = 0; i < COUNT(ends); i++) {
		const char *p = memmem(text, best, ends[i], strlen(ends[i]));

		if (p)
			best = (size_t)(p - text);
	}
	return best;
}

void splat_init(struct splat *s, const struct pattern *row, const struct logline *line,
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
	if (row->flags & (REST | UNTIL))
		symbol_normalise(rest, row->flags & UNTIL ? title_length(rest, n) : n, f->title,
				 sizeof(f->title));
	if (row->func == FUNC_LINE)
		take_place(s, rest, n);
	take_file(s, rest, n);
}

/* "Read of size 8 at addr", "Write at addr": what a sanitizer's title says after the kind */
static void take_access(struct splat *s, const struct logmsg *msg)
{
	static const char *const words[] = { "Read", "Write" };
	struct klog_finding *f = &s->finding;
	size_t n = strlen(f->title);

	if (!(s->row->flags & ACCESS) || s->access)
		return;
	for (size_t i = 0; i < COUNT(words); i++) {
		size_t len = strlen(words[i]);

		if (!begins(msg, words[i]) || msg->n < len + 4 ||
		    (memcmp(msg->text + len, " of ", 4) != 0 &&
		     memcmp(msg->text + len, " at ", 4) != 0))
			continue;
		snprintf(f->title + n, sizeof(f->title) - n, " %s", words[i]);
		s->access = true;
	}
}

/* A second stack begins: who allocated, who freed, what locks came before. */
static void turn_trace(struct splat *s, const struct logmsg *msg)
{
	static const char *const ends[] = { "Allocated by",   "Freed by",    "Uninit was",
					    "Local variable", "Last potent", "Modules linked",
					    "---[ end",	      "Showing all", "Kernel Offset" };

	if (begins(msg, "stack backtrace:")) {
		s->finding.n_frames = 0;
		s->traced = false;
		if (s->rank < RANK_SURE)
			s->rank = RANK_NONE;
	} else if (s->finding.n_frames && begins_with_any(msg, ends, COUNT(ends))) {
		s->traced = true;
	}
}

void splat_extend(struct splat *s, const struct logline *line, const struct logmsg *msg, bool again)
{
	/* places that have no part in it: where interrupts were switched, the locks held */
	static const char *const beside[] = { "hardirqs last", "softirqs last", " #", "Register " };

	s->idle = 0;
	s->finding.end = line->end;
	turn_trace(s, msg);
	if (msg->n > 8 && memmem(msg->text, msg->n, "---[ end ", 9))
		s->ended = true;
	if (s->ended)
		return;
	take_access(s, msg);
	if (again)
		take_place(s, msg->text, msg->n);
	if (s->row->func == FUNC_LOCK)
		take_lock(s, msg);
	if (s->row->func != FUNC_NONE && s->row->func != FUNC_FRAME && s->row->func != FUNC_LOCK &&
	    symbol_is_pc_line(msg->text, msg->n))
		take_pc(s, msg->text, msg->n);
	else
		take_frame(s, msg);
	if (!begins_with_any(msg, beside, COUNT(beside)))
		take_file(s, msg->text, msg->n);
}

void splat_finding(const struct splat *s, struct klog_finding *f)
{
	size_t n;

	*f = s->finding;
	if (!f->func[0])
		memcpy(f->func, s->fallback_func, sizeof(f->func));
	n = strlen(f->title);
	if (f->func[0] && !(s->row->flags & REST) && s->row->func != FUNC_NONE)
		snprintf(f->title + n, sizeof(f->title) - n, " in %s", f->func);
	if (!f->guilty[0])
		memcpy(f->guilty, s->fallback, sizeof(f->guilty));
}
