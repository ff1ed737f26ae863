/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fingerprints: the state of a machine that numbers depend on, as the agent reported it (JSON).
 * A const table says which keys must be equal for two boots to be compared; all others (clocks,
 * temperatures, counters, the kernel's own release) may differ.
 */
#ifndef RESULTS_FINGERPRINT_H
#define RESULTS_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/* The keys that matter, flattened: "cpufreq.[policy0].scaling_governor" = "performance". */
struct fingerprint;

/*
 * json: a fingerprint as text, "" = none. own_cmdline: kernel parameters that belong to the
 * variant and are left out of the comparison. NULL when there is nothing to compare.
 */
struct fingerprint *fingerprint_new(const char *json, const char *own_cmdline);
void fingerprint_free(struct fingerprint *f);

/*
 * Appends the differences to out, "key: a / b" separated by "; ", at most three of them. Returns
 * their number.
 */
size_t fingerprint_diff(const struct fingerprint *a, const struct fingerprint *b, struct buf *out);

/* What is compared, as a compact JSON object that fingerprint_new() reads; the caller frees. */
char *fingerprint_dump(const struct fingerprint *f);

/* Identity of the boot as the kernel gives it; "" = not told. */
const char *fingerprint_boot_id(const struct fingerprint *f);

/* Does a key (a path like "cpufreq.[policy0].scaling_governor") matter? */
bool fingerprint_matters(const char *key);

/* Appends the versions of the tools ("fio-3.33, busybox 1.35"), if there are any. */
void fingerprint_tools(const char *json, struct buf *out);

#endif
