#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Large numbers of everything: a thousand jobs, a million files, a file of terabytes, and a job that
# opens a file for every I/O.
#
#	SCALE_DIR	a folder in memory, for the small files (/dev/shm)
#	SCALE_JOBS	jobs at once (1000)
#	SCALE_CLONES	jobs that share the small files (40)
#	SCALE_EACH	files of each (25000)
#	SCALE_TIB	size of the large file (8)
#	SCALE_IOS	its I/Os (2000000)
#	SCALE_DRAWS	blocks drawn of 2^31 (100000000)
#	SCALE_FULL	of a whole pass (20000000)
#	SCALE_FILES	files of the job that opens them one by one (200000)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
jobs=${SCALE_JOBS:-1000} clones=${SCALE_CLONES:-40} each=${SCALE_EACH:-25000}
tib=${SCALE_TIB:-8} ios=${SCALE_IOS:-2000000}
draws=${SCALE_DRAWS:-100000000} full=${SCALE_FULL:-20000000} files=${SCALE_FILES:-200000}
bench=$BUILDDIR/t/bench
# The tables have a number in every place, also where nothing is judged.
small=$(mktemp -d "${SCALE_DIR:-/dev/shm}/fio-like-bench-XXXXXX")
trap 'rm -rf "$dir" "$small"' EXIT

json() { # json PATH: of the last job's result
	"$TOOLS/jsonq" "$dir/json" "$1"
}

watch() { # watch SECONDS COMMAND...: sets took, mib, processes, largest; what it says is in said
	"$bench/watch" "$@" 2>"$dir/said" >"$dir/watched" && watched=0 || watched=$?
	read -r took mib processes largest <"$dir/watched"
}

watch_well() {
	watch "$@"
	[ $watched = 0 ] || { cat "$dir/said" >&2; exit 1; }
}

echo 'Large numbers, on'
machine
echo

# ---- Many jobs --------------------------------------------------------------------------------

many() { # many SECONDS-UNTIL-LOOK RUNTIME
	watch_well "$1" "$FIO_LIKE" --name=many --numjobs="$jobs" --ioengine=null --size=1g \
		--time_based --runtime="$2" --group_reporting --output-format=json \
		--output="$dir/json"
}

# One more process than that sleeps in the middle of a run that lasts longer.
round=0
while [ $round -lt $(((rounds + 3) / 4)) ]; do
	"$bench/spinners" "$jobs" 1 >>"$dir/jobs.floor"
	many 0 1
	echo "$took" >>"$dir/jobs.fio-like"
	round=$((round + 1))
done
more=$(paste "$dir/jobs.fio-like" "$dir/jobs.floor" | awk '{ print $1 - $2 }' | median 1 '%.2f')
# Looked at while all of them run: starting them takes less than the time of the floor.
look=$(median 1 '%.1f' <"$dir/jobs.fio-like")
many "$look" "$(awk "BEGIN { print int($look + 3) }")"
printf '%s jobs for 1 s: %s s; as many bare processes: %s s; %s s more\n' "$jobs" \
	"$(middle jobs fio-like 1 1 %.2f)" "$(middle jobs floor 1 1 %.2f)" "$more"
printf '%s jobs in mid-run: %s MiB in %s processes\n' "$jobs" "$mib" "$processes"
bar "$jobs jobs: seconds more than bare processes" "$more" at-most 1.6
bar "$jobs jobs: MiB in all" "$mib" below 1024
bar "$jobs jobs: processes that were looked at" "$processes" at-least "$jobs"

# Four times the jobs take four times the CPU, or little more: nothing looks at all for each.
user_of() { # user_of JOBS: seconds in user space, of so many threads
	times >"$dir/before"
	run_quietly "$FIO_LIKE" --name=many --numjobs="$1" --thread=1 --ioengine=null --size=4k \
		--group_reporting --output-format=json --output="$dir/json"
	times >"$dir/after"
	paste "$dir/before" "$dir/after" | awk '
		function seconds(text, p) { split(text, p, "m"); return p[1] * 60 + p[2] }
		NR == 2 { printf "%.3f\n", seconds($3) - seconds($1) }'
}

user_of $((jobs * 5 / 2)) >"$dir/user.floor"
user_of $((jobs * 10)) >"$dir/user.fio-like"
printf '%s jobs as threads: %s s of user time; %s: %s s\n\n' $((jobs * 5 / 2)) \
	"$(cat "$dir/user.floor")" $((jobs * 10)) "$(cat "$dir/user.fio-like")"
bar 'four times the jobs: times the user time' "$(ratio user fio-like floor)" below 8

# ---- Many files -------------------------------------------------------------------------------

million() { # million PROGRAM: makes them if they are missing, and reads them
	watch 0 "$1" --name=many --directory="$small" --nrfiles="$each" --numjobs="$clones" \
		--filesize=4k --rw=read --bs=4k --group_reporting --output-format=json \
		--output="$dir/json"
}

