/* SPDX-License-Identifier: MIT */
/* Records of traces: bytes to numbers and back, and what they mean. */
#include "lib/blktrace.h"

#include <errno.h>

#define MAGIC		0x65617400u
#define VERSION		0x07u
#define ACT_QUEUE	1u

/* Categories, in the upper half of an action. */
#define CAT(bit)	(1u << (16 + (bit)))
#define CAT_WRITE	CAT(1)
#define CAT_FLUSH	CAT(2)
#define CAT_QUEUE	CAT(4)
#define CAT_FS		CAT(8)
#define CAT_PC		CAT(9)
#define CAT_NOTIFY	CAT(10)
#define CAT_DISCARD	CAT(13)

/* The kernel's struct, byte for byte. */
struct record {
	uint32_t magic, sequence;
	uint64_t time, sector;
	uint32_t bytes, action, pid, device, cpu;
	uint16_t error, pdu_len;
};

_Static_assert(sizeof(struct record) == BLKTRACE_BYTES, "as struct blk_io_trace");
_Static_assert(offsetof(struct record, time) == 8 && offsetof(struct record, bytes) == 24 &&
	       offsetof(struct record, device) == 36 && offsetof(struct record, pdu_len) == 46,
	       "as struct blk_io_trace");

enum blktrace_order blktrace_order(const void *bytes, size_t n, uint32_t *version)
{
	uint32_t magic, swapped;

	*version = 0;
	if (n < sizeof(magic))
		return BLKTRACE_NONE;
	memcpy(&magic, bytes, sizeof(magic));
	swapped = __builtin_bswap32(magic);
	if (magic == (MAGIC | VERSION))
		return BLKTRACE_NATIVE;
	if (swapped == (MAGIC | VERSION))
		return BLKTRACE_SWAPPED;
	if ((magic & ~0xffu) == MAGIC)
		*version = magic & 0xff;
	else if ((swapped & ~0xffu) == MAGIC)
		*version = swapped & 0xff;
	return BLKTRACE_NONE;
}

static void swap(struct record *r)
{
	r->magic = __builtin_bswap32(r->magic);
	r->sequence = __builtin_bswap32(r->sequence);
	r->time = __builtin_bswap64(r->time);
	r->sector = __builtin_bswap64(r->sector);
	r->bytes = __builtin_bswap32(r->bytes);
	r->action = __builtin_bswap32(r->action);
	r->pid = __builtin_bswap32(r->pid);
	r->device = __builtin_bswap32(r->device);
	r->cpu = __builtin_bswap32(r->cpu);
	r->error = __builtin_bswap16(r->error);
	r->pdu_len = __builtin_bswap16(r->pdu_len);
}

int blktrace_decode(const void *bytes, enum blktrace_order order, struct blktrace_event *e)
{
	struct record r;

	memcpy(&r, bytes, sizeof(r));
	if (order == BLKTRACE_SWAPPED)
		swap(&r);
	if (r.magic != (MAGIC | VERSION))
		return -EINVAL;
	*e = (struct blktrace_event){
		.sequence = r.sequence, .time_ns = r.time, .sector = r.sector, .bytes = r.bytes,
		.action = r.action, .pid = r.pid, .device = r.device, .cpu = r.cpu,
		.error = r.error, .pdu_len = r.pdu_len,
	};
	return 0;
}

void blktrace_encode(void *bytes, enum blktrace_order order, const struct blktrace_event *e)
{
	struct record r = {
		.magic = MAGIC | VERSION, .sequence = e->sequence, .time = e->time_ns,
		.sector = e->sector, .bytes = e->bytes, .action = e->action, .pid = e->pid,
		.device = e->device, .cpu = e->cpu, .error = e->error, .pdu_len = e->pdu_len,
	};

	if (order == BLKTRACE_SWAPPED)
		swap(&r);
	memcpy(bytes, &r, sizeof(r));
}

enum blktrace_kind blktrace_kind(const struct blktrace_event *e)
{
	if ((e->action & 0xffff & ~BLKTRACE_CGROUP) != ACT_QUEUE ||
	    e->action & (CAT_NOTIFY | CAT_PC))
		return BLKTRACE_OTHER;
	if (e->action & CAT_DISCARD)
		return e->bytes ? BLKTRACE_TRIM : BLKTRACE_OTHER;
	if (e->action & CAT_FLUSH && !e->bytes)
		return BLKTRACE_FLUSH;
	if (!e->bytes)
		return BLKTRACE_OTHER;
	return e->action & CAT_WRITE ? BLKTRACE_WRITE : BLKTRACE_READ;
}

uint32_t blktrace_queue_action(enum blktrace_kind kind)
{
	static const uint32_t categories[] = {
		[BLKTRACE_READ] = CAT(0), [BLKTRACE_WRITE] = CAT_WRITE,
		[BLKTRACE_TRIM] = CAT_DISCARD | CAT_WRITE,
		[BLKTRACE_FLUSH] = CAT_FLUSH | CAT_WRITE, [BLKTRACE_OTHER] = CAT_NOTIFY,
	};

	return ACT_QUEUE | CAT_QUEUE | CAT_FS | categories[kind];
}
