/* SPDX-License-Identifier: MIT */
/* The rig's birth and death: targets with a known pattern, a queue, buffers, open files. */
#define _GNU_SOURCE
#include "core/contract_rig.h"

#include "os/clock.h"
#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LATE_NS		20000000	/* how long we look for writes that come too late */
#define LATE_BYTE	0xc5

/* ---- Targets --------------------------------------------------------------------------------- */

/*
 * synced: the file's size is on the disk, too. Direct writes beyond that are waited for in another
 * way, and Linux 6.1 then forgets to poll for those that are to be polled (hipri).
 */
static void make_file(const char *name, uint32_t file, uint64_t bytes, bool synced)
{
	char *data = malloc(bytes);
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || !data)
		contract_fail("the suite itself cannot make its file %s: %s", name,
			      strerror(errno));
	stamp_fill(data, bytes, file, 0, 0);
	if (pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		contract_fail("the suite itself cannot write its file %s", name);
	if (synced)
		fsync(fd);
	close(fd);
	free(data);
}

/* Names that only the engine understands: it is asked how large they are, or to make them. */
static uint64_t make_name(struct rig *r, struct fl_file *f, uint64_t bytes)
{
	const struct fl_engine *e = &r->c->engine->ops;
	uint64_t have = 0;
	int err;

	if (r->c->target)
		snprintf(r->names[f->index], sizeof(r->names[0]), "%s", r->c->target);
	else
		snprintf(r->names[f->index], sizeof(r->names[0]), "contract.%u",
			 r->spec.first_file + f->index);
	f->bytes = bytes;
	contract_hook("file_size()");
	err = e->file_size(&r->hq.q, f, &have);
	contract_hook("file_layout()");
	if ((err == -ENOENT || (!err && have < bytes)) && e->file_layout) {
		err = e->file_layout(&r->hq.q, f);
		if (err < 0)
			contract_fail("file_layout() of '%s' with %llu bytes failed: %s", f->name,
				      (unsigned long long)bytes, rig_why(r, err));
		err = e->file_size(&r->hq.q, f, &have);
	}
	contract_hook(NULL);
	if (err < 0)
		contract_skip("file_size() of '%s' answers %s; name a target that is there",
			      f->name, rig_why(r, err));
	return have;
}

/* A target that the user named is taken as it is: a device, or a file that is large enough. */
static uint64_t given_target(struct rig *r, struct fl_file *f)
{
	const struct fl_engine *e = &r->c->engine->ops;
	struct file_facts facts;
	uint64_t bytes = 0;
	int err;

	snprintf(r->names[f->index], sizeof(r->names[0]), "%s", r->c->target);
	if (e->file_size) {
		err = e->file_size(&r->hq.q, f, &bytes);
	} else {
		err = file_facts(f->name, &facts);
		bytes = facts.size_bytes;
		f->type = facts.type == FILE_BLOCK ? FL_FILE_BLOCK :
			  facts.type == FILE_CHAR ? FL_FILE_CHAR : FL_FILE_REGULAR;
	}
	if (err < 0)
		contract_fail("the size of '%s' is not known: %s", f->name, rig_why(r, err));
	if (bytes < CONTRACT_FILE_BYTES)
		contract_skip("'%s' has %llu bytes; %u are needed", f->name,
			      (unsigned long long)bytes, CONTRACT_FILE_BYTES);
	return bytes;
}

static void make_targets(struct rig *r)
{
	uint64_t bytes = r->spec.file_bytes ? r->spec.file_bytes : CONTRACT_FILE_BYTES;
	uint32_t caps = r->c->engine->ops.caps;

	r->file_bytes = bytes;
	for (uint32_t i = 0; i < r->file_count; i++) {
		struct fl_file *f = &r->files[i];

		*f = (struct fl_file){
			.size = sizeof(*f), .index = i, .name = r->names[i], .fd = -1,
			.open_flags = (r->spec.read_only ? O_RDONLY : O_RDWR) |
				      (r->spec.direct ? O_DIRECT : 0),
			.type = caps & FL_CAP_NAMES ? FL_FILE_NAME : FL_FILE_REGULAR,
		};
		if (caps & FL_CAP_NAMES) {
			r->file_bytes = make_name(r, f, bytes);
		} else if (r->c->target && !(caps & FL_CAP_NO_FILES)) {
			r->file_bytes = given_target(r, f);
		} else if (!(caps & FL_CAP_NO_FILES)) {
			snprintf(r->names[i], sizeof(r->names[0]), "%s/%u", r->c->dir,
				 r->spec.first_file + i);
			make_file(f->name, i, bytes, r->spec.direct);
		}
		f->bytes = f->io_bytes = r->file_bytes;
	}
}

