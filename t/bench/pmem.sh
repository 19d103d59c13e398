#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where libpmem's time goes: it ought to be the copy. 128 KiB at a time over a file that is a
# multiple of it, so that a block ends where the mapping ends on every pass; by a bare loop of the
# same calls (t/bench/pmem_floor), by fio-like and by fio's engine, in turns, on tmpfs that is taken
# for persistent memory.
#
#	BENCH_PMEM_DIR	where the file lies (/dev/shm)	BENCH_PMEM_MIB	its size (256)
#	and what lib.sh names

set -eu
BENCH_DIR=${BENCH_PMEM_DIR:-/dev/shm}
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_PMEM_MIB:-256}
file=$dir/data
export PMEM_IS_PMEM_FORCE=1

if [ ! -f "$BUILDDIR/engines/libpmem.so" ]; then
	echo 'skip: libpmem: it is not installed'
	finish
	exit
fi
if [ -n "$fio" ] && ! "$fio" --enghelp | grep -q '[[:space:]]libpmem$'; then
	echo 'skip: the arms of fio: it has no engine libpmem'
	fio= arms='floor fio-like'
fi

run_job() { # run_job PROGRAM WORK: prints I/Os per second
	program=$1 rw=write direct=0
	case $2 in
	read) rw=read ;;
	direct) direct=1 ;;
	esac
	run_quietly "$program" --name=bench --ioengine=libpmem --rw=$rw --direct=$direct --bs=128k \
		--filename="$file" --size="${mib}m" --invalidate=0 --mem=mmap --time_based \
		--runtime="${ms}ms" --output-format=json --output="$dir/json"
	"$TOOLS/jsonq" "$dir/json" "jobs[0].$rw.total_ios" "jobs[0].$rw.runtime" |
		awk 'NR == 1 { ios = $1 } NR == 2 { printf "%.0f\n", ios * 1000 / $1 }'
}

run_arm() { # run_arm ARM WORK: appends to the file $dir/WORK.ARM
	case $1 in
	floor) "$BUILDDIR/t/bench/pmem_floor" "$2" "$file" "$seconds" ;;
	fio-like) run_job "$FIO_LIKE" "$2" ;;
	fio) run_job "$fio" "$2" ;;
	esac >>"$dir/$2.$1"
}

make_file "$file" "$mib"
in_rounds run_arm read direct temporal

echo "libpmem, 128 KiB of $mib MiB on tmpfs; medians of $rounds rounds of $ms ms, on"
machine
echo
gib() { # gib WORK ARM: GiB per second
	middle "$1" "$2" 1 0.0001220703125 '%.2f'
}
printf '%-20s %10s %10s %10s %10s %10s %10s\n' 'GiB per second' floor fio-like fio \
	like:floor fio:floor like:fio
while read -r work name; do
	printf '%-20s %10s %10s %10s %10s %10s %10s\n' "$name" "$(gib $work floor)" \
		"$(gib $work fio-like)" "$(gib $work fio)" "$(ratio $work fio-like floor)" \
		"$(ratio $work fio floor)" "$(ratio $work fio-like fio)"
done <<END
read reads
direct writes, direct=1
temporal writes, direct=0
END
echo

bar 'libpmem reads against bare memcpy' "$(ratio read fio-like floor)" at-least 0.90
bar 'libpmem writes, direct=1, against the bare call' "$(ratio direct fio-like floor)" \
	at-least 0.90
bar 'libpmem writes, direct=0, against the bare call' "$(ratio temporal fio-like floor)" \
	at-least 0.90
for work in read direct temporal; do
	bar "libpmem against fio, $work" "$(ratio $work fio-like fio)" at-least 1
done
finish
