// SPDX-License-Identifier: GPL-2.0-or-later
/* The TFTP server of a board; see served.h. Layer: board. */
#include "board/served.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/path.h"
#include "board/driver.h"
#include "io/tftp.h"

#define START_MS 10000

static int begin(struct served *s)
{
	char *dir = path_in_home("boards/%s.tftp", board_name(s->board));
	int rc = tftp_start(&s->tftp, s->address, dir, deadline_in(START_MS));

	for (size_t i = 0; !rc && i < s->n_files; i++)
		rc = tftp_put(s->tftp, s->files[i].name, s->files[i].path);
	free(dir);
	return rc;
}

int served_start(struct served *s, struct err *err)
{
	int rc;

	served_stop(s);
	rc = begin(s);
	if (rc == -EADDRNOTAVAIL && s->late)
		return 0;
	if (rc == -EADDRNOTAVAIL)
		return err_set(err, BLAME_RIG, "tftp",
			       "this host has no %s, or another TFTP server has its port: `ip "
			       "address add %s/24 dev IF` on the interface that the board is "
			       "plugged into",
			       s->address, s->address);
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	return rc ? err_sys(err, BLAME_RIG, "tftp", rc, "TFTP server on %s", s->address) : 0;
}

void served_stop(struct served *s)
{
	tftp_stop(s->tftp);
	s->tftp = NULL;
}

/* A loader may ask a server that is gone for ever. */
int served_check(void *served)
{
	struct served *s = served;
	int rc;

	if (s->tftp || !s->late)
		return s->tftp ? tftp_check(s->tftp) : -ECHILD;
	rc = begin(s);
	return rc == -EADDRNOTAVAIL ? 0 : rc;
}

/* A server that died is why a board cannot load, and none of the board's faults. */
int served_failed(const struct served *s, struct err *err)
{
	char words[200], why[600];

	snprintf(why, sizeof(why), "%.500s", err->message);
	if (!s->tftp && s->late)
		return err_set(err, err->blame, err->code,
			       "no interface of this host had %s meanwhile: %s", s->address, why);
	if (!s->tftp || !tftp_check(s->tftp))
		return -1;
	tftp_last_words(s->tftp, words, sizeof(words));
	return err_set(err, BLAME_RIG, "tftp", "the TFTP server has died (\"%s\"): %s", words, why);
}
