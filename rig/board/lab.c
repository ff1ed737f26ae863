// SPDX-License-Identifier: GPL-2.0-or-later
/* The lab file; see lab.h. Layer: board. */
#include "board/lab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/guess.h"
#include "base/path.h"
#include "board/lab-daemon.h"
#include "board/lab-schedule.h"
#include "conf/suppress.h"

#define BUILTIN_NAME "built-in lab"

struct lab {
	struct conf *conf;
	char *source;
	struct lab_board *boards;
	size_t n_boards;
	struct conf_list suppressions;
	struct conf_list schedule;
	struct lab_daemon daemon;
};

const char *const lab_accel_words[] = { "tcg", "kvm", NULL };
const char *const lab_backing_words[] = { "null", "file", NULL };

#define AT(struct_, member) .offset = offsetof(struct struct_, member)

static const char *const start_words[] = { "init", "shell", NULL };
static const char *const by_words[] = { "console", "adb", NULL };

static const struct conf_key agent_keys[] = {
	{ .name = "start",
	  .type = CONF_ENUM,
	  AT(lab_agent, start),
	  .def = "init",
	  .words = start_words,
	  .help = "*init*: it is the first program of the rig's initramfs. *shell*: the board has a "
		  "system of its own, and the agent is brought there and started from the shell "
		  "that speaks on the console." },
	{ .name = "initramfs",
	  .type = CONF_STR,
	  AT(lab_agent, initramfs),
	  .min = 1,
	  .max = 4096,
	  .help = "The file that is booted as initramfs instead of the rig's." },
	{ .name = "login",
	  .type = CONF_STR,
	  AT(lab_agent, login),
	  .min = 1,
	  .max = 64,
	  .help = "What is typed at a login prompt." },
	{ .name = "password",
	  .type = CONF_STR,
	  AT(lab_agent, password),
	  .min = 0,
	  .max = 128,
	  .help = "What is typed when a password is asked for. It is not secret here: the "
		  "console is recorded." },
	{ .name = "dir",
	  .type = CONF_STR,
	  AT(lab_agent, dir),
	  .def = "/tmp",
	  .min = 1,
	  .max = 200,
	  .help = "Where the agent's binary goes on the board; should be in RAM." },
	{ .name = "by",
	  .type = CONF_ENUM,
	  AT(lab_agent, by),
	  .def = "console",
	  .words = by_words,
	  .help = "How it gets there: *console* types it as text and checks its sum, *adb* pushes "
		  "it." },
	{ .name = "may_reboot",
	  .type = CONF_BOOL,
	  AT(lab_agent, may_reboot),
	  .def = "false",
	  .help = "Whether the agent may reboot that system, as boards do that leave it for their "
		  "bootloader." },
};

static const struct conf_table agent_table = { "agent", agent_keys, ARRAY_LEN(agent_keys),
					       sizeof(struct lab_agent) };

static const struct conf_key board_keys[] = {
	{ .name = "name",
	  .type = CONF_STR,
	  AT(lab_board, name),
	  .required = true,
	  .min = 1,
	  .max = 40,
	  .help = "What the board is called on the command line and in the history: "
		  "letters, digits, dot, underscore and dash." },
	{ .name = "type",
	  .type = CONF_STR,
	  AT(lab_board, type),
	  .required = true,
	  .help = "Which kind of board it is: a row of the board table, *virt-ufs* for example." },
	{ .name = "model",
	  .type = CONF_STR,
	  AT(lab_board, model),
	  .min = 1,
	  .max = 80,
	  .help = "What stands in reports. The default is the type." },
	{ .name = "serial",
	  .type = CONF_STR,
	  AT(lab_board, serial),
	  .min = 1,
	  .max = 80,
	  .help = "The identity of this one device in the history; keep it when the device is "
		  "renamed or moved. The default is the name." },
	{ .name = "note",
	  .type = CONF_STR,
	  AT(lab_board, note),
	  .max = 400,
	  .min = 0,
	  .help = "Free text for people." },
	{ .name = "boot_timeout_s",
	  .type = CONF_INT,
	  AT(lab_board, boot_timeout_s),
	  .def = "60",
	  .min = 1,
	  .max = 3600,
	  .unit = "s",
	  .help = "How long from power-on until the agent must have said hello." },
	{ .name = "agent",
	  .type = CONF_MAP,
	  AT(lab_board, agent),
	  .sub = &agent_table,
	  .help = "How the agent gets to run; its keys follow." },
};

