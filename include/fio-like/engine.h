/* SPDX-License-Identifier: MIT */
/*
 * fio-like/engine.h - everything an I/O engine needs to know, and all that the runner knows of it.
 *
 * An engine is the translation of one request into one kernel (or library) interface. It does not
 * read clocks, count, retry, verify, choose offsets or batch: the runner does. What an engine
 * remembers hangs off its queue; its table is const, so that jobs with different settings never
 * disturb each other, as threads or as processes.
 *
 * The way of one request, all on the one thread that opened the queue:
 *
 *	prep -> queue -> FL_DONE                              (synchronous)
 *	prep -> queue -> FL_PENDING -> commit -> complete     (asynchronous)
 *
 * Every request that queue() took comes back exactly once: by FL_DONE, or by complete().
 *
 * A whole plugin:		cc -shared -fPIC mine.c -o mine.so $(pkg-config --cflags fio-like)
 * A job that uses it:		ioengine=./mine.so
 *
 * Rules for the whole file
 *   Results:	0 or a positive number when all is well, -errno when not. errno is never read.
 *   Units:	bytes and nanoseconds, unless a name says otherwise.
 *   Growth:	every struct that crosses the border starts with its size, as its maker knew it.
 *		Members and hooks are only ever appended. FL_HAS() tells whether a member is there.
 *   Version:	a plugin built against an older or newer minor version of this header loads; one
 *		built against another FL_ABI_MAJOR is refused.
 *
 * Includes nothing but <stddef.h> and <stdint.h>; may be included from C++.
 */
#ifndef FIO_LIKE_ENGINE_H
#define FIO_LIKE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FL_ABI_MAJOR	1
#define FL_ABI_MINOR	0

/* FL_HAS - does the struct that p points to reach as far as this member? */
#define FL_HAS(p, member) \
	((p)->size >= (size_t)((const char *)(&(p)->member + 1) - (const char *)(p)))

struct fl_queue;
struct fl_file;
struct fl_req;
struct fl_engine;

/*
 * Operations. The set is open: numbers below FL_OP_CUSTOM belong to this header, from there on to
 * the engine, which names them in fl_engine.ops.
 */
enum fl_op {
	FL_OP_READ	= 0,	/* res: bytes read; fewer than len only at the end of the file */
	FL_OP_WRITE	= 1,	/* res: bytes written */
	FL_OP_TRIM	= 2,	/* res: bytes given back */
	FL_OP_SYNC	= 3,	/* fsync of req->file; res: 0 */
	FL_OP_DATASYNC	= 4,	/* fdatasync of req->file; res: 0 */
	FL_OP_SYNC_RANGE = 5,	/* sync_file_range of offset, len; req->arg has its flags; res: 0 */
	FL_OP_APPEND	= 6,	/* write at the end; res: bytes, res2: the offset it landed at */
	FL_OP_WRITE_ZEROES = 7,	/* zero offset, len; no buffer; res: bytes */
	FL_OP_COPY	= 8,	/* from file/offset to file2/offset2, len; no buffer; res: bytes */
	FL_OP_VERIFY	= 9,	/* the device checks offset, len; no buffer; res: bytes */
	FL_OP_STAT	= 10,	/* res: 0; res2: the size of req->file */
	FL_OP_CREATE	= 11,	/* req->file comes to be; res: 0 */
	FL_OP_UNLINK	= 12,	/* req->file ceases to be; res: 0 */
	FL_OP_LIST	= 13,	/* list what req->file holds; res: number of names */
	FL_OP_CUSTOM	= 1024,
};

/* What queue() says when it does not say -errno. */
#define FL_DONE		0	/* req->res is set, the request is the runner's again */
#define FL_PENDING	1	/* the engine keeps the request until complete() returns it */

/*
 * struct fl_req - one I/O. Made by the runner, one per slot of the queue, used again and again.
 *
 * The engine may write res and res2 (before it hands the request back) and priv (always; the runner
 * never looks at it and never clears it, so that what prep() set up for a slot can stay).
 */
