/* SPDX-License-Identifier: MIT */
/*
 * stats - what shell tests want to know of a list of numbers, one a line on standard input.
 *
 *	stats runs			z of the runs test about the median (Wald and Wolfowitz)
 *	stats chi N [SHARE...]		z of chi-square: are the numbers 0..N-1 met as often as
 *					these shares say, without shares equally often?
 *	stats ks N			D of Kolmogorov and Smirnov times the root of the count,
 *					against a uniform distribution over 0..N-1
 *	stats ks2 FILE			the same for two samples: standard input and FILE
 *	stats top N PERCENT...		share of the numbers, in percent, that the most frequent
 *					PERCENT of N values have
 *	stats once N			is every number of 0..N-1 there exactly once?
 *
 * z of chi is (X2 - df) / sqrt(2 df): about normal with mean 0 for many classes. Prints one number
 * a line. Status: 0; `once` 1 when it is not so; 2 wrong usage or input.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
	double *v;
	size_t n;
};

static void die(const char *what)
{
	fprintf(stderr, "stats: %s\n", what);
	exit(2);
}

static struct list read_list(FILE *f)
{
	struct list l = { NULL, 0 };
	size_t room = 0;
	double x;
	int got;

	while ((got = fscanf(f, "%lf", &x)) == 1) {
		if (l.n == room) {
			room = room ? room * 2 : 4096;
			l.v = realloc(l.v, room * sizeof(*l.v));
			if (!l.v)
				die("no memory");
		}
		l.v[l.n++] = x;
	}
	if (got != EOF || !l.n)
		die("numbers are expected, one a line");
	return l;
}

static int up(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int down(const void *a, const void *b)
{
	return up(b, a);
}

static size_t count_arg(const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (*end || !n || n > 1ull << 32)
		die("N must be a number from 1 to 2^32");
	return (size_t)n;
}

/* How often each value of 0..n-1 is there. */
static double *tally(const struct list *l, size_t n)
{
	double *count = calloc(n, sizeof(*count));

	if (!count)
		die("no memory");
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i] < 0 || l->v[i] >= (double)n)
			die("a number is outside of 0..N-1");
		count[(size_t)l->v[i]]++;
	}
	return count;
}

static double runs(const struct list *l)
{
	double *sorted = malloc(l->n * sizeof(*sorted)), median, low = 0, high = 0;
	double turns = 1, mean, var;
	int before = -1;

	if (!sorted)
		die("no memory");
	memcpy(sorted, l->v, l->n * sizeof(*sorted));
	qsort(sorted, l->n, sizeof(*sorted), up);
	median = (sorted[(l->n - 1) / 2] + sorted[l->n / 2]) / 2;
	free(sorted);
	for (size_t i = 0; i < l->n; i++) {
		int above = l->v[i] > median;

		turns += before >= 0 && above != before;
		before = above;
		*(above ? &high : &low) += 1;
	}
	mean = 1 + 2 * low * high / (low + high);
	var = (mean - 1) * (mean - 2) / (low + high - 1);
	return (turns - mean) / sqrt(var);
}

static double chi(const struct list *l, size_t n, char **shares)
{
	double *count = tally(l, n), sum = 0, x2 = 0;

	for (size_t i = 0; *shares && i < n; i++)
		sum += atof(shares[i]);
	for (size_t i = 0; i < n; i++) {
		double want = (double)l->n * (*shares ? atof(shares[i]) / sum : 1 / (double)n);

		x2 += want > 0 ? (count[i] - want) * (count[i] - want) / want : count[i] * 1e9;
	}
	free(count);
	return (x2 - (double)(n - 1)) / sqrt(2 * (double)(n - 1));
}

/* The numbers are whole: between k and k + 1 the distribution is compared at the end of k only. */
static double ks(struct list *l, size_t n)
{
	double most = 0;

	qsort(l->v, l->n, sizeof(*l->v), up);
	for (size_t i = 0; i < l->n; i++) {
		if (i + 1 < l->n && l->v[i + 1] == l->v[i])
			continue;
		most = fmax(most, fabs((double)(i + 1) / (double)l->n - (l->v[i] + 1) / (double)n));
	}
	return most * sqrt((double)l->n);
}

static double ks2(struct list *a, struct list *b)
{
	size_t i = 0, j = 0;
	double most = 0;

	qsort(a->v, a->n, sizeof(*a->v), up);
	qsort(b->v, b->n, sizeof(*b->v), up);
	while (i < a->n && j < b->n) {
		double x = fmin(a->v[i], b->v[j]);

		while (i < a->n && a->v[i] == x)
			i++;
		while (j < b->n && b->v[j] == x)
			j++;
		most = fmax(most, fabs((double)i / (double)a->n - (double)j / (double)b->n));
	}
	return most * sqrt((double)a->n * (double)b->n / (double)(a->n + b->n));
}

static void top(const struct list *l, size_t n, char **percents)
{
	double *count = tally(l, n);

	qsort(count, n, sizeof(*count), down);
	for (; *percents; percents++) {
		size_t upto = (size_t)(atof(*percents) / 100 * (double)n);
		double sum = 0;

		for (size_t i = 0; i < upto && i < n; i++)
			sum += count[i];
		printf("%.3f\n", sum / (double)l->n * 100);
	}
	free(count);
}

static int once(const struct list *l, size_t n)
{
	double *count = tally(l, n);
	int bad = l->n != n;

	for (size_t i = 0; i < n; i++)
		bad |= count[i] != 1;
	free(count);
	return bad;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct list l = { NULL, 0 };
	int status = 0;

	if (argc < (strcmp(what, "runs") ? 3 : 2))
		die("usage: stats runs | chi N [SHARE...] | ks N | ks2 FILE | "
		    "top N PERCENT... | once N");
	l = read_list(stdin);
	if (!strcmp(what, "runs")) {
		printf("%.3f\n", runs(&l));
	} else if (!strcmp(what, "chi")) {
		size_t n = count_arg(argv[2]);

		if (argc > 3 && (size_t)argc != 3 + n)
			die("a share for each of the N numbers, or none");
		printf("%.3f\n", chi(&l, n, argv + 3));
	} else if (!strcmp(what, "ks")) {
		printf("%.3f\n", ks(&l, count_arg(argv[2])));
	} else if (!strcmp(what, "ks2")) {
		FILE *f = fopen(argv[2], "r");
		struct list other;

		if (!f)
			die("cannot open the file");
		other = read_list(f);
		fclose(f);
		printf("%.3f\n", ks2(&l, &other));
		free(other.v);
	} else if (!strcmp(what, "top")) {
		top(&l, count_arg(argv[2]), argv + 3);
	} else if (!strcmp(what, "once")) {
		status = once(&l, count_arg(argv[2]));
	} else {
		die("no such test");
	}
	free(l.v);
	return status;
}
