// SPDX-License-Identifier: GPL-2.0-or-later
/* Units; see units.h. Layer: results, pure. */
#include "results/units.h"

#include <string.h>
#include <strings.h>

#include "results/values.h"

#define KI 1024.0
#define MI (1024.0 * 1024)
#define GI (1024.0 * 1024 * 1024)

const struct unit units[] = {
	{ "B/s", UNIT_RATE, 1 },
	{ "bytes/s", UNIT_RATE, 1 },
	{ "kB/s", UNIT_RATE, 1e3 },
	{ "KB/s", UNIT_RATE, 1e3 },
	{ "MB/s", UNIT_RATE, 1e6 },
	{ "MBps", UNIT_RATE, 1e6 },
	{ "GB/s", UNIT_RATE, 1e9 },
	{ "KiB/s", UNIT_RATE, KI },
	{ "MiB/s", UNIT_RATE, MI },
	{ "GiB/s", UNIT_RATE, GI },
	{ "bit/s", UNIT_RATE, 1.0 / 8 },
	{ "kbit/s", UNIT_RATE, 1e3 / 8 },
	{ "Mbit/s", UNIT_RATE, 1e6 / 8 },
	{ "Gbit/s", UNIT_RATE, 1e9 / 8 },
	{ "Mbits/s", UNIT_RATE, 1e6 / 8 },
	{ "Gbits/s", UNIT_RATE, 1e9 / 8 },
	{ "Mbits/sec", UNIT_RATE, 1e6 / 8 },
	{ "Gbits/sec", UNIT_RATE, 1e9 / 8 },
	{ "Mbps", UNIT_RATE, 1e6 / 8 },
	{ "Gbps", UNIT_RATE, 1e9 / 8 },
	{ "Mb/s", UNIT_RATE, 1e6 / 8 },
	{ "Gb/s", UNIT_RATE, 1e9 / 8 },
	{ "B", UNIT_BYTES, 1 },
	{ "bytes", UNIT_BYTES, 1 },
	{ "kB", UNIT_BYTES, 1e3 },
	{ "MB", UNIT_BYTES, 1e6 },
	{ "GB", UNIT_BYTES, 1e9 },
	{ "KiB", UNIT_BYTES, KI },
	{ "MiB", UNIT_BYTES, MI },
	{ "GiB", UNIT_BYTES, GI },
	{ "ns", UNIT_NS, 1 },
	{ "nsec", UNIT_NS, 1 },
	{ "us", UNIT_NS, 1e3 },
	{ "usec", UNIT_NS, 1e3 },
	{ "\xc2\xb5s", UNIT_NS, 1e3 }, /* U+00B5 */
	{ "\xce\xbcs", UNIT_NS, 1e3 }, /* U+03BC */
	{ "ms", UNIT_NS, 1e6 },
	{ "msec", UNIT_NS, 1e6 },
	{ "s", UNIT_NS, 1e9 },
	{ "sec", UNIT_NS, 1e9 },
	{ "seconds", UNIT_NS, 1e9 },
	{ "min", UNIT_NS, 60e9 },
	{ "IOPS", UNIT_IOPS, 1 },
	{ "kIOPS", UNIT_IOPS, 1e3 },
	{ "1/s", UNIT_PER_S, 1 },
	{ "Hz", UNIT_PER_S, 1 },
	{ "fps", UNIT_PER_S, 1 },
	{ "pps", UNIT_PER_S, 1 },
	{ "count", UNIT_COUNT, 1 },
	{ "%", UNIT_PERCENT, 1 },
	{ "percent", UNIT_PERCENT, 1 },
	{ NULL, NULL, 0 },
};

static size_t bare_size(const char *printed)
{
	size_t n = strcspn(printed, "(");

	while (n && printed[n - 1] == ' ')
		n--;
	return n;
}

const struct unit *unit_find(const char *printed)
{
	size_t n = bare_size(printed);

	for (const struct unit *u = units; u->printed; u++)
		if (strlen(u->printed) == n && !strncmp(u->printed, printed, n))
			return u;
	for (const struct unit *u = units; u->printed; u++)
		if (strlen(u->printed) == n && !strncasecmp(u->printed, printed, n))
			return u;
	return NULL;
}
