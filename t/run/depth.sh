#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Depth and batches: settings drawn at random move the same bytes as fio, the depth never goes above
# iodepth, and what is handed over and taken back is what the options say to the letter, as strace
# sees it. The distributions of the report are held against the same trace.
#
#	depth.sh [SEED]

. "$SRCDIR/t/shell.sh"

seed=${1:-$RANDOM}
echo "seed $seed"
RANDOM=$seed
FIO=${FIO:-fio}
settings=100

head -c 1m /dev/urandom >data
engines=null
for engine in io_uring libaio; do
	! has_engine $engine || engines="$engines $engine"
done
read -ra engines <<<"$engines"

pick() { # pick VALUE... - one of them, in $picked
	local n=$((RANDOM % $# + 1))
	picked=${!n}
}
below() { # below N - 0 to N - 1, in $picked
	picked=$((RANDOM % $1))
}

# ---- The same as fio -----------------------------------------------------------------------------

# One job of the two job files; what it is goes into the file 'settings'.
draw() { # draw NUMBER
	local name=j$1 depth low batch min max bs ios rw engine
	pick "${engines[@]}"; engine=$picked
	pick read write randread randwrite rw randrw; rw=$picked
	pick 512 1k 4k 16k; bs=$picked
	pick 1 2 3 4 7 8 16 32 33 64 100; depth=$picked
	below $((depth + 1)); low=$picked
	below $((depth + 1)); min=$picked
	max=$((min + RANDOM % (depth - min + 1)))
	pick 1 1 2 3 8 64 $depth all; batch=$picked
	pick 1 1 0; [ "$picked" = 1 ] || max=0
	pick 16 64 200 256; ios=$picked
	[ $depth = 1 ] && [ $engine = null ] && min=1 max=0 low=0
	printf '[%s]\nioengine=%s\nrw=%s\nbs=%s\nsize=%d\niodepth=%d\niodepth_low=%d\n' \
		$name $engine $rw $bs $(($(bytes_of $bs) * ios)) $depth $low >job
	printf 'iodepth_batch_complete_min=%d\niodepth_batch_complete_max=%d\n' $min $max >>job
	[ $(($1 % 20)) != 0 ] || echo stonewall >>job
	{ cat job; [ $batch = all ] || echo "iodepth_batch=$batch"; } >>fio.fio
	{ cat job; echo "iodepth_batch=$batch"; } >>ours.fio
	echo "$engine $rw bs=$bs ios=$ios iodepth=$depth low=$low batch=$batch min=$min max=$max" \
		>>settings
}
bytes_of() { # bytes_of SIZE
	case $1 in *k) echo $((${1%k} * 1024)) ;; *) echo "$1" ;; esac
}

for ((i = 0; i < settings; i++)); do draw $i; done

# amounts FILE - one line per job: error, and I/Os and bytes of reads and of writes.
amounts() {
	local paths=() i
	for ((i = 0; i < settings; i++)); do
		for key in error read.total_ios read.io_bytes write.total_ios write.io_bytes; do
			paths+=("jobs[$i].$key")
		done
	done
	"$jsonq" "$1" "${paths[@]}" | paste -d ' ' - - - - -
}
# ours_only - of our document: depth_max, and how many completion latencies there are.
ours_only() {
	local paths=() i
	for ((i = 0; i < settings; i++)); do
		paths+=("jobs[$i].fio-like.engine.counters.depth_max" "jobs[$i].read.clat_ns.N" \
			"jobs[$i].write.clat_ns.N")
	done
	"$jsonq" out "${paths[@]}" | paste -d ' ' - - -
}

