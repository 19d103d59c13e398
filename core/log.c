/* SPDX-License-Identifier: MIT */
/* The options of logs, and the names of the files. */
#include "core/log.h"
#include "core/measure.h"
#include "core/proc.h"
#include "lib/logfmt.h"
#include "lib/zip.h"
#include "os/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MS_MAX		(1ull << 31)
#define ENTRIES_MIN	1024
#define ENTRIES_MAX	1048576
#define CHUNK_MIN	1024
#define CHUNK_MAX	(512ull << 20)

static const struct fl_opt_value value_names[] = {
	{ "avg", LOG_VALUE_AVG, "the average" },
	{ "max", LOG_VALUE_MAX, "the largest" },
	{ "both", LOG_VALUE_BOTH, "the average, and the largest in a column behind it" },
	{ "0", LOG_VALUE_AVG, "avg" },
	{ "1", LOG_VALUE_MAX, "max" },
	{ NULL, 0, NULL },
};

static const struct fl_opt_value unit_names[] = {
	{ "ms", 1000000, "milliseconds" },
	{ "us", 1000, "microseconds" },
	{ "ns", 1, "nanoseconds" },
	{ NULL, 0, NULL },
};

#define AT(member)	.offset = offsetof(struct log_conf, member)
#define NAMES		.unit = "beginning of the file's name"

static const struct fl_opt rows[] = {
	{ .name = "write_bw_log", .type = OPT_STR_BARE, AT(bw), NAMES,
	  .help = "log bandwidth to NAME_bw.N.log",
	  .more = "N is the number of the job in the run, from 1. Without a value the job's "
		  "name is taken. What the columns are: doc/logs.md." },
	{ .name = "write_iops_log", .type = OPT_STR_BARE, AT(iops), NAMES,
	  .help = "log I/Os per second to NAME_iops.N.log",
	  .more = "Without log_avg_msec each I/O has a line, and its value is 1." },
	{ .name = "write_lat_log", .type = OPT_STR_BARE, AT(lat), NAMES,
	  .help = "log latencies to NAME_slat.N.log, NAME_clat.N.log and NAME_lat.N.log" },
	{ .name = "write_hist_log", .type = OPT_STR_BARE, AT(hist), NAMES,
	  .help = "log histograms of completion latency to NAME_clat_hist.N.log",
	  .more = "The file is empty unless log_hist_msec is set." },
	{ .name = "write_iolog", .type = FL_OPT_STR, AT(iolog), .unit = "file",
	  .help = "log what is issued, in that order, for read_iolog",
	  .more = "An iolog of version 3: it has the times, too. Of jobs and clones that name the "
		  "same file, each but the first adds its number in the run to it: FILE.1, "
		  "FILE.2. See doc/iologs.md." },
	{ .name = "log_avg_msec", .type = FL_OPT_U64, AT(window_ms), .max = MS_MAX, .unit = "ms",
	  .help = "log one line per window of this length; 0: one per I/O" },
	{ .name = "log_window_value", .alias = "log_max_value", .type = FL_OPT_ENUM, AT(value),
	  .values = value_names, .def = "avg", .help = "what the line of a window holds" },
	{ .name = "log_hist_msec", .type = FL_OPT_U64, AT(hist_ms), .max = MS_MAX, .unit = "ms",
	  .help = "time from one histogram to the next; 0: none" },
	{ .name = "log_hist_coarseness", .type = FL_OPT_U32, AT(coarseness),
	  .max = LOGFMT_HIST_COARSENESS_MAX,
	  .help = "put 2^N bins of a histogram together; 0 leaves all 1856" },
	{ .name = "log_offset", .type = FL_OPT_BOOL, AT(offset),
	  .help = "a column with the offset of the I/O" },
	{ .name = "log_prio", .type = FL_OPT_BOOL, AT(prio),
	  .help = "the priority of the I/O in hexadecimal, not only 1 for real time" },
	{ .name = "log_issue_time", .type = FL_OPT_BOOL, AT(issue),
	  .help = "a column with the time of issue; needs write_lat_log and log_offset" },
	{ .name = "log_time_unit", .type = FL_OPT_ENUM, AT(unit_ns), .values = unit_names,
	  .def = "ms", .help = "what the first column counts" },
	{ .name = "log_unix_epoch", .type = FL_OPT_BOOL, AT(unix_epoch),
	  .help = "times of logs begin in 1970, not with the job" },
	{ .name = "log_alternate_epoch", .type = FL_OPT_BOOL, AT(alternate_epoch),
	  .help = "times of logs are those of the clock log_alternate_epoch_clock_id" },
	{ .name = "log_alternate_epoch_clock_id", .type = FL_OPT_U32, AT(epoch_clock),
	  .max = INT32_MAX,
	  .help = "that clock by its number in clock_gettime(2); 0 is CLOCK_REALTIME" },
	{ .name = "per_job_logs", .type = FL_OPT_BOOL, AT(per_job), .def = "1",
	  .help = "0: no N in the names; jobs of one name share a file" },
	{ .name = "log_entries", .type = FL_OPT_U32, AT(entries), .min = ENTRIES_MIN,
	  .max = ENTRIES_MAX,
	  .help = "room for so many entries between a job and the writer of the logs",
	  .more = "Memory does not grow with the log. A job that is faster than the writer for "
		  "so long that this fills up waits between two I/Os; the result counts it." },
	{ .name = "log_store_compressed", .type = FL_OPT_BOOL, AT(compressed),
	  .help = "compress logs as they are written, to files that end in .fz",
	  .more = "--inflate-log=FILE prints them." },
	{ .name = "log_compression", .type = FL_OPT_SIZE, AT(chunk_bytes), .min = CHUNK_MIN,
	  .max = CHUNK_MAX, .unit = "bytes",
	  .help = "with log_store_compressed: so much is compressed at a time" },
	{ .name = "log_compression_cpus", .type = OPT_CUSTOM, AT(cpus), .parse = proc_parse_cpus,
	  .unit = "list of CPUs, as in 0-3,5", .help = "CPUs where logs are written" },
};

