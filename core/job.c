/* SPDX-License-Identifier: MIT */
/*
 * From the words of a section to a job: two passes (the engine first, because its options are only
 * known then), then the checks that need more than one option.
 */
#include "core/job.h"
#include "core/debug.h"
#include "core/fionames.h"
#include "core/owners.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_BYTES	512
#define DEFAULT_ENGINE	"psync"

#define SELECT_AT(member) .offset = offsetof(struct engine_conf, member)

static const struct fl_opt_value kb_base_values[] = {
	{ "1024", 1024, "k is 1024 bytes" },
	{ "1000", 1000, "k is 1000 bytes" },
	{ NULL, 0, NULL },
};

static const struct fl_opt select_rows[] = {
	{ .name = "ioengine", .type = FL_OPT_STR, SELECT_AT(name), .def = DEFAULT_ENGINE,
	  .unit = "name, or path of a plugin", 
	  .help = "how I/O is done; --enghelp lists the engines",
	  .more = "A path has a '/' in it, or 'external:' in front." },
	{ .name = "kb_base", .type = FL_OPT_ENUM, SELECT_AT(kb_base), .def = "1024",
	  .values = kb_base_values, .help = "what a k is worth in this section",
	  .more = "And of the two numbers that normal output has for an amount, the one that "
		  "comes first." },
};

static const struct opt_table select_options = OPT_TABLE("Engine", select_rows, 0);

/* Every table of the runner, and where its conf struct lies in struct job. */
static const struct {
	const struct opt_table *table;
	size_t at, size;
} parts[] = {
#define PART(table, member) \
	{ &table, offsetof(struct job, member), sizeof(((struct job *)0)->member) }
	PART(workload_options, workload),
	PART(sizes_options, workload.sizes),
	PART(order_options, workload.order),
	PART(turns_options, workload.turns),
	PART(zones_options, workload.zones),
	PART(zbd_options, workload.zbd),
	PART(files_options, files),
	PART(safety_options, safety),
	PART(select_options, select),
	PART(depth_options, depth),
	PART(buffer_options, buffer),
	PART(content_options, buffer.content),
	PART(pace_options, pace),
	PART(rate_options, rate),
	PART(minimum_options, minimum),
	PART(steady_options, steady),
	PART(flow_options, flow),
	PART(latency_options, latency),
	PART(proc_options, proc),
	PART(exec_options, exec),
	PART(iosched_options, iosched),
	PART(cgroups_options, cgroups),
	PART(measure_options, measure),
	PART(clocks_options, clocks),
	PART(log_options, log),
	PART(faults_options, faults),
	PART(memlimit_options, memlimit),
	PART(expect_options, expect),
	PART(verify_options, verify),
	PART(replay_options, replay),
#undef PART
};

const struct opt_table *const *job_tables(size_t *count)
{
	static const struct opt_table *tables[ARRAY_SIZE(parts)];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		tables[i] = parts[i].table;
	*count = ARRAY_SIZE(parts);
	return tables;
}

const void *job_conf(const struct job *job, size_t i)
{
	return (const char *)job + parts[i].at;
}

void job_defaults(struct job *job)
{
	memset(job, 0, sizeof(*job));
	for (size_t p = 0; p < ARRAY_SIZE(parts); p++)
		opt_defaults(parts[p].table, (char *)job + parts[p].at, parts[p].size);
}

/* An option found: its row, and the conf struct it belongs to (NULL without a job). */
struct found {
	struct fl_opt row;
	void *conf;
};

static bool find_row(struct job *job, const struct engine *engine, const char *name,
		     struct found *out)
{
	int i;

	for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
		i = opt_find(parts[p].table, name);
		if (i >= 0) {
			opt_row(parts[p].table, (size_t)i, &out->row);
			out->conf = job ? (char *)job + parts[p].at : NULL;
			return true;
		}
	}
	i = engine ? opt_find(&engine->opts, name) : -1;
	if (i < 0)
		return false;
	opt_row(&engine->opts, (size_t)i, &out->row);
	out->conf = job ? job->engine_opts : NULL;
	return true;
}

