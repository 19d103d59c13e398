/* SPDX-License-Identifier: MIT */
/* Gathering the slowest I/Os, and telling them. */
#include "core/slowest.h"

#include "core/around.h"
#include "core/reporter.h"
#include "core/slow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WALL_BYTES	64
#define KINDS	(DIRS + 1)	/* the directions, and fsync with its like */

struct slowest {
	const struct observed *run;
	struct around around;
	bool looks;			/* it is there */
};

/* One of them, and the job of the crew that it is of. */
struct entry {
	struct slow_io io;
	size_t job;
};

static const char *kind_name(int kind)
{
	return kind < DIRS ? reporter_dirs[kind] : "sync";
}

static const struct slow_list *list_of(const struct observed *run, size_t job, int kind)
{
	const struct worker_block *b = run->crew->jobs[job].block;

	return kind < DIRS ? &b->slow[kind] : &b->slow_sync;
}

/* ---- Looking around -------------------------------------------------------------------------- */

static void on_ready(void *self, const struct observed *run)
{
	struct slowest *s = self;

	s->run = run;
	s->looks = !around_init(&s->around, run->disks, clock_now_ns());
}

/* What the slow I/Os of all jobs need to be kept. Without memory: nothing. */
static void make_room(struct slowest *s)
{
	size_t jobs = s->run->crew->count, n = 0;
	struct around_time *needed = calloc(jobs * KINDS * SLOW_KEPT, sizeof(*needed));

	for (size_t i = 0; needed && i < jobs * KINDS; i++) {
		struct slow_io io[SLOW_KEPT];
		size_t count = slow_read(list_of(s->run, i / KINDS, (int)(i % KINDS)), io);

		for (size_t k = 0; k < count; k++)
			needed[n++] = (struct around_time){ clock_ns_at(io[k].start),
							    clock_ns_at(io[k].end) };
	}
	around_thin(&s->around, needed, n);
	free(needed);
}

static void look(struct slowest *s, uint64_t now_ns)
{
	if (!s->looks)
		return;
	if (around_full(&s->around))
		make_room(s);
	around_look(&s->around, now_ns);
}

static void on_tick(void *self, const struct observed *run, uint64_t now_ns)
{
	(void)run;
	look(self, now_ns);
}

/* The second that has begun counts, too. */
static void on_fill(void *self, const struct observed *run, struct result *r)
{
	(void)run;
	(void)r;
	look(self, clock_now_ns());
}

static void on_done(void *self)
{
	struct slowest *s = self;

	around_free(&s->around);
}

/* ---- Gathering ------------------------------------------------------------------------------- */

/* The slowest first; of equally slow ones the earlier. */
static int by_time(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	uint64_t dx = slow_ticks(&x->io), dy = slow_ticks(&y->io);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return (x->io.start > y->io.start) - (x->io.start < y->io.start);
}

/* Those of a job of the result. Returns how many, at most SLOW_KEPT; *out is to be freed. */
static size_t gather(const struct slowest *s, const struct result_job *j, int kind,
		     struct entry **out)
{
	struct entry *all = calloc((size_t)j->jobs * SLOW_KEPT, sizeof(*all));
	size_t n = 0;

	*out = all;
	for (int i = 0; all && s->run && i < j->jobs; i++) {
		struct slow_io io[SLOW_KEPT];
		size_t count = slow_read(list_of(s->run, j->members[i], kind), io);

		for (size_t k = 0; k < count; k++)
			all[n++] = (struct entry){ io[k], j->members[i] };
	}
	if (n)
		qsort(all, n, sizeof(*all), by_time);
	return fl_min(n, (size_t)SLOW_KEPT);
}

/* A moment of it, in ns since its job began to be counted; before that, below 0. */
static int64_t since_start(const struct slowest *s, const struct entry *e, uint64_t ticks)
{
	return (int64_t)clock_ns_at(ticks) -
	       (int64_t)s->run->crew->jobs[e->job].block->start_ns;
}

static uint64_t wall_ms(const struct slowest *s, const struct entry *e)
{
	return s->run->crew->jobs[e->job].block->wall_start_ms +
	       (uint64_t)(since_start(s, e, e->io.start) / 1000000);
}

