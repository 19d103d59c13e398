/* SPDX-License-Identifier: MIT */
/*
 * Job files as text: what is read out of them, in which order and from where. Each case writes down
 * the events as a text of its own: `[section]`, `name=value`, `name`, `!line:col message`.
 */
#include "t/test.h"

#include "lib/ini.h"
#include "lib/subst.h"

/* Files that includes find, as name and text in turn. */
static const char *const *files;
static struct strbuf out;
static struct arena arena;
static bool with_places;
static int loaded, unloaded;

static const char *var(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "SIZE"))
		return "4k";
	if (!strcmp(name, "EMPTY"))
		return "";
	if (!strcmp(name, "OPT"))
		return "bs=8k";
	if (!strcmp(name, "HASH"))
		return "a#b;c";
	if (!strcmp(name, "AGAIN"))
		return "${SIZE}";
	if (!strcmp(name, "FILE"))
		return "one";
	if (!strcmp(name, "WORDS"))
		return "$ncpus ${SIZE}";
	if (!strcmp(name, "WORD"))
		return "ncpus";
	if (!strcmp(name, "ONE"))
		return "1";
	return NULL;
}

static const char *keyword(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "pagesize"))
		return "4096";
	return strcmp(name, "ncpus") ? "24000" : "2";
}

static int load(void *ctx, const char *wanted, const char *from, struct ini_source *source)
{
	(void)ctx;
	strbuf_printf(&out, "<%s from %s>", wanted, from);
	for (int i = 0; files && files[i]; i += 2) {
		if (!strcmp(files[i], wanted)) {
			source->name = files[i];
			source->text = files[i + 1];
			source->len = strlen(source->text);
			loaded++;
			return 0;
		}
	}
	return -ENOENT;
}

static void unload(void *ctx, struct ini_source *source)
{
	(void)ctx;
	(void)source;
	unloaded++;
}

static void put_place(const struct ini_origin *at)
{
	if (with_places)
		strbuf_printf(&out, "{%s:%d:%d:%d%s}", at->file, at->line, at->name_col,
			      at->value_col, at->expanded ? "*" : "");
}

static bool on_section(void *ctx, const char *name, const struct ini_origin *at)
{
	(void)ctx;
	strbuf_printf(&out, "[%s]", name);
	put_place(at);
	return strcmp(name, "skip") != 0;
}

static void on_option(void *ctx, const char *name, const char *value, const struct ini_origin *at)
{
	(void)ctx;
	strbuf_printf(&out, "%s%s%s|", name, value ? "=" : "", value ? value : "");
	put_place(at);
}

static void on_error(void *ctx, const char *message, const struct ini_origin *at)
{
	(void)ctx;
	if (at->line)
		T_TRUE(at->name_col >= 1 && at->name_col <= (int)strlen(at->text) + 1);
	strbuf_printf(&out, "!%d:%d %s|", at->line, at->name_col, message);
}

static const struct ini_env env = {
	.subst = { .var = var, .keyword = keyword }, .load = load, .unload = unload,
};
static const struct ini_sink sink = {
	.section = on_section, .option = on_option, .error = on_error,
};

static const char *read_bytes(const char *text, size_t len, int errors)
{
	struct ini_source source = { "job", NULL, len };
	char *copy = malloc(len + !len);

	/* A copy of just this length lets a checker see reads beyond it. */
	memcpy(copy, text, len);
	source.text = copy;
	strbuf_clear(&out);
	T_EQ(ini_read(&source, &env, &sink, &arena), errors);
	free(copy);
	return strbuf_str(&out);
}

static const char *read_ini(const char *text)
{
	return read_bytes(text, strlen(text), 0);
}

/* The same for a text with this many errors. */
static const char *read_bad(const char *text, int errors)
{
	return read_bytes(text, strlen(text), errors);
}

TEST(plain_file)
{
	T_STR(read_ini("[global]\nrw=read\n\n[a]\nbs=4k\ntime_based\n[b]\n"),
	      "[global]rw=read|[a]bs=4k|time_based|[b]");
	T_STR(read_ini(""), "");
	T_STR(read_ini("\n\n ; x\n# y\n"), "");
	T_STR(read_ini("[a]\nbs=4k"), "[a]bs=4k|");
	T_EQ(ini_read(&(struct ini_source){ "job", NULL, 0 }, &env, &sink, &arena), 0);
}

