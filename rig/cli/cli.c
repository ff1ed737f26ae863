// SPDX-License-Identifier: GPL-2.0-or-later
/* What several commands share; see cli.h. Layer: cli. */
#include "cli/cli.h"
#include "base/buf.h"
#include "base/path.h"
#include "results/report.h"
#include "results/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *resolve(struct store *store, const char *operand, struct err *err)
{
	char *last;
	char *name;

	if (!operand)
		return store_resolve(store, "last", err);
	last = path_last(operand);
	name = store_resolve(store, last, err);
	free(last);
	return name;
}

int cli_with_session(bool writable, const char *operand,
		     int (*run)(struct store *store, const char *session, struct err *err),
		     struct err *err)
{
	struct store *store = store_open_home(writable, err);
	char *session = store ? resolve(store, operand, err) : NULL;
	int rc = session ? run(store, session, err) : -1;

	free(session);
	store_close(store);
	return rc;
}

int cli_write(const struct buf *text, const char *path, struct err *err)
{
	int rc = 0;

	if (!path || !strcmp(path, "-"))
		fwrite(buf_str(text), 1, text->size, stdout);
	else
		rc = path_write(path, buf_str(text), text->size);
	return rc ? err_sys(err, BLAME_USER, "no-file", rc, "%s", path) : 0;
}

int cli_report(struct store *store, const char *session, const struct report_ops *ops,
	       const struct report_options *options, const char *path, struct err *err)
{
	struct buf out = BUF_INIT;
	int rc = report_session(store, session, ops, options, &out, err);

	if (!rc)
		rc = cli_write(&out, path, err);
	buf_release(&out);
	return rc;
}

int64_t cli_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

char *cli_run_dir(const char *session)
{
	return path_in_home("runs/%s", session);
}
