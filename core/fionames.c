/* SPDX-License-Identifier: MIT */
/*
 * The names fio 3.42 gives to its options and those of its engines, with '_' for '-'. Only names:
 * what we act on has a row in some table of options, and those rows are asked first.
 */
#include "core/fionames.h"

#include "lib/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES	64

/* In the order of strcmp(). */
static const char *const option_names[] = {
	"allow_file_create", "allow_mounted_write", "allrandrepeat", "apptag", "apptag_mask",
	"arguments", "atomic", "ba", "bindname", "block_error_percentiles", "blockalign",
	"blocksize", "blocksize_range", "blocksize_unaligned", "brick", "bs", "bs_is_seq_rand",
	"bs_unaligned", "bsrange", "bssplit", "buffer_compress_chunk",
	"buffer_compress_percentage", "buffer_pattern", "buffered", "busy_poll",
	"busy_wait_polling", "bwavgtime", "cgroup", "cgroup_nodelete", "cgroup_weight",
	"chunk_size", "clat_percentiles", "clientname", "clocksource", "clustername", "cmd_type",
	"cmdprio", "cmdprio_bssplit", "cmdprio_class", "cmdprio_hint", "cmdprio_percentage",
	"comm", "conf", "continue_on_error", "cpuchunks", "cpuload", "cpumask", "cpumode",
	"cpus_allowed", "cpus_allowed_policy", "create_fsync", "create_on_open", "create_only",
	"create_serialize", "cuda_io", "dataplacement", "deac", "dedupe_global", "dedupe_mode",
	"dedupe_percentage", "dedupe_working_set_percentage", "description", "direct",
	"direct_write_to_pmem", "directory", "disable_bw", "disable_bw_measurement",
	"disable_clat", "disable_lat", "disable_slat", "disk_util", "do_verify", "donorname",
	"dp_scheme", "end_fsync", "end_syncfs", "error_dump", "exec_postrun", "exec_prerun",
	"exit_on_io_done", "exit_what", "exitall", "exitall_on_error", "experimental_verify",
	"fadvise_hint", "fallocate", "fdatasync", "fdp", "fdp_pli", "fdp_pli_select",
	"file_append", "file_service_type", "filename", "filename_format", "fileoffset",
	"filesize", "filetype", "fill_device", "fill_fs", "fixedbufs", "flow", "flow_id",
	"flow_sleep", "force_async", "fsync", "fsync_on_close", "gid", "gpu_dev_ids",
	"grace_time", "group_reporting", "gtod_cpu", "gtod_reduce", "hdfs_use_direct",
	"hdfsdirectory", "hipri", "hipri_percentage", "host", "hostname", "http_host",
	"http_mode", "http_pass", "http_s3_key", "http_s3_keyid", "http_s3_region",
	"http_s3_sse_customer_algorithm", "http_s3_sse_customer_key", "http_s3_storage_class",
	"http_swift_auth_token", "http_user", "http_verbose", "https", "hugepage_size",
	"ignore_error", "ignore_zone_limits", "inplace", "interface", "invalidate", "io_limit",
	"io_size", "io_submit_mode", "iodepth", "iodepth_batch", "iodepth_batch_complete",
	"iodepth_batch_complete_max", "iodepth_batch_complete_min", "iodepth_batch_submit",
	"iodepth_low", "ioengine", "iomem", "iomem_align", "iopsavgtime", "ioscheduler",
	"job_max_open_zones", "job_start_clock_id", "kb_base", "lat_percentiles",
	"latency_percentile", "latency_run", "latency_target", "latency_window",
	"libaio_vectored", "listen", "lockfile", "lockmem", "log_alternate_epoch",
	"log_alternate_epoch_clock_id", "log_avg_msec", "log_compression",
	"log_compression_cpus", "log_entries", "log_hist_coarseness", "log_hist_msec",
	"log_issue_time", "log_max_value", "log_offset", "log_prio", "log_store_compressed",
	"log_unix_epoch", "log_window_value", "loops", "max_latency", "max_open_zones",
	"md_per_io_size", "mem", "mem_align", "merge_blktrace_file", "merge_blktrace_iters",
	"merge_blktrace_scalars", "mss", "name", "namenode", "new_group", "nfs_url", "nice",
	"nodelay", "nonvectored", "norandommap", "nowait", "nr_files", "nrfiles", "num_range",
	"numa_cpu_nodes", "numa_mem_policy", "number_ios", "numjobs", "object_class", "offset",
	"offset_align", "offset_increment", "opendir", "openfiles", "overwrite", "per_job_logs",
	"percentage_random", "percentile_list", "pi_act", "pi_chk", "pingpong", "plid_select",
	"plids", "pool", "port", "pre_read", "prio", "prioclass", "priohint", "profile",
	"program", "proto", "protocol", "ramp_size", "ramp_time", "random_distribution",
	"random_generator", "random_sequence_stride", "randrepeat", "randseed", "rate",
	"rate_cycle", "rate_ignore_thinktime", "rate_iops", "rate_iops_min", "rate_min",
	"rate_process", "ratecycle", "ratemin", "rbdname", "read_beyond_wp", "read_iolog",
	"read_iolog_chunked", "readfua", "readwrite", "recover_zbd_write_error",
	"refill_buffers", "registerfiles", "replay_align", "replay_no_stall", "replay_redirect",
	"replay_scale", "replay_skip", "replay_time_scale", "runtime", "rw", "rw_sequencer",
	"rwmixread", "rwmixwrite", "scramble_buffers", "serialize_overlap", "serverip",
	"sg_write_mode", "significant_figures", "single_instance", "size", "skip_bad",
	"slat_percentiles", "softrandommap", "spr_cache_size", "spr_num_regions", "spr_op",
	"sprandom", "sqthread_poll", "sqthread_poll_cpu", "ss", "ss_dur", "ss_interval",
	"ss_ramp", "startdelay", "stat_type", "stats", "std_redirect", "steadystate",
	"steadystate_check_interval", "steadystate_duration", "steadystate_ramp_time",
	"stonewall", "stream_id", "sync", "sync_file_range", "thinkcycles", "thinktime",
	"thinktime_blocks", "thinktime_blocks_type", "thinktime_iotime", "thinktime_spin", "thp",
	"thread", "time_based", "timeout", "touch_objects", "trim_backlog", "trim_backlog_batch",
	"trim_percentage", "trim_verify_zero", "ttl", "uid", "uncached", "unified_rw_reporting",
	"unique_filename", "unit_base", "unlink", "unlink_each_loop", "uri", "userspace_reap",
	"verb", "verify", "verify_async", "verify_async_cpus", "verify_backlog",
	"verify_backlog_batch", "verify_dump", "verify_fatal", "verify_header_seed",
	"verify_interval", "verify_mode", "verify_offset", "verify_only", "verify_pattern",
	"verify_pattern_interval", "verify_policy", "verify_state_load", "verify_state_save",
	"verify_write_sequence", "volume", "wait_for", "wait_for_previous", "window_size",
	"write_barrier", "write_bw_log", "write_hint", "write_hist_log", "write_iolog",
	"write_iops_log", "write_lat_log", "write_mode", "write_zone_remainder", "writefua",
	"xnvme_admin", "xnvme_async", "xnvme_be", "xnvme_dev_nsid", "xnvme_dev_subnqn",
	"xnvme_iovec", "xnvme_mem", "xnvme_sync", "zero_buffers", "zone_reset_frequency",
	"zone_reset_threshold", "zonecapacity", "zonemode", "zonerange", "zonesize", "zoneskip",
};

