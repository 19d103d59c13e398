#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The job files that users run as they are, small: they run, tell their story in numbers, say where
# their files are, and write no more than there is room for. No times are looked at here; t/bench
# compares those.

. "$SRCDIR/t/shell.sh"

export TMPDIR=$PWD PASSES=50 SEEKS=2000 MEMORY=64m
jobs=$SRCDIR/jobs

run_job() { # run_job FILE [ARGUMENT...] - its document in out
	local file=$1
	shift
	run "$fio" "$jobs/$file" --output-format=json "$@"
	same "$file: status" $status 0
	document "$file" out
	check "$file: says where its files are" [ "$(json out fio-like.data_files.count)" -gt 0 ]
	for ((i = 0; i < $(json out fio-like.data_files.count); i++)); do
		check "$file: that is where they are" \
			[ -f "$(json out "fio-like.data_files.files[$i].name")" ]
	done
}
number() { # number JOB PATH - of the job of that name
	local i
	for ((i = 0; ; i++)); do
		case $(json out "jobs[$i].jobname" 2>/dev/null) in
		"$1") json out "jobs[$i].$2"; return ;;
		'') return ;;
		esac
	done
}

# All of them: described, with a variable to scale, parsed without a complaint.
for file in "$jobs"/*.ini; do
	name=${file##*/}
	run "$fio" --parse-only --warnings-fatal "$file"
	same "$name: parses" $status 0
	check "$name: begins with its story" [ "$(head -c 2 "$file")" = '; ' ]
	says "$name: has something to look at" '^; What to look at' "$file"
	says "$name: tells where its files are, or removes them" '^\(tell_files\|unlink\)=1$' "$file"
	says "$name: has a variable to scale it" '\${[A-SU-Z][A-Z]*:-' "$file"
done

# ---- fread.ini: one fault per open with a fresh mapping, none otherwise --------------------------

run_job fread.ini
same 'fread: plain calls' "$(number plain read.total_ios)" $((156 * PASSES))
if [ -z "${SANFLAGS-}" ]; then	# a sanitizer has faults of its own
	for way in plain library user none; do
		between "fread: faults of $way" "$(number $way fio-like.faults.minor)" 0 40
	done
	between 'fread: faults of mmap' "$(number mmap fio-like.faults.minor)" "$PASSES" \
		$((PASSES + 40))
fi
same 'fread: mappings' "$(number mmap fio-like.engine.counters.buffer_mmaps)" "$PASSES"

# ---- fseek.ini: a seek costs a buffer -------------------------------------------------------------

run_job fseek.ini
for buffer in 4 8 16 32 64 128; do
	same "fseek: seeks, ${buffer}k" "$(number buffer-${buffer}k read.total_ios)" $SEEKS
	between "fseek: bytes per seek, ${buffer}k" "$(($(number buffer-${buffer}k \
		fio-like.engine.counters.read_underneath_bytes) / SEEKS))" \
		$((buffer * 1024 * 9 / 10)) $((buffer * 1024))
done
between 'fseek: the library reads a buffer, too' \
	"$(($(number library fio-like.engine.counters.read_underneath_bytes) / SEEKS))" 3600 8388608

# ---- Where there is no room ----------------------------------------------------------------------

if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	for file in fread fseek use-once; do
		run unshare -m sh -c 'mount -t tmpfs -o size=32k none small && "$@"; ls -A small' sh \
			env TMPDIR=$PWD/small "$fio" "$jobs/$file.ini" --output=text
		grep -q 'memory_limit=' err && continue		# refused before that
		room=32.0KiB
		tsan && room=0B		# ThreadSanitizer has a file of its own in TMPDIR
		says "$file, no room" "laying out its files takes .* only $room are free" err
		same "$file, no room: nothing is left" "$(cat out)" ''
	done
fi

# ---- use-once.ini: needs a limit, and then tells what streaming has pushed out -----------------------

run "$fio" --name=probe --ioengine=null --rw=read --size=4k --memory_limit=16m
if [ $status != 0 ]; then
	rm -f fio-like-use-once.*
	run "$fio" "$jobs/use-once.ini"
	same 'use-once without a limit: status' $status 1
	says 'use-once without a limit: why' 'memory_limit=67108864' err
	check 'use-once without a limit: no files' [ ! -e fio-like-use-once.set ]
	[ $failed = 0 ] || finish
	echo "$passed passed, 0 failed, 1 skipped"
	echo 'use-once.ini: no memory control group can be made here'
	exit 0
fi
if tsan; then
	[ $failed = 0 ] || finish
	echo "$passed passed, 0 failed, 1 skipped"
	echo 'use-once.ini: what ThreadSanitizer keeps about memory takes up the memory_limit'
	exit 0
fi
if [ "$(stat -f -c %T .)" = tmpfs ]; then
	echo 'use-once.ini: this folder is on a tmpfs: its pages are the files'
	finish
fi
run "$fio" --name=p --size=4k --rw=read --ioengine=pvsync2 --uncached=1 --unlink=1
if [ $status != 0 ]; then
	echo 'use-once.ini: this kernel has no RWF_DONTCACHE'
	finish
fi
# The arm that MADV_RANDOM decides; t/bench/stories.sh and doc/stories.md have the other.
only=(--section=clean-up)
for name in cold warm-2 again {stream,after}-{read,copy,uncached,direct,behind}; do
	only+=(--section=random.$name)
done
run_job use-once.ini "${only[@]}"
pages=$((21 * 256))		# 33% of 64 MiB, in whole MiB
same 'use-once: pages' "$(number random.cold fio-like.cache.before.pages)" $pages
same 'use-once: cold, faults' "$(number random.cold fio-like.faults.major)" $pages
same 'use-once: warm, faults' "$(number random.warm-2 fio-like.faults.major)" 0
same 'use-once: the advice is named' "$(number random.warm-2 fio-like.cache.advice)" random
same 'use-once: streamed' "$(number random.stream-read read.io_bytes)" $((256 << 20))
same 'use-once: copied' "$(number random.stream-copy fio-like.engine.counters.copied_bytes)" \
	$((256 << 20))
for way in read copy; do
	between "use-once: still cached after $way" \
		"$(number random.after-$way fio-like.cache.before.cached_percent)" 0 50
	between "use-once: major faults after $way" \
		"$(number random.after-$way fio-like.faults.major)" $((pages / 2)) $pages
done
# Those two are in the way for a moment, for the disk reads megabytes ahead: of so small a memory
# that is much, and now and then a part of the mapped file goes.
for way in uncached behind; do
	between "use-once: still cached after $way" \
		"$(number random.after-$way fio-like.cache.before.cached_percent)" 50 100
done
between 'use-once: still cached after direct' \
	"$(number random.after-direct fio-like.cache.before.cached_percent)" 95 100
between 'use-once: major faults after direct' \
	"$(number random.after-direct fio-like.faults.major)" 0 9
same 'use-once: the copy is gone' "$(ls fio-like-use-once.copy 2>/dev/null)" ''
same 'use-once: bytes left' "$(json out fio-like.data_files.count)" 2

finish
