/* SPDX-License-Identifier: MIT */
/*
 * The general case of choosing the next I/O: several files, mixed directions, varying block sizes,
 * syncs in between. The simple case is inline in the header.
 */
#include "core/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Setting up ------------------------------------------------------------------------------ */

/* What the random order must know of the sizes. */
static struct order_need order_need(const struct workload_conf *c, uint64_t seed, uint64_t stream)
{
	uint32_t dirs = c->rw.bits & RW_DIRS;
	uint64_t least = workload_block_min(c);
	bool in_runs = c->rw.run > 1 && !c->identical;
	struct order_need need = { .seed = seed, .stream = stream };

	need.fixed = least == workload_block_max(c);
	need.fixed_each = true;
	need.often = c->zones.mode == ZONES_STRIDED;
	for (int d = 0; d < DIRS; d++) {
		struct range r = sizes_range(&c->sizes, d);
		uint64_t align = c->sizes.align.v[d];

		need.unit[d] = align ? align : least;
		if (!(dirs & 1u << d))
			continue;
		need.overlap |= align && align != r.lo;
		need.fixed_each &= r.lo == r.hi;
		/*
		 * I/Os that follow each other use blocks the order did not draw:
		 * they must be remembered.
		 */
		if (in_runs || c->order.percent.v[d] < 100)
			need.fixed = need.fixed_each = false;
	}
	for (int d = 0; d < DIRS; d++)
		if (need.fixed_each && !need.fixed && !need.overlap)
			need.unit[d] = sizes_range(&c->sizes, d).lo;
	return need;
}

/* How many bytes of a file one random order goes over. */
static uint64_t order_bytes(const struct workload_conf *c, uint64_t bytes)
{
	return c->zones.mode == ZONES_STRIDED ? fl_min(c->zones.range, bytes) : bytes;
}

uint64_t workload_map_bytes(const struct workload_conf *c, uint64_t bytes)
{
	struct order_need need = order_need(c, 0, 0);

	bytes = order_bytes(c, bytes);
	return c->rw.bits & RW_RANDOM ? order_map_bytes(&c->order, &need, bytes) : 0;
}

int workload_order_fits(const struct workload_conf *c, uint64_t bytes)
{
	struct order_need need = order_need(c, 0, 0);

	bytes = order_bytes(c, bytes);
	return c->rw.bits & RW_RANDOM ? order_fits(&c->order, &need, bytes) : 0;
}

/* softrandommap: is the map of all files together too large? The plan has asked the same. */
static bool does_without_map(const struct workload *w)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < w->nr_files && bytes <= ORDER_MAP_BYTES_MAX; i++)
		bytes += workload_map_bytes(w->conf, w->files[i].bytes);
	return w->conf->order.soft && bytes > ORDER_MAP_BYTES_MAX;
}

static void decide_once(struct workload *w)
{
	const struct workload_conf *c = w->conf;
	uint32_t dirs = c->rw.bits & RW_DIRS;

	w->random = c->rw.bits & RW_RANDOM;
	w->block_min = workload_block_min(c);
	w->fixed = w->block_min == workload_block_max(c);
	w->run = w->random && c->rw.run > 1 ? c->rw.run : 1;
	w->one_dir = (uint32_t)__builtin_ctz(dirs | 1u << DIRS);
	w->strided = c->zones.mode == ZONES_STRIDED;
	w->simple = w->nr_files == 1 && w->fixed && !(dirs & (dirs - 1)) && !c->rw.step &&
		    w->run == 1 && !w->strided && !c->fsync_every && !c->fdatasync_every &&
		    !c->range_sync.every;
	if (w->random)
		w->simple &= w->order.kind != ORDER_MAP &&
			     w->order.unit[w->one_dir] == w->block_min &&
			     c->order.percent.v[w->one_dir] >= 100;
	w->ios_limit = c->number_ios ? c->number_ios : UINT64_MAX;
	w->loops_left = c->loops ? c->loops : 1;
	w->dirs_open = RW_DIRS;
}

