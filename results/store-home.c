// SPDX-License-Identifier: GPL-2.0-or-later
/* The store of this user; see store.h. Layer: results. */
#include "results/store.h"

#include <stdlib.h>

#include "base/path.h"

struct store *store_open_home(bool writable, struct err *err)
{
	char *home = path_home();
	char *path = path_join(home, "results.db");
	struct store *store = NULL;
	int rc = writable ? path_mkdirs(home) : 0;

	if (rc)
		err_sys(err, BLAME_USER, "home", rc,
			"%s cannot be used; set RIG_HOME to a directory that you may write", home);
	else
		store = writable ? store_open(path, err) : store_open_readonly(path, err);
	free(path);
	free(home);
	return store;
}
