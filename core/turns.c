/* SPDX-License-Identifier: MIT */
/* Choosing files. */
#include "core/turns.h"
#include "lib/dist_parse.h"
#include "lib/nearest.h"
#include "lib/units.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct fl_opt_value kinds[] = {
	{ "roundrobin", TURNS_ROUND_ROBIN, "one after the other, roundrobin:N gives each N I/Os" },
	{ "random", TURNS_RANDOM, "drawn at random, each equally likely; random:N likewise" },
	{ "sequential", TURNS_SEQUENTIAL, "a file is finished before the next is begun" },
	{ "zipf", TURNS_DIST, "some files far more often than others; zipf:THETA[:N]" },
	{ "pareto", TURNS_DIST, "the same after another law; pareto:H[:N]" },
	{ "normal", TURNS_DIST, "those in the middle most often; normal:DEVIATION[:N]" },
	{ "gauss", TURNS_DIST, "normal" },
	{ NULL, 0, NULL },
};

static const char *kind_name(void *ctx, size_t i)
{
	(void)ctx;
	return kinds[i].name;
}

static int refuse(const char *text, char *why, size_t why_bytes)
{
	const char *near = nearest_name(text, kind_name, ARRAY_SIZE(kinds) - 1, NULL);

	snprintf(why, why_bytes, "file_service_type=%s: it must be one of roundrobin, random, "
		 "sequential, zipf, pareto, normal%s%s%s", parse_show(span_of(text)).text,
		 near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
	return -EINVAL;
}

/* The number of I/Os per turn, behind the last colon. */
static int parse_run(struct turns_conf *c, const char *text, const char *number, char *why,
		     size_t why_bytes)
{
	struct parse_err err;

	if (!units_uint(span_of(number), 1024, 1, UINT32_MAX, &c->run, NULL, &err))
		return 0;
	snprintf(why, why_bytes, "file_service_type=%s: the number of I/Os per turn: %s",
		 parse_show(span_of(text)).text, err.text);
	return -EINVAL;
}

/* zipf:1.2 and its like: the words of random_distribution, over files in their order. */
static int parse_dist(struct turns_conf *c, const char *whole, char *why, size_t why_bytes)
{
	const char *second = strchr(whole, ':');
	struct dist_confs confs;
	struct parse_err err;
	char as_dist[80], text[64];

	second = second ? strchr(second + 1, ':') : NULL;
	if (second && parse_run(c, whole, second + 1, why, why_bytes))
		return -EINVAL;
	snprintf(text, sizeof(text), "%.*s", second ? (int)(second - whole) : 63, whole);

	snprintf(as_dist, sizeof(as_dist), "%s%s", strncmp(text, "gauss", 5) ? "" : "normal",
		 strncmp(text, "gauss", 5) ? text : text + 5);
	if (strlen(text) > 40 || dist_parse(span_of(as_dist), 1024, &confs, &err)) {
		snprintf(why, why_bytes, "file_service_type=%s: %s", parse_show(span_of(text)).text,
			 strlen(text) > 40 ? "too long" : err.text);
		return -EINVAL;
	}
	c->dist = confs.dir[0];
	c->dist.in_order = true;
	return 0;
}

static int parse_turns(void *member, const char *text, char *why, size_t why_bytes)
{
	struct turns_conf c = { .run = 1 };
	size_t len = strcspn(text, ":");
	const struct fl_opt_value *v = kinds;
	char word[32];
	int err = 0;

	snprintf(word, sizeof(word), "%.*s", (int)len, text);
	while (v->name && strcmp(v->name, word))
		v++;
	if (!v->name)
		return refuse(text, why, why_bytes);
	c.kind = (uint32_t)v->value;
	if (c.kind == TURNS_DIST)
		err = parse_dist(&c, text, why, why_bytes);
	else if (text[len] == ':')
		err = parse_run(&c, text, text + len + 1, why, why_bytes);
	if (!err)
		*(struct turns_conf *)member = c;
	return err;
}

static const struct fl_opt rows[] = {
	{ .name = "file_service_type", .type = OPT_CUSTOM, .parse = parse_turns, .values = kinds,
	  .def = "roundrobin", .unit = "kind, or kind:number",
	  .help = "which of several files has the next I/O" },
};

const struct opt_table turns_options = OPT_TABLE("Choice of files", rows, 0);

int turns_init(struct turns *t, const struct turns_conf *conf, uint32_t nr, uint64_t seed,
	       uint64_t stream)
{
	memset(t, 0, sizeof(*t));
	t->conf = conf;
	t->nr = nr;
	rand_seed(&t->rand, seed, stream);
	if (nr == 1)
		return 0;
	t->done = blockmap_new(nr);
	if (!t->done)
		return -ENOMEM;
	return conf->kind == TURNS_DIST ? dist_init(&t->dist, &conf->dist, nr, 1, &t->rand) : 0;
}

void turns_free(struct turns *t)
{
	blockmap_free(t->done);
	dist_free(&t->dist);
	t->done = NULL;
}

void turns_pass(struct turns *t)
{
	if (t->done)
		blockmap_reset(t->done);
	t->left = t->nr;
	t->file = t->nr - 1;		/* the first turn is that of file 0 */
	t->run_left = 0;
}

void turns_done(struct turns *t, uint32_t file)
{
	if (t->done)
		blockmap_set_range(t->done, file, 1);
	t->left--;
	t->run_left = 0;
}

bool turns_next(struct turns *t, uint32_t *file)
{
	uint64_t from;

	if (!t->left)
		return false;
	*file = 0;
	if (!t->done)
		return true;
	if (t->run_left) {
		t->run_left--;
		*file = t->file;
		return true;
	}
	switch (t->conf->kind) {
	case TURNS_RANDOM:
		from = rand_below(&t->rand, t->nr);
		break;
	case TURNS_DIST:
		from = dist_draw(&t->dist, &t->rand);
		break;
	default:
		from = t->file + 1 == t->nr ? 0 : t->file + 1;
	}
	/* A file that is done passes its turn on to the next that is not. */
	t->file = (uint32_t)blockmap_next_free(t->done, from);
	t->run_left = t->conf->kind == TURNS_SEQUENTIAL ? UINT64_MAX : t->conf->run - 1;
	*file = t->file;
	return true;
}
