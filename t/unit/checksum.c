/* SPDX-License-Identifier: MIT */
/*
 * Checksums: the check values of the catalogues for "123456789", whatever the pieces it comes in.
 * CRCs: G. Cook's catalogue of parametrised CRC algorithms; the others by coreutils and xxhsum.
 */
#include "t/test.h"

#include "lib/checksum.h"

static const struct {
	const char *name, *value;
} known[] = {
	{ "md5", "25f9e794323b453885f5181f1b624d0b" },
	{ "crc64", "995dc9bbdf1939fa" },
	{ "crc32c", "e3069283" },
	{ "crc32", "cbf43926" },
	{ "crc16", "bb3d" },
	{ "crc7", "75" },
	{ "xxhash", "72dcb18b67a17dff" },
	{ "sha512", "d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274a"
		    "d27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85" },
	{ "sha256", "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225" },
	{ "sha1", "f7c3bc1d808e04732adf679965ccc34ca7ae3441" },
	{ "sha3-224", "5795c3d628fd638c9835a4c79a55809f265068c88729a1a3fcdf8522" },
	{ "sha3-256", "87cd084d190e436f147322b90e7384f6a8e0676c99d21ef519ea718e51d45f9c" },
	{ "sha3-384", "8b90ede4d095409f1a12492c2520599683a9478dc70b7566d23b3e41ece8538c"
		      "6cde92382a5e38786490375c54672abf" },
	{ "sha3-512", "e1e44d20556e97a180b6dd3ed7ae5c465cafd553fa8747dca038fb95635b77a3"
		      "7318f7ddf7aec1f6c3c14bb160ba2497007decf38dd361cab199e3b8c8fe1f5c" },
};

static void hex(const uint8_t *value, unsigned bytes, char *out)
{
	for (unsigned i = 0; i < bytes; i++)
		sprintf(out + 2 * i, "%02x", value[i]);
}

TEST(check_values)
{
	for (size_t i = 0; checksum_at(i); i++) {
		const struct checksum_kind *kind = checksum_at(i);
		uint8_t value[CHECKSUM_BYTES_MAX];
		char text[2 * CHECKSUM_BYTES_MAX + 1];
		struct checksum c;

		T_STR(kind->name, known[i].name);
		T_TRUE(checksum_by_name(kind->name) == kind);
		if (kind->package)
			continue;
		T_EQ(checksum_open(&c, kind), 0);
		for (size_t cut = 0; cut <= 9; cut++) {
			checksum_begin(&c);
			checksum_add(&c, "123456789", cut);
			checksum_add(&c, &"123456789"[cut], 9 - cut);
			checksum_end(&c, value);
			hex(value, kind->bytes, text);
			T_STR(text, known[i].value);
		}
		checksum_close(&c);
	}
	T_TRUE(!checksum_by_name("crc33"));
}

/* Every bit of a block counts, for every kind: seven bits are enough to see a single one change. */
TEST(every_bit_counts)
{
	uint8_t data[64];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37 + 11);
	for (size_t i = 0; checksum_at(i); i++) {
		uint8_t whole[CHECKSUM_BYTES_MAX], value[CHECKSUM_BYTES_MAX];
		struct checksum c;

		if (checksum_at(i)->package)
			continue;
		T_EQ(checksum_open(&c, checksum_at(i)), 0);
		checksum_begin(&c);
		checksum_add(&c, data, sizeof(data));
		checksum_end(&c, whole);
		for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			checksum_begin(&c);
			checksum_add(&c, data, sizeof(data));
			checksum_end(&c, value);
			data[bit / 8] ^= (uint8_t)(1u << bit % 8);
			T_TRUE(memcmp(value, whole, c.kind->bytes) != 0);
		}
		checksum_close(&c);
	}
}
