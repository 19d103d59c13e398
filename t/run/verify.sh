#!/bin/bash
# SPDX-License-Identifier: MIT
#
# verify: what is written is read back and right, what is wrong is found and told truly, and runs
# that could not tell are refused.

. "$SRCDIR/t/shell.sh"

vcheck=$TOOLS/vcheck
kinds='md5 crc64 crc32c crc32 crc16 crc7 xxhash sha512 sha256 sha1 sha3-224 sha3-256 sha3-384 sha3-512'

out() { # out PATH - of the last document
	json out "$1"
}
go() { # go STATUS ARGUMENT...
	run_to "$1" "$fio" --output-format=json --name=a --filename=f --bs=4k "${@:2}"
}
counts() { # counts WHAT WRITES READS
	same "$1: writes" "$(out 'jobs[0].write.total_ios')" "$2"
	same "$1: reads" "$(out 'jobs[0].read.total_ios')" "$3"
}
damage() { # damage BYTE - one byte of f becomes another
	local was
	was=$(od -An -tu1 -j"$1" -N1 f)
	printf "\\x$(printf %x $((was ^ 64)))" | dd of=f bs=1 seek="$1" conv=notrunc 2>dd.err
}
copy_block() { # copy_block FROM TO - of 4096 bytes
	dd if=f of=f bs=4096 skip="$1" seek="$2" count=1 conv=notrunc 2>dd.err
}
wrong() { # wrong WHAT PATTERN OFFSET - the job that wrote it, and says so
	go 1 --size=256k --verify=crc32c --rw=write --verify_only
	says "$1" "$2" err
	says "$1: where" "offset $3," err
	same "$1: error" "$(out 'jobs[0].error')" 84
}

# ---- Every kind, every engine -----------------------------------------------------------------

for kind in $kinds meta null; do
	go 0 --size=256k --verify="$kind" --rw=randwrite
	counts "$kind" 64 64
	go 0 --size=256k --verify="$kind" --rw=read
	[ $kind = null ] && continue
	damage $((20 * 4096 + 20))	# in the header
	go 1 --size=256k --verify="$kind" --rw=read
	says "$kind: the header" "offset 81920" err
	[ $kind = meta ] && continue
	go 0 --size=256k --verify="$kind" --rw=randwrite
	damage $((30 * 4096 + 2000))
	go 1 --size=256k --verify="$kind" --rw=read
	says "$kind: the byte" "offset 122880, length 4096: .*first wrong byte 2000 .*damaged: 1 b" err
done
for pattern in pattern pattern_hdr; do
	go 0 --size=256k --verify=$pattern --verify_pattern='"abc"%o0x5a' --rw=randwrite
	go 0 --size=256k --verify=$pattern --verify_pattern='"abc"%o0x5a' --rw=read
	damage $((7 * 4096 + 1000))
	go 1 --size=256k --verify=$pattern --verify_pattern='"abc"%o0x5a' --rw=read
	says "$pattern" "offset 28672, .*first wrong byte 1000 " err
done

for engine in sync psync vsync pvsync pvsync2 mmap stdio io_uring libaio; do
	if ! "$fio" --enghelp=$engine >eng 2>&1; then
		echo "# skipped: engine $engine is not there"
		continue
	fi
	for how in --rw=write --rw=randwrite '--rw=randrw' '--rw=randwrite --norandommap' \
		   '--rw=randwrite --verify_backlog=8' '--rw=randwrite:4' '--rw=write:4k' \
		   '--rw=randwrite --bsrange=4k-32k' '--rw=write --loops=2' \
		   '--rw=randwrite --random_distribution=zipf:1.2 --thread' \
		   '--rw=write --verify_interval=512 --verify_offset=40' \
		   '--rw=write --bssplit=4k/50:12k/50 --blockalign=4k'; do
		rm -f f
		go 0 --size=512k --ioengine=$engine --iodepth=8 --verify=crc32c $how
		same "$engine $how: no wrong block" "$(out 'jobs[0].fio-like.verify.wrong')" 0
	done
done

# ---- Counts as fio's --------------------------------------------------------------------------

rm -f f
go 0 --size=1m --verify=crc32c --rw=write
counts 'write' 256 256
go 0 --size=1m --verify=crc32c --rw=write --loops=2
counts 'loops' 512 512
go 0 --size=1m --verify=crc32c --rw=write --io_size=2m
counts 'io_size beyond size' 512 256
go 0 --size=1m --verify=crc32c --rw=write --number_ios=100
counts 'number_ios' 100 100
go 0 --size=1m --verify=crc32c --rw=write --do_verify=0
counts 'do_verify=0' 256 0
go 0 --size=1m --verify=crc32c --rw=write --verify_only
counts 'verify_only' 256 256
go 0 --size=1m --verify=crc32c --rw=write --verify_only --do_verify=0
says 'verify_only of nothing' 'verify_only has no effect with do_verify=0' out
go 0 --size=1m --verify=crc32c --rw=read --loops=2
counts 'loops of a read' 0 512
go 0 --size=1m --verify=crc32c --rw=randwrite --verify_backlog=10 --verify_backlog_batch=3
counts 'backlog and batch' 256 256
go 0 --size=1m --verify=crc32c --rw=write --time_based --runtime=100ms
counts 'time_based: all that is there is read' "$(out 'jobs[0].write.total_ios')" 256

