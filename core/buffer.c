/* SPDX-License-Identifier: MIT */
/* Where the I/O buffers come from and what they hold. */
#include "core/buffer.h"
#include "os/file.h"
#include "os/fstype.h"
#include "lib/nearest.h"
#include "os/slurp.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRAMBLE_BYTES	UINT64_C(512)	/* each piece of this size becomes unlike all others */

static const struct fl_opt_value mem_names[] = {
	{ "malloc", MEM_MALLOC, "ordinary memory" },
	{ "mmap", MEM_MMAP, "a private mapping; mmap:FILE maps that file" },
	{ "mmaphuge", MEM_MMAP_HUGE, "huge pages; mmaphuge:FILE in a hugetlbfs" },
	{ "mmapshared", MEM_MMAP_SHARED, "a shared mapping; mmapshared:FILE maps that file" },
	{ "shm", MEM_SHM, "System V shared memory" },
	{ "shmhuge", MEM_SHM_HUGE, "System V shared memory in huge pages" },
	{ NULL, 0, NULL },
};

static const char *mem_name(void *ctx, size_t i)
{
	(void)ctx;
	return mem_names[i].name;
}

static int parse_mem(void *member, const char *text, char *why, size_t why_bytes)
{
	struct iomem_conf m = { 0 };
	size_t len = strcspn(text, ":");
	const struct fl_opt_value *v = mem_names;
	const char *near;
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	while (v->name && strcmp(v->name, word))
		v++;
	if (!v->name) {
		near = nearest_name(word, mem_name, ARRAY_SIZE(mem_names) - 1, NULL);
		snprintf(why, why_bytes, "'%s' is no kind of memory; it must be one of malloc, "
			 "mmap, mmaphuge, mmapshared, shm, shmhuge%s%s%s", word,
			 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
		return -EINVAL;
	}
	m.kind = (uint32_t)v->value;
	if (text[len] == ':' && (m.kind == MEM_MALLOC || m.kind == MEM_SHM ||
				 m.kind == MEM_SHM_HUGE || !text[len + 1])) {
		snprintf(why, why_bytes, "'%s': only mmap, mmaphuge and mmapshared take a file "
			 "after the colon", text);
		return -EINVAL;
	}
	if (text[len] == ':')
		m.path = opt_keep(text + len + 1);
	*(struct iomem_conf *)member = m;
	return 0;
}

/* The patterns of all jobs; they live to the end of the run. */
static struct arena patterns;

static int load_file(void *ctx, const char *path, size_t max, char **bytes, size_t *len)
{
	bool *cut = ctx;
	int ret = slurp_head(path, max, bytes, len);

	*cut = *cut || ret > 0;
	return ret;
}

int buffer_pattern(const char *text, const struct pattern **out, char *why, size_t why_bytes)
{
	bool cut = false;
	const struct pattern_files files = { load_file, &cut };
	struct parse_err err;
	struct pattern p, *kept;

	if (pattern_parse(span_of(text), &files, &patterns, &p, &err) < 0) {
		snprintf(why, why_bytes, "%s (at character %d)", err.text, err.col + 1);
		return -EINVAL;
	}
	kept = arena_alloc(&patterns, sizeof(*kept));
	*kept = p;
	*out = kept;
	if (cut)
		snprintf(why, why_bytes, "a pattern has at most %zu bytes; the rest of the file is "
			 "not used", PATTERN_BYTES_MAX);
	return cut;
}

/* As in fio, a pattern ends scramble_buffers unless that is asked for after it. */
static int parse_pattern(void *member, const char *text, char *why, size_t why_bytes)
{
	struct buffer_conf *c = container_of(member, struct buffer_conf, pattern);
	int ret = buffer_pattern(text, &c->pattern, why, why_bytes);

	if (ret >= 0)
		c->scramble = 0;
	return ret;
}

#define AT(member)	.offset = offsetof(struct buffer_conf, member)

static const struct fl_opt rows[] = {
	{ .name = "mem", .alias = "iomem", .type = OPT_CUSTOM, AT(mem), .def = "malloc",
	  .parse = parse_mem, .values = mem_names, .help = "what the I/O buffers are made of" },
	{ .name = "iomem_align", .alias = "mem_align", .type = FL_OPT_U64, AT(align),
	  .max = 1ull << 30, .unit = "bytes",
	  .help = "alignment of the I/O buffers, a power of two; default: a page" },
	{ .name = "hugepage-size", .type = FL_OPT_SIZE, AT(hugepage_bytes), .unit = "bytes",
	  .help = "size of huge pages for mem=mmaphuge, shmhuge; default: the system's" },
	{ .name = "buffer_pattern", .type = OPT_CUSTOM, AT(pattern), .parse = parse_pattern,
	  .help = "write these bytes, over and over",
	  .more = "\"text\", 'file', hex of any length (0xdeadface), decimal numbers (also "
		  "negative) and %o (the offset of the block, 8 bytes), run together: "
		  "\"abcd\"-120xdeadface'file'%o. Hex is written as it stands, numbers lowest "
		  "byte first: in as few bytes as hold it, in four if negative. There are no "
		  "escapes between quotes. Each block begins with the first byte. Goes before "
		  "zero_buffers, and turns scramble_buffers off unless that comes after it." },
	{ .name = "zero_buffers", .type = FL_OPT_FLAG, AT(zero), .help = "write zeroes",
	  .more = "Turns scramble_buffers off unless that is given." },
	{ .name = "refill_buffers", .type = FL_OPT_FLAG, AT(refill),
	  .help = "fill the buffer with new random data before each write",
	  .more = "With zero_buffers or buffer_pattern it is zeroes or the pattern again. Turns "
		  "scramble_buffers off." },
	{ .name = "scramble_buffers", .type = FL_OPT_BOOL, AT(scramble), .def = "1",
	  .help = "change a few words of the buffer before each write",
	  .more = "Enough that no two blocks written are alike, at far less cost than "
		  "refill_buffers." },
};

const struct opt_table buffer_options = OPT_TABLE("Buffers", rows, 0);

/* Is content that compresses, or repeats, made anew for each write? */
static bool renews(const struct buffer_conf *c, const struct buffer_facts *facts)
{
	if (c->content.dedupe || c->refill)
		return true;
	if (c->content.compress < 100)
		return !facts->refill_asked;
	return facts->reads || (c->pattern && pattern_moves(c->pattern));
}

int buffer_check(struct buffer_conf *c, const struct buffer_facts *facts, char *why,
		 size_t why_bytes)
{
	bool fixed = c->pattern || c->zero;

	if (c->align & (c->align - 1)) {
		snprintf(why, why_bytes, "iomem_align=%llu: must be a power of two",
			 (unsigned long long)c->align);
		return -EINVAL;
	}
	if (content_on(&c->content)) {
		c->fills = renews(c, facts);
		c->scrambles = false;	/* it would undo both */
		return content_check(&c->content, c->pattern, why, why_bytes);
	}
	c->fills = c->refill || (fixed && facts->reads) ||
		   (c->pattern && pattern_moves(c->pattern));
	c->scrambles = c->scramble && !c->refill &&
		       (c->pattern || !c->zero || facts->scramble_asked);
	return 0;
}

bool buffers_active(const struct buffer_conf *conf)
{
	return conf->fills || conf->scrambles;
}

uint64_t buffers_stride(const struct buffer_conf *conf, uint64_t bytes)
{
	uint64_t align = conf->align ? conf->align : mem_page_size();

	return (bytes + align - 1) & ~(align - 1);
}

static void fill(struct buffers *b, void *buf, size_t len, uint64_t offset)
{
	if (content_on(&b->conf->content))
		content_fill(&b->content, buf, len, offset);
	else if (b->conf->pattern)
		pattern_fill(b->conf->pattern, buf, len, offset);
	else if (b->conf->zero)
		memset(buf, 0, len);
	else
		buffer_random(&b->rand, buf, len);
}

bool iomem_shared(const struct iomem_conf *m)
{
	return m->path && (m->kind == MEM_MMAP_SHARED || m->kind == MEM_MMAP_HUGE);
}

bool iomem_harms(const struct iomem_conf *m)
{
	struct file_facts facts;

	if (!m->path || file_facts(m->path, &facts) || fstype_of_kernel(m->path))
		return false;
	return facts.type == FILE_REGULAR || (facts.type == FILE_BLOCK && iomem_shared(m));
}

/* Before the clock starts. Content that is made for each write is not used up for that. */
static void touch(struct buffers *b, void *buf)
{
	if (content_on(&b->conf->content) && b->conf->fills)
		buffer_random(&b->rand, buf, b->stride);
	else
		fill(b, buf, b->stride, 0);
}

int buffers_alloc(struct buffers *b, const struct buffer_conf *conf,
		  const struct buffers_want *want, char *why, size_t why_bytes)
{
	struct mem_want mem = {
		.kind = conf->mem.kind, .align = conf->align, .path = conf->mem.path,
		.hugepage_bytes = conf->hugepage_bytes,
	};
	int err;

	memset(b, 0, sizeof(*b));
	b->conf = conf;
	b->stride = buffers_stride(conf, want->bytes);
	b->count = want->count;
	b->base = want->base;
	rand_seed(&b->rand, want->content.seed, 1u << 20);
	if (__builtin_mul_overflow(b->stride, (uint64_t)b->count, &mem.bytes)) {
		snprintf(why, why_bytes, "%u buffers of %llu bytes are more than an address space",
			 b->count, (unsigned long long)want->bytes);
		return -ENOMEM;
	}
	if (!b->base) {
		err = mem_buf_alloc(&b->mem, &mem, why, why_bytes);
		if (err)
			return err;
		b->base = b->mem.data;
	}
	if (content_on(&conf->content))
		content_init(&b->content, &conf->content, conf->pattern, &want->content);
	for (uint32_t i = 0; i < b->count; i++)
		touch(b, buffers_at(b, i));
	return 0;
}

void buffers_free(struct buffers *b)
{
	mem_buf_free(&b->mem);
	b->base = NULL;
}

void buffer_random(struct rand *r, void *buf, size_t len)
{
	uint64_t state = rand_u64(r);

	rand_fill(&state, buf, len);
}

/* Two words per piece: where it goes, and a number never used before. */
static void scramble(struct buffers *b, char *p, uint64_t len, uint64_t offset)
{
	/* One draw; from piece to piece a Weyl sequence is unlike enough, and half the price. */
	uint64_t salt = rand_u64(&b->rand);

	for (; len >= 2 * sizeof(uint64_t); salt += 0x9e3779b97f4a7c15ull) {
		uint64_t piece = fl_min(len, SCRAMBLE_BYTES);
		uint64_t at = offset;
		uint64_t room = (piece - 2 * sizeof(uint64_t)) & ~7ull;
		/* at a place that differs from piece to piece, within it */
		uint64_t where = (salt >> 40) & room & ~7ull;

		memcpy(p + where, &at, sizeof(at));
		memcpy(p + where + sizeof(at), &salt, sizeof(salt));
		p += piece;
		offset += piece;
		len -= piece;
	}
}

void buffers_prepare(struct buffers *b, void *buf, uint64_t len, uint64_t offset)
{
	if (b->conf->fills)
		fill(b, buf, len, offset);
	if (b->conf->scrambles)
		scramble(b, buf, len, offset);
}
