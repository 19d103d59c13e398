/* SPDX-License-Identifier: MIT */
/*
 * The general case of choosing the next I/O: several files, mixed directions, varying block sizes,
 * syncs in between. The simple case is inline in the header.
 */
#include "core/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a sequential pass begins: at the end if it goes backwards. */
static uint64_t first_pos(const struct workload *w, const struct workload_file *f)
{
	uint64_t back = w->conf->rw.step < 0 ? (uint64_t)-w->conf->rw.step : 0;

	return back > w->block_min && f->bytes >= back ? f->bytes - back : 0;
}

static uint64_t order_key(const struct workload *w, uint64_t i)
{
	return rand_mix64(w->key + i + (w->pass << 32));
}

static void start_each(const struct workload *w, struct workload_file *f, uint32_t index)
{
	for (uint32_t d = 0; d < DIRS; d++) {
		f->each[d].drawn = 0;
		if (f->each[d].perm.n && w->pass)
			permute_rekey(&f->each[d].perm, order_key(w, index * DIRS + d));
	}
}

static void start_files(struct workload *w)
{
	for (uint32_t i = 0; i < w->nr_files; i++) {
		struct workload_file *f = &w->files[i];

		for (int d = 0; d < DIRS; d++)
			f->pos[d] = first_pos(w, f);
		f->drawn = 0;
		f->run_end = 0;
		f->done = f->blocks == 0;
		if (f->map)
			blockmap_reset(f->map);
		else if (f->each)
			start_each(w, f, i);
		else if (f->perm.n && w->pass)
			permute_rekey(&f->perm, order_key(w, i));
	}
}

static int set_up_each(struct workload *w, struct workload_file *f, uint32_t index)
{
	int err = 0;

	f->each = calloc(DIRS, sizeof(*f->each));
	if (!f->each)
		return -ENOMEM;
	for (uint32_t d = 0; !err && d < DIRS; d++) {
		f->each[d].blocks = f->bytes / w->block[d].lo;
		if (!w->conf->norandommap && f->each[d].blocks)
			err = permute_init(&f->each[d].perm, f->each[d].blocks,
					   order_key(w, index * DIRS + d));
	}
	return err;
}

static int set_up_order(struct workload *w, struct workload_file *f, uint32_t index)
{
	if (!w->random || !f->blocks)
		return 0;
	if (w->fixed_each)
		return set_up_each(w, f, index);
	if (w->conf->norandommap)
		return 0;
	if (w->fixed)
		return permute_init(&f->perm, f->blocks, order_key(w, index));
	f->map = blockmap_new(f->blocks);
	return f->map ? 0 : -ENOMEM;
}

static void decide_once(struct workload *w)
{
	const struct workload_conf *c = w->conf;
	uint32_t dirs = c->rw.bits & RW_DIRS;

	w->random = c->rw.bits & RW_RANDOM;
	w->block_min = workload_block_min(c);
	w->fixed = w->block_min == workload_block_max(c);
	w->fixed_each = !w->fixed;
	for (int d = 0; d < DIRS; d++) {
		w->block[d] = workload_block_range(c, d);
		if (dirs & 1u << d && w->block[d].lo != w->block[d].hi)
			w->fixed_each = false;
	}
	w->run = w->random && c->rw.run > 1 ? c->rw.run : 1;
	w->one_dir = (uint32_t)__builtin_ctz(dirs | 1u << DIRS);
	w->simple = w->nr_files == 1 && w->fixed && !(dirs & (dirs - 1)) && !c->rw.step &&
		    w->run == 1 && !c->fsync_every && !c->fdatasync_every;
	w->ios_limit = c->number_ios ? c->number_ios : UINT64_MAX;
	w->loops_left = c->loops ? c->loops : 1;
}

