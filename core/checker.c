/* SPDX-License-Identifier: MIT */
#include "core/checker.h"
#include "core/verify_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int checker_init(struct checker *c, const struct checker_setup *s, char *why, size_t why_bytes)
{
	const struct verify_conf *conf = s->conf;
	int err;

	*c = (struct checker){
		.s = *s,
		.any_key = conf->reads || !conf->header_seed,
		.any_number = conf->reads || !conf->write_sequence,
	};
	c->scratch = malloc(conf->unit);
	if (!c->scratch) {
		snprintf(why, why_bytes, "no memory for a block to compare with");
		return -ENOMEM;
	}
	if (!conf->kind.sum)
		return 0;
	err = checksum_open(&c->sum, conf->kind.sum);
	if (err)
		snprintf(why, why_bytes, err == -ENOTSUP ?
			 "verify=%s: libcrypto refuses it on this machine; use another checksum" :
			 "verify=%s: no memory", conf->kind.sum->name);
	return err;
}

void checker_free(struct checker *c)
{
	if (c->sum.kind)
		checksum_close(&c->sum);
	free(c->scratch);
	*c = (struct checker){ 0 };
}

bool checker_size(const struct verify_conf *c, struct vblock *b, uint64_t left)
{
	b->bytes = (uint32_t)fl_min((uint64_t)c->unit, left);
	return b->bytes == c->unit || b->bytes >= verify_least(c);
}

/* ---- One block ------------------------------------------------------------------------------- */

/* The sentence about a wrong block; and its images, where they are wanted. */
static void tell(struct checker *c, const struct vblock *b, const void *buf, uint32_t file,
		 const struct vblock_id *id, enum vblock_wrong wrong)
{
	char name[FILES_NAME_BYTES], cause[160];
	struct vblock_diagnosis d;

	vblock_diagnose(b, &c->sum, buf, id, c->scratch, &d);
	files_name(c->s.files, file, name);
	snprintf(c->why, sizeof(c->why), "verify: file %s, offset %" PRIu64 ", length %u: %s; "
		 "first wrong byte %u (0x%02x, not 0x%02x); %s", name, id->offset, b->bytes,
		 vblock_wrong_text(wrong), d.first, d.found, d.expected,
		 vblock_tell(&d, id, cause, sizeof(cause)));
	if (c->s.conf->dump)
		verify_dump(name, id->offset, buf, c->scratch, b->bytes);
}

/* Returns whether the block is wrong; want_text: say why. */
static bool check_write(struct checker *c, const struct vblock *b, const void *block,
			const struct checker_read *r, const struct vblock_id *id, uint32_t mark,
			bool want_text)
{
	enum vblock_wrong wrong = vblock_check(b, &c->sum, block, id, c->any_key);

	if (likely(!wrong) || (mark & MARK_UNSURE && vblock_newer(b, block, id, c->any_key)))
		return false;
	if (want_text)
		tell(c, b, block, r->file, id, wrong);
	return true;
}

/* ---- What was trimmed ------------------------------------------------------------------------ */

static size_t first_other_than_zero(const char *buf, size_t bytes)
{
	size_t at = 0;

	if (!bytes || (!buf[0] && !memcmp(buf, buf + 1, bytes - 1)))
		return bytes;
	while (!buf[at])
		at++;
	return at;
}

static bool check_trim(struct checker *c, const struct vblock *b, const char *block,
		       const struct checker_read *r, uint64_t offset, bool want_text)
{
	size_t first = first_other_than_zero(block, b->bytes);
	char name[FILES_NAME_BYTES], cause[80] = "noise: nothing of it was written by this job";
	struct vblock_id found;
	uint64_t key;

	if (first == b->bytes)
		return false;
	if (!want_text)
		return true;
	if (vblock_header_id(b, block, &found, &key) && key == b->key)
		snprintf(cause, sizeof(cause), "%s: the block of offset %" PRIu64 " as write %"
			 PRIu64 " left it", found.offset == offset ? "stale" : "misplaced",
			 found.offset, found.number);
	files_name(c->s.files, r->file, name);
	snprintf(c->why, sizeof(c->why), "verify: file %s, offset %" PRIu64 ", length %u: the "
		 "block was trimmed, and it does not read as zeroes; first wrong byte %zu (0x%02x, "
		 "not 0x00); %s", name, offset, b->bytes, first, (uint8_t)block[first], cause);
	if (c->s.conf->dump) {
		memset(c->scratch, 0, b->bytes);
		verify_dump(name, offset, block, c->scratch, b->bytes);
	}
	return true;
}

/* ---- One read -------------------------------------------------------------------------------- */

int checker_check(struct checker *c, const struct checker_read *r)
{
	const struct verify_conf *conf = c->s.conf;
	struct vblock b = verify_block(conf, c->s.seed, c->s.job, r->file);
	const uint32_t *mark = r->marks;
	bool wrong;

	c->blocks = c->wrong = 0;
	if (conf->kind.mode == VERIFY_NULL)
		return 0;
	for (uint64_t at = 0; at < r->len; at += conf->unit) {
		struct vblock_id id = { .offset = r->offset + at };
		const char *block = (const char *)r->buf + at;
		uint32_t m = mark ? *mark++ : 0;

		if (!checker_size(conf, &b, r->len - at) || (r->marks && !(m & MARK_NUMBER)))
			continue;	/* nobody knows */
		c->blocks++;
		if (!c->any_number)
			id.number = mark_number(m, r->last);
		if (unlikely(mark_is_trim(m)))
			wrong = check_trim(c, &b, block, r, id.offset, !c->wrong);
		else
			wrong = check_write(c, &b, block, r, &id, m, !c->wrong);
		c->wrong += wrong;
	}
	return c->wrong ? -EILSEQ : 0;
}
