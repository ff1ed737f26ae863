/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev rules made from a lab file: stable names by port path, permissions, hands off for
 * ModemManager, no autosuspend. Pure text. Layer: cli.
 */
#ifndef RIG_CLI_UDEV_RULES_H
#define RIG_CLI_UDEV_RULES_H

struct buf;
struct lab;

/* group: of the nodes; NULL = dialout for serial ports, plugdev for the rest. */
void udev_rules(const struct lab *lab, const char *group, struct buf *out);

#endif
