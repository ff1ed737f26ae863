// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of generic.h. Layer: scan. */
#include "scan/generic.h"

#include <string.h>

/* clang-format off */
const char *const generic_funcs[] = {
	/* says that something is wrong */
	"dump_stack*", "__dump_stack*", "show_stack*", "dump_backtrace*", "show_regs*", "print_*",
	"show_trace*", "__warn*", "warn_slowpath*", "warn_bogus*", "report_bug*", "fixup_bug*",
	"handle_bug*", "call_break_hook*", "brk_handler*", "bug_handler*", "panic", "panic_*",
	"vpanic", "check_panic*", "nmi_panic*", "add_taint*", "bust_spinlocks*", "object_err*",
	"slab_err*", "slab_pad*", "free_debug*", "alloc_debug*", "ubsan_*", "__ubsan_*",
	"*fortify_report", "fortify_panic*", "usercopy_*", "__check_object_size*",
	"__check_heap_object*", "check_stack_object*", "__stack_chk_fail*", "skb_panic*",
	"skb_over_panic*", "skb_under_panic*", "should_fail*", "sysfs_warn_dup*", "fail_dump*",
	"dump_header*", "dump_cpu_task*", "*sched_show_task*", "rust_helper_BUG*",
	"rust_begin_unwind*", "*panic_fmt*", "*panicking*", "__reiserfs_panic*", "debug_*",
	"__debug_*", "check_preemption*", "__this_cpu_preempt_check*", "check_*",
	/* sanitizers */
	"*kasan_*", "__asan_*", "*hwasan_*", "kfence_*", "__kfence_*", "kmsan_*", "__msan_*",
	"*msan_*", "kcsan_*", "__tsan_*", "*__sanitizer_*", "check_memory_region*", "kcov_*",
	/* trap and interrupt entry */
	"do_trap*", "do_tr", "do_bp", "do_ade", "do_error_trap*", "do_invalid_op*", "invalid_op*",
	"exc_*", "asm_*", "error_entry*", "do_mem_abort*", "do_page_fault*", "page_fault*",
	"*do_kernel_fault*", "die", "die_*", "__die*", "oops_*", "*bad_area*",
	"do_translation_fault*", "do_bad_area*", "do_DataAbort*", "do_user_addr_fault*",
	"handle_page_fault*", "do_undefinstr*", "do_undef*", "el1_*", "el1h_*", "el0_*", "el0t_*",
	"do_el0*", "ret_from_*", "ret_to_*", "entry_*", "do_syscall*", "syscall_*",
	"*invoke_syscall*", "spurious_*", "general_protection*", "double_fault*", "*sysvec*",
	"apic_timer*", "smp_apic*", "local_apic*", "irq_enter*", "irq_exit*", "__irq_exit*",
	"irq_work_*", "generic_handle*", "handle_irq*", "handle_percpu*", "handle_domain*",
	"handle_edge*", "handle_fasteoi*", "gic_handle*", "do_softirq*", "__do_softirq*",
	"*_do_softirq", "handle_softirqs*", "invoke_softirq*", "*common_interrupt*", "do_IRQ*",
	"ret_fast*", "plat_irq_dispatch*", "__handle_domain*",
	/* clocks and watchdogs that look at others */
	"nmi_*", "arch_trigger*", "trigger_*", "rcu_*", "__rcu_*", "rcutree_*", "perf_event_nmi*",
	"update_process_times*", "tick_*", "__hrtimer*", "__run_hrtimer*", "hrtimer_*",
	"watchdog*", "timer_interrupt*", "arch_timer*", "timer_handler*", "*synchronize_rcu*",
	/* unwinding */
	"stack_trace_*", "save_stack*", "unwind_*", "__unwind_*", "walk_stack*",
	"arch_stack_walk*", "stack_depot*", "__read_once*", "get_stack_info*",
	/* lockdep and locks */
	"lockdep_*", "*lock_acquire*", "lock_release*", "*mark_lock*", "validate_chain*",
	"valid_state*", "register_lock*", "assign_lock_key*", "look_up_lock*", "reacquire_held*",
	"lock_is_held*", "look_up_lock_class*", "trace_hardirqs*", "trace_softirqs*",
	"*mutex_lock*", "*mutex_unlock*", "mutex_spin*", "mutex_optimistic*", "_raw_*", "__raw_*",
	"do_raw_*", "spin_*", "_spin_*", "*queued_spin*", "*queued_read*", "*queued_write*",
	"*pv_wait*", "kvm_wait", "kvm_kick*", "down_read*", "down_write*", "down_trylock*",
	"down_interrupt*", "up_read*", "up_write*", "percpu_down*", "percpu_up*", "rwsem_*",
	"__down_*", "__up_*", "_down_*", "rtmutex_*", "__rt_*", "rt_mutex_*", "rt_spin_*",
	"ldsem_*", "read_lock*", "write_lock*", "lock_sock*", "__lock_sock*", "lock_page*",
	"__lock_page*", "folio_lock*", "__folio_lock*", "lock_timer*", "*seqprop*", "seqcount_*",
	"__lock_task*", "lock_task*", "arch_spin*", "arch_read*", "arch_write*", "rtnl_lock*",
	"perf_trace_*", "trace_event_*", "__bpf_trace_*", "__traceiter_*",
	/* sleeping and waking */
	"*schedule", "schedule_*", "context_switch*", "io_schedule*", "preempt_schedule*",
	"*cond_resched*", "__switch_to*", "*might_sleep*", "might_*", "__might_*", "___might_*",
	"wait_on_*", "__wait_on_*", "*wait_for_common*", "wait_for_completion*", "__wait_for_*",
	"do_wait_for_*", "bit_wait*", "*wake_up*", "out_of_line_wait*", "finish_wait*",
	"remove_wait_queue*", "prepare_to_wait*", "add_wait_queue*", "__flush_work*",
	"flush_work*", "__cancel_work*", "cancel_work*", "*queue_work*", "*queue_delayed*",
	"try_to_grab*", "drain_workqueue*", "flush_workqueue*", "__flush_workqueue*",
	"kthread_stop*", "work_is_static*", "mod_timer*", "__mod_timer*", "del_timer*",
	"timer_delete*", "detach_if_pending*", "csd_lock*", "smp_call_function*", "on_each_cpu*",
	"delay_tsc*", "__delay*", "__const_udelay*", "cpu_relax*",
	/* memory */
	"kmalloc*", "__kmalloc*", "__do_kmalloc*", "kzalloc*", "kvmalloc*", "kvzalloc*",
	"vmalloc*", "__vmalloc*", "kcalloc*", "krealloc*", "kmemdup*", "kstrdup*", "kmem_cache*",
	"slab_*", "__slab_*", "___slab_*", "new_slab*", "allocate_slab*", "*alloc_pages*",
	"get_page_from*", "__alloc_frozen*", "alloc_page*", "warn_alloc*", "folio_alloc*",
	"vma_alloc*", "kfree*", "__kfree*", "kvfree*", "vfree*", "__vunmap*", "vunmap*",
	"free_large*", "mempool_*", "free_percpu*", "__free_slab*", "do_slab*", "cache_free*",
	"*_cache_free", "prep_new_page*", "post_alloc_hook*", "free_pcp*", "free_unref*",
	"free_pages*", "__free_pages*", "bad_page*", "*page_owner*", "pcpu_alloc*",
	"out_of_memory*", "oom_kill*", "cleanup_srcu*", "__phys_addr*", "__virt_addr*",
	"kernel_init_free*", "kernel_init_pages*",
	/* strings, copies, bits, lists, counters */
	"memcpy*", "__memcpy*", "memset*", "__memset*", "memmove*", "__memmove*", "memcmp*",
	"memchr*", "__pi_mem*", "__arch_mem*", "strlen*", "strcmp*", "strncmp*", "strcpy*",
	"strlcpy*", "strncpy*", "strscpy*", "*strscpy", "strchr*", "strstr*", "strnstr*",
	"strnlen*", "strcasecmp*", "string", "string_nocheck", "number", "pointer", "vsnprintf*",
	"snprintf*", "scnprintf*", "sprintf*", "kasprintf*", "kvasprintf*", "vscnprintf*",
	"*printk*", "va_format*", "console_*", "hex_dump_to_buffer*", "__console_*",
	"serial8250_*", "io_serial_*", "mem_serial_*", "wait_for_xmitr*", "univ8250*",
	"vprintk_*", "dev_vprintk*", "*copy_from_user*", "*copy_to_user*", "*copy_user*",
	"copyin*", "copyout*", "__put_user*", "put_user*", "clear_user*", "*copy_to_iter*",
	"*copy_from_iter*", "iov_iter_*", "instrument_*", "test_bit*", "*test_and_*", "set_bit*",
	"clear_bit*", "constant_test_bit*", "arch_test_bit*", "find_first*", "find_next*",
	"_find_*", "atomic64_*", "atomic_*", "arch_atomic*", "raw_atomic*", "refcount_*",
	"__refcount_*", "kref_*", "kobject_add_internal*", "kobject_add_varg*",
	"kobject_init_and_add*", "list_*", "__list_*", "hlist_*", "rb_erase*", "rb_insert*",
	"rb_next*", "rb_first*", "__hlist_*", "radix_tree*", "__radix_*", "xas_*", "xa_*",
	"__xa_*", "idr_*", "csum_partial*", "crc16*", "crc32*", "crc_*", "aes_encrypt*", "fput",
	"skb_put*", "skb_pull*", "skb_push*", "skb_set_owner*", "proc_register*", "drop_nlink*",
	"usb_submit_urb*", "usb_alloc_urb*", "usb_kill_urb*", "fast_dput*", "virt_spin*",
	"lockref_*", "native_*", "pv_*", "paravirt_*", "cpu_startup*", "arch_static*",
	"static_key*", "jump_label*", "*indirect_thunk*", "*sched_clock*", "ktime_get*",
	"preempt_count*", "__preempt*", "trace_preempt*", "*kernel_text_address*", "*bpf_text*",
	"bpf_prog_kallsyms*", "*save_stack*", "qlink_*", "qlist_*", "retint*", "smp_trace_*",
	"__irq_svc", "__dabt_svc", "pvclock*", "create_object*", "osq_lock*", "read_word_at*",
	"hex_string*", "usb_start_wait*", "timer_is_static*", "finish_task_switch*",
	"quarantine_*", "proc_create*", "rt_read_*", "rt_write_*", "rtlock_*", "*cmpwait*",
	/* where every thread begins */
	"kthread", "worker_thread*", "process_one_work*", "process_scheduled*", "task_work_run*",
	"secondary_start*", "start_secondary*", "rest_init*", "start_kernel*", "x86_64_start*",
	"kernel_init", "kernel_init_freeable*", "do_one_initcall*", "kernel_thread*",
};
const size_t generic_funcs_n = sizeof(generic_funcs) / sizeof(generic_funcs[0]);

