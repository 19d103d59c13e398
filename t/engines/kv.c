/* SPDX-License-Identifier: MIT */
/*
 * An engine whose targets are names and no files: a store of keys and values in memory. A target is
 * a bucket, and each piece of it of one size is an object with a key of its own, the offset. The
 * store is shared by all queues of the process; an object that was never put is all zeroes.
 */
#include <errno.h>
#include <fio-like/engine.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 1024 };

struct kv_conf {
	uint64_t bucket_bytes, object_bytes;
};

struct object {
	struct object *next;
	uint64_t number;
	char *value;
	char bucket[];
};

struct store {
	const struct fl_host *host;
	pthread_mutex_t lock;
	struct object *chain[CHAINS];
};

#define AT(member)	.offset = offsetof(struct kv_conf, member)

static const struct fl_opt kv_opts[] = {
	{ .name = "kv_bucket_size", .type = FL_OPT_SIZE, AT(bucket_bytes), .min = 1,
	  .max = 1ull << 40, .def = "1m", .help = "how large each bucket is" },
	{ .name = "kv_object_size", .type = FL_OPT_SIZE, AT(object_bytes), .min = 1,
	  .max = 1u << 20, .def = "4k", .help = "how large each object is" },
};

enum { COUNT_GETS, COUNT_PUTS };

static const struct fl_counter kv_counters[] = {
	{ .name = "kv_gets", .help = "objects looked up for a read" },
	{ .name = "kv_puts", .help = "objects written to" },
};

/* ---- The store ------------------------------------------------------------------------------- */

static int kv_process_init(const struct fl_host *host, void **process)
{
	struct store *s = host->alloc(sizeof(*s), 0);

	if (!s)
		return -ENOMEM;
	s->host = host;
	pthread_mutex_init(&s->lock, NULL);
	*process = s;
	return 0;
}

static void kv_process_exit(void *process)
{
	struct store *s = process;

	for (int i = 0; i < CHAINS; i++) {
		while (s->chain[i]) {
			struct object *o = s->chain[i];

			s->chain[i] = o->next;
			free(o->value);
			free(o);
		}
	}
	pthread_mutex_destroy(&s->lock);
	s->host->free(s);
}

/* FNV-1a of the bucket's name, the number stirred in. */
static struct object **find(struct store *s, const char *bucket, uint64_t number)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ number;
	struct object **o;

	for (const char *p = bucket; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3ull;
	o = &s->chain[(hash ^ hash >> 32) % CHAINS];
	while (*o && ((*o)->number != number || strcmp((*o)->bucket, bucket)))
		o = &(*o)->next;
	return o;
}

static struct object *put(struct object **place, const char *bucket, uint64_t number,
			  uint64_t bytes)
{
	struct object *o = malloc(sizeof(*o) + strlen(bucket) + 1);

	if (!o)
		return NULL;
	o->value = calloc(1, bytes);
	if (!o->value) {
		free(o);
		return NULL;
	}
	o->next = NULL;
	o->number = number;
	strcpy(o->bucket, bucket);
	return *place = o;
}

/* ---- Requests -------------------------------------------------------------------------------- */

/* The part of a request that lies in one object. */
static int64_t one_object(struct fl_queue *q, struct fl_req *req, uint64_t at, char *buf,
			  uint64_t len)
{
	uint64_t bytes = ((const struct kv_conf *)q->opts)->object_bytes;
	struct object **place = find(q->process, req->file->name, at / bytes), *o = *place;

	q->counters[req->op == FL_OP_READ ? COUNT_GETS : COUNT_PUTS]++;
	if (req->op == FL_OP_READ) {
		if (o)
			memcpy(buf, o->value + at % bytes, len);
		else
			memset(buf, 0, len);
		return 0;
	}
	if (!o)
		o = put(place, req->file->name, at / bytes, bytes);
	if (!o)
		return -ENOMEM;
	memcpy(o->value + at % bytes, buf, len);
	return 0;
}

static int64_t all_objects(struct fl_queue *q, struct fl_req *req)
{
	const struct kv_conf *conf = q->opts;
	uint64_t end = req->offset + req->len, at = req->offset;

	if (end > conf->bucket_bytes)
		end = conf->bucket_bytes;
	while (at < end) {
		uint64_t room = conf->object_bytes - at % conf->object_bytes;
		uint64_t len = end - at < room ? end - at : room;
		int64_t err = one_object(q, req, at, (char *)req->buf + (at - req->offset), len);

		if (err)
			return err;
		at += len;
	}
	return (int64_t)(at - req->offset);
}

static int kv_queue(struct fl_queue *q, struct fl_req *req)
{
	struct store *s = q->process;

	req->res = 0;
	if (req->op == FL_OP_READ || req->op == FL_OP_WRITE) {
		pthread_mutex_lock(&s->lock);
		req->res = all_objects(q, req);
		pthread_mutex_unlock(&s->lock);
	}
	return FL_DONE;
}

static int kv_file_size(struct fl_queue *q, struct fl_file *f, uint64_t *bytes)
{
	(void)f;
	*bytes = ((const struct kv_conf *)q->opts)->bucket_bytes;
	return 0;
}

static const struct fl_engine kv = {
	FL_ENGINE_HEAD, .name = "kv", .help = "keys and values in memory", .version = "1.0",
	.caps = FL_CAP_NAMES, FL_ENGINE_OPTS(struct kv_conf, kv_opts),
	FL_ENGINE_COUNTERS(kv_counters), .process_init = kv_process_init,
	.process_exit = kv_process_exit, .file_size = kv_file_size, .queue = kv_queue,
};

FL_ENGINE_EXPORT(&kv);