/* What belongs to a part of fio that we do not have. Names stand between blanks. */
static const struct {
	const char *owner;
	const char *names;
} foreign[] = {
	{ "fio's engine cpuio", " cpuchunks cpuload cpumode exit_on_io_done " },
	{ "fio's network engines (net, netsplice, rdma)",
	  " hostname port protocol proto nodelay listen pingpong interface ttl window_size mss "
	  "bindname verb " },
	{ "fio's engines for persistent memory over RDMA (librpma)",
	  " serverip direct_write_to_pmem busy_wait_polling " },
	{ "fio's engine exec", " program arguments grace_time std_redirect " },
	{ "fio's engines for Ceph (rados, rbd)",
	  " clustername rbdname pool clientname conf busy_poll touch_objects " },
	{ "fio's engine gfapi", " volume brick single_instance " },
	{ "fio's engine libhdfs",
	  " namenode host hdfsdirectory chunk_size hdfs_use_direct " },
	{ "fio's engine http",
	  " http_host http_mode http_pass http_s3_key http_s3_keyid http_s3_region "
	  "http_s3_sse_customer_algorithm http_s3_sse_customer_key http_s3_storage_class "
	  "http_swift_auth_token http_user http_verbose https " },
	{ "fio's engine nfs", " nfs_url " },
	{ "fio's engine nbd", " uri " },
	{ "fio's engine dfs", " object_class " },
	{ "fio's engine e4defrag", " donorname inplace " },
	{ "fio's engines that only look files up (filestat)", " stat_type " },
	{ "fio's engine mtd", " skip_bad " },
	{ "fio's engine sg", " sg_write_mode stream_id " },
	{ "fio's engine libcufile", " cuda_io gpu_dev_ids " },
	{ "fio's engine xnvme",
	  " xnvme_admin xnvme_async xnvme_be xnvme_dev_nsid xnvme_dev_subnqn xnvme_iovec "
	  "xnvme_mem xnvme_sync " },
	{ "NVMe passthrough (fio's engine io_uring_cmd)",
	  " apptag apptag_mask cmd_type deac md_per_io_size num_range pi_act pi_chk verify_mode "
	  "write_mode " },
	{ "fio's built-in workloads (act, tiobench)", " profile " },
	{ "NVMe data placement (FDP and streams)",
	  " dataplacement dp_scheme fdp fdp_pli fdp_pli_select plid_select plids " },
};

