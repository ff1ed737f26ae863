// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lab file of boards of one type "wired", which has the wiring's keys alone, for the cases of the
 * guest:
 *	lab-tool udev LAB	its udev rules
 *	lab-tool doctor LAB	what `rig doctor` says of host and wires, "state|check|evidence"
 *	lab-tool console LAB	opens the first board's console: "blame=BOARD code=console-gone"
 *	lab-tool on|off LAB	switches its supplies: the same; holds what it switched until stdin
 *				ends
 *	lab-tool blame ERRNO	of an error on a board's USB port: "BOARD"
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/wired.h"
#include "board/wiring.h"
#include "cli/doctor.h"
#include "cli/udev-rules.h"

static const struct lab_type types[] = { { .name = "wired", .keys = &lab_wired_keys } };

static int udev(const struct lab *lab)
{
	struct buf text = BUF_INIT;

	udev_rules(lab, NULL, &text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

static int doctor(const struct lab *lab)
{
	static const char *const states[] = { "ok", "warn", "bad" };
	struct doctor d = { .lab = lab, .root = "" };

	doctor_host(&d);
	doctor_usb(&d);
	doctor_wires(&d);
	for (size_t i = 0; i < d.n_rows; i++)
		printf("%s|%s|%s\n", states[d.rows[i].state], d.rows[i].check, d.rows[i].evidence);
	doctor_release(&d);
	return 0;
}

static int told(int rc, const struct err *err)
{
	printf("blame=%s code=%s\nmessage=%s\n", rc ? blame_name(err->blame) : "-", err->code,
	       err->message);
	fflush(stdout);
	return rc != 0;
}

static int console(const struct lab *lab)
{
	struct err err = ERR_INIT;
	struct wiring *w = NULL;
	int fd = -1;
	int rc = wiring_open(&w, lab_board(lab, 0), 0, "lab-tool", &err);

	if (!rc)
		rc = wiring_console(w, &fd, &err);
	if (fd >= 0)
		close(fd);
	wiring_close(w);
	return told(rc, &err);
}

static int supplies(const struct lab *lab, enum wiring_action action)
{
	struct err err = ERR_INIT;
	struct wiring *w = NULL;
	int rc = wiring_open(&w, lab_board(lab, 0), WIRING_BOTH, "lab-tool", &err);
	char line[8];

	if (!rc)
		rc = wiring_switch(w, action, &err);
	rc = told(rc, &err);
	while (!rc && fgets(line, sizeof(line), stdin))
		;
	wiring_close(w);
	return rc;
}

static int switch_on(const struct lab *lab)
{
	return supplies(lab, WIRING_ON);
}

static int switch_off(const struct lab *lab)
{
	return supplies(lab, WIRING_OFF);
}

static const struct {
	const char *name;
	int (*run)(const struct lab *lab);
} verbs[] = {
	{ "udev", udev },    { "doctor", doctor },  { "console", console },
	{ "on", switch_on }, { "off", switch_off },
};

static int blame(const char *name)
{
	for (int i = 1; i < 200; i++)
		if (strerrorname_np(i) && !strcmp(strerrorname_np(i), name))
			return puts(blame_name(wired_usb_blame(-i))) < 0;
	return 64;
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct lab *lab;
	int rc = 64;

	if (argc == 3 && !strcmp(argv[1], "blame"))
		return blame(argv[2]);
	lab = argc == 3 ? lab_load(argv[2], types, 1, &err) : NULL;
	if (!lab) {
		fprintf(stderr, "lab-tool VERB LAB: %s\n", err.message);
		return rc;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].name, argv[1]))
			rc = verbs[i].run(lab);
	lab_free(lab);
	return rc;
}
