/* SPDX-License-Identifier: MIT */
/* The page cache in the results: one line of a job in normal output, one object in JSON. */
#include "core/cachestat.h"
#include "core/files.h"
#include "core/reporter.h"
#include "lib/numfmt.h"
#include "os/mem.h"

#include <inttypes.h>

#define FILES_SHOWN	64u	/* by name, per result */

/* The advice in force, in the words of fadvise_hint. */
static const char *advice_name(const struct job *job)
{
	return files_advice_name(files_advice(&job->files, job->workload.rw.bits & RW_RANDOM));
}

/* ---- Normal ---------------------------------------------------------------------------------- */

static void put_share(const struct cachestat_sum *s, FILE *out)
{
	const struct pagecache *size = s->ended ? &s->after : &s->before;

	fprintf(out, "pages=%" PRIu64 ", cached=", size->pages);
	if (s->begun)
		fprintf(out, "%.2f%%", pagecache_percent(&s->before));
	fputs("->", out);
	if (s->ended)
		fprintf(out, "%.2f%%", pagecache_percent(&s->after));
	if (size->seen < size->pages || s->files_seen < s->files)
		fprintf(out, " of %" PRIu64 " looked at", size->seen);
}

/* "name=before->after"; nothing of what was not looked at, or was never anything but 0. */
static void put_count(const char *name, const struct cachestat_sum *s, uint64_t before,
		      uint64_t after, FILE *out)
{
	if (!before && !after)
		return;
	fprintf(out, ", %s=", name);
	if (s->begun)
		fprintf(out, "%" PRIu64, before);
	fputs("->", out);
	if (s->ended)
		fprintf(out, "%" PRIu64, after);
}

static void put_counts(const struct cachestat_sum *s, FILE *out)
{
	const struct pagecache *b = &s->before, *a = &s->after;

	if (b->source == PAGECACHE_MINCORE || a->source == PAGECACHE_MINCORE)
		return;		/* it knows of nothing else */
	put_count("dirty", s, b->dirty, a->dirty, out);
	put_count("writeback", s, b->writeback, a->writeback, out);
	put_count("evicted", s, b->evicted, a->evicted, out);
	put_count("recently", s, b->recently_evicted, a->recently_evicted, out);
}

static void put_storage(const struct cachestat_sum *s, struct num_style style, FILE *out)
{
	if (s->storage_known)
		fprintf(out, ", from_storage=%s, to_storage=%s", num_bytes(s->read_bytes, style).s,
			num_bytes(s->write_bytes, style).s);
	if (s->amplification > 0)
		fprintf(out, ", amplification=%.2f", s->amplification);
	if (s->invalidate_ns)
		fprintf(out, ", invalidated in %.2fms", (double)s->invalidate_ns / 1e6);
	if (s->trail_bytes)
		fprintf(out, ", advised %s in %.2fms", num_bytes(s->trail_bytes, style).s,
			(double)s->trail_ns / 1e6);
}

void cachestat_text(const void *self, const struct result *r, const struct result_job *j, FILE *out)
{
	struct cachestat_sum s;

	(void)r;
	cachestat_sum(self, j, &s);
	if (!s.begun && !s.ended)
		return;
	fputs("  cache        : ", out);
	put_share(&s, out);
	put_counts(&s, out);
	put_storage(&s, j->style, out);
	fprintf(out, ", advice=%s, by=%s", advice_name(j->job),
		pagecache_source_name(fl_max(s.before.source, s.after.source)));
	if (s.files > 1)
		fprintf(out, ", files=%" PRIu64 " of %" PRIu64, s.files_seen, s.files);
	fputc('\n', out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_pages(struct json *doc, const char *key, const struct pagecache *p)
{
	json_object(doc, key);
	json_u64(doc, "pages", p->pages);
	json_u64(doc, "looked_at", p->seen);
	json_u64(doc, "cached", p->cached);
	json_f64(doc, "cached_percent", pagecache_percent(p));
	if (p->source == PAGECACHE_CACHESTAT) {
		json_u64(doc, "dirty", p->dirty);
		json_u64(doc, "writeback", p->writeback);
		json_u64(doc, "evicted", p->evicted);
		json_u64(doc, "recently_evicted", p->recently_evicted);
	}
	json_end(doc);
}

static void put_files(struct json *doc, const struct cachestat *cs, const struct result_job *j)
{
	char name[FILES_NAME_BYTES];

	uint32_t shown = 0;

	json_array(doc, "files");
	for (int k = 0; k < j->jobs && shown < FILES_SHOWN; k++) {
		const struct cachestat_job *cj = &cs->jobs[j->members[k]];
		const struct file_set *set = &cs->crew->jobs[j->members[k]].plan->files;

		for (uint32_t i = 0; i < cj->count && shown < FILES_SHOWN; i++) {
			const struct cachestat_file *f = &cj->files[i];

			if (!f->begun && !f->ended)
				continue;
			shown++;
			json_object(doc, NULL);
			json_str(doc, "name", files_name(set, f->index, name));
			if (f->begun)
				put_pages(doc, "before", &f->before);
			if (f->ended)
				put_pages(doc, "after", &f->after);
			json_end(doc);
		}
	}
	json_end(doc);
}

void cachestat_json(const void *self, const struct result *r, const struct result_job *j,
		    struct json *doc)
{
	struct cachestat_sum s;

	(void)r;
	cachestat_sum(self, j, &s);
	if (!s.begun && !s.ended)
		return;
	json_object(doc, "cache");
	json_str(doc, "source", pagecache_source_name(fl_max(s.before.source, s.after.source)));
	json_u64(doc, "page_bytes", mem_page_size());
	json_str(doc, "advice", advice_name(j->job));
	if (s.begun)
		put_pages(doc, "before", &s.before);
	if (s.ended)
		put_pages(doc, "after", &s.after);
	json_f64(doc, "invalidate_ms", (double)s.invalidate_ns / 1e6);
	json_u64(doc, "advised_bytes", s.trail_bytes);
	json_f64(doc, "advised_ms", (double)s.trail_ns / 1e6);
	if (s.storage_known) {
		json_object(doc, "storage");
		json_u64(doc, "read_bytes", s.read_bytes);
		json_u64(doc, "write_bytes", s.write_bytes);
		json_f64(doc, "amplification", s.amplification);
		json_end(doc);
	}
	json_u64(doc, "files_total", s.files);
	json_u64(doc, "files_looked_at", s.files_seen);
	put_files(doc, self, j);
	json_end(doc);
}
