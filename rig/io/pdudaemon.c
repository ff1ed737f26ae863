// SPDX-License-Identifier: GPL-2.0-or-later
/* Power outlets behind a pdudaemon; see pdudaemon.h. Layer: io. */
#include "io/pdudaemon.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/*
 * libcurl brings some thirty libraries along, which cost every start of a program that is linked
 * with it 4 ms. So it is loaded when an outlet is switched. The header's own macros are of no use
 * then: arguments of setopt have to be of the right type.
 */
#define LIBCURL "libcurl.so.4"

struct curl_api {
	CURL *(*init)(void);
	void (*cleanup)(CURL *curl);
	char *(*escape)(CURL *curl, const char *text, int length);
	void (*free)(void *text);
	CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{ "curl_easy_init", offsetof(struct curl_api, init) },
	{ "curl_easy_cleanup", offsetof(struct curl_api, cleanup) },
	{ "curl_easy_escape", offsetof(struct curl_api, escape) },
	{ "curl_free", offsetof(struct curl_api, free) },
	{ "curl_easy_setopt", offsetof(struct curl_api, setopt) },
	{ "curl_easy_perform", offsetof(struct curl_api, perform) },
	{ "curl_easy_getinfo", offsetof(struct curl_api, getinfo) },
};

/* It stays loaded. NULL = there is none, or not of that version. */
static const struct curl_api *load_curl(void)
{
	static struct curl_api api;
	static bool loaded;
	void *library = loaded ? NULL : dlopen(LIBCURL, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return NULL;
		memcpy((char *)&api + functions[i].offset, &function, sizeof(function));
		loaded = i + 1 == sizeof(functions) / sizeof(functions[0]);
	}
	return loaded ? &api : NULL;
}

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
	const struct curl_api *api = load_curl();
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