/* Where I/O begins in a file. Zones go on to its end, whatever part of it is the amount to do. */
static void begin_window(const struct workload *w, struct workload_file *f)
{
	if (w->strided)
		window_begin(&f->window, &w->conf->zones, f->size - f->start);
	else
		window_whole(&f->window, f->bytes);
}

int workload_init(struct workload *w, const struct workload_conf *c, struct workload_file *files,
		  uint32_t nr_files, uint64_t total_limit, uint64_t seed, uint32_t job_number)
{
	struct order_need need = order_need(c, seed, job_number * 8ull);
	bool fits = false;
	int err;

	memset(w, 0, sizeof(*w));
	w->conf = c;
	w->files = files;
	w->nr_files = nr_files;
	w->total_limit = total_limit;
	sizes_init(&w->sizes, &c->sizes);
	need.overlap |= does_without_map(w);
	order_init(&w->order, &c->order, &need);
	rand_seed(&w->rand_mix, seed, job_number * 8ull + 1);
	rand_seed(&w->rand_size, seed, job_number * 8ull + 2);
	err = turns_init(&w->turns, &c->turns, nr_files, seed, job_number * 8ull + 3);
	decide_once(w);
	for (uint32_t i = 0; !err && i < nr_files; i++) {
		struct workload_file *f = &files[i];

		f->size = fl_max(f->size, f->start + f->bytes);
		fits |= f->bytes >= w->block_min;
		begin_window(w, f);
		if (w->random)
			err = order_file_init(&w->order, &f->order, f->window.hi, i);
		w->total_bytes += order_amount(&w->order, &f->order, f->bytes);
	}
	return err ? err : fits ? 0 : -EINVAL;
}

void workload_free(struct workload *w)
{
	for (uint32_t i = 0; i < w->nr_files; i++)
		order_file_free(&w->files[i].order);
	order_free(&w->order);
	turns_free(&w->turns);
	free(w->files);
	w->files = NULL;
	w->nr_files = 0;
}

/* ---- Passes ---------------------------------------------------------------------------------- */

/* Where a sequential pass begins: at the end if it goes backwards. */
static uint64_t first_pos(const struct workload *w, const struct workload_file *f)
{
	uint64_t back = w->conf->rw.step < 0 ? (uint64_t)-w->conf->rw.step : 0;

	return back > w->block_min && f->bytes >= back ? f->bytes - back : 0;
}

static void start_files(struct workload *w)
{
	turns_pass(&w->turns);
	for (uint32_t i = 0; i < w->nr_files; i++) {
		struct workload_file *f = &w->files[i];

		begin_window(w, f);
		for (int d = 0; d < DIRS; d++)
			f->pos[d] = first_pos(w, f);
		f->run_end = 0;
		if (w->random)
			order_pass(&w->order, &f->order, i, w->orders);
		if (f->bytes < w->block_min)
			turns_done(&w->turns, i);
	}
}

uint64_t workload_limit(const struct workload_conf *c, uint64_t files_bytes, uint64_t zone_bytes)
{
	if (c->io_size.percent > 0)
		return (uint64_t)((double)files_bytes * c->io_size.percent / 100.0);
	if (c->io_size.zones)
		return c->io_size.zones * zone_bytes;
	if (c->io_size.bytes)
		return c->io_size.bytes;
	return c->part_bytes < files_bytes ? c->part_bytes : 0;
}

/* What one loop is to issue: io_size where it is given, else as much as the files hold. */
static uint64_t loop_goal(const struct workload *w)
{
	return w->total_limit ? w->total_limit : w->total_bytes;
}

/*
 * Has this loop more to do? io_size, where it is more than the files hold, goes on until it is
 * reached. A pass that issued nothing ends it in any case, but for one that found the files done.
 */
static bool loop_goes_on(const struct workload *w, uint64_t loop_bytes)
{
	if (!w->total_limit)
		return false;
	return (w->pass_bytes || w->went_on) && loop_goal(w) > loop_bytes &&
	       loop_goal(w) - loop_bytes >= w->block_min;
}

