/* SPDX-License-Identifier: MIT */
/*
 * What a job does about failed I/Os: ends with the first, or goes on; and which errors do not
 * count.
 */
#ifndef CORE_FAULTS_H
#define CORE_FAULTS_H

#include "core/opt.h"

#define FAULTS_IGNORED_MAX	16

/* Bits of continue_on_error. */
#define FAULTS_READ	(1u << DIR_READ)
#define FAULTS_WRITE	(1u << DIR_WRITE)	/* trims and syncs too */
#define FAULTS_VERIFY	(1u << 3)

/* ignore_error: errnos per kind (read, write, verify). */
struct faults_ignored {
	uint32_t count[3];
	int err[3][FAULTS_IGNORED_MAX];
};

struct faults_conf {
	uint32_t go_on;			/* FAULTS_* bits */
	struct faults_ignored ignored;
	uint32_t dump;			/* error_dump: ignored errors are shown too */
	struct per_dir max_latency_ns;	/* 0: none */
};

extern const struct opt_table faults_options;

/* faults_fatal - does this failed I/O end the job? op: enum fl_op; err: positive errno. */
bool faults_fatal(const struct faults_conf *c, uint32_t op, int err);

/* faults_fatal_verify - the same of a read that verify found wrong (EILSEQ). */
bool faults_fatal_verify(const struct faults_conf *c);

/*
 * faults_go_on - is there any error that does not end the job? Then errors are
 * counted in the report.
 */
bool faults_go_on(const struct faults_conf *c);

/* faults_any_limit - is there a max_latency for any direction? */
bool faults_any_limit(const struct faults_conf *c);

#endif