int job_option(void *ctx, const char *option, const char *engine, struct fl_opt *out)
{
	const struct engine *e = NULL;
	struct found found;
	char why[WHY_BYTES];

	(void)ctx;
	if (find_row(NULL, NULL, option, &found)) {
		*out = found.row;
		return 0;
	}
	/* Only an option that is none of the runner's own is worth loading an engine for. */
	if (engines_find(engine ? engine : DEFAULT_ENGINE, &e, why, sizeof(why)) ||
	    !find_row(NULL, e, option, &found))
		return -ENOENT;
	*out = found.row;
	return 0;
}

/* Name 2k is that of row k, name 2k + 1 its alias, or its name again. */
static const char *name_in(const struct opt_table *t, size_t i)
{
	struct fl_opt row;

	opt_row(t, i / 2, &row);
	return i % 2 && row.alias ? row.alias : row.name;
}

const char *job_option_name(void *ctx, const char *engine, size_t i)
{
	const struct engine *e;
	char why[WHY_BYTES];

	(void)ctx;
	for (size_t p = 0; p < ARRAY_SIZE(parts); p++) {
		if (i < 2 * parts[p].table->count)
			return name_in(parts[p].table, i);
		i -= 2 * parts[p].table->count;
	}
	if (engines_find(engine ? engine : DEFAULT_ENGINE, &e, why, sizeof(why)) ||
	    i >= 2 * e->opts.count)
		return NULL;
	return name_in(&e->opts, i);
}

/* Is this an option of the engine that the global settings chose, while the job chose another? */
static bool other_engines_option(const struct section *sec, const char *name)
{
	const struct setting *global = settings_last(&sec->global, "ioengine");
	const struct engine *e;
	struct found found;
	char why[WHY_BYTES];

	return global && global->value && !engines_find(global->value, &e, why, sizeof(why)) &&
	       find_row(NULL, e, name, &found);
}

static void refuse_unknown(const struct job *job, const struct setting *s, struct diag *diag)
{
	const struct opt_table *tables[ARRAY_SIZE(parts) + 1];
	const char *reason, *near;
	char why[WHY_BYTES];
	size_t n = 0;

	if (fionames_no_effect(s->name, &reason)) {
		diag_note(diag, &s->at, "option '%s' has no effect: %s", s->name, reason);
		return;
	}
	if (diag_full(diag)) {
		diag_error(diag, &s->at, "there is no option '%s'", s->name);
		return;
	}
	if (owners_explain(s->name, job->engine ? job->engine->ops.name : NULL, why, sizeof(why))) {
		diag_error(diag, &s->at, "%s", why);
		return;
	}
	if (fionames_has(s->name)) {
		fionames_refuse(s->name, why, sizeof(why));
		diag_error(diag, &s->at, "%s", why);
		return;
	}
	for (; n < ARRAY_SIZE(parts); n++)
		tables[n] = parts[n].table;
	if (job->engine)
		tables[n++] = &job->engine->opts;
	near = opt_nearest(tables, n, s->name);
	diag_error(diag, &s->at, "there is no option '%s'%s%s%s", s->name,
		   near ? "; did you mean '" : "; --cmdhelp lists them all", near ? near : "",
		   near ? "'?" : "");
}

static void apply_one(struct job *job, const struct section *sec, const struct setting *s,
		      bool global, struct diag *diag)
{
	struct opt_units units = { .kb_base = job->select.kb_base };
	struct origin at = setting_value_at(s);
	char why[WHY_BYTES] = "";
	struct found found;
	int err;

	if (!find_row(job, job->engine, s->name, &found)) {
		if (global && other_engines_option(sec, s->name))
			diag_note(diag, &s->at, "option '%s' is not one of engine %s; unused in "
				  "job %s", s->name, job->engine ? job->engine->ops.name : "?",
				  sec->name);
		else
			refuse_unknown(job, s, diag);
		return;
	}
	if (opt_same_name(found.row.name, "ioengine") || opt_same_name(found.row.name, "kb_base"))
		return;		/* the first pass did these */
	if (global && opt_same_name(found.row.name, "name"))
		return;		/* a name for all would be a name for none */
	err = opt_set(&found.row, found.conf, s->value, &units, why, sizeof(why));
	debug_say(DEBUG_PARSE, "job %s: %s=%s (%s %d)", sec->name, s->name,
		  s->value ? s->value : "", s->at.file ? s->at.file : "argument", s->at.line);
	if (err < 0)
		diag_error(diag, &at, "%s", why);
	else if (err > 0)
		diag_note(diag, &at, "%s", why);
}

