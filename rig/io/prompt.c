// SPDX-License-Identifier: GPL-2.0-or-later
/* Prompts and banners; see prompt.h. Layer: io. */
#include "io/prompt.h"

#include <ctype.h>
#include <string.h>

#define ESC 0x1b
#define BEL 0x07

enum escape { ESCAPE_NONE, ESCAPE_START, ESCAPE_CSI, ESCAPE_OSC, ESCAPE_ONE };

const struct prompt_row prompt_rows[] = {
	{ PROMPT_LOGIN, "login", "* login:", "Last", "buildroot login: ", "Last login: " },
	{ PROMPT_LOGIN, "login", "login:", NULL, "login: ", "login: root" },
	{ PROMPT_PASSWORD, "password", "Password:", NULL, "Password: ", "Password: secret" },
	{ PROMPT_LOADER, "U-Boot", "=>", NULL, "=> ", "a => " },
	{ PROMPT_LOADER, "U-Boot", "*=>", NULL, "LPI4A=> ", "a b=> " },
	{ PROMPT_LOADER, "U-Boot", "U-Boot>", NULL, "U-Boot> ", "U-Boot> printenv" },
	{ PROMPT_LOADER, "U-Boot", "boot >", NULL, "boot > ", "boot > help" },
	{ PROMPT_LOADER, "U-Boot", "RTL*#", NULL, "RTL838x# ", "RTL838x#boota" },
	{ PROMPT_LOADER, "BootBase", "ZHAL>", NULL, "ZHAL> ", "ZHAL> ATHE" },
	{ PROMPT_LOADER, "barebox", "barebox@%:/", NULL, "barebox@Phytec phyCORE:/ ",
	  "barebox@Phytec phyCORE:/ ls" },
	{ PROMPT_LOADER, "GRUB", "grub>", NULL, "grub> ", "grub> ls" },
	{ PROMPT_LOADER, "GRUB", "grub rescue>", NULL, "grub rescue> ", "grub rescue> set" },
	{ PROMPT_LOADER, "UEFI", "Shell>", NULL, "Shell> ", "Shell> map" },
	{ PROMPT_LOADER, "CFE", "CFE>", NULL, "CFE> ", "CFE> r" },
	{ PROMPT_LOADER, "RedBoot", "RedBoot>", NULL, "RedBoot> ", "RedBoot> go" },
	{ PROMPT_SHELL, "sh", "#", NULL, "# ", "## " },
	{ PROMPT_SHELL, "sh", "$", NULL, "$ ", "$$" },
	{ PROMPT_SHELL, "BusyBox", "/ #", NULL, "/ # ", "/ # ls" },
	{ PROMPT_SHELL, "BusyBox", "/* #", NULL, "/sys/class # ", "/sys is # " },
	{ PROMPT_SHELL, "BusyBox", "~ #", NULL, "~ # ", "~# #" },
	{ PROMPT_SHELL, "BusyBox", "/ $", NULL, "/ $ ", "5 $ " },
	{ PROMPT_SHELL, "sh", "*@*:*#", NULL, "root@OpenWrt:/# ", "root@OpenWrt:/# dmesg" },
	{ PROMPT_SHELL, "sh", "*@*:*$", NULL, "me@host:~$ ", "mail me@host: $" },
	{ PROMPT_SHELL, "sh", "[*@* *]#", NULL, "[root@host ~]# ", "[root@host]# " },
	{ PROMPT_SHELL, "sh", "[*@* *]$", NULL, "[me@host ~]$ ", "[me]$ " },
	{ PROMPT_SHELL, "bash", "bash-*#", NULL, "bash-5.2# ", "bash-5.2# id" },
	{ PROMPT_SHELL, "sh", "sh-*#", NULL, "sh-5.2# ", "sh-5.2# id" },
	{ PROMPT_SHELL, "Android", "*:/ #", NULL, "console:/ # ", "console:/ # getprop" },
	{ PROMPT_SHELL, "Android", "*:/ $", NULL, "console:/ $ ", "console:/ $ su" },
	{ PROMPT_AUTOBOOT, "U-Boot", " to stop autoboot", NULL, "Hit any key to stop autoboot:  2",
	  "autoboot is stopped" },
	{ PROMPT_AUTOBOOT, "BootBase", "Press any key to enter debug mode", NULL,
	  "Press any key to enter debug mode within 3 seconds.", "Enter Debug Mode" },
	{ PROMPT_AUTOBOOT, "UEFI", "Press ESCAPE for boot options", NULL,
	  "Press ESCAPE for boot options .....", "boot options:" },
	{ PROMPT_FASTBOOT, "ABL", "Fastboot: Processing commands", NULL,
	  "Fastboot: Processing commands", "Fastboot Build Info: Debug" },
	{ PROMPT_FASTBOOT, "LK", "fastboot: processing commands", NULL,
	  "[1250] fastboot: processing commands", "[1230] fastboot_init()" },
	{ PROMPT_FASTBOOT, "U-Boot", "Listening for fastboot command on ", NULL,
	  "Listening for fastboot command on 10.0.2.15", "fastboot command" },
};
const size_t prompt_rows_n = sizeof(prompt_rows) / sizeof(prompt_rows[0]);

bool prompt_is_banner(enum prompt_kind kind)
{
	return kind == PROMPT_AUTOBOOT || kind == PROMPT_FASTBOOT;
}

