/* SPDX-License-Identifier: MIT */
/*
 * Logs of a job: what is logged, how, and the names of the files.
 *
 * A log has a line per I/O, or with log_avg_msec one per window of time. Bandwidth and IOPS of a
 * window, and histograms, are read off the counters that a worker has anyway; only lines of single
 * I/Os, and latencies of windows, need the worker (log_ring.h).
 */
#ifndef CORE_LOG_H
#define CORE_LOG_H

#include "core/opt.h"
#include "os/cpu.h"

#include <time.h>

enum log_kind { LOG_BW, LOG_IOPS, LOG_SLAT, LOG_CLAT, LOG_LAT, LOG_HIST, LOG_KINDS };

/* What a window's line holds. */
enum log_value { LOG_VALUE_AVG, LOG_VALUE_MAX, LOG_VALUE_BOTH };

#define LOG_PATH_BYTES	4200		/* longer than the system takes */

struct measure_conf;

struct log_conf {
	/* what names begin with; "": the job's; NULL: no log */
	const char *bw, *iops, *lat, *hist;
	const char *iolog;		/* write_iolog; NULL: none */
	uint64_t window_ms;		/* 0: a line per I/O */
	uint64_t hist_ms;		/* 0: no histograms */
	uint32_t coarseness;
	uint32_t value;			/* enum log_value */
	uint32_t offset, prio, issue;	/* columns */
	uint32_t entries;		/* of the ring; 0: as many as seem right */
	uint32_t unix_epoch, alternate_epoch;
	uint32_t epoch_clock;		/* clockid_t */
	uint32_t unit_ns;		/* what the time column counts */
	uint64_t chunk_bytes;		/* of a compressed log; 0: as seems right */
	uint32_t compressed;
	struct cpus *cpus;		/* where logs are compressed; NULL: anywhere */
	uint32_t per_job;
	/* by log_settle() */
	bool wanted[LOG_KINDS];		/* there is to be a file */
	bool filled[LOG_KINDS];		/* and something will be in it */
};

extern const struct opt_table log_options;

/*
 * log_check - 0; -EINVAL with a sentence in why; or 1 with a note in why. Resolves which logs there
 * are, given what is measured.
 */
int log_check(struct log_conf *c, const struct measure_conf *m, char *why, size_t why_bytes);

/* log_each - does each I/O have lines of its own? Then the worker stamps every I/O. */
bool log_each(const struct log_conf *c);

/* log_windows - are latencies gathered by windows? Then, too. */
bool log_windows(const struct log_conf *c);

/* log_any - is there any log? */
bool log_any(const struct log_conf *c);

/*
 * log_interval_ms - how often bandwidth (else IOPS) is to be sampled, where own_ms is what
 * bwavgtime (iopsavgtime) says: a log by windows wants no longer ones.
 */
uint64_t log_interval_ms(const struct log_conf *c, bool bandwidth, uint64_t own_ms);

/*
 * log_path - name of the file of one log. number: of the job in the whole run, from 1. What does
 * not fit is cut off; such a name is too long for the system, too.
 */
void log_path(const struct log_conf *c, enum log_kind kind, const char *job, uint32_t number,
	     char path[LOG_PATH_BYTES]);

/* log_columns - LOGFMT_* of its lines, of the latencies or of the others. */
uint32_t log_columns(const struct log_conf *c);

#endif