bool workload_loop_over(const struct workload *w)
{
	return w->issued_ios >= w->ios_limit ||
	       !loop_goes_on(w, w->loop_bytes + w->pass_bytes);
}

/* With size= beside filesize= an order goes on through the passes, until the files are done. */
static bool can_go_on(const struct workload *w)
{
	return w->conf->part_bytes && w->pass && w->pass_bytes >= w->pass_limit &&
	       w->order_bytes + w->block_min <= w->total_bytes;
}

int workload_next_pass(struct workload *w, bool time_based)
{
	w->loop_bytes += w->pass_bytes;
	w->order_bytes += w->pass_bytes;
	if (w->issued_ios >= w->ios_limit)
		return 0;
	if (time_based) {
		w->loop_bytes = 0;
	} else if (!loop_goes_on(w, w->loop_bytes)) {
		if (!w->loops_left)
			return 0;
		w->loops_left--;
		w->loop_bytes = 0;
	}
	w->went_on = can_go_on(w);
	if (!w->went_on) {
		w->order_bytes = 0;
		w->run_left = 0;
		w->write_due = false;
		start_files(w);
		w->orders++;
	}
	w->pass_limit = fl_min(w->total_bytes - w->order_bytes, loop_goal(w) - w->loop_bytes);
	w->pass_bytes = 0;
	w->pass++;
	return 1;
}

/* ---- One I/O --------------------------------------------------------------------------------- */

bool workload_chooses_dir(const struct workload *w)
{
	return (w->conf->rw.bits & RW_DIRS) == (RW_READ | RW_WRITE) && w->conf->mix_read &&
	       w->conf->mix_read < 100;
}

static int choose_dir(struct workload *w)
{
	uint32_t dirs = w->conf->rw.bits & RW_DIRS;
	int dir;

	if (dirs != (RW_READ | RW_WRITE))
		return w->conf->rw.bits & RW_TRIM_WRITE ? DIR_TRIM : __builtin_ctz(dirs);
	dir = rand_below(&w->rand_mix, 100) < w->conf->mix_read ? DIR_READ : DIR_WRITE;
	return w->dirs_open & 1u << dir ? dir : DIR_READ + DIR_WRITE - dir;
}

/* A size for this direction, at most room, which holds the smallest. */
static uint64_t choose_len(struct workload *w, int dir, uint64_t room)
{
	uint64_t lo = w->sizes.dir[dir].lo, len = sizes_draw(&w->sizes, dir, &w->rand_size);

	if (unlikely(len > room))
		len = w->sizes.dir[dir].step == 1 ? room : room - room % lo;
	return len;
}

/*
 * The next start after a block that ended at `end`. A step that leads to or beyond the end of the
 * file leads back to its beginning, so that a pass may meet blocks again; one that leads out of the
 * part of the file the job works on, or a block that ended with the file, ends the pass. These are
 * the rules that job files with steps were written for, and so is that the offset does not count.
 */
static uint64_t next_pos(const struct workload *w, const struct workload_file *f, uint64_t end)
{
	int64_t step = w->conf->rw.step;
	uint64_t back = (uint64_t)-step;

	if (!step)
		return end;
	if (step > 0 && end >= f->size)
		return UINT64_MAX;
	if (step > 0)
		return end + (uint64_t)step >= f->size ? 0 : end + (uint64_t)step;
	if (end >= back)
		return end - back;
	return f->bytes >= back ? f->bytes - back : UINT64_MAX;
}

static bool take_sequential(struct workload *w, struct workload_file *f, int dir,
			    struct workload_io *io)
{
	uint64_t at = f->pos[dir], end = f->window.end;

	/* The zone once more, if it is whole. A block may well reach beyond its end. */
	if (w->strided && (at < f->window.lo || at >= f->window.hi))
		at = window_is_cut(&f->window, &w->conf->zones) ? end : f->window.lo;
	if (at >= end || end - at < w->sizes.dir[dir].lo)
		return false;
	io->len = choose_len(w, dir, end - at);
	io->offset = f->start + at;
	f->pos[dir] = next_pos(w, f, at + io->len);
	return true;
}

