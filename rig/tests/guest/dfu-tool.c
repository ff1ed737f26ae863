// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rig/io/dfu one call at a time, for the cases of the guest: prints "rc=0" or "rc=ENODEV" and the
 * device's words.
 *
 *	dfu-tool PORT DEADLINE-MS list | download ALT FILE | upload ALT FILE | detach
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/deadline.h"
#include "io/dfu.h"

static struct dfu *dfu;
static struct deadline d;

static int do_list(char **a)
{
	const struct dfu_alt *alts;
	size_t n = dfu_alts(dfu, &alts);

	(void)a;
	for (size_t i = 0; i < n; i++)
		printf("alt %u %s\n", alts[i].number, alts[i].name);
	return 0;
}

static int do_download(char **a)
{
	return dfu_download(dfu, a[0], open(a[1], O_RDONLY | O_CLOEXEC), d);
}

static int do_upload(char **a)
{
	int fd = open(a[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return dfu_upload(dfu, a[0], fd, 1u << 30, NULL, d);
}

static int do_detach(char **a)
{
	(void)a;
	return dfu_detach(dfu, d);
}

static const struct {
	const char *name;
	int n_args;
	int (*run)(char **args);
} verbs[] = {
	{ "list", 0, do_list },
	{ "download", 2, do_download },
	{ "upload", 2, do_upload },
	{ "detach", 0, do_detach },
};

int main(int argc, char **argv)
{
	struct usb_match m = { .port = argc > 1 ? argv[1] : NULL };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]) && argc > 3; i++) {
		int rc;

		if (strcmp(verbs[i].name, argv[3]) != 0 || argc != 4 + verbs[i].n_args)
			continue;
		d = deadline_in(strtoull(argv[2], NULL, 10));
		rc = dfu_open(&dfu, &m, d);
		if (!rc)
			rc = verbs[i].run(argv + 4);
		printf("reason=%s\nrc=%s\n", dfu ? dfu_reason(dfu) : "",
		       rc < 0 ? strerrorname_np(-rc) : "0");
		dfu_close(dfu);
		return rc < 0;
	}
	fprintf(stderr, "usage: dfu-tool PORT DEADLINE-MS VERB [ALT FILE]\n");
	return 64;
}
