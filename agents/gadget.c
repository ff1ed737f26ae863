// SPDX-License-Identifier: GPL-2.0-or-later
/* Gadgets by configfs; see gadget.h. */
#include "agents/gadget.h"
#include "agents/agent.h"
#include "agents/sysfs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE   "/sys/kernel/config/usb_gadget"
#define GADGET TREE "/rig"
#define CONFIG GADGET "/configs/c.1"

/* Attributes of a new gadget; FUNCTION/... only where that function is part of it. */
static const struct {
	const char *function, *file, *value;
} attributes[] = {
	{ NULL, "idVendor", "0x1d6b" },
	{ NULL, "idProduct", "0x0104" },
	{ NULL, "bcdUSB", "0x0320" },
	{ NULL, "max_speed", "super-speed" },
	{ NULL, "strings/0x409/manufacturer", "rig" },
	{ NULL, "strings/0x409/product", "gadget" },
	{ NULL, "strings/0x409/serialnumber", "rig-0001" },
	{ NULL, "configs/c.1/MaxPower", "100" },
	{ NULL, "configs/c.1/strings/0x409/configuration", "all" },
	{ "eem", "functions/eem.0/dev_addr", "02:00:00:00:01:01" },
	{ "eem", "functions/eem.0/host_addr", "02:00:00:00:01:02" },
	{ "ncm", "functions/ncm.0/dev_addr", "02:00:00:00:02:01" },
	{ "ncm", "functions/ncm.0/host_addr", "02:00:00:00:02:02" },
};

static const char *const known[] = { "acm", "eem", "gser", "mass_storage", "ncm", "uac2" };

static int complain(struct gadget *g, int rc, const char *what)
{
	snprintf(g->why, sizeof(g->why), "%.140s: %.50s", what, strerror(-rc));
	return rc;
}

/* Is that word one of "a+b+c"? */
static bool has_function(const struct gadget *g, const char *name)
{
	const char *p = g->functions;
	size_t n = strlen(name);

	while (strcspn(p, "+") != n || strncmp(p, name, n) != 0) {
		p += strcspn(p, "+");
		if (!*p++)
			return false;
	}
	return true;
}

/* ---- making ---- */

static int make_dir(struct gadget *g, const char *path)
{
	char full[2 * SYSFS_PATH];

	snprintf(full, sizeof(full), "%s%s", g->root, path);
	return mkdir(full, 0755) && errno != EEXIST ? complain(g, -errno, path) : 0;
}

static int make_skeleton(struct gadget *g)
{
	static const char *const dirs[] = { GADGET, GADGET "/strings/0x409", CONFIG,
					    CONFIG "/strings/0x409" };

	if (!sysfs_exists(g->root, TREE))
		return complain(g, -ENOTSUP, TREE);
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		int rc = make_dir(g, dirs[i]);

		if (rc)
			return rc;
	}
	return 0;
}

/* Directory and link of one function, by where in g->functions it is named. */
static int add_function(struct gadget *g, const char *name, size_t n)
{
	char dir[SYSFS_PATH];
	int rc;

	snprintf(dir, sizeof(dir), GADGET "/functions/%.*s.0", (int)n, name);
	rc = make_dir(g, dir);
	return rc == -ENOENT ? complain(g, -ENOTSUP, dir) : rc;
}

static int link_function(struct gadget *g, const char *name, size_t n)
{
	char link[SYSFS_PATH], from[2 * SYSFS_PATH], to[2 * SYSFS_PATH];

	snprintf(link, sizeof(link), CONFIG "/%.*s.0", (int)n, name);
	snprintf(from, sizeof(from), "%s" GADGET "/functions/%.*s.0", g->root, (int)n, name);
	snprintf(to, sizeof(to), "%s%s", g->root, link);
	return symlink(from, to) ? complain(g, -errno, link) : 0;
}

static int check_name(struct gadget *g, const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i]) == n && !strncmp(known[i], name, n))
			return 0;
	snprintf(g->why, sizeof(g->why), "no gadget function '%.*s'", (int)n, name);
	return -EINVAL;
}

static int each_function(struct gadget *g,
			 int (*each)(struct gadget *g, const char *name, size_t n))
{
	int rc = 0;

	for (const char *p = g->functions; !rc && *p;) {
		size_t n = strcspn(p, "+");

		rc = each(g, p, n);
		p += n + (p[n] == '+');
	}
	return rc;
}

static int set_attributes(struct gadget *g)
{
	char path[SYSFS_PATH];

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		int rc;

		if (attributes[i].function && !has_function(g, attributes[i].function))
			continue;
		snprintf(path, sizeof(path), GADGET "/%s", attributes[i].file);
		rc = sysfs_write(g->root, path, attributes[i].value);
		if (rc)
			return complain(g, rc, path);
	}
	return 0;
}

