/* SPDX-License-Identifier: MIT */
/* The rig: everything an engine answers is compared with what engine.h says it may answer. */
#define _GNU_SOURCE
#include "core/contract_rig.h"

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ERRNO_MAX	4095
#define STATUS_FAILED	1
#define STATUS_SKIPPED	77

static char *words_at;

void contract_begin(char *words)
{
	words_at = words;
}

void contract_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words_at, CONTRACT_WORDS_BYTES, fmt, ap);
	va_end(ap);
	_exit(STATUS_FAILED);
}

void contract_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words_at, CONTRACT_WORDS_BYTES, fmt, ap);
	va_end(ap);
	_exit(STATUS_SKIPPED);
}

/* ---- The pattern ----------------------------------------------------------------------------- */

/* One byte per place: a multiplicative hash of the 8 byte word it lies in (Knuth, TAOCP 3, 6.4). */
static unsigned char stamp_byte(uint32_t file, uint64_t at, uint32_t generation)
{
	uint64_t word = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;

	word ^= (file * 31ull + generation + 1) * 0xbf58476d1ce4e5b9ull;
	word ^= word >> 29;
	return (unsigned char)(word >> (at % 8 * 8));
}

void stamp_fill(void *buf, uint64_t len, uint32_t file, uint64_t offset, uint32_t generation)
{
	for (uint64_t i = 0; i < len; i++)
		((unsigned char *)buf)[i] = stamp_byte(file, offset + i, generation);
}

void stamp_check(const void *buf, uint64_t len, uint32_t file, uint64_t offset,
		 uint32_t generation)
{
	for (uint64_t i = 0; i < len; i++) {
		unsigned char have = ((const unsigned char *)buf)[i];
		unsigned char want = stamp_byte(file, offset + i, generation);

		if (have != want)
			contract_fail("byte %llu of file %u should be 0x%02x, as it was written, "
				      "but 0x%02x was read (byte %llu of the request of %llu bytes "
				      "at %llu)", (unsigned long long)(offset + i), file, want,
				      have, (unsigned long long)i, (unsigned long long)len,
				      (unsigned long long)offset);
	}
}

/* ---- Targets --------------------------------------------------------------------------------- */

static void make_file(const char *name, uint32_t file, uint64_t bytes)
{
	char *data = malloc(bytes);
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || !data)
		contract_fail("the suite itself cannot make its file %s: %s", name,
			      strerror(errno));
	stamp_fill(data, bytes, file, 0, 0);
	if (pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		contract_fail("the suite itself cannot write its file %s", name);
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
	err = e->file_size(&r->hq.q, f, &have);
	if ((err == -ENOENT || (!err && have < bytes)) && e->file_layout) {
		err = e->file_layout(&r->hq.q, f);
		if (err < 0)
			contract_fail("file_layout() of '%s' with %llu bytes failed: %s", f->name,
				      (unsigned long long)bytes, rig_why(r, err));
		err = e->file_size(&r->hq.q, f, &have);
	}
	if (err < 0)
		contract_skip("file_size() of '%s' answers %s; name a target with --file", f->name,
			      rig_why(r, err));
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
			.open_flags = r->spec.read_only ? O_RDONLY : O_RDWR,
			.type = caps & FL_CAP_NAMES ? FL_FILE_NAME : FL_FILE_REGULAR,
		};
		if (caps & FL_CAP_NAMES) {
			r->file_bytes = make_name(r, f, bytes);
		} else if (r->c->target && !(caps & FL_CAP_NO_FILES)) {
			r->file_bytes = given_target(r, f);
		} else if (!(caps & FL_CAP_NO_FILES)) {
			snprintf(r->names[i], sizeof(r->names[0]), "%s/%u", r->c->dir,
				 r->spec.first_file + i);
			make_file(f->name, i, bytes);
		}
		f->bytes = f->io_bytes = r->file_bytes;
	}
}

static void open_files(struct rig *r)
{
	for (; r->opened < r->file_count; r->opened++) {
		struct fl_file *f = &r->files[r->opened];
		int err = host_file_open(&r->hq, f);

		if (err)
			contract_fail("opening '%s' failed: %s", f->name, rig_why(r, err));
	}
}

