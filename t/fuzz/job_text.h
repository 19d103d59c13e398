/* SPDX-License-Identifier: MIT */
/*
 * What the fuzzers of job files and command lines share: all of a spec's options are set, as far as
 * that runs nothing. Engines are found by name only; standard input is empty; and nothing that a
 * log of read_iolog= is kept in grows large.
 */
#ifndef T_FUZZ_JOB_TEXT_H
#define T_FUZZ_JOB_TEXT_H

#include "core/engines.h"
#include "core/job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where what is shown goes. The first call prepares the process. */
static FILE *nowhere(void)
{
	const struct rlimit small = { 8 << 20, 8 << 20 };
	static FILE *out;
	int in;

	if (out)
		return out;
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	out = fopen("/dev/null", "we");
	fl_assert(out && in >= 0 && dup2(in, 0) == 0);
	signal(SIGXFSZ, SIG_IGN);
	fl_assert(!setrlimit(RLIMIT_FSIZE, &small));
	engines_forbid_paths();
	return out;
}

/* There are jobs, or complaints. */
static void parse_jobs(const struct spec *spec, const struct jobs_forbidden *forbidden,
		       struct diag *diag)
{
	struct jobs jobs;
	int err = jobs_parse(&jobs, spec, forbidden, diag);

	fl_assert((err != 0) == (diag_errors(diag) != 0));
	for (size_t i = 0; !err && i < jobs.count; i++) {
		const struct job *job = &jobs.list[i];

		fl_assert(job->engine && job->section && job->name);
		fl_assert(!job->engine->ops.conf_size || job->engine_opts);
	}
	jobs_free(&jobs);
}

#endif
