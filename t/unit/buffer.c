/* SPDX-License-Identifier: MIT */
/* I/O buffers: where they lie, what is in them, and what changes before each write. */
#include "t/test.h"

#include "core/buffer.h"

#define BLOCK	8192
#define COUNT	4
#define PIECE	512

static struct buffer_conf conf;
static struct buffers b;
static char why[256];

/* A conf as a job file makes it: options are NAME, VALUE pairs up to a NULL. */
static void configure(bool reads, const char *const *options)
{
	const struct opt_units units = { .kb_base = 1024 };
	struct buffer_facts facts = { .reads = reads };
	struct fl_opt row;

	opt_defaults(&buffer_options, &conf, sizeof(conf));
	for (; *options; options += 2) {
		opt_row(&buffer_options, (size_t)opt_find(&buffer_options, options[0]), &row);
		if (opt_set(&row, &conf, options[1], &units, why, sizeof(why)))
			T_FAIL("%s", why);
		facts.scramble_asked |= !strcmp(options[0], "scramble_buffers");
		facts.refill_asked |= !strcmp(options[0], "refill_buffers");
	}
	T_EQ(buffer_check(&conf, &facts, why, sizeof(why)), 0);
}

#define CONFIGURE(reads, ...)	configure(reads, (const char *const[]){ __VA_ARGS__ })

static void allocate(uint64_t bytes)
{
	const struct buffers_want want = {
		.bytes = bytes, .count = COUNT, .content = { .seed = 1, .unit = bytes },
	};

	if (buffers_alloc(&b, &conf, &want, why, sizeof(why)))
		T_FAIL("%s", why);
}

static bool all_are(const char *buf, size_t len, char byte)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != byte)
			return false;
	return true;
}

static bool any_two_equal(const char *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (!memcmp(pieces + i * PIECE, pieces + j * PIECE, PIECE))
				return true;
	return false;
}

/* Writes slot 0 some times and puts what went out behind each other. */
static void write_some(char *out, size_t times)
{
	for (size_t i = 0; i < times; i++) {
		if (buffers_active(&conf))
			buffers_prepare(&b, buffers_at(&b, 0), BLOCK, i * BLOCK);
		memcpy(out + i * BLOCK, buffers_at(&b, 0), BLOCK);
	}
}

