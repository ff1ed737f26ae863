/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of conf.h: the open document, shared by doc.c (files, errors, memory) and conf.c
 * (decoding by tables). Not for other directories.
 */
#ifndef RIG_CONF_DOC_H
#define RIG_CONF_DOC_H

#include <stdbool.h>
#include <yaml.h>

#include "conf/conf.h"

struct doc_block;

struct conf {
	char *name;
	yaml_document_t yaml;
	bool has_yaml;
	struct doc_block *blocks; /* all memory given out by conf_alloc() */
	unsigned int budget;	  /* values that may still be decoded: bounds alias expansion */
};

/* The node of a number, NULL for 0; the root. */
yaml_node_t *doc_node(struct conf *c, int id);
yaml_node_t *doc_root(struct conf *c);

struct conf_pos doc_pos(const yaml_node_t *node);

/* The text of a scalar node; NULL for other nodes. */
const char *doc_scalar(const yaml_node_t *node);

/* Written without quotes, and one of: nothing, ~, null. */
bool doc_is_null(const yaml_node_t *node);

/* "a list", "a mapping", "a single value": for messages. */
const char *doc_shape(const yaml_node_t *node);

#endif
