// SPDX-License-Identifier: GPL-2.0-or-later
/* One page by HTTP, timed; see http.h. Layer: io. */
#include "io/http.h"
#include "io/curl.h"

#include <errno.h>

static size_t take(char *data, size_t size, size_t n, void *ctx)
{
	struct http_page *page = ctx;

	if (page->body.size + size * n > HTTP_PAGE_MAX)
		return 0;
	buf_append(&page->body, data, size * n);
	return size * n;
}

static int fetch(const struct curl_api *api, CURL *curl, const char *url, long left_ms,
		 struct http_page *page)
{
	curl_off_t took_us = 0;
	CURLcode code;

	api->setopt(curl, CURLOPT_URL, url);
	api->setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
	api->setopt(curl, CURLOPT_PROXY, "");
	api->setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
	api->setopt(curl, CURLOPT_WRITEFUNCTION, take);
	api->setopt(curl, CURLOPT_WRITEDATA, page);
	api->setopt(curl, CURLOPT_NOSIGNAL, 1L);
	api->setopt(curl, CURLOPT_TIMEOUT_MS, left_ms < 0 ? 0L : left_ms);
	code = api->perform(curl);
	if (code == CURLE_WRITE_ERROR)
		return -EFBIG;
	if (code != CURLE_OK)
		return curl_errno(code);
	api->getinfo(curl, CURLINFO_RESPONSE_CODE, &page->status);
	api->getinfo(curl, CURLINFO_TOTAL_TIME_T, &took_us);
	page->duration_ns = (uint64_t)took_us * 1000;
	return 0;
}

int http_get(const char *url, struct deadline d, struct http_page *page)
{
	const struct curl_api *api = curl_load();
	CURL *curl = api ? api->init() : NULL;
	long left_ms = deadline_left_ms(d);
	int rc = api ? -ENOMEM : -ELIBACC;

	buf_reset(&page->body);
	page->status = 0;
	if (curl)
		rc = left_ms ? fetch(api, curl, url, left_ms, page) : -ETIMEDOUT;
	if (curl)
		api->cleanup(curl);
	return rc;
}

void http_page_release(struct http_page *page)
{
	buf_release(&page->body);
}