int workload_init(struct workload *w, const struct workload_conf *c, struct workload_file *files,
		  uint32_t nr_files, uint64_t total_limit, uint64_t seed, uint32_t job_number)
{
	uint64_t blocks = 0;
	int err;

	memset(w, 0, sizeof(*w));
	w->conf = c;
	w->files = files;
	w->nr_files = nr_files;
	w->total_limit = total_limit;
	decide_once(w);

	rand_seed(&w->rand_offset, seed, job_number * 4ull);
	rand_seed(&w->rand_mix, seed, job_number * 4ull + 1);
	rand_seed(&w->rand_size, seed, job_number * 4ull + 2);
	w->key = rand_mix64(seed + rand_mix64(job_number * 4ull + 3));

	for (uint32_t i = 0; i < nr_files; i++) {
		files[i].blocks = files[i].bytes / w->block_min;
		files[i].size = fl_max(files[i].size, files[i].start + files[i].bytes);
		blocks += files[i].blocks;
		w->total_bytes += files[i].bytes;
		err = set_up_order(w, &files[i], i);
		if (err)
			return err;
	}
	return blocks ? 0 : -EINVAL;
}

void workload_free(struct workload *w)
{
	for (uint32_t i = 0; i < w->nr_files; i++) {
		permute_free(&w->files[i].perm);
		blockmap_free(w->files[i].map);
		for (int d = 0; w->files[i].each && d < DIRS; d++)
			permute_free(&w->files[i].each[d].perm);
		free(w->files[i].each);
	}
	free(w->files);
	w->files = NULL;
	w->nr_files = 0;
}

/* What one loop is to issue: io_size where it is given, else as much as the files hold. */
static uint64_t loop_goal(const struct workload *w)
{
	return w->total_limit ? w->total_limit : w->total_bytes;
}

/*
 * Has this loop more to do? io_size, where it is more than the files hold, goes on until it is
 * reached. A pass that issued nothing ends it in any case.
 */
static bool loop_goes_on(const struct workload *w)
{
	if (!w->total_limit)
		return false;
	return w->pass_bytes && loop_goal(w) > w->loop_bytes &&
	       loop_goal(w) - w->loop_bytes >= w->block_min;
}

int workload_next_pass(struct workload *w, bool time_based)
{
	w->loop_bytes += w->pass_bytes;
	if (w->issued_ios >= w->ios_limit)
		return 0;
	if (time_based) {
		w->loop_bytes = 0;
	} else if (!loop_goes_on(w)) {
		if (!w->loops_left)
			return 0;
		w->loops_left--;
		w->loop_bytes = 0;
	}
	w->pass_limit = fl_min(w->total_bytes, loop_goal(w) - w->loop_bytes);
	w->pass_bytes = 0;
	w->files_done = 0;
	w->file = 0;
	w->run_left = 0;
	w->write_due = false;
	start_files(w);
	w->pass++;
	for (uint32_t i = 0; i < w->nr_files; i++)
		w->files_done += w->files[i].done;
	return 1;
}

static int choose_dir(struct workload *w)
{
	uint32_t dirs = w->conf->rw.bits & RW_DIRS;

	if (dirs != (RW_READ | RW_WRITE))
		return __builtin_ctz(dirs);
	return rand_below(&w->rand_mix, 100) < w->conf->mix_read ? DIR_READ : DIR_WRITE;
}

/* The file whose turn it is: round robin over those that still have blocks. */
static struct workload_file *choose_file(struct workload *w)
{
	while (w->files_done < w->nr_files) {
		struct workload_file *f = &w->files[w->file];

		if (!f->done)
			return f;
		w->file = w->file + 1 == w->nr_files ? 0 : w->file + 1;
	}
	return NULL;
}

/* A size for this direction: a multiple of its smallest block, at most room (which holds one). */
static uint64_t choose_len(struct workload *w, int dir, uint64_t room)
{
	struct range b = w->block[dir];
	uint64_t len = b.lo;

	if (b.lo == b.hi)
		return len;
	len = b.lo + rand_below(&w->rand_size, b.hi - b.lo + 1);
	len -= len % b.lo;
	if (len > room)
		len = room - room % b.lo;
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
	uint64_t at = f->pos[dir];

	if (at >= f->bytes || f->bytes - at < w->block[dir].lo)
		return false;
	io->len = choose_len(w, dir, f->bytes - at);
	io->offset = f->start + at;
	f->pos[dir] = next_pos(w, f, at + io->len);
	return true;
}

/* Where a random I/O starts. */
struct start {
	uint64_t at;			/* from the beginning of the job's part of the file */
	uint64_t block;			/* with a map: the same in smallest blocks */
};

