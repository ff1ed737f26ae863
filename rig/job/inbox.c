// SPDX-License-Identifier: GPL-2.0-or-later
/* Result files put together; see inbox.h. Layer: job. */
#include "job/inbox.h"
#include "agents/kv.h"
#include "agents/wire.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
	const char *name;
	uint64_t size;
	uint64_t offset;
	uint64_t crc;
};

/* Eight hex digits, as the agent prints it. */
static bool parse_crc(const char *text, struct part *p)
{
	char *end;

	p->crc = strtoul(text, &end, 16);
	return strlen(text) == 8 && !*end;
}

static bool parse(const struct kv_list *list, struct part *p)
{
	p->name = kv_get(list, "name", "");
	return *p->name && kv_get_u64(list, "size", &p->size) == 0 &&
	       kv_get_u64(list, "offset", &p->offset) == 0 && p->size <= INBOX_FILE_MAX &&
	       parse_crc(kv_get(list, "crc32", ""), p);
}

/* Parts come in order, as all messages do: the wire sees to that. */
static bool add(struct inbox *in, const struct part *p, const void *data, size_t size)
{
	if (p->offset == 0) {
		if (in->open)
			in->broken = true;
		in->open = true;
		snprintf(in->name, sizeof(in->name), "%s", p->name);
		in->size = p->size;
		buf_reset(&in->data);
	}
	if (!in->open || strcmp(in->name, p->name) != 0 || p->offset != in->data.size ||
	    size > in->size - in->data.size)
		return false;
	buf_append(&in->data, data, size);
	return true;
}

static bool complete(struct inbox *in, const struct part *p)
{
	if (in->data.size < in->size)
		return false;
	in->open = false;
	if (wire_crc32(0, buf_str(&in->data), in->data.size) != p->crc) {
		in->broken = true;
		return false;
	}
	return true;
}

bool inbox_take(struct inbox *in, const void *message, size_t size)
{
	struct kv_list list = { 0 };
	struct part p;
	bool whole = false;
	bool good;

	good = kv_parse(&list, message, size) == 0 && parse(&list, &p) &&
	       add(in, &p, (const char *)message + list.body, size - list.body);
	if (good)
		whole = complete(in, &p);
	else
		in->broken = true;
	kv_list_release(&list);
	return whole;
}

void inbox_reset(struct inbox *in)
{
	in->name[0] = '\0';
	in->size = 0;
	in->open = false;
	in->broken = false;
	buf_reset(&in->data);
}

void inbox_release(struct inbox *in)
{
	buf_release(&in->data);
}

bool inbox_whole(const struct inbox *in)
{
	return !in->broken && !in->open;
}
