/* SPDX-License-Identifier: MIT */
/*
 * An engine on top of another one, which makes a worse device of it: slower, failing, untrue. The
 * engine below is named by an option and opened through host->stack_open(). Requests and files of
 * our own go down, for the priv of a struct belongs to one engine alone.
 *
 * Damage is done to writes on their way down, and the answer is that all is well, which verify= has
 * to see through. The buffer that is changed for it is the runner's, and goes back as it came.
 *
 * With a latency every result is held until its time has come, in a line: all wait equally long, so
 * the first that arrived is the first to leave.
 *
 *	cc -shared -fPIC stack.c -o stack.so $(pkg-config --cflags fio-like)
 *
 *	fio-like --name=a --ioengine=./stack.so --stack_below=io_uring --stack_latency=10ms \
 *		--iodepth=32 --rw=randread --size=64m
 *	fio-like --name=b --ioengine=./stack.so --stack_damage=torn --stack_damage_one_in=50 \
 *		--verify=crc32c --rw=randwrite --size=64m --debug=engine
 */
#define _GNU_SOURCE
#include <fio-like/engine.h>

#include <errno.h>
#include <string.h>
#include <time.h>

enum damage { INTACT, FLIPPED, ZEROED, LOST, MISDIRECTED, TORN, SHIFTED };

struct stack_conf {
	const char *below, *opts;
	uint64_t latency_ns;
	uint32_t error_one_in, error, short_one_in, flip_one_in;
	uint32_t damage, damage_one_in;		/* enum damage */
	uint64_t damage_bytes, damage_after;
};

struct slot {
	struct fl_req down;		/* what the engine below sees; first: it leads here */
	struct fl_req *up;		/* what the runner sees */
	uint64_t due_ns;		/* held until then */
	int held;
	enum damage damage;		/* done to this write; then there is */
	char *intact;			/* its data as they were, and */
	uint64_t len;			/* how many bytes of them */
};

struct stack {
	struct fl_queue *below;
	struct slot *slots;
	struct fl_file *files;
	struct fl_req **done;		/* room for what comes from below */
	struct slot **line;		/* held results: a ring of depth places */
	uint32_t first, waiting;
	uint32_t below_flying;		/* requests that the engine below has */
	uint32_t below_untold, untold;	/* since the last commit(): for it, for us */
	uint64_t random, writes;
	char *copies;			/* of a buffer for each slot: slot->intact */
};

#define AT(member)	.offset = offsetof(struct stack_conf, member)

static const struct fl_opt_value damages[] = {
	[INTACT] = { "none", INTACT, "what is written arrives" },
	[FLIPPED] = { "flip", FLIPPED, "one bit is another" },
	[ZEROED] = { "zeros", ZEROED, "zeros arrive" },
	[LOST] = { "stale", LOST, "nothing arrives: what was there before stays" },
	[MISDIRECTED] = { "misdirected", MISDIRECTED,
	  "it arrives stack_damage_bytes further on, or before, where the file ends there" },
	[TORN] = { "torn", TORN, "only the first stack_damage_bytes arrive" },
	[SHIFTED] = { "shifted", SHIFTED,
	  "the data lie stack_damage_bytes further on in their block" },
	[SHIFTED + 1] = { NULL, 0, NULL },
};