TEST(blanks_and_line_ends)
{
	T_STR(read_ini("  [a]  \r\n\tbs\t=\t8k  \r\nrw = read\r\n\r\n"), "[a]bs=8k|rw=read|");
	T_STR(read_ini("\xef\xbb\xbf[a]\nx=1\n"), "[a]x=1|");
	T_STR(read_ini("\xef\xbb\xbf; c\n[a]\n"), "[a]");
	T_STR(read_ini("[a]\nname=two words\n"), "[a]name=two words|");
	T_STR(read_ini("[a]\nx==8k\ny=a=b\nz=\n"), "[a]x==8k|y=a=b|z=|");
	T_STR(read_ini("[a]\nx=\\\ny=2\n"), "[a]x=\\|y=2|");
}

TEST(comments)
{
	T_STR(read_ini("[j] ; c\n[k]; c\n[l] # c\n"), "[j][k][l]");
	T_STR(read_ini("[a]\nfilename=foo#bar\nbs=8k;rw=write\nx=1 ; c\n"),
	      "[a]filename=foo|bs=8k|x=1|");
	T_STR(read_ini("[a]\np=\"a;b\" ; c\nq='f#g'# c\n"), "[a]p=\"a;b\"|q='f#g'|");
	T_STR(read_ini("[a]\np=\"ab\"-12\"c;d\"\n"), "[a]p=\"ab\"-12\"c;d\"|");
	T_STR(read_ini("[a]\np=\"a;b\nq='x;y\n"), "[a]p=\"a|q='x|");
	T_STR(read_ini("[a]\nd=it's; that's\n"), "[a]d=it's|");
	T_STR(read_ini("[a]\nd=\"it's\";x\n"), "[a]d=\"it's\"|");
	T_STR(read_ini("[a]\n\"x;y\"=1\n"), "[a]\"x|");
	T_STR(read_ini("[a]\nd=http://x\n"), "[a]d=http://x|");
}

TEST(headers)
{
	T_STR(read_ini("[ j ]\n[a b,c=d:e/%()]\n[a[1]]\n"), "[ j ][a b,c=d:e/%()][a[1]]");
	T_STR(read_ini("[global]\n[globalx]\n[a]\n[a]\n"), "[global][globalx][a][a]");
	T_STR(read_ini("[${SIZE} $ncpus]\n"), "[${SIZE} $ncpus]");
	T_STR(read_bad("[j] junk\nx=1\n[k]\ny=2\n", 1),
	      "!1:4 'junk' stands behind the section header|[k]y=2|");
	T_STR(read_bad(" [j\nx=1\n", 1), "!1:2 the ']' of the section header is missing|");
	T_STR(read_bad("[j#1]\n", 1),
	      "!1:3 this '#' begins a comment, so the ']' of the section header is missing|");
	T_STR(read_bad(" [b\"c;]\n", 1),
	      "!1:6 this ';' begins a comment, so the ']' of the section header is missing|");
	T_STR(read_bad("[b;c\n", 1), "!1:1 the ']' of the section header is missing|");
	T_STR(read_bad("[]\n[a]\n", 1), "!1:1 the section has no name|[a]");
	T_STR(read_bad("[a]b]\n", 1), "!1:4 'b]' stands behind the section header|");
}

TEST(outside_of_sections)
{
	T_STR(read_bad("; c\n  bs=4k\nrw=read\n[a]\nx\n", 1),
	      "!2:3 'bs=4k' stands outside of a [section]; "
	      "write [NAME] above it, or [global] for all jobs|[a]x|");
	T_STR(read_bad("include one\n[a]\n", 1),
	      "!1:1 'include one' stands outside of a [section]; "
	      "write [NAME] above it, or [global] for all jobs|[a]");
}

TEST(not_assignments)
{
	T_STR(read_bad("[a]\nbs: 8k\nbs 8k\n=8k\nx=1\n", 3),
	      "[a]!2:1 name=value is expected instead of 'bs: 8k'|"
	      "!3:1 name=value is expected instead of 'bs 8k'|"
	      "!4:1 an option name is missing before '='|x=1|");
	T_STR(read_bad("[a]\n // c\n", 1), "[a]!2:2 name=value is expected instead of '// c'|");
}

TEST(skipped_sections)
{
	T_STR(read_ini("[skip]\nbs 8k\ninclude nowhere\n${NONE}\n[a]\nx\n"), "[skip][a]x|");
}

