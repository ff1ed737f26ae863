// SPDX-License-Identifier: GPL-2.0-or-later
/* The document behind conf.h: reading, checking, errors, memory. Layer: base. */
#include "conf/doc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"

/* Far more than any file for people needs; an alias bomb stops here. */
#define DECODE_BUDGET 100000

struct doc_block {
	struct doc_block *next;
	max_align_t data[];
};

void *conf_alloc(struct conf *c, size_t size)
{
	struct doc_block *b = xcalloc(1, sizeof(*b) + size);

	b->next = c->blocks;
	c->blocks = b;
	return b->data;
}

const char *conf_strdup(struct conf *c, const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(conf_alloc(c, size), s, size);
}

struct conf *conf_empty(const char *name)
{
	struct conf *c = xcalloc(1, sizeof(*c));

	c->name = xstrdup(name);
	c->budget = DECODE_BUDGET;
	return c;
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	while (c->blocks) {
		struct doc_block *next = c->blocks->next;

		free(c->blocks);
		c->blocks = next;
	}
	if (c->has_yaml)
		yaml_document_delete(&c->yaml);
	free(c->name);
	free(c);
}

int conf_error(const struct conf *c, struct conf_pos pos, struct err *err, const char *fmt, ...)
{
	char text[sizeof(err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!pos.line)
		return err_set(err, BLAME_USER, "config", "%s: %s", c->name, text);
	return err_set(err, BLAME_USER, "config", "%s:%d:%d: %s", c->name, pos.line, pos.column,
		       text);
}

static struct conf_pos mark_pos(yaml_mark_t mark)
{
	return (struct conf_pos){ (int)mark.line + 1, (int)mark.column + 1 };
}

struct conf_pos doc_pos(const yaml_node_t *node)
{
	return mark_pos(node->start_mark);
}

yaml_node_t *doc_node(struct conf *c, int id)
{
	return c->has_yaml && id > 0 ? yaml_document_get_node(&c->yaml, id) : NULL;
}

yaml_node_t *doc_root(struct conf *c)
{
	return c->has_yaml ? yaml_document_get_root_node(&c->yaml) : NULL;
}

const char *doc_scalar(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

bool doc_is_null(const yaml_node_t *node)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL" };
	const char *s = doc_scalar(node);

	if (!s || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

const char *doc_shape(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a mapping";
	default:
		return "a single value";
	}
}

static int syntax_error(const struct conf *c, const yaml_parser_t *p, struct err *err)
{
	const char *problem = p->problem ? p->problem : "not YAML";

	if (p->error == YAML_READER_ERROR)
		return conf_error(c, (struct conf_pos){ 0, 0 }, err, "byte %zu: %s",
				  p->problem_offset, problem);
	if (p->context)
		return conf_error(c, mark_pos(p->problem_mark), err, "%s (%s in line %zu)", problem,
				  p->context, p->context_mark.line + 1);
	return conf_error(c, mark_pos(p->problem_mark), err, "%s", problem);
}

/* The file must end after the first document. */
static int check_single(struct conf *c, yaml_parser_t *p, struct err *err)
{
	yaml_document_t next;
	yaml_node_t *root;
	int rc = 0;

	if (!yaml_parser_load(p, &next))
		return syntax_error(c, p, err);
	root = yaml_document_get_root_node(&next);
	if (root)
		rc = conf_error(c, doc_pos(root), err,
				"a second document starts here; one document a file");
	yaml_document_delete(&next);
	return rc;
}

static bool tag_is_own(const yaml_node_t *node)
{
	static const char *const tags[] = { YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG };
	const char *tag = (const char *)node->tag;

	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tag && !strcmp(tag, tags[i]))
			return true;
	return false;
}

static int check_tags(struct conf *c, struct err *err)
{
	const yaml_node_t *n = c->yaml.nodes.start;

	for (; n < c->yaml.nodes.top; n++)
		if (!tag_is_own(n))
			return conf_error(c, doc_pos(n), err, "tags are not supported: %s", n->tag);
	return 0;
}

static int load_document(struct conf *c, yaml_parser_t *p, struct err *err)
{
	yaml_node_t *root;

	if (!yaml_parser_load(p, &c->yaml))
		return syntax_error(c, p, err);
	c->has_yaml = true;
	root = doc_root(c);
	if (!root)
		return conf_error(c, (struct conf_pos){ 1, 1 }, err, "the file is empty");
	if (root->type != YAML_MAPPING_NODE)
		return conf_error(c, doc_pos(root), err, "the file must be a mapping, it is %s",
				  doc_shape(root));
	if (check_tags(c, err))
		return -1;
	return check_single(c, p, err);
}

struct conf *conf_parse(const char *name, const char *text, size_t size, struct err *err)
{
	struct conf *c = conf_empty(name);
	yaml_parser_t parser;
	int rc;

	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	rc = load_document(c, &parser, err);
	yaml_parser_delete(&parser);
	if (!rc)
		return c;
	conf_free(c);
	return NULL;
}

int conf_read(const char *path, struct buf *text, struct err *err)
{
	int rc = path_read(path, text, CONF_MAX_BYTES);

	if (rc == -EFBIG)
		return err_set(err, BLAME_USER, "config", "%s: more than %d bytes", path,
			       CONF_MAX_BYTES);
	return rc ? err_sys(err, BLAME_USER, "config", rc, "%s", path) : 0;
}

struct conf *conf_load(const char *path, struct err *err)
{
	struct buf text = BUF_INIT;
	struct conf *c = NULL;

	if (conf_read(path, &text, err) == 0)
		c = conf_parse(path, buf_str(&text), text.size, err);
	buf_release(&text);
	return c;
}
