// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Change points in nightly series: the product's detector beside those of others, on the same
 * simulated series (G6), on labelled ones (G7), their conformance (G8) and the speed (G11); and
 * the history as an engineer sees it, night by night. See sim.h. Layer: results.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "results/changepoint.h"
#include "results/history.h"
#include "results/sim/cmp.h"
#include "results/sim/sim-data.h"
#include "results/sim/sim-noise.h"
#include "results/sim/sim.h"

#define NIGHTS	 60
#define CHANGE	 40 /* first night of the new level */
#define FACTOR	 0.95
#define POINT_SD 0.02
#define NEAR	 2 /* nights: found */
#define NEVER	 (NIGHTS - CHANGE + 1)
#define STREAM	 0x48000000 /* of random numbers, apart from the other parts' */
#define LONG	 5000

/* ---- the detectors ---- */

static size_t otava(const double *x, size_t n, size_t *at)
{
	return cmp_otava(x, n, &cmp_otava_default, at);
}

static size_t otava_30(const double *x, size_t n, size_t *at)
{
	static const struct cmp_otava rules = { .window = 30,
						.max_p = 0.01,
						.min_magnitude = 0.05 };

	return cmp_otava(x, n, &rules, at);
}

/* As published of TCPD: without the least magnitude. */
static size_t otava_30_all(const double *x, size_t n, size_t *at)
{
	static const struct cmp_otava rules = { .window = 30, .max_p = 0.01 };

	return cmp_otava(x, n, &rules, at);
}

static size_t edivisive(const double *x, size_t n, size_t *at)
{
	return cmp_edivisive(x, n, 0.01, at);
}

static size_t nothing(const double *x, size_t n, size_t *at)
{
	(void)x;
	(void)n;
	(void)at;
	return 0;
}

/* published: clean series with a change %, change found %, median delay; 0 = never */
static const struct rival {
	const char *name;
	sim_detector *find;
	double published[SIM_NOISES][3];
} rivals[] = {
	{ "Otava default",
	  otava,
	  { { 3.8, 97.5, 2 }, { 50.2, 89.0, 2 }, { 4.5, 96.8, 2 }, { 16.6, 97.2, 1 } } },
	{ "Otava w30 p.01 5%",
	  otava_30,
	  { { 8.1, 65.0, 2 }, { 9.1, 54.2, 3 }, { 6.4, 60.5, 2 }, { 30.6, 64.8, 2 } } },
	{ "E-divisive, t p.01",
	  edivisive,
	  { { 10.7, 98.0, 2 }, { 49.5, 91.5, 2 }, { 13.2, 97.7, 2 }, { 11.9, 99.7, 1 } } },
	{ "Mozilla t>7",
	  cmp_mozilla,
	  { { 0.0, 66.7, 12 }, { 1.4, 69.8, 12 }, { 0.0, 66.0, 12 }, { 0.0, 78.8, 12 } } },
	{ "z=5 lookback",
	  cmp_zscore,
	  { { 3.0, 1.6, 0 }, { 4.3, 3.2, 0 }, { 4.8, 4.5, 0 }, { 73.7, 44.1, 0 } } },
	{ "PELT L2, 3 log n",
	  cmp_pelt,
	  { { 3.4, 97.9, 2 }, { 75.7, 92.0, 2 }, { 5.8, 98.1, 2 }, { 73.5, 99.7, 1 } } },
	{ "rig history",
	  sim_rig,
	  { { 0.1, 98.0, 4 }, { 2.0, 74.7, 9 }, { 0.3, 98.0, 4 }, { 1.1, 99.8, 3 } } },
};

#define RIVALS (sizeof(rivals) / sizeof(rivals[0]))
#define OURS   (RIVALS - 1)

static const char *kind_name(enum sim_noise kind)
{
	return kind == SIM_AR1 ? "AR(1) .5" : sim_noise_name(kind);
}

/* Nightly means around 100; from that night on FACTOR of it. */
static void make(enum sim_noise kind, struct sim_rng *r, double *x, int n, int change)
{
	if (kind == SIM_AR1)
		sim_ar1(0.5, r, x, n);
	else
		sim_noise(kind, r, x, n);
	for (int i = 0; i < n; i++)
		x[i] = 100 * (1 + POINT_SD * x[i]) * (i >= change ? FACTOR : 1);
}

