/* SPDX-License-Identifier: MIT */
/*
 * libaio on kernels that nobody has at hand: io_setup(2) is replaced here, at link time, by one whose
 * ring of results has another form.
 */
#if __has_include(<libaio.h>)
#include "engines/libaio.c"
#define HAVE_LIBAIO 1
#endif

#include "core/host.h"

#include "t/test.h"

#ifdef HAVE_LIBAIO

static struct aio_ring ring;
static int made;
static char said[512];

int io_setup(int maxevents, io_context_t *ctx)
{
	(void)maxevents;
	*ctx = (io_context_t)&ring;
	made++;
	return 0;
}

int io_destroy(io_context_t ctx)
{
	(void)ctx;
	made--;
	return 0;
}

static void keep_log(struct fl_queue *q, int level, const char *fmt, ...)
{
	size_t n = strlen(said);
	va_list ap;

	(void)q;
	(void)level;
	va_start(ap, fmt);
	vsnprintf(said + n, sizeof(said) - n, fmt, ap);
	va_end(ap);
}

/* Opens and closes a queue. Returns whether it would take results without a call. */
static bool reaps_itself(uint32_t magic, uint32_t incompat, uint32_t wanted)
{
	struct aio_conf conf = { .userspace_reap = wanted };
	struct fl_host host = *host_services();
	struct fl_job job = { .size = sizeof(job), .flags = FL_JOB_DIRECT };
	uint64_t counters[HOST_COUNTERS_MAX] = { 0 };
	struct fl_queue q = {
		.size = sizeof(q), .depth = 4, .engine = &aio_engine, .host = &host, .job = &job,
		.opts = &conf, .counters = counters, .poll_fd = -1,
	};
	bool reaps;

	host.log = keep_log;
	said[0] = '\0';
	ring = (struct aio_ring){ .magic = magic, .incompat = incompat };
	T_EQ(aio_engine.open(&q), 0);
	reaps = ((struct aio *)q.priv)->ring != NULL;
	aio_engine.close(&q);
	T_EQ(made, 0);
	return reaps;
}

TEST(ring_of_another_form)
{
	T_TRUE(reaps_itself((uint32_t)RING_MAGIC, 0, 1));
	T_STR(said, "");
	T_TRUE(!reaps_itself((uint32_t)RING_MAGIC, 1, 1));
	T_TRUE(strstr(said, "userspace_reap has no effect: this kernel's ring") != NULL);
	T_TRUE(!reaps_itself(0, 0, 1));
	T_TRUE(strstr(said, "userspace_reap has no effect: this kernel's ring") != NULL);
	T_TRUE(!reaps_itself(0, 0, 0));
	T_STR(said, "");
}

#else

TEST(ring_of_another_form)
{
	SKIP("libaio.h is not installed");
}

#endif