TEST(variables)
{
	T_STR(read_ini("[a]\nbs=${SIZE}\nbs=${SIZE},${SIZE}b\n${OPT}\n"),
	      "[a]bs=4k|bs=4k,4kb|bs=8k|");
	T_STR(read_ini("[a]\nx${SIZE}=1\nd=${HASH}\nd=${EMPTY}\nd=${AGAIN}\n"),
	      "[a]x4k=1|d=a#b;c|d=|d=${SIZE}|");
	T_STR(read_ini("[a]\nd=$SIZE $(x) ~ $ {\n"), "[a]d=$SIZE $(x) ~ $ {|");
	T_STR(read_ini("[a]\nd=${NONE:-8k}\nd=${EMPTY:-1}\nd=${SIZE:-1}\nd=${NONE:-}\n"),
	      "[a]d=8k|d=1|d=4k|d=|");
	T_STR(read_ini("[a]\nd=${NONE:-a=b}\n${NONE:-x=y}\n"), "[a]d=a=b|x=y|");
	T_STR(read_bad("[a]\nbs = ${NONE}\nd=${}\nd=1${V\nd=${:-x}\nd=${NONE:-${SIZE}}\n", 5),
	      "[a]!2:6 the variable NONE is not set (${NONE:-VALUE} would give a default)|"
	      "!3:3 '${}' names no variable|!4:4 '${' has no closing '}'|"
	      "!5:3 '${:-x}' names no variable|"
	      "!6:3 the default of '${NONE}' cannot hold another '${'|");
}

TEST(keywords)
{
	T_STR(read_ini("[a]\nbs=$pagesizek\nx=8*$mb_memory\nf=x.$pagesize.y\n"),
	      "[a]bs=4096k|x=8*24000|f=x.4096.y|");
	T_STR(read_ini("[a]\nf=$jobname.$jobnum.$filenum $foo $ncpu\n$ncpus=1\n"),
	      "[a]f=$jobname.$jobnum.$filenum $foo $ncpu|$ncpus=1|");
	T_STR(read_ini("[a]\nn=$ncpus-1\nn=5*1024*$mb_memory/8\nn=$ncpus*2\nn=($ncpus-1)\n"),
	      "[a]n=(2-1)|n=(5*1024*24000/8)|n=2*2|n=(2-1)|");
	T_STR(read_ini("[a]\nf=foo-$ncpus\nf=/1/$ncpus\nr=4k-$pagesize\nb=$pagesize,8-1\n"),
	      "[a]f=foo-2|f=/1/2|r=4k-4096|b=4096,8-1|");
}

/* Only what the user wrote is searched: what a variable brings along is text. */
TEST(nothing_is_searched_twice)
{
	T_STR(read_ini("[a]\nx=${WORDS}\nx=${WORDS}-$ncpus\nx=${NONE:-$ncpus}\n"),
	      "[a]x=$ncpus ${SIZE}|x=$ncpus ${SIZE}-2|x=2|");
	T_STR(read_ini("[a]\n${OPT}$ncpus\n${NONE:-$ncpus}=1\nx= $ncpus-${ONE}\n"),
	      "[a]bs=8k2|$ncpus=1|x=(2-1)|");
	T_STR(read_ini("[a]\nx=$${WORD}\n"), "[a]x=$ncpus|");
}

TEST(command_line_values)
{
	struct strbuf sb = STRBUF_INIT;
	struct parse_err err;

	T_EQ(subst_value(span_of("${SIZE}*$ncpus-$foo"), &env.subst, &sb, &err), 2);
	T_STR(strbuf_str(&sb), "4k*2-$foo");
	T_EQ(subst_value(span_of("${WORDS}$ncpus"), &env.subst, &sb, &err), 2);
	T_STR(strbuf_str(&sb), "4k*2-$foo$ncpus ${SIZE}2");
	T_EQ(subst_value(span_of("ab${NONE}"), &env.subst, &sb, &err), -EINVAL);
	T_EQ(err.col, 2);
	strbuf_free(&sb);
}

TEST(origins)
{
	with_places = true;
	T_STR(read_ini("; c\n [a]\n\tbs = 8k ; c\nx\ny=${SIZE}\n${OPT}\nz=$ncpus\n"),
	      "[a]{job:2:2:0}bs=8k|{job:3:2:7}x|{job:4:1:0}y=4k|{job:5:1:3*}"
	      "bs=8k|{job:6:1:0*}z=2|{job:7:1:3*}");
	files = (const char *const[]){ "one", "\nbs=1\n", NULL };
	T_STR(read_ini("[a]\ninclude one\ny=2\n"),
	      "[a]{job:1:1:0}<one from job>bs=1|{one:2:1:4}y=2|{job:3:1:3}");
}