/* A LUN without a medium is bound as happily as one with: it is asked what it holds. */
static int insert_medium(struct gadget *g)
{
	static const char file[] = GADGET "/functions/mass_storage.0/lun.0/file";
	char holds[SYSFS_PATH];
	int rc;

	if (!g->lun || !has_function(g, "mass_storage"))
		return 0;
	rc = sysfs_write(g->root, file, g->lun);
	if (rc)
		return complain(g, rc, g->lun);
	if (sysfs_read(g->root, file, holds, sizeof(holds)) <= 0 || strcmp(holds, g->lun) != 0)
		return complain(g, -ENOMEDIUM, g->lun);
	return 0;
}

/* ---- the controller ---- */

static bool is_free(const struct gadget *g, const char *udc)
{
	char path[SYSFS_PATH + 16], function[64];

	snprintf(path, sizeof(path), "%s/function", udc);
	return sysfs_read(g->root, path, function, sizeof(function)) <= 0;
}

static int choose_udc(struct gadget *g)
{
	struct strv all = { 0 };

	*g->bound = '\0';
	sysfs_glob(g->root, "/sys/class/udc/*", &all);
	for (size_t i = 0; i < all.count && !*g->bound; i++) {
		const char *name = strrchr(all.v[i], '/') + 1;

		if (g->udc ? !strcmp(name, g->udc) : is_free(g, all.v[i]))
			snprintf(g->bound, sizeof(g->bound), "%.63s", name);
	}
	strv_release(&all);
	if (*g->bound)
		return 0;
	return complain(g, -ENODEV, g->udc ? g->udc : "no USB device controller that is free");
}

static int bind_udc(struct gadget *g)
{
	int rc = choose_udc(g);

	if (!rc)
		rc = sysfs_write(g->root, GADGET "/UDC", g->bound);
	return rc && !*g->why ? complain(g, rc, "binding to the controller") : rc;
}

int gadget_wait(struct gadget *g, unsigned int wait_ms)
{
	uint64_t end_ms = agent_now_ms() + wait_ms;
	char path[SYSFS_PATH], state[32] = "";

	snprintf(path, sizeof(path), "/sys/class/udc/%s/state", g->bound);
	do {
		if (sysfs_read(g->root, path, state, sizeof(state)) > 0 &&
		    !strcmp(state, "configured"))
			return 0;
		poll(NULL, 0, 10);
	} while (agent_now_ms() < end_ms);
	snprintf(g->why, sizeof(g->why), "%s is '%s' and not configured after %u ms", g->bound,
		 state, wait_ms);
	return -ETIMEDOUT;
}

int gadget_make(struct gadget *g)
{
	int rc = gadget_remove(g);

	if (!rc)
		rc = make_skeleton(g);
	if (!rc)
		rc = each_function(g, check_name);
	if (!rc)
		rc = each_function(g, add_function);
	if (!rc)
		rc = set_attributes(g);
	if (!rc)
		rc = insert_medium(g);
	/* its attributes are fixed once a function is part of a configuration */
	if (!rc)
		rc = each_function(g, link_function);
	if (!rc)
		rc = bind_udc(g);
	if (rc) {
		char why[sizeof(g->why)];

		memcpy(why, g->why, sizeof(why));
		gadget_remove(g);
		memcpy(g->why, why, sizeof(why));
	}
	return rc;
}

/* ---- taking down ---- */

static void remove_all(struct gadget *g, const char *pattern, int (*remover)(const char *path))
{
	struct strv paths = { 0 };
	char full[2 * SYSFS_PATH];

	sysfs_glob(g->root, pattern, &paths);
	for (size_t i = 0; i < paths.count; i++) {
		snprintf(full, sizeof(full), "%s%s", g->root, paths.v[i]);
		remover(full);
	}
	strv_release(&paths);
}

int gadget_remove(struct gadget *g)
{
	*g->why = '\0';
	if (!sysfs_exists(g->root, GADGET))
		return 0;
	sysfs_write(g->root, GADGET "/UDC", "\n");
	remove_all(g, CONFIG "/*.0", unlink);
	remove_all(g, CONFIG "/strings/*", rmdir);
	remove_all(g, GADGET "/configs/*", rmdir);
	remove_all(g, GADGET "/functions/*", rmdir);
	remove_all(g, GADGET "/strings/*", rmdir);
	remove_all(g, GADGET, rmdir);
	return sysfs_exists(g->root, GADGET) ? complain(g, -EBUSY, "the old gadget stays: " GADGET)
					     : 0;
}