static const char *file_name(const struct slowest *s, const struct entry *e,
			     char buf[FILES_NAME_BYTES])
{
	return files_name(&s->run->plan->jobs[e->job].files, e->io.file, buf);
}

static bool around(const struct slowest *s, const struct entry *e, struct around_sample *out)
{
	return s->looks && around_sum(&s->around,
				      (struct around_time){ clock_ns_at(e->io.start),
							    clock_ns_at(e->io.end) }, out);
}

static double steal_percent(const struct around_sample *a)
{
	return a->all_ticks ? 100.0 * (double)a->steal_ticks / (double)a->all_ticks : 0;
}

static double of_time(uint32_t ms, const struct around_sample *a)
{
	return (double)ms * 1e6 / (double)(a->to_ns - a->from_ns);
}

/* ---- In normal output ------------------------------------------------------------------------ */

/* A time in its unit, three decimals. */
static void put_time(const char *before, uint64_t ns, FILE *out)
{
	const char *unit;
	double value = num_time((double)ns, 1000, &unit);

	fprintf(out, "%s%.*f%s", before, *unit == 'n' ? 0 : 3, value, unit);
}

/* Once for neighbours of the same second. last_ns: (in, out) the end of what was told last. */
static void put_around(const struct slowest *s, const struct entry *e, struct num_style style,
		       uint64_t *last_ns, FILE *out)
{
	struct around_sample a;

	if (!around(s, e, &a) || a.to_ns == *last_ns)
		return;
	*last_ns = a.to_ns;
	fprintf(out, "                 in %.1fs around: steal=%.1f%%, throttled=%" PRIu64 "ms, "
		"dirty=%s, writeback=%s", (double)(a.to_ns - a.from_ns) / 1e9, steal_percent(&a),
		a.throttled_us / 1000, num_bytes(a.dirty_bytes, style).s,
		num_bytes(a.writeback_bytes, style).s);
	for (int i = 0; i < s->around.nr_disks; i++)
		if (a.disk[i].ios)
			fprintf(out, ", %s: ios=%u, busy=%.0f%%, queue=%.1f",
				s->run->disks->disk[i].name, a.disk[i].ios,
				fl_min(100 * of_time(a.disk[i].busy_ms, &a), 100.0),
				of_time(a.disk[i].queue_ms, &a));
	fputc('\n', out);
}

/* "2026-12-01 00:56:19.123" */
static const char *wall_text(uint64_t ms, char buf[WALL_BYTES])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&seconds, &tm))
		n = strftime(buf, WALL_BYTES, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(buf + n, WALL_BYTES - n, ".%03u", (unsigned)(ms % 1000));
	return buf;
}

static void put_entry(const struct slowest *s, const struct entry *e, int kind,
		      FILE *out)
{
	const struct slow_io *io = &e->io;
	char name[FILES_NAME_BYTES], clock[WALL_BYTES];

	fprintf(out, "  slowest      : %s of ", kind_name(kind));
	put_time("", clock_ns(slow_ticks(io)), out);
	fprintf(out, " at %.6fs (%s), ", (double)since_start(s, e, io->start) / 1e9,
		wall_text(wall_ms(s, e), clock));
	reporter_text(file_name(s, e, name), out);
	if (kind < DIRS)
		fprintf(out, " offset=%" PRIu64 ", len=%" PRIu64, io->offset, io->len);
	put_time(", slat=", clock_ns(io->issue - io->start), out);
	put_time(", clat=", clock_ns(io->end - io->issue), out);
	fprintf(out, ", depth=%u", io->depth);
	if (io->cpu != SLOW_CPU_UNKNOWN)
		fprintf(out, ", cpu=%d", io->cpu);
	if (io->error)
		fprintf(out, ", failed: %s", strerror(io->error));
	fputc('\n', out);
}

static void job_text(const void *self, const struct result *r, const struct result_job *j,
		     FILE *out)
{
	const struct slowest *s = self;

	(void)r;
	for (int kind = 0; s->run && kind < KINDS; kind++) {
		struct entry *list;
		size_t n = gather(s, j, kind, &list);
		uint64_t told_ns = 0;

		for (size_t i = 0; i < n && i < s->run->flags->slowest; i++) {
			put_entry(s, &list[i], kind, out);
			put_around(s, &list[i], j->style, &told_ns, out);
		}
		free(list);
	}
}

