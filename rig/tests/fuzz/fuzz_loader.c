// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer harness: what a bootloader printed, judged; texts of a lab file with placeholders. What
 * is judged as failed has a reason that is one printable line; a line is its own echo.
 */
#include "../../board/loader-text.c"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const char *text, size_t size, bool status)
{
	char why[200] = "";

	if (loader_judge(text, size, "Bytes transferred", status, why, sizeof(why)) && !why[0])
		abort();
	for (const char *p = why; *p; p++)
		if (!isprint((unsigned char)*p))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct loader_var vars[] = { { "addr", "0x1000" }, { "f", "" }, { 0 } };
	struct buf text = BUF_INIT, out = BUF_INIT;

	/* a copy of its exact size: reading over its end is found */
	buf_append(&text, data, size);
	judge(text.data ? text.data : "", size, false);
	judge(text.data ? text.data : "", size, true);
	if (loader_garbage(buf_str(&text), size) > 100)
		abort();
	loader_expand(buf_str(&text), vars, &out);
	if (!loader_echoed(buf_str(&out), out.size, buf_str(&out)) &&
	    !strpbrk(buf_str(&out), "\x01\x02\x03\x04\x05\x06\a\b\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13"
				    "\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"))
		abort();
	buf_release(&out);
	buf_release(&text);
	return 0;
}