for engine in psync io_uring; do
	"$fio" --enghelp=$engine >eng 2>&1 || continue
	rm -f f
	go 0 --size=64m --verify=crc32c --rw=write --verify_backlog=3 --rate_iops=,2000 --iodepth=4 \
		--ioengine=$engine --time_based --runtime=150ms
	same "$engine: a check that the end of the time has cut off comes still" \
		"$(out 'jobs[0].read.total_ios')" "$(out 'jobs[0].write.total_ios')"
done

# ---- The independent checker agrees -----------------------------------------------------------

for how in '--bs=4k' '--bs=4k --verify_interval=512' '--bs=12k --verify_interval=1024' '--bs=1000'; do
	rm -f f
	block=$(echo "$how" | sed -n 's/.*=\([0-9k]*\)$/\1/p')
	bytes=$(case $block in *k) echo $((${block%k} * 1024)) ;; *) echo $block ;; esac)
	go 0 --size=240000 --verify=crc32c --rw=randwrite $how
	same "checker, $how" "$("$vcheck" f $bytes 0 "$(out 'jobs[0].write.io_bytes')")" \
		"$(($(out 'jobs[0].write.io_bytes') / bytes)) right, 0 wrong"
done
go 0 --size=64k --verify=meta --rw=write --offset=64k
same 'checker, offset' "$("$vcheck" f 4096 65536 65536)" '16 right, 0 wrong'
damage 70000
same 'checker, damage' "$("$vcheck" f 4096 65536 65536 | head -n 1)" 'offset 69632: payload'

# ---- What happened to a block -----------------------------------------------------------------

prepare() {
	rm -f f
	go 0 --size=256k --verify=crc32c --rw=write
}
prepare
cp f old
go 0 --size=256k --verify=crc32c --rw=write --loops=2
go 0 --size=256k --verify=crc32c --rw=write --verify_only --loops=2 --verify_write_sequence=0
prepare
copy_block 3 9
wrong 'another block' 'misplaced: the block of offset 12288 as write 4 left it' 36864
prepare
dd if=/dev/zero of=f bs=4096 seek=5 count=1 conv=notrunc 2>dd.err
wrong 'zeros' 'zeros: nothing was written there' 20480
prepare
dd if=/dev/urandom of=f bs=4096 seek=5 count=1 conv=notrunc 2>dd.err
wrong 'noise' 'noise: ' 20480
prepare
dd if=/dev/zero of=f bs=512 seek=43 count=5 conv=notrunc 2>dd.err
wrong 'torn' 'torn: right from byte 0 to 1536' 20480
prepare
dd if=f of=shifted bs=512 skip=39 count=8 2>dd.err
dd if=shifted of=f bs=512 seek=40 conv=notrunc 2>dd.err
wrong 'shifted' 'misplaced: its own data shifted by 512 bytes' 20480

# an older version: the first loop's, put back after the second
rm -f f
go 0 --size=256k --verify=crc32c --rw=write
cp f old
go 0 --size=256k --verify=crc32c --rw=write --loops=2
dd if=old of=f bs=4096 skip=8 seek=8 count=1 conv=notrunc 2>dd.err
go 1 --size=256k --verify=crc32c --rw=write --loops=2 --verify_only
says 'stale' 'offset 32768, .*stale: the block as write 9 left it, before write 73' err

# ---- What is done about it --------------------------------------------------------------------

prepare
damage 5000
damage 50000
go 1 --size=256k --verify=crc32c --rw=read
same 'all are counted' "$(out 'jobs[0].fio-like.verify.wrong')" 2
same 'all are checked' "$(out 'jobs[0].fio-like.verify.blocks')" 64
go 1 --size=256k --verify=crc32c --rw=read --verify_fatal=1
same 'the first ends it' "$(out 'jobs[0].read.total_ios')" 2
go 0 --size=256k --verify=crc32c --rw=read --continue_on_error=verify
same 'first_error' "$(out 'jobs[0].first_error')" 84
same 'total_err' "$(out 'jobs[0].total_err')" 2
go 1 --size=256k --verify=crc32c --rw=write --verify_only --verify_dump=1
check 'received' cmp -s f.4096.received <(dd if=f bs=4096 skip=1 count=1 2>dd.err)
same 'expected: one byte differs' "$(cmp -l f.4096.received f.4096.expected | wc -l)" 1

# ---- What is refused --------------------------------------------------------------------------

refused() { # refused WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2
	shift 2
	rm -f f
	go 1 --size=1m "$@"
	says "$what" "$pattern" err
	check "$what: nothing was written" [ ! -s f ]
}
refused 'two jobs' 'job a verifies f, bytes 0 to 1048576, while job a writes there' \
	--verify=crc32c --rw=write --numjobs=2
refused 'a name' "'crc32x' is no kind of verify (did you mean crc32" --verify=crc32x --rw=write
refused 'no pattern' 'verify=pattern needs the bytes: give verify_pattern=' --verify=pattern --rw=write
refused 'unaligned' 'without bs_unaligned' --verify=crc32c --rw=randwrite --bsrange=1k-8k --bs_unaligned
refused 'too small' 'a block with its header needs 120' --verify=sha512 --rw=write --bs=64
go 0 --size=1m --verify=crc32c --rw=write --numjobs=2 --offset_increment=1m
rm -f f
run "$fio" --name=g --filename=f --size=1m --verify=crc32c --rw=write --name=h --filename=f --size=1m \
	--verify=md5 --rw=write --stonewall
same 'one after the other' $status 0

finish
