// SPDX-License-Identifier: GPL-2.0-or-later
/* The fastboot conversation: commands, answers, variables, slots; see fastboot.h. Layer: io. */
#include "io/fastboot-priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define FASTBOOT_CLASS	  0xff
#define FASTBOOT_SUBCLASS 0x42
#define FASTBOOT_PROTOCOL 0x03

/* More than any answer and a multiple of every packet size, so that one that is too long shows. */
#define READ_SIZE 4096

#define QUERY "getvar:"

/* What an earlier client left unread is there at once. */
#define STALE_MS 20

/* After garbage: a device that says nothing for so long has said it all. */
#define QUIET_MS 200

#define SET_ACTIVE_TRIES 2

/* ---- answers ---- */

static const struct {
	char letters[5];
	enum answer_kind kind;
} kinds[] = {
	{ "OKAY", ANSWER_OKAY }, { "FAIL", ANSWER_FAIL }, { "DATA", ANSWER_DATA },
	{ "INFO", ANSWER_INFO }, { "TEXT", ANSWER_TEXT },
};

static void copy_text(char *to, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? (char)from[i] : '?';
	/* bootloaders send the NUL, or the line's end, along */
	while (n && (!from[n - 1] || from[n - 1] == '\n' || from[n - 1] == '\r'))
		n--;
	to[n] = '\0';
}

static int parse_size(const uint8_t *digits, size_t n, uint32_t *size)
{
	uint32_t v = 0;

	if (n != 8)
		return -EPROTO;
	for (size_t i = 0; i < n; i++) {
		int c = tolower(digits[i]);

		if (!isxdigit(c))
			return -EPROTO;
		v = v << 4 | (uint32_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	*size = v;
	return 0;
}

int fastboot_parse(const uint8_t *buf, size_t n, struct answer *a)
{
	a->size = 0;
	a->text[0] = '\0';
	if (n < 4 || n > FASTBOOT_ANSWER_MAX)
		return -EPROTO;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (memcmp(buf, kinds[i].letters, 4) != 0)
			continue;
		a->kind = kinds[i].kind;
		if (a->kind == ANSWER_DATA)
			return parse_size(buf + 4, n - 4, &a->size);
		copy_text(a->text, buf + 4, n - 4);
		return 0;
	}
	return -EPROTO;
}

int fastboot_fail(struct fastboot *f, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof(f->reason), fmt, ap);
	va_end(ap);
	return rc;
}

static int nonsense(struct fastboot *f, const uint8_t *buf, size_t n)
{
	char text[33];
	size_t shown = n < sizeof(text) - 1 ? n : sizeof(text) - 1;

	copy_text(text, buf, shown);
	f->garbled = true;
	return fastboot_fail(f, -EPROTO, "no answer of the protocol: %zu bytes '%s'", n, text);
}

/* For what a bootloader does at once, and for what may take its time. */
static struct deadline limit(const struct fastboot *f, bool at_once, struct deadline d)
{
	unsigned int ms = f->watch.answer_ms ? f->watch.answer_ms : FASTBOOT_ANSWER_MS;
	unsigned int query_ms = f->watch.query_ms ? f->watch.query_ms : FASTBOOT_QUERY_MS;

	return deadline_min(d, deadline_in(at_once && query_ms < ms ? query_ms : ms));
}

unsigned int fastboot_stall_ms(const struct fastboot *f)
{
	return f->watch.stall_ms ? f->watch.stall_ms : FASTBOOT_STALL_MS;
}

/* One answer, whichever. */
static int read_answer(struct fastboot *f, struct answer *a, struct deadline d)
{
	uint8_t buf[READ_SIZE];
	ssize_t n;

	do {
		n = usb_read(f->usb, buf, sizeof(buf), d);
	} while (n == 0);
	if (n < 0)
		return (int)n;
	return fastboot_parse(buf, (size_t)n, a) ? nonsense(f, buf, (size_t)n) : 0;
}

int fastboot_answer(struct fastboot *f, struct answer *a, struct deadline d)
{
	int rc;

	*a = (struct answer){ .kind = ANSWER_FAIL };
	for (;;) {
		rc = read_answer(f, a, limit(f, f->query, d));
		if (rc == -ETIMEDOUT && !f->reason[0])
			return fastboot_fail(f, rc, "no answer");
		if (rc)
			return rc;
		if (a->kind != ANSWER_INFO && a->kind != ANSWER_TEXT)
			break;
		if (f->watch.info)
			f->watch.info(f->watch.ctx, a->text);
	}
	if (a->kind != ANSWER_DATA && f->unanswered)
		f->unanswered--;
	if (a->kind == ANSWER_FAIL)
		return fastboot_fail(f, -EREMOTEIO, "%s", a->text);
	return 0;
}

