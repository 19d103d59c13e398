/* SPDX-License-Identifier: MIT */
/* Lines of iologs. */
#include "core/log_iolog.h"
#include "lib/iolog.h"
#include "os/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH		4096u		/* entries taken at a time */
#define LINE_BYTES	(FILES_NAME_BYTES + 96)

void log_iolog_path(const struct plan_job *first, const struct plan_job *pj,
		    char path[LOG_PATH_BYTES])
{
	const char *name = pj->job->log.iolog;

	snprintf(path, LOG_PATH_BYTES, "%s", name);
	for (; first < pj; first++) {
		if (!first->job->log.iolog || strcmp(first->job->log.iolog, name))
			continue;
		snprintf(path, LOG_PATH_BYTES, "%s.%u", name, pj->number);
		return;
	}
}

void log_iolog_init(struct log_iolog *l, const struct crew *crew, const struct crew_job *job)
{
	char path[LOG_PATH_BYTES];

	*l = (struct log_iolog){ .files = &job->plan->files, .ring = job->setup.issued };
	if (!l->ring)
		return;
	log_iolog_path(crew->jobs[0].plan, job->plan, path);
	l->path = strdup(path);
	fl_assert(l->path);
}

void log_iolog_free(struct log_iolog *l)
{
	free(l->path);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void flush(struct log_iolog *l, struct log_scratch *s, char **at)
{
	log_file_write(&s->files, l->file, s->text, (size_t)(*at - s->text));
	*at = s->text;
}

/* Lines about one file tend to follow each other: its name is put together once for them. */
static void put_line(struct log_iolog *l, struct log_scratch *s, char **at, uint32_t file,
		     struct iolog_line *line)
{
	if (*at > s->text + LOG_SCRATCH_BYTES - LINE_BYTES)
		flush(l, s, at);
	if (!l->name_len || file != l->named) {
		files_name(l->files, file, s->name);
		l->name_len = strlen(s->name);
		l->named = file;
	}
	line->name = (struct span){ s->name, l->name_len };
	*at = iolog_put(*at, line);
}

void log_iolog_create(struct log_iolog *l, struct log_scratch *s)
{
	const char *head = iolog_head();
	char *at = s->text;

	if (!l->ring)
		return;
	l->file = log_files_add(&s->files, l->path, false, 0);
	memcpy(at, head, strlen(head));
	at += strlen(head);
	for (uint32_t i = 0; i < l->files->nr; i++) {
		struct iolog_line line = { .action = IOLOG_ADD };

		put_line(l, s, &at, i, &line);
	}
	flush(l, s, &at);
}

/* Microseconds since the job began; what comes before that is its beginning. */
static uint64_t time_us(const struct log_ring *r, uint64_t at)
{
	uint64_t base = atomic_load_explicit(&r->base, memory_order_relaxed);

	return base && at > base ? clock_ns(at - base) / 1000 : 0;
}

bool log_iolog_work(struct log_iolog *l, struct log_scratch *s)
{
	uint64_t ready = l->ring ? log_ring_ready(l->ring) : 0, n = fl_min(ready, (uint64_t)BATCH);
	char *at = s->text;

	if (!n)
		return false;
	l->name_len = 0;	/* the scratch is everybody's */
	for (uint64_t i = 0; i < n && !l->file->error; i++) {
		const struct log_issue *e = &log_ring_at(l->ring, i)->issue;
		struct iolog_line line = {
			.action = e->action, .time_us = time_us(l->ring, e->at),
			.offset = e->offset, .len = e->len,
		};

		put_line(l, s, &at, e->file, &line);
	}
	flush(l, s, &at);
	log_ring_drop(l->ring, n);
	return ready > n;
}

void log_iolog_account(const struct log_iolog *l, struct worker_block *b)
{
	typedef unsigned long long ull;

	if (l->file && l->file->error)
		stats_note(b, "log %s is incomplete: %s", l->path, strerror(l->file->error));
	if (l->ring && l->ring->waits)
		stats_note(b, "write_iolog could not be written as fast as I/Os were issued: %llu "
			   "times the job waited before the next one, %llu ms in all",
			   (ull)l->ring->waits, (ull)(l->ring->wait_ns / 1000000));
}