static const struct conf_table board_table = { "board", board_keys, ARRAY_LEN(board_keys),
					       sizeof(struct lab_board) };

static const struct conf_key virt_keys[] = {
	{ .name = "cpus",
	  .type = CONF_INT,
	  AT(lab_virt, cpus),
	  .def = "1",
	  .min = 1,
	  .max = 64,
	  .help = "Virtual CPUs. With one, a workload of one thread cannot run on the interrupt's "
		  "CPU in one boot and beside it in the next." },
	{ .name = "memory_mb",
	  .type = CONF_INT,
	  AT(lab_virt, memory_mb),
	  .def = "512",
	  .min = 128,
	  .max = 65536,
	  .unit = "MiB",
	  .help = "Memory of the virtual machine." },
	{ .name = "accel",
	  .type = CONF_ENUM,
	  AT(lab_virt, accel),
	  .def = "tcg",
	  .words = lab_accel_words,
	  .help = "How the guest's instructions run. *kvm* is dropped with a message when the "
		  "first boot shows no output: on some machines it only looks usable." },
	{ .name = "qemu",
	  .type = CONF_STR,
	  AT(lab_virt, qemu),
	  .min = 1,
	  .max = 4096,
	  .help = "The QEMU program to run. The default depends on the board type." },
	{ .name = "qemu_args",
	  .type = CONF_STR,
	  AT(lab_virt, qemu_args),
	  .min = 1,
	  .max = 4096,
	  .help = "More arguments for it, separated by blanks." },
};

static const struct conf_table virt_table = { "virtual board", virt_keys, ARRAY_LEN(virt_keys),
					      sizeof(struct lab_virt) };

const struct lab_keys lab_virt_keys = { &virt_table, NULL, NULL };

/* The keys of UFS units; several queues by default, or not. */
#define UFS_KEYS(mcq_default)                                                                      \
	{ .name = "ufs_mb",                                                                        \
	  .type = CONF_INT,                                                                        \
	  AT(lab_virt_ufs, ufs_mb),                                                                \
	  .def = "256",                                                                            \
	  .min = 64,                                                                               \
	  .max = 65536,                                                                            \
	  .unit = "MiB",                                                                           \
	  .help = "Size of each UFS logical unit." },                                              \
		{ .name = "luns",                                                                  \
		  .type = CONF_INT,                                                                \
		  AT(lab_virt_ufs, luns),                                                          \
		  .def = "1",                                                                      \
		  .min = 1,                                                                        \
		  .max = 8,                                                                        \
		  .help = "How many UFS logical units there are." },                               \
		{ .name = "mcq",                                                                   \
		  .type = CONF_BOOL,                                                               \
		  AT(lab_virt_ufs, mcq),                                                           \
		  .def = (mcq_default),                                                            \
		  .help = "Whether the UFS controller offers several hardware queues (MCQ), "      \
			  "one a CPU and one for polling. They share one interrupt: QEMU has no "  \
			  "ESI." },                                                                \
	{                                                                                          \
		.name = "backing", .type = CONF_ENUM, AT(lab_virt_ufs, backing), .def = "null",    \
		.words = lab_backing_words,                                                        \
		.help = "What stands behind the UFS units: *null* (reads give zeros, writes "      \
			"vanish; nothing of the host's disk is in the numbers) or *file* (a "      \
			"sparse file)."                                                            \
	}

