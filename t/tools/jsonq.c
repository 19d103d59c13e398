/* SPDX-License-Identifier: MIT */
/*
 * jsonq - check JSON and ask it questions, for shell tests.
 *
 *	jsonq FILE [PATH...]	without PATH: is it valid? With: print each value on a line
 *	jsonq --all FILE [PATH...]	likewise, of every document in a file of many
 *	jsonq --keys FILE	print every path with its type
 *	jsonq --len FILE PATH	print the number of members or elements
 *
 * FILE - is stdin. A path is `jobs[0].read.total_ios`; a key with a dot, bracket or quote in it is
 * written in brackets, `clat_ns.percentile["50.000000"]`; the empty path is the root. Strings are
 * printed unescaped, everything else as it stands in the file. Types: object, array, string, int,
 * float (with a point or an exponent), bool, null.
 *
 * Status: 0 found and valid, 1 not valid or not found (a sentence on stderr), 2 wrong usage.
 */
#define J_PROGRAM "jsonq"
#include "t/json.h"

static void print_value(const struct j_node *n)
{
	if (n->type == J_STRING)
		puts(n->text);
	else
		printf("%.*s\n", (int)(n->to - n->from), n->from);
}

static void print_keys(const struct j_node *n, const char *path)
{
	size_t index = 0;

	printf("%s %s\n", *path ? path : ".", j_type_names[n->type]);
	for (const struct j_node *c = n->child; c; c = c->next) {
		size_t room = strlen(path) + (c->key ? strlen(c->key) : 0) + 32;
		char *sub = j_must(malloc(room));

		if (!c->key)
			snprintf(sub, room, "%s[%zu]", path, index++);
		else if (!*c->key || strpbrk(c->key, ".[]\""))
			snprintf(sub, room, "%s[\"%s\"]", path, c->key);
		else
			snprintf(sub, room, "%s%s%s", path, *path ? "." : "", c->key);
		print_keys(c, sub);
		free(sub);
	}
}

enum mode { VALUES, KEYS, LEN };

static void show(const struct j_node *root, enum mode mode, char **paths, int count)
{
	if (mode == KEYS)
		print_keys(root, "");
	else if (mode == LEN)
		printf("%zu\n", j_find(root, paths[0])->children);
	else
		for (int i = 0; i < count; i++)
			print_value(j_find(root, paths[i]));
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "--all");
	bool keys = argc == 3 && !strcmp(argv[1], "--keys");
	bool len = argc == 4 && !strcmp(argv[1], "--len");
	int file_arg = all || keys || len ? 2 : 1;
	enum mode mode = keys ? KEYS : len ? LEN : VALUES;
	struct j_node *root;
	char *text;

	if (argc <= file_arg || !strncmp(argv[file_arg], "--", 2))
		j_die(2, "usage: jsonq [--all] FILE [PATH...] | jsonq --keys FILE | "
		      "jsonq --len FILE PATH");
	text = j_read(argv[file_arg]);
	while ((root = all ? j_next() : j_only())) {
		show(root, mode, argv + file_arg + 1, argc - file_arg - 1);
		j_free(root);
		if (!all)
			break;
	}
	free(text);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
