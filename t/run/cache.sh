#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The page cache in the result: what a job found and left of its files there, and what storage was
# asked for. The counts of cachestat are checked against what the jobs must have read.

. "$SRCDIR/t/shell.sh"

not_on_tmpfs

json=(--output-format=json)
page=$(getconf PAGESIZE)
pages() { # pages BYTES
	echo $(($1 / page))
}
cache() { # cache PATH [JOB] - of the job's cache object
	json out "jobs[${2:-0}].fio-like.cache.$1"
}

# A job that reads the first half of its file at random positions, so without read-ahead.
mib=$((1 << 20))
half=(--name=a --filename=data --rw=randread --bs=4k)
run "$fio" --name=lay --filename=data --size=2m --rw=read --create_only=1
run "$fio" "${json[@]}" "${half[@]}" --size=1m
same 'status' $status 0
document 'half' out
source=$(cache source)
check 'the source is named' [ "$source" = cachestat -o "$source" = mincore ]
same 'page size' "$(cache page_bytes)" "$page"
same 'pages of the part' "$(cache after.pages)" "$(pages $mib)"
same 'all of it looked at' "$(cache after.looked_at)" "$(pages $mib)"
same 'nothing of it before: it was dropped' "$(cache before.cached)" 0
same 'all of it cached afterwards' "$(cache after.cached)" "$(pages $mib)"
same 'advice in force' "$(cache advice)" random
same 'one file' "$(json out 'jobs[0].fio-like.cache.files[0].name')" data
same 'the same by file' "$(json out 'jobs[0].fio-like.cache.files[0].after.cached')" \
	"$(pages $mib)"
between 'dropping took time of its own' "$(cache invalidate_ms)" 0.0001 10000
if [ "$(cache storage.read_bytes)" != 0 ]; then
	same 'bytes read from storage' "$(cache storage.read_bytes)" $mib
	between 'amplification' "$(cache storage.amplification)" 1 1
fi

run "$fio" "${json[@]}" "${half[@]}" --size=1m --pre_read=1
same 'read before: cached at the start' "$(cache before.cached)" "$(pages $mib)"

# The next finds what this one left, and takes nothing from storage.
run "$fio" "${json[@]}" "${half[@]}" --size=2m --io_size=64k --invalidate=0
between 'found' "$(cache before.cached)" $(($(pages $mib) * 9 / 10)) "$(pages $((2 * mib)))"
same 'nothing was dropped' "$(cache invalidate_ms)" 0.000000

# An offset within a page counts the page.
run "$fio" "${json[@]}" --name=a --filename=data --rw=read --bs=512 --offset=3584 --size=1k
same 'begun pages count' "$(cache after.pages)" 2

# What was written is dirty until somebody syncs it.
run "$fio" "${json[@]}" --name=w --filename=written --rw=write --bs=64k --size=2m
same 'cached after writing' "$(cache after.cached)" "$(pages $((2 * mib)))"
if [ "$source" = cachestat ]; then
	between 'dirty or on its way' "$(($(cache after.dirty) + $(cache after.writeback)))" \
		0 "$(pages $((2 * mib)))"
	run "$fio" "${json[@]}" --name=w --filename=written --rw=write --bs=64k --size=2m --end_fsync=1
	same 'nothing dirty after a sync' "$(cache after.dirty)" 0
fi

# Dirty or not, it is dropped before a job reads it, whatever the engine.
for engine in psync mmap stdio; do
	run "$fio" --name=w --filename=fresh --rw=write --bs=64k --size=256k
	run "$fio" "${json[@]}" --name=r --filename=fresh --rw=read --bs=64k --size=256k \
		--ioengine=$engine
	same "$engine: nothing cached at the start" "$(cache before.cached)" 0
done

# One line in normal output; none, and no object, with cache_stats=0 or without files.
run "$fio" "${half[@]}" --size=64k
says 'the line' "^  cache        : pages=$(pages 65536), cached=0.00%->100.00%.*, by=$source\$" out
same 'one line' "$(grep -c '^  cache  ' out)" 1
run "$fio" "${half[@]}" --size=64k --cache_stats=0
same 'switched off: no line' "$(grep -c '^  cache  ' out)" 0
run "$fio" "${json[@]}" "${half[@]}" --size=64k --cache_stats=0
check 'switched off: no object' [ -z "$(cache source 2>/dev/null)" ]
run "$fio" --name=a --ioengine=null --rw=read --size=1m
same 'without files: no line' "$(grep -c '^  cache  ' out)" 0

# Jobs reported as one: a file they share counts once, files of their own add up.
run "$fio" "${json[@]}" "${half[@]}" --size=256k --numjobs=3 --group_reporting
same 'shared: pages' "$(cache after.pages)" "$(pages $((mib / 4)))"
run "$fio" "${json[@]}" --name=own --size=256k --rw=randread --bs=4k --numjobs=3 --group_reporting
same 'of their own: pages' "$(cache after.pages)" "$(pages $((3 * mib / 4)))"
same 'of their own: cached' "$(cache after.cached)" "$(pages $((3 * mib / 4)))"

# Of many files a sample, and it is said; those that are not open from the start are dropped too.
run "$fio" "${json[@]}" --name=many --nrfiles=100 --filesize=8k --rw=write --bs=8k --end_fsync=1
run "$fio" "${json[@]}" --name=many --nrfiles=100 --filesize=8k --rw=randread --bs=4k \
	--openfiles=2 --number_ios=1
same 'many: files' "$(cache files_total)" 100
same 'many: looked at' "$(cache files_looked_at)" 32
same 'many: pages seen' "$(cache after.looked_at)" "$(pages $((32 * 8192)))"
between 'many: all were dropped' "$(cache after.cached)" 0 2
run "$fio" --name=many --nrfiles=100 --filesize=8k --rw=randread --bs=4k
says 'many: the line says so' 'files=32 of 100$' out

# A file that is gone has no state afterwards; one that was not there had none before.
run "$fio" "${json[@]}" --name=new --size=64k --rw=write --create_on_open=1 --unlink=1
same 'gone: status' $status 0
same 'gone: nothing before' "$(cache before.cached)" 0
check 'gone: no state afterwards' [ -z "$(cache after.cached 2>/dev/null)" ]

# A worker that was killed has told nobody what it took from storage; its files still tell.
set -m
"$fio" "${json[@]}" --name=k --filename=data --size=1m --rw=randread --bs=4k --time_based \
	--runtime=20 >out 2>err </dev/null &
pid=$!
set +m
has_child() {
	[ -n "$(children $pid)" ]
}
soon has_child
sleep 0.3
kill -KILL $(children $pid)
wait $pid
document 'killed' out
check 'killed: state of the files' [ "$(cache after.cached)" -gt 0 ]
check 'killed: storage unknown' [ -z "$(cache storage.read_bytes 2>/dev/null)" ]

finish