compare() {
	mkdir fio.dir ours.dir
	(cd fio.dir && timeout 60 "$FIO" --thread --output-format=json --output=../fio.json \
		../fio.fio) >fio.err 2>&1
	sed -i "/^{/,\$!d" fio.json		# notes come first
	cd ours.dir || return
	status=0
	timeout 60 "$fio" --output-format=json --output=../out ../ours.fio >../err 2>&1 || status=$?
	cd ..
	same 'random settings: exit status' $status 0
	check 'random settings: nothing on stderr' [ ! -s err ]
	amounts fio.json >fio.amounts
	amounts out >ours.amounts
	ours_only >ours.only
	paste -d ' ' fio.amounts ours.amounts ours.only settings >all
	same 'random settings: as many in both' "$(awk 'NF == 22' all | wc -l)" $settings
	# 1-5 fio, 6-10 ours, 11 depth_max, 12 and 13 latencies, 14- the settings
	awk '
		{
			mixed = $15 ~ /rw$/
			split($17, ios, "=")
			split($18, depth, "=")
			split($21, min, "=")
			why = ""
			if ($1 || $6)
				why = why " error"
			if ($2 + $4 != $7 + $9 || $3 + $5 != $8 + $10)
				why = why " sums"
			if (!mixed && ($2 != $7 || $3 != $8 || $4 != $9 || $5 != $10))
				why = why " amounts"
			if ($12 != $7 || $13 != $9)
				why = why " latencies"
			if ($11 > depth[2] + 0)
				why = why " above iodepth"
			most = ios[2] < depth[2] ? ios[2] + 0 : depth[2] + 0
			if (min[2] + 0 && $11 != most)
				why = why " never full"
			if (why)
				print "job " NR - 1 ":" why ": " $0
		}' all >wrong
	check 'random settings agree' [ ! -s wrong ]
	[ ! -s wrong ] || cat wrong
	cp out random.json
	for key in level submit complete; do
		sums "random settings" random.json iodepth_$key $settings
	done
}
# sums WHAT FILE KEY JOBS - each distribution of this name adds up to 100; what is there at all is
# 0.1 at least.
sums() {
	awk -v key="\"$3\"" -v jobs="$4" '
		$1 == key { on = 1; sum = lifted = 0; next }
		on && /}/ { on = 0; n++; bad += sum < 99.999 || sum > 100.001 + lifted }
		on { sub(",", "", $3); sum += $3; lifted += $3 + 0 == 0.1 ? 0.1 : 0 }
		END { exit bad || n != jobs }' "$2"
	check "$1: $3 adds up" [ $? = 0 ]
}

if command -v "$FIO" >/dev/null; then compare; else echo '# fio is not here: not compared'; fi

# ---- To the letter -------------------------------------------------------------------------------

# Says which calls the settings call for, given what each call that takes back has returned; these
# numbers are read from stdin. The loop of the manual: fill, hand over by batches, then take back
# until low.
letter='
	function take(min, max,	got) {
		if (min > flying)
			min = flying
		if (max > flying)
			max = flying
		if ((getline got) <= 0)
			exit
		print "get " min " " max
		flying -= got
	}
	function hand_over() {
		if (queued)
			print "submit " queued
		queued = 0
	}
	BEGIN {
		if (!low)
			low = depth
		if (batch == "all") {
			batch = depth
			if (!max)
				max = depth
		}
		batch += 0
		if (!batch || batch > depth)
			batch = depth
		if (max < min)
			max = min
		if (!max)
			max = 1
		while (!ended) {
			while (flying < depth && !ended) {
				if (!ios) {
					ended = 1
					break
				}
				ios--
				flying++
				if (++queued == batch) {
					hand_over()
					if (!min)
						take(0, max)
				}
			}
			hand_over()
			if (ended)
				break
			do {
				take(min, max)
			} while (flying > low)
		}
		while (flying)
			take(1, flying)
	}'

# Shares of the buckets, from a trace of 'submit N' and 'get N' lines, as three lines of percent.
shares='
	function bucket(n,	b) {
		if (!n)
			return 0
		for (b = 1; b < 6 && n > 2 * 2 ^ b; b++)
			;
		return b
	}
	function level(n,	b) {
		for (b = 0; n > 1 && b < 6; b++)
			n = int(n / 2)
		return b
	}
	function line(a, sum,	i, share, text) {
		for (i = 0; i < 7; i++) {
			share = sum ? a[i] * 100 / sum : 0
			text = text sprintf("%.3f ", share && share < 0.1 ? 0.1 : share)
		}
		print text
	}
	/^submit/ {
		s[bucket($2)]++
		ns++
		for (i = 0; i < $2; i++) {
			l[level(++flying)]++
			nl++
		}
	}
	/^get/ { g[bucket($2)]++; ng++; flying -= $2 }
	END { line(l, nl); line(s, ns); line(g, ng) }'

reported() { # reported KEY - the line of such shares in the document
	awk -v key="\"$1\"" '
		$1 == key { on = 1; next }
		on && /}/ { exit }
		on { sub(",", "", $3); text = text sprintf("%.3f ", $3) }
		END { print text }' out
}

