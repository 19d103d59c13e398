/* SPDX-License-Identifier: MIT */
/* From a job's entries and counters to the lines of its logs. */
#include "core/log_job.h"

#include <stdlib.h>
#include <string.h>

#define BATCH		4096u		/* entries taken from a ring at a time */
#define CHUNK_BYTES	(128u << 10)	/* compressed at a time unless log_compression says more */
#define PIECE_BYTES	(LOG_SCRATCH_BYTES - LOGFMT_LINE_MAX)

/* ---- Lines ----------------------------------------------------------------------------------- */

/* A log being added to. Lines gather in the scratch and go out in large pieces. */
struct pen {
	struct log_scratch *s;
	struct log_out *out;
	struct log_file *also;		/* where the same lines go, or NULL */
	char *at;
};

static struct pen pen_begin(struct log_scratch *s, struct log_out *out)
{
	return (struct pen){ s, out, NULL, s->text };
}

static void pen_flush(struct pen *p)
{
	size_t n = (size_t)(p->at - p->s->text);

	log_file_write(&p->s->files, p->out->file, p->s->text, n);
	if (p->also)
		log_file_write(&p->s->files, p->also, p->s->text, n);
	p->at = p->s->text;
}

fl_inline void pen_line(struct pen *p, const struct logfmt_line *line)
{
	if (unlikely(p->at > p->s->text + PIECE_BYTES))
		pen_flush(p);
	if (unlikely(p->out->file->compressed))
		p->at += logfmt_pack(p->at, line, p->out->text.columns);
	else
		p->at = logfmt_put(&p->out->text, p->at, line);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static uint64_t unit(uint64_t ns, uint32_t unit_ns)
{
	/* Divisions by constants: there may be tens of millions a second. */
	return unit_ns == 1000000 ? ns / 1000000 : unit_ns == 1000 ? ns / 1000 : ns;
}

/* The time column of something at_ns, by clock_now_ns(). */
fl_inline uint64_t time_of(const struct log_job *j, uint64_t at_ns)
{
	uint64_t since = at_ns > j->start_ns ? at_ns - j->start_ns : 0;

	return unit(since + j->epoch_ns, j->conf->unit_ns);
}

/* Counting has begun; where times of other clocks begin is asked now. */
static void begin(struct log_job *j)
{
	const struct log_conf *c = j->conf;
	uint64_t clock_ns = 0, now_ns = clock_now_ns();
	const struct job *job = j->crew->plan->job;
	/* Reading back goes on beyond the deadline. */
	uint64_t runtime_ns = verify_on(&job->verify) ? 0 : job->pace.runtime_ns;

	j->begun = true;
	j->start_ns = j->crew->block->start_ns;
	if (c->unix_epoch || c->alternate_epoch)
		clock_read_ns((clockid_t)c->epoch_clock, &clock_ns);
	if (clock_ns > now_ns - j->start_ns)
		j->epoch_ns = clock_ns - (now_ns - j->start_ns);
	j->hist.due_ns = j->start_ns + c->hist_ms * 1000000;
	j->deadline_ns = runtime_ns ? j->start_ns + runtime_ns : UINT64_MAX;
}

/* ---- Entries --------------------------------------------------------------------------------- */

fl_inline uint64_t value_of(const struct log_io *io, const enum log_kind kind)
{
	uint64_t ns;

	switch (kind) {
	case LOG_SLAT:
		return clock_ns(io->issue - io->start);
	case LOG_CLAT:
		return clock_ns(io->end - io->issue);
	case LOG_LAT:
		return clock_ns(io->end - io->start);
	case LOG_BW:		/* in thousands of bytes per second, as fio has it */
		ns = clock_ns(io->end - io->issue);
		return ns ? log_what_bytes(io->what) * 1000000 / ns : 0;
	default:
		return 1;
	}
}

/* Is there somewhere to write lines of this kind? */
static bool open_for(const struct log_job *j, enum log_kind kind)
{
	const struct log_out *out = &j->out[kind];

	if (kind == LOG_SLAT && j->crew->block->is_sync)
		return false;
	return out->filled && !out->file->error;
}

/* Where start and issue are one stamp, the lines of clat are those of lat. */
static bool lat_is_clat(const struct log_job *j)
{
	return j->crew->block->lat_is_clat && !j->conf->issue && open_for(j, LOG_CLAT) &&
	       open_for(j, LOG_LAT);
}

/* also: a file that gets the same lines, or NULL. */
fl_inline void write_ios(struct log_job *j, struct log_scratch *s, uint64_t n,
			 const enum log_kind kind, struct log_file *also)
{
	struct pen p = pen_begin(s, &j->out[kind]);
	const bool issue = j->conf->issue && (kind == LOG_SLAT || kind == LOG_CLAT);

	p.also = also;
	for (uint64_t i = 0; i < n; i++) {
		const struct log_io *io = &log_ring_at(j->ring, i)->io;
		struct logfmt_line line = {
			.time = time_of(j, clock_ns_at(io->end)), .value = value_of(io, kind),
			.bytes = log_what_bytes(io->what), .dir = log_what_dir(io->what),
			.prio = log_what_prio(io->what), .offset = io->offset,
		};

		if (issue && clock_ns_at(io->issue) > j->start_ns)
			line.issue = clock_ns_at(io->issue) - j->start_ns;
		pen_line(&p, &line);
	}
	pen_flush(&p);
}

/* The same loop once for each kind of value. */
static void write_kind(struct log_job *j, struct log_scratch *s, uint64_t n, enum log_kind kind,
		       struct log_file *also)
{
	switch (kind) {
	case LOG_BW:
		write_ios(j, s, n, LOG_BW, NULL);
		break;
	case LOG_IOPS:
		write_ios(j, s, n, LOG_IOPS, NULL);
		break;
	case LOG_SLAT:
		write_ios(j, s, n, LOG_SLAT, NULL);
		break;
	case LOG_CLAT:
		write_ios(j, s, n, LOG_CLAT, also);
		break;
	default:
		write_ios(j, s, n, LOG_LAT, NULL);
		break;
	}
}

static void sum_line(struct logfmt_line *line, const struct log_conf *c, double average,
		     uint64_t largest)
{
	line->value = c->value == LOG_VALUE_MAX ? largest : (uint64_t)(average + 0.5);
	line->largest = largest;
}

static void write_window(struct log_job *j, struct log_scratch *s, const struct log_window *w)
{
	struct logfmt_line line = { .time = time_of(j, w->end), .dir = w->what % DIRS };
	struct log_out *out = &j->out[LOG_SLAT + w->what / DIRS];
	struct pen p = pen_begin(s, out);

	if (!open_for(j, LOG_SLAT + w->what / DIRS))
		return;
	sum_line(&line, j->conf, (double)w->sum.sum / (double)w->sum.n, w->sum.max);
	pen_line(&p, &line);
	pen_flush(&p);
}

/* Returns whether there is more. */
static bool write_entries(struct log_job *j, struct log_scratch *s)
{
	uint64_t ready = log_ring_ready(j->ring), n = fl_min(ready, (uint64_t)BATCH);

	if (!n)
		return false;
	if (j->ring->window_ns) {
		for (uint64_t i = 0; i < n; i++)
			write_window(j, s, &log_ring_at(j->ring, i)->window);
	} else {
		struct log_file *also = lat_is_clat(j) ? j->out[LOG_LAT].file : NULL;

		for (enum log_kind k = LOG_BW; k <= LOG_LAT; k++)
			if (open_for(j, k) && !(also && k == LOG_LAT))
				write_kind(j, s, n, k, also);
	}
	log_ring_drop(j->ring, n);
	return ready > n;
}

/* What windows had gathered when the job ended. */
static void write_last_windows(struct log_job *j, struct log_scratch *s, uint64_t end_ns)
{
	for (unsigned i = 0; i < LOG_WINDOW_ENTRIES; i++) {
		struct log_window w = {
			.end = end_ns, .sum = j->ring->sum[i / DIRS][i % DIRS], .what = i,
		};

		if (w.sum.n)
			write_window(j, s, &w);
	}
}

/* ---- Samples of counters --------------------------------------------------------------------- */

static void sample_rate(struct log_job *j, struct log_scratch *s, bool bandwidth, uint64_t now_ns,
			bool last)
{
	struct rate_watch *w = bandwidth ? &j->bw : &j->iops;
	uint32_t dirs = j->crew->plan->job->workload.rw.bits & RW_DIRS;
	struct pen p = pen_begin(s, &j->out[bandwidth ? LOG_BW : LOG_IOPS]);
	struct logfmt_line line = { .time = time_of(j, now_ns) };
	double per_second[DIRS + 1];

	if (!rate_sample(w, bandwidth ? RATE_BYTES : RATE_IOS, j->crew->block, now_ns, last,
			 per_second))
		return;
	for (uint32_t d = 0; d < DIRS; d++) {
		double v = per_second[d] / (bandwidth ? 1024 : 1);

		/* A stall is a line of zero; a direction that is never used has none. */
		if (!w->last[d] && dirs != 1u << d)
			continue;
		line.dir = d;
		sum_line(&line, j->conf, v, (uint64_t)(v + 0.5));
		pen_line(&p, &line);
	}
	pen_flush(&p);
}

/* The size of the I/Os in a histogram; where they have several, their mean. */
static uint64_t size_of_ios(struct log_job *j, uint32_t dir)
{
	const struct range r = workload_block_range(&j->crew->plan->job->workload, dir);
	const struct dir_stats *d = &j->crew->block->dir[dir];
	uint64_t ios = d->done_ios, bytes = d->bytes, n = ios - j->hist.ios[dir];
	uint64_t moved = bytes - j->hist.bytes[dir];

	j->hist.ios[dir] = ios;
	j->hist.bytes[dir] = bytes;
	if (r.lo == r.hi)
		return r.lo;
	return n ? (moved + n / 2) / n : 0;
}

static void write_hist(struct log_job *j, struct log_scratch *s, uint32_t dir, uint64_t now_ns)
{
	uint64_t **before = &j->hist.before[dir];
	char *end;

	if (!*before)
		*before = calloc(HIST_BINS, sizeof(**before));
	memcpy(s->bins, j->crew->block->dir[dir].clat.bins, sizeof(s->bins));
	if (!*before || !memcmp(s->bins, *before, sizeof(s->bins)))
		return;
	end = logfmt_hist(s->text, time_of(j, now_ns), dir, size_of_ios(j, dir), s->bins, *before,
			  j->conf->coarseness);
	log_file_write(&s->files, j->out[LOG_HIST].file, s->text, (size_t)(end - s->text));
	memcpy(*before, s->bins, sizeof(s->bins));
}

static void sample_hist(struct log_job *j, struct log_scratch *s, uint64_t now_ns, bool last)
{
	uint32_t dirs = j->crew->plan->job->workload.rw.bits & RW_DIRS;

	if (now_ns < j->hist.due_ns && !last)
		return;
	for (uint32_t d = 0; d < DIRS; d++)
		if (dirs & 1u << d)
			write_hist(j, s, d, now_ns);
	while (j->hist.due_ns <= now_ns)
		j->hist.due_ns += j->conf->hist_ms * 1000000;
}

/* last: the job has ended at now_ns. */
static void sample(struct log_job *j, struct log_scratch *s, uint64_t now_ns, bool last,
		   uint64_t *due)
{
	for (int bw = 0; bw < 2 && j->conf->window_ms; bw++) {
		if (!j->out[bw ? LOG_BW : LOG_IOPS].filled)
			continue;
		sample_rate(j, s, bw, now_ns, last);
		*due = fl_min(*due, (bw ? &j->bw : &j->iops)->due_ns);
	}
	if (j->out[LOG_HIST].filled) {
		sample_hist(j, s, now_ns, last);
		*due = fl_min(*due, j->hist.due_ns);
	}
}

/* ---- A job ----------------------------------------------------------------------------------- */

static void add_file(struct log_job *j, struct log_scratch *s, enum log_kind kind)
{
	const struct log_conf *c = j->conf;
	const struct plan_job *pj = j->crew->plan;
	size_t chunk = !c->compressed ? 0 : c->chunk_bytes ? c->chunk_bytes : CHUNK_BYTES;
	struct log_out *out = &j->out[kind];
	char path[LOG_PATH_BYTES];

	log_path(c, kind, pj->job->name, pj->number + 1, path);
	out->file = log_files_add(&s->files, path, !c->per_job, chunk);
	out->filled = c->filled[kind];
	out->text.columns = log_columns(c);
}

void log_job_init(struct log_job *j, const struct crew *crew, const struct crew_job *job)
{
	const struct measure_conf *m = &job->plan->job->measure;

	memset(j, 0, sizeof(*j));
	j->crew = job;
	j->conf = &job->plan->job->log;
	j->ring = job->setup.log;
	log_iolog_init(&j->iolog, crew, job);
	j->bw.interval_ns = log_interval_ms(j->conf, true, m->bw_interval_ms) * 1000000;
	j->iops.interval_ns = log_interval_ms(j->conf, false, m->iops_interval_ms) * 1000000;
}

void log_job_create(struct log_job *j, struct log_scratch *s)
{
	for (int k = 0; k < LOG_KINDS; k++)
		if (j->conf->wanted[k])
			add_file(j, s, (enum log_kind)k);
	log_iolog_create(&j->iolog, s);
}

void log_job_free(struct log_job *j)
{
	for (int d = 0; d < DIRS; d++)
		free(j->hist.before[d]);
	log_iolog_free(&j->iolog);
}

static void finish(struct log_job *j, struct log_scratch *s)
{
	uint64_t end_ns = j->start_ns + crew_elapsed_ns(j->crew), due = UINT64_MAX;

	if (j->begun && j->ring && j->ring->window_ns)
		write_last_windows(j, s, end_ns);
	if (j->begun)
		sample(j, s, end_ns, true, &due);
	for (int k = 0; k < LOG_KINDS; k++)
		if (j->out[k].file)
			log_file_end(&s->files, j->out[k].file);
	if (j->iolog.file)
		log_file_end(&s->files, j->iolog.file);
	j->done = true;
}

/* Has counting begun? A job that ends within its ramp counts nothing that could be logged. */
static bool counts(const struct log_job *j, enum worker_state state)
{
	const struct worker_block *b = j->crew->block;

	return state >= WORKER_RUN && b->start_ns &&
	       (!pace_ramps(&j->crew->plan->job->pace) || atomic_load(&b->epoch));
}

bool log_job_work(struct log_job *j, struct log_scratch *s, uint64_t now_ns, uint64_t *due)
{
	bool ended = atomic_load(&j->ended), more = false;
	enum worker_state state = atomic_load(&j->crew->block->state);

	if (!j->begun && counts(j, state))
		begin(j);
	more = log_iolog_work(&j->iolog, s);
	if (!j->begun && !ended)
		return more;
	if (j->ring && j->begun)
		more |= write_entries(j, s);
	if (!ended && state == WORKER_RUN && now_ns < j->deadline_ns)
		sample(j, s, now_ns, false, due);
	if (ended && !more)
		finish(j, s);
	return more;
}
