# SPDX-License-Identifier: MIT
#
# Random job combinations that write and verify: none may raise a false alarm. To be sourced behind
# t/shell.sh. The same seed gives the same combinations; a failed one is printed as a command line.

one_of() { # one_of WORD...
	shift $((RANDOM % $#))
	echo "$1"
}
maybe() { # maybe PERCENT WORD...
	[ $((RANDOM % 100)) -ge "$1" ] || { shift; echo "$*"; }
}

engines() { # those that work here, one per line
	for e in sync psync vsync pvsync pvsync2 mmap stdio io_uring libaio libpmem; do
		"$fio" --name=p --filename=probe --size=4k --rw=write --ioengine=$e >probe.out 2>&1 &&
			echo $e
	done
	rm -f probe probe.out
}

sizes() { # block sizes of a job
	case $((RANDOM % 6)) in
	0 | 1) echo "--bs=$(one_of 512 1k 4k 8k 16k 1000 24k)" ;;
	2) echo "--bsrange=$(one_of 512-4k 1k-16k 4k-32k)" ;;
	3) echo "--bssplit=$(one_of 4k/60:8k/40 512/10:4k/90 1k/30:3k/30:16k/40)" ;;
	4) echo "--bs=4k --verify_interval=$(one_of 512 1024 700 4096 1m)" ;;
	5) echo "--bs=16k --blockalign=$(one_of 4k 8k)" ;;
	esac
}

pattern() {
	one_of --rw=write --rw=randwrite --rw=randwrite --rw=rw --rw=randrw --rw=randwrite:3 \
		'--rw=randrw --norandommap --rwmixread=20' '--rw=randwrite --random_generator=lfsr' \
		'--rw=write:-4k --rw_sequencer=sequential' --rw=randtrimwrite \
		--rw=write:4k --rw=write:-2k '--rw=randwrite --norandommap' \
		'--rw=randwrite --random_distribution=zipf:1.1' \
		'--rw=randwrite --random_distribution=pareto:0.3' \
		'--rw=randwrite --percentage_random=40' '--rw=randwrite:4 --rw_sequencer=identical' \
		--rw=trimwrite
}

combination() {
	echo "--size=$((16 + RANDOM % 400))k $(sizes) $(pattern)" \
		"--ioengine=$(one_of "${all_engines[@]}") --iodepth=$(one_of 1 2 7 16 64)" \
		"--verify=$(one_of crc32c crc32c md5 crc64 crc32 crc16 crc7 xxhash sha1 sha256 sha512 \
			    sha3-256 meta 'pattern --verify_pattern=%o"ab"0x1f' \
			    'pattern_hdr --verify_pattern=-7%o' 'md5 --verify_pattern=0xdeadbeef')" \
		"$(maybe 35 --verify_async=$(one_of 1 2 5))" \
		"$(maybe 30 --trim_percentage=$(one_of 1 20 50 100))" \
		"$(maybe 20 --trim_backlog=$((1 + RANDOM % 30)))" \
		"$(maybe 15 --trim_backlog_batch=$((1 + RANDOM % 30)))" \
		"$(maybe 10 --trim_verify_zero=0)" "$(maybe 5 --verify_pattern_interval=$(one_of 256 512 777))" \
		"$(maybe 30 --verify_backlog=$((1 + RANDOM % 40)))" \
		"$(maybe 30 --verify_backlog_batch=$((1 + RANDOM % 40)))" \
		"$(maybe 20 --loops=$((2 + RANDOM % 2)))" "$(maybe 15 --io_size=$((RANDOM % 900 + 16))k)" \
		"$(maybe 25 --thread)" "$(maybe 25 --numjobs=3)" "$(maybe 20 --nrfiles=4)" \
		"$(maybe 20 --offset=$(one_of 4k 64k 1000))" "$(maybe 15 --number_ios=$((RANDOM % 60 + 1)))" \
		"$(maybe 10 --time_based --runtime=100ms)" "$(maybe 20 --iodepth_batch=all)" \
		"$(maybe 10 --verify_offset=$(one_of 8 40 100))" "$(maybe 15 --fsync=7)" \
		"$(maybe 10 --io_submit_mode=offload)" "$(maybe 15 --randseed=$RANDOM)" "$(maybe 10 --serialize_overlap=1)"
}

# random_runs COUNT SEED - 1 of 20 may be refused; then it says so and has written nothing.
random_runs() {
	local refused=0
	RANDOM=$2
	mapfile -t all_engines < <(engines)
	for ((i = 0; i < $1; i++)); do
		how=$(combination | tr -s ' ')
		rm -f v.*
		run "$fio" --name=v --directory=. $how
		case $status in
		0)
			ok
			# gone through again without writing it finds the same; a run by the time cannot
			case $how in
			*time_based* | *offload*) ;;
			*)
				[ $((RANDOM % 3)) = 0 ] || continue
				run "$fio" --name=v --directory=. $how --verify_only
				[ $status = 0 ] && ok || not_ok "--name=v $how --verify_only" err
				;;
			esac
			;;
		*)
			if grep -q ': error: \|verify cannot keep' err &&
			   ! grep -q 'offset [0-9]*, length' err; then
				refused=$((refused + 1))
			else
				not_ok "--name=v $how: status $status" err
			fi
			;;
		esac
	done
	rm -f v.*
	check "$refused of $1 refused" [ $((refused * 4)) -le "$1" ]
}