/* ---- a conversation that broke off ---- */

/* Reads until the device is quiet for so long. */
static int discard(struct fastboot *f, unsigned int quiet_ms, struct deadline d)
{
	uint8_t buf[READ_SIZE];
	ssize_t n;

	do {
		n = usb_read(f->usb, buf, sizeof(buf), deadline_min(d, deadline_in(quiet_ms)));
	} while (n >= 0 && !deadline_passed(d));
	return n == -ETIMEDOUT || n >= 0 ? 0 : (int)n;
}

static int fill_zeros(void *ctx, void *buf, size_t n)
{
	(void)ctx;
	memset(buf, 0, n);
	return 0;
}

/* Sends what a download still waits for. */
static int pay(struct fastboot *f, struct deadline d)
{
	struct usb_source zeros = { .fill = fill_zeros, .stall_ms = fastboot_stall_ms(f) };
	uint64_t done = 0;
	int rc = usb_write_stream(f->usb, &zeros, f->owed, &done, d);

	f->owed -= done;
	return rc;
}

/*
 * A device in the middle of a download takes everything for data, and the answer to a command that
 * was given up comes before that to the next. Nothing in the protocol resets it; so what it waits
 * for is sent, and what it has to say is read.
 */
static int resync(struct fastboot *f, struct deadline d)
{
	struct answer a;
	int rc = 0;

	if (f->garbled) {
		rc = discard(f, QUIET_MS, d);
		f->unanswered = 0;
		f->garbled = false;
	}
	while (!rc && (f->owed || f->unanswered)) {
		if (f->owed) {
			rc = pay(f, d);
			continue;
		}
		rc = fastboot_answer(f, &a, d);
		if (rc == -EREMOTEIO)
			rc = 0;
		else if (!rc && a.kind == ANSWER_DATA)
			f->owed = a.size;
	}
	return rc;
}

/* ---- commands ---- */

static int send_command(struct fastboot *f, const char *command, struct deadline d)
{
	size_t n = strlen(command);
	int rc;

	if (n > FASTBOOT_COMMAND_MAX)
		return fastboot_fail(f, -EINVAL, "too long a command: %s", command);
	rc = usb_write(f->usb, command, n, limit(f, true, d));
	if (rc == -ETIMEDOUT)
		return fastboot_fail(f, rc, "does not take a command");
	if (!rc) {
		f->unanswered++;
		f->query = !strncmp(command, QUERY, strlen(QUERY));
	}
	return rc;
}

static int ask(struct fastboot *f, const char *command, struct answer *a, struct deadline d)
{
	int rc;

	*a = (struct answer){ .kind = ANSWER_FAIL };
	f->reason[0] = '\0';
	if (!f->usb)
		return fastboot_fail(f, -ENODEV, "has left");
	rc = resync(f, d);
	f->reason[0] = '\0';
	if (rc)
		return fastboot_fail(f, rc, "still busy with an earlier command");
	rc = send_command(f, command, d);
	return rc ? rc : fastboot_answer(f, a, d);
}