/* ---- In JSON --------------------------------------------------------------------------------- */

/* Slow I/Os come in crowds: what went on around them is told once, and numbered. */
struct crowds {
	struct around_sample list[KINDS * SLOW_KEPT + 1];	/* and the one looked for */
	size_t count;
};

static void json_around_at(const struct slowest *s, const struct entry *e, struct crowds *c,
			   struct json *doc)
{
	struct around_sample *a = &c->list[c->count];
	size_t i = 0;

	if (!around(s, e, a))
		return;
	while (c->list[i].from_ns != a->from_ns || c->list[i].to_ns != a->to_ns)
		i++;
	c->count += i == c->count;
	json_u64(doc, "around", i);
}

static void json_around(const struct slowest *s, const struct around_sample *a, struct json *doc)
{
	json_object(doc, NULL);
	json_f64(doc, "seconds", (double)(a->to_ns - a->from_ns) / 1e9);
	json_f64(doc, "steal_percent", steal_percent(a));
	json_f64(doc, "throttled_ms", (double)a->throttled_us / 1000);
	json_u64(doc, "dirty_bytes", a->dirty_bytes);
	json_u64(doc, "writeback_bytes", a->writeback_bytes);
	json_object(doc, "disks");
	for (int i = 0; i < s->around.nr_disks; i++) {
		json_object(doc, s->run->disks->disk[i].name);
		json_u64(doc, "ios", a->disk[i].ios);
		json_f64(doc, "busy_percent", fl_min(100 * of_time(a->disk[i].busy_ms, a), 100.0));
		json_f64(doc, "queue", of_time(a->disk[i].queue_ms, a));
		json_end(doc);
	}
	json_end(doc);
	json_end(doc);
}

static void json_entry(const struct slowest *s, const struct entry *e, int kind, struct crowds *c,
		       struct json *doc)
{
	const struct slow_io *io = &e->io;
	char name[FILES_NAME_BYTES];

	json_object(doc, NULL);
	json_u64(doc, "lat_ns", clock_ns(slow_ticks(io)));
	json_i64(doc, "start_ns", since_start(s, e, io->start));
	json_i64(doc, "issue_ns", since_start(s, e, io->issue));
	json_i64(doc, "complete_ns", since_start(s, e, io->end));
	json_u64(doc, "wall_ms", wall_ms(s, e));
	json_str(doc, "file", file_name(s, e, name));
	if (kind < DIRS) {
		json_u64(doc, "offset", io->offset);
		json_u64(doc, "length", io->len);
	}
	json_u64(doc, "depth", io->depth);
	if (io->cpu != SLOW_CPU_UNKNOWN)
		json_i64(doc, "cpu", io->cpu);
	json_u64(doc, "worker", e->job);
	if (io->error)
		json_i64(doc, "error", io->error);
	json_around_at(s, e, c, doc);
	json_end(doc);
}

static void job_json(const void *self, const struct result *r, const struct result_job *j,
		     struct json *doc)
{
	const struct slowest *s = self;
	struct crowds crowds = { .count = 0 };

	(void)r;
	json_object(doc, "slowest");
	for (int kind = 0; kind < KINDS; kind++) {
		struct entry *list;
		size_t n = gather(s, j, kind, &list);

		if (n)
			json_array(doc, kind_name(kind));
		for (size_t i = 0; i < n; i++)
			json_entry(s, &list[i], kind, &crowds, doc);
		if (n)
			json_end(doc);
		free(list);
	}
	if (crowds.count)
		json_array(doc, "around");
	for (size_t i = 0; i < crowds.count; i++)
		json_around(s, &crowds.list[i], doc);
	if (crowds.count)
		json_end(doc);
	json_end(doc);
}

const struct observer slowest_observer = {
	.name = "slowest",
	.state_bytes = sizeof(struct slowest),
	.ready = on_ready,
	.tick = on_tick,
	.fill = on_fill,
	.job_text = job_text,
	.job_json = job_json,
	.done = on_done,
};
