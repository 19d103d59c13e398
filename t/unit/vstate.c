/* SPDX-License-Identifier: MIT */
/* States of verify: what is written is read again, the last whole record counts, damage is seen. */
#include "t/test.h"

#include "lib/vstate.h"

static uint64_t inflight[] = { 40, 42, 7000000000 };
static struct vstate_promise promised[] = { { 0, 39 }, { 7, 41 } };

static struct vstate example(uint64_t issued)
{
	return (struct vstate){
		.name = "a job\nof mine", .job = 3, .seed = UINT64_MAX, .unit = 4096, .issued = issued,
		.inflight = inflight, .nr_inflight = 3, .promised = promised, .nr_promised = 2,
	};
}

static void check_is(const struct vstate *s, uint64_t issued)
{
	T_STR(s->name, "a job?of mine");
	T_EQ(s->job, 3);
	T_EQ(s->seed, UINT64_MAX);
	T_EQ(s->unit, 4096);
	T_EQ(s->issued, issued);
	T_EQ(s->nr_inflight, 3);
	for (uint64_t n = 39; n < 45; n++)
		T_EQ(vstate_in_flight(s, n), n == 40 || n == 42);
	T_TRUE(vstate_in_flight(s, 7000000000));
	T_EQ(vstate_promised(s, 0), 39);
	T_EQ(vstate_promised(s, 1), 0);
	T_EQ(vstate_promised(s, 7), 41);
	T_EQ(vstate_promised(s, 8), 0);
}

TEST(written_is_read)
{
	struct strbuf text = STRBUF_INIT;
	struct vstate s = example(50), read;
	struct parse_err err;
	size_t whole;

	vstate_write(&s, &text);
	T_EQ(vstate_read(span_of(strbuf_str(&text)), &read, &err), 0);
	check_is(&read, 50);
	vstate_free(&read);
	whole = text.len;
	/* a console: noise in between, and a last record that was cut off */
	strbuf_puts(&text, "[ 1.234] virtio: noise\n");
	s.issued = 60;
	vstate_write(&s, &text);
	s.issued = 70;
	vstate_write(&s, &text);
	for (size_t cut = text.len; cut > whole; cut--) {
		struct span part = { text.text, cut - 1 };
		bool second = cut - 1 >= text.len - (whole - 0) - 1;

		T_EQ(vstate_read(part, &read, &err), 0);
		T_TRUE(read.issued == 50 || read.issued == 60 || read.issued == 70);
		if (second)
			T_TRUE(read.issued >= 60);
		vstate_free(&read);
	}
	strbuf_free(&text);
}

TEST(damage_is_seen)
{
	struct strbuf text = STRBUF_INIT;
	struct vstate s = example(50), read;
	struct parse_err err;

	vstate_write(&s, &text);
	for (size_t i = 0; i < text.len; i++) {
		text.text[i] ^= 1;
		T_EQ(vstate_read(span_of(text.text), &read, &err), -EINVAL);
		text.text[i] ^= 1;
	}
	T_EQ(vstate_read(span_of(""), &read, &err), -EINVAL);
	T_EQ(vstate_read(span_of("hello\n"), &read, &err), -EINVAL);
	T_TRUE(strstr(err.text, "no verify state") != NULL);
	strbuf_free(&text);
}
