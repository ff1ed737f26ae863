/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other side of a keeper: who attached, what they ask, what they get. Layer: console. */
#ifndef RIG_CONSOLE_CLIENTS_H
#define RIG_CONSOLE_CLIENTS_H

#include <stdbool.h>

struct keeper;
struct keeper_client;

void clients_init(struct keeper *k);
void clients_release(struct keeper *k);

/* Somebody knocks. More than KEEPER_CLIENTS are turned away. */
void clients_accept(struct keeper *k);

/* Takes what the client sent, and lets go of one that hung up. */
void clients_hear(struct keeper *k, struct keeper_client *c);

/* Sends everybody what is new, as far as they take it. */
void clients_serve(struct keeper *k);

/* The job that is attached; NULL = none. */
struct keeper_client *clients_job(struct keeper *k);

#endif
