// SPDX-License-Identifier: GPL-2.0-or-later
/* libcurl, loaded when it is needed; see curl.h. Layer: io. */
#include "io/curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBCURL "libcurl.so.4"

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

const struct curl_api *curl_load(void)
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

int curl_errno(CURLcode code)
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
