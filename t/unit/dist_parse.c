/* SPDX-License-Identifier: MIT */
/* Distributions as they stand in job files: what each text means, what a bad one is told. */
#include "t/test.h"

#include "lib/dist_parse.h"

static struct dist_confs confs;
static struct parse_err err;

static const struct dist_conf *parse(const char *text)
{
	dist_confs_free(&confs);
	err = (struct parse_err){ "", -1 };
	if (dist_parse(span_of(text), 1024, &confs, &err))
		T_FAIL("'%s': %s", text, err.text);
	return &confs.dir[0];
}

static void shape_is(const char *text, enum dist_kind kind, double param, double center)
{
	const struct dist_conf *c = parse(text);

	T_EQ(c->kind, kind);
	T_NEAR(c->param, param, 1e-12);
	T_NEAR(c->center, center, 1e-12);
	T_TRUE(!confs.per_dir);
}

/* Refused, with these words about the character at col. */
static void refused(const char *text, int col, const char *words)
{
	dist_confs_free(&confs);
	err = (struct parse_err){ "", -1 };
	if (dist_parse(span_of(text), 1024, &confs, &err) != -EINVAL)
		T_FAIL("'%s' is accepted", text);
	if (err.col != col || !strstr(err.text, words))
		T_FAIL("'%s': '%s' at %d", text, err.text, err.col);
	T_TRUE(!confs.dir[0].zones && !confs.dir[0].sequence);
	T_EQ(dist_parse(span_of(text), 1024, &confs, NULL), -EINVAL);
}

TEST(shapes)
{
	shape_is("random", DIST_UNIFORM, 0, -1);
	shape_is("zipf", DIST_ZIPF, 1.1, -1);
	shape_is("zipf:1.2", DIST_ZIPF, 1.2, -1);
	shape_is(" zipf:1.2:0.25 ", DIST_ZIPF, 1.2, 0.25);
	shape_is("zipf:1", DIST_ZIPF, 1, -1);
	shape_is("zipf:0", DIST_ZIPF, 0, -1);
	shape_is("pareto", DIST_PARETO, 0.2, -1);
	shape_is("pareto:0.9:1", DIST_PARETO, 0.9, 1);
	shape_is("normal", DIST_NORMAL, DIST_NORMAL_DEV, -1);
	shape_is("normal:0", DIST_NORMAL, DIST_NORMAL_DEV, -1);
	shape_is("normal:5:0", DIST_NORMAL, 5, 0);
	dist_confs_free(&confs);
}

TEST(zones)
{
	static const double want[][2] = { { 60, 10 }, { 30, 20 }, { 8, 30 }, { 2, 40 } };
	const struct dist_conf *c = parse("zoned:60/10:30/20:8/30:2/40");

	T_EQ(c->kind, DIST_ZONED);
	T_EQ(c->count, 4);
	for (int i = 0; i < 4; i++) {
		T_NEAR(c->zones[i].share, want[i][0], 1e-12);
		T_NEAR(c->zones[i].size_percent, want[i][1], 1e-12);
	}
	c = parse("zoned:60/10:30/:10");
	T_NEAR(c->zones[1].size_percent, 45, 1e-9);
	T_NEAR(c->zones[2].size_percent, 45, 1e-9);
	c = parse("zoned:33.3%/50%:66.7/50");
	T_NEAR(c->zones[1].share, 66.7, 1e-12);
	c = parse("zoned_abs:60/20G:30/100g:10/500G");
	T_EQ(c->kind, DIST_ZONED_ABS);
	T_EQ(c->zones[2].size_bytes, 500ull << 30);
	dist_confs_free(&confs);
}

TEST(directions)
{
	parse("zoned:50/10:50/90,10/50:90/50");
	T_TRUE(confs.per_dir);
	T_NEAR(confs.dir[0].zones[0].size_percent, 10, 1e-12);
	for (int i = 1; i < 3; i++) {
		T_EQ(confs.dir[i].kind, DIST_ZONED);
		T_EQ(confs.dir[i].count, 2);
		T_NEAR(confs.dir[i].zones[1].share, 90, 1e-12);
	}
	T_TRUE(confs.dir[1].zones != confs.dir[2].zones);
	parse("zoned:100/10,zoned_abs:100/1m,random");
	T_EQ(confs.dir[1].kind, DIST_ZONED_ABS);
	T_EQ(confs.dir[2].kind, DIST_UNIFORM);
	parse("zipf:1.2,pareto:0.3");
	T_EQ(confs.dir[0].kind, DIST_ZIPF);
	T_EQ(confs.dir[2].kind, DIST_PARETO);
	T_NEAR(confs.dir[2].param, 0.3, 1e-12);
	dist_confs_free(&confs);
}

