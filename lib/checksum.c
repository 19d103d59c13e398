/* SPDX-License-Identifier: MIT */
/*
 * One struct of four functions per library; the kinds are rows.
 *
 * crc32c: Castagnoli, as in iSCSI (RFC 3720). crc32: as in gzip (RFC 1952). crc64: ECMA-182,
 * reflected, as in xz. crc16: ARC, polynomial 0x8005 reflected. crc7: polynomial 0x09, as in MMC
 * cards. xxhash: XXH3 with 64 bits.
 */
#include "lib/checksum.h"
#include "gen/config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#ifdef CONFIG_LIB_ISAL
#include <isa-l.h>
#endif
#ifdef CONFIG_XXHASH_CHOOSES
#include <xxh_x86dispatch.h>	/* its functions then are those that choose */
#elif defined(CONFIG_LIB_XXHASH)
#include <xxhash.h>
#endif
#ifdef CONFIG_LIB_CRYPTO
#include <openssl/evp.h>
#endif

struct checksum_ops {
	int (*open)(struct checksum *c);
	void (*close)(struct checksum *c);
	void (*begin)(struct checksum *c);
	void (*add)(struct checksum *c, const void *data, size_t bytes);
	void (*end)(struct checksum *c, uint8_t *out);	/* NULL: it is c->value */
};

static void put_value(uint64_t value, unsigned bytes, uint8_t *out)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static void begin_zero(struct checksum *c)
{
	c->value = 0;
}

#define OWN	"fio-like"

/* ---- Our own --------------------------------------------------------------------------------- */

