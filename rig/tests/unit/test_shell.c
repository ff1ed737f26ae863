// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent brought to a foreign system (shell.h): this host's own shell on a pseudo terminal,
 * behind a login of ours and with only those programs in its PATH that a test lets it have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <pty.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agents/wire.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/path.h"
#include "board/lab.h"
#include "io/console.h"
#include "job/dut.h"
#include "job/shell-text.h"
#include "job/shell.h"

#define LIMIT_MS 60000 /* sanitized, on a busy machine; nothing waits for it unless it fails */

static const struct dut_hooks no_hooks = { NULL, NULL, NULL, NULL };

/* The system's login; the shell's prompt is that of root at a bare console. */
static const char login_script[] =
	"printf 'board login: '; read n; printf 'Password: '; read p\n"
	"while [ \"$n/$p\" != root/secret ]; do echo 'Login incorrect'; "
	"printf 'board login: '; read n; printf 'Password: '; read p; done\n"
	"PS1='# ' exec /bin/sh -i\n";

/* What is started at the end: says so, and holds bytes of every sort behind that. */
static const char agent_head[] = "#!/bin/sh\necho agent=$((6 * 7)) \"$@\"\nexit\n";

struct system {
	char dir[64];
	char *agent, *bin;
	pid_t pid;
	struct console *console;
	struct dut *dut;
	struct buf said;
};

static void hear(void *ctx, const void *data, size_t size)
{
	buf_append(ctx, data, size);
}