struct no_effect {
	const char *name;
	const char *why;
};

static const struct no_effect no_effects[] = {
	{ "threads", "it belongs to a built-in workload of fio and is not 'thread'" },
	{ "verifysort", "it is obsolete in fio, too" },
	{ "verifysort_nr", "it is obsolete in fio, too" },
	{ "max_jobs", "there is no fixed number of jobs" },
	{ "alloc_size", "memory for the jobs is taken as it is needed" },
};

#define CLIENT_SERVER	"it belongs to client/server operation, which fio-like does not have"

static const struct fioname_flag flags[] = {
	{ "client", FIONAME_VALUE, CLIENT_SERVER },
	{ "daemonize", FIONAME_VALUE, CLIENT_SERVER },
	{ "latency-log", FIONAME_ALONE, "fio refuses it, too; use --write_lat_log" },
	{ "memcpytest", FIONAME_MAYBE, "it measures routines of fio's own" },
	{ "merge-blktrace-only", FIONAME_ALONE, NULL },
	{ "remote-config", FIONAME_VALUE, CLIENT_SERVER },
	{ "server", FIONAME_MAYBE, CLIENT_SERVER },
	{ "trigger-remote", FIONAME_VALUE, CLIENT_SERVER },
};

/*
 * name with '_' for '-', to NAME_MAX_BYTES. Returns false if it is too long to be known to anybody.
 */
static bool plain_name(const char *name, char *out)
{
	size_t len = strlen(name);

	if (len >= NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i <= len; i++)
		out[i] = name[i] == '-' ? '_' : name[i];
	return true;
}

static int compare(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

bool fionames_has(const char *name)
{
	char plain[NAME_MAX_BYTES];

	return plain_name(name, plain) &&
	       bsearch(plain, option_names, ARRAY_SIZE(option_names), sizeof(option_names[0]),
		       compare);
}

bool fionames_no_effect(const char *name, const char **why)
{
	char plain[NAME_MAX_BYTES];

	if (!plain_name(name, plain))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(no_effects); i++) {
		if (!strcmp(plain, no_effects[i].name)) {
			*why = no_effects[i].why;
			return true;
		}
	}
	return false;
}

const char *fionames_foreign(const char *name)
{
	char word[NAME_MAX_BYTES + 2] = " ";

	if (!plain_name(name, word + 1))
		return NULL;
	strcat(word, " ");
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		if (strstr(foreign[i].names, word))
			return foreign[i].owner;
	return NULL;
}

const char *fionames_at(size_t i)
{
	return i < ARRAY_SIZE(option_names) ? option_names[i] : NULL;
}

void fionames_refuse(const char *name, char *why, size_t why_bytes)
{
	const char *owner = fionames_foreign(name);

	if (owner)
		snprintf(why, why_bytes, "fio option '%s' belongs to %s, which fio-like does not "
			 "have", name, owner);
	else
		snprintf(why, why_bytes, "fio option '%s' is not supported by fio-like yet", name);
}

const struct fioname_flag *fionames_flag(size_t i)
{
	return i < ARRAY_SIZE(flags) ? &flags[i] : NULL;
}

static const char *option_name(void *ctx, size_t i)
{
	(void)ctx;
	return option_names[i];
}

int fionames_explain(const char *name, const char *nearest, char *why, size_t why_bytes)
{
	const char *reason, *theirs;

	if (fionames_no_effect(name, &reason)) {
		snprintf(why, why_bytes, "%s is accepted and has no effect: %s", name, reason);
		return 1;
	}
	theirs = nearest_name(name, option_name, ARRAY_SIZE(option_names), NULL);
	if (fionames_has(name))
		fionames_refuse(name, why, why_bytes);
	else if (nearest)
		snprintf(why, why_bytes, "there is no option '%s'; did you mean '%s'?", name,
			 nearest);
	else if (theirs)
		snprintf(why, why_bytes, "there is no option '%s'; fio's '%s' is not supported by "
			 "fio-like yet", name, theirs);
	else
		snprintf(why, why_bytes, "there is no option '%s'", name);
	return -EINVAL;
}
