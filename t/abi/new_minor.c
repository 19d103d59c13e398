/* SPDX-License-Identifier: MIT */
/*
 * An engine of a newer minor version: its table, and its rows, go on behind what this header knows.
 */
#include <fio-like/engine.h>

struct new_conf { uint32_t speed; };
struct new_opt { struct fl_opt opt; const char *later[3]; };
struct new_engine { struct fl_engine engine; void (*later[4])(void); };

static const struct new_opt new_opts[] = {
	{ .opt = { .name = "speed", .type = FL_OPT_U32, .offset = offsetof(struct new_conf, speed),
		   .max = 10, .def = "3", .help = "how fast" }, .later = { "a", "b", "c" } },
	{ .opt = { .name = "other", .type = FL_OPT_U32, .offset = offsetof(struct new_conf, speed),
		   .max = 10, .def = "4", .help = "the same member" }, .later = { "d", "e", "f" } },
};

static int new_queue(struct fl_queue *q, struct fl_req *req)
{
	(void)q;
	req->res = (int64_t)(req->op <= FL_OP_TRIM ? req->len : 0);
	return FL_DONE;
}

static const struct new_engine newer = {
	.engine = {
		.abi_major = FL_ABI_MAJOR, .size = sizeof(struct new_engine), .name = "new_minor",
		.help = "a table with hooks of tomorrow", .caps = FL_CAP_NO_FILES,
		.queue = new_queue,
		.conf_size = sizeof(struct new_conf), .opts = &new_opts[0].opt, .nr_opts = 2,
		.opt_size = sizeof(new_opts[0]),
	},
};

FL_ENGINE_EXPORT(&newer.engine);