static const struct fl_opt stack_opts[] = {
	{ .name = "stack_below", .type = FL_OPT_STR, AT(below), .def = "psync",
	  .help = "engine that does the work, by name or path" },
	{ .name = "stack_opts", .type = FL_OPT_STR, AT(opts),
	  .help = "options for it: NAME=VALUE:NAME=VALUE" },
	{ .name = "stack_latency", .type = FL_OPT_TIME, AT(latency_ns), .def_unit_ns = 1000,
	  .max = 60000000000, .help = "hold each result for so long" },
	{ .name = "stack_error_one_in", .type = FL_OPT_U32, AT(error_one_in),
	  .help = "end one in so many requests with stack_errno; 0: none" },
	{ .name = "stack_errno", .type = FL_OPT_U32, AT(error), .def = "5", .min = 1, .max = 4095,
	  .help = "the errno of these: 5 is EIO, 11 EAGAIN, 4 EINTR" },
	{ .name = "stack_short_one_in", .type = FL_OPT_U32, AT(short_one_in),
	  .help = "let one in so many requests move only the first half of its bytes; 0: none" },
	{ .name = "stack_flip_one_in", .type = FL_OPT_U32, AT(flip_one_in),
	  .help = "change one bit in one of so many reads; 0: in none" },
	{ .name = "stack_damage", .type = FL_OPT_ENUM, AT(damage), .def = "none", .values = damages,
	  .help = "what happens to writes that are then said to be done",
	  .more = "--debug=engine tells of each. A block that is too short for it is left alone." },
	{ .name = "stack_damage_one_in", .type = FL_OPT_U32, AT(damage_one_in), .def = "1",
	  .min = 1, .max = UINT32_MAX, .help = "to one in so many of them" },
	{ .name = "stack_damage_after", .type = FL_OPT_U64, AT(damage_after), .unit = "writes",
	  .help = "leave so many writes alone first" },
	{ .name = "stack_damage_bytes", .type = FL_OPT_SIZE, AT(damage_bytes), .def = "512",
	  .min = 1, .max = 1ull << 40,
	  .help = "how far stack_damage goes; with O_DIRECT: whole sectors" },
};

enum { COUNT_ERRORS, COUNT_SHORT, COUNT_FLIPS, COUNT_DAMAGES };

static const struct fl_counter stack_counters[] = {
	{ .name = "stack_errors", .help = "requests ended with an error here" },
	{ .name = "stack_shorts", .help = "requests that were cut short here" },
	{ .name = "stack_flips", .help = "bits changed in what was read" },
	{ .name = "stack_damages", .help = "writes that were damaged" },
};

/* ---- Mischief -------------------------------------------------------------------------------- */

/* xorshift64* (Vigna, 2014): the same job has the same mischief again. */
static uint64_t next_random(struct stack *s)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return s->random * 0x2545f4914f6cdd1dull;
}

static int chance(struct stack *s, uint32_t one_in)
{
	return one_in && next_random(s) % one_in == 0;
}

/* Half of it, in whole sectors, for the sake of O_DIRECT. */
static void cut_short(struct fl_queue *q, struct fl_req *down)
{
	if (down->op > FL_OP_WRITE || down->len < 1024 ||
	    !chance(q->priv, ((const struct stack_conf *)q->opts)->short_one_in))
		return;
	down->len = down->len / 1024 * 512;
	q->counters[COUNT_SHORT]++;
}