static void give(const struct system *s, const char *programs)
{
	char *list = xstrdup(programs), *save, *p;

	for (p = strtok_r(list, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		char *from = xasprintf("/usr/bin/%s", p), *to = path_join(s->bin, p);

		assert_int_equal(symlink(from, to), 0);
		free(to);
		free(from);
	}
	free(list);
}

static void write_agent(const struct system *s)
{
	struct buf b = BUF_INIT;
	uint32_t x = 1;

	buf_adds(&b, agent_head);
	for (int i = 0; i < 3000; i++) {
		char c = (char)(x >> 16);

		buf_append(&b, &c, 1);
		x = x * 1103515245 + 12345;
	}
	assert_int_equal(path_write(s->agent, b.data, b.size), 0);
	buf_release(&b);
}

static void become_system(const struct system *s)
{
	setenv("PATH", s->bin, 1);
	unsetenv("ENV");
	execl("/bin/sh", "sh", "-c", login_script, (char *)NULL);
	_exit(127);
}

static void boot(struct system *s, const char *programs)
{
	int master;

	memset(s, 0, sizeof(*s));
	snprintf(s->dir, sizeof(s->dir), "/tmp/rig-shell-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	s->agent = path_join(s->dir, "agent-of-the-rig");
	s->bin = path_join(s->dir, "bin");
	assert_int_equal(mkdir(s->bin, 0755), 0);
	give(s, programs);
	write_agent(s);
	s->pid = forkpty(&master, NULL, NULL, NULL);
	assert_true(s->pid >= 0);
	if (!s->pid)
		become_system(s);
	s->console = console_new(master);
	s->dut = dut_new(s->console, &wire_link_console, -1, &no_hooks, NULL);
}

static void shut_down(struct system *s)
{
	const char *const argv[] = { "rm", "-rf", s->dir, NULL };
	pid_t pid;

	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
	dut_free(s->dut);
	console_free(s->console);
	buf_release(&s->said);
	pid = fork();
	if (!pid)
		_exit(execvp(argv[0], (char *const *)argv));
	waitpid(pid, NULL, 0);
	free(s->bin);
	free(s->agent);
}

static int start(struct system *s, const char *password, struct err *err)
{
	struct lab_agent how = { .start = LAB_AGENT_SHELL,
				 .login = "root",
				 .password = password,
				 .dir = s->dir,
				 .by = LAB_AGENT_BY_CONSOLE };

	return shell_start_agent(s->dut, NULL, &how, s->agent, deadline_in(LIMIT_MS), err);
}

/* It runs, and is the same to the last byte. */
static void expect_started(struct system *s)
{
	struct deadline limit = deadline_in(LIMIT_MS);
	char *arrived = path_join(s->dir, "rig-agent");
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct err err = ERR_INIT;

	dut_listen(s->dut, hear, &s->said);
	while (!strstr(buf_str(&s->said), "agent=42") && !deadline_passed(limit))
		if (dut_hear(s->dut, limit, &err) < 0)
			break;
	assert_non_null(strstr(buf_str(&s->said), "agent=42"));
	assert_int_equal(path_read(s->agent, &a, 1 << 20), 0);
	assert_int_equal(path_read(arrived, &b, 1 << 20), 0);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	buf_release(&b);
	buf_release(&a);
	free(arrived);
}

static void good(const char *programs)
{
	struct err err = ERR_INIT;
	struct system s;

	boot(&s, programs);
	if (start(&s, "secret", &err))
		fail_msg("with %s: %s", programs, err.message);
	expect_started(&s);
	shut_down(&s);
}

#define ALWAYS "rm mv cp wc chmod stty "

static void by_base64(void **state)
{
	(void)state;
	good(ALWAYS "base64 sha256sum gunzip gzip");
}

/* printf is the shell's own; nothing unpacks, and md5sum is all that checks. */
static void by_printf(void **state)
{
	(void)state;
	good(ALWAYS "md5sum");
}

static void refusals(void **state)
{
	struct err err = ERR_INIT;
	struct system s;

	(void)state;
	boot(&s, ALWAYS "base64");
	assert_int_equal(start(&s, "secret", &err), -1);
	assert_int_equal(err.blame, BLAME_BOARD);
	assert_string_equal(err.code, "shell-transfer");
	assert_non_null(strstr(err.message, "neither sha256sum nor md5sum"));
	shut_down(&s);

	boot(&s, ALWAYS "sha256sum");
	assert_int_equal(start(&s, NULL, &err), -1);
	assert_string_equal(err.code, "shell-login");
	assert_non_null(strstr(err.message, "Password:"));
	shut_down(&s);

	boot(&s, ALWAYS "sha256sum");
	assert_int_equal(start(&s, "wrong", &err), -1);
	assert_string_equal(err.code, "shell-login");
	assert_non_null(strstr(err.message, "again and again"));
	shut_down(&s);
}

static void answers(void **state)
{
	static const struct {
		const char *heard;
		bool found;
		int code;
	} rows[] = {
		{ "ls; echo \"@\"\"rig $?\"\r\n", false, 0 },
		{ "ls; echo \"@\"\"rig $?\"\r\nfile\r\n@rig 0\r\n# ", true, 0 },
		{ "@rig 0\r\n@rig 127\r\n", true, 127 },
		{ "@rig 1", false, 0 }, /* more digits may come */
		{ "@rig [  12.3] usb 1-1: new device\r\n0\r\n", false, 0 },
		{ "@rig 99999999999\r\n", false, 0 },
		{ "", false, 0 },
	};
	char word[8];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int code = 0;

		assert_int_equal(shell_answer(rows[i].heard, strlen(rows[i].heard), &code),
				 rows[i].found);
		assert_int_equal(code, rows[i].code);
	}
	assert_true(shell_word("echo \"<\"\"<$c>\"\">\"\r\n<<gzip>>\r\n", 30, word, sizeof(word)));
	assert_string_equal(word, "gzip");
	assert_false(shell_word("<<gzi", 5, word, sizeof(word)));
	assert_false(shell_word("<<too-long-a-word>>", 19, word, sizeof(word)));
}

static void encodings(void **state)
{
	struct buf b = BUF_INIT;

	(void)state;
	shell_base64(&b, "a", 1);
	shell_base64(&b, "ab", 2);
	shell_base64(&b, "\xff\0\x10", 3);
	assert_string_equal(buf_str(&b), "YQ==YWI=/wAQ");
	buf_reset(&b);
	shell_octal(&b,
		    "-a\0"
		    "7%\xff'\\",
		    8);
	assert_string_equal(buf_str(&b), "\\55a\\0\\67\\45\\377\\47\\134");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_base64), cmocka_unit_test(by_printf),
		cmocka_unit_test(refusals),  cmocka_unit_test(answers),
		cmocka_unit_test(encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
