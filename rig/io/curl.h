/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl, loaded when it is first needed: it brings some thirty libraries along, which cost every
 * start of a program that is linked with it 4 ms. The header's own macros are of no use then:
 * arguments of setopt have to be of the right type. Layer: io, inside.
 */
#ifndef RIG_IO_CURL_H
#define RIG_IO_CURL_H

#include <curl/curl.h>

struct curl_api {
	CURL *(*init)(void);
	void (*cleanup)(CURL *curl);
	char *(*escape)(CURL *curl, const char *text, int length);
	void (*free)(void *text);
	CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
};

/* It stays loaded. NULL = there is none, or not of that version. */
const struct curl_api *curl_load(void);

/* 0, -ECONNREFUSED, -ETIMEDOUT, -EINVAL, -ENOMEM, -EPROTO */
int curl_errno(CURLcode code);

#endif