/* ---- G6: whole series ---- */

struct outcome {
	bool false_alarm, found;
	int delay; /* nights on the new level until it is found; NEVER */
};

struct table {
	const struct sim *s;
	struct outcome *o; /* [kind][rep][rival] */
};

static struct outcome *outcome(const struct table *t, int kind, int rep, size_t rival)
{
	return &t->o[((size_t)kind * (size_t)t->s->reps + (size_t)rep) * RIVALS + rival];
}

static bool finds(sim_detector *find, const double *x, int n)
{
	size_t at[NIGHTS];
	size_t k = find(x, (size_t)n, at);

	for (size_t i = 0; i < k; i++)
		if (labs((long)at[i] - CHANGE) <= NEAR)
			return true;
	return false;
}

static void one_series(void *ctx, int i)
{
	struct table *t = ctx;
	int kind = i / t->s->reps;
	int rep = i % t->s->reps;
	double clean[NIGHTS];
	double hit[NIGHTS];
	struct sim_rng r;

	sim_rng_init(&r, t->s->seed, STREAM + (uint64_t)i);
	make((enum sim_noise)kind, &r, clean, NIGHTS, NIGHTS);
	make((enum sim_noise)kind, &r, hit, NIGHTS, CHANGE);
	for (size_t v = 0; v < RIVALS; v++) {
		struct outcome *o = outcome(t, kind, rep, v);
		size_t at[NIGHTS];

		o->false_alarm = rivals[v].find(clean, NIGHTS, at) > 0;
		o->found = finds(rivals[v].find, hit, NIGHTS);
		o->delay = 1;
		while (o->delay < NEVER && !finds(rivals[v].find, hit, CHANGE + o->delay))
			o->delay++;
	}
}

struct cell {
	int false_alarms, found, median;
};

static struct cell count(const struct table *t, int kind, size_t rival)
{
	struct cell c = { 0, 0, NEVER };
	int delays[NEVER + 1] = { 0 };
	int sum = 0;

	for (int rep = 0; rep < t->s->reps; rep++) {
		const struct outcome *o = outcome(t, kind, rep, rival);

		c.false_alarms += o->false_alarm;
		c.found += o->found;
		delays[o->delay]++;
	}
	for (int d = 1; d <= NEVER && 2 * sum < t->s->reps; d++) {
		sum += delays[d];
		c.median = d;
	}
	return c;
}

static void print_delay(FILE *out, int nights)
{
	if (nights > 0 && nights < NEVER)
		fprintf(out, "%4d", nights);
	else
		fprintf(out, "   -");
}

static void print_rival(const struct sim *s, const struct table *t, size_t v, FILE *csv)
{
	fprintf(s->out, "%-19s", rivals[v].name);
	for (int k = 0; k < SIM_NOISES; k++) {
		struct cell c = count(t, k, v);

		fprintf(s->out, "  %5.1f %5.1f", sim_percent(c.false_alarms, s->reps),
			sim_percent(c.found, s->reps));
		print_delay(s->out, c.median);
		if (csv)
			fprintf(csv, "%s,%s,%d,%d,%d,%d\n", rivals[v].name,
				kind_name((enum sim_noise)k), s->reps, c.false_alarms, c.found,
				c.median);
	}
	fprintf(s->out, "\n%-19s", "");
	for (int k = 0; k < SIM_NOISES; k++) {
		const double *p = rivals[v].published[k];

		fprintf(s->out, " [%5.1f %5.1f", p[0], p[1]);
		print_delay(s->out, (int)p[2]);
		fprintf(s->out, "]");
	}
	fprintf(s->out, "\n");
}

/* AR(1): what is published of the prototype is the mark where the goal names none. */
static void goals_g6(struct sim *s, const struct table *t)
{
	static const struct {
		double found;
		int delay;
	} targets[SIM_NOISES] = { { 97, 4 }, { 75, 9 }, { 97, 4 }, { 97, 4 } };

	for (int k = 0; k < SIM_NOISES; k++) {
		struct cell c = count(t, k, OURS);
		const char *name = kind_name((enum sim_noise)k);

		sim_at_most(s, "G6", 2.1, sim_percent(c.false_alarms, s->reps),
			    sim_error(c.false_alarms, s->reps), "clean series with a change, %s",
			    name);
		sim_at_least(s, "G6", targets[k].found, sim_percent(c.found, s->reps),
			     sim_error(c.found, s->reps), "change found within 2 nights, %s", name);
		sim_at_most(s, "G6", targets[k].delay, c.median, 0, "median delay in nights, %s",
			    name);
	}
}

