/* SPDX-License-Identifier: MIT */
/*
 * The incomplete beta function by its continued fraction, evaluated from the front by the method
 * of Lentz as Thompson and Barnett changed it (J. Comp. Phys. 64, 1986); the fraction is 8.17.22 of
 * the NIST Digital Library of Mathematical Functions, the binomial 8.17.5, Student's t 26.7.3 of
 * Abramowitz and Stegun. Quantiles are found by halving: they are asked for a few times per run.
 */
#include "lib/prob.h"

#include <float.h>
#include <math.h>

#define TERMS_MAX	20000
#define HALVINGS	200

/* The fraction converges fast where x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = fabs(d) < DBL_MIN ? 1 / DBL_MIN : 1 / d;
	f = d;
	for (int m = 1; m < TERMS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step = 1;

		for (int i = 0; i < 2; i++) {
			double t = i ? odd : even;

			d = 1 + t * d;
			d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
			c = 1 + t / c;
			c = fabs(c) < DBL_MIN ? DBL_MIN : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return f;
}

double prob_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Where the rising function f reaches p, between low and high. */
static double find(double (*f)(double x, double arg), double arg, double p, double low, double high)
{
	for (int i = 0; i < HALVINGS && high - low > DBL_EPSILON * fabs(low); i++) {
		double middle = low + (high - low) / 2;

		if (f(middle, arg) < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

static double normal_below(double z, double unused)
{
	(void)unused;
	return erfc(-z / M_SQRT2) / 2;
}

double prob_normal_quantile(double p)
{
	return find(normal_below, 0, p, -40, 40);
}

static double t_below(double t, double dof)
{
	double tail = prob_beta(dof / (dof + t * t), dof / 2, 0.5) / 2;

	return t < 0 ? tail : 1 - tail;
}

double prob_t_quantile(double p, double dof)
{
	return find(t_below, dof, p, -1e9, 1e9);
}

double prob_binomial(uint64_t k, uint64_t n, double p)
{
	if (k >= n || p <= 0)
		return 1;
	return 1 - prob_beta(p, (double)k + 1, (double)(n - k));
}
