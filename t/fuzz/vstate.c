/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the state of a verifying job: as they are, and as the lines of a record whose hash
 * is right, so that what lies behind the hash is reached too. What is read is written and read
 * again, and a record that was cut off or changed anywhere is none.
 */
#include "lib/rand.h"
#include "lib/vstate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define FIRST_LINE	"fio-like verify state 1\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The hash of lib/vstate.c, from its words in lib/vstate.h and not from its code. */
static uint64_t hash_of(const struct strbuf *text)
{
	uint64_t hash = text->len;

	for (size_t i = 0; i < text->len; i++)
		hash = rand_mix64(hash ^ (unsigned char)text->text[i]);
	return hash;
}

static void check_sorted(const struct vstate *s)
{
	fl_assert(s->unit);
	for (size_t i = 0; i < s->nr_inflight; i++) {
		fl_assert(!i || s->inflight[i] > s->inflight[i - 1]);
		fl_assert(vstate_in_flight(s, s->inflight[i]));
	}
	for (size_t i = 0; i < s->nr_promised; i++) {
		fl_assert(!i || s->promised[i].file > s->promised[i - 1].file);
		fl_assert(vstate_promised(s, s->promised[i].file) == s->promised[i].upto);
	}
}

static void check_again(const struct vstate *s, size_t where)
{
	struct strbuf text = STRBUF_INIT;
	struct parse_err err = { 0 };
	struct vstate again;

	vstate_write(s, &text);
	fl_assert(!vstate_read((struct span){ text.text, text.len }, &again, &err));
	fl_assert(again.job == s->job && again.seed == s->seed && again.unit == s->unit);
	fl_assert(again.issued == s->issued && again.nr_inflight == s->nr_inflight);
	fl_assert(again.nr_promised == s->nr_promised);
	vstate_free(&again);
	text.text[where % text.len] ^= 4;
	fl_assert(vstate_read((struct span){ text.text, text.len }, &again, &err) == -EINVAL);
	fl_assert(err.text[0]);
	strbuf_free(&text);
}

static void read_one(struct span text, size_t where)
{
	struct parse_err err = { 0 };
	struct vstate s;

	if (vstate_read(text, &s, &err)) {
		fl_assert(err.text[0]);
		return;
	}
	check_sorted(&s);
	check_again(&s, where);
	vstate_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span bytes = { (const char *)data, size };
	struct strbuf text = STRBUF_INIT;

	read_one(bytes, size);
	strbuf_puts(&text, FIRST_LINE);
	strbuf_append(&text, bytes.at, bytes.len);
	if (!size || bytes.at[size - 1] != '\n')
		strbuf_putc(&text, '\n');
	strbuf_printf(&text, "end %016" PRIx64 "\n", hash_of(&text));
	read_one((struct span){ text.text, text.len }, size);
	strbuf_free(&text);
	return 0;
}
