/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of fastboot.h share. */
#ifndef RIG_IO_FASTBOOT_PRIV_H
#define RIG_IO_FASTBOOT_PRIV_H

#include "io/fastboot.h"

enum answer_kind { ANSWER_OKAY, ANSWER_FAIL, ANSWER_DATA, ANSWER_INFO, ANSWER_TEXT };

struct answer {
	enum answer_kind kind;
	uint32_t size;			/* of DATA */
	char text[FASTBOOT_ANSWER_MAX]; /* of the others; what is not printable is '?' */
};

struct fastboot {
	struct usb_dev *usb; /* NULL: it has left, or is to be opened again */
	char port[USB_PORT_MAX];
	struct fastboot_watch watch;
	char reason[2 * FASTBOOT_ANSWER_MAX];

	/* a conversation that broke off: see resync() */
	unsigned int unanswered; /* commands whose last answer has not come */
	uint64_t owed;		 /* bytes that a download still waits for */
	bool garbled;
	bool query; /* the last command was a question: query_ms */
};

/* 0, or -EPROTO: too short, too long, no known letters, DATA without eight hex digits. */
int fastboot_parse(const uint8_t *buf, size_t n, struct answer *a);

/* Sends a command, reads to its last answer. FAIL is -EREMOTEIO, with its text as the reason. */
int fastboot_ask(struct fastboot *f, struct answer *a, struct deadline d, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for a command whose answer is OKAY and nothing more. */
int fastboot_tell(struct fastboot *f, struct deadline d, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The last answer to what was sent; INFO on the way. */
int fastboot_answer(struct fastboot *f, struct answer *a, struct deadline d);

/* Sets the reason; returns rc. */
int fastboot_fail(struct fastboot *f, int rc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Opens the device again in its port, as fastboot_open() does. */
int fastboot_reopen(struct fastboot *f, const struct usb_match *m, struct deadline d);

unsigned int fastboot_stall_ms(const struct fastboot *f);

#endif
