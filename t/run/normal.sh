#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The text for people, line by line against that of fio: with numbers, units and times made alike,
# both must print the same lines in the same order. Ours adds lines only behind the last that fio
# has for a job, and behind the whole.

set -u
: "${FIO_LIKE:?}"
FIO=${FIO:-fio}
passed=0
failed=0

[ -x "$FIO_LIKE" ] || { echo "there is no program $FIO_LIKE"; exit 1; }
command -v "$FIO" >/dev/null || {
	echo "fio is not installed, so there is nothing to compare with (apt-get install fio)"
	exit 77
}

# Numbers with their units become N; what depends on how fast it went becomes alike.
alike() {
	sed -E '
		/^fio: /d
		s/^fio-3.*/VERSION/
		s/sync_file_range:/sync_file_range\/syncfs:/
		s/; 0 zone resets//
		s/sectors=[0-9/]+, //
		s/err= ?([0-9]+) \(.*\): pid=/err=\1: pid=/
		s/pid=[0-9]+: .*/pid/
		s/\((nsec|usec|msec)\)/(TIME)/
		s/bw \( *[KM]iB\/s\)/bw (RATE)/
		s/= +/=/g
		s/\[ +/[/g
		s/>=64=/64+=/
		s/[0-9][0-9.]*(k|M|[KMGT]iB|[kMGT]B|B)?(\/s)?(msec|ns|us|ms|s|%)?/N/g
		s/ +:/ :/
		s/^     \|.*/     | PERCENTILES/
		/^  lat \(TIME\) :/s/:.*/: SHARES/
		s/^  [a-z]+[a-zN]*: ios=/  DISK: ios=/
		s/^  +clat \(TIME\)/    clat (TIME)/' | uniq
}

# Without our lines: those of a job come behind its latency line, those of the run at the end, those
# of a group and of percentiles are indented as none of fio's is.
without_own() {
	awk '
		/^Clock: / { exit }
		/^     \* / || /^         [a-z0-9]/ { next }
		/^$/ || /^[^ ]/ { own = 0 }
		!own
		/^ *latency   :/ { own = 1 }' | sed -e '${' -e '/^$/d' -e '}'
}

run() { # run PROGRAM ARGUMENTS... - in a directory that was not there before
	rm -rf scratch && mkdir scratch
	(cd scratch && timeout 30 "$@" --output-format=normal 2>/dev/null)
}

same() { # same NAME ARGUMENTS...
	name=$1
	shift
	# fio leaves a blank line before its first job, and one where a message stood.
	run "$FIO" "$@" | alike | cat -s >fio.text
	run "$FIO_LIKE" "$@" >ours.out
	without_own <ours.out | alike | cat -s >ours.text
	if diff -u fio.text ours.text >why; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "not ok: $name: $*"
		cat why
	fi
}

same read --name=j --rw=read --size=256k
same write --name=j --rw=write --size=256k
same mixed --name=j --rw=randrw --size=1m
same deep --name=j --ioengine=null --rw=randrw --size=4m --iodepth=8 --lat_percentiles=1 \
	--slat_percentiles=1
same trim --name=j --ioengine=null --rw=randtrim --size=1m
same syncs --name=j --rw=write --size=256k --fsync=4
same clones --name=j --ioengine=null --rw=read --size=256k --numjobs=3
same grouped --name=j --ioengine=null --rw=read --size=256k --numjobs=3 --group_reporting
same threads --name=j --ioengine=null --rw=read --size=256k --numjobs=2 --thread
same both-kinds --ioengine=null --rw=read --size=256k --name=a --thread --name=b
same groups --ioengine=null --size=256k --name=a --rw=read \
	--name=b --rw=write --new_group --group_reporting
same description --name=j --ioengine=null --rw=read --size=256k '--description=for a reader'
same percentiles --name=j --ioengine=null --rw=read --size=256k --percentile_list=50:99
same no-percentiles --name=j --ioengine=null --rw=read --size=256k --clat_percentiles=0
same no-clat --name=j --ioengine=null --rw=read --size=256k --disable_clat=1
same no-lat --name=j --ioengine=null --rw=read --size=256k --disable_lat=1
same reduced --name=j --ioengine=null --rw=read --size=256k --gtod_reduce=1
same sampled --name=j --ioengine=null --rw=read --size=256k --time_based --runtime=1200ms
same no-disks --name=j --rw=read --size=256k --disk_util=0
same several-files --name=j --rw=read --size=256k --nrfiles=4
same failed --name=e --rw=write --size=8k --filename=/dev/full

echo "$passed passed, $failed failed"
[ $failed = 0 ]