const char *const generic_files[] = {
	"*.h", "*.S", "lib/*", "rust/*", "mm/kasan/*", "mm/kmsan/*", "mm/kfence/*", "mm/slab*",
	"mm/slub.c", "mm/usercopy.c", "mm/util.c", "mm/vmalloc.c", "mm/percpu*",
	"mm/page_alloc.c", "mm/page_owner.c", "mm/page_poison.c", "mm/mempool.c",
	"mm/mempolicy.c", "mm/memory.c", "mm/maccess.c", "mm/kmemleak.c", "mm/debug*",
	"mm/filemap.c", "mm/truncate.c", "mm/failslab.c", "mm/fail_page_alloc.c", "mm/dmapool*",
	"mm/readahead.c", "kernel/rcu/*", "kernel/locking/*", "kernel/sched/*", "kernel/time/*",
	"kernel/printk/*", "kernel/kcsan/*", "kernel/dma/*", "kernel/panic.c", "kernel/softirq.c",
	"kernel/kthread.c", "kernel/workqueue.c", "kernel/kcov.c", "kernel/stacktrace.c",
	"kernel/watchdog*", "kernel/hung_task.c", "kernel/task_work.c", "kernel/entry/*",
	"kernel/irq/*", "kernel/irq_work.c", "kernel/fork.c", "kernel/trace/*", "kernel/events/*",
	"kernel/lockdep.c", "kernel/mutex.c", "kernel/softlockup.c", "kernel/nmi.c",
	"arch/*/kernel/traps.c", "arch/*/kernel/unwind*", "arch/*/kernel/stacktrace.c",
	"arch/*/kernel/dumpstack*", "arch/*/kernel/irq*", "arch/*/kernel/entry*",
	"arch/*/kernel/smp*", "arch/*/kernel/debug-monitors.c", "arch/*/kernel/process*",
	"arch/*/kernel/paravirt.c", "arch/*/kernel/kvm.c", "arch/*/kernel/nmi.c",
	"arch/*/kernel/apic/*", "arch/*/kernel/syscall.c", "arch/*/kernel/tsc.c",
	"arch/*/kernel/time.c", "arch/*/entry/*", "arch/*/mm/*", "arch/*/lib/*",
	"arch/*/crypto/*", "fs/buffer.c", "fs/proc/generic.c", "fs/file_table.c",
	"fs/read_write.c", "fs/ioctl.c", "fs/seq_file.c", "fs/sysfs/*", "net/core/dev.c",
	"net/core/sock.c", "net/core/skbuff.c", "net/core/datagram.c", "net/core/stream.c",
	"net/core/rtnetlink.c", "net/netlink/*", "net/socket.c", "drivers/usb/core/urb.c",
	"drivers/base/firmware_loader/*", "drivers/base/core.c", "drivers/base/dd.c",
	"drivers/clocksource/*", "drivers/irqchip/*", "drivers/base/bus.c",
	"drivers/tty/serial/8250/*", "security/security.c", "init/main.c",
};
/* clang-format on */
const size_t generic_files_n = sizeof(generic_files) / sizeof(generic_files[0]);

/* Words between stars; enough for the tables above. */
static bool glob(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');
	size_t n = star ? (size_t)(star - pattern) : strlen(pattern);

	if (strncmp(pattern, text, n) != 0)
		return false;
	if (!star)
		return text[n] == '\0';
	if (!star[1])
		return true;
	for (text += n; *text; text++)
		if (glob(star + 1, text))
			return true;
	return false;
}

static bool in_table(const char *const *table, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if ((*table[i] == *text || *table[i] == '*') && glob(table[i], text))
			return true;
	return false;
}

bool generic_func(const char *func)
{
	return in_table(generic_funcs, generic_funcs_n, func);
}

bool generic_file(const char *file)
{
	return in_table(generic_files, generic_files_n, file);
}