static const struct conf_key virt_ufs_keys[] = { UFS_KEYS("false") };
static const struct conf_table virt_ufs_table = { "virtual board with UFS", virt_ufs_keys,
						  ARRAY_LEN(virt_ufs_keys),
						  sizeof(struct lab_virt_ufs) };
const struct lab_keys lab_virt_ufs_keys = { &virt_ufs_table, NULL, NULL };

static const struct conf_key virt_mcq_keys[] = { UFS_KEYS("true") };
static const struct conf_table virt_mcq_table = { "virtual board with UFS queues", virt_mcq_keys,
						  ARRAY_LEN(virt_mcq_keys),
						  sizeof(struct lab_virt_ufs) };
const struct lab_keys lab_virt_mcq_keys = { &virt_mcq_table, NULL, NULL };

/* The root of the file. */
struct lab_root {
	struct conf_pos pos;
	struct conf_list boards;
	struct conf_list suppressions;
	struct conf_list schedule;
	struct lab_daemon daemon;
};

static const struct conf_key root_keys[] = {
	{ .name = "boards",
	  .type = CONF_NODES,
	  AT(lab_root, boards),
	  .required = true,
	  .min = 1,
	  .max = 200,
	  .help = "The boards of this host, a list; their keys follow." },
	{ .name = "suppressions",
	  .type = CONF_LIST,
	  AT(lab_root, suppressions),
	  .min = 0,
	  .max = SUPPRESS_MAX,
	  .sub = &suppress_table,
	  .help = "Kernel log findings that are known and fail no candidate, a list; their keys "
		  "follow." },
	{ .name = "schedule",
	  .type = CONF_LIST,
	  AT(lab_root, schedule),
	  .min = 0,
	  .max = LAB_SCHEDULE_MAX,
	  .sub = &lab_schedule_table,
	  .help = "What rigd(8) measures by itself, a list; their keys follow." },
	{ .name = "daemon",
	  .type = CONF_MAP,
	  AT(lab_root, daemon),
	  .sub = &lab_daemon_table,
	  .help = "Limits of rigd(8); their keys follow." },
};

static const struct conf_table root_table = { "lab file", root_keys, ARRAY_LEN(root_keys),
					      sizeof(struct lab_root) };

const struct conf_table *const lab_tables[] = { &root_table,	     &board_table,
						&suppress_table,     &lab_daemon_table,
						&lab_schedule_table, NULL };

/* One more of the words that would have been right: "; known are a, b" */
static void add_known(struct buf *b, struct guess *guess, const char *word, const char *known)
{
	buf_addf(b, "%s%s", b->size ? ", " : "; known are ", known);
	guess_offer(guess, word, known);
}

static void add_guess(struct buf *b, const struct guess *guess)
{
	if (guess->best)
		buf_addf(b, "; did you mean \"%s\"?", guess->best);
}

static int unknown_type(struct lab *lab, const struct conf_text *type, const struct lab_type *types,
			size_t n, struct err *err)
{
	struct guess guess = GUESS_INIT;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		add_known(&b, &guess, type->s, types[i].name);
	add_guess(&b, &guess);
	conf_error(lab->conf, type->pos, err, "unknown board type \"%.60s\"%s", type->s,
		   buf_str(&b));
	buf_release(&b);
	return -1;
}