all=$((each * clones)) want=$((each * clones * 4096))
for program in "$FIO_LIKE" $fio; do
	name=fio-like
	[ "$program" = "$FIO_LIKE" ] || name=fio
	for pass in 'laid out and read' 'read again'; do
		million "$program"
		read=$(json 'jobs[0].read.io_bytes' 2>/dev/null || echo 0)
		made=$(find "$small" -type f | wc -l)
		printf '%s: %s files %s: %s s, at most %s MiB in a process, %s of %s bytes%s\n' \
			"$name" "$made" "$pass" "$took" "$largest" "$read" "$want" \
			"$([ $watched = 0 ] ||
				echo "; it failed: $(grep -v '^$' "$dir/said" | head -n 1)")"
		[ $name = fio ] || bar "$all files $pass: bytes read" "$read" at-least "$want"
		[ $name = fio ] || bar "$all files $pass: exit status" "$watched" at-most 0
		: >"$dir/json"
	done
	find "$small" -type f -delete
done
echo

# ---- A large file -----------------------------------------------------------------------------

large() { # large OPTION...
	watch 0 "$FIO_LIKE" --name=large --filename="$dir/large" --rw=randread \
		--direct="$direct" --number_ios="$ios" --output-format=json --output="$dir/json" \
		"$@"
}

truncate -s "${tib}T" "$dir/large"
direct=1
dd if="$dir/large" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || direct=0
large --bs=4k
[ $watched = 0 ] || { cat "$dir/said" >&2; exit 1; }
printf '%s TiB, %s random reads of 4 KiB: %s per second, at most %s MiB in a process\n' "$tib" \
	"$(json 'jobs[0].read.total_ios')" \
	"$(json 'jobs[0].read.iops' | awk '{ printf "%.0f", $1 }')" "$largest"
bar "$tib TiB: I/Os" "$(json 'jobs[0].read.total_ios')" at-least "$ios"
bar "$tib TiB: MiB of the largest process" "$largest" below 32
large --bsrange=4k-8k
printf '%s TiB with blocks of varying size: %s\n' "$tib" \
	"$(grep MiB "$dir/said" || echo 'not refused')"
bar "$tib TiB with blocks of varying size: exit status" "$watched" at-least 1
bar "$tib TiB with blocks of varying size: lines that name the memory" \
	"$(grep -c MiB "$dir/said")" at-least 1
rm "$dir/large"

# Full passes on scaled sizes: around powers of two, and where the table ends.
blocks=1
while [ $blocks -lt "$full" ]; do
	for n in $((blocks - 1)) $blocks $((blocks + 1)) $((blocks * 3 / 2)); do
		[ "$n" -lt 1 ] || "$bench/draws" "$n" >>"$dir/draws"
	done
	blocks=$((blocks * 2))
done
awk '{ n += $1; twice += $2 }
	END { printf "%d whole passes, %d draws: %d repeated\n", NR, n, twice }' "$dir/draws"
bar 'whole passes: repeated blocks' "$(awk '{ n += $2 } END { print n }' "$dir/draws")" at-most 0
"$bench/draws" 2147483648 "$draws" >"$dir/draws"
awk '{ printf "2147483648 blocks, %d draws: %d repeated, %s ns each\n\n", $1, $2, $3 }' "$dir/draws"
bar '2^31 blocks: repeated blocks' "$(awk '{ print $2 }' "$dir/draws")" at-most 0

# ---- A file for every I/O ---------------------------------------------------------------------

open_job() { # open_job PROGRAM
	run_quietly "$1" --name=open --directory="$small" --nrfiles="$files" --filesize=4k \
		--rw=randread --bs=4k --file_service_type=random --openfiles=100 --randrepeat=0 \
		--invalidate=0 --mem=mmap --time_based --runtime="${ms}ms" \
		--output-format=json --output="$dir/json"
	"$TOOLS/jsonq" "$dir/json" 'jobs[0].read.total_ios' 'jobs[0].read.runtime' \
		'jobs[0].usr_cpu' 'jobs[0].sys_cpu' | paste -s -d ' ' - |
		awk '{
			ns = $2 * 1e4 / $1
			printf "%.0f %.1f %.1f\n", $1 * 1000 / $2, $3 * ns, $4 * ns
		}'
}

open_arm() {
	case $1 in
	floor) "$bench/reopen" "$small/open.0" "$files" "$seconds" ;;
	fio-like) open_job "$FIO_LIKE" ;;
	esac >>"$dir/open.$1"
}

arms='floor fio-like'
run_quietly "$FIO_LIKE" --name=open --directory="$small" --nrfiles="$files" --filesize=4k \
	--rw=read --bs=4k --openfiles=100	# lays them out, and reads each once
in_rounds open_arm open
printf '%s files, opened one by one in random order: %s thousand per second; bare: %s; %s of it\n' \
	"$files" "$(rate open fio-like)" "$(rate open floor)" "$(ratio open fio-like floor)"
printf 'CPU ns per I/O, user + system: %s; bare: %s\n\n' \
	"$(mean open fio-like 2) + $(mean open fio-like 3)" \
	"$(mean open floor 2) + $(mean open floor 3)"
bar "$files files, opened one by one, against the floor" "$(ratio open fio-like floor)" \
	at-least 0.80
finish
