/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prompts and bootloader banners on a console, for board files that must know when to type.
 * Byte by byte, bounded memory, no clock. Layer: io -> libc.
 *
 * A prompt is an unfinished line after which the console falls silent: "=> " may also be the
 * beginning of a line of output. So the matcher says what the line looks like, and the caller asks
 * when nothing has come for a while (PROMPT_QUIET_MS). A banner is known at once, in any line.
 *
 *	struct prompt p;
 *	prompt_init(&p, prompt_rows, prompt_rows_n);
 *	while (console gives bytes)
 *		prompt_feed(&p, bytes, n);
 *		if ((row = prompt_banner(&p)) ... PROMPT_AUTOBOOT: type a key
 *	silence: row = prompt_at_rest(&p)  ... PROMPT_LOADER: type a command
 *
 * The line is what a terminal would show up to the cursor: backspace and carriage return move it,
 * colours and titles vanish. A kernel message that cuts a prompt is taken out of it:
 *
 *	"buildroot lo[   16.305150] random: crng init done\r\n" "gin: "   is   "buildroot login: "
 */
#ifndef RIG_IO_PROMPT_H
#define RIG_IO_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#define PROMPT_LINE_MAX 256 /* longer lines are no prompts */
#define PROMPT_QUIET_MS 200 /* silence after which a line is at rest; U-Boot needs 20 at 115200 */

enum prompt_kind {
	PROMPT_LOGIN,
	PROMPT_PASSWORD,
	PROMPT_SHELL,	 /* of a system */
	PROMPT_LOADER,	 /* of a bootloader */
	PROMPT_AUTOBOOT, /* banner: a key now stops the boot */
	PROMPT_FASTBOOT, /* banner: the loader waits for fastboot */
};

struct prompt_row {
	enum prompt_kind kind;
	const char *name; /* "U-Boot", "BusyBox" */
	/*
	 * For a banner: a text that comes anywhere in a line. For a prompt: the whole line, blanks
	 * at its end aside; '*' is one or more characters other than blanks, '%' is anything.
	 */
	const char *pattern;
	const char *forbid;   /* a line that contains this is none; NULL = nothing */
	const char *yes, *no; /* lines that must and must not match, for the test */
};

/* The standard table. A board with a prompt of its own passes its own rows. */
extern const struct prompt_row prompt_rows[];
extern const size_t prompt_rows_n;

/* The caller's storage; nothing to release. */
struct prompt {
	const struct prompt_row *rows;
	size_t n_rows;
	char line[PROMPT_LINE_MAX + 1];
	size_t cursor;	/* the line ends here */
	size_t printk;	/* where in it the kernel message begins that is being taken out, + 1 */
	size_t resumed; /* where the text after the last such message begins */
	bool overlong;
	int escape; /* state of an escape sequence */
	const struct prompt_row *banner;
};

void prompt_init(struct prompt *p, const struct prompt_row *rows, size_t n_rows);

void prompt_feed(struct prompt *p, const void *data, size_t size);

/* The last banner since the last call, NULL = none. */
const struct prompt_row *prompt_banner(struct prompt *p);

/* The prompt that the line is now, NULL = none. */
const struct prompt_row *prompt_at_rest(const struct prompt *p);

/* The rows of banners; the others are prompts. */
bool prompt_is_banner(enum prompt_kind kind);

#endif
