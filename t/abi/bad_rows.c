/* SPDX-License-Identifier: MIT */
/* An engine with an option that lies outside of its conf struct. */
#include <fio-like/engine.h>

struct bad_conf { uint32_t a; };

static const struct fl_opt bad_opts[] = {
	{ .name = "bad_place", .type = FL_OPT_U64, .offset = 8, .help = "behind the end" },
};

static int bad_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	(void)req;
	return FL_DONE;
}

static const struct fl_engine bad = {
	FL_ENGINE_HEAD, .name = "bad_rows", .help = "is refused", .caps = FL_CAP_NO_FILES,
	FL_ENGINE_OPTS(struct bad_conf, bad_opts), .queue = bad_queue,
};

FL_ENGINE_EXPORT(&bad);
