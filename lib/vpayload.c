/* SPDX-License-Identifier: MIT */
/*
 * Filling a block with its words. It is done for every byte that a verifying job writes, so the
 * widest vectors of the CPU do it: eight words at a time, as the compiler makes of them what the
 * target has. AVX-512DQ multiplies 64-bit lanes; AVX2 does it in pieces, still twice as fast as one
 * by one.
 */
#include "lib/vpayload.h"

#include <string.h>

typedef uint64_t words8 __attribute__((vector_size(64)));

#define STEP8(i)	((i) * VPAYLOAD_STEP)

/* The same in each variant; `count` words. */
fl_inline void fill(uint64_t begin, uint8_t *to, size_t count)
{
	words8 x = {
		begin, begin + STEP8(1), begin + STEP8(2), begin + STEP8(3),
		begin + STEP8(4), begin + STEP8(5), begin + STEP8(6), begin + STEP8(7),
	};
	size_t i = 0;

	for (; i + 8 <= count; i += 8, x += STEP8(8)) {
		words8 word = (x ^ x >> 32) * VPAYLOAD_ODD;

		word ^= word >> 29;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		for (int k = 0; k < 8; k++)
			word[k] = __builtin_bswap64(word[k]);
#endif
		memcpy(to + 8 * i, &word, sizeof(word));
	}
	for (; i < count; i++) {
		uint64_t word = vpayload_word(begin, i);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		word = __builtin_bswap64(word);
#endif
		memcpy(to + 8 * i, &word, sizeof(word));
	}
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq")))
static void fill_avx512(uint64_t begin, uint8_t *to, size_t count)
{
	fill(begin, to, count);
}

__attribute__((target("avx2")))
static void fill_avx2(uint64_t begin, uint8_t *to, size_t count)
{
	fill(begin, to, count);
}
#endif

void vpayload_fill(uint64_t begin, void *to, size_t count)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512f"))
		fill_avx512(begin, to, count);
	else if (__builtin_cpu_supports("avx2"))
		fill_avx2(begin, to, count);
	else
#endif
		fill(begin, to, count);
}
