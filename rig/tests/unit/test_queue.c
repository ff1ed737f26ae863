// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon's memory in the store: what comes next, what may change, and that it is written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "results/store-queue.h"
#include "results/store.h"

static char dir[64];
static struct store *st;
static struct err err;

static const struct store_actor alice = { "alice", 1000, 1000000 };
static const struct store_actor self = { "rigd", -1, 2000000 };

static int set_up(void **state)
{
	char *path;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/rig-queue.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	path = path_join(dir, "results.db");
	err = (struct err)ERR_INIT;
	st = store_open(path, &err);
	free(path);
	return st && !store_make_durable(st, &err) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	store_close(st);
	return path_remove(dir);
}

static int64_t add(const char *board, const char *type, int64_t priority, int64_t deadline,
		   const char *identity)
{
	const struct store_job job = { .board = board,
				       .type = type,
				       .priority = priority,
				       .deadline_ms = deadline,
				       .title = "a title",
				       .identity = identity,
				       .plan = "{}" };
	int64_t id = 0;

	if (store_job_add(st, &alice, &job, &id, &err))
		fail_msg("%s", err.message);
	return id;
}

static int64_t next(const char *board, const char *type)
{
	int64_t id = -1;

	assert_int_equal(store_job_next(st, board, type, &id, &err), 0);
	return id;
}

static void move(int64_t id, const char *from, const char *to, const char *verdict)
{
	const struct store_job_change change = { .verdict = verdict };

	if (store_job_move(st, &self, id, from, to, &change, &err))
		fail_msg("%s", err.message);
}

static bool count_row(void *ctx, const struct store_audit *a)
{
	(void)a;
	(*(int *)ctx)++;
	return true;
}

static int audits(const char *object)
{
	const struct store_audit_filter f = { .object = object };
	int n = 0;

	assert_int_equal(store_audit_list(st, &f, count_row, &n, &err), 0);
	return n;
}

static void order(void **state)
{
	int64_t any_low = add("", "virt-ufs", 0, 0, "");
	int64_t mine = add("b1", "virt-ufs", 0, 0, "");
	int64_t other = add("b2", "virt-ufs", 9, 0, "");
	int64_t later = add("", "virt-ufs", 5, 9000, "");
	int64_t sooner = add("", "virt-ufs", 5, 8000, "");
	int64_t no_deadline = add("", "virt-ufs", 5, 0, "");
	int64_t phone = add("", "pixel", 99, 0, "");
	const int64_t wanted[] = { sooner, later, no_deadline, any_low, mine };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(next("b1", "virt-ufs"), wanted[i]);
		move(wanted[i], "queued", "starting", NULL);
	}
	assert_int_equal(next("b1", "virt-ufs"), 0);
	assert_int_equal(next("b2", "virt-ufs"), other);
	assert_int_equal(next("p1", "pixel"), phone);
}

static void overdue(void **state)
{
	int64_t id = add("", "t", 0, 5000, "");
	int64_t found = -1;

	(void)state;
	add("", "t", 0, 0, "");
	assert_int_equal(store_job_overdue(st, 4999, &found, &err), 0);
	assert_int_equal(found, 0);
	assert_int_equal(store_job_overdue(st, 5001, &found, &err), 0);
	assert_int_equal(found, id);
	move(id, "queued", "cancelled", NULL);
	assert_int_equal(store_job_overdue(st, 5001, &found, &err), 0);
	assert_int_equal(found, 0);
}

static bool keep_state(void *ctx, const struct store_job *j)
{
	snprintf(ctx, 200, "%s|%s|%s|%s|%s", j->state, j->session, j->ran_on, j->cancelled_by,
		 j->plan);
	return true;
}