struct fl_req {
	uint32_t size;			/* of this struct */
	uint32_t op;			/* enum fl_op, or one of the engine's own */
	uint64_t offset;		/* bytes from the start of the file */
	uint64_t len;			/* bytes */
	void *buf;			/* len bytes, lent from prep() until the request is back */
	struct fl_file *file;
	int64_t res;			/* bytes moved, or -errno */
	uint32_t slot;			/* 0 .. queue->depth - 1; not shared by two in flight */
	uint32_t flags;			/* FL_REQ_* */
	void *priv;			/* the engine's own */
	/* the second cache line: what few engines use */
	uint64_t res2;			/* second result of the operations that have one */
	uint64_t arg;			/* second argument of the operations that have one */
	void *meta;			/* separate metadata (protection information), or NULL */
	uint32_t meta_len;		/* bytes */
	uint32_t placement;		/* placement hint or identifier; 0 is none */
	uint32_t prio;			/* I/O priority as ioprio_set(2) packs it; 0 is none */
	uint32_t lifetime;		/* write lifetime hint, RWH_* of fcntl(2); 0 is none */
	struct fl_file *file2;		/* FL_OP_COPY: the file written */
	uint64_t offset2;		/* FL_OP_COPY: where in file2 */
};

#define FL_REQ_FUA	(1u << 0)	/* on stable storage before it is handed back */
#define FL_REQ_NOWAIT	(1u << 1)	/* -EAGAIN rather than wait */
#define FL_REQ_POLLED	(1u << 2)	/* completion is to be polled for */

/* What kind of thing a file is. */
enum fl_file_type {
	FL_FILE_REGULAR	= 0,
	FL_FILE_BLOCK	= 1,
	FL_FILE_CHAR	= 2,
	FL_FILE_PIPE	= 3,
	FL_FILE_NAME	= 4,		/* no file: an object, a URL, a namespace (FL_CAP_NAMES) */
};

/*
 * struct fl_file - one target of the job. Made by the runner; lives from before file_open() until
 * after file_close(). The engine may write fd (in its own file_open) and priv.
 */
struct fl_file {
	uint32_t size;			/* of this struct */
	uint32_t index;			/* 0 .. job->files - 1 */
	const char *name;		/* path or object name; valid while the file is open */
	int32_t fd;			/* descriptor, or -1 */
	int32_t open_flags;		/* the O_* flags the job asks for */
	uint32_t type;			/* enum fl_file_type */
	uint32_t flags;			/* FL_FILE_* flags; none yet, 0 */
	uint64_t bytes;			/* size of the target, as known at open; 0 if unknown */
	uint64_t io_start;		/* first byte the job may touch */
	uint64_t io_bytes;		/* how many bytes from there it may touch */
	void *priv;			/* the engine's own; NULL when the file is opened */
};

/* Access advice of the job: fadvise_hint. */
enum fl_advice {
	FL_ADVICE_NONE = 0, FL_ADVICE_NORMAL = 1, FL_ADVICE_SEQUENTIAL = 2, FL_ADVICE_RANDOM = 3,
	FL_ADVICE_NOREUSE = 4, FL_ADVICE_WILLNEED = 5, FL_ADVICE_DONTNEED = 6,
};

#define FL_JOB_DIRECT		(1u << 0)	/* the page cache is not to be used */
#define FL_JOB_RANDOM		(1u << 1)	/* offsets are in random order */
#define FL_JOB_THREAD		(1u << 2)	/* other jobs live in this process */
#define FL_JOB_SYNC		(1u << 3)	/* each write on stable storage, and its metadata */
#define FL_JOB_DSYNC		(1u << 4)	/* each write on stable storage */
#define FL_JOB_REOPEN		(1u << 5)	/* files are opened anew at every pass */
#define FL_JOB_READONLY		(1u << 6)	/* nothing may be written, whatever the job says */
#define FL_JOB_ATOMIC		(1u << 7)	/* each write whole or not at all (FL_CAP_ATOMIC) */

