/* SPDX-License-Identifier: MIT */
/*
 * How long it takes to put the results of many jobs together, and to write them.
 *
 *	results JOBS SAMPLES [OPTION...]
 *
 * JOBS jobs that read and write, with SAMPLES latencies of each kind in each direction, spread over
 * three decades, as if they had run; OPTION: of the jobs (--group_reporting). Prints the ms of the
 * merge, the ms of writing json+ to nowhere, and how many MiB that were.
 */
#include "core/cli.h"
#include "core/job.h"
#include "core/merge.h"
#include "core/report.h"
#include "lib/rand.h"
#include "os/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(struct crew_job *j, uint64_t samples, struct rand *r)
{
	struct worker_block *b = j->block;

	for (int d = DIR_READ; d <= DIR_WRITE; d++) {
		for (uint64_t i = 0; i < samples; i++) {
			uint64_t ns = (uint64_t)(1000 * exp(rand_double(r) * 6.9));

			lat_add(&b->dir[d].slat, ns / 4 + 1);
			lat_add(&b->dir[d].clat, ns);
			lat_add(&b->dir[d].lat, ns + ns / 4);
		}
		b->dir[d].ios = b->dir[d].done_ios = samples;
		b->dir[d].bytes = samples * 4096;
	}
	b->wall_start_ms = 1;
	b->start_ns = 1;
	b->end_ns = 1000000001;
	atomic_store(&b->state, WORKER_DONE);
	j->started = j->ended = true;
}

static void measure(const struct crew *crew, const struct jobs *jobs, const struct diag *diag)
{
	static const struct reporter_how how = { .terse_version = REPORTER_TERSE_DEFAULT };
	report_formats format = report_bit(report_by_name("json+"));
	FILE *out = fopen("/dev/null", "w");
	uint64_t begin = clock_now_ns(), merged, written;
	char *text = NULL;
	size_t bytes = 0;
	struct result r;
	FILE *page;

	merge_make(&r, crew, jobs, NULL, diag, false);
	merged = clock_now_ns();
	if (!out || report_write(&r, format, &how, out))
		perror("/dev/null");
	written = clock_now_ns();
	page = open_memstream(&text, &bytes);
	report_write(&r, format, &how, page);
	fclose(page);
	printf("%.1f %.1f %.1f\n", (double)(merged - begin) / 1e6, (double)(written - merged) / 1e6,
	       (double)bytes / 1048576);
	free(text);
	merge_free(&r);
	fclose(out);
}

int main(int argc, char **argv)
{
	static char *words[32] = { "results", "--ioengine=null", "--rw=randrw", "--size=1m",
				   "--iodepth=4", "--slat_percentiles=1", "--lat_percentiles=1" };
	const struct cli_rows rows = { .find = job_option, .name = job_option_name };
	struct diag *diag = diag_new(false);
	char clones[32], why[256];
	int count = 7;
	struct cli cli;
	struct jobs jobs;
	struct plan plan;
	struct crew crew;
	struct rand r;

	if (argc < 3 || argc > 20) {
		fputs("usage: results JOBS SAMPLES [OPTION...]\n", stderr);
		return 2;
	}
	snprintf(clones, sizeof(clones), "--numjobs=%s", argv[1]);
	words[count++] = "--name=many";
	words[count++] = clones;
	for (int i = 3; i < argc; i++)
		words[count++] = argv[i];
	clock_init(CLOCK_USE_AUTO);
	if (cli_parse(&cli, count, words, &rows, diag) ||
	    jobs_parse(&jobs, cli.spec, &(struct jobs_forbidden){ .change = false }, diag) ||
	    plan_make(&plan, &jobs, diag) || crew_init(&crew, &plan, why, sizeof(why))) {
		diag_print(diag, stderr);
		return 1;
	}
	rand_seed(&r, 1, 1);
	for (size_t i = 0; i < crew.count; i++)
		fill(&crew.jobs[i], strtoull(argv[2], NULL, 10), &r);
	measure(&crew, &jobs, diag);
	crew_free(&crew);
	plan_free(&plan);
	jobs_free(&jobs);
	cli_free(&cli);
	diag_free(diag);
	return 0;
}