static void moves(void **state)
{
	const struct store_job_change start = { .session = "s1", .ran_on = "b1", .started_ms = 7 };
	int64_t id = add("", "t", 0, 0, "");
	char text[200];
	char object[32];
	int before;

	(void)state;
	snprintf(object, sizeof(object), "job %d", (int)id);
	assert_int_equal(store_job_move(st, &self, id, "queued", "starting", &start, &err), 0);
	before = audits(object);
	/* from a state that it is not in: nothing changes, nothing is written down */
	assert_int_equal(store_job_move(st, &self, id, "queued", "cancelled", NULL, &err), -1);
	assert_string_equal(err.code, "bad-state");
	assert_int_equal(audits(object), before);
	/* a state that there is not */
	assert_int_equal(store_job_move(st, &self, id, "starting", "flying", NULL, &err), -1);
	assert_int_equal(audits(object), before);
	assert_int_equal(store_job_get(st, id, keep_state, text, &err), 0);
	assert_string_equal(text, "starting|s1|b1||{}");
	/* back in the queue without a trace of where it was */
	assert_int_equal(store_job_move(st, &self, id, "starting", "queued",
					&(struct store_job_change){ .session = "", .ran_on = "" },
					&err),
			 0);
	assert_int_equal(store_job_get(st, id, keep_state, text, &err), 0);
	assert_string_equal(text, "queued||||{}");
	assert_int_equal(store_job_get(st, id + 1, keep_state, text, &err), -1);
	assert_string_equal(err.code, "no-job");
}

static void cancelling_twice(void **state)
{
	int64_t id = add("", "t", 0, 0, "");
	int64_t found = -1;
	char object[32];
	char text[200];

	(void)state;
	snprintf(object, sizeof(object), "job %d", (int)id);
	assert_int_equal(store_job_cancel(st, &alice, id, &err), 0);
	assert_int_equal(store_job_cancel(st, &self, id, &err), 0);
	assert_int_equal(audits(object), 2); /* submit, cancel */
	assert_int_equal(store_job_get(st, id, keep_state, text, &err), 0);
	assert_string_equal(text, "queued|||alice|{}");
	/* nobody starts it any more, and it is not forgotten */
	assert_int_equal(next("b", "t"), 0);
	assert_int_equal(store_job_withdrawn(st, &found, &err), 0);
	assert_int_equal(found, id);
	move(id, "queued", "cancelled", NULL);
	assert_int_equal(store_job_withdrawn(st, &found, &err), 0);
	assert_int_equal(found, 0);
}

static int64_t same(const char *identity)
{
	int64_t id = -1;

	assert_int_equal(store_job_same(st, identity, &id, &err), 0);
	return id;
}

static void finish(int64_t id, const char *verdict)
{
	move(id, "queued", "starting", NULL);
	move(id, "starting", "running", NULL);
	move(id, "running", "ending", NULL);
	move(id, "ending", "done", verdict);
}

static void same_work(void **state)
{
	int64_t a = add("", "t", 0, 0, "abc");
	int64_t b;

	(void)state;
	assert_int_equal(same("abc"), a); /* it waits */
	assert_int_equal(same("abd"), 0);
	assert_int_equal(same(""), 0);
	finish(a, "INVALID");
	assert_int_equal(same("abc"), 0); /* says nothing */
	b = add("", "t", 0, 0, "abc");
	finish(b, "FAIL");
	assert_int_equal(same("abc"), b);
	/* numbers are never given twice */
	assert_true(b > a);
	add("", "t", 0, 0, "");
	assert_int_equal(same(""), 0);
}

static bool count_job(void *ctx, const struct store_job *j)
{
	(void)j;
	(*(int *)ctx)++;
	return *(int *)ctx < 3;
}

static int listed(const struct store_job_filter *f)
{
	int n = 0;

	assert_int_equal(store_job_list(st, f, count_job, &n, &err), 0);
	return n;
}

static void lists(void **state)
{
	int64_t queued = 0, open = 0, first;

	(void)state;
	first = add("", "t", 0, 0, "");
	finish(add("", "t", 0, 0, ""), "PASS");
	move(add("", "t", 0, 0, ""), "queued", "starting", NULL);
	assert_int_equal(listed(&(struct store_job_filter){ .open = true }), 2);
	assert_int_equal(listed(&(struct store_job_filter){ .state = "done" }), 1);
	assert_int_equal(listed(&(struct store_job_filter){ .newest_first = true }), 3);
	assert_int_equal(listed(&(struct store_job_filter){ .limit = 1 }), 1);
	assert_int_equal(listed(&(struct store_job_filter){ .after = first }), 2);
	assert_int_equal(listed(&(struct store_job_filter){ .requester = "bob" }), 0);
	assert_int_equal(listed(&(struct store_job_filter){ .id = first }), 1);
	assert_int_equal(store_job_count(st, &queued, &open, &err), 0);
	assert_int_equal(queued, 1);
	assert_int_equal(open, 2);
}