/*
 * struct fl_job - what an engine may know of the job a queue works for. Constant while the queue is
 * open.
 */
struct fl_job {
	uint32_t size;			/* of this struct */
	uint32_t number;		/* of the job in the whole run, from 0 */
	const char *name;
	uint64_t ops;			/* bit 1 << op for every operation below 64 it may issue */
	uint32_t flags;			/* FL_JOB_* */
	uint32_t advice;		/* enum fl_advice */
	uint32_t files;			/* number of files */
	uint32_t files_open_max;	/* how many of them are open at once */
	uint64_t block_min;		/* smallest and largest request, bytes */
	uint64_t block_max;
	uint64_t seed;			/* same job, same seed: for what an engine does at random */
};

/* Severities of fl_host.log. */
enum fl_log { FL_LOG_ERROR = 0, FL_LOG_NOTE = 1, FL_LOG_DEBUG = 2 };

/*
 * struct fl_host - what the runner does for an engine. Callable from the thread of the queue,
 * unless a line says otherwise. Reached as q->host; nothing of the runner is linked to.
 */
struct fl_host {
	uint32_t size;			/* of this struct */
	uint32_t abi_minor;		/* FL_ABI_MINOR of the runner */
	const char *version;		/* of the runner, for messages */

	/*
	 * log - a line for the user. Notes go into the result, errors to stderr too, debug lines
	 * only under --debug=engine. Any thread. q may be NULL. fmt as printf(3), without a final
	 * newline.
	 */
	void (*log)(struct fl_queue *q, int level, const char *fmt, ...);
	/*
	 * fail - remember the sentence that explains the error about to be returned: what was
	 * wrong, with which option or file, and what to do. Returns err, so that a hook can end
	 * with `return q->host->fail(q, -EINVAL, "...")`. Without it the user sees only the
	 * errno's text.
	 */
	int (*fail)(struct fl_queue *q, int err, const char *fmt, ...);
	/*
	 * now_ns - a monotonic clock, for engines that must wait. Any thread. Never needed for
	 * statistics.
	 */
	uint64_t (*now_ns)(void);
	/*
	 * alloc - zeroed memory, aligned to a power of two (0: any); NULL when there is none. Any
	 * thread.
	 */
	void *(*alloc)(size_t bytes, size_t align);
	/* free - give back what alloc() gave; NULL is fine. Any thread. */
	void (*free)(void *p);
	/*
	 * map_guard - from now on a SIGBUS of this thread within [addr, addr + len) is no crash:
	 * the page is replaced by zeroes and *q->map_faults goes up by one. An engine that touches
	 * a mapped file looks at *q->map_faults after the copy and answers -EIO if it has changed.
	 * Returns 0 or -ENOMEM. map_unguard() takes the same range back, before munmap(2).
	 */
	int (*map_guard)(struct fl_queue *q, void *addr, size_t len);
	void (*map_unguard)(struct fl_queue *q, void *addr, size_t len);
	/*
	 * post - hand back a request from any thread, for libraries that complete on their own.
	 * res must be set. Never blocks. The request comes out of take(), or, in an engine that
	 * has no complete() hook, straight to the runner.
	 */
	void (*post)(struct fl_queue *q, struct fl_req *req);
	/* take - what complete() says, from the posted requests. Queue's thread. */
	int (*take)(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
		    struct fl_req **done);
	/*
	 * observe - one sample, ns, for the engine's own histogram of this index
	 * (fl_engine.histograms).
	 */
	void (*observe)(struct fl_queue *q, uint32_t histogram, uint64_t ns);
	/*
	 * stack_open - a queue of another engine, below this one, with the same job, files, depth.
	 * engine: its name or path; options: "name=value:name=value" for that engine, or NULL.
	 * On 0 *below is an open queue whose hooks are called as
	 * (*below)->engine->queue(*below, req); file_open, file_close and complete are there
	 * always, other hooks where that engine has them. Hand down requests and files of your own
	 * making: the priv of a struct belongs to one engine alone. Set (*below)->buffers and
	 * buffer_stride before you call its buffers_ready(). Close it by stack_close().
	 * On -errno nothing is left and fail() has been called.
	 */
	int (*stack_open)(struct fl_queue *q, const char *engine, const char *options,
			  struct fl_queue **below);
	void (*stack_close)(struct fl_queue *q, struct fl_queue *below);
};

