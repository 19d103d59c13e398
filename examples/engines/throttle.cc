/* SPDX-License-Identifier: MIT */
/*
 * A slow disk, in C++: pread(2) and pwrite(2), but no more bytes and no more calls per second than
 * the options allow. Everything that a class may hold stays behind the queue's priv, no exception
 * crosses a hook, and a plain function fills the table, for C++ before 2020 names no members.
 *
 *	c++ -shared -fPIC throttle.cc -o throttle.so $(pkg-config --cflags fio-like)
 *
 *	fio-like --name=a --ioengine=./throttle.so --rw=read --size=16m --throttle_rate=4m
 */
#include <fio-like/engine.h>

#include <cerrno>
#include <ctime>
#include <new>
#include <unistd.h>

namespace {

struct Conf {
	uint64_t rate, iops;
};

/* A line in front of a counter: whoever comes takes the next free moment, and moves it on. */
class Gate {
public:
	explicit Gate(const Conf &conf) : conf_(conf) {}

	/* Returns when this I/O may begin: a time not before now_ns. */
	uint64_t enter(uint64_t now_ns, uint64_t bytes)
	{
		const uint64_t begin_ns = free_ns_ > now_ns ? free_ns_ : now_ns;
		const double by_rate = conf_.rate ? 1e9 * bytes / conf_.rate : 0;
		const double by_iops = conf_.iops ? 1e9 / conf_.iops : 0;

		free_ns_ = begin_ns + static_cast<uint64_t>(by_rate > by_iops ? by_rate : by_iops);
		return begin_ns;
	}

private:
	const Conf conf_;
	uint64_t free_ns_ = 0;
};

enum { COUNT_WAITS, COUNT_WAITED_US };

const fl_counter counters[] = {
	{ "throttle_waits", nullptr, "I/Os that had to wait for their turn", FL_MERGE_SUM },
	{ "throttle_waited_us", "us", "how long they waited in all", FL_MERGE_SUM },
};

/* ---- Hooks ----------------------------------------------------------------------------------- */

int throttle_open(fl_queue *q) noexcept
{
	q->priv = new (std::nothrow) Gate(*static_cast<const Conf *>(q->opts));
	q->flags |= FL_QUEUE_SYNC;
	return q->priv ? 0 : -ENOMEM;
}

void throttle_close(fl_queue *q) noexcept
{
	delete static_cast<Gate *>(q->priv);
}

void wait_for_turn(fl_queue *q, uint64_t bytes) noexcept
{
	const uint64_t now_ns = q->host->now_ns();
	const uint64_t begin_ns = static_cast<Gate *>(q->priv)->enter(now_ns, bytes);
	const uint64_t wait_ns = begin_ns - now_ns;
	timespec left = { static_cast<time_t>(wait_ns / 1000000000),
			  static_cast<long>(wait_ns % 1000000000) };

	if (!wait_ns)
		return;
	q->counters[COUNT_WAITS]++;
	q->counters[COUNT_WAITED_US] += wait_ns / 1000;
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int64_t do_io(const fl_req *req) noexcept
{
	const off_t at = static_cast<off_t>(req->offset);

	switch (req->op) {
	case FL_OP_READ:
		return pread(req->file->fd, req->buf, req->len, at);
	case FL_OP_WRITE:
		return pwrite(req->file->fd, req->buf, req->len, at);
	case FL_OP_DATASYNC:
		return fdatasync(req->file->fd);
	default:
		return fsync(req->file->fd);
	}
}

int throttle_queue(fl_queue *q, fl_req *req) noexcept
{
	wait_for_turn(q, req->len);
	req->res = do_io(req);
	if (req->res < 0)
		req->res = -errno;
	return FL_DONE;
}

/* ---- The table ------------------------------------------------------------------------------- */

fl_opt option(const char *name, uint32_t type, size_t offset, const char *unit, const char *help)
{
	fl_opt o = fl_opt();

	o.name = name;
	o.type = type;
	o.offset = static_cast<uint32_t>(offset);
	o.unit = unit;
	o.help = help;
	return o;
}

const fl_opt options[] = {
	option("throttle_rate", FL_OPT_SIZE, offsetof(Conf, rate), "bytes per second",
	       "most bytes per second; 0: no limit"),
	option("throttle_iops", FL_OPT_U64, offsetof(Conf, iops), "per second",
	       "most I/Os per second; 0: no limit"),
};

fl_engine make_table()
{
	fl_engine e = fl_engine();

	e.abi_major = FL_ABI_MAJOR;
	e.size = sizeof(e);
	e.name = "throttle";
	e.help = "pread(2) and pwrite(2), no faster than allowed";
	e.version = "1.0";
	e.conf_size = sizeof(Conf);
	e.opts = options;
	e.nr_opts = sizeof(options) / sizeof(options[0]);
	e.opt_size = sizeof(options[0]);
	e.counter_rows = counters;
	e.nr_counters = sizeof(counters) / sizeof(counters[0]);
	e.counter_size = sizeof(counters[0]);
	e.open = throttle_open;
	e.close = throttle_close;
	e.queue = throttle_queue;
	return e;
}

const fl_engine throttle = make_table();

} // namespace

FL_ENGINE_EXPORT(&throttle);
