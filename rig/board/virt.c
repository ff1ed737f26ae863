// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Virtual boards: power is a QEMU process, its control QMP, the console a socket. Layer: board.
 *
 * Both sockets are pairs made before QEMU starts: there is no path that could be too long, left
 * over or not there yet, and every byte of the console waits in the socket until it is read. QMP
 * goes over QEMU's stdin and stdout.
 *
 *	rig-job                              qemu-system-...
 *	  console fd  <--- socketpair --->   -chardev socket,fd=N  (first serial port)
 *	  virt.qmp    <--- socketpair --->   -chardev stdio        (monitor)
 *	  virt.words  <--- memfd -------->   stderr, quoted when it dies
 *
 * QEMU starts stopped (-S): a bad command line is an error of power-on, not a silent board.
 */
#include "board/driver.h"
#include "board/lab.h"
#include "board/proc.h"
#include "board/virt.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "base/spawn.h"
#include "io/qmp.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* How long a QEMU whose sockets are closed may take to be gone. */
#define DYING_MS 2000

/* Between the closing of one of its descriptors and of the next. */
#define CLOSING_MS 200

struct virt {
	const struct virt_machine *machine;
	const struct lab_virt *lab;
	int accel;  /* enum lab_accel: as in the lab file until it is dropped */
	int cpu;    /* host CPU that is ours; -1 = any */
	int cpu_fd; /* holds the claim on it */
	char *kernel;
	char *initrd;
	char *cmdline;
	int console_fd; /* QEMU's end, until it has been started */
	int words_fd;
	pid_t pid; /* 0 = off */
	struct qmp *qmp;
};

void virt_arg(struct virt_args *a, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (a->n < VIRT_ARGS_MAX)
		a->v[a->n++] = xstrdup(text);
}

static void free_args(struct virt_args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
}

static void split_args(struct virt_args *a, const char *more)
{
	while (more && *more) {
		size_t n = strcspn(more, " \t\n");

		if (n)
			virt_arg(a, "%.*s", (int)n, more);
		more += n + strspn(more + n, " \t\n");
	}
}

static const char *program(const struct virt *v)
{
	return v->lab->qemu ? v->lab->qemu : v->machine->program;
}

/*
 * With the host's clock, IOPS of one boot and the next differed by 50 to 100 % on a host that does
 * something else as well, by a few per cent with a clock that counts instructions. sleep=on: a
 * guest that has nothing to execute waits in real time, as its peripherals do.
 */
static void accel_args(const struct virt *v, struct virt_args *a)
{
	virt_arg(a, "-accel");
	virt_arg(a, "%s", lab_accel_words[v->accel]);
	if (v->accel != LAB_ACCEL_TCG)
		return;
	virt_arg(a, "-icount");
	virt_arg(a, "shift=%u,sleep=on", v->machine->icount_shift);
}

static void build_args(struct board *b, struct virt_args *a)
{
	struct virt *v = b->priv;

	virt_arg(a, "%s", program(v));
	split_args(a, "-S -nodefaults -no-user-config -display none");
	/* a guest that resets stays on the console, one that powers off stays visible to QMP */
	split_args(a, "-action reboot=reset,shutdown=pause,panic=pause");
	split_args(a, "-chardev stdio,id=qmp,signal=off -mon chardev=qmp,mode=control");
	virt_arg(a, "-chardev");
	virt_arg(a, "socket,id=console,fd=%d", v->console_fd);
	split_args(a, "-serial chardev:console");
	accel_args(v, a);
	virt_arg(a, "-smp");
	virt_arg(a, "%ld", v->lab->cpus);
	virt_arg(a, "-m");
	virt_arg(a, "%ldM", v->lab->memory_mb);
	v->machine->devices(a, b->lab, b->state_path);
	virt_arg(a, "-kernel");
	virt_arg(a, "%s", v->kernel);
	virt_arg(a, "-initrd");
	virt_arg(a, "%s", v->initrd);
	virt_arg(a, "-append");
	virt_arg(a, "%s", v->cmdline);
	split_args(a, v->lab->qemu_args);
}

/* Is it there at all? A session that cannot power its board on had better not begin. */
static int find_program(const struct virt *v, struct err *err)
{
	if (path_can_run(program(v)))
		return 0;
	return err_set(err, BLAME_RIG, "no-qemu",
		       "%s is not installed (package %s); run 'make setup' or 'rig doctor'",
		       program(v), v->machine->package);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* An abstract socket name is free again the moment its owner is gone, and holds for all users. */
static int claim(int cpu)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int n = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, "rig-cpu-%d", cpu);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr,
			    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)))
		close_fd(&fd);
	return fd;
}

/*
 * All threads of QEMU on one CPU of the host: then its main loop, which serves the devices, runs
 * before the guest goes on, and an I/O is complete either always or never by the time the guest
 * looks. On several CPUs that is a race, and IOPS of two boots differ by up to 50 %; on one by 0.2
 * %. A guest whose clock counts instructions runs on one thread anyhow. When all CPUs are claimed
 * by other boards, any will do.
 */
