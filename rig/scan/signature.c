// SPDX-License-Identifier: GPL-2.0-or-later
/* The identity of findings; see signature.h. Layer: scan. */
#include "scan/signature.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

#include "base/buf.h"

struct signature_entry {
	struct signature signature;
	bool asked;
};

static bool is_sample(enum klog_kind kind)
{
	return kind == KLOG_RCU || kind == KLOG_LOCKUP;
}

void signature_of(const struct klog_finding *f, struct signature *s)
{
	char *in;

	memset(s, 0, sizeof(*s));
	s->kind = f->kind;
	memcpy(s->title, f->title, sizeof(s->title));
	if (is_sample(f->kind)) {
		in = strstr(s->title, " in ");
		if (in)
			*in = '\0';
		return;
	}
	s->n_frames = f->n_frames < SIGNATURE_FRAMES ? f->n_frames : SIGNATURE_FRAMES;
	memcpy(s->frames, f->trace, s->n_frames * sizeof(s->frames[0]));
}

bool signature_same(const struct signature *a, const struct signature *b)
{
	unsigned int n = a->n_frames < b->n_frames ? a->n_frames : b->n_frames;

	if (a->kind != b->kind || strcmp(a->title, b->title) != 0)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (strcmp(a->frames[i], b->frames[i]) != 0)
			return false;
	return true;
}

/* FNV-1a, the NUL included, so that "a" "b" is not "ab" "". */
static uint64_t mix(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 1099511628211u;
	while (*text++);
	return hash;
}

void signature_id(const struct signature *s, char id[SIGNATURE_ID_SIZE])
{
	uint64_t hash = mix(14695981039346656037u, klog_kind_name(s->kind));

	hash = mix(hash, s->title);
	for (unsigned int i = 0; i < s->n_frames; i++)
		hash = mix(hash, s->frames[i]);
	snprintf(id, SIGNATURE_ID_SIZE, "%016" PRIx64, hash);
}

void signature_set_release(struct signature_set *set)
{
	free(set->entries);
	set->entries = NULL;
	set->n = 0;
}

static struct signature_entry *find(struct signature_set *set, const struct signature *s)
{
	for (size_t i = 0; i < set->n; i++)
		if (signature_same(&set->entries[i].signature, s))
			return &set->entries[i];
	return NULL;
}

void signature_learn(struct signature_set *set, const struct signature *s)
{
	if (set->n == SIGNATURE_SET_MAX || find(set, s))
		return;
	set->entries = xrealloc(set->entries, (set->n + 1) * sizeof(*set->entries));
	set->entries[set->n++] = (struct signature_entry){ *s, false };
}

enum signature_state signature_ask(struct signature_set *set, const struct signature *s)
{
	struct signature_entry *entry = find(set, s);

	if (!entry)
		return SIGNATURE_NEW;
	entry->asked = true;
	return SIGNATURE_KNOWN;
}

const struct signature *signature_gone(const struct signature_set *set, size_t *at)
{
	while (*at < set->n) {
		const struct signature_entry *entry = &set->entries[(*at)++];

		if (!entry->asked)
			return &entry->signature;
	}
	return NULL;
}

const char *signature_state_name(enum signature_state state)
{
	static const char *const names[] = { "new", "known", "gone" };

	return names[state];
}