void rig_file_open(struct rig *r, uint32_t file)
{
	struct fl_file *f = &r->files[file];
	int err;

	contract_hook("file_open()");
	err = host_file_open(&r->hq, f);
	contract_hook(NULL);
	if (err == -EINVAL && r->spec.direct)
		contract_skip("%s", rig_why(r, err));
	if (err)
		contract_fail("opening '%s' failed: %s", f->name, rig_why(r, err));
}

void rig_file_close(struct rig *r, uint32_t file)
{
	struct fl_file *f = &r->files[file];
	int err;

	contract_hook("file_close()");
	err = host_file_close(&r->hq, f);
	contract_hook(NULL);
	if (err)
		contract_fail("closing '%s' failed: %s", f->name, rig_why(r, err));
}

/* What is no file of the suite's own gets its pattern through the engine. */
static void write_targets(struct rig *r)
{
	uint32_t caps = r->c->engine->ops.caps;

	if (!rig_can(r, FL_OP_WRITE) || (!(caps & FL_CAP_NAMES) && !r->c->target))
		return;
	for (uint32_t i = 0; i < r->file_count; i++) {
		uint64_t at, len;

		for (at = 0; at < r->file_bytes && at < CONTRACT_FILE_BYTES; at += len) {
			len = fl_min(r->file_bytes - at, r->job.block_max);
			stamp_fill(rig_buf(r, 0), len, i, at, 0);
			if (rig_io(r, FL_OP_WRITE, i, at, len) != (int64_t)len)
				contract_fail("writing %llu bytes at %llu of '%s' answered %lld",
					      (unsigned long long)len, (unsigned long long)at,
					      r->names[i], (long long)r->reqs[0].res);
		}
	}
}

/*
 * An engine that only reads may bring the bytes elsewhere: a copier does. It shows by a buffer in
 * which not one byte has changed.
 */
