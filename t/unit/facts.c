/* SPDX-License-Identifier: MIT */
#include "t/test.h"

#include "lib/facts.h"
#include "lib/json.h"

static struct facts f;

static const char *as_json(unsigned int without)
{
	static char *text;
	struct json doc;
	size_t len;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &len);
	json_init(&doc, out);
	json_object(&doc, NULL);
	facts_json(&f, without, &doc);
	json_end(&doc);
	fclose(out);
	return text;
}

TEST(names_make_a_tree)
{
	size_t mark;

	facts_text(&f, "a", "x", 0);
	mark = facts_enter(&f, "list.%d", 0);
	facts_u64(&f, "n", UINT64_MAX, 0);
	facts_i64(&f, "i", -5, 0);
	facts_leave(&f, mark);
	mark = facts_enter(&f, "list.%d", 1);
	facts_real(&f, "deep.r", 1.5, 0);
	facts_bool(&f, "deep.b", true, 0);
	facts_text(&f, "words.0", "one", 0);
	facts_text(&f, "words.1", "two", 0);
	facts_leave(&f, mark);
	facts_text(&f, "z", "\"", 0);
	T_STR(as_json(0),
	      "{\n  \"a\" : \"x\",\n  \"list\" : [\n    {\n      \"n\" : 18446744073709551615,\n"
	      "      \"i\" : -5\n    },\n    {\n      \"deep\" : {\n        \"r\" : 1.500000,\n"
	      "        \"b\" : true\n      },\n      \"words\" : [\n        \"one\",\n"
	      "        \"two\"\n      ]\n    }\n  ],\n  \"z\" : \"\\\"\"\n}\n");
	T_STR(facts_get(&f, "list.1.deep.r"), "1.5");
	T_STR(facts_get(&f, "list.1.words.1"), "two");
	T_STR(facts_get(&f, "list.1"), NULL);
	facts_free(&f);
	T_STR(as_json(0), "{\n}\n");
}

TEST(what_is_empty_is_no_fact)
{
	facts_text(&f, "a", "", 0);
	facts_text(&f, "b", NULL, 0);
	T_EQ(f.count, 0);
}

TEST(details_are_left_out)
{
	facts_text(&f, "a.b", "x", FACT_DETAIL);
	facts_text(&f, "a.c", "y", 0);
	facts_text(&f, "d.e", "z", FACT_DETAIL);
	T_STR(as_json(FACT_DETAIL), "{\n  \"a\" : {\n    \"c\" : \"y\"\n  }\n}\n");
}

TEST(identities_are_numbered)
{
	static const char *const keep[] = { "mitigations", "nvme.", NULL };

	facts_text(&f, "host", "alpha", FACT_ID);
	facts_text(&f, "path", "/data/alpha", FACT_ID);
	facts_text(&f, "again", "alpha", FACT_ID);
	facts_u64(&f, "serial", 4711, FACT_ID);
	facts_text(&f, "open", "alpha", 0);
	facts_text(&f, "cmdline", "quiet root=UUID=4-2 mitigations=off,x nvme.poll_queues=4 "
		   "nvmex=7 -- secret", FACT_WORDS);
	facts_text(&f, "options", "rw,mitigations=a=b,addr=10.0.0.1,x", FACT_OPTIONS);
	facts_redact(&f, keep);
	T_STR(facts_get(&f, "host"), "redacted-1");
	T_STR(facts_get(&f, "path"), "redacted-2");
	T_STR(facts_get(&f, "again"), "redacted-1");
	T_STR(facts_get(&f, "serial"), "redacted-3");
	T_STR(facts_get(&f, "open"), "alpha");
	T_STR(facts_get(&f, "cmdline"), "quiet root=redacted mitigations=off,x nvme.poll_queues=4 "
	      "nvmex=redacted -- redacted");
	T_STR(facts_get(&f, "options"), "rw,mitigations=a=b,addr=redacted,x");
	T_TRUE(strstr(as_json(0), "\"serial\" : \"redacted-3\""));
}

static char seen[256];

static void note(void *ctx, const struct fact *was, const struct fact *now)
{
	size_t len = strlen(seen);

	(void)ctx;
	snprintf(seen + len, sizeof(seen) - len, "%s:%s>%s ", now ? now->name : was->name,
		 was ? was->text : "-", now ? now->text : "-");
}

TEST(differences)
{
	struct facts after = { 0 };

	facts_text(&f, "same", "1", 0);
	facts_text(&f, "other", "1", 0);
	facts_text(&f, "varies", "1", FACT_VARIES);
	facts_text(&f, "gone", "1", 0);
	facts_text(&f, "gone2", "1", FACT_VARIES);
	facts_text(&after, "new", "2", 0);
	facts_text(&after, "same", "1", 0);
	facts_text(&after, "varies", "2", FACT_VARIES);
	facts_text(&after, "other", "2", 0);
	facts_compare(&f, &after, note, NULL);
	T_STR(seen, "new:->2 other:1>2 gone:1>- ");
	facts_free(&after);
	seen[0] = '\0';
	facts_compare(&f, &f, note, NULL);
	T_STR(seen, "");
}

TEST(rough_ones)
{
	struct facts after = { 0 };

	facts_real(&f, "near", 1000, FACT_ROUGH);
	facts_real(&f, "far", 1000, FACT_ROUGH);
	facts_real(&after, "near", 1200, FACT_ROUGH);
	facts_real(&after, "far", 1300, FACT_ROUGH);
	facts_compare(&f, &after, note, NULL);
	T_STR(seen, "far:1000>1300 ");
	facts_free(&after);
}

TEST(what_is_not_wanted)
{
	f.without = FACT_DETAIL;
	facts_text(&f, "a", "x", FACT_DETAIL | FACT_ID);
	facts_text(&f, "b", "x", FACT_ID);
	T_EQ(f.count, 1);
}

TEST(lists_are_joined)
{
	struct facts more = { 0 };
	size_t mark;

	facts_text(&more, "a.b", "x", FACT_ID);
	facts_u64(&more, "c", 1, 0);
	mark = facts_enter(&f, "below");
	facts_append(&f, &more);
	facts_leave(&f, mark);
	facts_free(&more);
	T_STR(facts_get(&f, "below.a.b"), "x");
	T_EQ(f.list[0].flags, FACT_ID);
	T_EQ(f.list[1].kind, FACT_U64);
}