/* With a map, an I/O ends where it meets a used block, or the end of the file. */
static uint64_t choose_len_in_map(struct workload *w, struct workload_file *f, int dir, uint64_t at)
{
	uint64_t unit = w->order.unit[0], room = f->window.hi - at, len = room, used;
	uint64_t block = (at - f->window.lo) / unit;

	if (room >= w->sizes.dir[dir].lo)
		len = choose_len(w, dir, room);
	used = order_use(&w->order, &f->order, block, (len + unit - 1) / unit);
	return fl_min(len, used * unit);
}

static uint64_t choose_random_len(struct workload *w, struct workload_file *f, int dir, uint64_t at)
{
	if (w->order.kind == ORDER_MAP)
		return choose_len_in_map(w, f, dir, at);
	return choose_len(w, dir, f->window.hi - at);
}

/*
 * The order goes over a whole zone. If it has come to its end, it begins again: the zone has not
 * had its share. Of one that the end of the file cuts short, only blocks that are there count.
 */
static uint64_t strided_block(struct workload *w, struct workload_file *f, int dir, uint64_t block)
{
	bool cut = window_is_cut(&f->window, &w->conf->zones);
	uint64_t there = (f->window.hi - f->window.lo) / w->order.unit[dir];

	if (block == ORDER_NONE && !cut) {
		order_pass(&w->order, &f->order, w->turns.file, w->orders++);
		return order_draw(&w->order, &f->order, dir);
	}
	if (!there)
		return ORDER_NONE;
	while (block != ORDER_NONE && block >= there) {
		if (w->order.kind == ORDER_FREE || w->order.kind == ORDER_DIST)
			return block % there;
		order_use(&w->order, &f->order, block, 1);
		block = order_draw(&w->order, &f->order, dir);
	}
	return block;
}

/* Where the size of an I/O that continues another comes from. */
static int size_of(const struct workload *w, int dir)
{
	return w->sizes.has_following ? SIZES_FOLLOWING : dir;
}

/*
 * An I/O that continues the one before, because of rw=rand*:N or percentage_random. False: it would
 * not fit, or the block is used.
 */
static bool continue_run(struct workload *w, struct workload_file *f, int dir, uint64_t *at)
{
	uint64_t block;

	if (w->conf->identical && w->run > 1) {
		*at = f->last;
		return true;
	}
	*at = f->run_end;
	if (*at < f->window.lo || *at >= f->window.hi ||
	    f->window.hi - *at < w->sizes.dir[size_of(w, dir)].lo)
		return false;
	block = (*at - f->window.lo) / w->order.unit[0];
	return w->order.kind != ORDER_MAP ||
	       !blockmap_test(f->order.map, fl_min(block, f->order.blocks[0] - 1));
}

/* The next block of the order, as a place in the window. False: there is none. */
static bool draw(struct workload *w, struct workload_file *f, int dir, uint64_t *at)
{
	uint64_t least = w->sizes.dir[dir].lo, room = f->window.hi - f->window.lo;
	uint64_t unit = w->order.unit[dir], block = order_draw(&w->order, &f->order, dir);

	if (w->strided)
		block = strided_block(w, f, dir, block);
	if (block == ORDER_NONE || room < least)
		return false;
	*at = block * unit;
	/* near the end, in a direction with larger blocks: the last aligned place */
	if (w->order.kind != ORDER_MAP && room - *at < least)
		*at = (room - least) / unit * unit;
	*at += f->window.lo;
	return true;
}

static bool take_random(struct workload *w, struct workload_file *f, int dir,
			struct workload_io *io)
{
	bool more = w->run_left > 0;
	uint64_t at = 0;
	int size;