traced() { # traced ENGINE CALLS OPTION...
	local engine=$1 calls=$2
	shift 2
	run strace -f -qq -e signal=none -e trace="$calls" -o trace "$fio" --output-format=json \
		--name=a --ioengine="$engine" --filename=data --rw=randread --size=512k "$@"
	same "$engine $*: status" $status 0
}
# io_submit(CTX, N, ...) = N and io_getevents(CTX, MIN, MAX, ...) = N
libaio_exact() { # libaio_exact DEPTH LOW BATCH MIN MAX
	local what="libaio $*"
	traced libaio io_submit,io_getevents --iodepth="$1" --iodepth_low="$2" \
		--iodepth_batch="$3" --iodepth_batch_complete_min="$4" \
		--iodepth_batch_complete_max="$5"
	sed -n 's/.*io_submit([^,]*, \([0-9]*\),.*= [0-9].*/submit \1/p
		s/.*io_getevents([^,]*, \([0-9]*\), \([0-9]*\),.*= [0-9].*/get \1 \2/p' trace >made
	sed -n 's/.*io_getevents(.*= \([0-9]*\)$/\1/p' trace >got
	awk -v depth="$1" -v low="$2" -v batch="$3" -v min="$4" -v max="$5" -v ios=128 "$letter" \
		<got >meant
	if ! diff -u meant made >why; then not_ok "$what: calls" why; else ok; fi
	sed -n 's/.*io_submit(.*= \([0-9]*\)$/submit \1/p
		s/.*io_getevents(.*= \([0-9]*\)$/get \1/p' trace | awk "$shares" >true
	{ reported iodepth_level; reported iodepth_submit; reported iodepth_complete; } >told
	if ! diff -u true told >why; then not_ok "$what: distributions" why; else ok; fi
}
# io_uring_enter(FD, SUBMIT, MIN, ...): what is done may be taken without a call.
uring_exact() { # uring_exact DEPTH BATCH MIN
	local what="io_uring $*"
	traced io_uring io_uring_enter --iodepth="$1" --iodepth_batch="$2" \
		--iodepth_batch_complete_min="$3"
	sed -n 's/.*io_uring_enter([0-9]*, \([0-9]*\), \([0-9]*\),.*= [0-9]*$/\1/p' trace |
		grep -v '^0$' >made
	same "$what: enters" "$(json out 'jobs[0].fio-like.engine.counters.enters')" \
		"$(grep -c io_uring_enter trace)"
	sed 's/^/submit /' made | awk "$shares" | sed -n 2p >true
	reported iodepth_submit >told
	if ! diff -u true told >why; then not_ok "$what: distribution" why; else ok; fi
	between "$what: largest submission" "$(sort -n made | tail -n 1)" 1 \
		"$([ "$2" = all ] && echo "$1" || echo "$2")"
	same "$what: all of them" "$(awk '{ n += $1 } END { print n }' made)" 128
	[ "$3" != "$1" ] || same "$what: full batches" "$(sort -nu made | head -n 1)" "$2"
}

if [ -n "${SANFLAGS-}" ] || ! command -v strace >/dev/null ||
	! strace -o trace true 2>/dev/null; then
	echo '# no strace here, or a sanitizer that does not bear it: calls are not looked at'
	finish
fi
case " ${engines[*]} " in
*' libaio '*)
	libaio_exact 1 0 1 1 0
	libaio_exact 4 0 1 1 0
	libaio_exact 16 0 4 1 0
	libaio_exact 16 0 0 1 0
	libaio_exact 16 4 4 1 0
	libaio_exact 16 4 5 3 7
	libaio_exact 16 0 16 16 16
	libaio_exact 32 0 all 1 0
	libaio_exact 32 8 all 4 9
	libaio_exact 100 50 64 10 100
	libaio_exact 16 0 4 0 0
	libaio_exact 16 4 16 0 8 ;;
esac
case " ${engines[*]} " in
*' io_uring '*)
	uring_exact 8 1 1
	uring_exact 16 4 16
	uring_exact 32 8 4
	uring_exact 32 all 8
	uring_exact 64 32 64 ;;
esac
# ---- A pass that fits into the queue -----------------------------------------------------------

for engine in null vsync io_uring; do
	timeout 10 "$fio" --name=a --filename=small --size=128k --bs=4k --rw=randwrite --iodepth=64 \
		--iodepth_batch=all --time_based --runtime=200ms --ioengine=$engine >out 2>err
	same "$engine: it ends in time" $? 0
done

finish
