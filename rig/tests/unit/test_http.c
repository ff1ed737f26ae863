// SPDX-License-Identifier: GPL-2.0-or-later
/* http.h against a server of ours that answers once with given bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/http.h"

#define LIMIT_MS 20000 /* nothing waits for it unless it fails */

struct server {
	pid_t pid;
	char url[64];
};

/* Takes one connection, reads the request, says this and closes; NULL: says nothing, for ever. */
static void serve(int fd, const char *answer)
{
	char request[2048];
	int con = accept(fd, NULL, NULL);

	if (con < 0 || read(con, request, sizeof(request)) <= 0)
		_exit(1);
	if (!answer)
		pause();
	if (write(con, answer, strlen(answer)) < 0)
		_exit(1);
	_exit(close(con) != 0);
}

static struct server start(const char *answer)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct server s;

	assert_int_equal(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &size), 0);
	snprintf(s.url, sizeof(s.url), "http://127.0.0.1:%u/", ntohs(in.sin_port));
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (!s.pid)
		serve(fd, answer);
	close(fd);
	return s;
}

static void stop(struct server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

static int get(const char *answer, struct http_page *page, unsigned int limit_ms)
{
	struct server s = start(answer);
	int rc = http_get(s.url, deadline_in(limit_ms), page);

	stop(&s);
	return rc;
}

static void pages(void **state)
{
	struct http_page page = HTTP_PAGE_INIT;

	(void)state;
	assert_int_equal(get("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", &page, LIMIT_MS),
			 0);
	assert_int_equal(page.status, 200);
	assert_int_equal(page.body.size, 5);
	assert_memory_equal(page.body.data, "hello", 5);
	assert_true(page.duration_ns > 0);
	/* the next one does not begin with what was there before */
	assert_int_equal(get("HTTP/1.0 404 Not Found\r\n\r\nno", &page, LIMIT_MS), 0);
	assert_int_equal(page.status, 404);
	assert_int_equal(page.body.size, 2);
	http_page_release(&page);
}

static void failures(void **state)
{
	struct http_page page = HTTP_PAGE_INIT;
	struct server s = start("");

	(void)state;
	assert_int_equal(get("HTTP/1.0 200 OK\r\nContent-Length: 50\r\n\r\nhello", &page, LIMIT_MS),
			 -EPROTO);
	assert_int_equal(get("", &page, LIMIT_MS), -EPROTO);
	assert_int_equal(get(NULL, &page, 100), -ETIMEDOUT);
	assert_int_equal(http_get("ftp://127.0.0.1/x", deadline_in(LIMIT_MS), &page), -EPROTO);
	assert_int_equal(http_get("http://[/", deadline_in(LIMIT_MS), &page), -EINVAL);
	/* nobody listens there any more */
	stop(&s);
	assert_int_equal(http_get(s.url, deadline_in(LIMIT_MS), &page), -ECONNREFUSED);
	http_page_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