void prompt_init(struct prompt *p, const struct prompt_row *rows, size_t n_rows)
{
	memset(p, 0, sizeof(*p));
	p->rows = rows;
	p->n_rows = n_rows;
}

/* '*' takes one or more characters that are no blanks, '%' any number of any. */
static bool glob(const char *pattern, const char *text, size_t n)
{
	for (; *pattern; pattern++, text++, n--) {
		if (*pattern == '%') {
			for (size_t i = 0; i <= n; i++)
				if (glob(pattern + 1, text + i, n - i))
					return true;
			return false;
		}
		if (*pattern == '*') {
			for (size_t i = 1; i <= n && text[i - 1] != ' '; i++)
				if (glob(pattern + 1, text + i, n - i))
					return true;
			return false;
		}
		if (!n || *pattern != *text)
			return false;
	}
	return n == 0;
}

static const struct prompt_row *find_prompt(const struct prompt *p, const char *text, size_t n)
{
	while (n && text[n - 1] == ' ')
		n--;
	for (size_t i = 0; n && i < p->n_rows; i++) {
		const struct prompt_row *row = &p->rows[i];

		if (prompt_is_banner(row->kind) || !glob(row->pattern, text, n))
			continue;
		if (!row->forbid || !memmem(text, n, row->forbid, strlen(row->forbid)))
			return row;
	}
	return NULL;
}

const struct prompt_row *prompt_at_rest(const struct prompt *p)
{
	size_t n = p->printk ? p->printk - 1 : p->cursor;
	const struct prompt_row *row;

	if (p->overlong)
		return NULL;
	row = find_prompt(p, p->line, n);
	/* or what stood before the kernel's message was the end of something else */
	if (!row && !p->printk && p->resumed && p->resumed < n)
		row = find_prompt(p, p->line + p->resumed, n - p->resumed);
	return row;
}

const struct prompt_row *prompt_banner(struct prompt *p)
{
	const struct prompt_row *row = p->banner;

	p->banner = NULL;
	return row;
}

/* A banner ends with this character, at the cursor. */
static void look_for_banner(struct prompt *p)
{
	for (size_t i = 0; i < p->n_rows; i++) {
		const struct prompt_row *row = &p->rows[i];
		size_t n = prompt_is_banner(row->kind) ? strlen(row->pattern) : 0;

		if (n && n <= p->cursor && row->pattern[n - 1] == p->line[p->cursor - 1] &&
		    !memcmp(p->line + p->cursor - n, row->pattern, n))
			p->banner = row;
	}
}

/* The line ends with "[   12.345678]": the kernel has begun to speak. Where, or 0. */
static size_t find_stamp(const struct prompt *p)
{
	size_t i = p->cursor - 1, digits = 0;

	while (i > 0 && isdigit((unsigned char)p->line[i - 1])) {
		i--;
		digits++;
	}
	if (digits < 3 || i < 3 || p->line[--i] != '.')
		return 0;
	while (i > 0 && isdigit((unsigned char)p->line[i - 1]))
		i--;
	while (i > 0 && p->line[i - 1] == ' ')
		i--;
	return i > 0 && p->line[i - 1] == '[' ? i : 0;
}

static void new_line(struct prompt *p)
{
	size_t keep = p->printk ? p->printk - 1 : 0;

	p->cursor = keep;
	p->resumed = keep;
	p->printk = 0;
	p->overlong = false;
}

static void put(struct prompt *p, char c)
{
	if (p->cursor == PROMPT_LINE_MAX) {
		p->overlong = !p->printk;
		return;
	}
	p->line[p->cursor++] = c;
	p->line[p->cursor] = '\0';
	look_for_banner(p);
	if (c == ']' && !p->printk)
		p->printk = find_stamp(p);
}

static void control(struct prompt *p, unsigned char c)
{
	size_t least = p->printk ? p->printk : 0;

	if (c == '\n')
		new_line(p);
	else if (c == '\r' && !p->printk)
		p->cursor = 0;
	else if (c == '\b' && p->cursor > least)
		p->cursor--;
	else if (c == ESC)
		p->escape = ESCAPE_START;
}

static void escape(struct prompt *p, unsigned char c)
{
	switch (p->escape) {
	case ESCAPE_START:
		p->escape = c == '['	       ? ESCAPE_CSI
			    : c == ']'	       ? ESCAPE_OSC
			    : strchr("()#", c) ? ESCAPE_ONE
					       : ESCAPE_NONE;
		break;
	case ESCAPE_CSI:
		if (c < 0x40 || c > 0x7e)
			break;
		p->escape = ESCAPE_NONE;
		/* the cursor goes elsewhere, or the screen is wiped: a line begins */
		if (c == 'H' || c == 'J' || c == 'f') {
			p->printk = 0;
			new_line(p);
		}
		break;
	case ESCAPE_OSC:
		if (c == BEL || c == ESC)
			p->escape = c == ESC ? ESCAPE_ONE : ESCAPE_NONE;
		break;
	default:
		p->escape = ESCAPE_NONE;
	}
}

void prompt_feed(struct prompt *p, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = bytes[i];

		/* no sequence goes over the end of a line: one that was torn must not eat the next
		 */
		if (p->escape && c != '\n')
			escape(p, c);
		else if (c < ' ' || c == 0x7f)
			control(p, c);
		else
			put(p, (char)c);
		if (c == '\n')
			p->escape = ESCAPE_NONE;
	}
}
