// SPDX-License-Identifier: GPL-2.0-or-later
/* Text offsets to stream offsets; see textmap.h. Layer: job. */
#include "job/textmap.h"
#include "base/buf.h"

#include <stdlib.h>

static uint64_t predict(const struct textmap *m, uint64_t text)
{
	const struct textmap_mark *last = &m->marks[m->n - 1];

	return last->stream + (text - last->text);
}

static void add_mark(struct textmap *m, uint64_t stream)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 16;
		m->marks = xrealloc(m->marks, m->cap * sizeof(*m->marks));
	}
	m->marks[m->n].text = m->text;
	m->marks[m->n].stream = stream;
	m->n++;
}

void textmap_add(struct textmap *m, uint64_t stream, size_t size)
{
	if (!m->n || predict(m, m->text) < stream)
		add_mark(m, stream);
	m->text += size;
}

uint64_t textmap_find(const struct textmap *m, uint64_t text)
{
	size_t low = 0;
	size_t high = m->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (m->marks[mid].text <= text)
			low = mid;
		else
			high = mid;
	}
	return m->n ? m->marks[low].stream + (text - m->marks[low].text) : 0;
}

void textmap_release(struct textmap *m)
{
	free(m->marks);
	m->marks = NULL;
	m->n = m->cap = 0;
}
