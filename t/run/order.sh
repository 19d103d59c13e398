#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The order of I/Os as a whole program issues them: the same for the same seed, whoever serves them;
# every block once where that is promised; and random as the statistics of randomness demand. The
# seeds are fixed, so that a bound either holds always or never.

. "$SRCDIR/t/shell.sh"

stats=$TOOLS/stats
null=(--name=a --ioengine=null)

# What was pending is told of once more when it ends.
issues() { # issues FILE - the lines of the beginnings
	awk '
		{
			match($0, /: slot [0-9]*:/)
			slot = $2 substr($0, RSTART, RLENGTH)
		}
		!RSTART { next }
		/: pending$/ { pending[slot] = 1; print; next }
		!pending[slot] { print }
		{ pending[slot] = 0 }' "$1"
}
order() { # order ARGUMENT... - "write 4096 8192 a.0.0" for each I/O as it was issued, into list
	status=0
	timeout -k 5 60 "$fio" --output-format=json --debug=io "$@" >out 2>io || status=$?
	issues io >issued
	sed -n 's/.*: \([a-z_]*\) of \([0-9]*\) bytes at \([0-9]*\) of \([^ :]*\): .*/\1 \2 \3 \4/p
		' issued >list
	[ $status = 0 ] && [ -s list ] || not_ok "status $status of: $*" io
}
blocks() { # blocks BYTES - the numbers of the blocks in list
	awk -v b="$1" '{ printf "%.0f\n", ($3 - $3 % b) / b }' list
}
equal() { # equal WHAT A B - two lists
	if cmp -s "$2" "$3"; then ok; else not_ok "$1: another order" <(diff "$2" "$3"); fi
}
differ() { # differ WHAT A B
	if cmp -s "$2" "$3"; then not_ok "$1: the same order"; else ok; fi
}

# ---- The same for the same seed ----------------------------------------------------------------

engines='sync psync vsync pvsync pvsync2 mmap stdio null io_uring libaio'
absent=
for engine in $engines; do
	has_engine $engine || absent="$absent $engine"
done

# alike WHAT ARGUMENT... - every engine, as process and thread, flat and deep, has one order
alike() {
	local what=$1 engine how
	shift
	order --name=a --ioengine=psync "$@"
	cp list first
	for engine in $engines; do
		case $absent in *" $engine"*) continue ;; esac
		for how in '' --thread --iodepth=8; do
			order --name=a --ioengine=$engine $how "$@"
			equal "$what: $engine $how" list first
		done
	done
}
alike 'random reads' --rw=randread --size=400k
alike 'all at once' --rw=randrw:2 --size=400k --nrfiles=3 --bssplit=4k/50:8k/:16k/10 \
	--file_service_type=random --norandommap --percentage_random=70
alike 'with a map' --rw=randwrite --size=300k --bsrange=4k-16k --loops=2 --fsync=7

order "${null[@]}" --rw=randread --size=1m
cp list first
order "${null[@]}" --rw=randread --size=1m
equal 'again' list first
order "${null[@]}" --rw=randwrite --size=1m
sed 's/^write/read/' list >writes
equal 'writes and the reads that check them' writes first
order "${null[@]}" --rw=randread --size=1m --randseed=4711
differ 'another seed' list first
order "${null[@]}" --rw=randread --size=1m --randrepeat=0
cp list unrepeated
differ 'randrepeat=0 and 1' list first
order "${null[@]}" --rw=randread --size=1m --randrepeat=0
differ 'randrepeat=0' list unrepeated
order "${null[@]}" --rw=randread --size=1m --numjobs=2 --filename=shared
one_of() { # one_of HEAD_OR_TAIL - the I/Os of the first or last process in io
	local pid
	pid=$(awk '/: slot/ { print $2 }' io | sort -un | "$1" -n 1)
	issues io | awk -v pid="$pid" '$2 == pid { sub(/.*: slot /, ""); print }'
}
differ 'the orders of two clones' <(one_of head) <(one_of tail)
check 'two clones: all I/Os of each' [ "$(one_of head | wc -l)" = 256 ]
order "${null[@]}" --rw=randwrite --size=256k --bsrange=4k-32k
cp list first
order "${null[@]}" --rw=randread --size=256k --bsrange=4k-32k
sed -i 's/^read/write/' list
equal 'sizes, too' list first

# ---- Each block once ---------------------------------------------------------------------------

