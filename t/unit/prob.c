/* SPDX-License-Identifier: MIT */
/* Distributions against published tables, and against sums that take longer but are surer. */
#include "lib/prob.h"

#include "t/test.h"

TEST(normal_quantiles_are_those_of_the_tables)
{
	T_NEAR(prob_normal_quantile(0.5), 0, 1e-12);
	T_NEAR(prob_normal_quantile(0.975), 1.959963984540054, 1e-9);
	T_NEAR(prob_normal_quantile(0.995), 2.575829303548901, 1e-9);
	T_NEAR(prob_normal_quantile(0.9995), 3.290526731491899, 1e-9);
	T_NEAR(prob_normal_quantile(0.025), -1.959963984540054, 1e-9);
	T_NEAR(prob_normal_quantile(1e-12), -7.034483825, 1e-6);
}

TEST(t_quantiles_are_those_of_the_tables)
{
	T_NEAR(prob_t_quantile(0.975, 1), 12.7062047364, 1e-6);
	T_NEAR(prob_t_quantile(0.995, 2), 9.92484320092, 1e-6);
	T_NEAR(prob_t_quantile(0.975, 9), 2.26215716280, 1e-6);
	T_NEAR(prob_t_quantile(0.95, 30), 1.69726088659, 1e-6);
	T_NEAR(prob_t_quantile(0.025, 30), -2.04227245630, 1e-6);
	T_NEAR(prob_t_quantile(0.975, 100000), prob_normal_quantile(0.975), 1e-4);
	T_NEAR(prob_t_quantile(0.5, 3), 0, 1e-6);
}

/* Term by term. */
static double binomial_sum(unsigned k, unsigned n, double p)
{
	double sum = 0;

	for (unsigned i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
			   (n - i) * log1p(-p));
	return sum;
}

TEST(binomial_is_its_sum)
{
	static const double ps[] = { 0.001, 0.01, 0.3, 0.5, 0.9, 0.999 };
	static const unsigned ns[] = { 1, 2, 7, 50, 1000 };

	for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++)
		for (size_t m = 0; m < sizeof(ns) / sizeof(ns[0]); m++)
			for (unsigned k = 0; k < ns[m]; k += 1 + ns[m] / 40)
				T_NEAR(prob_binomial(k, ns[m], ps[i]),
				       binomial_sum(k, ns[m], ps[i]), 1e-9);
}

TEST(binomial_at_its_ends)
{
	T_NEAR(prob_binomial(10, 10, 0.5), 1, 0);
	T_NEAR(prob_binomial(11, 10, 0.5), 1, 0);
	T_NEAR(prob_binomial(0, 10, 0), 1, 0);
	T_NEAR(prob_binomial(9, 10, 1), 0, 0);
	T_NEAR(prob_binomial(0, 3, 0.5), 0.125, 1e-12);
}

/* Both sides of the same coin, also where one of the numbers is very large. */
TEST(binomial_of_large_numbers_has_two_equal_sides)
{
	for (double n = 1e3; n < 1e13; n *= 10) {
		for (double mean = 2; mean < 1000; mean *= 5) {
			uint64_t k = (uint64_t)mean + 1;
			double p = mean / n;

			if (p > 0.5)
				continue;
			T_NEAR(prob_binomial(k, (uint64_t)n, p),
			       1 - prob_binomial((uint64_t)n - k - 1, (uint64_t)n, 1 - p), 2e-3);
		}
	}
}

TEST(beta_at_its_ends)
{
	T_NEAR(prob_beta(0, 2, 3), 0, 0);
	T_NEAR(prob_beta(1, 2, 3), 1, 0);
	T_NEAR(prob_beta(-1, 2, 3), 0, 0);
	T_NEAR(prob_beta(0.3, 1, 1), 0.3, 1e-12);
	T_NEAR(prob_beta(0.5, 40, 40), 0.5, 1e-12);
}
