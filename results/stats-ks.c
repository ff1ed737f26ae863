// SPDX-License-Identifier: GPL-2.0-or-later
/* The Kolmogorov-Smirnov test of uniformity; see stats-tests.h. Layer: results, pure. */
#include "results/stats-tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "results/stats.h"

/* The largest distance of the empirical distribution from the diagonal. */
static double distance(const double *p, size_t n)
{
	double *sorted = xmalloc(n * sizeof(*sorted));
	double d = 0;

	memcpy(sorted, p, n * sizeof(*sorted));
	stats_sort(sorted, n);
	for (size_t i = 0; i < n; i++) {
		d = fmax(d, (double)(i + 1) / (double)n - sorted[i]);
		d = fmax(d, sorted[i] - (double)i / (double)n);
	}
	free(sorted);
	return d;
}

/* A square matrix of m rows with a common power of ten, so that high powers do not overflow. */
struct matrix {
	double *a;
	int m, exponent;
};

static void multiply(const struct matrix *x, const struct matrix *y, struct matrix *out)
{
	int m = x->m;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < m; j++) {
			double sum = 0;

			for (int k = 0; k < m; k++)
				sum += x->a[i * m + k] * y->a[k * m + j];
			out->a[i * m + j] = sum;
		}
	out->exponent = x->exponent + y->exponent;
	if (out->a[(m / 2) * m + m / 2] > 1e140) {
		for (int i = 0; i < m * m; i++)
			out->a[i] *= 1e-140;
		out->exponent += 140;
	}
}

/* out = x^n; spare is room for one more. */
static void power(const struct matrix *x, int n, struct matrix *out, struct matrix *spare)
{
	double *a;

	if (n == 1) {
		memcpy(out->a, x->a, sizeof(double) * (size_t)(x->m * x->m));
		out->exponent = x->exponent;
		return;
	}
	power(x, n / 2, spare, out);
	multiply(spare, spare, out);
	if (n % 2 == 0)
		return;
	multiply(out, x, spare);
	a = out->a;
	out->a = spare->a;
	spare->a = a;
	out->exponent = spare->exponent;
}

/* The matrix H of the paper, of the distance d = (k - h) / n. */
static void transitions(struct matrix *x, double h)
{
	int m = x->m;

	for (int i = 0; i < m; i++)
		for (int j = 0; j < m; j++)
			x->a[i * m + j] = i - j + 1 >= 0;
	for (int i = 0; i < m; i++) {
		x->a[i * m] -= pow(h, i + 1);
		x->a[(m - 1) * m + i] -= pow(h, m - i);
	}
	x->a[(m - 1) * m] += 2 * h - 1 > 0 ? pow(2 * h - 1, m) : 0;
	for (int i = 0; i < m; i++)
		for (int j = 0; j < m && j <= i; j++)
			for (int g = 1; g <= i - j + 1; g++)
				x->a[i * m + j] /= g;
	x->exponent = 0;
}

/* P(D_n < d): n!/n^n times the middle element of H^n. */
static double exact(int n, double d)
{
	int k = (int)(n * d) + 1;
	int m = 2 * k - 1;
	size_t size = (size_t)m * (size_t)m;
	double *room = xcalloc(3 * size, sizeof(*room));
	struct matrix h = { room, m, 0 };
	struct matrix q = { room + size, m, 0 };
	struct matrix spare = { room + 2 * size, m, 0 };
	double s;

	transitions(&h, k - n * d);
	power(&h, n, &q, &spare);
	s = q.a[(k - 1) * m + k - 1];
	for (int i = 1; i <= n; i++) {
		s = s * i / n;
		if (s < 1e-140) {
			s *= 1e140;
			q.exponent -= 140;
		}
	}
	free(room);
	return s * pow(10, q.exponent);
}

/* P(sqrt(n) D_n > x) for large n. */
static double limiting(double x)
{
	double sum = 0;

	if (x < 0.2) /* the series does not converge there; it is 1 to 1e-12 */
		return 1;
	for (int i = 1; i < 100; i++)
		sum += (i % 2 ? 2 : -2) * exp(-2.0 * i * i * x * x);
	return sum;
}

double stats_ks_uniform(const double *p, size_t n)
{
	double d;
	double tail;

	if (n == 0)
		return 1;
	d = distance(p, n);
	/* Far out the exact matrix is large and the answer is 0 in any case. */
	if (n > STATS_KS_EXACT || (double)n * d * d > 18)
		tail = limiting(sqrt((double)n) * d);
	else
		tail = 1 - exact((int)n, d);
	return fmin(fmax(tail, 0), 1);
}
