// SPDX-License-Identifier: GPL-2.0-or-later
/* results/literature: published numbers into the store, and out again as tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fixture.h"
#include "results/literature.h"
#include "results/store.h"

#define HEADER "seed_file,board,workload,kernel_variant,metric,unit,value,n_runs,note\n"

/* Two documents; the first prints MiB/s as MB/s and a wrong change. */
static const char table[] = HEADER
	"docA,boardX,randread,original,iops_avg,IOPS,5488.82,5,L1\n"
	"docA,boardX,randread,patched,iops_avg,IOPS,4226.61,5,L1\n"
	"docA,boardX,randread,patched vs original,iops_avg_pct,%,-25.00,5,L1\n"
	"docA,boardX,randread,original,bw,MB/s,21.44,5,L2\n"
	"docA,boardX,randread,patched,bw,MB/s,16.51,5,L2\n"
	"docB,\"board, Y\",\"boot \"\"cold\"\"\",old,time,s,110,3,\n"
	"docB,\"board, Y\",\"boot \"\"cold\"\"\",new,time,s,50,3,\n";

static struct store *store;
static char *tmp;

static int make_store(void **state)
{
	char *path;

	(void)state;
	tmp = fixture_tmpdir();
	path = path_join(tmp, "results.db");
	store = store_open(path, NULL);
	free(path);
	return store ? 0 : -1;
}

static int remove_store(void **state)
{
	(void)state;
	store_close(store);
	path_remove(tmp);
	free(tmp);
	return 0;
}

static struct literature_sum must_import(const char *csv)
{
	struct literature_sum sum;
	struct err err = ERR_INIT;

	if (literature_import(store, "t.csv", csv, strlen(csv), &sum, &err))
		fail_msg("%s", err.message);
	return sum;
}

struct seen {
	struct buf text;
	size_t n;
};

static bool see(void *ctx, const struct literature_row *r)
{
	struct seen *s = ctx;

	s->n++;
	buf_addf(&s->text, "%s:%d %s %s %.9g %s %d\n", r->source, r->line, r->printed,
		 r->printed_unit, r->value, r->unit, r->runs);
	return true;
}

static char *rows(const char *source, size_t *n)
{
	struct seen s = { .text = BUF_INIT };

	assert_int_equal(store_list_literature(store, source, see, &s, NULL), 0);
	*n = s.n;
	buf_adds(&s.text, "");
	return buf_detach(&s.text);
}

static void canonical(void **state)
{
	struct literature_sum sum = must_import(table);
	size_t n;
	char *text = rows("doc", &n);

	(void)state;
	assert_int_equal(sum.rows, 7);
	assert_int_equal(sum.sources, 2);
	assert_int_equal(sum.errors, 2); /* unit-mix, percent */
	assert_int_equal(n, 7);
	/* bytes/s, as the IOPS prove, not as the label says; ns */
	assert_non_null(strstr(text, "docA:5 21.44 MB/s 22481469.4 bytes/s 5\n"));
	assert_non_null(strstr(text, "docB:7 110 s 1.1e+11 ns 3\n"));
	free(text);
}

static void again_and_changed(void **state)
{
	size_t n;
	char *first;
	char *second;

	(void)state;
	must_import(table);
	first = rows("", &n);
	must_import(table);
	second = rows("", &n);
	assert_string_equal(first, second);
	free(first);
	free(second);
	/* one document changed and shorter: only it is replaced */
	must_import(HEADER "docB,\"board, Y\",boot,old,time,s,109,3,\n");
	first = rows("docB", &n);
	assert_int_equal(n, 1);
	free(first);
	free(rows("docA", &n));
	assert_int_equal(n, 5);
}

static void refused_as_a_whole(void **state)
{
	struct literature_sum sum;
	struct err err = ERR_INIT;
	size_t n;
	char *before;
	char *after;
	char *bad = xasprintf("%sdocA,\"never closed,1,2,3,4,5,6\n", table);

	(void)state;
	must_import(table);
	before = rows("", &n);
	assert_int_equal(literature_import(store, "t.csv", bad, strlen(bad), &sum, &err), -1);
	assert_string_equal(err.message, "t.csv:9:6: a quote that is never closed");
	assert_int_equal(err.blame, BLAME_USER);
	after = rows("", &n);
	assert_string_equal(before, after);
	free(before);
	free(after);
	free(bad);
}

static void must_print(const char *source, const char *board, struct buf *out)
{
	struct err err = ERR_INIT;

	if (literature_report(store, source, board, out, &err))
		fail_msg("%s", err.message);
}

static void printed_again(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	must_import(table);
	must_print("docA", NULL, &out);
	assert_non_null(strstr(buf_str(&out), "docA: boardX\n"));
	/* computed again; what is printed is beyond rounding */
	assert_non_null(strstr(buf_str(&out), "4226.61   -23.00 % (printed -25.00!)"));
	assert_non_null(strstr(buf_str(&out), "bw, MiB/s (printed as MB/s)"));
	assert_non_null(strstr(buf_str(&out), "16.51   -22.99 %"));
	assert_non_null(
		strstr(buf_str(&out), "ERROR unit-mix, boardX: bw label MB/s (2 of 2 cells)"));
	assert_non_null(strstr(buf_str(&out), "ERROR percent, boardX randread"));
	assert_null(strstr(buf_str(&out), "board, Y"));
	buf_reset(&out);
	must_print("docB", "board, Y", &out);
	assert_non_null(strstr(buf_str(&out), "boot \"cold\""));
	assert_non_null(strstr(buf_str(&out), "50   -54.55 %"));
	buf_reset(&out);
	/* several documents, or none named: a list */
	must_print("doc", NULL, &out);
	assert_non_null(strstr(buf_str(&out), "docA:boardX  5 numbers, 2 errors"));
	assert_non_null(strstr(buf_str(&out), "docB:board, Y  2 numbers, 0 errors"));
	buf_release(&out);
}

static void unknown(void **state)
{
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	must_import(table);
	assert_int_equal(literature_report(store, "docC", NULL, &out, &err), -1);
	assert_string_equal(err.code, "no-literature");
	assert_int_equal(literature_report(store, "docA", "boardZ", &out, &err), -1);
	assert_non_null(strstr(err.message, "no board 'boardZ' in 'docA'"));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(canonical, make_store, remove_store),
		cmocka_unit_test_setup_teardown(again_and_changed, make_store, remove_store),
		cmocka_unit_test_setup_teardown(refused_as_a_whole, make_store, remove_store),
		cmocka_unit_test_setup_teardown(printed_again, make_store, remove_store),
		cmocka_unit_test_setup_teardown(unknown, make_store, remove_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