/*
 * struct fl_queue - one engine at work for one job. Made by the runner; open() fills the members
 * that say so. All hooks of one queue are called from one thread, always the same.
 */
struct fl_queue {
	uint32_t size;			/* of this struct */
	uint32_t depth;			/* most requests in flight; slots are 0 .. depth - 1 */
	const struct fl_engine *engine;
	const struct fl_host *host;
	const struct fl_job *job;
	const void *opts;		/* the engine's options: conf_size bytes, parsed, checked */
	void *priv;			/* the engine's own */
	void *process;			/* what process_init() gave */
	uint64_t *counters;		/* nr_counters numbers for the report; only written here */
	volatile uint32_t *map_faults;	/* see fl_host.map_guard */
	void *buffers;			/* all I/O buffers of the queue, one after the other */
	uint64_t buffer_stride;		/* bytes from one slot's buffer to the next */
	uint32_t flags;			/* FL_QUEUE_*, set by open(); 0 before it */
	int32_t poll_fd;		/* by open(): readable when complete() has some; else -1 */
};

#define FL_QUEUE_SYNC	(1u << 0)	/* queue() never says FL_PENDING; no commit, complete */

/* Kinds of options, and what the host writes at the offset of the row. */
enum fl_opt_type {
	FL_OPT_BOOL	= 1,		/* uint32_t 0 or 1; the value must be given */
	FL_OPT_FLAG	= 2,		/* uint32_t 0 or 1; the bare name means 1 */
	FL_OPT_U32	= 3,		/* uint32_t, suffixes k m g allowed */
	FL_OPT_U64	= 4,		/* uint64_t, the same */
	FL_OPT_I64	= 5,		/* int64_t, may be negative */
	FL_OPT_SIZE	= 6,		/* uint64_t bytes */
	FL_OPT_TIME	= 7,		/* uint64_t ns; def_unit_ns is the unit of a bare number */
	FL_OPT_DOUBLE	= 8,		/* double; min and max bound it too */
	FL_OPT_STR	= 9,		/* const char *, owned by the host, NULL if not set */
	FL_OPT_ENUM	= 10,		/* uint32_t, one of the row's values */
	FL_OPT_HOST	= 64,		/* from here on: the runner's own kinds, not for engines */
};

/* One allowed word of an FL_OPT_ENUM; a list of them ends with a NULL name. */
struct fl_opt_value {
	const char *name;
	uint64_t value;
	const char *help;		/* a few words */
};

/*
 * struct fl_opt - one option. The row is all there is: parsing, bounds, defaults, --enghelp, the
 * manual and the echo in the JSON are made from it.
 */
struct fl_opt {
	const char *name;		/* lower case, words joined by _ */
	const char *alias;		/* a second name, or NULL */
	uint32_t type;			/* enum fl_opt_type */
	uint32_t offset;		/* of the member in the engine's conf struct */
	uint64_t min, max;		/* inclusive; both 0: none. FL_OPT_I64: read as int64_t */
	uint64_t def_unit_ns;		/* FL_OPT_TIME: unit of a bare number; 0: one second */
	const char *def;		/* default as a user would write it; NULL: zero, NULL */
	const char *unit;		/* for people: "bytes", "us"; NULL if the type says it */
	const char *help;		/* one line, begins lower case, no full stop */
	const char *more;		/* further sentences for the manual, or NULL */
	const struct fl_opt_value *values;	/* FL_OPT_ENUM: the words */
	int (*parse)(void *member, const char *text, char *why, size_t why_bytes);
					/* the runner's own kinds only */
	uint64_t arg;			/* the runner's own kinds only */
};

