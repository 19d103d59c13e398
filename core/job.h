/* SPDX-License-Identifier: MIT */
/*
 * A job: the settings of one section, parsed, checked, with its engine.
 *
 * This is where the option tables of all files meet. The file that implements an option owns its
 * row and its conf struct; here they are only put side by side.
 */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include "core/buffer.h"
#include "core/cgroups.h"
#include "core/clocks.h"
#include "core/depth.h"
#include "core/engines.h"
#include "core/exec.h"
#include "core/expect.h"
#include "core/faults.h"
#include "core/files.h"
#include "core/flow.h"
#include "core/gate_minimum.h"
#include "core/gate_rate.h"
#include "core/iosched.h"
#include "core/latency.h"
#include "core/log.h"
#include "core/measure.h"
#include "core/memlimit.h"
#include "core/pace.h"
#include "core/proc.h"
#include "core/replay.h"
#include "core/safety.h"
#include "core/spec.h"
#include "core/steady.h"
#include "core/verify.h"
#include "core/workload.h"

struct engine_conf {
	const char *name;		/* ioengine= */
	uint32_t kb_base;
};

struct job {
	const char *section;		/* name of the section: names the data files */
	const char *name;		/* as reported */
	struct origin at;
	int file;			/* see struct section */
	struct engine_conf select;
	struct workload_conf workload;
	struct pace_conf pace;
	struct rate_conf rate;
	struct minimum_conf minimum;
	struct files_conf files;
	struct safety_conf safety;
	struct buffer_conf buffer;
	struct depth_conf depth;
	struct measure_conf measure;
	struct clocks_conf clocks;
	struct log_conf log;
	struct proc_conf proc;
	struct exec_conf exec;
	struct iosched_conf iosched;
	struct cgroups_conf cgroups;
	struct faults_conf faults;
	struct memlimit_conf memlimit;
	struct expect_conf expect;
	struct steady_conf steady;
	struct flow_conf flow;
	struct latency_conf latency;
	struct verify_conf verify;
	struct replay_conf replay;
	struct replay_logs *logs;	/* of read_iolog; NULL: the workload is by options */
	const struct engine *engine;
	void *engine_opts;		/* engine->ops.conf_size bytes */
	struct settings echo;		/* its own settings: canonical names, text as written */
};

struct jobs {
	struct job *list;
	size_t count;
	struct settings global_echo;	/* likewise, of the global settings */
};

/* What the user forbids all jobs. */
struct jobs_forbidden {
	bool change;			/* --readonly: jobs that write or trim, and more */
	bool exec;			/* --no-exec: commands; see engines_forbid_paths(), too */
};

/*
 * jobs_parse - all sections of a spec into jobs. Complaints and notes go to diag, all in one go.
 * Returns 0, or -EINVAL. jobs_free() in both cases; the spec must outlive the jobs.
 */
int jobs_parse(struct jobs *jobs, const struct spec *spec, const struct jobs_forbidden *forbidden,
	       struct diag *diag);
void jobs_free(struct jobs *jobs);

/* job_tables - the runner's own option tables, in the order of the manual. *count of them. */
const struct opt_table *const *job_tables(size_t *count);

/* job_conf - what table i of job_tables() has its values in. */
const void *job_conf(const struct job *job, size_t i);

/* job_defaults - a job of which nothing has been said: all options at their defaults. */
void job_defaults(struct job *job);

/*
 * job_option - the row of an option: the runner's own, or of the engine of that name (NULL: the
 * default). For the command line. ctx is unused. Returns 0, or -ENOENT.
 */
int job_option(void *ctx, const char *option, const char *engine, struct fl_opt *out);
/* job_option_name - the i-th of all names and aliases job_option() knows; NULL behind the last. */
const char *job_option_name(void *ctx, const char *engine, size_t i);

#endif