static void apply_all(struct job *job, const struct section *sec, struct diag *diag)
{
	for (size_t i = 0; i < sec->global.count; i++)
		apply_one(job, sec, &sec->global.list[i], true, diag);
	for (size_t i = 0; i < sec->own.count; i++)
		apply_one(job, sec, &sec->own.list[i], false, diag);
}

/* First pass: which engine, and what a k is worth. */
static void choose_engine(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct setting *s = section_last(sec, "ioengine");
	const struct setting *kb = section_last(sec, "kb_base");
	struct opt_units units = { .kb_base = 1024 };
	char why[WHY_BYTES] = "";
	struct origin at;
	struct fl_opt row;

	for (size_t i = 0; i < ARRAY_SIZE(select_rows); i++) {
		const struct setting *given = i ? kb : s;

		opt_row(&select_options, i, &row);
		if (!given || !opt_set(&row, &job->select, given->value, &units, why, sizeof(why)))
			continue;
		at = setting_value_at(given);
		diag_error(diag, &at, "%s", why);
	}
	if (engines_find(job->select.name, &job->engine, why, sizeof(why))) {
		at = s ? setting_value_at(s) : sec->at;
		diag_error(diag, &at, "ioengine=%s: %s", job->select.name, why);
		return;
	}
	if (job->engine->ops.conf_size) {
		job->engine_opts = calloc(1, job->engine->ops.conf_size);
		opt_defaults(&job->engine->opts, job->engine_opts, job->engine->ops.conf_size);
	}
}

/* rwmixread and rwmixwrite describe one share: the one given last counts. */
static void settle_mix(struct job *job, const struct section *sec)
{
	const struct settings *lists[] = { &sec->own, &sec->global };

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++) {
		const struct setting *r = settings_last(lists[l], "rwmixread");
		const struct setting *w = settings_last(lists[l], "rwmixwrite");

		if (!r && !w)
			continue;
		if (!r || (w && w > r))
			job->workload.mix_read = 100 - job->workload.mix_write;
		else
			job->workload.mix_write = 100 - job->workload.mix_read;
		return;
	}
}

/* As in fio, a seed that somebody gave counts, also where randrepeat=0 asks for one that is new. */
static void settle_seed(struct job *job, const struct section *sec)
{
	if (section_last(sec, "randseed"))
		job->workload.randrepeat = 1;
}

/*
 * The setting a sentence is about: the first option it names that was given. "iodepth_low=8 is more
 * than iodepth=4" is about iodepth_low, wherever a 4 came from.
 */
static const struct setting *subject_of(struct job *job, const struct section *sec, const char *why)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	for (const char *word = why; *word;) {
		size_t len = strspn(word, letters);
		const struct setting *s = NULL;
		struct found found;
		char name[64];

		snprintf(name, sizeof(name), "%.*s", (int)len, word);
		if (len && len < sizeof(name) && find_row(job, job->engine, name, &found))
			s = section_given(sec, &found.row);
		if (s)
			return s;
		word += len + strcspn(word + len, letters);
	}
	return NULL;
}

/* What a check found out, at the place it is about. */
static void say(struct job *job, const struct section *sec, int err, const char *why,
		struct diag *diag)
{
	const struct setting *s = err ? subject_of(job, sec, why) : NULL;
	struct origin at = s ? setting_value_at(s) : sec->at;