/* How the numbers of several jobs are put together. */
enum fl_merge { FL_MERGE_SUM = 0, FL_MERGE_MAX = 1, FL_MERGE_MIN = 2 };

/* struct fl_counter - one number of the engine's own: q->counters[its index]. */
struct fl_counter {
	const char *name;		/* lower case, words joined by _: a JSON key */
	const char *unit;		/* "bytes", "calls"; NULL: a plain count */
	const char *help;		/* one line */
	uint32_t merge;			/* enum fl_merge */
};

/* struct fl_histogram - a latency of an operation's part that the engine measures by itself. */
struct fl_histogram {
	const char *name;		/* a JSON key */
	const char *help;		/* one line */
};

/* struct fl_op_name - an operation of the engine's own. */
struct fl_op_name {
	uint32_t op;			/* FL_OP_CUSTOM or more */
	const char *name;
};

#define FL_CAP_NO_FILES		(1u << 0)	/* no target: nothing is opened or laid out */
#define FL_CAP_NAMES		(1u << 1)	/* targets are names only the engine understands */
#define FL_CAP_LAYOUT		(1u << 2)	/* files need their full size before a write too */
#define FL_CAP_THREADS_ONLY	(1u << 3)	/* works only with thread=1 */
#define FL_CAP_NOT_FORK_SAFE	(1u << 4)	/* its library must not be touched before a fork */
#define FL_CAP_DEVDAX		(1u << 5)	/* targets are device-DAX character devices */
#define FL_CAP_ATOMIC		(1u << 7)	/* knows FL_JOB_ATOMIC */
#define FL_CAP_UNALIGNED	(1u << 6)	/* direct=1 bounds no offset, length or buffer */
#define FL_CAP_ORDERED		(1u << 8)	/* writes reach the device in their order */

/*
 * struct fl_engine - the table. Always const. Only name and queue are required (and complete, or
 * host->post(), where queue answers FL_PENDING); a hook left NULL means what its comment says.
 */
struct fl_engine {
	uint32_t abi_major;		/* these two never move; FL_ENGINE_HEAD fills them */
	uint32_t size;
	const char *name;		/* as in ioengine=name */
	const char *help;		/* one line for --enghelp */
	const char *version;		/* the engine's own, or NULL */
	uint32_t caps;			/* FL_CAP_* */
	uint32_t conf_size;		/* bytes of its conf struct; 0: no options */
	const struct fl_opt *opts;	/* rows of options */
	uint32_t nr_opts;
	uint32_t opt_size;		/* sizeof(struct fl_opt) as the engine knew it */
	const struct fl_counter *counter_rows;
	uint32_t nr_counters;
	uint32_t counter_size;		/* sizeof(struct fl_counter) as the engine knew it */
	const struct fl_histogram *histograms;
	uint32_t nr_histograms;
	uint32_t histogram_size;
	const struct fl_op_name *ops;	/* the engine's own operations */
	uint32_t nr_ops;
	uint32_t op_size;
	/* bit 1 << op per operation below 64; 0: read, write, sync, datasync */
	uint64_t ops_supported;

	/*
	 * probe - can this engine work on this machine?
	 * Called:  before any other hook, in a child process that is thrown away; also for
	 *          --enghelp.
	 * Units:   why_bytes is the room at why.
	 * Lends:   host and why, for the call.
	 * Returns: 0 (yes), or -errno with a sentence in why that names the cause and the way out.
	 * Failure: leaves nothing.
	 * NULL:    yes.
	 */
	int (*probe)(const struct fl_host *host, char *why, size_t why_bytes);