TEST(alignment_and_stride)
{
	static const char *const aligns[] = { "1", "8", "512", "4096", "65536", "2097152" };
	static const char *const kinds[] = { "malloc", "mmap", "mmapshared", "shm" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (size_t a = 0; a < ARRAY_SIZE(aligns); a++) {
			uint64_t align = strtoull(aligns[a], NULL, 10);

			CONFIGURE(false, "mem", kinds[k], "iomem_align", aligns[a], NULL);
			allocate(1000);
			T_EQ(b.stride, (1000 + align - 1) / align * align);
			T_EQ(buffers_stride(&conf, 1000), b.stride);
			for (uint32_t i = 0; i < COUNT; i++) {
				char *at = buffers_at(&b, i);

				T_EQ((uintptr_t)at % align, 0);
				T_EQ(at - b.base, i * b.stride);
			}
			buffers_free(&b);
		}
}

TEST(a_page_by_default)
{
	const struct buffer_facts facts = { .reads = false };

	CONFIGURE(false, NULL);
	allocate(512);
	T_EQ(b.stride, mem_page_size());
	T_EQ((uintptr_t)b.base % mem_page_size(), 0);
	T_TRUE(conf.scrambles && !conf.fills);
	T_TRUE(!any_two_equal(b.base, COUNT * b.stride / PIECE));
	buffers_free(&b);
	conf.align = 24;
	T_EQ(buffer_check(&conf, &facts, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "power of two") != NULL);
}

TEST(memory_of_the_engine)
{
	static char memory[COUNT * BLOCK + 1] __attribute__((aligned(4096)));
	const struct buffers_want want = { .bytes = BLOCK, .count = COUNT, .base = memory };

	CONFIGURE(false, "buffer_pattern", "0x5a", NULL);
	memory[COUNT * BLOCK] = 1;
	T_EQ(buffers_alloc(&b, &conf, &want, why, sizeof(why)), 0);
	T_TRUE(b.base == memory && all_are(memory, COUNT * BLOCK, 0x5a));
	T_EQ(memory[COUNT * BLOCK], 1);
	buffers_free(&b);
}

TEST(too_much)
{
	const struct buffers_want want = { .bytes = UINT64_C(1) << 62, .count = 8 };

	CONFIGURE(false, NULL);
	T_EQ(buffers_alloc(&b, &conf, &want, why, sizeof(why)), -ENOMEM);
	T_TRUE(strstr(why, "address space") != NULL);
}

TEST(scramble_leaves_no_two_pieces_equal)
{
	static char out[20 * BLOCK];

	CONFIGURE(false, "zero_buffers", "1", "scramble_buffers", "1", NULL);
	allocate(BLOCK);
	write_some(out, 20);
	T_TRUE(!any_two_equal(out, sizeof(out) / PIECE));
	buffers_free(&b);

	CONFIGURE(false, "buffer_pattern", "0x5a", "scramble_buffers", "1", NULL);
	allocate(BLOCK);
	write_some(out, 20);
	T_TRUE(!any_two_equal(out, sizeof(out) / PIECE));
	buffers_free(&b);
}

TEST(scramble_stays_within_its_length)
{
	char *buf;

	CONFIGURE(false, "zero_buffers", "1", "scramble_buffers", "1", NULL);
	allocate(BLOCK);
	buf = buffers_at(&b, 1);
	for (uint64_t len = 0; len < 3 * PIECE; len++) {
		buffers_prepare(&b, buf, len, 4096);
		T_TRUE(all_are(buf + len, BLOCK - len, 0));
		T_TRUE(len < 16 || !all_are(buf, len, 0));
		memset(buf, 0, BLOCK);
	}
	T_TRUE(all_are(buffers_at(&b, 0), BLOCK, 0));
	buffers_free(&b);
}

TEST(refill_differs_each_time)
{
	static char out[20 * BLOCK];

	CONFIGURE(false, "refill_buffers", "1", NULL);
	T_TRUE(conf.fills && !conf.scrambles);
	allocate(BLOCK);
	write_some(out, 20);
	T_TRUE(!any_two_equal(out, sizeof(out) / PIECE));
	buffers_free(&b);
}

TEST(zeroes_stay_zero)
{
	CONFIGURE(false, "zero_buffers", "1", NULL);
	T_TRUE(!buffers_active(&conf));
	allocate(BLOCK);
	T_TRUE(all_are(b.base, COUNT * BLOCK, 0));
	buffers_free(&b);

	/* Where reads get in between, each write is made zero again. */
	CONFIGURE(true, "zero_buffers", "1", NULL);
	T_TRUE(buffers_active(&conf));
	allocate(BLOCK);
	memset(b.base, 'r', COUNT * BLOCK);
	buffers_prepare(&b, b.base, BLOCK, 0);
	T_TRUE(all_are(b.base, BLOCK, 0));
	T_TRUE(all_are(b.base + BLOCK, BLOCK, 'r'));
	buffers_free(&b);

	CONFIGURE(false, "zero_buffers", "1", "refill_buffers", "1", NULL);
	T_TRUE(conf.fills && !conf.scrambles);
}

TEST(each_buffer_begins_with_the_pattern)
{
	CONFIGURE(false, "buffer_pattern", "\"abc\"", NULL);
	T_TRUE(!buffers_active(&conf));
	allocate(BLOCK);
	for (uint32_t i = 0; i < COUNT; i++)
		T_EQ(pattern_check(conf.pattern, buffers_at(&b, i), BLOCK, 0), BLOCK);
	T_MEM(b.base + BLOCK, "abcabc", 6);
	buffers_free(&b);
}

TEST(offset_in_the_pattern)
{
	const uint64_t offset = UINT64_C(0x1122334455667788);

	CONFIGURE(false, "buffer_pattern", "\"abc\"%o", NULL);
	T_TRUE(conf.fills && !conf.scrambles);
	allocate(BLOCK);
	buffers_prepare(&b, b.base, 1000, offset);
	T_EQ(pattern_check(conf.pattern, b.base, 1000, offset), 1000);
	T_EQ(pattern_check(conf.pattern, b.base, BLOCK, offset), 1000);
	buffers_free(&b);
}

TEST(who_wins)
{
	CONFIGURE(false, "buffer_pattern", "1", "zero_buffers", "1", NULL);
	allocate(BLOCK);
	T_TRUE(all_are(b.base, COUNT * BLOCK, 1));
	buffers_free(&b);
	CONFIGURE(false, "scramble_buffers", "1", "buffer_pattern", "1", NULL);
	T_TRUE(!buffers_active(&conf));
	CONFIGURE(false, "buffer_pattern", "1", "scramble_buffers", "1", NULL);
	T_TRUE(conf.scrambles && !conf.fills);
	CONFIGURE(false, "buffer_pattern", "1", "scramble_buffers", "1", "refill_buffers", "1",
		  NULL);
	T_TRUE(conf.fills && !conf.scrambles);
	CONFIGURE(true, "buffer_pattern", "1", NULL);
	T_TRUE(conf.fills && !conf.scrambles);
	CONFIGURE(true, NULL);
	T_TRUE(conf.scrambles && !conf.fills);
}

TEST(pattern_from_a_file)
{
	const struct opt_units units = { .kb_base = 1024 };
	char path[] = "/tmp/buffer.XXXXXX", text[64];
	struct fl_opt row;
	int fd = mkstemp(path);

	T_TRUE(fd >= 0 && write(fd, "some\0bytes", 10) == 10);
	snprintf(text, sizeof(text), "'%s'", path);
	CONFIGURE(false, "buffer_pattern", text, NULL);
	T_EQ(conf.pattern->len, 10);
	T_MEM(conf.pattern->bytes, "some\0bytes", 10);
	opt_row(&buffer_options, (size_t)opt_find(&buffer_options, "buffer_pattern"), &row);
	/* Longer than a pattern can be: the start is taken, and that is said. */
	T_EQ(ftruncate(fd, PATTERN_BYTES_MAX + 1), 0);
	T_EQ(opt_set(&row, &conf, text, &units, why, sizeof(why)), 1);
	T_TRUE(strstr(why, "rest of the file") != NULL);
	T_EQ(conf.pattern->len, PATTERN_BYTES_MAX);
	close(fd);
	unlink(path);
	T_EQ(opt_set(&row, &conf, text, &units, why, sizeof(why)), -EINVAL);
	T_TRUE(strstr(why, "No such file or directory (at character 1)") != NULL);
}

TEST(shared_mapping_of_a_file)
{
	char path[] = "/tmp/buffer.XXXXXX", kind[64], seen[4] = "";
	int fd = mkstemp(path);

	T_TRUE(fd >= 0);
	snprintf(kind, sizeof(kind), "mmapshared:%s", path);
	CONFIGURE(false, "mem", kind, "buffer_pattern", "\"abc\"", NULL);
	allocate(BLOCK);
	T_EQ(pread(fd, seen, 3, 3 * BLOCK), 3);
	T_STR(seen, "abc");
	buffers_free(&b);
	T_EQ(access(path, F_OK), 0);	/* it was there before */
	close(fd);
	unlink(path);
}

#define HUGE_PAGES	"/proc/sys/vm/nr_hugepages"

static long huge_pages(void)
{
	FILE *f = fopen(HUGE_PAGES, "r");
	long n = -1;

	if (f) {
		if (fscanf(f, "%ld", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

static bool huge_pages_set(long n)
{
	FILE *f = fopen(HUGE_PAGES, "w");
	bool ok = f && fprintf(f, "%ld\n", n) > 0;

	return f ? fclose(f) == 0 && ok : false;
}

static void use_huge(const char *kind)
{
	CONFIGURE(false, "mem", kind, "buffer_pattern", "\"abc\"", NULL);
	allocate(BLOCK);
	T_EQ((uintptr_t)b.base % mem_hugepage_size(), 0);
	T_EQ(pattern_check(conf.pattern, buffers_at(&b, COUNT - 1), BLOCK, 0), BLOCK);
	buffers_free(&b);
}

/* Needs two huge pages. Where none are reserved, they are borrowed from the system if it may be. */
TEST(huge_pages)
{
	long before = huge_pages();
	bool enough, pass = false;
	pid_t pid;
	int status;

	if (before < 0 || !mem_hugepage_size())
		SKIP("this kernel has no huge pages");
	if (t_emulated())
		SKIP("valgrind puts huge pages where it puts others");
	if (before < 2 && !huge_pages_set(2))
		SKIP("no huge pages are reserved, and only root may reserve some");
	enough = huge_pages() >= 2;
	/* In a process of its own: the setting must be put back whatever happens. */
	pid = enough ? fork() : -1;
	if (pid == 0) {
		use_huge("mmaphuge");
		use_huge("shmhuge");
		exit(0);
	}
	if (pid > 0)
		pass = waitpid(pid, &status, 0) == pid && status == 0;
	if (before < 2)
		huge_pages_set(before);
	if (!enough)
		SKIP("the system found no two free huge pages");
	T_TRUE(pass);
}