static const struct lab_type *find_type(const char *name, const struct lab_type *types, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

static int check_name(struct lab *lab, const struct lab_board *b, struct err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	if (b->name[strspn(b->name, allowed)] || b->name[0] == '.' || b->name[0] == '-')
		return conf_error(lab->conf, b->pos, err,
				  "board name \"%s\": letters, digits, '.', '_' and '-' only, "
				  "beginning with a letter or digit",
				  b->name);
	for (const struct lab_board *o = lab->boards; o < b; o++) {
		if (!strcmp(o->name, b->name))
			return conf_error(lab->conf, b->pos, err,
					  "board \"%s\" is given twice, first in line %d", b->name,
					  o->pos.line);
		if (!strcmp(o->serial, b->serial))
			return conf_error(lab->conf, b->pos, err,
					  "boards \"%s\" and \"%s\" have the same serial \"%s\"",
					  o->name, b->name, b->serial);
	}
	return 0;
}

static void fill_board(struct lab_board *b, const struct lab_type *row)
{
	b->row = row;
	b->type = row->name;
	if (!b->model)
		b->model = b->type;
	if (!b->serial)
		b->serial = b->name;
}

/* Memory for one of the two structs of a type; part->table stays NULL when it has no such keys. */
static void *own_part(struct lab *lab, const struct lab_keys *keys, struct conf_part *part)
{
	if (!keys)
		return NULL;
	part->table = keys->table;
	part->dest = conf_alloc(lab->conf, keys->table->size);
	return part->dest;
}

static int check_keys(struct lab *lab, const struct lab_keys *keys, const struct lab_board *b,
		      struct err *err)
{
	if (keys && keys->check && keys->check(lab->conf, b, err))
		return -1;
	if (!keys || !keys->clash)
		return 0;
	for (const struct lab_board *o = lab->boards; o < b; o++)
		if ((o->row->keys == keys || o->row->more == keys) &&
		    keys->clash(lab->conf, o, b, err))
			return -1;
	return 0;
}

static int decode_board(struct lab *lab, const struct conf_node *node, const struct lab_type *types,
			size_t n, struct err *err)
{
	struct lab_board *b = &lab->boards[lab->n_boards];
	struct conf_text type = conf_peek(lab->conf, node, "type");
	const struct lab_type *row = type.s ? find_type(type.s, types, n) : NULL;
	struct conf_part parts[3] = { { &board_table, b } };
	size_t n_parts = 1;
	void *own = NULL, *more = NULL;

	if (type.s && !row)
		return unknown_type(lab, &type, types, n, err);
	if (row && (own = own_part(lab, row->keys, &parts[n_parts])))
		n_parts++;
	if (row && (more = own_part(lab, row->more, &parts[n_parts])))
		n_parts++;
	if (conf_decode(lab->conf, node, parts, n_parts, err))
		return -1;
	assert(row); /* `type` is required, so decoding without one has failed */
	b->own = own;
	b->more = more;
	fill_board(b, row);
	if (check_name(lab, b, err) || check_keys(lab, row->keys, b, err) ||
	    check_keys(lab, row->more, b, err))
		return -1;
	lab->n_boards++;
	return 0;
}

static int decode_lab(struct lab *lab, const struct lab_type *types, size_t n, struct err *err)
{
	struct lab_root root;
	struct conf_part part = { &root_table, &root };
	const struct conf_node *nodes;

	if (conf_decode(lab->conf, NULL, &part, 1, err))
		return -1;
	lab->suppressions = root.suppressions;
	lab->daemon = root.daemon;
	lab->schedule = root.schedule;
	nodes = root.boards.items;
	lab->boards = conf_alloc(lab->conf, root.boards.n * sizeof(*lab->boards));
	for (size_t i = 0; i < root.boards.n; i++)
		if (decode_board(lab, &nodes[i], types, n, err))
			return -1;
	return lab_schedule_check(lab->conf, lab, &lab->schedule, err);
}

static struct lab *from_conf(struct conf *conf, const char *source, const struct lab_type *types,
			     size_t n, struct err *err)
{
	struct lab *lab;

	if (!conf)
		return NULL;
	lab = xcalloc(1, sizeof(*lab));
	lab->conf = conf;
	lab->source = xstrdup(source);
	if (!decode_lab(lab, types, n, err))
		return lab;
	lab_free(lab);
	return NULL;
}

struct lab *lab_parse(const char *file, const char *text, size_t size, const struct lab_type *types,
		      size_t n, struct err *err)
{
	return from_conf(conf_parse(file, text, size, err), file, types, n, err);
}

static void *default_part(struct lab *lab, const struct lab_keys *keys)
{
	struct conf_part part = { NULL, NULL };

	if (own_part(lab, keys, &part))
		conf_defaults(lab->conf, part.table, part.dest);
	return part.dest;
}

struct lab *lab_builtin(const struct lab_type *types, size_t n)
{
	struct lab *lab = xcalloc(1, sizeof(*lab));

	lab->conf = conf_empty(BUILTIN_NAME);
	lab->source = xstrdup(BUILTIN_NAME);
	lab->boards = conf_alloc(lab->conf, n * sizeof(*lab->boards));
	conf_defaults(lab->conf, &lab_daemon_table, &lab->daemon);
	for (size_t i = 0; i < n; i++) {
		struct lab_board *b = &lab->boards[lab->n_boards];

		if (!types[i].builtin)
			continue;
		conf_defaults(lab->conf, &board_table, b);
		b->name = types[i].name;
		b->own = default_part(lab, types[i].keys);
		b->more = default_part(lab, types[i].more);
		fill_board(b, &types[i]);
		lab->n_boards++;
	}
	return lab;
}

struct lab *lab_load(const char *path, const struct lab_type *types, size_t n, struct err *err)
{
	char *usual = path ? NULL : path_in_home("lab.yaml");
	struct lab *lab;

	if (!path && !path_exists(usual))
		lab = lab_builtin(types, n);
	else
		lab = from_conf(conf_load(path ? path : usual, err), path ? path : usual, types, n,
				err);
	free(usual);
	return lab;
}

void lab_free(struct lab *lab)
{
	if (!lab)
		return;
	conf_free(lab->conf);
	free(lab->source);
	free(lab);
}

const char *lab_source(const struct lab *lab)
{
	return lab->source;
}

const struct conf *lab_conf(const struct lab *lab)
{
	return lab->conf;
}

const struct conf_list *lab_suppressions(const struct lab *lab)
{
	return &lab->suppressions;
}

const struct lab_daemon *lab_daemon(const struct lab *lab)
{
	return &lab->daemon;
}

const struct lab_board *lab_board(const struct lab *lab, size_t i)
{
	return i < lab->n_boards ? &lab->boards[i] : NULL;
}

const struct lab_board *lab_find(const struct lab *lab, const char *name, struct err *err)
{
	struct guess guess = GUESS_INIT;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < lab->n_boards; i++) {
		if (!strcmp(lab->boards[i].name, name)) {
			buf_release(&b);
			return &lab->boards[i];
		}
		add_known(&b, &guess, name, lab->boards[i].name);
	}
	add_guess(&b, &guess);
	err_set(err, BLAME_USER, "unknown-board", "%s: no board \"%.60s\"%s", lab->source, name,
		buf_str(&b));
	buf_release(&b);
	return NULL;
}

const struct lab_schedule *lab_schedule(const struct lab *lab, size_t i)
{
	const struct lab_schedule *rows = lab->schedule.items;

	return i < lab->schedule.n ? &rows[i] : NULL;
}

const struct lab_schedule *lab_schedule_find(const struct lab *lab, const char *name,
					     struct err *err)
{
	const struct lab_schedule *s;
	struct guess guess = GUESS_INIT;
	struct buf known = BUF_INIT;

	for (size_t i = 0; (s = lab_schedule(lab, i)); i++) {
		if (!strcmp(s->name, name)) {
			buf_release(&known);
			return s;
		}
		add_known(&known, &guess, name, s->name);
	}
	add_guess(&known, &guess);
	err_set(err, BLAME_USER, "schedule", "%s has no schedule \"%.60s\"%s", lab->source, name,
		buf_str(&known));
	buf_release(&known);
	return NULL;
}