	if (more)
		w->run_left--;
	if (more || !order_random_now(&w->order, dir))
		more = continue_run(w, f, dir, &at);
	if (!more) {
		if (!draw(w, f, dir, &at))
			return false;
		w->run_left = w->run - 1;
	}
	size = more ? size_of(w, dir) : dir;
	io->len = more && w->conf->identical && w->run > 1 ? f->run_end - f->last
							   : choose_random_len(w, f, size, at);
	io->offset = f->start + at;
	f->last = at;
	f->run_end = at + io->len;
	return true;
}

/* zonemode=strided: has the zone had its share? Then the next one is entered. */
static void turn_window(struct workload *w, struct workload_file *f, uint32_t file)
{
	if (!window_turn(&f->window, &w->conf->zones))
		return;
	for (int d = 0; d < DIRS; d++)
		f->pos[d] = f->window.lo;
	w->run_left = 0;
	if (w->random)
		order_pass(&w->order, &f->order, file, w->orders++);
}

/* ---- Syncs in between ------------------------------------------------------------------------ */

static bool due(uint64_t every, uint64_t writes)
{
	return every && writes % every == 0;
}

static void note_write(struct workload *w, const struct workload_io *io)
{
	const struct workload_conf *c = w->conf;
	struct workload_file *f = &w->files[io->file];

	w->writes++;
	w->sync_file = io->file;
	w->sync_due = true;
	if (c->range_sync.every) {
		f->written_lo = f->written_hi ? fl_min(f->written_lo, io->offset) : io->offset;
		f->written_hi = fl_max(f->written_hi, io->offset + io->len);
	}
	if (due(c->fsync_every, w->writes))
		w->sync_op = FL_OP_SYNC;
	else if (due(c->fdatasync_every, w->writes))
		w->sync_op = FL_OP_DATASYNC;
	else if (due(c->range_sync.every, w->writes))
		w->sync_op = FL_OP_SYNC_RANGE;
	else
		w->sync_due = false;
}

static void take_sync(struct workload *w, struct workload_io *io)
{
	struct workload_file *f = &w->files[w->sync_file];

	w->sync_due = false;
	*io = (struct workload_io){ .op = w->sync_op, .file = w->sync_file };
	if (io->op != FL_OP_SYNC_RANGE)
		return;
	io->offset = f->written_lo;
	io->len = f->written_hi - f->written_lo;
	io->arg = w->conf->range_sync.flags;
	f->written_lo = f->written_hi = 0;
}

static void issued(struct workload *w, const struct workload_io *io)
{
	w->pass_bytes += io->len;
	w->issued_ios++;
	if (io->op == FL_OP_WRITE)
		note_write(w, io);
}

bool workload_general(struct workload *w, struct workload_io *io)
{
	int dir;

	if (w->write_due) {	/* no trim is left without its write */
		w->write_due = false;
		*io = w->trimmed;
		io->op = FL_OP_WRITE;
		issued(w, io);
		return true;
	}
	if (w->pass_bytes >= w->pass_limit || w->issued_ios >= w->ios_limit)
		return false;
	if (w->sync_due) {
		take_sync(w, io);
		return true;
	}
	dir = choose_dir(w);
	for (;;) {
		struct workload_file *f;

		/* Within a run the file stays the same. */
		if (!w->run_left && !turns_next(&w->turns, &io->file))
			return false;
		if (w->run_left)
			io->file = w->turns.file;
		f = &w->files[io->file];
		if (w->strided)
			turn_window(w, f, io->file);
		if (w->random ? take_random(w, f, dir, io) : take_sequential(w, f, dir, io))
			break;
		w->run_left = 0;
		turns_done(&w->turns, io->file);
	}
	/* Here, where it is at hand: not by a turn in vain. */
	if (w->strided)
		w->files[io->file].window.moved += io->len;
	else if (order_is_done(&w->order, &w->files[io->file].order) && !w->run_left)
		turns_done(&w->turns, io->file);
	io->op = (uint32_t)dir;
	if (w->conf->rw.bits & RW_TRIM_WRITE) {
		w->trimmed = *io;
		w->write_due = true;
	}
	issued(w, io);
	return true;
}