	if (err < 0)
		diag_error(diag, &at, "job %s: %s", sec->name, why);
	else if (err > 0)
		diag_note(diag, &at, "job %s: %s", sec->name, why);
}

/* What the engine can't do, and what has no effect with it. */
static void check_engine(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct fl_engine *ops = &job->engine->ops;
	char why[WHY_BYTES];

	for (int d = 0; d < DIRS; d++) {
		static const char *const names[DIRS] = { "read", "write", "trim" };

		if (!(job->workload.rw.bits & 1u << d) || engine_can(job->engine, (uint32_t)d))
			continue;
		if (job->logs)
			snprintf(why, sizeof(why), "read_iolog: engine %s cannot %s, as the log "
				 "wants it to; choose another ioengine, or leave that out with "
				 "replay_skip=%s", ops->name, names[d], names[d]);
		else
			snprintf(why, sizeof(why), "rw=%s: engine %s cannot %s; choose another "
				 "ioengine or rw", workload_rw_name(job->workload.rw.bits),
				 ops->name, names[d]);
		say(job, sec, -1, why, diag);
	}
	if (ops->caps & FL_CAP_THREADS_ONLY && !job->proc.thread) {
		snprintf(why, sizeof(why), "ioengine=%s works only in threads; add thread=1",
			 ops->name);
		say(job, sec, -1, why, diag);
	}
}

static void check_files(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct workload_conf *w = &job->workload;
	const struct files_use use = {
		.dirs = w->rw.bits & RW_DIRS, .random = w->rw.bits & RW_RANDOM,
		.passes = w->loops > 1 || job->pace.time_based,
	};
	char why[WHY_BYTES] = "";

	say(job, sec, files_check(&job->files, sec->name, &use, why, sizeof(why)), why, diag);
	if (job->files.atomic && job->engine && !(job->engine->ops.caps & FL_CAP_ATOMIC)) {
		snprintf(why, sizeof(why), "atomic=1: engine %s cannot write atomically "
			 "(RWF_ATOMIC); use ioengine=pvsync2", job->engine->ops.name);
		say(job, sec, -1, why, diag);
	}
}

/* --readonly holds against every way to change what is stored: writes, layout, removal. */
static void check_readonly(struct job *job, const struct section *sec, struct diag *diag)
{
	char why[WHY_BYTES];

	job->files.readonly = true;
	job->files.allow_file_create = 0;
	if (job->workload.rw.bits & (RW_WRITE | RW_TRIM)) {
		snprintf(why, sizeof(why), "%s%s would change data, and --readonly forbids it",
			 job->logs ? "read_iolog: what is in the log" : "rw=",
			 job->logs ? "" : workload_rw_name(job->workload.rw.bits));
		say(job, sec, -1, why, diag);
	}
	if (iomem_harms(&job->buffer.mem)) {
		snprintf(why, sizeof(why), "mem: buffers in %.200s would change what is there, and "
			 "--readonly forbids it", job->buffer.mem.path);
		say(job, sec, -1, why, diag);
	}
	if (job->files.unlink || job->files.unlink_each_loop) {
		snprintf(why, sizeof(why), "%s=1 would remove files, and --readonly forbids it",
			 job->files.unlink ? "unlink" : "unlink_each_loop");
		say(job, sec, -1, why, diag);
	}
}

/* The engine's trim_method, if it has one: all but the first way leave zeroes. */
static bool trims_read_zero(const struct job *job)
{
	int i = job->engine ? opt_find(&job->engine->opts, "trim_method") : -1;
	struct fl_opt row;

	if (i < 0 || !job->engine_opts)
		return false;
	opt_row(&job->engine->opts, (size_t)i, &row);
	return *(const uint32_t *)((const char *)job->engine_opts + row.offset);
}

