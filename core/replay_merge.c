/* SPDX-License-Identifier: MIT */
/* Merging by always taking the earliest of the next events of all traces. */
#include "core/replay_merge.h"
#include "core/replay_stream.h"
#include "os/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A trace that is being merged. */
struct input {
	struct replay_log log;
	double scale;
	uint64_t turns;			/* that are left, with the present one */
	uint64_t first_ns, length_ns;	/* of its I/Os, unscaled */
	uint64_t turn_ns;		/* where this turn begins, scaled, behind the first I/O */
	struct blktrace_event next;
	uint64_t at_ns;			/* when, in the merged trace; never goes back */
	bool over;
};

/* Times so far apart mean nothing, but are numbers. */
static uint64_t scaled(double ns, double scale)
{
	return ns * scale < 0x1p62 ? (uint64_t)(ns * scale) : 1ull << 62;
}

/* The next I/O of this turn. Returns 1, 0 or -errno, as replay_log_event(). */
static int next_io(struct input *in, char *why, size_t why_bytes)
{
	int ret;

	do
		ret = replay_log_event(&in->log, &in->next, why, why_bytes);
	while (ret > 0 && blktrace_kind(&in->next) == BLKTRACE_OTHER);
	return ret;
}

/* Where the times of its I/Os begin and end. */
static int measure(struct input *in, char *why, size_t why_bytes)
{
	uint64_t last_ns = 0;
	bool any = false;
	int ret;

	while ((ret = next_io(in, why, why_bytes)) > 0) {
		if (!any)
			in->first_ns = in->next.time_ns;
		any = true;
		last_ns = fl_max(last_ns, in->next.time_ns);
	}
	in->length_ns = any && last_ns > in->first_ns ? last_ns - in->first_ns : 0;
	in->over = !any;
	replay_log_rewind(&in->log);
	return ret;
}

/* Go on to the next event, in the next turn if need be. Returns 0 or -errno. */
static int advance(struct input *in, char *why, size_t why_bytes)
{
	uint64_t since;
	int ret = next_io(in, why, why_bytes);

	if (!ret && --in->turns) {
		in->turn_ns += scaled((double)in->length_ns, in->scale);
		replay_log_rewind(&in->log);
		ret = next_io(in, why, why_bytes);
	}
	if (ret <= 0) {
		in->over = true;
		return ret;
	}
	since = in->next.time_ns > in->first_ns ? in->next.time_ns - in->first_ns : 0;
	in->at_ns = fl_max(in->at_ns, in->first_ns + in->turn_ns +
			   scaled((double)since, in->scale));
	return 0;
}

static int begin(struct input *in, const struct replay_logs *logs, uint32_t i, char *why,
		 size_t why_bytes)
{
	const struct replay_conf *c = logs->conf;
	int err = replay_log_open(&in->log, logs->parts[i].path, logs->parts[i].fd, false,
				  &logs->change, why, why_bytes);

	in->scale = c->merge_percent.nr ? c->merge_percent.v[i] / 100 : 1;
	in->turns = c->merge_times.nr ? (uint64_t)c->merge_times.v[i] : 1;
	if (!err)
		err = measure(in, why, why_bytes);
	return err || in->over ? err : advance(in, why, why_bytes);
}

static struct input *earliest(struct input *list, uint32_t nr)
{
	struct input *best = NULL;

	for (uint32_t i = 0; i < nr; i++)
		if (!list[i].over && (!best || list[i].at_ns < best->at_ns))
			best = &list[i];
	return best;
}

static int merge(struct input *list, uint32_t nr, FILE *out, char *why, size_t why_bytes)
{
	uint32_t sequence = 0;
	struct input *in;
	int err = 0;

	while (!err && (in = earliest(list, nr))) {
		struct blktrace_event e = in->next;
		char bytes[BLKTRACE_BYTES];

		e.time_ns = in->at_ns;
		e.sequence = ++sequence;
		e.action &= ~BLKTRACE_CGROUP;	/* what followed the record is not there now */
		e.pdu_len = 0;
		blktrace_encode(bytes, BLKTRACE_NATIVE, &e);
		if (fwrite(bytes, sizeof(bytes), 1, out) != 1)
			return 0;	/* ferror() remembers */
		err = advance(in, why, why_bytes);
	}
	return err;
}

/* The file must not be one of those that are merged into it. */
static int check_place(const struct replay_logs *logs, const char *path, char *why,
		       size_t why_bytes)
{
	struct stat st, other;

	if (stat(path, &st))
		return 0;
	for (uint32_t i = 0; i < logs->nr_parts; i++) {
		if (fstat(logs->parts[i].fd, &other) || st.st_dev != other.st_dev ||
		    st.st_ino != other.st_ino)
			continue;
		snprintf(why, why_bytes, "merge_blktrace_file=%s: that is one of the traces that "
			 "are to be merged into it", path);
		return -EINVAL;
	}
	return 0;
}

static int write_failed(const char *path, int err, char *why, size_t why_bytes)
{
	snprintf(why, why_bytes, "merge_blktrace_file=%s: it can't be written: %s", path,
		 output_error(err));
	return err;
}

static int write_merged(const struct replay_logs *logs, struct input *list, const char *path,
			char *why, size_t why_bytes)
{
	int err;
	FILE *out = output_stream(path, &err);

	if (!out)
		return write_failed(path, err, why, why_bytes);
	for (uint32_t i = 0; !err && i < logs->nr_parts; i++)
		err = begin(&list[i], logs, i, why, why_bytes);
	if (!err)
		err = merge(list, logs->nr_parts, out, why, why_bytes);
	errno = EIO;
	if ((ferror(out) | fclose(out)) && !err)
		err = write_failed(path, -errno, why, why_bytes);
	return err;
}

int replay_merge(struct replay_logs *logs, char *why, size_t why_bytes)
{
	struct replay_source *s = &logs->list[0];
	struct input *list;
	int err;

	if (!logs->nr_parts)
		return 0;
	err = check_place(logs, s->path, why, why_bytes);
	if (err)
		return err;
	list = calloc(logs->nr_parts, sizeof(*list));
	if (list)
		err = write_merged(logs, list, s->path, why, why_bytes);
	else
		err = write_failed(s->path, -ENOMEM, why, why_bytes);
	for (uint32_t i = 0; list && i < logs->nr_parts; i++)
		replay_log_free(&list[i].log);
	free(list);
	if (err)
		return err;
	s->fd = replay_stream_open(s->path, why, why_bytes);
	return fl_min(s->fd, 0);
}