TEST(sequences)
{
	const struct dist_conf *c = parse("sequence:3, 0,1k");

	T_EQ(c->kind, DIST_SEQUENCE);
	T_EQ(c->count, 3);
	T_EQ(c->sequence[0], 3);
	T_EQ(c->sequence[1], 0);
	T_EQ(c->sequence[2], 1024);
	T_TRUE(!confs.per_dir);
	dist_confs_free(&confs);
}

TEST(bad_shapes)
{
	refused("", 0, "'' is no distribution, expected random, zipf");
	refused("foo:1", 0, "'foo' is no distribution");
	refused("random:5", 7, "'5' stands behind random");
	refused("zipf:", 5, "zipf theta");
	refused("zipf:abc", 5, "abc");
	refused("zipf:-1", 5, "zipf theta");
	refused("zipf:101", 5, "100");
	refused("zipf:1.2:1.5", 9, "center");
	refused("zipf:1.2:0.5:3", 13, "'3' is one value too many");
	refused("zipf:1.2,1.3", 9, "'1.3' is no distribution");
	refused("pareto:0", 7, "pareto h is '0', expected more than 0 and less than 1");
	refused("pareto:1", 7, "pareto h is '1'");
	refused("pareto:1.5", 7, "pareto h");
	refused("normal:100", 7, "normal deviation is '100'");
	refused("normal:-1", 7, "normal deviation");
	refused("normal:1e-9", 7, "normal deviation is '1e-9'");
	refused("random,random,random,zipf", 21, "'zipf' is a fourth distribution");
	dist_confs_free(&confs);
}

TEST(bad_lists)
{
	refused("zoned", 0, "'zoned' lacks its list, expected zoned:SHARE/PERCENT");
	refused("zoned:", 6, "share of a zone");
	refused("zoned:50/50:60/50", 6, "add up to 110, expected 100");
	refused("zoned:50/50", 6, "add up to 50, expected 100");
	refused("zoned:50/60:50/50", 6, "add up to 110 percent, expected at most 100");
	refused("zoned:50/100:50/", 6, "nothing is left for a zone without size");
	refused("zoned:50/0:50/50", 6, "a zone of size 0 has a share");
	refused("zoned:/10:/90", 6, "share of a zone");
	refused("zoned:50/10/3:50/90", 12, "'3' is one value too many");
	refused("zoned:50/10:50/90,10/50", 18, "add up to 10,");
	refused("zoned_abs:60/1m:40/", 19, "no size");
	refused("zoned_abs:60/1m:40/0", 19, "a zone of size 0");
	refused("zoned_abs:60/1x:40/1m", 14, "size of a zone in bytes");
	refused("sequence", 0, "'sequence' lacks its list");
	refused("sequence:1,,2", 11, "block of the sequence");
	refused("sequence:1,-2", 11, "block of the sequence");
	refused("zipf,sequence:1", 5, "a sequence is for all directions");
	dist_confs_free(&confs);
}

TEST(long_lists_have_their_limits)
{
	static char text[DIST_SEQUENCE_MAX * 2 + 64];
	char *at = text + sprintf(text, "zoned:100/1");

	for (int i = 1; i < DIST_ZONES_MAX; i++)
		at += sprintf(at, ":0/0");
	T_EQ(parse(text)->count, DIST_ZONES_MAX);
	strcpy(at, ":0/0");
	refused(text, (int)(at - text) + 1, "more than 256 zones");
	at = text + sprintf(text, "sequence:1");
	for (int i = 1; i < DIST_SEQUENCE_MAX; i++)
		at += sprintf(at, ",1");
	T_EQ(parse(text)->count, DIST_SEQUENCE_MAX);
	strcpy(at, ",1");
	refused(text, (int)(at - text) + 1, "more than 65536 blocks");
	dist_confs_free(&confs);
}