static void look_for_data(struct rig *r)
{
	const unsigned char *buf = rig_buf(r, 0);
	uint32_t i = 0;

	if (r->c->engine->ops.caps & FL_CAP_NO_FILES || !engine_can(r->c->engine, FL_OP_READ)) {
		r->no_data = true;
	} else if (!engine_can(r->c->engine, FL_OP_WRITE)) {
		memset(rig_buf(r, 0), 0xee, CONTRACT_BLOCK);
		rig_io(r, FL_OP_READ, 0, 0, CONTRACT_BLOCK);
		while (i < CONTRACT_BLOCK && buf[i] == 0xee)
			i++;
		r->no_data = i == CONTRACT_BLOCK;
	}
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void open_buffers(struct rig *r)
{
	const struct fl_engine *e = &r->c->engine->ops;
	void *buffers = NULL;
	int err = 0;

	/* Room for one more page: buffers of any alignment are made by shifting. */
	r->stride = (r->job.block_max + 4095) / 4096 * 4096 + 4096;
	r->buffers_bytes = r->stride * r->depth;
	r->engine_buffers = e->buffers_alloc;
	contract_hook("buffers_alloc()");
	if (e->buffers_alloc)
		err = e->buffers_alloc(&r->hq.q, r->buffers_bytes, 4096, &buffers);
	else
		buffers = aligned_alloc(4096, r->buffers_bytes);
	contract_hook(NULL);
	if (err < 0 || !buffers)
		contract_fail("buffers_alloc() of %llu bytes failed: %s",
			      (unsigned long long)r->buffers_bytes,
			      rig_why(r, err ? err : -ENOMEM));
	if ((uintptr_t)buffers % 4096)
		contract_fail("buffers_alloc() was asked for an alignment of 4096 and answered %p",
			      buffers);
	memset(buffers, 0, r->buffers_bytes);
	r->buffers = buffers;
	r->hq.q.buffers = buffers;
	r->hq.q.buffer_stride = r->stride;
	contract_hook("buffers_ready()");
	if (e->buffers_ready && (err = e->buffers_ready(&r->hq.q)) < 0)
		contract_fail("buffers_ready() failed: %s", rig_why(r, err));
	contract_hook(NULL);
}

static uint64_t job_ops(const struct engine *e)
{
	uint64_t ops = 0;

	for (uint32_t op = FL_OP_READ; op <= FL_OP_LIST; op++)
		if (engine_can(e, op))
			ops |= 1ull << op;
	return ops;
}

void rig_open(struct rig *r, struct contract *c, const struct rig_spec *spec)
{
	struct host_setup setup;
	int err;

	memset(r, 0, sizeof(*r));
	r->c = c;
	r->spec = *spec;
	r->spec.direct |= c->direct;
	r->depth = spec->depth ? spec->depth : c->depth;
	r->file_count = spec->files ? spec->files : 1;
	if (c->target && r->file_count > 1)
		contract_skip("only one target is given");
	r->job = (struct fl_job){
		.size = sizeof(r->job), .name = "contract", .ops = job_ops(c->engine),
		.files = r->file_count, .files_open_max = r->file_count,
		.block_min = c->direct ? CONTRACT_BLOCK : 1,
		.block_max = spec->block_max ? spec->block_max : CONTRACT_BLOCK, .seed = 1,
		.flags = r->spec.direct ? FL_JOB_DIRECT : 0,
	};
	setup = (struct host_setup){
		.engine = c->engine, .job = &r->job, .opts = spec->opts ? spec->opts : c->opts,
		.depth = r->depth, .counters = r->counters, .host = spec->host,
	};
	host_queue_init(&r->hq, &setup);
	if (!spec->queue_only)
		make_targets(r);
	r->reqs = calloc(r->depth, sizeof(*r->reqs));
	r->sent = calloc(r->depth, sizeof(*r->sent));
	r->busy = calloc(r->depth, sizeof(*r->busy));
	r->done = calloc(r->depth, sizeof(*r->done));
	if (!r->reqs || !r->sent || !r->busy || !r->done)
		contract_fail("the suite itself is out of memory");
	contract_hook("open()");
	err = host_queue_open(&r->hq, &setup);
	contract_hook(NULL);
	if (err == -EINVAL && (r->spec.direct || c->opts_given))
		contract_skip("%s", rig_why(r, err));
	/* An option may ask for a depth that only this case does not have. */
	if (err == -EINVAL && r->depth != c->depth)
		contract_skip("depth %u: %s", r->depth, rig_why(r, err));
	if (err)
		contract_fail("open() of a queue of depth %u failed: %s", r->depth,
			      rig_why(r, err));
	open_buffers(r);
	if (spec->queue_only)
		return;
	for (; r->opened < r->file_count; r->opened++)
		rig_file_open(r, r->opened);
	write_targets(r);
	look_for_data(r);
}

bool rig_can(const struct rig *r, uint32_t op)
{
	return !(r->c->engine->ops.caps & FL_CAP_NO_FILES) && engine_can(r->c->engine, op);
}

/* What was in flight has been dropped: nobody may write to its buffer any more. */
static void check_late_writes(struct rig *r)
{
	const unsigned char *bytes = (const unsigned char *)r->buffers;

	if (!r->in_flight || r->engine_buffers)
		return;
	memset(r->buffers, LATE_BYTE, r->buffers_bytes);
	clock_sleep_ns(LATE_NS);
	for (uint64_t i = 0; i < r->buffers_bytes; i++)
		if (bytes[i] != LATE_BYTE)
			contract_fail("a buffer was written to after close() had returned (byte "
				      "%llu of slot %llu): what is in flight at close() must be "
				      "stopped or waited for there",
				      (unsigned long long)(i % r->stride),
				      (unsigned long long)(i / r->stride));
}

void rig_drop(struct rig *r)
{
	if (r->in_flight)
		host_abandon(&r->hq);
	while (r->opened)
		rig_file_close(r, --r->opened);
	contract_hook("buffers_free()");
	if (r->engine_buffers)
		r->c->engine->ops.buffers_free(&r->hq.q, r->buffers);
	contract_hook("close()");
	host_queue_close(&r->hq);
	contract_hook(NULL);
	check_late_writes(r);
	if (!r->engine_buffers)
		free(r->buffers);
	free(r->reqs);
	free(r->sent);
	free(r->busy);
	free(r->done);
}

void rig_close(struct rig *r)
{
	rig_wait_all(r);
	rig_drop(r);
}
