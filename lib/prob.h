/* SPDX-License-Identifier: MIT */
/*
 * The few probability distributions that honest statistics need: normal, Student's t, binomial.
 * All of them but the first come from one function, the regularized incomplete beta function.
 */
#ifndef LIB_PROB_H
#define LIB_PROB_H

#include "lib/base.h"

/*
 * prob_beta - I_x(a, b), the regularized incomplete beta function: 0 at x = 0, 1 at x = 1. x: 0 to
 * 1; a, b: above 0. Good to 1e-9 for a and b below 1e6.
 */
double prob_beta(double x, double a, double b);

/* prob_normal_quantile - z with so much of the standard normal distribution below it; 0 < p < 1. */
double prob_normal_quantile(double p);

/* prob_t_quantile - the same for Student's t of dof (1 or more) degrees of freedom. */
double prob_t_quantile(double p, double dof);

/* prob_binomial - the chance of at most k successes in n trials of chance p each; 0 <= p <= 1. */
double prob_binomial(uint64_t k, uint64_t n, double p);

#endif
