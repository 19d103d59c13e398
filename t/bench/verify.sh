#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What verifying costs. A file that is written and read back from the page cache, by fio-like and by
# fio in turns, with three checksums and two block sizes: MiB per second of both halves together.
# Then what it adds by O_DIRECT on the disk under BENCH_DIR: 128 KiB with crc32c, against the same
# job of fio-like without verify, reading and writing. With BENCH_DEPTH I/Os in flight, so that blocks
# are made and checked while the device works on others: that is what is judged. One at a time there
# is nothing to hide them behind, and they show; those rows are to be seen. (Most of what a write
# loses there is the device's: it takes longer for data that has just been made, and lies in the
# caches of the CPU; refill_buffers=1 without verify shows the same.)
#
# From the page cache means a file of tmpfs, where there is a /dev/shm: neither program waits for a
# disk then when it syncs. fio cannot be told to read back only, so the halves are one job, and each
# half counts as long as the program itself says it took.
#
#	BENCH_MIB	size of the file (256)
#	BENCH_DEPTH	I/Os in flight on the disk (8)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
mib=${BENCH_MIB:-256} depth=${BENCH_DEPTH:-8} data=$dir/data cached=$dir/data
arms='fio-like fio' works= disk=disk
[ -n "$fio" ] || arms=fio-like
if [ -w /dev/shm ]; then
	cached=$(mktemp "/dev/shm/fio-like-bench-XXXXXX")
	trap 'rm -rf "$dir" "$cached"' EXIT
fi

job() { # job PROGRAM ARGUMENT...
	program=$1
	shift
	"$program" --name=bench --output-format=json --output="$dir/json" --aux-path="$dir" "$@" >"$dir/said" 2>&1 ||
		{ cat "$dir/said" >&2; exit 1; }
}

value() { # value PATH...: of the last job
	for path; do
		"$TOOLS/jsonq" "$dir/json" "jobs[0].$path"
	done
}

# ---- Write and read back, from the page cache -------------------------------------------------

run_cached() { # run_cached ARM KIND BLOCK: appends MiB/s
	program=$FIO_LIKE
	[ "$1" = fio-like ] || program=$fio
	rm -f "$cached"
	job "$program" --filename="$cached" --size="${mib}m" --bs="$3" --rw=write --verify="$2" \
		--ioengine=psync --invalidate=0
	value write.runtime read.runtime | paste -s -d ' ' | awk -v mib="$mib" '
		{ printf "%.1f\n", 2 * mib * 1000 / ($1 + $2 > 0 ? $1 + $2 : 1) }' >>"$dir/$2.$3.$1"
	rm -f "$cached"
}

# ---- By O_DIRECT, with and without ------------------------------------------------------------

run_disk() { # run_disk ARM DIRECTION DEPTH: appends MiB/s; arm: verified or plain
	arm=$1 direction=$2
	set -- "$3" --filename="$data" --size="${mib}m" --bs=128k --rw="$2" --direct=1 \
		--time_based --runtime="${disk_ms}ms"
	[ $arm = plain ] || set -- "$@" --verify=crc32c
	# what was written is not read back within the time of this arm
	case $arm.$direction in
	verified.write) set -- "$@" --do_verify=0 ;;
	esac
	case $1 in
	1) set -- "$@" --ioengine=psync ;;
	*) set -- "$@" --ioengine=libaio --iodepth="$1" ;;
	esac
	work=disk.$direction.$1
	shift
	job "$FIO_LIKE" "$@"
	value $direction.bw_bytes | awk '{ printf "%.1f\n", $1 / 1048576 }' >>"$dir/$work.$arm"
}

prepare_disk() { # what is read and checked
	job "$FIO_LIKE" --filename="$data" --size="${mib}m" --bs=128k --rw=write --direct=1 \
		--verify=crc32c --do_verify=0
}

# ---- The run ----------------------------------------------------------------------------------

make_file "$data" "$mib"
dd if="$data" of=/dev/null bs=4k count=1 iflag=direct 2>"$dir/said" || {
	disk=
	echo "skip: O_DIRECT: $(head -n 1 "$dir/said")"
}
# What a device does varies by itself: shorter turns, and more of them.
disk_ms=$((ms / 4)) disk_arms='plain verified'
round=0
while [ $round -lt "$rounds" ]; do
	for kind in crc32c xxhash sha256; do
		for block in 4k 128k; do
			for arm in $arms; do
				run_cached "$arm" $kind $block
			done
		done
	done
	for turn in 1 2 3 4; do
		[ -n "$disk" ] || break
		prepare_disk
		for direction in read write; do
			for flight in 1 "$depth"; do
				for arm in $disk_arms; do
					run_disk "$arm" $direction "$flight"
				done
			done
		done
		disk_arms="${disk_arms#* } ${disk_arms%% *}"
	done
	next_arms
	round=$((round + 1))
done

echo "Verifying, $mib MiB; medians of $rounds rounds, on"
machine
echo
printf '%-24s %9s %9s %10s\n' 'MiB/s, write and check' fio-like fio like:fio
for kind in crc32c xxhash sha256; do
	for block in 4k 128k; do
		printf '%-24s %9s %9s %10s\n' "$kind, $block" \
			"$(middle $kind.$block fio-like 1 1 '%.0f')" \
			"$(middle $kind.$block fio 1 1 '%.0f')" "$(ratio $kind.$block fio-like fio)"
	done
done
echo
if [ -n "$disk" ]; then
	printf '%-24s %9s %9s %10s\n' 'MiB/s, O_DIRECT, 128k' crc32c without with:out
	for flight in 1 "$depth"; do
		for work in "read.$flight" "write.$flight"; do
			printf '%-24s %9s %9s %10s\n' "${work%.*}, depth $flight" \
				"$(middle disk.$work verified 1 1 '%.0f')" \
				"$(middle disk.$work plain 1 1 '%.0f')" \
				"$(ratio disk.$work verified plain)"
		done
	done
	echo
fi
for kind in crc32c xxhash sha256; do
	for block in 4k 128k; do
		bar "$kind, $block, against fio" "$(ratio $kind.$block fio-like fio)" at-least 1
	done
done
for direction in ${disk:+read write}; do
	bar "O_DIRECT, $direction, depth $depth, against the job without verify" \
		"$(ratio "disk.$direction.$depth" verified plain)" at-least 0.95
done
finish
