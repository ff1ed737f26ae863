/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `ethtool -S IF` and `ethtool IF` -> named numbers. Layer: results, pure.
 *
 * -S: each counter under the driver's own name; bytes if that speaks of bytes or octets, else
 * count. Settings: speed (bytes/s, printed in Mb/s), and as 0 or 1 (count) duplex_full,
 * autonegotiation, link.
 */
#ifndef RESULTS_PARSE_ETHTOOL_H
#define RESULTS_PARSE_ETHTOOL_H

#include "results/parse.h"

/* parse_fn. -1: "ethtool-error" (it says what it cannot do), "ethtool-none" (neither of both). */
int ethtool_parse(const char *data, size_t size, struct values *out, struct err *err);

#endif
