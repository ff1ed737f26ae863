// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A lab file of boards of one type "wired", which has the wiring's keys alone, for the cases of the
 * guest:
 *	lab-tool udev LAB	its udev rules
 *	lab-tool doctor LAB	what `rig doctor` says of host and wires, "state|check|evidence"
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "board/lab-wired.h"
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

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct lab *lab = argc == 3 ? lab_load(argv[2], types, 1, &err) : NULL;
	int rc;

	if (!lab) {
		fprintf(stderr, "lab-tool udev|doctor LAB: %s\n", err.message);
		return 64;
	}
	rc = strcmp(argv[1], "udev") ? doctor(lab) : udev(lab);
	lab_free(lab);
	return rc;
}