static void check_verify(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct verify_need need = {
		.workload = &job->workload, .offload = job->depth.offload,
		.time_based = job->pace.time_based, .trims_read_zero = trims_read_zero(job),
		.can_trim = !job->engine ||
			    job->engine->ops.ops_supported & 1u << FL_OP_TRIM,
		.engine = job->select.name,
		.compress = job->buffer.content.compress, .dedupe = job->buffer.content.dedupe,
		.replay = job->logs,
	};
	char why[WHY_BYTES] = "";

	say(job, sec, verify_check(&job->verify, &need, why, sizeof(why)), why, diag);
	job->depth.slots = job->depth.depth + verify_spare(&job->verify);
}

/* Shares of memory_limit and numbers of zones become bytes before anybody looks at them. */
static void settle_shares(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct {
		const char *option;
		struct amount *amount;
	} shares[] = {
		{ "size", &job->files.size }, { "io_size", &job->workload.io_size },
		{ "offset", &job->files.offset },
		{ "offset_increment", &job->files.offset_increment },
	};
	char why[WHY_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		say(job, sec, memlimit_settle(&job->memlimit, shares[i].option, shares[i].amount,
					      why, sizeof(why)), why, diag);
		say(job, sec, zones_settle(&job->workload.zones, shares[i].option,
					   shares[i].amount, why, sizeof(why)), why, diag);
	}
}

/* With filesize= the files have their size by that, and size= is what is done to them. */
static void settle_part(struct job *job)
{
	const struct amount *io = &job->workload.io_size;

	if (job->files.filesize.lo && !io->bytes && !io->zones && !(io->percent > 0))
		job->workload.part_bytes = job->files.size.bytes;
}

/* The caret goes to the very character, where the line shows the value as it is. */
static void check_expect(struct job *job, const struct section *sec, struct diag *diag)
{
	const struct measure_conf *m = &job->measure;
	const struct setting *s = section_last(sec, "expect");
	const struct expect_use use = {
		.kb_base = (int)job->select.kb_base, .dirs = job->workload.rw.bits & RW_DIRS,
		.reported = m->stats, .has_slat = !m->disable_slat, .has_clat = !m->disable_clat,
		.has_lat = !m->disable_lat,
		.intended = job->replay.logs ? GATE_DIRS_ALL : rate_dirs(&job->rate),
	};
	char why[WHY_BYTES];
	struct origin at;
	int col;

	if (!s || !expect_check(&job->expect, &use, why, sizeof(why), &col))
		return;
	at = setting_value_at(s);
	if (at.text && at.col > 0 && strlen(at.text) >= (size_t)at.col &&
	    !strncmp(at.text + at.col - 1, job->expect.text, strlen(job->expect.text)))
		at.col += col;
	diag_error(diag, &at, "job %s: %s", sec->name, why);
}

/* What is given beside read_iolog and does not count, once, in one sentence. */
static void tell_replaced(struct job *job, const struct section *sec, struct diag *diag)
{
	char why[WHY_BYTES] = "read_iolog: the log says what is done; without effect are";
	const char *name, *first = " ";
	size_t n = strlen(why);

	for (size_t i = 0; (name = replay_replaced(i)) && n < sizeof(why); i++) {
		if (!section_last(sec, name))
			continue;
		n += (size_t)snprintf(why + n, sizeof(why) - n, "%s%s", first, name);
		first = ", ";
	}
	if (*first == ',')
		say(job, sec, 1, why, diag);
}

/* read_iolog: what the logs hold is what the job does, for all checks that follow. */
static void load_logs(struct job *job, const struct section *sec, struct diag *diag)
{
	char text[WHY_BYTES] = "", why[WHY_BYTES + 16];
	int err = replay_check(&job->replay, text, sizeof(text));

	say(job, sec, err, text, diag);
	if (err < 0 || !job->replay.logs)
		return;
	err = replay_load(&job->logs, &job->replay, job->proc.numjobs, text, sizeof(text));
	if (!err) {
		replay_settle(job->logs, &job->workload);
		tell_replaced(job, sec, diag);
		return;
	}
	snprintf(why, sizeof(why), "read_iolog: %s", text);
	say(job, sec, err, why, diag);
	replay_logs_free(job->logs);
	job->logs = NULL;
}