	/*
	 * process_init - make what all queues of one process share.
	 * Called:  once in each process that runs jobs of this engine, before its first open(),
	 *          while the process has one thread.
	 * Units:   none.
	 * Lends:   host, for the life of the process. *process is the engine's; it comes back as
	 *          q->process, and last to process_exit().
	 * Returns: 0, or -errno (every job of the engine in this process fails).
	 * Failure: leaves nothing; process_exit() is not called.
	 * NULL:    nothing is shared.
	 */
	int (*process_init)(const struct fl_host *host, void **process);

	/*
	 * process_exit - undo process_init(), after the last close() in the process.
	 * Called:  once, on the main thread. Not after a crash or a kill.
	 * Units:   none.
	 * Lends:   nothing; process is the engine's to free.
	 * Returns: nothing.
	 * Failure: cannot fail.
	 */
	void (*process_exit)(void *process);

	/*
	 * open - set up a queue: rings, contexts, per-slot memory. All allocation belongs here.
	 * Called:  once per queue, on the thread that will use it, before any file is opened.
	 * Units:   q->depth in requests.
	 * Lends:   q and all it points to, until close() returns. q->buffers is NULL still.
	 * Returns: 0, with q->priv, q->flags, q->poll_fd as the engine wants them; or -errno.
	 * Failure: leaves nothing; close() is not called.
	 * NULL:    a synchronous engine that remembers nothing: FL_QUEUE_SYNC is set for it.
	 */
	int (*open)(struct fl_queue *q);

	/*
	 * close - undo open().
	 * Called:  once, on the queue's thread, after the last file_close(). Requests may still be
	 *          in flight if the job was torn down: they must not touch their buffers any more.
	 * Units:   none.
	 * Lends:   nothing after it returns.
	 * Returns: nothing.
	 * Failure: cannot fail.
	 * NULL:    nothing to undo.
	 */
	void (*close)(struct fl_queue *q);

	/*
	 * file_size - how large is this target?
	 * Called:  while planning, in the runner's own process, where q is not open (q->priv is
	 *          NULL, host, job, opts are there), and again in the worker.
	 * Units:   *bytes.
	 * Lends:   q, f, for the call.
	 * Returns: 0; -ENOENT if it does not exist (yet); other -errno.
	 * Failure: leaves nothing.
	 * NULL:    the runner asks the kernel about the path.
	 */
	int (*file_size)(struct fl_queue *q, struct fl_file *f, uint64_t *bytes);

	/*
	 * file_layout - make the target exist with at least f->bytes bytes of readable data.
	 * Called:  before the jobs start, for targets that are missing or too short, q as in
	 *          file_size.
	 * Units:   f->bytes.
	 * Lends:   q, f, for the call.
	 * Returns: 0 or -errno.
	 * Failure: what it made may stay.
	 * NULL:    the runner writes the file at the path; with FL_CAP_NAMES: targets must exist.
	 */
	int (*file_layout)(struct fl_queue *q, struct fl_file *f);

	/*
	 * file_open - make a file ready for I/O.
	 * Called:  after open(), on the queue's thread; again at each pass with reopen_each_loop.
	 * Units:   f->bytes, f->io_start, f->io_bytes in bytes.
	 * Lends:   f until file_close() returns.
	 * Returns: 0 with f->fd and f->priv as the engine wants them, or -errno.
	 * Failure: leaves nothing; file_close() is not called.
	 * NULL:    the runner opens f->name with f->open_flags and puts the descriptor into f->fd;
	 *          with FL_CAP_NAMES there is nothing to open.
	 */
	int (*file_open)(struct fl_queue *q, struct fl_file *f);

	/*
	 * file_close - undo file_open(). Mappings, streams and descriptors end here.
	 * Called:  on the queue's thread, with no request of this file in flight, unless the job is
	 *          torn down (see close).
	 * Units:   none.
	 * Lends:   nothing after it returns.
	 * Returns: 0, or -errno if what was written may be lost (as close(2), fclose(3)).
	 * Failure: the file is closed all the same.
	 * NULL:    the runner closes f->fd, unless it is -1.
	 */
	int (*file_close)(struct fl_queue *q, struct fl_file *f);

