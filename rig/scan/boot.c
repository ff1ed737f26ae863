// SPDX-License-Identifier: GPL-2.0-or-later
/* Boots and resets; see boot.h. Layer: scan. */
#include "scan/boot.h"

#include <ctype.h>
#include <string.h>

#define BOOT_STAMP_S                                                                               \
	5.0 /* the first message of a kernel is younger, one of a running one older                \
	     */

const struct boot_row boot_rows[] = {
	{ BOOT_LOADER, "U-Boot TPL", "U-Boot TPL ", BOOT_LOOP | BOOT_VERSION, NULL,
	  "U-Boot TPL 2024.01-rc2-00129 (Oct 15 2023 - 19:49:17 -0600)", "U-Boot TPL loads SPL" },
	{ BOOT_LOADER, "U-Boot SPL", "U-Boot SPL ", BOOT_LOOP | BOOT_VERSION, NULL,
	  "U-Boot SPL 2015.07-rc2-00215-g9a58220-dirty (Jun 23 2015 - 12:11:32)",
	  "U-Boot SPL is missing" },
	{ BOOT_LOADER, "U-Boot", "U-Boot ", BOOT_LOOP | BOOT_VERSION, NULL,
	  "U-Boot 2014.04 (Dec 19 2014 - 10:33:12)", "U-Boot code: 43E00000" },
	{ BOOT_LOADER, "barebox", "barebox 20", BOOT_LOOP | BOOT_VERSION, NULL,
	  "barebox 2022.08.0-00262-g38678340903b #3 Sun Aug 14 2022", "barebox 20 MiB" },
	{ BOOT_LOADER, "TF-A", "NOTICE:  BL1: v", BOOT_LOOP | BOOT_VERSION, NULL,
	  "NOTICE:  BL1: v1.4(release):v1.4-rc0", "NOTICE:  BL1: Booting BL2" },
	{ BOOT_LOADER, "TF-A", "NOTICE:  Booting Trusted Firmware", 0, NULL,
	  "NOTICE:  Booting Trusted Firmware", "NOTICE:  Booting Linux" },
	{ BOOT_LOADER, "XBL", "Format: Log Type - Time", BOOT_INSIDE, NULL,
	  "bam-dFormat: Log Type - Time(microsec) - Message - Optional Info",
	  "Format: Log Time - Type" },
	{ BOOT_LOADER, "XBL", "S - QC_IMAGE_VERSION_STRING=", 0, NULL,
	  "S - QC_IMAGE_VERSION_STRING=BOOT.XF.1.0-00301", "S - IMAGE_VARIANT_STRING=Msm8996" },
	{ BOOT_LOADER, "ABL", "Android Bootloader - UART_DM", BOOT_LOOP, NULL,
	  "Android Bootloader - UART_DM Initialized!!!", "Android Bootloader is locked" },
	{ BOOT_LOADER, "LK", "welcome to lk", BOOT_INSIDE | BOOT_LOOP, NULL, "[0] welcome to lk",
	  "welcome to the lake" },
	{ BOOT_LOADER, "BootBase", "BootBase Version", BOOT_LOOP, NULL,
	  "BootBase Version: V1.02 | 11/06/2014 17:51:33", "BootBase is old" },
	{ BOOT_LOADER, "BootBase", "Bootbase Version", BOOT_LOOP, NULL,
	  "Bootbase Version: VTC_SPI1.27 | 2011/9/26 20:00:00", "Bootbase: ok" },
	{ BOOT_LOADER, "CFE", "CFE version ", BOOT_LOOP | BOOT_VERSION, NULL,
	  "CFE version 1.0.38-112.118 for BCM963268 (32bit,SP,BE)", "CFE version unknown" },
	{ BOOT_LOADER, "RedBoot", "RedBoot(tm) bootstrap", BOOT_LOOP, NULL,
	  "RedBoot(tm) bootstrap and debug environment [ROMRAM]", "RedBoot(tm)" },
	{ BOOT_LOADER, "SeaBIOS", "SeaBIOS (version ", BOOT_LOOP, NULL,
	  "SeaBIOS (version 1.14.0-2)", "SeaBIOS is here" },
	{ BOOT_LOADER, "coreboot", "coreboot-", 0, " bootblock starting",
	  "coreboot-v1.9308_26_0.0.22-11 Mon Sep 12 07:15:13 UTC 2022 bootblock starting",
	  "coreboot-e6103af7 Mon Sep 12 14:38:59 UTC 2022 smm starting (log level: 8)..." },
	{ BOOT_LOADER, "UEFI", "UEFI firmware (version ", BOOT_LOOP, NULL,
	  "UEFI firmware (version 1.0 built at 17:05:12 on Jan 1 2020)", "UEFI firmware" },
	{ BOOT_LOADER, "GRUB", "Welcome to GRUB!", 0, NULL, "Welcome to GRUB!", "Welcome to grub" },
	{ BOOT_LOADER, "IFWI", "PSH KERNEL VERSION:", 0, NULL, "PSH KERNEL VERSION: b0182929",
	  "PSH loader" },
	{ BOOT_LOADER, "iPXE", "iPXE initialising devices", 0, NULL,
	  "iPXE initialising devices...ok", "iPXE> set console" },
	{ BOOT_ORDERLY, "Linux", "reboot: ", 0, NULL, "reboot: Restarting system", "reboot now" },
	{ BOOT_ORDERLY, "Linux", "Restarting system", 0, NULL, "Restarting system.",
	  "Restarting sshd" },
	{ BOOT_ORDERLY, "Linux", "Starting new kernel", 0, NULL, "kexec_core: Starting new kernel",
	  "Starting kernel ..." },
	{ BOOT_ORDERLY, "Linux", "sysrq: Resetting", 0, NULL, "sysrq: Resetting",
	  "sysrq: Show State" },
	{ BOOT_ORDERLY, "U-Boot", "resetting ...", 0, NULL, "resetting ...", "resetting usb" },
};
const size_t boot_rows_n = sizeof(boot_rows) / sizeof(boot_rows[0]);