for n in 1 2 3 5 64 100 255 256 1000 4999; do
	order "${null[@]}" --rw=randread --bs=512 --size=$((n * 512))
	check "$n blocks" "$stats" once $n < <(blocks 512)
	order "${null[@]}" --rw=randwrite --bs=512 --size=$((n * 512)) --norandommap \
		--random_generator=lfsr
	check "$n blocks, lfsr" "$stats" once $n < <(blocks 512)
done
order "${null[@]}" --rw=randtrim --bs=4k --size=280m
check 'more blocks than the table holds' "$stats" once 71680 < <(blocks 4096)

pieces() { # the 4 KiB pieces that the I/Os in list cover
	awk '{ for (i = 0; i < $2; i += 4096) print int(($3 + i) / 4096) }' list
}
for sizes in --bsrange=4k-64k --bssplit=4k/30:12k/30:64k/40 --bs=4k,16k; do
	order "${null[@]}" --rw=randwrite --size=4m $sizes
	check "every piece once, $sizes" "$stats" once 1024 < <(pieces)
done
order "${null[@]}" --rw=randread:3 --size=1m
check 'every block once, in runs' "$stats" once 256 < <(blocks 4096)
order "${null[@]}" --rw=randread --size=1m --percentage_random=40
check 'every block once, half in order' "$stats" once 256 < <(blocks 4096)

# ---- Random ------------------------------------------------------------------------------------

# A runs test of small files over many seeds: z is normal, the squares add up to chi-square of 25.
for n in 256 1000; do
	for seed in $(seq 25); do
		order "${null[@]}" --rw=randread --size=$((n * 4096)) --randseed="$seed"
		blocks 4096 | "$stats" runs
	done >z
	between "runs of $n blocks: squares" "$(awk '{ s += $1 * $1 } END { print s }' z)" 8 54
	between "runs of $n blocks: sum" "$(awk '{ s += $1 } END { print s / 5 }' z)" -3.3 3.3
done
for size in 64m 512m 16g 1t 32t; do
	order "${null[@]}" --rw=randread --size=$size --number_ios=15000
	between "runs, $size" "$(blocks 4096 | "$stats" runs)" -3.3 3.3
	order "${null[@]}" --rw=randread --size=$size --number_ios=15000 --norandommap
	between "runs, $size, norandommap" "$(blocks 4096 | "$stats" runs)" -3.3 3.3
done
check '32t: offsets beyond 2^32 blocks' [ "$(blocks 4096 | sort -n | tail -n 1)" -gt 4294967296 ]

order "${null[@]}" --rw=randread --size=4m --io_size=400m --number_ios=50000 --norandommap
between 'positions, norandommap' "$(blocks 4096 | "$stats" chi 1024)" -3.3 3.3
order "${null[@]}" --rw=randread --size=400m --number_ios=10240
between 'positions, first tenth of a pass' "$(blocks $((4 << 20)) | "$stats" chi 100)" -3.3 3.3
order "${null[@]}" --rw=randread --size=400m --number_ios=10240 --random_generator=lfsr
between 'positions, first tenth with lfsr' "$(blocks $((4 << 20)) | "$stats" chi 100)" -3.3 3.3

# ---- Shares ------------------------------------------------------------------------------------

order "${null[@]}" --rw=write --size=200m --bssplit=4k/50:8k/30:16k/20
between 'bssplit' "$(awk '{ print $2 == 4096 ? 0 : $2 == 8192 ? 1 : 2 }' list |
	"$stats" chi 3 50 30 20)" -1 5
order "${null[@]}" --rw=rw --size=200m --bssplit=4k/25:8k/75,16k/:32k/:64k/50
between 'bssplit of reads' "$(sed -n 's/^read //p' list |
	awk '{ print ($1 == 8192) }' | "$stats" chi 2 25 75)" -1 5
between 'bssplit of writes' "$(sed -n 's/^write //p' list |
	awk '{ print $1 == 16384 ? 0 : $1 == 32768 ? 1 : 2 }' | "$stats" chi 3 25 25 50)" -1 5
order "${null[@]}" --rw=write --size=200m --bsrange=4k-64k
between 'bsrange: each multiple' "$(awk '{ print $2 / 4096 - 1 }' list | "$stats" chi 16)" -3.3 5
order "${null[@]}" --rw=randrw --size=40m --rwmixread=30 --norandommap
between 'rwmixread' "$(awk '{ print ($1 == "write") }' list | "$stats" chi 2 30 70)" -1 5
order "${null[@]}" --rw=randread --size=100m --percentage_random=30 --norandommap
between 'percentage_random' "$(awk '{ print ($3 == end); end = $3 + $2 }' list |
	"$stats" chi 2 30 70)" -1 5