static bool keep_lease(void *ctx, const struct store_lease *l)
{
	snprintf(ctx, 200, "%s %s %lld %lld %s", l->board, l->owner, (long long)l->taken_ms,
		 (long long)l->expires_ms, l->reason);
	return true;
}

static void leases(void **state)
{
	char text[200] = "";
	int64_t id = 0, again = 0;

	(void)state;
	assert_int_equal(store_lease_take(st, &alice, "b1", "soldering", 60000, &id, &err), 0);
	assert_int_equal(store_lease_take(st, &self, "b1", "mine", 1000, &again, &err), -1);
	assert_string_equal(err.code, "lease-held");
	assert_non_null(strstr(err.message, "alice"));
	assert_non_null(strstr(err.message, "soldering"));
	/* never a bare lock */
	assert_int_equal(store_lease_take(st, &self, "b2", "", 1000, &again, &err), -1);
	assert_int_equal(store_lease_renew(st, &self, id, &err), 0);
	assert_int_equal(store_lease_list(st, keep_lease, text, &err), 0);
	assert_string_equal(text, "b1 alice 1000000 2060000 soldering");
	assert_int_equal(store_lease_drop(st, &self, id, "expire", &err), 0);
	assert_int_equal(store_lease_drop(st, &self, id, "expire", &err), -1);
	assert_string_equal(err.code, "no-lease");
	assert_int_equal(audits("board b1"), 3); /* lease, renew, expire */
	assert_int_equal(audits("board b2"), 0);
	assert_int_equal(store_lease_take(st, &alice, "b1", "again", 1000, &again, &err), 0);
	assert_true(again > id);
}

static bool keep_board(void *ctx, const struct store_board *b)
{
	size_t n = strlen(ctx);

	snprintf((char *)ctx + n, 200 - n, "%s %s %s '%s' %d;", b->name, b->state, b->hold,
		 b->reason, (int)b->job);
	return true;
}

static void boards(void **state)
{
	struct store_board b = { "b1", "t", "safe", "", 0, "", 0 };
	char text[200] = "";

	(void)state;
	assert_int_equal(store_board_put(st, &self, &b, &err), 0);
	b.state = "busy";
	b.job = 7;
	b.hold = "drained";
	b.reason = "new cable";
	assert_int_equal(store_board_put(st, &self, &b, &err), 0);
	b.state = "melted";
	assert_int_equal(store_board_put(st, &self, &b, &err), -1);
	assert_int_equal(store_board_list(st, keep_board, text, &err), 0);
	assert_string_equal(text, "b1 busy drained 'new cable' 7;");
	assert_int_equal(store_board_drop(st, &self, "b1", &err), 0);
	text[0] = '\0';
	assert_int_equal(store_board_list(st, keep_board, text, &err), 0);
	assert_string_equal(text, "");
	assert_int_equal(audits("board b1"), 3);
}

static void audit(void **state)
{
	const struct store_audit_filter by_alice = { .who = "alice" };
	const struct store_audit_filter last = { .limit = 2 };
	int n = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(store_audit_add(st, &self, "reload", "daemon", "lab", &err), 0);
	add("", "t", 0, 0, "");
	assert_int_equal(audits("daemon"), 3);
	assert_int_equal(audits(NULL), 4);
	assert_int_equal(store_audit_list(st, &by_alice, count_row, &n, &err), 0);
	assert_int_equal(n, 1);
	n = 0;
	assert_int_equal(store_audit_list(st, &last, count_row, &n, &err), 0);
	assert_int_equal(n, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(order),	 TEST(overdue), TEST(moves),  TEST(cancelling_twice),
		TEST(same_work), TEST(lists),	TEST(leases), TEST(boards),
		TEST(audit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
