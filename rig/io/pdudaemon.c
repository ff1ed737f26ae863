// SPDX-License-Identifier: GPL-2.0-or-later
/* Power outlets behind a pdudaemon; see pdudaemon.h. Layer: io. */
#include "io/pdudaemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/curl.h"

static size_t drop(char *data, size_t size, size_t n, void *ctx)
{
	(void)data;
	(void)ctx;
	return size * n;
}

static char *make_url(const struct curl_api *api, CURL *curl, const struct pdudaemon *p, bool on)
{
	char *unit = api->escape(curl, p->unit, 0);
	char *port = api->escape(curl, p->port, 0);
	char *url = NULL;

	if (unit && port)
		url = xasprintf("%s/power/control/%s?hostname=%s&port=%s", p->url,
				on ? "on" : "off", unit, port);
	api->free(unit);
	api->free(port);
	return url;
}

static int http_errno(long status)
{
	if (status >= 200 && status < 300)
		return 0;
	if (status == 401 || status == 403)
		return -EACCES;
	if (status >= 400 && status < 500)
		return -ENODEV;
	return status >= 500 ? -EIO : -EPROTO;
}

static int request(const struct curl_api *api, CURL *curl, const char *url, long left_ms)
{
	long status = 0;
	int rc;

	api->setopt(curl, CURLOPT_URL, url);
	api->setopt(curl, CURLOPT_WRITEFUNCTION, drop);
	api->setopt(curl, CURLOPT_NOSIGNAL, 1L);
	api->setopt(curl, CURLOPT_TIMEOUT_MS, left_ms < 0 ? 0L : left_ms);
	rc = curl_errno(api->perform(curl));
	if (!rc)
		api->getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	return rc ? rc : http_errno(status);
}

int pdudaemon_set(const struct pdudaemon *p, bool on, struct deadline d)
{
	const struct curl_api *api = curl_load();
	CURL *curl = api ? api->init() : NULL;
	char *url = curl ? make_url(api, curl, p, on) : NULL;
	long left_ms = deadline_left_ms(d);
	int rc = api ? -ENOMEM : -ELIBACC;

	if (!url)
		goto out;
	rc = -EINVAL;
	if (strncmp(p->url, "http://", 7) != 0 && strncmp(p->url, "https://", 8) != 0)
		goto out;
	rc = -ETIMEDOUT;
	if (!left_ms)
		goto out;
	rc = request(api, curl, url, left_ms);
out:
	free(url);
	if (curl)
		api->cleanup(curl);
	return rc;
}
