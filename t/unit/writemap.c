/* SPDX-License-Identifier: MIT */
/* The map of writes against a plain array, for sizes around the powers of 64, and in a huge file. */
#include "t/test.h"

#include "lib/rand.h"
#include "lib/writemap.h"

#include <sys/mman.h>

static void against_array(uint64_t blocks, uint64_t seed)
{
	uint32_t *plain = calloc(blocks, sizeof(*plain));
	void *memory = calloc(1, writemap_bytes(blocks));
	struct writemap m;
	struct rand r;

	rand_seed(&r, seed, blocks);
	writemap_init(&m, blocks, memory);
	for (int round = 0; round < 3; round++) {
		uint64_t at = 0, index;
		uint32_t number;

		for (uint64_t i = 0; i < blocks / 2 + 1; i++) {
			uint64_t b = rand_u64(&r) % blocks;
			uint32_t n = rand_u64(&r) % 5 ? (uint32_t)(rand_u64(&r) >> 32) : 0;

			plain[b] = n;
			writemap_set(&m, b, n);
		}
		T_TRUE(m.used * sizeof(struct writemap_node) <= writemap_bytes(blocks));
		for (uint64_t b = 0; b < blocks; b++)
			if (writemap_get(&m, b) != plain[b])
				T_FAIL("block %llu of %llu", (unsigned long long)b,
				       (unsigned long long)blocks);
		for (uint64_t b = 0; b < blocks; b++) {
			if (!plain[b])
				continue;
			T_TRUE(writemap_next(&m, at, &index, &number));
			T_EQ(index, b);
			T_EQ(number, plain[b]);
			at = b + 1;
		}
		T_TRUE(!writemap_next(&m, at, &index, &number));
	}
	writemap_forget(&m);
	for (uint64_t b = 0; b < blocks; b++)
		T_EQ(writemap_get(&m, b), 0);
	free(memory);
	free(plain);
}

TEST(like_an_array)
{
	static const uint64_t sizes[] = { 1, 2, 63, 64, 65, 100, 4095, 4096, 4097, 70000, 262145 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		against_array(sizes[i], 7 * i + 1);
}

/* 8 TiB in blocks of 4 KiB: 16384 scattered writes touch little of what was reserved. */
TEST(a_sample_of_a_huge_file_is_small)
{
	uint64_t blocks = 1ull << 31, bytes = writemap_bytes(blocks);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct writemap m;
	struct rand r;

	T_TRUE(memory != MAP_FAILED);
	writemap_init(&m, blocks, memory);
	rand_seed(&r, 1, 1);
	for (uint32_t i = 1; i <= 16384; i++)
		writemap_set(&m, rand_u64(&r) % blocks, i);
	writemap_set(&m, blocks - 1, 99);
	T_EQ(writemap_get(&m, blocks - 1), 99);
	T_TRUE((uint64_t)m.used * sizeof(struct writemap_node) < 16u << 20);
	munmap(memory, bytes);
}