/* --no-exec: a job file of somebody else's is to run no program of theirs. */
static void check_no_exec(struct job *job, const struct section *sec, struct diag *diag)
{
	static const enum exec_when times[] = { EXEC_PRERUN, EXEC_POSTRUN };
	char why[WHY_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const char *command = exec_command(&job->exec, times[i]);

		if (!command)
			continue;
		snprintf(why, sizeof(why), "%s=%.100s would run a command, and --no-exec forbids "
			 "it", times[i] == EXEC_PRERUN ? "exec_prerun" : "exec_postrun", command);
		say(job, sec, -1, why, diag);
	}
}

/* What does not go with zones whose writes must reach the device in order. */
static void check_zones(struct job *job, const struct section *sec, struct diag *diag)
{
	char why[WHY_BYTES];

	if (job->workload.zones.mode != ZONES_ZBD)
		return;
	if (job->depth.offload) {
		snprintf(why, sizeof(why), "io_submit_mode=offload does not go with zonemode=zbd: "
			 "where an I/O goes is known when the one before has been handed over");
		say(job, sec, -EINVAL, why, diag);
	}
	if (job->verify.only) {
		snprintf(why, sizeof(why), "verify_only=1: with zonemode=zbd nobody knows where "
			 "the writes of another run went; read them back with rw=read and verify=");
		say(job, sec, -EINVAL, why, diag);
	}
	if (job->logs) {
		snprintf(why, sizeof(why), "read_iolog: with zonemode=zbd zones say where I/O "
			 "goes, not a log; leave out one of them");
		say(job, sec, -EINVAL, why, diag);
	}
	if (job->verify.trim_percentage) {
		snprintf(why, sizeof(why), "trim_percentage=%u: with zonemode=zbd a trim resets a "
			 "whole zone, so no block can be trimmed", job->verify.trim_percentage);
		say(job, sec, -EINVAL, why, diag);
	}
	if (job->depth.batch > 1 && job->workload.rw.bits & RW_WRITE) {
		snprintf(why, sizeof(why), "iodepth_batch is 1 with zonemode=zbd: each write is "
			 "handed to the kernel before the next zone is chosen");
		say(job, sec, 1, why, diag);
		job->depth.batch = 1;
	}
}

static void check_job(struct job *job, const struct section *sec,
		      const struct jobs_forbidden *forbidden, struct diag *diag)
{
	const struct buffer_facts buffer = {
		.reads = job->workload.rw.bits & RW_READ,
		.scramble_asked = section_last(sec, "scramble_buffers"),
		.refill_asked = section_last(sec, "refill_buffers"),
	};
	char why[WHY_BYTES] = "";

	settle_shares(job, sec, diag);
	settle_part(job);
	say(job, sec, workload_check(&job->workload, why, sizeof(why)), why, diag);
	check_files(job, sec, diag);
	say(job, sec, buffer_check(&job->buffer, &buffer, why, sizeof(why)), why, diag);
	say(job, sec, depth_check(&job->depth, why, sizeof(why)), why, diag);
	check_zones(job, sec, diag);
	say(job, sec, pace_check(&job->pace, why, sizeof(why)), why, diag);
	say(job, sec, latency_check(&job->latency, why, sizeof(why)), why, diag);
	say(job, sec, flow_check(&job->flow, why, sizeof(why)), why, diag);
	say(job, sec, rate_check(&job->rate, why, sizeof(why)), why, diag);
	say(job, sec, minimum_check(&job->minimum, &job->rate, why, sizeof(why)), why, diag);
	say(job, sec, measure_check(&job->measure, why, sizeof(why)), why, diag);
	say(job, sec, steady_check(&job->steady, (int)job->select.kb_base,
				   measure_timed(&job->measure), why, sizeof(why)), why, diag);
	say(job, sec, clocks_check(&job->clocks, why, sizeof(why)), why, diag);
	say(job, sec, log_check(&job->log, &job->measure, why, sizeof(why)), why, diag);
	say(job, sec, proc_check(&job->proc, why, sizeof(why)), why, diag);
	say(job, sec, cgroups_check(&job->cgroups, why, sizeof(why)), why, diag);
	settle_mix(job, sec);
	settle_seed(job, sec);
	check_expect(job, sec, diag);
	check_verify(job, sec, diag);
	if (job->engine)
		check_engine(job, sec, diag);
	if (forbidden->change)
		check_readonly(job, sec, diag);
	if (forbidden->exec)
		check_no_exec(job, sec, diag);
}

