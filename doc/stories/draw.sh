#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the four story job files and writes what doc/stories.md shows of them: a chart each, drawn by
# gnuplot from the JSON, and the lines of the normal output that tell the story, put between the
# marks in the text. 'make stories' calls it; 'make stories DRAW=only' draws the results of the last
# time again.
#
#	STORIES_DIR	where the data files are made and removed again (/var/tmp)

set -eu
: "${SRCDIR:?}" "${BUILDDIR:?}" "${FIO_LIKE:?}" "${TOOLS:?}"
LC_ALL=C
export LC_ALL
here=$SRCDIR/doc/stories text=$SRCDIR/doc/stories.md
results=$BUILDDIR/obj/stories
jsonq=$TOOLS/jsonq

command -v gnuplot >/dev/null || {
	echo 'stories: the charts are drawn by gnuplot; on Debian: apt-get install gnuplot-nox' >&2
	exit 1
}
mkdir -p "$results"

# ---- Running --------------------------------------------------------------------------------------

run() { # run STORY: NAME.json and NAME.txt from jobs/NAME.ini
	data=$(mktemp -d "${STORIES_DIR:-/var/tmp}/fio-like-stories-XXXXXX")
	status=0
	TMPDIR=$data "$FIO_LIKE" "$SRCDIR/jobs/$1.ini" --output-format=json,normal \
		--output="$results/$1.out" || status=$?
	rm -rf "$data"
	[ $status = 0 ] || { echo "stories: jobs/$1.ini has failed" >&2; exit 1; }
	# The document lies between two lines of one brace; the normal results follow it.
	sed -n '/^{$/,/^}$/p' "$results/$1.out" >"$results/$1.json"
	sed '/^{$/,/^}$/d' "$results/$1.out" | sed "s,$data,/var/tmp,g" >"$results/$1.txt"
}

if [ "${DRAW-}" != only ]; then
	for story in fread use-once remap fseek; do
		echo "jobs/$story.ini"
		run "$story"
	done
fi

# ---- Numbers: a line for each job, its name and what the paths say ----------------------------------

table() { # table STORY PATH...: paths within a job
	file=$results/$1.json
	shift
	jobs=$("$jsonq" --len "$file" jobs) i=0
	while [ $i -lt "$jobs" ]; do
		paths=
		for path; do
			paths="$paths jobs[$i].$path"
		done
		# shellcheck disable=SC2086
		"$jsonq" "$file" "jobs[$i].jobname" $paths | paste -s -d ' '
		i=$((i + 1))
	done
}

table fread fio-like.usr_seconds fio-like.sys_seconds fio-like.faults.minor >"$results/fread.dat"
# The mapped file's jobs of both arms side by side: name, seconds and percent cached before, twice.
table use-once read.runtime fio-like.cache.before.cached_percent |
	awk '$1 !~ /stream-|clean-up/ {
		arm = $1; sub(/\..*/, "", arm); name = $1; sub(/.*\./, "", name)
		if (arm == "random") order[++n] = name
		ms[arm, name] = $2; cached[arm, name] = $3
	}
	END {
		for (i = 1; i <= n; i++)
			print order[i], ms["random", order[i]] / 1000, cached["random", order[i]],
				ms["default", order[i]] / 1000, cached["default", order[i]]
	}' >"$results/use-once.dat"
table remap read.bw_bytes fio-like.engine.counters.remaps >"$results/remap.dat"
table fseek read.iops fio-like.engine.counters.read_underneath_bytes read.total_ios |
	awk '{ sub(/buffer-/, "", $1); print $1, $2, $3 / $4 }' >"$results/fseek.dat"

# ---- Charts ---------------------------------------------------------------------------------------

for story in fread use-once remap fseek; do
	gnuplot -e "data='$results/$story.dat'" -e "chart='$results/$story.svg'" \
		"$here/style.gp" "$here/$story.gp"
	# What gnuplot says of itself and of the day is no part of the picture.
	sed '/<title>Gnuplot<\/title>/d; s/Produced by GNUPLOT [^<]*/A chart/' \
		"$results/$story.svg" >"$here/$story.svg"
done

# ---- The text: the lines that tell the story ------------------------------------------------------

# Lines of jobs that repeat what others have shown already are left out.
some_jobs() {
	awk '/err=/ { off = $0 ~ /^(random|default)[.]warm-[23]|^default[.]stream-/ } !off'
}

lines() { # lines STORY
	case $1 in
	fread) keep='err=|^  read:|^  cpu|^  faults' ;;
	use-once) keep='err=|^  read:|^  faults|^  cache|^Memory limit' ;;
	remap) keep='err=|^  read:|^  faults|^  engine' ;;
	fseek) keep='err=|^  read:|read_underneath_bytes' ;;
	esac
	grep -E "$keep|^Data files|^ +[0-9.]+[KMG]*i*B  /var" "$results/$1.txt" | some_jobs |
		sed -E 's/: \(groupid=[0-9]+, jobs=1\): err= 0: pid=.*/:/
			s/, minor\/IO=.*//
			s/ \(cgroup version.*//
			s/^ +read_underneath_bytes/  read_underneath_bytes/; s/, write_underneath.*//
			s/, invalidated in [0-9.]*ms//; s/, by=cachestat//'
}

for story in fread use-once remap fseek; do
	{ echo '```'; lines "$story"; echo '```'; } >"$results/$story.lines"
	awk -v story="$story" -v file="$results/$story.lines" '
		$0 == "<!-- end: " story " -->" { off = 0 }
		!off { print }
		$0 == "<!-- output of jobs/" story ".ini -->" {
			while ((getline line <file) > 0) print line
			off = 1
		}' "$text" >"$results/text"
	cat "$results/text" >"$text"
done
echo "doc/stories.md and doc/stories/*.svg are new"