static void claim_cpu(struct virt *v)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && v->cpu_fd < 0; cpu--) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		v->cpu_fd = claim(cpu);
		v->cpu = v->cpu_fd < 0 ? -1 : cpu;
	}
}

static int virt_init(struct board *b, struct err *err)
{
	struct virt *v = xcalloc(1, sizeof(*v));

	v->machine = b->row->data;
	v->lab = b->lab->own;
	v->accel = v->lab->accel;
	v->console_fd = -1;
	v->words_fd = -1;
	v->cpu = -1;
	v->cpu_fd = -1;
	claim_cpu(v);
	b->priv = v;
	return find_program(v, err) ? err_prefix(err, "%s", b->lab->name) : 0;
}

static void virt_release(struct board *b)
{
	struct virt *v = b->priv;

	close_fd(&v->console_fd);
	close_fd(&v->words_fd);
	close_fd(&v->cpu_fd);
	free(v->kernel);
	free(v->initrd);
	free(v->cmdline);
	free(v);
	b->priv = NULL;
}

static int replace(char **to, const char *path, struct err *err)
{
	if (access(path, R_OK) < 0)
		return err_sys(err, BLAME_RIG, "image", errno, "cannot read %s", path);
	free(*to);
	*to = xstrdup(path);
	return 0;
}

static int virt_deploy(struct board *b, const struct board_image *image, struct deadline d,
		       struct err *err)
{
	struct virt *v = b->priv;
	int rc;

	(void)d;
	if (replace(&v->kernel, image->kernel, err) || replace(&v->initrd, image->initrd, err))
		return -1;
	free(v->cmdline);
	v->cmdline = xasprintf("%s%s%s", b->row->cmdline, image->cmdline ? " " : "",
			       image->cmdline ? image->cmdline : "");
	rc = v->machine->prepare ? v->machine->prepare(b->lab, b->state_path) : 0;
	if (rc)
		return err_sys(err, BLAME_RIG, "disk-file", rc, "cannot create the disks of %s",
			       b->lab->name);
	return 0;
}

static int virt_console(struct board *b, int *fd, struct deadline d, struct err *err)
{
	struct virt *v = b->priv;
	int pair[2];

	(void)d;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, BLAME_RIG, "console", errno, "socketpair");
	close_fd(&v->console_fd);
	v->console_fd = pair[1];
	*fd = pair[0];
	return 0;
}

/* QEMU's last words, "" if it was silent. */
static void last_words(const struct virt *v, char *words, size_t size)
{
	off_t end = v->words_fd < 0 ? 0 : lseek(v->words_fd, 0, SEEK_END);
	off_t begin = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
	ssize_t n = end > 0 ? pread(v->words_fd, words, (size_t)(end - begin), begin) : 0;

	words[n > 0 ? n : 0] = '\0';
	for (char *p = words; *p; p++)
		if (*p == '\n')
			*p = p[1] ? '|' : '\0';
}

static void forget(struct board *b)
{
	struct virt *v = b->priv;

	qmp_free(v->qmp);
	v->qmp = NULL;
	v->pid = 0;
	unlink(b->state_path);
}

/* 0 while QEMU lives; else it has been reaped, and err tells how it ended. */
static int check_process(struct board *b, struct deadline d, struct err *err)
{
	struct virt *v = b->priv;
	char words[400];
	char how[64];
	int status;

	if (spawn_wait(v->pid, &status, d))
		return 0;
	last_words(v, words, sizeof(words));
	spawn_status_text(status, how, sizeof(how));
	forget(b);
	return err_set(err, BLAME_BOARD, "qemu-died", "QEMU ended by %s%s%s", how,
		       words[0] ? ": " : "", words);
}

static int virt_check(struct board *b, struct err *err)
{
	struct virt *v = b->priv;
	int rc;

	if (!v->pid)
		return err_set(err, BLAME_BOARD, "power-off", "the board is off");
	rc = qmp_execute(v->qmp, "query-status", NULL, NULL, deadline_in(DYING_MS));
	/* a closed monitor means that the process is gone, or will be; the console may close first
	 */
	if (check_process(b, deadline_in(rc ? DYING_MS : CLOSING_MS), err))
		return -1;
	if (rc == 0 || rc == -EINTR)
		return 0;
	return err_sys(err, BLAME_BOARD, "qemu-mute", rc, "QEMU lives, but its monitor does not");
}

/* A child inherits its parent's CPUs: so ours are narrowed while it is made. */
static pid_t spawn_on_cpu(const struct spawn *s, int cpu)
{
	cpu_set_t old;
	cpu_set_t one;
	pid_t pid;

	if (cpu < 0 || sched_getaffinity(0, sizeof(old), &old) < 0)
		return spawn_start(s);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pid = spawn_start(s);
	sched_setaffinity(0, sizeof(old), &old);
	return pid;
}