static void whole_series(struct sim *s)
{
	struct table t = { s, xcalloc((size_t)s->reps * SIM_NOISES * RIVALS, sizeof(*t.o)) };
	FILE *csv =
		sim_csv(s, "changepoints", "detector,noise,series,false_alarms,found,median_delay");

	sim_each(s, SIM_NOISES * s->reps, one_series, &t);
	fprintf(s->out,
		"\nChange points, 60 nights, point sd 2 %%: clean series with a change %%; -5 %% at"
		" night 40 found within\n+-2 nights %%; median nights until then (-: never)\n%-19s",
		"");
	for (int k = 0; k < SIM_NOISES; k++)
		fprintf(s->out, "  %15s", kind_name((enum sim_noise)k));
	fprintf(s->out, "\n");
	for (size_t v = 0; v < RIVALS; v++)
		print_rival(s, &t, v, csv);
	goals_g6(s, &t);
	if (csv)
		fclose(csv);
	free(t.o);
}

/* ---- night by night ---- */

struct walk {
	const struct sim *s;
	int reps;
	struct walked {
		bool cried, suspected; /* in some night of a clean series */
		int delay;	       /* until rig history exits with 1 */
	} * o;
};

static struct history *history_of(const double *x, int n)
{
	static const struct history_series series = { "b", "s", "p", "w", "m", "", DIRECTION_HIGHER,
						      true };
	struct history *h = history_new(&series, NULL);

	for (int i = 0; i < n; i++) {
		char session[16];
		struct history_point p = { .started_ms = (i + 1) * 86400000LL,
					   .session = session,
					   .tree = 0,
					   .label = "",
					   .hash = "",
					   .release = "",
					   .series = "",
					   .variant = "",
					   .result = "complete",
					   .verdict = "",
					   .n = 5,
					   .mean = x[i] };

		snprintf(session, sizeof(session), "%d", i);
		history_add(h, &p);
	}
	history_analyse(h);
	return h;
}

static void one_walk(void *ctx, int i)
{
	struct walk *w = ctx;
	struct walked *o = &w->o[i];
	enum sim_noise kind = (enum sim_noise)(i / w->reps);
	double x[NIGHTS];
	struct sim_rng r;

	sim_rng_init(&r, w->s->seed, STREAM + 0x1000000 + (uint64_t)i);
	make(kind, &r, x, NIGHTS, NIGHTS);
	for (int n = 10; n <= NIGHTS; n++) {
		struct history *h = history_of(x, n);

		o->cried |= history_regressed(h);
		o->suspected |= h->outlook.state == HISTORY_SUSPECTED;
		history_free(h);
	}
	make(kind, &r, x, NIGHTS, CHANGE);
	for (o->delay = 1; o->delay < NEVER; o->delay++) {
		struct history *h = history_of(x, CHANGE + o->delay);
		bool told = history_regressed(h);

		history_free(h);
		if (told)
			break;
	}
}

static int median_walk(const struct walk *w, int kind)
{
	for (int d = 1; d < NEVER; d++) {
		int n = 0;

		for (int i = 0; i < w->reps; i++)
			n += w->o[kind * w->reps + i].delay <= d;
		if (2 * n >= w->reps)
			return d;
	}
	return NEVER;
}

static void night_by_night(struct sim *s)
{
	struct walk w = { s, s->reps / 8 + 1, NULL };

	w.o = xcalloc((size_t)w.reps * SIM_NOISES, sizeof(*w.o));
	sim_each(s, w.reps * SIM_NOISES, one_walk, &w);
	fprintf(s->out,
		"\nrig history asked every night from the 10th to the 60th (%d series): clean series"
		" of which some\nnight is suspected %%, some night told as a regression %%; -5 %%:"
		" median nights until told\n",
		w.reps);
	for (int k = 0; k < SIM_NOISES; k++) {
		int cried = 0;
		int suspected = 0;

		for (int i = 0; i < w.reps; i++) {
			cried += w.o[k * w.reps + i].cried;
			suspected += w.o[k * w.reps + i].suspected;
		}
		fprintf(s->out, "%-19s  %5.1f %5.1f", kind_name((enum sim_noise)k),
			sim_percent(suspected, w.reps), sim_percent(cried, w.reps));
		print_delay(s->out, median_walk(&w, k));
		fprintf(s->out, "\n");
	}
	free(w.o);
}

