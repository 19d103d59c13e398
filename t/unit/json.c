/* SPDX-License-Identifier: MIT */
/* The JSON writer: layout to the byte, and valid output whatever it is given. */
#include "t/test.h"

#include "lib/json.h"

/* A document in memory: begun by doc_open(), its text returned by doc_close(). */
static struct json j;
static char doc_text[8192];

static void doc_open(void)
{
	FILE *f = fmemopen(doc_text, sizeof(doc_text), "w");

	T_TRUE(f);
	json_init(&j, f);
}

static const char *doc_close(void)
{
	T_EQ(j.depth, 0);
	T_EQ(fclose(j.out), 0);
	return doc_text;
}

TEST(one_line)
{
	FILE *f = fmemopen(doc_text, sizeof(doc_text), "w");

	json_init_line(&j, f);
	json_object(&j, NULL);
	json_str(&j, "type", "a b");
	json_array(&j, "list");
	json_u64(&j, NULL, 1);
	json_u64(&j, NULL, 2);
	json_end(&j);
	json_object(&j, "empty");
	json_end(&j);
	json_end(&j);
	json_object(&j, NULL);
	json_end(&j);
	T_STR(doc_close(), "{\"type\":\"a b\",\"list\":[1,2],\"empty\":{}}\n{}\n");
}

TEST(layout)
{
	doc_open();
	json_object(&j, NULL);
	json_str(&j, "fio version", "x");
	json_array(&j, "jobs");
	json_object(&j, NULL);
	json_i64(&j, "error", -28);
	json_f64(&j, "iops", 4246908.372828);
	json_object(&j, "bins");
	json_u64(&j, "9", 9351);
	json_u64(&j, "10", UINT64_MAX);
	json_end(&j);
	json_array(&j, "bw");
	json_u64(&j, NULL, 1);
	json_f64(&j, NULL, 0.5);
	json_str(&j, NULL, "s");
	json_end(&j);
	json_bool(&j, "on", true);
	json_bool(&j, "off", false);
	json_end(&j);
	json_object(&j, NULL);
	json_str(&j, "only", NULL);
	json_end(&j);
	json_end(&j);
	json_end(&j);
	T_STR(doc_close(),
	      "{\n"
	      "  \"fio version\" : \"x\",\n"
	      "  \"jobs\" : [\n"
	      "    {\n"
	      "      \"error\" : -28,\n"
	      "      \"iops\" : 4246908.372828,\n"
	      "      \"bins\" : {\n"
	      "        \"9\" : 9351,\n"
	      "        \"10\" : 18446744073709551615\n"
	      "      },\n"
	      "      \"bw\" : [\n"
	      "        1,\n"
	      "        0.500000,\n"
	      "        \"s\"\n"
	      "      ],\n"
	      "      \"on\" : true,\n"
	      "      \"off\" : false\n"
	      "    },\n"
	      "    {\n"
	      "      \"only\" : \"\"\n"
	      "    }\n"
	      "  ]\n"
	      "}\n");
}

/* string_as - what json_str() makes of text, without the quotes. */
static const char *string_as(const char *text)
{
	size_t length;

	doc_open();
	json_array(&j, NULL);
	json_str(&j, NULL, text);
	json_end(&j);
	doc_close();
	length = strlen(doc_text);
	T_TRUE(length > 9 && !strncmp(doc_text, "[\n  \"", 5));
	T_STR(doc_text + length - 4, "\"\n]\n");
	doc_text[length - 4] = '\0';
	return doc_text + 5;
}

TEST(strings_are_escaped)
{
	T_STR(string_as("plain /path x=1"), "plain /path x=1");
	T_STR(string_as("a\"b\\c"), "a\\\"b\\\\c");
	T_STR(string_as("\b\t\n\v\f\r"), "\\b\\t\\n\\u000b\\f\\r");
	T_STR(string_as("\x01\x1f\x7f"), "\\u0001\\u001f\\u007f");
}

TEST(utf8_passes)
{
	T_STR(string_as("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
	      "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	T_STR(string_as("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"),
	      "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");
}

#define BAD "\xef\xbf\xbd"

TEST(broken_utf8_is_replaced)
{
	T_STR(string_as("a\xff" "b"), "a" BAD "b");
	T_STR(string_as("\x80"), BAD);
	T_STR(string_as("\xc0\xaf"), BAD BAD);			/* overlong */
	T_STR(string_as("\xe0\x80\xaf"), BAD BAD BAD);
	T_STR(string_as("\xed\xa0\x80"), BAD BAD BAD);		/* surrogate */
	T_STR(string_as("\xf4\x90\x80\x80"), BAD BAD BAD BAD);	/* above U+10FFFF */
	T_STR(string_as("\xc3"), BAD);				/* cut short by the end */
	T_STR(string_as("\xe2\x82"), BAD BAD);
	T_STR(string_as("\xf0\x9f\x98\"x"), BAD BAD BAD "\\\"x");
}

TEST(numbers_json_lacks_become_zero)
{
	doc_open();
	json_array(&j, NULL);
	json_f64(&j, NULL, NAN);
	json_f64(&j, NULL, INFINITY);
	json_f64(&j, NULL, -INFINITY);
	json_f64(&j, NULL, -1.5);
	json_end(&j);
	T_STR(doc_close(), "[\n  0.000000,\n  0.000000,\n  0.000000,\n  -1.500000\n]\n");
}

TEST(empty_and_deep)
{
	doc_open();
	for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
		json_array(&j, NULL);
	T_EQ(j.depth, JSON_DEPTH_MAX);
	for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
		json_end(&j);
	doc_close();
	doc_open();
	json_object(&j, NULL);
	json_end(&j);
	T_STR(doc_close(), "{\n}\n");
}

/* aborts - does the call end the process by an assertion? */
static bool aborts(void (*call)(void))
{
	int status;
	pid_t pid = fork();

	T_TRUE(pid >= 0);
	if (!pid) {
		fclose(stderr);
		call();
		_exit(0);
	}
	T_EQ(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void key_in_array(void)
{
	doc_open();
	json_array(&j, NULL);
	json_u64(&j, "key", 1);
}

static void no_key_in_object(void)
{
	doc_open();
	json_object(&j, NULL);
	json_u64(&j, NULL, 1);
}

static void too_many_ends(void)
{
	doc_open();
	json_object(&j, NULL);
	json_end(&j);
	json_end(&j);
}

static void value_outside(void)
{
	doc_open();
	json_u64(&j, NULL, 1);
}

static void too_deep(void)
{
	doc_open();
	for (unsigned i = 0; i <= JSON_DEPTH_MAX; i++)
		json_array(&j, NULL);
}

TEST(misuse_is_asserted)
{
	T_TRUE(aborts(key_in_array));
	T_TRUE(aborts(no_key_in_object));
	T_TRUE(aborts(too_many_ends));
	T_TRUE(aborts(value_outside));
	T_TRUE(aborts(too_deep));
}
