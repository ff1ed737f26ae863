/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may type on a console; leases are read as rigd writes them, base/leasefile.h. Layer: console.
 */
#ifndef RIG_CONSOLE_LEASE_H
#define RIG_CONSOLE_LEASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * May this user type now? A lease that has not run out decides; without one nobody may while a job
 * runs the board, else the keeper's own user and root. why gets the refusal, for a person.
 */
bool lease_allows(const char *path, uid_t uid, bool job_runs, int64_t now_s, char *why,
		  size_t size);

#endif
