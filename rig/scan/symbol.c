// SPDX-License-Identifier: GPL-2.0-or-later
/* Function names and comparable texts; see symbol.h. Layer: scan. */
#include "scan/symbol.h"

#include <ctype.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

static const char *find(const char *text, size_t n, const char *word)
{
	return memmem(text, n, word, strlen(word));
}

/* Cuts ".isra.0" and its kin. */
static size_t cut_suffix(const char *name, size_t n)
{
	const char *dot = memchr(name + (n > 0), '.', n - (n > 0));

	return dot ? (size_t)(dot - name) : n;
}

static bool take_name(const char *text, const char *end, char *out, size_t size)
{
	const char *begin = end;
	size_t n;

	while (begin > text && is_name_char(begin[-1]))
		begin--;
	n = cut_suffix(begin, (size_t)(end - begin));
	if (!n || isdigit((unsigned char)*begin) || *begin == '.')
		return false;
	if (n >= size)
		n = size - 1;
	memcpy(out, begin, n);
	out[n] = '\0';
	return true;
}

bool symbol_in(const char *text, size_t n, char *out, size_t size)
{
	static const char *const marks[] = { "+0x", "()" };

	for (size_t i = 0; i < COUNT(marks); i++) {
		const char *p = text;

		while ((p = find(p, n - (size_t)(p - text), marks[i]))) {
			if (take_name(text, p, out, size))
				return true;
			p++;
		}
	}
	return false;
}

bool symbol_is_pc_line(const char *text, size_t n)
{
	static const char *const marks[] = {
		"RIP: ",  "RIP  ",    "EIP: ", "EIP is at ",  "pc : ", "PC is at ", "pc is at ",
		"epc : ", "epc   : ", "NIP [", "Krnl PSW : ", "ECR: ", "rip: "
	};

	for (size_t i = 0; i < COUNT(marks); i++)
		if (find(text, n, marks[i]))
			return true;
	return false;
}

bool symbol_is_frame(const char *text, size_t n)
{
	size_t i = 0;

	while (i < n && text[i] == ' ')
		i++;
	if (i + 2 < n && text[i] == '[' && text[i + 1] == '<') {
		const char *close = memchr(text + i, ']', n - i);

		i = close ? (size_t)(close + 1 - text) : n;
		while (i < n && text[i] == ' ')
			i++;
	}
	if (i >= n || text[i] == '?' || (!isalpha((unsigned char)text[i]) && text[i] != '_'))
		return false;
	while (i < n && is_name_char(text[i]))
		i++;
	return n - i > 3 && !memcmp(text + i, "+0x", 3);
}