/* What is no file of the suite's own gets its pattern through the engine. */
static void write_targets(struct rig *r)
{
	uint32_t caps = r->c->engine->ops.caps;

	if (caps & FL_CAP_NO_FILES || !engine_can(r->c->engine, FL_OP_WRITE) ||
	    (!(caps & FL_CAP_NAMES) && !r->c->target))
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
	if (e->buffers_alloc)
		err = e->buffers_alloc(&r->hq.q, r->buffers_bytes, 4096, &buffers);
	else
		buffers = aligned_alloc(4096, r->buffers_bytes);
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
	if (e->buffers_ready && (err = e->buffers_ready(&r->hq.q)) < 0)
		contract_fail("buffers_ready() failed: %s", rig_why(r, err));
}

static uint64_t job_ops(const struct engine *e)
{
	uint64_t ops = 0;

	for (uint32_t op = FL_OP_READ; op <= FL_OP_DATASYNC; op++)
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
	r->depth = spec->depth ? spec->depth : c->depth;
	r->file_count = spec->files ? spec->files : 1;
	if (c->target && r->file_count > 1)
		contract_skip("only one target is given");
	r->job = (struct fl_job){
		.size = sizeof(r->job), .name = "contract", .ops = job_ops(c->engine),
		.files = r->file_count, .files_open_max = r->file_count, .block_min = 1,
		.block_max = spec->block_max ? spec->block_max : CONTRACT_BLOCK, .seed = 1,
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
	err = host_queue_open(&r->hq, &setup);
	/* An option may ask for a depth that only this case does not have. */
	if (err == -EINVAL && r->depth != c->depth)
		contract_skip("depth %u: %s", r->depth, rig_why(r, err));
	if (err)
		contract_fail("open() of a queue of depth %u failed: %s", r->depth,
			      rig_why(r, err));
	open_buffers(r);
	if (spec->queue_only)
		return;
	open_files(r);
	write_targets(r);
}

void rig_drop(struct rig *r)
{
	while (r->opened) {
		struct fl_file *f = &r->files[--r->opened];
		int err = host_file_close(&r->hq, f);

		if (err)
			contract_fail("closing '%s' failed: %s", f->name, rig_why(r, err));
	}
	if (r->engine_buffers)
		r->c->engine->ops.buffers_free(&r->hq.q, r->buffers);
	host_queue_close(&r->hq);
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

bool rig_sync(const struct rig *r)
{
	return r->hq.q.flags & FL_QUEUE_SYNC;
}

void rig_need_async(struct rig *r)
{
	if (rig_sync(r))
		contract_skip("the engine is synchronous with these options");
}

const char *rig_why(struct rig *r, int err)
{
	static char text[HOST_WHY_BYTES + 64];

	return host_explain(&r->hq, err, text, sizeof(text));
}

/* ---- Requests -------------------------------------------------------------------------------- */

void *rig_buf(struct rig *r, uint32_t slot)
{
	return r->buffers + slot * r->stride;
}

struct fl_req *rig_fill(struct rig *r, uint32_t slot, uint32_t op, uint32_t file, uint64_t offset,
			uint64_t len)
{
	struct fl_req *req = &r->reqs[slot];
	void *priv = req->priv;

	fl_assert(!r->busy[slot] && file < r->file_count);
	*req = (struct fl_req){
		.size = sizeof(*req), .op = op, .offset = offset, .len = len,
		.buf = rig_buf(r, slot), .file = &r->files[file], .slot = slot, .priv = priv,
	};
	return req;
}

/* The request is the runner's again: nothing but res, res2 and priv may have changed. */
static void check_back(struct rig *r, const struct fl_req *req, const char *from)
{
	const struct fl_req *sent = &r->sent[req->slot];
	struct fl_req want = *sent;

	want.res = req->res;
	want.res2 = req->res2;
	want.priv = req->priv;
	if (memcmp(&want, req, sizeof(want)))
		contract_fail("%s handed back request %u with members changed that are not the "
			      "engine's: it may write res, res2 and priv only", from, req->slot);
	if (req->res > (int64_t)req->len && req->op <= FL_OP_TRIM)
		contract_fail("%s says that %lld bytes were moved, but the request was for %llu",
			      from, (long long)req->res, (unsigned long long)req->len);
	if (req->res < -ERRNO_MAX)
		contract_fail("%s says res = %lld, which is no bytes and no -errno", from,
			      (long long)req->res);
}

/* What queue() answers in the end: a full queue is committed and drained until there is room. */
static int queue_until_taken(struct rig *r, struct fl_req *req)
{
	int answer;

	do {
		answer = r->c->engine->ops.queue(&r->hq.q, req);
		if (answer != -EAGAIN)
			return answer;
		if (rig_sync(r))
			contract_fail("queue() of a synchronous queue answered -EAGAIN: there is "
				      "nothing in flight that could make room");
		check_back(r, req, "queue()");
		if (!r->in_flight)
			contract_fail("queue() answered -EAGAIN with nothing in flight");
		rig_commit(r);
	} while (rig_reap(r, 1, r->depth, CONTRACT_WAIT_NS));
	return answer;
}

bool rig_start(struct rig *r, uint32_t slot)
{
	const struct fl_engine *e = &r->c->engine->ops;
	struct fl_req *req = &r->reqs[slot];
	int answer;

	r->sent[slot] = *req;
	answer = e->prep ? e->prep(&r->hq.q, req) : 0;
	if (answer < 0) {
		req->res = answer;
		check_back(r, req, "prep()");
		return false;
	}
	answer = queue_until_taken(r, req);
	if (answer == FL_PENDING) {
		if (rig_sync(r))
			contract_fail("queue() answered FL_PENDING on a queue whose open() set "
				      "FL_QUEUE_SYNC");
		r->busy[slot] = true;
		r->in_flight++;
		r->untold++;
	} else if (answer == FL_DONE) {
		check_back(r, req, "queue()");
	} else {
		contract_fail("queue() answered %d; it may answer FL_DONE (%d), FL_PENDING (%d) or "
			      "-errno, and an I/O that fails is FL_DONE with res = -errno%s%s",
			      answer, FL_DONE, FL_PENDING, answer < 0 ? ": " : "",
			      answer < 0 ? rig_why(r, answer) : "");
	}
	return answer == FL_PENDING;
}

void rig_commit(struct rig *r)
{
	const struct fl_engine *e = &r->c->engine->ops;

	if (!e->commit)
		r->untold = 0;
	while (r->untold) {
		int n = e->commit(&r->hq.q);

		if (n < 0)
			contract_fail("commit() failed: %s", rig_why(r, n));
		if ((uint32_t)n > r->untold)
			contract_fail("commit() told the kernel about %d requests, but only %u "
				      "were queued since the last time", n, r->untold);
		r->untold -= (uint32_t)n;
		if (!r->untold)
			return;
		if (r->in_flight == r->untold && !n)
			contract_fail("commit() makes no progress, though nothing else is in "
				      "flight");
		if (r->in_flight > r->untold)
			rig_reap(r, 1, r->depth, CONTRACT_WAIT_NS);
	}
}

uint32_t rig_reap(struct rig *r, uint32_t min, uint32_t max, int64_t timeout_ns)
{
	int n;

	memset(r->done, 0, r->depth * sizeof(*r->done));
	n = host_complete(&r->hq, min, max, timeout_ns, r->done);
	if (n < 0)
		contract_fail("complete() failed: %s", rig_why(r, n));
	for (int i = 0; i < n; i++) {
		struct fl_req *req = r->done[i];
		uint32_t slot = (uint32_t)(req - r->reqs);

		if (req < r->reqs || req >= r->reqs + r->depth)
			contract_fail("complete() handed back %p, which is no request of this "
				      "queue", (void *)req);
		if (!r->busy[slot])
			contract_fail("complete() handed back request %u, which was not in flight: "
				      "each request comes back exactly once", slot);
		check_back(r, req, "complete()");
		r->busy[slot] = false;
		r->in_flight--;
	}
	return (uint32_t)n;
}

void rig_wait_all(struct rig *r)
{
	rig_commit(r);
	while (r->in_flight)
		if (!rig_reap(r, 1, r->depth, CONTRACT_WAIT_NS))
			contract_fail("%u requests did not come back within %lld s", r->in_flight,
				      CONTRACT_WAIT_NS / 1000000000);
}

int64_t rig_io(struct rig *r, uint32_t op, uint32_t file, uint64_t offset, uint64_t len)
{
	rig_fill(r, 0, op, file, offset, len);
	if (rig_start(r, 0))
		rig_wait_all(r);
	return r->reqs[0].res;
}
