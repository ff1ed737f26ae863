// SPDX-License-Identifier: GPL-2.0-or-later
/* Power outlets behind a pdudaemon; see pdudaemon.h. Layer: io. */
#include "io/pdudaemon.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static size_t drop(char *data, size_t size, size_t n, void *ctx)
{
	(void)data;
	(void)ctx;
	return size * n;
}

static char *make_url(CURL *curl, const struct pdudaemon *p, bool on)
{
	char *unit = curl_easy_escape(curl, p->unit, 0);
	char *port = curl_easy_escape(curl, p->port, 0);
	char *url = NULL;

	if (unit && port)
		url = xasprintf("%s/power/control/%s?hostname=%s&port=%s", p->url,
				on ? "on" : "off", unit, port);
	curl_free(unit);
	curl_free(port);
	return url;
}

static int curl_errno(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return 0;
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
		return -ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return -ETIMEDOUT;
	case CURLE_URL_MALFORMAT:
		return -EINVAL;
	case CURLE_OUT_OF_MEMORY:
		return -ENOMEM;
	default:
		return -EPROTO;
	}
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

int pdudaemon_set(const struct pdudaemon *p, bool on, struct deadline d)
{
	CURL *curl = curl_easy_init();
	char *url = curl ? make_url(curl, p, on) : NULL;
	long left_ms = deadline_left_ms(d);
	long status = 0;
	int rc = -ENOMEM;

	if (!url)
		goto out;
	rc = -EINVAL;
	if (strncmp(p->url, "http://", 7) != 0 && strncmp(p->url, "https://", 8) != 0)
		goto out;
	rc = -ETIMEDOUT;
	if (!left_ms)
		goto out;
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, left_ms < 0 ? 0L : left_ms);
	rc = curl_errno(curl_easy_perform(curl));
	if (!rc)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	rc = rc ? rc : http_errno(status);
out:
	free(url);
	curl_easy_cleanup(curl);
	return rc;
}
