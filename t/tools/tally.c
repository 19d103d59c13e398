/* SPDX-License-Identifier: MIT */
/*
 * tally - what the jobs of a JSON result come to, however many there are.
 *
 *	tally FILE
 *
 * Prints lines of a word and a number: jobs, names (different ones), workers, errors; of read and
 * write the I/Os, bytes, and the fewest and most I/Os of a job; untrue: how many jobs are not sound
 * in themselves. A sound one has as many latencies as I/Os in every place that tells them, also in
 * its bins if there are any; io_kbytes, iops and bw_bytes follow from I/Os, bytes and runtime; and
 * the percentiles rise from minimum to maximum. The first that is not is told on stderr.
 *
 * For runs whose I/Os all went well. Status: 0; 1 if a job is not sound.
 */
#define J_PROGRAM "tally"
#include "t/json.h"

#include <math.h>
#include <stdint.h>

static const char *const dirs[] = { "read", "write" };

static uint64_t workers, errors, untrue;
static struct {
	uint64_t ios, bytes, least, most;
} all[2];

static uint64_t whole(const struct j_node *n, const char *key)
{
	const struct j_node *v = j_member(n, key);

	if (!v || v->type != J_INT)
		j_die(1, "%s: no number %s", j_name, key);
	return strtoull(v->from, NULL, 10);
}

static double number(const struct j_node *n, const char *key)
{
	const struct j_node *v = j_member(n, key);

	if (!v || (v->type != J_INT && v->type != J_FLOAT))
		j_die(1, "%s: no number %s", j_name, key);
	return strtod(v->from, NULL);
}

/* Of a job: what it says of so many I/Os. NULL, or what is not so. */
static const char *lat_fault(const struct j_node *dir, const char *key, uint64_t ios)
{
	const struct j_node *lat = j_member(dir, key), *bins = j_member(lat, "bins");
	const struct j_node *percentile = j_member(lat, "percentile");
	double last = number(lat, "min");
	uint64_t sum = 0;

	if (whole(lat, "N") != ios)
		return "latencies";
	for (const struct j_node *c = bins ? bins->child : NULL; c; c = c->next)
		sum += strtoull(c->from, NULL, 10);
	if (bins && sum != ios)
		return "bins";
	for (const struct j_node *c = percentile ? percentile->child : NULL; c; c = c->next) {
		double value = strtod(c->from, NULL);

		if (value < last)
			return "percentiles";
		last = value;
	}
	if (last > number(lat, "max"))
		return "percentiles";
	return NULL;
}

static const char *dir_fault(const struct j_node *dir, bool async)
{
	uint64_t ios = whole(dir, "total_ios"), bytes = whole(dir, "io_bytes");
	double seconds = number(dir, "runtime") / 1000;
	const char *fault = lat_fault(dir, "clat_ns", ios);

	if (!fault)
		fault = lat_fault(dir, "lat_ns", ios);
	if (!fault && async)
		fault = lat_fault(dir, "slat_ns", ios);
	if (fault)
		return fault;
	if (whole(dir, "io_kbytes") != bytes / 1024)
		return "io_kbytes";
	if (fabs(number(dir, "iops") * seconds - (double)ios) > 1e-6 * seconds + 1e-9 * (double)ios)
		return "iops";
	if (fabs(number(dir, "bw_bytes") * seconds - (double)bytes) > seconds)
		return "bw_bytes";
	return NULL;
}

static void add(const struct j_node *job, bool first)
{
	const struct j_node *more = j_member(job, "fio-like");

	workers += whole(more, "jobs");
	errors += whole(job, "error") != 0 || whole(more, "errors") != 0;
	for (int d = 0; d < 2; d++) {
		const struct j_node *dir = j_member(job, dirs[d]);
		bool async = whole(j_member(dir, "slat_ns"), "N") > 0;
		uint64_t ios = whole(dir, "total_ios");
		const char *fault = dir_fault(dir, async);

		if (fault && !untrue++)
			fprintf(stderr, "tally: %s of job %s: %s are not of its %s I/Os\n",
				dirs[d], j_member(job, "jobname")->text, fault, dirs[d]);
		all[d].ios += ios;
		all[d].bytes += whole(dir, "io_bytes");
		if (first || ios < all[d].least)
			all[d].least = ios;
		if (first || ios > all[d].most)
			all[d].most = ios;
	}
}

static size_t names_of(const struct j_node *jobs)
{
	char **names = j_must(malloc((jobs->children + 1) * sizeof(*names)));
	size_t n = 0, different = 0;

	for (const struct j_node *c = jobs->child; c; c = c->next)
		names[n++] = j_member(c, "jobname")->text;
	qsort(names, n, sizeof(*names), j_by_key);
	for (size_t i = 0; i < n; i++)
		different += !i || strcmp(names[i], names[i - 1]) != 0;
	free(names);
	return different;
}

int main(int argc, char **argv)
{
	const struct j_node *jobs;
	struct j_node *root;
	char *text;

	if (argc != 2)
		j_die(2, "usage: tally FILE");
	text = j_read(argv[1]);
	root = j_only();
	jobs = j_find(root, "jobs");
	for (const struct j_node *c = jobs->child; c; c = c->next)
		add(c, c == jobs->child);
	printf("jobs %zu\nnames %zu\nworkers %llu\nerrors %llu\n", jobs->children, names_of(jobs),
	       (unsigned long long)workers, (unsigned long long)errors);
	for (int d = 0; d < 2; d++)
		printf("%s_ios %llu\n%s_bytes %llu\n%s_least %llu\n%s_most %llu\n",
		       dirs[d], (unsigned long long)all[d].ios,
		       dirs[d], (unsigned long long)all[d].bytes,
		       dirs[d], (unsigned long long)all[d].least,
		       dirs[d], (unsigned long long)all[d].most);
	printf("untrue %llu\n", (unsigned long long)untrue);
	j_free(root);
	free(text);
	return untrue > 0;
}