static bool draw_each(struct workload *w, struct workload_order *o, uint64_t block_bytes,
		      struct start *s)
{
	if (o->drawn >= o->blocks)
		return false;
	if (o->perm.n)
		s->at = permute_at(&o->perm, o->drawn++) * block_bytes;
	else
		s->at = rand_below(&w->rand_offset, o->blocks) * block_bytes;
	return true;
}

/* Returns false when no block is left. */
static bool draw(struct workload *w, struct workload_file *f, int dir, struct start *s)
{
	if (f->each)
		return draw_each(w, &f->each[dir], w->block[dir].lo, s);
	if (f->map) {
		if (!blockmap_left(f->map))
			return false;
		s->block = blockmap_next_free(f->map, rand_below(&w->rand_offset, f->blocks));
	} else if (w->conf->norandommap) {
		s->block = rand_below(&w->rand_offset, f->blocks);
	} else {
		if (f->drawn >= f->blocks)
			return false;
		s->block = permute_at(&f->perm, f->drawn++);
	}
	s->at = s->block * w->block_min;
	return true;
}

/* A size for an I/O that has a map: it ends where it meets a used block, or the end of the file. */
static uint64_t choose_len_in_map(struct workload *w, struct workload_file *f, int dir,
				  const struct start *s)
{
	uint64_t room = f->bytes - s->at, len, got;

	len = room < w->block[dir].lo ? room : choose_len(w, dir, room);
	got = blockmap_set_range(f->map, s->block, len / w->block_min);
	return fl_max(got, 1) * w->block_min;
}

static bool take_random(struct workload *w, struct workload_file *f, int dir,
			struct workload_io *io)
{
	uint64_t least = w->block[dir].lo;
	struct start s = { 0 };

	if (w->run_left && f->run_end < f->bytes && f->bytes - f->run_end >= least) {
		w->run_left--;
		s.at = f->run_end;
		io->len = choose_len(w, dir, f->bytes - s.at);
	} else if (!draw(w, f, dir, &s)) {
		return false;
	} else {
		w->run_left = w->run - 1;
		if (f->map) {
			io->len = choose_len_in_map(w, f, dir, &s);
		} else {
			/* near the end, in a direction with larger blocks */
			if (f->bytes < least)
				return false;
			if (f->bytes - s.at < least)
				s.at = f->bytes - least;
			io->len = choose_len(w, dir, f->bytes - s.at);
		}
	}
	io->offset = f->start + s.at;
	f->run_end = s.at + io->len;
	return true;
}

static void note_write(struct workload *w, uint32_t file)
{
	const struct workload_conf *c = w->conf;

	w->writes++;
	if (c->fsync_every && w->writes % c->fsync_every == 0) {
		w->sync_op = FL_OP_SYNC;
		w->sync_due = true;
	} else if (c->fdatasync_every && w->writes % c->fdatasync_every == 0) {
		w->sync_op = FL_OP_DATASYNC;
		w->sync_due = true;
	}
	w->sync_file = file;
}

static void issued(struct workload *w, const struct workload_io *io)
{
	w->pass_bytes += io->len;
	w->issued_ios++;
	if (io->op == FL_OP_WRITE)
		note_write(w, io->file);
}

bool workload_general(struct workload *w, struct workload_io *io)
{
	int dir;

	if (w->pass_bytes >= w->pass_limit || w->issued_ios >= w->ios_limit)
		return false;
	if (w->sync_due) {
		w->sync_due = false;
		*io = (struct workload_io){ .op = w->sync_op, .file = w->sync_file };
		return true;
	}
	if (w->write_due) {
		w->write_due = false;
		*io = w->trimmed;
		io->op = FL_OP_WRITE;
		issued(w, io);
		return true;
	}
	dir = choose_dir(w);
	for (;;) {
		struct workload_file *f = choose_file(w);

		if (!f)
			return false;
		io->file = w->file;
		if (w->random ? take_random(w, f, dir, io) : take_sequential(w, f, dir, io))
			break;
		f->done = true;
		w->files_done++;
	}
	io->op = (uint32_t)dir;
	if (w->conf->rw.bits & RW_TRIM_WRITE) {
		io->op = FL_OP_TRIM;
		w->trimmed = *io;
		w->write_due = true;
	}
	if (!w->run_left)
		w->file = w->file + 1 == w->nr_files ? 0 : w->file + 1;
	issued(w, io);
	return true;
}
