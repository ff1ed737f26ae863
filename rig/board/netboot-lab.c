// SPDX-License-Identifier: GPL-2.0-or-later
/* Loaders in the lab file, and the model that a board is in the end; netboot.h. Layer: board. */
#include "board/netboot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "board/driver.h"
#include "board/lab-wired.h"

#define STEPS_MAX    16
#define LOAD_TRIES   2 /* ports may still be training when the first TFTP begins */
#define LOAD_MS	     120000
#define LOADER_LISTS 4

/* ---- keys ---- */

static const char *const status_words[] = { "model", "no", "yes", NULL };

#define AT(member) .offset = offsetof(struct lab_loader, member)
#define TEXT(key, help_)                                                                           \
	{                                                                                          \
		.name = #key, .type = CONF_STR, AT(key), .min = 1, .max = 200, .help = (help_)     \
	}
#define STEPS(key, help_)                                                                          \
	{                                                                                          \
		.name = #key, .type = CONF_TEXTS, AT(key), .max = STEPS_MAX, .help = (help_)       \
	}

static const struct conf_key loader_keys[] = {
	TEXT(level, "Of the serial port, for people: *3.3 V*, *RS-232*."),
	TEXT(key, "What stops the autoboot; typed every 100 ms from power-on. In double quotes "
		  "\"\\x1b\" is Esc and \"\\x02\" is Ctrl+B."),
	TEXT(prompt, "The whole line at which it waits; *\\** stands for characters other than "
		     "blanks, *%* for any."),
	TEXT(banner, "A text that tells of its start, beside the usual ones of U-Boot."),
	TEXT(clear, "What drops a line half typed."),
	{ .name = "status",
	  .type = CONF_ENUM,
	  AT(status),
	  .def = "model",
	  .words = status_words,
	  .help = "Whether its *echo $?* tells of failure: *yes*, *no*, or as the *model* has it." },
	{ .name = "enter_s",
	  .type = CONF_INT,
	  AT(enter_s),
	  .min = 1,
	  .max = 600,
	  .unit = "s",
	  .help = "How long from power-on to its prompt, at most; the default is the model's, 60 s "
		  "for most." },
	TEXT(addr, "Where the image is loaded to: 0x84f00000."),
	TEXT(end, "Where it must end: 0x88000000."),
	STEPS(answers, "What is asked on the way to the prompt, and the answer: *Password: <- "
		       "secret*."),
	STEPS(prepare, "Commands before the first TFTP: *rtk network on*."),
	STEPS(load, "Commands that load the image: *tftpboot {addr} {server}:{file} -> Bytes "
		    "transferred = {size}*; behind the arrow stands what it must print. The "
		    "placeholders are {addr}, {end}, {server}, {client}, {file}, {size}, "
		    "{hexsize}, {crc}, {cmdline}, {initrd_addr} and {initrd_size}."),
	STEPS(boot, "Commands that start it; the last one does: *bootm {addr}*."),
};
#undef AT

static const struct conf_table loader_table = { "loader", loader_keys, ARRAY_LEN(loader_keys),
						sizeof(struct lab_loader) };

#define AT(member) .offset = offsetof(struct lab_netboot, member)
static const struct conf_key netboot_keys[] = {
	{ .name = "server",
	  .type = CONF_STR,
	  AT(server),
	  .min = 7,
	  .max = 15,
	  .help = "The IPv4 address of this host that the board loads from; the default is the "
		  "family's, *192.168.1.2*. The host must have it on the interface that the board "
		  "is plugged into." },
	{ .name = "client",
	  .type = CONF_STR,
	  AT(client),
	  .min = 7,
	  .max = 15,
	  .help = "The address of the board meanwhile; the default is *192.168.1.1*." },
	{ .name = "dtb",
	  .type = CONF_STR,
	  AT(dtb),
	  .min = 1,
	  .max = 4096,
	  .help = "The device tree of the board: a file, or the name of one that the kernel brings. "
		  "The default is the first that it brings." },
	{ .name = "loader",
	  .type = CONF_MAP,
	  AT(loader),
	  .sub = &loader_table,
	  .help = "What its bootloader has otherwise than the *model*, or all of it for a model "
		  "that the rig does not know." },
};

static const struct conf_table netboot_table = { "network boot", netboot_keys,
						 ARRAY_LEN(netboot_keys),
						 sizeof(struct lab_netboot) };

/* ---- models ---- */

