/* SPDX-License-Identifier: MIT */
/* The writer's end of write_iolog: from entries of the ring to lines of an iolog, version 3. */
#ifndef CORE_LOG_IOLOG_H
#define CORE_LOG_IOLOG_H

#include "core/crew.h"
#include "core/log_scratch.h"

/* The iolog of one job. */
struct log_iolog {
	const struct file_set *files;
	struct log_ring *ring;		/* NULL: there is none */
	char *path;
	struct log_file *file;
	uint32_t named;			/* the scratch holds the name of this file ... */
	size_t name_len;		/* ... of so many bytes; 0: of none */
};

/*
 * log_iolog_path - the file of a job that has such a log. Of the jobs of a run that name the same
 * file, the first has it; the others add their number, as in "FILE.3". first: of all jobs of the
 * run. What does not fit is cut off.
 */
void log_iolog_path(const struct plan_job *first, const struct plan_job *pj,
		    char path[LOG_PATH_BYTES]);

/* log_iolog_init - of a job that may have none. */
void log_iolog_init(struct log_iolog *l, const struct crew *crew, const struct crew_job *job);
void log_iolog_free(struct log_iolog *l);

/* log_iolog_create - the file, if there is one, with the names of all files of the job. */
void log_iolog_create(struct log_iolog *l, struct log_scratch *s);

/* log_iolog_work - write what there is. Returns whether there is more. */
bool log_iolog_work(struct log_iolog *l, struct log_scratch *s);

/* log_iolog_account - what became of it, as notes in the job's block. */
void log_iolog_account(const struct log_iolog *l, struct worker_block *b);

#endif