static void flip_bit(struct stack *s, void *buf, uint64_t bytes)
{
	uint64_t bit = next_random(s) % (bytes * 8);

	((unsigned char *)buf)[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

static void spoil(struct fl_queue *q, struct fl_req *req)
{
	if (req->op != FL_OP_READ || req->res <= 0 ||
	    !chance(q->priv, ((const struct stack_conf *)q->opts)->flip_one_in))
		return;
	flip_bit(q->priv, req->buf, (uint64_t)req->res);
	q->counters[COUNT_FLIPS]++;
}

/* So many bytes further on if that is still the job's, else before; where neither is: here. */
static uint64_t elsewhere(const struct fl_req *req, uint64_t bytes)
{
	uint64_t start = req->file->io_start, end = start + req->file->io_bytes;

	if (req->offset + bytes + req->len <= end)
		return req->offset + bytes;
	return req->offset >= start + bytes ? req->offset - bytes : req->offset;
}

/* Returns what was done to this write; a copy of its data is kept. */
static enum damage damage(struct fl_queue *q, struct slot *slot)
{
	const struct stack_conf *conf = q->opts;
	struct fl_req *down = &slot->down;
	uint64_t bytes = conf->damage_bytes, to = elsewhere(down, bytes);
	char *buf = down->buf;

	if ((conf->damage == MISDIRECTED && to == down->offset) ||
	    (conf->damage >= TORN && bytes >= down->len))
		return INTACT;
	slot->len = down->len;
	memcpy(slot->intact, buf, slot->len);
	if (conf->damage == FLIPPED)
		flip_bit(q->priv, buf, slot->len);
	else if (conf->damage == ZEROED)
		memset(buf, 0, slot->len);
	else if (conf->damage == MISDIRECTED)
		down->offset = to;
	else if (conf->damage == TORN)
		down->len = bytes;
	else if (conf->damage == SHIFTED)
		memmove(buf + bytes, buf, slot->len - bytes);
	q->counters[COUNT_DAMAGES]++;
	q->host->log(q, FL_LOG_DEBUG, "%s: the write of %s at %llu", damages[conf->damage].name,
		     down->file->name, (unsigned long long)slot->up->offset);
	return conf->damage;
}

static void maybe_damage(struct fl_queue *q, struct slot *slot)
{
	const struct stack_conf *conf = q->opts;
	struct stack *s = q->priv;

	slot->damage = INTACT;
	if (conf->damage && slot->down.op == FL_OP_WRITE && s->writes++ >= conf->damage_after &&
	    chance(s, conf->damage_one_in))
		slot->damage = damage(q, slot);
}

/* The result goes up, and tells of no damage. */
static void hand_up(struct fl_queue *q, struct slot *slot)
{
	struct fl_req *up = slot->up, *down = &slot->down;

	up->res = down->res;
	up->res2 = down->res2;
	if (slot->damage) {
		memcpy(up->buf, slot->intact, slot->len);
		if (down->res == (int64_t)down->len)
			up->res = (int64_t)slot->len;
	}
	spoil(q, up);
}

/* ---- The queue ------------------------------------------------------------------------------- */

static int late(const struct fl_queue *q)
{
	return ((const struct stack_conf *)q->opts)->latency_ns != 0;
}

static void stack_free(struct fl_queue *q, struct stack *s)
{
	q->host->free(s->slots);
	q->host->free(s->files);
	q->host->free(s->done);
	q->host->free(s->line);
	q->host->free(s->copies);
	q->host->free(s);
}

static int stack_open(struct fl_queue *q)
{
	const struct stack_conf *conf = q->opts;
	struct stack *s = q->host->alloc(sizeof(*s), 0);
	int err = -ENOMEM;

	if (!s)
		return err;
	s->random = (q->job->seed ^ ((uint64_t)q->job->number << 32)) | 1;
	s->slots = q->host->alloc(q->depth * sizeof(*s->slots), 64);
	s->files = q->host->alloc(q->job->files * sizeof(*s->files), 0);
	s->done = q->host->alloc(q->depth * sizeof(*s->done), 0);
	s->line = q->host->alloc(q->depth * sizeof(*s->line), 0);
	s->copies = q->host->alloc(conf->damage ? q->depth * q->job->block_max : 1, 0);
	if (s->slots && s->files && s->done && s->line && s->copies)
		err = q->host->stack_open(q, conf->below, conf->opts, &s->below);
	if (err < 0)
		goto free_s;
	err = -EOPNOTSUPP;
	if (s->below->engine->buffers_alloc) {
		q->host->fail(q, err, "the buffers of engine '%s' must come from itself, so that "
			      "no other can be stacked on it", conf->below);
		goto close_below;
	}
	q->priv = s;
	q->flags |= late(q) ? 0 : s->below->flags & FL_QUEUE_SYNC;
	q->poll_fd = late(q) ? -1 : s->below->poll_fd;
	return 0;
close_below:
	q->host->stack_close(q, s->below);
free_s:
	stack_free(q, s);
	return err;
}

static void stack_close(struct fl_queue *q)
{
	struct stack *s = q->priv;

	q->host->stack_close(q, s->below);
	stack_free(q, s);
}

static int stack_buffers_ready(struct fl_queue *q)
{
	struct fl_queue *below = ((struct stack *)q->priv)->below;

	below->buffers = q->buffers;
	below->buffer_stride = q->buffer_stride;
	return below->engine->buffers_ready ? below->engine->buffers_ready(below) : 0;
}

static int stack_file_open(struct fl_queue *q, struct fl_file *f)
{
	struct stack *s = q->priv;
	struct fl_file *down = &s->files[f->index];
	int err;

	*down = *f;
	err = s->below->engine->file_open(s->below, down);
	f->fd = err < 0 ? -1 : down->fd;
	return err;
}

static int stack_file_close(struct fl_queue *q, struct fl_file *f)
{
	struct stack *s = q->priv;

	f->fd = -1;
	return s->below->engine->file_close(s->below, &s->files[f->index]);
}

/* ---- One request ----------------------------------------------------------------------------- */

static void hold(struct fl_queue *q, struct slot *slot)
{
	struct stack *s = q->priv;

	slot->due_ns = q->host->now_ns() + ((const struct stack_conf *)q->opts)->latency_ns;
	slot->held = 1;
	s->line[(s->first + s->waiting++) % q->depth] = slot;
}

/* A request that is done on our side: held, or handed back at once. */
static int finish(struct fl_queue *q, struct slot *slot)
{
	hand_up(q, slot);
	if (!late(q))
		return FL_DONE;
	((struct stack *)q->priv)->untold++;
	hold(q, slot);
	return FL_PENDING;
}

static int stack_prep(struct fl_queue *q, struct fl_req *req)
{
	struct stack *s = q->priv;
	struct slot *slot = &s->slots[req->slot];
	void *priv = slot->down.priv;
	int err = 0;

	slot->up = req;
	slot->held = 0;
	slot->down = *req;
	slot->down.priv = priv;
	slot->down.file = &s->files[req->file->index];
	slot->intact = s->copies + req->slot * q->job->block_max;
	cut_short(q, &slot->down);
	maybe_damage(q, slot);
	if (s->below->engine->prep && slot->damage != LOST)
		err = s->below->engine->prep(s->below, &slot->down);
	if (err < 0)
		hand_up(q, slot);
	return err;
}

static int stack_queue(struct fl_queue *q, struct fl_req *req)
{
	struct stack *s = q->priv;
	struct slot *slot = &s->slots[req->slot];
	int answer;

	if (chance(s, ((const struct stack_conf *)q->opts)->error_one_in)) {
		q->counters[COUNT_ERRORS]++;
		slot->down.res = -(int64_t)((const struct stack_conf *)q->opts)->error;
		return finish(q, slot);
	}
	if (slot->damage == LOST) {
		slot->down.res = (int64_t)slot->down.len;
		return finish(q, slot);
	}
	answer = s->below->engine->queue(s->below, &slot->down);
	if (answer == FL_DONE)
		return finish(q, slot);
	if (answer != FL_PENDING)
		return answer;
	s->below_flying++;
	s->below_untold++;
	s->untold++;
	return FL_PENDING;
}

/* As long as the engine below has not told all, we claim no more than it does. */
static int stack_commit(struct fl_queue *q)
{
	struct stack *s = q->priv;
	int told = (int)s->untold;

	if (s->below_untold && s->below->engine->commit) {
		int n = s->below->engine->commit(s->below);

		if (n < 0)
			return n;
		s->below_untold -= (uint32_t)n;
		told = s->below_untold ? n : told;
	} else {
		s->below_untold = 0;
	}
	s->untold -= (uint32_t)told;
	return told;
}

/* ---- Completions ----------------------------------------------------------------------------- */

static int from_below(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
		      struct fl_req **done)
{
	struct stack *s = q->priv;
	int n = s->below->engine->complete(s->below, min, max, timeout_ns, done);

	if (n > 0)
		s->below_flying -= (uint32_t)n;
	return n;
}

/* No latency: what comes from below goes up. */
static int pass_on(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
		   struct fl_req **done)
{
	int n = from_below(q, min, max, timeout_ns, done);

	for (int i = 0; i < n; i++) {
		struct slot *slot = (struct slot *)done[i];

		finish(q, slot);
		done[i] = slot->up;
	}
	return n;
}

/*
 * Until limit_ns or the first of the line is due: wait for the engine below, or merely wait.
 * Returns 0, 1 after a signal, or -errno.
 */
static int gather(struct fl_queue *q, uint64_t now_ns, uint64_t limit_ns)
{
	struct stack *s = q->priv;
	struct timespec nap;
	uint64_t wait_ns;
	int n;

	if (s->waiting && s->line[s->first % q->depth]->due_ns < limit_ns)
		limit_ns = s->line[s->first % q->depth]->due_ns;
	wait_ns = limit_ns > now_ns ? limit_ns - now_ns : 0;
	if (!s->below_flying) {
		nap.tv_sec = (time_t)(wait_ns / 1000000000);
		nap.tv_nsec = (long)(wait_ns % 1000000000);
		return wait_ns && nanosleep(&nap, NULL) ? 1 : 0;
	}
	n = from_below(q, wait_ns != 0, q->depth,
		       limit_ns == UINT64_MAX ? -1 : (int64_t)wait_ns, s->done);
	for (int i = 0; i < n; i++) {
		struct slot *slot = (struct slot *)s->done[i];

		hand_up(q, slot);
		hold(q, slot);
	}
	if (n < 0)
		return n;
	return !n && q->host->now_ns() < limit_ns;
}

static int stack_complete(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			  struct fl_req **done)
{
	struct stack *s = q->priv;
	uint64_t now_ns = q->host->now_ns(), limit_ns;
	uint32_t n = 0;
	int err;

	if (!late(q))
		return pass_on(q, min, max, timeout_ns, done);
	limit_ns = timeout_ns < 0 ? UINT64_MAX : now_ns + (uint64_t)timeout_ns;
	err = gather(q, now_ns, now_ns);
	for (;;) {
		now_ns = q->host->now_ns();
		while (n < max && s->waiting && s->line[s->first % q->depth]->due_ns <= now_ns) {
			done[n++] = s->line[s->first++ % q->depth]->up;
			s->waiting--;
		}
		/* Nothing in flight and no limit: there is nothing that could still come. */
		if (err || n >= min || now_ns >= limit_ns ||
		    (limit_ns == UINT64_MAX && !s->waiting && !s->below_flying))
			return err < 0 && !n ? err : (int)n;
		err = gather(q, now_ns, limit_ns);
	}
}

static int stack_cancel(struct fl_queue *q, struct fl_req *req)
{
	struct stack *s = q->priv;
	struct slot *slot = &s->slots[req->slot];

	if (slot->held)
		return 0;
	return s->below->engine->cancel ? s->below->engine->cancel(s->below, &slot->down)
					: -EOPNOTSUPP;
}

static const struct fl_engine stack = {
	FL_ENGINE_HEAD, .name = "stack", .help = "another engine, made slower and unreliable",
	.version = "1.0", .caps = FL_CAP_LAYOUT, FL_ENGINE_OPTS(struct stack_conf, stack_opts),
	FL_ENGINE_COUNTERS(stack_counters), .open = stack_open, .close = stack_close,
	.file_open = stack_file_open, .file_close = stack_file_close,
	.buffers_ready = stack_buffers_ready, .prep = stack_prep, .queue = stack_queue,
	.commit = stack_commit, .complete = stack_complete, .cancel = stack_cancel,
};

FL_ENGINE_EXPORT(&stack);