/* The remainder of every byte. */
static uint16_t crc16_table[256];
static uint8_t crc7_table[256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

/* crc7 is kept in the upper seven bits, so that the table can be indexed by a byte. */
static void make_tables(void)
{
	for (unsigned i = 0; i < 256; i++) {
		uint16_t crc16 = (uint16_t)i;
		uint8_t crc7 = (uint8_t)i;

		for (int bit = 0; bit < 8; bit++) {
			crc16 = (uint16_t)(crc16 >> 1 ^ (crc16 & 1 ? 0xa001 : 0));
			crc7 = (uint8_t)(crc7 << 1 ^ (crc7 & 0x80 ? 0x09 << 1 : 0));
		}
		crc16_table[i] = crc16;
		crc7_table[i] = crc7;
	}
}

static int open_tables(struct checksum *c)
{
	(void)c;
	pthread_once(&tables_once, make_tables);
	return 0;
}

static void add_crc16(struct checksum *c, const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint16_t crc = (uint16_t)c->value;

	for (size_t i = 0; i < bytes; i++)
		crc = (uint16_t)(crc >> 8 ^ crc16_table[(crc ^ at[i]) & 0xff]);
	c->value = crc;
}

static void add_crc7(struct checksum *c, const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint8_t crc = (uint8_t)(c->value << 1);

	for (size_t i = 0; i < bytes; i++)
		crc = crc7_table[crc ^ at[i]];
	c->value = crc >> 1;
}

static const struct checksum_ops crc16_ops = { open_tables, NULL, begin_zero, add_crc16, NULL };
static const struct checksum_ops crc7_ops = { open_tables, NULL, begin_zero, add_crc7, NULL };

/* ---- ISA-L ----------------------------------------------------------------------------------- */

#ifdef CONFIG_LIB_ISAL
#define STR_(x)		#x
#define STR(x)		STR_(x)
#define ISAL(ops)	"ISA-L " STR(ISAL_MAJOR_VERSION) "." STR(ISAL_MINOR_VERSION), NULL, &(ops)

/* crc32_iscsi() takes an int and leaves the inversions to its caller. */
#define PIECE_MAX	(size_t)0x40000000

static void begin_crc32c(struct checksum *c)
{
	c->value = 0xffffffff;
}

static void add_crc32c(struct checksum *c, const void *data, size_t bytes)
{
	unsigned char *at = (unsigned char *)data;

	while (bytes) {
		size_t piece = fl_min(bytes, PIECE_MAX);

		c->value = crc32_iscsi(at, (int)piece, (uint32_t)c->value);
		at += piece;
		bytes -= piece;
	}
}

static void end_crc32c(struct checksum *c, uint8_t *out)
{
	put_value(c->value ^ 0xffffffff, 4, out);
}

static void add_crc32(struct checksum *c, const void *data, size_t bytes)
{
	c->value = crc32_gzip_refl((uint32_t)c->value, data, bytes);
}

static void add_crc64(struct checksum *c, const void *data, size_t bytes)
{
	c->value = crc64_ecma_refl(c->value, data, bytes);
}

static const struct checksum_ops crc32c_ops = { NULL, NULL, begin_crc32c, add_crc32c, end_crc32c };
static const struct checksum_ops crc32_ops = { NULL, NULL, begin_zero, add_crc32, NULL };
static const struct checksum_ops crc64_ops = { NULL, NULL, begin_zero, add_crc64, NULL };
#else
#define ISAL(ops)	"ISA-L", "libisal-dev", NULL

#endif

/* ---- xxHash ---------------------------------------------------------------------------------- */

#ifdef CONFIG_LIB_XXHASH
#define XXHASH(ops)	"xxHash " STR(XXH_VERSION_MAJOR) "." STR(XXH_VERSION_MINOR), NULL, &(ops)

static int open_xxhash(struct checksum *c)
{
	c->state = XXH3_createState();
	return c->state ? 0 : -ENOMEM;
}

static void close_xxhash(struct checksum *c)
{
	XXH3_freeState(c->state);
}

static void begin_xxhash(struct checksum *c)
{
	XXH3_64bits_reset(c->state);
}

static void add_xxhash(struct checksum *c, const void *data, size_t bytes)
{
	XXH3_64bits_update(c->state, data, bytes);
}

static void end_xxhash(struct checksum *c, uint8_t *out)
{
	put_value(XXH3_64bits_digest(c->state), 8, out);
}

static const struct checksum_ops xxhash_ops = {
	open_xxhash, close_xxhash, begin_xxhash, add_xxhash, end_xxhash,
};
#else
#define XXHASH(ops)	"xxHash", "libxxhash-dev", NULL
#endif

/* ---- libcrypto ------------------------------------------------------------------------------- */

#ifdef CONFIG_LIB_CRYPTO
#define CRYPTO(ops)	"libcrypto " OPENSSL_VERSION_STR, NULL, &(ops)

/* Fetched once: looking an algorithm up by name for every block costs more than a small block. */
struct evp {
	EVP_MD *md;
	EVP_MD_CTX *ctx;
};

static void close_evp(struct checksum *c)
{
	struct evp *e = c->state;

	EVP_MD_CTX_free(e->ctx);
	EVP_MD_free(e->md);
	OPENSSL_free(e);
}

static int open_evp(struct checksum *c)
{
	struct evp *e = OPENSSL_zalloc(sizeof(*e));

	c->state = e;
	if (!e)
		return -ENOMEM;
	e->md = EVP_MD_fetch(NULL, c->kind->variant, NULL);
	e->ctx = EVP_MD_CTX_new();
	if (e->md && e->ctx && EVP_DigestInit_ex2(e->ctx, e->md, NULL))
		return 0;
	close_evp(c);
	c->state = NULL;
	return -ENOTSUP;
}

static void begin_evp(struct checksum *c)
{
	struct evp *e = c->state;

	fl_assert(EVP_DigestInit_ex2(e->ctx, NULL, NULL));
}

static void add_evp(struct checksum *c, const void *data, size_t bytes)
{
	struct evp *e = c->state;

	fl_assert(EVP_DigestUpdate(e->ctx, data, bytes));
}

static void end_evp(struct checksum *c, uint8_t *out)
{
	struct evp *e = c->state;

	fl_assert(EVP_DigestFinal_ex(e->ctx, out, NULL));
}

static const struct checksum_ops evp_ops = { open_evp, close_evp, begin_evp, add_evp, end_evp };
#else
#define CRYPTO(ops)	"libcrypto", "libssl-dev", NULL
#endif

/* ---- All of them ----------------------------------------------------------------------------- */

static const struct checksum_kind kinds[] = {
	{ "md5", 16, 128, CRYPTO(evp_ops), "MD5" },
	{ "crc64", 8, 64, ISAL(crc64_ops), "" },
	{ "crc32c", 4, 32, ISAL(crc32c_ops), "" },
	{ "crc32", 4, 32, ISAL(crc32_ops), "" },
	{ "crc16", 2, 16, OWN, NULL, &crc16_ops, "" },
	{ "crc7", 1, 7, OWN, NULL, &crc7_ops, "" },
	{ "xxhash", 8, 64, XXHASH(xxhash_ops), "" },
	{ "sha512", 64, 512, CRYPTO(evp_ops), "SHA2-512" },
	{ "sha256", 32, 256, CRYPTO(evp_ops), "SHA2-256" },
	{ "sha1", 20, 160, CRYPTO(evp_ops), "SHA1" },
	{ "sha3-224", 28, 224, CRYPTO(evp_ops), "SHA3-224" },
	{ "sha3-256", 32, 256, CRYPTO(evp_ops), "SHA3-256" },
	{ "sha3-384", 48, 384, CRYPTO(evp_ops), "SHA3-384" },
	{ "sha3-512", 64, 512, CRYPTO(evp_ops), "SHA3-512" },
};

const struct checksum_kind *checksum_at(size_t i)
{
	return i < ARRAY_SIZE(kinds) ? &kinds[i] : NULL;
}

size_t checksum_count(void)
{
	return ARRAY_SIZE(kinds);
}

const struct checksum_kind *checksum_by_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

int checksum_open(struct checksum *c, const struct checksum_kind *kind)
{
	fl_assert(kind->ops);
	*c = (struct checksum){ .kind = kind };
	return kind->ops->open ? kind->ops->open(c) : 0;
}

void checksum_close(struct checksum *c)
{
	if (c->state)
		c->kind->ops->close(c);
	*c = (struct checksum){ 0 };
}

void checksum_begin(struct checksum *c)
{
	c->kind->ops->begin(c);
}

void checksum_add(struct checksum *c, const void *data, size_t bytes)
{
	c->kind->ops->add(c, data, bytes);
}

void checksum_end(struct checksum *c, uint8_t out[CHECKSUM_BYTES_MAX])
{
	if (c->kind->ops->end)
		c->kind->ops->end(c, out);
	else
		put_value(c->value, c->kind->bytes, out);
}
