/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of call traces and source files named in messages, in the styles of kernels from 3.x on
 * and of the tools that decode them. Layer: scan -> libc.
 *
 *	 dump_stack+0x12/0x34                          arm64, x86, riscv
 *	 ? dump_stack+0x12/0x34                        a guess of the unwinder
 *	 [<ffffffff81051234>] dump_stack+0x12/0x34     before 4.x; kmemleak
 *	[<8010a1c8>] (dump_stack) from [<8010a1b0>] (show+0x1/0x2)    arm
 *	 dump_stack from show+0x1/0x2                  arm since 5.18
 *	 dump_stack+0x12/0x34 lib/dump_stack.c:52      decoded by syzkaller
 *	 __dump_stack lib/dump_stack.c:16 [inline]
 *	 dump_stack (lib/dump_stack.c:52)              decoded by decode_stacktrace.sh
 */
#ifndef RIG_SCAN_TRACE_H
#define RIG_SCAN_TRACE_H

#include <stdbool.h>
#include <stddef.h>

/* Points into the parsed text; nothing is NUL-terminated. */
struct frame {
	const char *func;
	size_t func_n; /* without ".isra.0" and its kin */
	bool sure;     /* not marked with '?' */
};

/* False when the text is no frame. */
bool frame_parse(const char *text, size_t n, struct frame *f);

/* A function, then its place: "foo+0x1/0x2", "foo a/b.c:12 [inline]", "foo (a/b.c:12)". */
bool frame_parse_place(const char *text, size_t n, struct frame *f);

/*
 * The first source file of the text ("at drivers/a/b.c:12", "b.rs:3:5") as a path inside the
 * kernel tree: "./" and a build directory before it are cut. NUL-terminated; false when there is
 * none, or when it does not fit.
 */
bool source_in(const char *text, size_t n, char *out, size_t size);

#endif