TEST(include_forms)
{
	files = (const char *const[]){ "one", "x=1\n", "two", "y=2\ninclude three\nz=3",
				       "three", "", "a b", "q", NULL };
	T_STR(read_ini("[a]\ninclude one\n include=one ; c\ninclude\t  one\ninclude = one\n"),
	      "[a]<one from job>x=1|<one from job>x=1|<one from job>x=1|<one from job>x=1|");
	T_STR(read_ini("[a]\nb=1\ninclude two\nc=2\n"),
	      "[a]b=1|<two from job>y=2|<three from two>z=3|c=2|");
	T_STR(read_ini("[a]\ninclude a b\ninclude ${FILE}\n"),
	      "[a]<a b from job>q|<one from job>x=1|");
	T_STR(read_ini("[a]\nincluded=1\n"), "[a]included=1|");
	T_EQ(loaded, unloaded);
	T_EQ(loaded, 8);
}

TEST(include_errors)
{
	files = (const char *const[]){ "loop", "a=1\ninclude loop\nb=2\n", "ping", "include pong\n",
				       "pong", "include ping\n", "sec", "a=1\n[x]\nb=2\n", "bin",
				       "\x01\x02\x03", NULL };
	T_STR(read_bad("[a]\ninclude nowhere\nx=1\n", 1),
	      "[a]<nowhere from job>!2:9 cannot include 'nowhere': No such file or directory|x=1|");
	T_STR(read_bad("[a]\ninclude\ninclude=\ninclude ${NONE}\n", 3),
	      "[a]!2:1 include needs the name of a file|!3:1 include needs the name of a file|"
	      "!4:9 the variable NONE is not set (${NONE:-VALUE} would give a default)|");
	T_STR(read_bad("[a]\ninclude loop\nx=1\n", 1),
	      "[a]<loop from job>a=1|<loop from loop>"
	      "!2:9 'loop' includes itself, directly or by another file|b=2|x=1|");
	T_STR(read_bad("[a]\ninclude ping\n", 1),
	      "[a]<ping from job><pong from ping><ping from pong>"
	      "!1:9 'ping' includes itself, directly or by another file|");
	T_STR(read_bad("[a]\ninclude sec\nc=3\n", 1),
	      "[a]<sec from job>a=1|!2:1 a [section] cannot stand in an included file|c=3|");
	T_STR(read_bad("[a]\ninclude bin\nc=3\n", 1),
	      "[a]<bin from job>!0:0 this is a binary file, not a job file|c=3|");
	T_EQ(loaded, unloaded);
}

TEST(include_bounds)
{
	char names[20][16], texts[20][32];
	const char *table[41] = { NULL };

	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		snprintf(texts[i], sizeof(texts[i]), "include f%d", i + 1);
		table[2 * i] = names[i];
		table[2 * i + 1] = texts[i];
	}
	files = table;
	T_TRUE(strstr(read_bad("[a]\ninclude f0\n", 1),
		      "!1:9 includes are nested more than 16 deep"));
	T_EQ(loaded, 15);
#define SEVEN(line)	line line line line line line line
	/* Few files, but each includes the next one often. */
	files = (const char *const[]){
		"b", SEVEN("include c\n"), "c", SEVEN("include d\n"), "d", SEVEN("include e\n"),
		"e", SEVEN("include f\n"), "f", "x", NULL,
	};
	read_bad("[a]\ninclude b\n", 1);
	T_TRUE(strstr(strbuf_str(&out), "more than 1024 includes"));
	T_EQ(loaded, unloaded);
}

TEST(binary_files)
{
	T_STR(read_bytes("[a]\nx=1\0y\n", 10, 1), "!0:0 this is a binary file, not a job file|");
	T_STR(read_bytes("\x7f" "ELF\x02\x01\x01\0\0", 9, 1),
	      "!0:0 this is a binary file, not a job file|");
	T_STR(read_bad("\x01\x02\x03\x04[a]", 1), "!0:0 this is a binary file, not a job file|");
	T_STR(read_ini("[a]\nd=caf\xc3\xa9 \xe9\n"), "[a]d=caf\xc3\xa9 \xe9|");
}

TEST(long_lines)
{
	const size_t len = 1 << 20;
	char *text = malloc(len + 8);

	memcpy(text, "[a]\nx=", 6);
	memset(text + 6, 'v', len);
	read_bytes(text, len + 6, 0);
	T_EQ(out.len, 3 + 2 + len + 1);
	memset(text + 4, '\'', len);
	read_bytes(text, len + 4, 0);
	memset(text, '[', len);
	read_bytes(text, len, 1);
	free(text);
}