static pid_t start_process(struct board *b, int monitor_fd)
{
	struct virt *v = b->priv;
	struct virt_args a = { .n = 0 };
	struct spawn s = SPAWN_INIT;
	pid_t pid;

	build_args(b, &a);
	s.argv = (const char *const *)a.v;
	s.in = monitor_fd;
	s.out = monitor_fd;
	s.err = v->words_fd;
	s.pass_fd = v->console_fd;
	pid = spawn_on_cpu(&s, v->accel == LAB_ACCEL_TCG ? v->cpu : -1);
	free_args(&a);
	return pid;
}

static int start_qemu(struct board *b, struct err *err)
{
	struct virt *v = b->priv;
	int pair[2];
	pid_t pid;
	int rc;

	close_fd(&v->words_fd);
	v->words_fd = memfd_create("qemu-stderr", MFD_CLOEXEC);
	if (v->words_fd < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, BLAME_RIG, "qemu-start", errno, "memfd or socketpair");
	pid = start_process(b, pair[1]);
	close(pair[1]);
	close_fd(&v->console_fd);
	if (pid < 0) {
		close(pair[0]);
		return err_sys(err, BLAME_RIG, "qemu-start", (int)pid, "cannot run %s", program(v));
	}
	v->pid = pid;
	v->qmp = qmp_new(pair[0]);
	rc = proc_note(pid, b->state_path);
	if (rc == -ESRCH) /* it died at once: let the monitor say so */
		return 0;
	return rc ? err_sys(err, BLAME_RIG, "state-file", rc, "cannot write %s", b->state_path) : 0;
}

static int run_qemu(struct board *b, struct deadline d, struct err *err)
{
	struct virt *v = b->priv;
	int rc = qmp_greet(v->qmp, d);

	if (!rc)
		rc = qmp_execute(v->qmp, "cont", NULL, NULL, d);
	if (!rc)
		return 0;
	if (rc == -EINTR)
		return err_set(err, BLAME_USER, "cancelled", "cancelled");
	if (check_process(b, deadline_in(rc == -EPIPE ? DYING_MS : 0), err))
		return -1;
	return err_sys(err, BLAME_BOARD, "qemu-mute", rc, "QEMU's monitor does not answer%s%s",
		       *qmp_error(v->qmp) ? ": " : "", qmp_error(v->qmp));
}

static int virt_power_on(struct board *b, struct deadline d, struct err *err)
{
	struct virt *v = b->priv;

	assert(!v->pid && v->kernel && v->console_fd >= 0);
	if (start_qemu(b, err) || run_qemu(b, d, err)) {
		board_power_off(b, NULL);
		return -1;
	}
	return 0;
}

static int virt_power_off(struct board *b, struct deadline d, struct err *err)
{
	struct virt *v = b->priv;

	(void)d;
	(void)err;
	if (v->pid) {
		spawn_kill(v->pid, 0, NULL);
		forget(b);
	}
	return 0;
}

static int virt_make_safe(const char *state_path, struct deadline d, struct err *err)
{
	int rc = proc_kill_noted(state_path, d);

	return rc ? err_sys(err, BLAME_RIG, "unsafe", rc, "QEMU noted in %s", state_path) : 0;
}

/* Some hosts have a /dev/kvm that opens, and guests that then hang at their first instruction. */
static bool virt_fallback(struct board *b, const char **what)
{
	struct virt *v = b->priv;

	if (v->accel == LAB_ACCEL_TCG)
		return false;
	v->accel = LAB_ACCEL_TCG;
	*what = "accel: kvm shows no sign of life on this host; going on with tcg";
	return true;
}

/*
 * QEMU chose the port, as several boards may run on one host. "info usernet" is for people:
 *	TCP[HOST_FORWARD]  12       127.0.0.1 40123       10.0.2.15    80     0     0
 */
static bool find_forward(const char *table, char *text, size_t size)
{
	const char *row = table ? strstr(table, "TCP[HOST_FORWARD]") : NULL;
	char address[40], port[8];

	if (!row || sscanf(row, "%*s %*s %39s %7s", address, port) != 2 ||
	    port[strspn(port, "0123456789")])
		return false;
	snprintf(text, size, "%s:%s", address, port);
	return true;
}

static int virt_address(struct board *b, char *text, size_t size, struct deadline d,
			struct err *err)
{
	struct virt *v = b->priv;
	json_t *answer = NULL;
	int rc = v->qmp ? qmp_execute(v->qmp, "human-monitor-command",
				      json_pack("{s:s}", "command-line", "info usernet"), &answer,
				      d)
			: -ENOTCONN;
	bool found = !rc && find_forward(json_string_value(answer), text, size);

	json_decref(answer);
	if (rc)
		return err_sys(err, BLAME_BOARD, "qemu-mute", rc, "QEMU's monitor");
	return found ? 0 : err_set(err, BLAME_USER, "no-address", "it has no network port");
}

const struct board_ops virt_ops = {
	.init = virt_init,
	.release = virt_release,
	.deploy = virt_deploy,
	.console = virt_console,
	.power_on = virt_power_on,
	.power_off = virt_power_off,
	.make_safe = virt_make_safe,
	.check = virt_check,
	.fallback = virt_fallback,
	.address = virt_address,
};
