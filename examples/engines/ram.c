/* SPDX-License-Identifier: MIT */
/*
 * A RAM disk as an engine: each target is a piece of memory that lives as long as its queue. Build
 * it against the public header alone, and run a job on it with ioengine=./ram.so:
 *
 *	cc -shared -fPIC ram.c -o ram.so $(pkg-config --cflags fio-like)
 */
#include <fio-like/engine.h>
#include <errno.h>
#include <string.h>

struct ram_conf { uint64_t size; };

static const struct fl_opt ram_opts[] = {
	{ .name = "ram_size", .type = FL_OPT_SIZE, .offset = offsetof(struct ram_conf, size),
	  .min = 1, .max = 1ull << 40, .def = "1m", .help = "size of each target" },
};

static int ram_open(struct fl_queue *q)		/* one pointer per file, its memory comes later */
{
	q->flags |= FL_QUEUE_SYNC;
	q->priv = q->host->alloc(q->job->files * sizeof(char *), 0);
	return q->priv ? 0 : -ENOMEM;
}

static void ram_close(struct fl_queue *q)
{
	for (uint32_t i = 0; i < q->job->files; i++)
		q->host->free(((char **)q->priv)[i]);
	q->host->free(q->priv);
}

static int ram_file_size(struct fl_queue *q, struct fl_file *f, uint64_t *bytes)
{
	(void)f;
	*bytes = ((const struct ram_conf *)q->opts)->size;
	return 0;
}

static int ram_file_open(struct fl_queue *q, struct fl_file *f)
{
	char **disk = &((char **)q->priv)[f->index];

	if (!*disk)
		*disk = q->host->alloc(((const struct ram_conf *)q->opts)->size, 4096);
	f->priv = *disk;
	return *disk ? 0 : q->host->fail(q, -ENOMEM, "no memory for %s: lower ram_size", f->name);
}

static int ram_queue(struct fl_queue *q, struct fl_req *req)
{
	uint64_t size = ((const struct ram_conf *)q->opts)->size;
	uint64_t left = req->offset < size ? size - req->offset : 0;
	uint64_t len = req->len < left ? req->len : left;
	char *at = (char *)req->file->priv + req->offset;

	if (req->op == FL_OP_READ && len)
		memcpy(req->buf, at, len);
	else if (req->op == FL_OP_WRITE && len)
		memcpy(at, req->buf, len);
	req->res = req->op == FL_OP_READ || req->op == FL_OP_WRITE ? (int64_t)len : 0;
	return FL_DONE;
}

static const struct fl_engine ram = {
	FL_ENGINE_HEAD, .name = "ram", .help = "memory of this process as targets",
	.caps = FL_CAP_NAMES, FL_ENGINE_OPTS(struct ram_conf, ram_opts),
	.open = ram_open, .close = ram_close,
	.file_size = ram_file_size, .file_open = ram_file_open, .queue = ram_queue,
};

FL_ENGINE_EXPORT(&ram);
