/* SPDX-License-Identifier: MIT */
/* Saving and loading the states of verifying jobs. */
#include "core/verify_state.h"
#include "os/output.h"
#include "os/replace.h"
#include "os/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES	4096
#define STATE_BYTES_MAX	(256u << 20)	/* of a file that is read */
#define LOG_BYTES	(4 << 20)	/* verify_state_file is begun anew after so many */

static const char *state_path(const struct verify_state_of *of, char *buf, size_t n)
{
	char name[128];
	size_t i = 0;

	/* a job's name may hold anything; the name of its file is one name */
	for (; i < sizeof(name) - 1 && of->name[i]; i++)
		name[i] = of->name[i] == '/' ? '_' : of->name[i];
	name[i] = 0;
	snprintf(buf, n, "%s%slocal-%s-%u-verify.state", of->aux_path ? of->aux_path : "",
		 of->aux_path ? "/" : "", name, of->job);
	return buf;
}

static int make_text(const struct verify_state_of *of, const struct frontier *f,
		     struct strbuf *text)
{
	struct vstate s = { .job = of->job, .unit = of->unit };
	int err = frontier_state(f, &s);

	if (err)
		return err;
	snprintf(s.name, sizeof(s.name), "%s", of->name);
	vstate_write(&s, text);
	vstate_free(&s);
	return 0;
}

int verify_state_append(const struct verify_state_of *of, const char *path,
			const struct frontier *f)
{
	struct strbuf text = STRBUF_INIT;
	struct stat st;
	int fd, err = make_text(of, f, &text);

	if (!err && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > LOG_BYTES) {
		err = replace_name(path, text.text, text.len, true);
	} else if (!err) {
		fd = output_open(path, O_CREAT | O_APPEND | O_NOCTTY | O_NONBLOCK);
		err = fd < 0 ? fd : output_write(fd, text.text, text.len);
		/* a console has nothing to sync */
		if (!err && fdatasync(fd) && errno != EINVAL && errno != EROFS)
			err = -errno;
		if (fd >= 0)
			close(fd);
	}
	strbuf_free(&text);
	return err;
}

/* A pipe would keep it waiting, and a device has no end. */
static int read_state(const char *path, char **text, size_t *len)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? slurp_file(path, STATE_BYTES_MAX, text, len) : -EMEDIUMTYPE;
}

int verify_state_load(const struct verify_state_of *of, const char *path, struct vstate *s,
		      char *why, size_t why_bytes)
{
	char buf[PATH_BYTES], *text = NULL;
	struct parse_err perr;
	size_t len = 0;
	int err;

	if (!path)
		path = state_path(of, buf, sizeof(buf));
	err = read_state(path, &text, &len);
	if (err) {
		snprintf(why, why_bytes, "verify_state_load: %s cannot be read: %s; it is written "
			 "by the job that wrote the data (verify_state_save), and looked for in "
			 "--aux-path", path, err == -EMEDIUMTYPE ?
			 "it is no regular file" : strerror(-err));
		return err;
	}
	err = vstate_read((struct span){ text, len }, s, &perr);
	free(text);
	if (err) {
		snprintf(why, why_bytes, "verify_state_load: %s: %s", path, perr.text);
		return err;
	}
	if (s->job == of->job && s->unit == of->unit)
		return 0;
	snprintf(why, why_bytes, "verify_state_load: %s is of job number %u with blocks of %u "
		 "bytes, this is number %u with blocks of %u: run the same job file", path, s->job,
		 s->unit, of->job, of->unit);
	vstate_free(s);
	return -EINVAL;
}

void verify_state_keep(const struct observed *run, size_t i)
{
	const struct crew_job *j = &run->crew->jobs[i];
	const struct job *job = j->plan->job;
	const struct verify_state_of of = {
		job->name, j->plan->number, job->verify.unit, run->flags->aux_path,
	};
	struct strbuf text = STRBUF_INIT;
	char path[PATH_BYTES];
	int err;

	if (!j->setup.frontier || !job->verify.state_save || job->verify.only ||
	    !atomic_load(&j->setup.frontier->issued))
		return;
	err = make_text(&of, j->setup.frontier, &text);
	if (!err)
		err = replace_name(state_path(&of, path, sizeof(path)), text.text, text.len,
				   true);
	if (err)
		diag_say(stderr, "fio-like: verify_state_save: the state of job %s is not kept: %s",
			 job->name, err == -EOVERFLOW ? "more writes failed than it can hold" :
			 strerror(-err));
	strbuf_free(&text);
}

static void job_ended(void *self, const struct observed *run, size_t i)
{
	(void)self;
	verify_state_keep(run, i);
}

const struct observer verify_state = { .name = "verify_state", .job_ended = job_ended };