order "${null[@]}" --rw=randread:4 --size=100m --norandommap --number_ios=20000
between 'runs of 4' "$(awk '{ n += $3 != end; end = $3 + $2 } END { print n }' list)" 4990 5001
order "${null[@]}" --rw=randread:4 --rw_sequencer=identical --size=100m --number_ios=20000
between 'four of the same' "$(awk '{ n += $3 != last; last = $3 } END { print n }' list)" 4990 5001

far=(--size=100m --number_ios=20000)
order "${null[@]}" "${far[@]}" --rw=randread --random_distribution=zoned:60/10:30/20:8/30:2/40
between zoned "$(awk '{ p = $3 / 1048576; print p < 10 ? 0 : p < 30 ? 1 : p < 60 ? 2 : 3 }' list |
	"$stats" chi 4 60 30 8 2)" -1.3 5
order "${null[@]}" "${far[@]}" --rw=randrw --random_distribution=zoned:90/50:10/50,20/50:80/50
between 'zoned, reads' "$(sed -n 's/^read //p' list | awk '{ print ($2 >= 52428800) }' |
	"$stats" chi 2 90 10)" -1 5
between 'zoned, writes' "$(sed -n 's/^write //p' list | awk '{ print ($2 >= 52428800) }' |
	"$stats" chi 2 20 80)" -1 5
order "${null[@]}" "${far[@]}" --rw=randwrite --random_distribution=zoned_abs:70/4m:30/96m
between zoned_abs "$(awk '{ print ($3 >= 4194304) }' list | "$stats" chi 2 70 30)" -1 5
order "${null[@]}" "${far[@]}" --rw=randread --random_distribution=normal:10
between normal "$(awk '{ d = ($3 + 2048) / 1048576 - 50; d = d < 0 ? -d : d
	print d < 10 ? 0 : d < 20 ? 1 : 2 }' list | "$stats" chi 3 68.2689 27.181 4.5501)" -1 5
order "${null[@]}" --size=100m --number_ios=9 --rw=randread --random_distribution=sequence:0,7,3
same sequence "$(blocks 4096 | tr '\n' ' ')" '0 7 3 0 7 3 0 7 3 '

# ---- The same shape as fio's -------------------------------------------------------------------

theirs() { # theirs ARGUMENT... - the blocks that fio chose
	rm -f iolog
	fio --output-format=json "${null[@]}" --write_iolog=iolog "$@" >out 2>err ||
		not_ok "fio: $*" err
	awk '$(NF - 2) == "read" { print $(NF - 1) / 4096 }' iolog >theirs
}
popular() { # popular WHAT - shares of the most frequent 1%, 5%, 20% of the blocks are near
	"$stats" top 16384 1 5 20 <theirs >top.theirs
	blocks 4096 | "$stats" top 16384 1 5 20 >top.ours
	if paste top.theirs top.ours | awk '{ d = $1 - $2; if (d > 3 || d < -3) exit 1 }'; then
		ok
	else
		not_ok "$1" top.theirs top.ours
	fi
}
if command -v fio >/dev/null && fio --version | grep -q '^fio-3'; then
	size=(--size=64m --io_size=240m --rw=randread)
	for law in zipf:0.6 zipf:0.9 zipf:1.1 zipf:1.4 pareto:0.1 pareto:0.3 pareto:0.5; do
		theirs "${size[@]}" --random_distribution=$law
		order "${null[@]}" "${size[@]}" --random_distribution=$law
		popular "as fio: $law"
	done
	for law in zoned:60/10:30/20:10/70 zoned_abs:80/16m:20/48m; do
		theirs "${size[@]}" --random_distribution=$law
		order "${null[@]}" "${size[@]}" --random_distribution=$law
		blocks 4096 >ours
		between "as fio: $law" "$("$stats" ks2 theirs <ours)" 0 1.95
	done
	theirs "${size[@]}" --norandommap
	between 'fio, norandommap: uniform' "$("$stats" ks 16384 <theirs)" 0 1.95
	order "${null[@]}" "${size[@]}" --norandommap
	between 'norandommap: uniform' "$(blocks 4096 | "$stats" ks 16384)" 0 1.95
fi

finish
