#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Streaming that leaves the page cache as it was: advice as the job goes, and uncached I/O. What is
# left of the file in the cache tells whether the kernel was told, and what.

. "$SRCDIR/t/shell.sh"

not_on_tmpfs

json=(--output-format=json)
page=$(getconf PAGESIZE)
mib=$((1 << 20))
cached() { # MiB, rounded up
	echo $((($(json out 'jobs[0].fio-like.cache.after.cached') * page + mib - 1) / mib))
}
stream() { # stream ARGUMENT... - 16 MiB of a file
	run "$fio" "${json[@]}" --name=a --filename=data --size=16m --bs=64k "$@"
	same "$*: status" $status 0
	same "$*: bytes" "$(($(json out 'jobs[0].read.io_bytes') +
			     $(json out 'jobs[0].write.io_bytes')))" "${bytes-$((16 * mib))}"
}

# ---- Behind ------------------------------------------------------------------------------------

behind=(--fadvise_hint=dontneed-behind --fadvise_distance=1m)
for how in --ioengine=psync --ioengine=sync '--ioengine=io_uring --iodepth=8' \
	'--ioengine=psync --disable_lat=1 --disable_clat=1 --disable_slat=1'; do
	stream $how --rw=read "${behind[@]}"
	between "$how: left" "$(cached)" 1 5
	between "$how: advised" "$(json out 'jobs[0].fio-like.cache.advised_bytes')" \
		$((14 * mib)) $((15 * mib))
done
same 'advice in force' "$(json out 'jobs[0].fio-like.cache.advice')" dontneed-behind
# What was written is on storage before it is dropped.
for how in '--ioengine=psync' '--ioengine=libaio --iodepth=4'; do
	stream $how --rw=write "${behind[@]}"
	between "$how, written: left" "$(cached)" 1 5
done
# Of a pass that is over all is behind.
bytes=$((48 * mib))
stream --rw=read --loops=3 "${behind[@]}"
between 'three passes: left' "$(cached)" 1 5
between 'three passes: advised' "$(json out 'jobs[0].fio-like.cache.advised_bytes')" \
	$((46 * mib)) $((47 * mib))
# Several files, each with a behind of its own.
bytes=$((16 * mib))
stream --rw=read --filename=data2 "${behind[@]}"
between 'two files: left' "$(cached)" 2 8
# A large distance keeps much.
stream --rw=read --fadvise_hint=dontneed-behind --fadvise_distance=8m
between 'far behind: left' "$(cached)" 8 12
stream --rw=read --fadvise_hint=sequential
same 'without: left' "$(cached)" 16
same 'without: advised' "$(json out 'jobs[0].fio-like.cache.advised_bytes')" 0
# What is mapped cannot be dropped, and the result says so.
run "$fio" --name=a --filename=data --size=16m --bs=64k --rw=read --ioengine=mmap "${behind[@]}"
says 'mapped: a note' '  note         : .*stayed in the page cache' out

# ---- Ahead -------------------------------------------------------------------------------------

run "$fio" "${json[@]}" --name=a --filename=data --size=16m --bs=4k --rw=read --number_ios=1 \
	--fadvise_hint=willneed-ahead --fadvise_distance=4m
same 'ahead: status' $status 0
between 'ahead: fetched' "$(cached)" 4 16
same 'ahead: advised' "$(json out 'jobs[0].fio-like.cache.advised_bytes')" $((4 * mib))
stream --rw=read --fadvise_hint=willneed-ahead
same 'ahead, to the end: advised' "$(json out 'jobs[0].fio-like.cache.advised_bytes')" \
	$((16 * mib - 65536))

# ---- Where it makes no sense -------------------------------------------------------------------

run "$fio" --parse-only --name=a --size=1m --rw=randread --fadvise_hint=dontneed-behind
same 'random: refused' $status 1
says 'random: why' 'fadvise_hint=dontneed-behind: random I/O has no behind' err
run "$fio" --name=a --filename=data --size=1m --rw=read --bs=64k --direct=1 \
	--fadvise_hint=willneed-ahead
says 'direct: a note' 'note: .*fadvise_hint=willneed-ahead has no effect: direct=1' out
run "$fio" --parse-only --name=a --size=1m --rw=read --fadvise_hint=dontneed-behinx
says 'a typo' 'did you mean dontneed-behind' err

# ---- Uncached ----------------------------------------------------------------------------------

run "$fio" "${json[@]}" --name=a --filename=data --size=1m --bs=64k --rw=read --ioengine=pvsync2 \
	--uncached=1
if [ $status != 0 ]; then
	says 'uncached: refused with the reason' 'RWF_DONTCACHE (uncached) needs Linux 6.14' err
else
	for how in --ioengine=pvsync2 '--ioengine=io_uring --iodepth=4'; do
		stream $how --uncached=1 --rw=read
		between "$how, uncached read: left" "$(cached)" 0 1
		# Into new blocks: of old ones Linux 6.18 keeps the pages on ext4.
		rm data
		stream $how --uncached=1 --rw=write --end_fsync=1 --create_on_open=1
		between "$how, uncached write: left" "$(cached)" 0 1
	done
fi

finish
