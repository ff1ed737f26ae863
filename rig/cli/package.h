/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel of the cache as files that a board's loader takes. Layer: cli. */
#ifndef RIG_CLI_PACKAGE_H
#define RIG_CLI_PACKAGE_H

struct err;
struct kernel_request;

/*
 * Builds the kernel (or finds it), makes the board type's files in dir and prints their paths. dtb
 * (may be NULL) goes before the kernel's own.
 */
int package_kernel(const struct kernel_request *request, const char *dtb, const char *dir,
		   struct err *err);

#endif