/* What netboot_model_new() allocates: the model first. */
struct own {
	struct netboot_model model;
	struct loader_step *lists[LOADER_LISTS];
};

const struct netboot_family *netboot_family(const struct lab_board *b)
{
	return board_find(b->type)->data;
}

static const struct netboot_model *find(const struct netboot_family *f, const char *name)
{
	for (const struct netboot_model *m = f->models; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

/* "ASK <- SAY" or "SAY -> WANT" or "SAY". The copy begins where the step's first text does. */
static void split(const char *text, struct loader_step *s)
{
	char *copy = xstrdup(text), *arrow;

	s->say = copy;
	arrow = strstr(copy, " <- ");
	if (arrow) {
		*arrow = '\0';
		s->ask = copy;
		s->say = arrow + 4;
		return;
	}
	arrow = strstr(copy, " -> ");
	if (!arrow)
		return;
	*arrow = '\0';
	s->want = arrow + 4;
}

static const struct loader_step *make_steps(struct own *o, size_t list,
					    const struct conf_texts *texts,
					    const struct loader_step *def, unsigned int tries,
					    unsigned int limit_ms)
{
	struct loader_step *s;

	if (!texts->n)
		return def;
	s = xcalloc(texts->n + 1, sizeof(*s));
	for (size_t i = 0; i < texts->n; i++) {
		split(texts->items[i].s, &s[i]);
		s[i].tries = tries;
		s[i].limit_ms = limit_ms;
	}
	o->lists[list] = s;
	return s;
}

void netboot_model_free(struct netboot_model *m)
{
	struct own *o = (struct own *)m;

	for (size_t i = 0; o && i < LOADER_LISTS; i++) {
		for (struct loader_step *s = o->lists[i]; s && s->say; s++)
			free((char *)(s->ask ? s->ask : s->say));
		free(o->lists[i]);
	}
	free(o);
}

static void replace(const char **to, const char *by)
{
	if (by)
		*to = by;
}

static int number(const char *key, const char *text, uint64_t *value, struct err *err)
{
	char *end;

	if (!text)
		return 0;
	errno = 0;
	*value = strtoull(text, &end, 0);
	if (!errno && !*end && *text != '-')
		return 0;
	return err_set(err, BLAME_USER, "model", "loader: %s \"%s\" is no address", key, text);
}

static int change(struct own *o, const struct lab_loader *lab, struct err *err)
{
	struct netboot_model *m = &o->model;

	if (!lab->pos.line)
		return 0;
	m->why_not = NULL;
	replace(&m->level, lab->level);
	replace(&m->rules.key, lab->key);
	replace(&m->rules.prompt, lab->prompt);
	replace(&m->rules.banner, lab->banner);
	replace(&m->rules.clear, lab->clear);
	if (lab->status != LAB_STATUS_MODEL)
		m->rules.status = lab->status == LAB_STATUS_YES;
	if (lab->enter_s)
		m->enter_ms = (unsigned int)lab->enter_s * 1000;
	m->rules.answers = make_steps(o, 0, &lab->answers, m->rules.answers, 0, 0);
	m->prepare = make_steps(o, 1, &lab->prepare, m->prepare, 0, 0);
	m->load = make_steps(o, 2, &lab->load, m->load, LOAD_TRIES, LOAD_MS);
	m->boot = make_steps(o, 3, &lab->boot, m->boot, 0, LOAD_MS);
	return number("addr", lab->addr, &m->addr, err) || number("end", lab->end, &m->end, err)
		       ? -1
		       : 0;
}

static int lacks(const struct lab_board *b, const char *what, struct err *err)
{
	const struct netboot_family *f = netboot_family(b);
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (const struct netboot_model *m = f->models; m->name; m++) {
		buf_addf(&known, "%s%s", known.size ? ", " : "", m->name);
		guess_offer(&guess, b->model, m->name);
	}
	err_set(err, BLAME_USER, "model",
		"model \"%s\" is not known, and \"loader\" gives no \"%s\"; known are %s%s%s%s",
		b->model, what, buf_str(&known), guess.best ? "; did you mean \"" : "",
		guess.best ? guess.best : "", guess.best ? "\"?" : "");
	buf_release(&known);
	return -1;
}

static int complete(const struct lab_board *b, const struct netboot_model *m, struct err *err)
{
	if (m->why_not)
		return err_set(err, BLAME_USER, "model", "model \"%s\" cannot be driven: %s",
			       b->model, m->why_not);
	if (!m->rules.prompt)
		return lacks(b, "prompt", err);
	if (!m->addr)
		return lacks(b, "addr", err);
	if (!m->load)
		return lacks(b, "load", err);
	return m->boot ? 0 : lacks(b, "boot", err);
}

/* Every placeholder is one that the driver fills in. */
static int check_steps(const char *list, const struct loader_step *steps, struct err *err)
{
	static const struct loader_var names[] = {
		{ "addr", "" },	   { "end", "" },	  { "server", "" },	 { "client", "" },
		{ "file", "" },	   { "size", "" },	  { "hexsize", "" },	 { "crc", "" },
		{ "cmdline", "" }, { "initrd_addr", "" }, { "initrd_size", "" }, { NULL, NULL },
	};

	for (; steps && steps->say; steps++) {
		struct buf out = BUF_INIT;
		int rc = loader_expand(steps->say, names, &out) ||
			 (steps->want && loader_expand(steps->want, names, &out));

		buf_release(&out);
		if (rc)
			return err_set(err, BLAME_USER, "model",
				       "loader: %s: \"%s\" has a placeholder that is not known",
				       list, steps->say);
	}
	return 0;
}

static int check_answers(const struct loader_step *steps, struct err *err)
{
	for (; steps && steps->say; steps++)
		if (!steps->ask)
			return err_set(err, BLAME_USER, "model",
				       "loader: answers: \"%s\" is not of the form ASK <- SAY",
				       steps->say);
	return 0;
}

struct netboot_model *netboot_model_new(const struct lab_board *b, struct err *err)
{
	const struct netboot_model *row = find(netboot_family(b), b->model);
	const struct lab_netboot *lab = b->more;
	struct own *o = xcalloc(1, sizeof(*o));
	struct netboot_model *m = &o->model;

	if (row)
		*m = *row;
	m->name = b->model;
	if (!change(o, &lab->loader, err) && !complete(b, m, err) &&
	    !check_answers(m->rules.answers, err) && !check_steps("prepare", m->prepare, err) &&
	    !check_steps("load", m->load, err) && !check_steps("boot", m->boot, err))
		return m;
	netboot_model_free(m);
	return NULL;
}

/* ---- the lab file's checks ---- */

static int check(const struct conf *c, const struct lab_board *b, struct err *err)
{
	const struct lab_netboot *lab = b->more;
	struct lab_wired *wired = b->own;
	struct err why = ERR_INIT;
	struct netboot_model *m;

	if (lab_check_ipv4(c, b->pos, "server", lab->server, err) ||
	    lab_check_ipv4(c, b->pos, "client", lab->client, err))
		return -1;
	m = netboot_model_new(b, &why);
	if (!m)
		return conf_error(c, lab->loader.pos.line ? lab->loader.pos : b->pos, err,
				  "board \"%s\": %s", b->name, why.message);
	/* so that everybody who opens the console finds the speed there */
	if (!wired->console.baud && wired->console.at)
		wired->console.baud = m->baud;
	netboot_model_free(m);
	return 0;
}

const struct lab_keys lab_netboot_keys = { &netboot_table, check, NULL };

const char *netboot_server(const struct lab_board *b)
{
	const struct lab_netboot *lab = b->more;

	return lab->server ? lab->server : netboot_family(b)->server;
}

long netboot_baud(const struct lab_board *b)
{
	struct netboot_model *m = netboot_model_new(b, NULL);
	long baud = m ? m->baud : 0;

	netboot_model_free(m);
	return baud;
}

/* ---- for people ---- */

static void key_text(const char *key, char *text, size_t size)
{
	if (!key)
		snprintf(text, size, "stops by itself");
	else if (!strcmp(key, " "))
		snprintf(text, size, "stopped by SPACE");
	else if (!strcmp(key, "\x1b"))
		snprintf(text, size, "stopped by Esc");
	else if (key[0] > 0 && key[0] < ' ')
		snprintf(text, size, "stopped by Ctrl+%c", key[0] + '@');
	else
		snprintf(text, size, "stopped by '%s'", key);
}

void netboot_describe(const struct lab_board *b, char *text, size_t size)
{
	struct netboot_model *m = netboot_model_new(b, NULL);
	char key[60];

	text[0] = '\0';
	if (!m)
		return;
	key_text(m->rules.key, key, sizeof(key));
	snprintf(text, size, "%s; loader at '%s', %s", m->level ? m->level : "level not known",
		 m->rules.prompt, key);
	netboot_model_free(m);
}
