/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power outlets behind a pdudaemon, the HTTP server that many labs run in front of their power
 * distribution units. Layer: io -> base, libcurl (when it is used).
 *
 *	GET <url>/power/control/{on,off,reboot}?hostname=<pdu>&port=<outlet>
 *
 * 0 or -errno: -EACCES refused (401, 403), -ENODEV no such unit or outlet (any other 4xx), -EIO
 * the server failed (5xx), -ECONNREFUSED nobody there, -EPROTO no HTTP, -EINVAL the URL cannot be
 * one, -ELIBACC no libcurl. The daemon queues: 0 means that it has taken the order, not that the
 * outlet is switched.
 */
#ifndef RIG_IO_PDUDAEMON_H
#define RIG_IO_PDUDAEMON_H

#include "base/deadline.h"

struct pdudaemon {
	const char *url;  /* "http://pdu-host:16421" */
	const char *unit; /* as the daemon's configuration names it */
	const char *port; /* the outlet */
};

int pdudaemon_set(const struct pdudaemon *p, bool on, struct deadline d);

#endif