	/*
	 * file_invalidate - drop what is cached of f->io_start .. + f->io_bytes.
	 * Called:  after file_open(), before the clock starts.
	 * Units:   bytes.
	 * Lends:   q, f, for the call.
	 * Returns: 0, or -errno (noted in the result; the job goes on).
	 * Failure: leaves the cache as it may be.
	 * NULL:    the runner uses posix_fadvise(2) on f->fd if it is not -1.
	 */
	int (*file_invalidate)(struct fl_queue *q, struct fl_file *f);

	/*
	 * buffers_alloc - memory for the I/O buffers that only the engine can give (registered, or
	 * of a device).
	 * Called:  once after open(), on the queue's thread.
	 * Units:   bytes in all, align a power of two.
	 * Lends:   *buffers is the runner's to read and write until buffers_free().
	 * Returns: 0 or -errno.
	 * Failure: leaves nothing; buffers_free() is not called.
	 * NULL:    the runner allocates as iomem= says.
	 */
	int (*buffers_alloc)(struct fl_queue *q, uint64_t bytes, uint64_t align, void **buffers);

	/*
	 * buffers_free - take back what buffers_alloc() gave.
	 * Called:  once, before close(), on the queue's thread.
	 * Units:   none.
	 * Lends:   nothing after it returns.
	 * Returns: nothing.
	 * Failure: cannot fail.
	 */
	void (*buffers_free)(struct fl_queue *q, void *buffers);

	/*
	 * buffers_ready - q->buffers and q->buffer_stride are final: register them if that helps.
	 * Called:  once, after the buffers are allocated and before the first prep().
	 * Units:   q->buffer_stride in bytes, q->depth buffers.
	 * Lends:   the buffers until buffers_free() or close().
	 * Returns: 0 or -errno (the job fails).
	 * Failure: leaves nothing.
	 * NULL:    nothing to register.
	 */
	int (*buffers_ready)(struct fl_queue *q);

	/*
	 * prep - make this request ready: map its range, translate it. Its time counts as slat.
	 * Called:  right before queue() of the same request, on the queue's thread, with no other
	 *          prep() between; not again when queue() answers -EAGAIN.
	 * Units:   req->offset and req->len in bytes.
	 * Lends:   req and req->buf until the request is handed back.
	 * Returns: 0, or -errno: the request failed with it and is the runner's again.
	 * Failure: as if the request had never been.
	 * NULL:    nothing to do (and the runner spares a clock read).
	 */
	int (*prep)(struct fl_queue *q, struct fl_req *req);

	/*
	 * queue - start a request that prep() accepted.
	 * Called:  on the queue's thread, with at most q->depth - 1 others in flight.
	 * Units:   req->res in bytes.
	 * Lends:   req and req->buf, until FL_DONE here or until complete() returns req.
	 * Returns: FL_DONE with req->res set (bytes, or -errno of this one I/O; -EINTR: a signal
	 *          cut it off before it had done anything, and it comes again, by prep()),
	 *          FL_PENDING, -EAGAIN (full: commit, reap some and come again; req untouched;
	 *          never said when nothing is in flight), other -errno (the queue is dead and the
	 *          job ends).
	 * Failure: the request is the runner's.
	 */
	int (*queue)(struct fl_queue *q, struct fl_req *req);

	/*
	 * commit - tell the kernel about all that queue() took and has not told it yet.
	 * Called:  after a batch of queue(), before complete(). Never on an FL_QUEUE_SYNC queue.
	 * Units:   requests.
	 * Lends:   nothing new.
	 * Returns: how many requests it told about, in the order of queue() (fewer than all: the
	 *          runner reaps and calls again); or -errno (the queue is dead).
	 * Failure: requests not told about come back by complete() with -ECANCELED, or not at all.
	 * NULL:    queue() has told it already.
	 */
	int (*commit)(struct fl_queue *q);