const struct opt_table log_options = OPT_TABLE("Logs", rows, 0);

/* ---- Which logs there are -------------------------------------------------------------------- */

/* As in fio, what is not measured has no file, and an unmeasured rate has an empty one. */
static void settle(struct log_conf *c, const struct measure_conf *m)
{
	c->wanted[LOG_BW] = c->bw;
	c->wanted[LOG_IOPS] = c->iops;
	c->wanted[LOG_SLAT] = c->lat && !m->disable_slat;
	c->wanted[LOG_CLAT] = c->lat && !m->disable_clat;
	c->wanted[LOG_LAT] = c->lat && !m->disable_lat;
	c->wanted[LOG_HIST] = c->hist;
	for (int k = 0; k < LOG_KINDS; k++)
		c->filled[k] = c->wanted[k];
	c->filled[LOG_BW] &= !m->disable_bw;
	c->filled[LOG_IOPS] &= !m->gtod_reduce;
	c->filled[LOG_HIST] &= c->hist_ms && !m->disable_clat;
}

static const char *unfilled(const struct log_conf *c, const struct measure_conf *m)
{
	if (c->bw && !c->filled[LOG_BW])
		return m->gtod_reduce ? "write_bw_log: gtod_reduce=1 leaves the log empty" :
		       "write_bw_log: disable_bw_measurement=1 leaves the log empty";
	if (c->iops && !c->filled[LOG_IOPS])
		return "write_iops_log: gtod_reduce=1 leaves the log empty";
	if (c->lat && m->gtod_reduce)
		return "write_lat_log: gtod_reduce=1 measures no latency, so there is no log";
	if (c->hist && !c->hist_ms)
		return "write_hist_log: the log stays empty without log_hist_msec";
	if (c->hist && m->disable_clat)
		return "write_hist_log: disable_clat=1 leaves the log empty";
	if (c->hist_ms && !c->hist)
		return "log_hist_msec has no effect without write_hist_log";
	if (c->chunk_bytes && !c->compressed)
		return "log_compression has no effect without log_store_compressed: logs are "
		       "written as they come and take no memory";
	return NULL;
}

int log_check(struct log_conf *c, const struct measure_conf *m, char *why, size_t why_bytes)
{
	const char *note;
	uint64_t ns;

	settle(c, m);
	if (c->issue && !(c->lat && c->offset)) {
		snprintf(why, why_bytes, "log_issue_time=1 needs write_lat_log and log_offset=1");
		return -EINVAL;
	}
	if (clock_read_ns((clockid_t)c->epoch_clock, &ns)) {
		snprintf(why, why_bytes, "log_alternate_epoch_clock_id=%u: this kernel has no "
			 "clock of that number", c->epoch_clock);
		return -EINVAL;
	}
	if (c->compressed && !zip_here()) {
		snprintf(why, why_bytes, "log_store_compressed=1: this program was built without "
			 "zlib; install zlib1g-dev and build it again");
		return -EINVAL;
	}
	note = unfilled(c, m);
	if (note)
		snprintf(why, why_bytes, "%s", note);
	return note != NULL;
}

bool log_each(const struct log_conf *c)
{
	if (c->window_ms)
		return false;
	for (int k = LOG_BW; k <= LOG_LAT; k++)
		if (c->filled[k])
			return true;
	return false;
}

bool log_windows(const struct log_conf *c)
{
	return c->window_ms &&
	       (c->filled[LOG_SLAT] || c->filled[LOG_CLAT] || c->filled[LOG_LAT]);
}

bool log_any(const struct log_conf *c)
{
	for (int k = 0; k < LOG_KINDS; k++)
		if (c->wanted[k])
			return true;
	return c->iolog;
}

uint64_t log_interval_ms(const struct log_conf *c, bool bandwidth, uint64_t own_ms)
{
	bool logged = c->filled[bandwidth ? LOG_BW : LOG_IOPS];

	return logged && c->window_ms ? fl_min(c->window_ms, own_ms) : own_ms;
}

uint32_t log_columns(const struct log_conf *c)
{
	return (c->offset ? LOGFMT_OFFSET : 0) | (c->prio ? LOGFMT_PRIO : 0) |
	       (c->issue ? LOGFMT_ISSUE : 0) |
	       (c->window_ms && c->value == LOG_VALUE_BOTH ? LOGFMT_LARGEST : 0);
}

/* ---- Names ----------------------------------------------------------------------------------- */

void log_path(const struct log_conf *c, enum log_kind kind, const char *job, uint32_t number,
	     char path[LOG_PATH_BYTES])
{
	static const char *const endings[LOG_KINDS] = {
		"bw", "iops", "slat", "clat", "lat", "clat_hist",
	};
	const char *begin = kind == LOG_BW ? c->bw : kind == LOG_IOPS ? c->iops :
			    kind == LOG_HIST ? c->hist : c->lat;
	size_t from_job = *begin ? 0 : strlen(job);
	char n[16] = "";

	if (c->per_job)
		snprintf(n, sizeof(n), ".%u", number);
	snprintf(path, LOG_PATH_BYTES, "%s_%s%s.log%s", *begin ? begin : job, endings[kind], n,
		 c->compressed ? ".fz" : "");
	/* A job may be called /dev/sda; its logs belong here all the same. */
	for (size_t i = 0; i < from_job && path[i]; i++)
		path[i] = path[i] == '/' ? '_' : path[i];
}