int fastboot_ask(struct fastboot *f, struct answer *a, struct deadline d, const char *fmt, ...)
{
	char command[2 * FASTBOOT_COMMAND_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return ask(f, command, a, d);
}

int fastboot_tell(struct fastboot *f, struct deadline d, const char *fmt, ...)
{
	char command[2 * FASTBOOT_COMMAND_MAX];
	struct answer a;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	rc = ask(f, command, &a, d);
	if (!rc && a.kind == ANSWER_DATA) {
		f->garbled = true;
		rc = fastboot_fail(f, -EPROTO, "wants data for '%s'", command);
	}
	return rc;
}

int fastboot_command(struct fastboot *f, const char *command, struct deadline d)
{
	return fastboot_tell(f, d, "%s", command);
}

/* ---- opening ---- */

int fastboot_reopen(struct fastboot *f, const struct usb_match *m, struct deadline d)
{
	struct usb_match with_class = *m;
	int rc;

	with_class.class = FASTBOOT_CLASS;
	with_class.subclass = FASTBOOT_SUBCLASS;
	with_class.protocol = FASTBOOT_PROTOCOL;
	usb_close(f->usb);
	f->usb = NULL;
	f->unanswered = 0;
	f->owed = 0;
	f->garbled = false;
	rc = usb_open(&f->usb, &with_class, d);
	if (!rc && !(usb_claimed(f->usb)->in && usb_claimed(f->usb)->out))
		rc = -EPROTO;
	if (!rc)
		rc = discard(f, STALE_MS, d);
	if (rc) {
		usb_close(f->usb);
		f->usb = NULL;
		return rc;
	}
	snprintf(f->port, sizeof(f->port), "%s", usb_where(f->usb)->port);
	return 0;
}

int fastboot_open(struct fastboot **out, const struct usb_match *m, struct deadline d)
{
	struct fastboot *f = xcalloc(1, sizeof(*f));
	int rc = fastboot_reopen(f, m, d);

	if (rc)
		free(f);
	else
		*out = f;
	return rc;
}

void fastboot_close(struct fastboot *f)
{
	if (!f)
		return;
	usb_close(f->usb);
	free(f);
}

void fastboot_set_watch(struct fastboot *f, const struct fastboot_watch *watch)
{
	f->watch = watch ? *watch : (struct fastboot_watch){ 0 };
}

const char *fastboot_reason(const struct fastboot *f)
{
	return f->reason;
}

const struct usb_found *fastboot_where(const struct fastboot *f)
{
	return f->usb ? usb_where(f->usb) : NULL;
}

/* ---- questions ---- */

int fastboot_getvar(struct fastboot *f, const char *name, char *value, size_t size,
		    struct deadline d)
{
	struct answer a;
	int rc = fastboot_ask(f, &a, d, QUERY "%s", name);

	value[0] = '\0';
	if (rc)
		return rc;
	if (a.kind != ANSWER_OKAY)
		return fastboot_fail(f, -EPROTO, "no value of '%s'", name);
	snprintf(value, size, "%s", a.text);
	return 0;
}

int fastboot_getvar_all(struct fastboot *f, struct deadline d)
{
	return fastboot_command(f, "getvar:all", d);
}

int fastboot_is(struct fastboot *f, const char *name, struct deadline d)
{
	char value[FASTBOOT_ANSWER_MAX];
	int rc = fastboot_getvar(f, name, value, sizeof(value), d);

	if (rc == -EREMOTEIO) {
		f->reason[0] = '\0';
		return 0;
	}
	return rc ? rc : !strcmp(value, "yes");
}

/* current-slot without the underscore that older bootloaders put before it. */
static int current_slot(struct fastboot *f, char *slot, size_t size, struct deadline d)
{
	char value[FASTBOOT_ANSWER_MAX];
	int rc = fastboot_getvar(f, "current-slot", value, sizeof(value), d);

	if (!rc)
		snprintf(slot, size, "%s", value[0] == '_' ? value + 1 : value);
	return rc;
}

static bool has_suffix(const char *name)
{
	size_t n = strlen(name);

	return n > 2 && name[n - 2] == '_' && (name[n - 1] == 'a' || name[n - 1] == 'b');
}

static bool is_name(const char *s)
{
	return *s && strlen(s) < FASTBOOT_NAME_MAX - 2 &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
		       strlen(s);
}

int fastboot_partition(struct fastboot *f, const char *name, const char *slot, char *full,
		       size_t size, struct deadline d)
{
	char question[FASTBOOT_NAME_MAX + 16], now[FASTBOOT_ANSWER_MAX];
	int rc;

	/* vendor_boot:dlkm and the like are for a program that takes images apart: give whole ones
	 */
	if (!is_name(name))
		return fastboot_fail(f, -EINVAL, "no name of a partition: '%s'", name);
	snprintf(full, size, "%s", name);
	if (has_suffix(name))
		return 0;
	snprintf(question, sizeof(question), "has-slot:%s", name);
	rc = fastboot_is(f, question, d);
	if (rc <= 0)
		return rc;
	rc = slot ? 0 : current_slot(f, now, sizeof(now), d);
	if (!rc)
		snprintf(full, size, "%s_%s", name, slot ? slot : now);
	return rc;
}

/* ---- small changes ---- */

int fastboot_erase(struct fastboot *f, const char *partition, struct deadline d)
{
	char full[FASTBOOT_NAME_MAX];
	int rc = fastboot_partition(f, partition, NULL, full, sizeof(full), d);

	return rc ? rc : fastboot_tell(f, d, "erase:%s", full);
}

int fastboot_set_active(struct fastboot *f, const char *slot, struct deadline d)
{
	char now[FASTBOOT_ANSWER_MAX] = "";
	int rc;

	if (strcmp(slot, "a") != 0 && strcmp(slot, "b") != 0)
		return fastboot_fail(f, -EINVAL, "no slot: '%s'", slot);
	for (int i = 0; i < SET_ACTIVE_TRIES; i++) {
		rc = fastboot_tell(f, d, "set_active:%s", slot);
		if (!rc)
			rc = current_slot(f, now, sizeof(now), d);
		if (rc || !strcmp(now, slot))
			return rc;
	}
	return fastboot_fail(f, -EREMOTEIO,
			     "set_active:%s was accepted %d times, current-slot is %.16s", slot,
			     SET_ACTIVE_TRIES, now);
}

int fastboot_oem(struct fastboot *f, const char *command, struct deadline d)
{
	return fastboot_tell(f, d, "oem %s", command);
}