/* ---- G7, G8: public data ---- */

static const struct {
	const char *name;
	sim_detector *find; /* NULL: published only, per series, by the authors of the data */
	double f1, cover;   /* published */
} labelled[] = {
	{ "none at all", nothing, .668, .575 },
	{ "BinSeg", NULL, .738, .693 },
	{ "PELT (theirs)", NULL, .728, .695 },
	{ "AMOC", NULL, .699, .697 },
	{ "BOCPD", NULL, .696, .636 },
	{ "ECP", NULL, .632, .553 },
	{ "Prophet", NULL, .509, .545 },
	{ "Otava default", otava, .600, .506 },
	{ "Otava w30 p.01", otava_30_all, .455, .380 },
	{ "E-divisive, t p.01", edivisive, .657, .581 },
	{ "Mozilla t>7", cmp_mozilla, .714, .623 },
	{ "z=5 lookback", cmp_zscore, .707, .623 },
	{ "PELT L2, 3 log n", cmp_pelt, .533, .423 },
	{ "rig history", sim_rig, .690, .639 },
};

static void public_data(struct sim *s)
{
	struct sim_conformance o = sim_conformance_otava();
	struct sim_conformance m = sim_conformance_mozilla();
	struct sim_tcpd none = sim_tcpd(nothing);
	struct sim_tcpd rig = sim_tcpd(sim_rig);

	fprintf(s->out, "\nTuring data set, %d series: F1 and cover [published]\n", rig.series);
	for (size_t i = 0; i < sizeof(labelled) / sizeof(labelled[0]); i++) {
		fprintf(s->out, "%-19s  ", labelled[i].name);
		if (labelled[i].find) {
			struct sim_tcpd t = sim_tcpd(labelled[i].find);

			fprintf(s->out, "%.3f %.3f", t.f1, t.cover);
		} else {
			fprintf(s->out, "%11s", "");
		}
		fprintf(s->out, "  [%.3f %.3f]\n", labelled[i].f1, labelled[i].cover);
	}
	sim_at_most(s, "G7", .0005, fabs(none.f1 - .668), 0,
		    "distance from the published F1 without any change");
	sim_at_most(s, "G7", .0005, fabs(none.cover - .575), 0,
		    "distance from the published cover without any change");
	sim_at_least(s, "G7", .690, rig.f1, 0, "F1 on 30 series (stretch .738)");
	sim_at_least(s, "G7", .639, rig.cover, 0, "cover on 30 series (stretch .693)");
	sim_at_least(s, "G8", o.of ? o.of : 10, o.equal, 0, "Otava's expected lists, of %d", o.of);
	sim_at_least(s, "G8", m.of ? m.of : 7, m.equal, 0, "Mozilla's expected lists, of %d", m.of);
}

/* ---- G11 ---- */

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Printed and no goal: the time of this machine is no figure of the seed. */
static void speed(struct sim *s)
{
	double *x = xcalloc(LONG, sizeof(*x));
	double worst = 0;

	for (int kind = 0; kind < SIM_NOISES; kind++)
		for (int change = LONG / 2; change <= LONG; change += LONG / 2) {
			struct changepoint_fit fit;
			struct sim_rng r;
			double began;

			sim_rng_init(&r, s->seed, STREAM + 0x2000000 + (uint64_t)kind);
			make((enum sim_noise)kind, &r, x, LONG, change);
			began = cpu_ms();
			changepoint_find(x, LONG, NULL, &fit);
			worst = fmax(worst, cpu_ms() - began);
			changepoint_release(&fit);
		}
	fprintf(s->out, "\nG11  change points of %d nights: at most %.0f ms of CPU (goal: 100)\n",
		LONG, worst);
	free(x);
}

void sim_history(struct sim *s)
{
	whole_series(s);
	night_by_night(s);
	if (sim_data_there())
		public_data(s);
	else
		fprintf(s->out, "\nG7 and G8 left out: no public data sets in $RIG_SHARED\n");
	speed(s);
}