bool boot_matches(const struct boot_row *row, const struct logmsg *msg, const char *p,
		  bool at_start)
{
	size_t n = strlen(row->literal), left = msg->n - (size_t)(p - msg->text);

	if (left < n || memcmp(p, row->literal, n) != 0)
		return false;
	if (!at_start && !(row->flags & BOOT_INSIDE))
		return false;
	if (row->need && !memmem(p + n, left - n, row->need, strlen(row->need)))
		return false;
	return !(row->flags & BOOT_VERSION) || (left > n && isdigit((unsigned char)p[n]));
}

bool boot_is_kernel(const struct logmsg *msg)
{
	static const char banner[] = "Linux version ";
	size_t n = sizeof(banner) - 1;

	return msg->n > n && *msg->text == *banner && !memcmp(msg->text, banner, n) &&
	       msg->text[n] >= '0' && msg->text[n] <= '9' &&
	       (!msg->stamped || msg->time_s < BOOT_STAMP_S) && memchr(msg->text, '(', msg->n);
}

static uint32_t hash(const struct logmsg *msg)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < msg->n; i++)
		h = (h ^ (unsigned char)msg->text[i]) * 16777619u;
	return h;
}

/* Was this very banner printed before in this boot? */
static bool repeated(struct boot_watch *w, const struct logmsg *msg)
{
	uint32_t h = hash(msg);

	for (size_t i = 0; i < w->n_seen; i++)
		if (w->seen[i] == h)
			return true;
	if (w->n_seen < BOOT_SEEN_MAX)
		w->seen[w->n_seen++] = h;
	return false;
}

/* A time stamp says that a kernel runs, whose banner may be lost. */
static bool is_running(const struct boot_watch *w, const struct logmsg *msg)
{
	return w->running || (msg->stamped && msg->time_s > BOOT_STAMP_S);
}

bool boot_take(struct boot_watch *w, const struct boot_row *row, const struct logmsg *msg)
{
	bool reset = is_running(w, msg);

	if (row && row->role == BOOT_ORDERLY) {
		boot_expect(w);
		return false;
	}
	if (reset)
		boot_expect(w);
	if (!row) {
		w->running = true;
	} else if ((row->flags & BOOT_LOOP) && repeated(w, msg) && !w->asked) {
		boot_expect(w);
		repeated(w, msg);
		reset = true;
	}
	return reset;
}

void boot_expect(struct boot_watch *w)
{
	memset(w, 0, sizeof(*w));
}

void boot_note(struct boot_watch *w, const struct logmsg *msg)
{
	static const char version[] = "version";
	size_t n = sizeof(version) - 1;

	w->running = is_running(w, msg);
	w->asked = msg->n >= n && !memcmp(msg->text + msg->n - n, version, n);
}
