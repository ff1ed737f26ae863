// SPDX-License-Identifier: GPL-2.0-or-later
/* GPIO lines by libgpiod 2; see gpio.h. Layer: io. */
#include "io/gpio.h"

#include <dirent.h>
#include <errno.h>
#include <gpiod.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/deadline.h"

struct gpio {
	struct gpiod_line_request *request;
	unsigned int offset;
};

/* ---- finding it ---- */

static bool is_called(struct gpiod_chip *chip, const char *path, const char *want)
{
	struct gpiod_chip_info *info = gpiod_chip_get_info(chip);
	bool yes = info && (!strcmp(gpiod_chip_info_get_label(info), want) ||
			    !strcmp(gpiod_chip_info_get_name(info), want) || !strcmp(path, want));

	if (info)
		gpiod_chip_info_free(info);
	return yes;
}

/* A chip that goes away between the list and the opening is simply not the one. */
static int try_chip(const char *file, const char *want, struct gpiod_chip **found)
{
	char path[PATH_MAX];
	struct gpiod_chip *chip;

	snprintf(path, sizeof(path), "/dev/%s", file);
	if (!gpiod_is_gpiochip_device(path))
		return 0;
	chip = gpiod_chip_open(path);
	if (!chip)
		return errno == EACCES || errno == EPERM ? -errno : 0;
	if (!is_called(chip, path, want)) {
		gpiod_chip_close(chip);
		return 0;
	}
	if (*found) {
		gpiod_chip_close(chip);
		return -EEXIST;
	}
	*found = chip;
	return 0;
}

static int chip_open(const char *want, struct gpiod_chip **out)
{
	struct gpiod_chip *found = NULL;
	DIR *d = opendir("/dev");
	struct dirent *e;
	int denied = 0;
	int rc = 0;

	if (!d)
		return -errno;
	while (rc != -EEXIST && (e = readdir(d))) {
		if (strncmp(e->d_name, "gpiochip", 8) != 0)
			continue;
		rc = try_chip(e->d_name, want, &found);
		if (rc < 0 && rc != -EEXIST)
			denied = rc;
	}
	closedir(d);
	if (rc == -EEXIST) {
		gpiod_chip_close(found);
		return rc;
	}
	if (!found)
		return denied ? denied : -ENODEV;
	*out = found;
	return 0;
}

/* A name wins over a number: a line may be called "7". */
static int line_offset(struct gpiod_chip *chip, const char *line, unsigned int *offset)
{
	int at = gpiod_chip_get_line_offset_from_name(chip, line);
	struct gpiod_line_info *info;
	unsigned long n;
	char *end;

	if (at >= 0) {
		*offset = (unsigned int)at;
		return 0;
	}
	n = strtoul(line, &end, 10);
	if (end == line || *end || n > UINT_MAX)
		return -ENOENT;
	info = gpiod_chip_get_line_info(chip, (unsigned int)n);
	if (!info)
		return -ENOENT;
	gpiod_line_info_free(info);
	*offset = (unsigned int)n;
	return 0;
}

static int locate(const struct gpio_name *name, struct gpiod_chip **chip, unsigned int *offset)
{
	int rc;

	*chip = NULL;
	rc = chip_open(name->chip, chip);
	if (rc)
		return rc;
	rc = line_offset(*chip, name->line, offset);
	if (rc)
		gpiod_chip_close(*chip);
	return rc;
}

/* ---- taking it ---- */

static int request(struct gpio *g, struct gpiod_chip *chip, struct gpiod_line_settings *settings,
		   const char *consumer)
{
	struct gpiod_line_config *lines = gpiod_line_config_new();
	struct gpiod_request_config *config = gpiod_request_config_new();
	int rc = -ENOMEM;

	if (!lines || !config)
		goto out;
	gpiod_request_config_set_consumer(config, consumer);
	rc = gpiod_line_config_add_line_settings(lines, &g->offset, 1, settings);
	if (!rc)
		g->request = gpiod_chip_request_lines(chip, config, lines);
	rc = g->request ? 0 : -errno;
out:
	gpiod_line_config_free(lines);
	gpiod_request_config_free(config);
	return rc;
}

static int open_line(struct gpio **out, const struct gpio_name *name, bool output, bool asserted,
		     const char *consumer)
{
	struct gpio *g = xcalloc(1, sizeof(*g));
	struct gpiod_line_settings *settings = gpiod_line_settings_new();
	struct gpiod_chip *chip = NULL;
	int rc = settings ? locate(name, &chip, &g->offset) : -ENOMEM;

	if (rc)
		goto out;
	gpiod_line_settings_set_active_low(settings, name->active_low);
	gpiod_line_settings_set_direction(settings, output ? GPIOD_LINE_DIRECTION_OUTPUT
							   : GPIOD_LINE_DIRECTION_INPUT);
	if (output)
		gpiod_line_settings_set_output_value(
			settings, asserted ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
	rc = request(g, chip, settings, consumer);
	gpiod_chip_close(chip);
out:
	gpiod_line_settings_free(settings);
	if (rc)
		free(g);
	else
		*out = g;
	return rc;
}

int gpio_open_output(struct gpio **out, const struct gpio_name *name, bool asserted,
		     const char *consumer)
{
	return open_line(out, name, true, asserted, consumer);
}

int gpio_open_input(struct gpio **out, const struct gpio_name *name, const char *consumer)
{
	return open_line(out, name, false, false, consumer);
}

void gpio_close(struct gpio *g)
{
	if (!g)
		return;
	gpiod_line_request_release(g->request);
	free(g);
}

/* ---- using it ---- */

int gpio_set(struct gpio *g, bool asserted)
{
	enum gpiod_line_value value = asserted ? GPIOD_LINE_VALUE_ACTIVE
					       : GPIOD_LINE_VALUE_INACTIVE;

	return gpiod_line_request_set_value(g->request, g->offset, value) < 0 ? -errno : 0;
}

int gpio_get(struct gpio *g)
{
	enum gpiod_line_value value = gpiod_line_request_get_value(g->request, g->offset);

	if (value == GPIOD_LINE_VALUE_ERROR)
		return -errno;
	return value == GPIOD_LINE_VALUE_ACTIVE;
}

int gpio_pulse(struct gpio *g, unsigned int ms)
{
	int rc = gpio_set(g, true);
	int waited;
	int off;

	if (rc)
		return rc;
	waited = deadline_poll(-1, 0, deadline_in(ms));
	off = gpio_set(g, false);
	return off ? off : waited < 0 ? waited : 0;
}

int gpio_consumer(const struct gpio_name *name, char *buf, size_t size)
{
	struct gpiod_chip *chip;
	struct gpiod_line_info *info;
	unsigned int offset;
	const char *who;
	int rc = locate(name, &chip, &offset);

	if (rc)
		return rc;
	info = gpiod_chip_get_line_info(chip, offset);
	rc = info ? 0 : -errno;
	if (info) {
		who = gpiod_line_info_get_consumer(info);
		snprintf(buf, size, "%s", gpiod_line_info_is_used(info) ? (who ? who : "?") : "");
		gpiod_line_info_free(info);
	}
	gpiod_chip_close(chip);
	return rc;
}