	/*
	 * complete - hand back finished requests.
	 * Called:  on the queue's thread. Never on an FL_QUEUE_SYNC queue.
	 * Units:   timeout_ns: wait at most so long for the min; 0: don't wait; below 0: no limit.
	 * Lends:   done, room for max pointers, for the call. Each request put there is the
	 *          runner's again.
	 * Returns: how many were put into done, at most max; fewer than min only after the timeout
	 *          or a signal; or -errno (the queue is dead).
	 * Failure: what is in flight is lost to the runner, which closes the queue.
	 * NULL:    host->take(), for engines whose library calls host->post().
	 */
	int (*complete)(struct fl_queue *q, uint32_t min, uint32_t max, int64_t timeout_ns,
			struct fl_req **done);

	/*
	 * cancel - try to bring a request in flight to an early end.
	 * Called:  on the queue's thread, when a job must stop and its device does not answer.
	 * Units:   none.
	 * Lends:   nothing new; req still comes back by complete(), with -ECANCELED or its real
	 *          result.
	 * Returns: 0 (it will come soon), -errno (it cannot be hurried).
	 * Failure: the request stays in flight.
	 * NULL:    nothing can be hurried.
	 */
	int (*cancel)(struct fl_queue *q, struct fl_req *req);

	/*
	 * counters - bring q->counters up to date, where they are not kept so as the engine goes.
	 * Called:  on the queue's thread, when counting begins (what is there then is subtracted
	 *          from sums) and before close().
	 * Units:   as the rows say.
	 * Lends:   nothing.
	 * Returns: nothing.
	 * Failure: cannot fail; values only ever grow.
	 * NULL:    q->counters is always up to date.
	 */
	void (*counters)(struct fl_queue *q);
	/* append only: a new hook goes below this line, and FL_ABI_MINOR up by one */
};

/* The first two members, for `static const struct fl_engine mine = { FL_ENGINE_HEAD, ... }`. */
#define FL_ENGINE_HEAD		.abi_major = FL_ABI_MAJOR, .size = sizeof(struct fl_engine)
/* Rows of options and the struct they fill; rows of counters. */
#define FL_ENGINE_OPTS(conf, rows) \
	.conf_size = sizeof(conf), .opts = (rows), \
	.nr_opts = sizeof(rows) / sizeof((rows)[0]), .opt_size = sizeof((rows)[0])
#define FL_ENGINE_COUNTERS(rows) \
	.counter_rows = (rows), .nr_counters = sizeof(rows) / sizeof((rows)[0]), \
	.counter_size = sizeof((rows)[0])

/*
 * Smallest table that is accepted: it reaches as far as queue(), the last hook that every engine
 * has. Frozen: a new member never moves it.
 */
#define FL_ENGINE_SIZE_MIN \
	(offsetof(struct fl_engine, queue) + sizeof(((struct fl_engine *)0)->queue))

/*
 * FL_ENGINE_EXPORT(&one, &two) - the one symbol a plugin exports: its engines, ended by NULL. In an
 * engine that is compiled into the runner the build names the symbol (FL_BUILTIN).
 */
#ifdef FL_BUILTIN
#define FL_EXPORT_JOIN_(a, b)	a##b
#define FL_EXPORT_NAME_(name)	FL_EXPORT_JOIN_(fl_builtin_, name)
#define FL_EXPORT_SYMBOL	FL_EXPORT_NAME_(FL_BUILTIN)
#define FL_EXPORT_VISIBLE
#else
#define FL_EXPORT_SYMBOL	fl_engines
#define FL_EXPORT_VISIBLE	__attribute__((visibility("default")))
#endif
#ifdef __cplusplus
#define FL_EXPORT_C		extern "C"
#else
#define FL_EXPORT_C		extern
#endif
#define FL_ENGINE_EXPORT(...)								\
	FL_EXPORT_C FL_EXPORT_VISIBLE const struct fl_engine *const FL_EXPORT_SYMBOL[];	\
	const struct fl_engine *const FL_EXPORT_SYMBOL[] = { __VA_ARGS__, NULL }

#ifdef __cplusplus
}
#endif
#endif