static const char *canonical(void *ctx, const char *name)
{
	struct found found;

	(void)ctx;
	return find_row(NULL, NULL, name, &found) ? found.row.name : name;
}

static void echo_add(void *ctx, const char *name, const struct setting *s)
{
	settings_add(ctx, name, s->value ? s->value : "", &s->at);
}

static void parse_section(struct job *job, const struct section *sec,
			  const struct jobs_forbidden *forbidden, struct diag *diag)
{
	job_defaults(job);
	job->section = sec->name;
	job->at = sec->at;
	job->file = sec->file;
	choose_engine(job, sec, diag);
	apply_all(job, sec, diag);
	job->name = job->proc.name ? job->proc.name : sec->name;
	load_logs(job, sec, diag);
	check_job(job, sec, forbidden, diag);
	if (!diag_errors(diag))
		settings_echo(&sec->own, canonical, echo_add, &job->echo);
}

/* wait_for names a job that comes before. */
static void check_waits(const struct jobs *jobs, struct diag *diag)
{
	for (size_t i = 0; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i];
		bool found = false;

		if (!job->proc.wait_for)
			continue;
		for (size_t k = 0; k < i; k++)
			found |= !strcmp(jobs->list[k].name, job->proc.wait_for);
		if (!found)
			diag_error(diag, &job->at, "job %s: wait_for=%s: no job of that name comes "
				   "before it", job->section, job->proc.wait_for);
	}
}

/* There is one control group for the run. */
static void check_limits(const struct jobs *jobs, struct diag *diag)
{
	for (size_t i = 1; i < jobs->count; i++) {
		const struct job *job = &jobs->list[i], *first = &jobs->list[0];

		if (job->memlimit.bytes == first->memlimit.bytes)
			continue;
		diag_error(diag, &job->at, "job %s has memory_limit=%llu, job %s %llu: there is "
			   "one limit for the whole run; put it into [global]", job->section,
			   (unsigned long long)job->memlimit.bytes, first->section,
			   (unsigned long long)first->memlimit.bytes);
		return;
	}
}

/* A command line without a job, which asks whether its defaults are right. */
static void check_globals(const struct spec *spec, const struct jobs_forbidden *forbidden,
			  struct diag *diag)
{
	const struct section sec = { .name = "global", .global = spec->global };
	struct job job;

	parse_section(&job, &sec, forbidden, diag);
	free(job.engine_opts);
	replay_logs_free(job.logs);
	settings_free(&job.echo);
}

int jobs_parse(struct jobs *jobs, const struct spec *spec, const struct jobs_forbidden *forbidden,
	       struct diag *diag)
{
	memset(jobs, 0, sizeof(*jobs));
	jobs->list = calloc(spec->count ? spec->count : 1, sizeof(*jobs->list));
	if (!jobs->list)
		return -ENOMEM;
	jobs->count = spec->count;
	for (size_t i = 0; i < spec->count; i++)
		parse_section(&jobs->list[i], &spec->sections[i], forbidden, diag);
	if (!spec->count)
		check_globals(spec, forbidden, diag);
	check_waits(jobs, diag);
	check_limits(jobs, diag);
	if (!diag_errors(diag))
		settings_echo(&spec->global, canonical, echo_add, &jobs->global_echo);
	return diag_errors(diag) ? -EINVAL : 0;
}

void jobs_free(struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->count; i++) {
		free(jobs->list[i].engine_opts);
		replay_logs_free(jobs->list[i].logs);
		settings_free(&jobs->list[i].echo);
	}
	settings_free(&jobs->global_echo);
	free(jobs->list);
	memset(jobs, 0, sizeof(*jobs));
}