bool symbol_is_noise(const char *func)
{
	/* A '*' at the end stands for anything. */
	static const char *const noise[] = {
		"dump_stack*",
		"__dump_stack",
		"show_stack*",
		"dump_backtrace*",
		"show_regs*",
		"print_*",
		"lockdep_*",
		"debug_*",
		"check_*",
		"mark_lock*",
		"__lock_acquire*",
		"lock_acquire*",
		"lock_release*",
		"validate_chain*",
		"valid_state*",
		"register_lock*",
		"assign_lock_key*",
		"__warn*",
		"warn_slowpath*",
		"report_bug*",
		"fixup_bug*",
		"do_error_trap*",
		"do_invalid_op*",
		"invalid_op*",
		"exc_*",
		"asm_*",
		"handle_bug*",
		"panic",
		"kasan_*",
		"__kasan_*",
		"__asan_*",
		"check_memory_region*",
		"memcpy*",
		"__memcpy*",
		"memset*",
		"__memset*",
		"kfence_*",
		"kmsan_*",
		"__msan_*",
		"kcsan_*",
		"__tsan_*",
		"__ubsan_*",
		"ubsan_*",
		"refcount_*",
		"__refcount_*",
		"__list_*",
		"list_*",
		"rcu_*",
		"sched_show_task*",
		"__schedule*",
		"schedule*",
		"context_switch*",
		"io_schedule*",
		"preempt_schedule*",
		"__cond_resched*",
		"_cond_resched*",
		"__might_*",
		"___might_*",
		"might_*",
		"mutex_lock*",
		"__mutex_lock*",
		"_raw_*",
		"__raw_*",
		"do_raw_*",
		"spin_*",
		"_spin_*",
		"queued_spin*",
		"native_queued*",
		"down_read*",
		"down_write*",
		"rwsem_*",
		"__down_*",
		"wait_for_common*",
		"wait_for_completion*",
		"__wait_for_common*",
		"do_wait_for_common*",
		"bit_wait*",
		"__wait_on_bit*",
		"wait_on_bit*",
		"out_of_line_wait*",
		"nmi_*",
		"arch_trigger*",
		"trigger_*",
		"rcutree_*",
		"perf_event_nmi*",
		"update_process_times*",
		"tick_*",
		"__hrtimer_*",
		"hrtimer_*",
		"apic_timer*",
		"smp_apic*",
		"__sysvec*",
		"sysvec*",
		"local_apic*",
		"irq_exit*",
		"__irq_exit*",
		"do_softirq*",
		"__do_softirq*",
		"handle_softirqs*",
		"invoke_softirq*",
		"el1_*",
		"el1h_*",
		"el0_*",
		"el0t_*",
		"ret_from_*",
		"entry_*",
		"do_mem_abort*",
		"do_page_fault*",
		"page_fault*",
		"die*",
		"oops_*",
		"__die*",
		"__stack_chk_fail*",
		"stack_trace_*",
		"save_stack*",
		"unwind_*",
		"walk_*",
		"object_err*",
		"slab_err*",
		"slab_pad*",
		"free_debug*",
		"alloc_debug*",
		"out_of_memory*",
		"oom_kill*",
		"dump_header*",
		"warn_alloc*",
		"__alloc_pages*",
		"alloc_pages*",
		"watchdog*",
		"add_taint*",
		"bust_spinlocks*",
		"irq_work_*",
		"generic_handle*",
		"handle_*",
		"__handle_*",
		"__rcu_*",
		"should_fail*",
		"fail_dump*",
		"kobject_add_internal*",
		"delay_tsc",
		"__delay*",
		"__const_udelay*",
	};
	size_t n;

	for (size_t i = 0; i < COUNT(noise); i++) {
		n = strlen(noise[i]);
		if (noise[i][n - 1] == '*' ? !strncmp(func, noise[i], n - 1)
					   : !strcmp(func, noise[i]))
			return true;
	}
	return false;
}

/* Output with a limit. */
struct sink {
	char *at, *end;
};

static void sink_put(struct sink *s, char c)
{
	if (s->at < s->end)
		*s->at++ = c;
	*s->at = '\0';
}

static void sink_puts(struct sink *s, const char *word)
{
	while (*word)
		sink_put(s, *word++);
}

/* Length of a hexadecimal address or number at p: 0x..., or at least 8 hex digits. */
static size_t hex_length(const char *p, size_t n)
{
	size_t prefix = n > 2 && p[0] == '0' && p[1] == 'x' ? 2 : 0;
	size_t i = prefix;

	while (i < n && isxdigit((unsigned char)p[i]))
		i++;
	if (i < n && is_name_char(p[i]) && p[i] != '.')
		return 0;
	return i >= (prefix ? 3 : 8) ? i : 0;
}

/* A word that begins with a digit counts as a number: "8bb9", "4k". */
static size_t digits_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (i ? isalnum((unsigned char)p[i]) : isdigit((unsigned char)p[i])))
		i++;
	return i;
}

static size_t offset_length(const char *p, size_t n)
{
	size_t i = 3;

	if (n < 4 || memcmp(p, "+0x", 3) != 0)
		return 0;
	while (i < n && (isxdigit((unsigned char)p[i]) || p[i] == '/' || p[i] == 'x'))
		i++;
	return i;
}

void symbol_normalise(const char *text, size_t n, char *out, size_t size)
{
	struct sink s = { out + strlen(out), out + size - 1 };
	char before = s.at > out ? s.at[-1] : ' ';

	for (size_t i = 0; i < n;) {
		bool in_word = isalnum((unsigned char)before) || before == '_';
		size_t hex = in_word ? 0 : hex_length(text + i, n - i);
		size_t digits = in_word ? 0 : digits_length(text + i, n - i);
		size_t skip = hex ? hex : digits;

		if (skip) {
			sink_puts(&s, hex ? "ADDR" : "NUM");
			before = 'x';
			i += skip;
			continue;
		}
		skip = offset_length(text + i, n - i);
		if (skip) {
			i += skip;
			continue;
		}
		if (text[i] > ' ' && text[i] < 0x7f)
			sink_put(&s, text[i]);
		else if (text[i] == ' ' && before != ' ')
			sink_put(&s, ' ');
		before = text[i++];
	}
	while (s.at > out && s.at[-1] == ' ')
		*--s.at = '\0';
}
