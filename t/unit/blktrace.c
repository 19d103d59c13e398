/* SPDX-License-Identifier: MIT */
/* Records of block traces, against the kernel's own header. */
#include "t/test.h"

#include "lib/blktrace.h"

#include <linux/blktrace_api.h>

/* As BLK_TC_ACT(), but its shift stays within what an int can hold. */
#define ACT(flags)	((uint32_t)(flags) << BLK_TC_SHIFT)

/* As the kernel writes it. */
static struct blk_io_trace record(uint32_t action, uint32_t bytes)
{
	return (struct blk_io_trace){
		.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION, .sequence = 7,
		.time = 123456789012ull, .sector = 1ull << 33, .bytes = bytes, .action = action,
		.pid = 42, .device = 8u << 20 | 17, .cpu = 3, .error = 0, .pdu_len = 12,
	};
}

static enum blktrace_kind kind(uint32_t action, uint32_t bytes)
{
	struct blk_io_trace t = record(action, bytes);
	struct blktrace_event e;

	T_EQ(blktrace_decode(&t, BLKTRACE_NATIVE, &e), 0);
	return blktrace_kind(&e);
}

TEST(a_record_of_the_kernel)
{
	struct blk_io_trace t = record(BLK_TA_QUEUE, 4096);
	struct blktrace_event e;
	uint32_t version;

	T_EQ(sizeof(t), BLKTRACE_BYTES);
	T_EQ(blktrace_order(&t, sizeof(t), &version), BLKTRACE_NATIVE);
	T_EQ(blktrace_decode(&t, BLKTRACE_NATIVE, &e), 0);
	T_EQ(e.sequence, 7);
	T_EQ(e.time_ns, 123456789012ull);
	T_EQ(e.sector, 1ull << 33);
	T_EQ(e.bytes, 4096);
	T_EQ(e.pid, 42);
	T_EQ(blktrace_major(e.device), 8);
	T_EQ(blktrace_minor(e.device), 17);
	T_EQ(e.device, blktrace_device(8, 17));
	T_EQ(e.cpu, 3);
	T_EQ(e.pdu_len, 12);
}

TEST(both_byte_orders)
{
	struct blk_io_trace t = record(BLK_TA_QUEUE, 4096);
	unsigned char other[BLKTRACE_BYTES], back[BLKTRACE_BYTES];
	struct blktrace_event e, again;
	uint32_t version;

	T_EQ(blktrace_decode(&t, BLKTRACE_NATIVE, &e), 0);
	blktrace_encode(other, BLKTRACE_SWAPPED, &e);
	T_EQ(other[0], 0x65);
	T_EQ(other[3], 0x07);
	T_EQ(blktrace_order(other, 4, &version), BLKTRACE_SWAPPED);
	T_EQ(blktrace_decode(other, BLKTRACE_NATIVE, &again), -EINVAL);
	T_EQ(blktrace_decode(other, BLKTRACE_SWAPPED, &again), 0);
	blktrace_encode(back, BLKTRACE_NATIVE, &again);
	T_TRUE(!memcmp(back, &t, sizeof(back)));
}

TEST(no_traces)
{
	uint32_t old = BLK_IO_TRACE_MAGIC | 6, version;

	T_EQ(blktrace_order(&old, sizeof(old), &version), BLKTRACE_NONE);
	T_EQ(version, 6);
	old = __builtin_bswap32(old);
	T_EQ(blktrace_order(&old, sizeof(old), &version), BLKTRACE_NONE);
	T_EQ(version, 6);
	T_EQ(blktrace_order("fio ", 4, &version), BLKTRACE_NONE);
	T_EQ(version, 0);
	T_EQ(blktrace_order("\0tae", 3, &version), BLKTRACE_NONE);
}

TEST(only_what_is_queued_is_an_io)
{
	const uint32_t fs = BLK_TA_QUEUE | ACT(BLK_TC_FS);

	T_EQ(kind(fs | ACT(BLK_TC_READ), 512), BLKTRACE_READ);
	T_EQ(kind(fs | ACT(BLK_TC_READ | BLK_TC_AHEAD | BLK_TC_META), 512), BLKTRACE_READ);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE | BLK_TC_SYNC), 512), BLKTRACE_WRITE);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE | BLK_TC_DISCARD), 1u << 30), BLKTRACE_TRIM);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE | BLK_TC_FLUSH), 0), BLKTRACE_FLUSH);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE | BLK_TC_FLUSH | BLK_TC_FUA), 512), BLKTRACE_WRITE);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE) | __BLK_TA_CGROUP, 512), BLKTRACE_WRITE);
	T_EQ(kind(fs | ACT(BLK_TC_WRITE), 0), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TA_QUEUE | ACT(BLK_TC_PC), 512), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TA_ISSUE | ACT(BLK_TC_WRITE), 512), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TA_COMPLETE | ACT(BLK_TC_WRITE), 512), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TA_REMAP, 512), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TA_SPLIT, 512), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TN_MESSAGE, 0), BLKTRACE_OTHER);
	T_EQ(kind(BLK_TN_TIMESTAMP, 0), BLKTRACE_OTHER);
}

TEST(actions_mean_what_they_are_made_for)
{
	for (unsigned k = BLKTRACE_READ; k < BLKTRACE_OTHER; k++)
		T_EQ(kind(blktrace_queue_action(k), k == BLKTRACE_FLUSH ? 0 : 4096), k);
	T_EQ(kind(blktrace_queue_action(BLKTRACE_OTHER), 4096), BLKTRACE_OTHER);
}
