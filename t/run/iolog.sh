#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Logs of I/Os: what a job writes is what it did, in that order; what is replayed is what the log
# says, at its times; a log that makes no sense is refused with its place. What a replay does is seen
# by the log that it writes itself, which is checked against strace first.

. "$SRCDIR/t/shell.sh"

null=(--ioengine=null --size=2g)
untimed() { sed 's/^[0-9]* //' "$1"; }
equal() { # equal WHAT A B - but for the times
	if cmp -s <(untimed "$2") <(untimed "$3"); then ok; else
		not_ok "$1" <(diff <(untimed "$2") <(untimed "$3"))
	fi
}
log() { # log FILE LINE... - an iolog of version 3
	local file=$1
	shift
	{ echo 'fio version 3 iolog'; printf '%s\n' "$@"; } >"$file"
}
ios() { # ios FILE - how many reads, writes, trims, syncs it has
	grep -c -E ' (read|write|trim|sync|datasync) [0-9]+ [0-9]+$' "$1"
}
refused() { # refused WHAT PATTERN ARGUMENT... - the job is, in words
	local what=$1 pattern=$2
	shift 2
	run "$fio" --name=r "$@"
	same "$what: status" $status 1
	says "$what" "$pattern" err
}

# ---- What is written ---------------------------------------------------------------------------

run "$fio" --name=w --size=64k --bs=4k --rw=randrw --nrfiles=2 --fsync=4 --end_fsync=1 \
	--write_iolog=w.log --output-format=json
same 'a job that writes a log' $status 0
same 'its first line' "$(head -n 1 w.log)" 'fio version 3 iolog'
same 'each file is added' "$(grep -c ' w\.0\.[01] add$' w.log)" 2
same 'each is opened and closed' "$(grep -c -E ' (open|close)$' w.log)" 4
same 'reads and writes' "$(grep -c -E ' (read|write) [0-9]+ 4096$' w.log)" 16
between 'syncs' "$(grep -c ' sync 0 0$' w.log)" 3 4
check 'times do not go back' awk 'NR > 1 { if ($1 < t) exit 1; t = $1 }' w.log

run "$fio" --name=w --thread --ioengine=psync --size=16k --bs=4k --rw=trim --write_iolog=t.log
same 'trims' "$(grep -c ' trim [0-9]* 4096$' t.log)" 4
run "$fio" --name=w --size=16k --bs=4k --rw=write --verify=crc32c --write_iolog=v.log
same 'what is read back' "$(grep -c ' read ' v.log)" 4
run "$fio" --name=w "${null[@]}" --rw=read --numjobs=3 --number_ios=5 --write_iolog=c.log
same 'clones have logs of their own' "$(ios c.log) $(ios c.log.1) $(ios c.log.2)" '5 5 5'
run "$fio" --name=w "${null[@]}" --rw=randread --thinktime=1000 --number_ios=50 \
	--write_iolog=p.log
between 'the pace of a job is in its log' "$(awk 'END { print $1 }' p.log)" 45000 5000000
run "$fio" --name=w "${null[@]}" --rw=randread --number_ios=300000 --log_entries=1024 \
	--write_iolog=many.log
same 'a job that is faster than the writer' "$(ios many.log)" 300000
run "$fio" --name=w --size=4k --write_iolog=/dev/full
check 'a log that cannot be written fails the run' test $status != 0
says '... in words' '/dev/full' err

mkdir odd
touch odd/"a
b"
refused 'a name of two lines' 'file 0 has a line break in its name' --opendir=odd --size=4k \
	--write_iolog=o.log

# It is what the system saw.
if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	run strace -f -e trace=pread64,pwrite64,fsync -o calls "$fio" --name=w --size=64k --bs=4k \
		--rw=randrw --fsync=3 --ioengine=psync --write_iolog=s.log
	sed -n 's/.* pread64([0-9]*, .*, 4096, \([0-9]*\)) .*/read \1/p
		s/.* pwrite64([0-9]*, .*, 4096, \([0-9]*\)) .*/write \1/p
		s/.* fsync([0-9]*) .*/sync 0/p' calls >seen
	sed -n 's/.* \(read\|write\|sync\) \([0-9]*\) [0-9]*$/\1 \2/p' s.log >told
	same 'I/Os in the log and seen by strace' "$(tail -n 18 seen)" "$(tail -n 18 told)"
fi

# ---- What is replayed --------------------------------------------------------------------------

for engine in sync psync vsync pvsync pvsync2 mmap stdio null io_uring libaio; do
	has_engine $engine || continue
	for how in '--iodepth=1' '--iodepth=8 --thread --read_iolog_chunked=1'; do
		run "$fio" --name=r --ioengine=$engine --read_iolog=w.log --write_iolog=r.log \
			--replay_no_stall=1 $how --output-format=json
		same "$engine $how" $status 0
		equal "$engine $how: the order is that of the log" w.log r.log
		same "$engine $how: reads" "$(json out jobs[0].read.total_ios)" \
			"$(grep -c ' read ' w.log)"
		same "$engine $how: written bytes" "$(json out jobs[0].write.io_bytes)" \
			$((4096 * $(grep -c ' write ' w.log)))
	done
done
run "$fio" --name=r --ioengine=null --iodepth=4 --io_submit_mode=offload --read_iolog=w.log \
	--write_iolog=r.log --replay_no_stall=1
same 'with a generator' "$(grep -E ' [0-9]+$' r.log | cut -d' ' -f2-)" \
	"$(grep -E ' [0-9]+$' w.log | cut -d' ' -f2-)"

# rw, bs and size are those of the log.
run "$fio" --name=r --rw=randwrite --bs=64k --size=1g --read_iolog=w.log --replay_no_stall=1 \
	--output-format=json --write_iolog=r.log
equal 'rw, bs and size do not count' w.log r.log
says '... and that is told' 'read_iolog: the log says.*without effect are rw, bs, size' out err

# Files come to be where that is right.
log new.log '0 n1 add' '0 n1 open' '1 n1 write 8192 4096' '2 n1 read 8192 4096' \
	'3 n1 close' '3 sub/n2 add' '4 sub/n2 open' '5 sub/n2 read 4096 4096' '6 sub/n2 close'
mkdir -p sub
run "$fio" --name=r --read_iolog=new.log --replay_no_stall=1
same 'files that were not there' $status 0
same 'written as far as the log does, read as far as it does' "$(stat -c %s n1 sub/n2)" "12288
8192"
refused 'a file that may not be made' 'file n3.*allow_file_create' --allow_file_create=0 \
	--read_iolog=<(log /dev/stdout '0 n3 add' '0 n3 read 0 4096')

# Time.
log t.log '0 f add' '0 f write 0 4096' '200000 f write 4096 4096' '100 f write 8192 4096' \
	'100100 f write 0 4096'
run "$fio" --name=r --read_iolog=t.log --write_iolog=r1.log --output-format=json &
( mkdir fast && cd fast && run "$fio" --name=r --read_iolog=../t.log --write_iolog=r2.log \
	--replay_time_scale=200 ) &
( mkdir slow && cd slow && run "$fio" --name=r --read_iolog=../t.log --write_iolog=r3.log \
	--replay_time_scale=50 ) &
( mkdir none && cd none && run "$fio" --name=r --read_iolog=../t.log --write_iolog=r4.log \
	--replay_no_stall=1 ) &
printf 'fio version 2 iolog\nf add\nf open\nf wait 150000 0\nf write 0 4096\nf wait 150000 0\n' >v2.log
printf 'f write 4096 4096\nf close\n' >>v2.log
( mkdir v2 && cd v2 && run "$fio" --name=r --read_iolog=../v2.log --write_iolog=r5.log ) &
log slow.log '0 f add' '0 f write 0 4096' '60000000 f write 4096 4096'
( mkdir late && cd late && run "$fio" --name=r --read_iolog=../slow.log --runtime=1 \
	--output-format=json ) &
wait
at() { sed -n "s/^\([0-9]*\) f write $2 4096\$/\1/p" "$1" | tail -n 1; }
between 'an I/O starts when the log says' "$(at r1.log 4096)" 200000 100000000
between '... and after a jump back time goes on' "$(at r1.log 0)" 300000 100000000
between 'twice as fast' "$(at fast/r2.log 4096)" 100000 100000000
check 'twice as fast is not half as fast' [ "$(at fast/r2.log 4096)" -lt "$(at slow/r3.log 4096)" ]
between 'half as fast' "$(at slow/r3.log 4096)" 400000 100000000
check 'without stalls' [ "$(at none/r4.log 0)" -lt "$(at r1.log 0)" ]
between 'waits of version 2' "$(at v2/r5.log 4096)" 300000 100000000

same 'runtime ends a wait' "$(json late/out jobs[0].write.total_ios)" 1

# Places.
log p.log '0 f add' '0 g add' '0 f write 10000 4096' '0 g write 20480 512' '0 f sync 0 0'
run "$fio" --name=r --read_iolog=p.log --write_iolog=r.log --replay_redirect=elsewhere
same 'all goes elsewhere' "$(grep -c ' elsewhere ' r.log)/$(grep -c ' [fg] ' r.log)" 6/0
run "$fio" --name=r --read_iolog=p.log --write_iolog=r.log --replay_scale=2 --replay_align=4k
same 'scaled, then aligned' "$(sed -n 's/.* write //p' r.log)" '4096 4096
8192 512'
run "$fio" --name=r --read_iolog=p.log --write_iolog=r.log --replay_skip=sync
same 'syncs left out' "$(ios r.log)" 2
run "$fio" --name=r --read_iolog=p.log --write_iolog=r.log --loops=3 --number_ios=5
same 'again and again, up to a number of I/Os' "$(grep -c ' write ' r.log)" 5

# Where logs come from.
log c1.log '0 c1 add' '0 c1 write 0 4096'
log c2.log '0 c2 add' '0 c2 write 0 4096' '0 c2 write 0 4096'
run "$fio" --name=r --numjobs=3 --read_iolog=c1.log:c2.log --write_iolog=r.log
same 'clones take turns' "$(ios r.log) $(ios r.log.1) $(ios r.log.2)" '1 2 1'
run bash -c '"$0" --name=r --read_iolog=- --write_iolog=r.log <c2.log' "$fio"
equal 'standard input' c2.log <(grep -v -E '(open|close)$' r.log)
cat c2.log | run "$fio" --name=r --read_iolog=- --write_iolog=r.log
equal 'a pipe' c2.log <(grep -v -E '(open|close)$' r.log)

"$TOOLS/serve" here.sock <c2.log &
soon test -S here.sock
run "$fio" --name=r --read_iolog=here.sock --write_iolog=r.log
equal 'a UNIX socket' c2.log <(grep -v -E '(open|close)$' r.log)

# ---- Traces ------------------------------------------------------------------------------------

events='1000 254:0 N 0 0
2000 254:0 R 2048 4096
52000 254:0 W 4096 8192
52500 254:0 C 4096 8192
53000 254:0 F 0 0
54000 254:0 D 0 1048576
55000 254:0 G 16 512'
wanted='read 1048576 4096
write 2097152 8192
sync 0 0
trim 0 1048576
write 8192 512'
for order in '' -s; do
	"$TOOLS/mktrace" $order <<<"$events" >trace
	run "$fio" --name=r --read_iolog=trace --replay_redirect=f --write_iolog=r.log
	same "a trace $order" "$(sed -n 's/^[0-9]* f \([a-z]* [0-9]* [0-9]*\)$/\1/p' r.log)" "$wanted"
done
between 'times of a trace' "$(sed -n 's/ f write 2097152.*//p' r.log)" 50 10000000
"$TOOLS/mktrace" <<<'1 254:0 W 3 1000' >trace
run "$fio" --name=r --read_iolog=trace --replay_redirect=f --write_iolog=r.log --replay_align=4k
says 'lengths of a trace are rounded up' ' f write 0 4096$' r.log
"$TOOLS/mktrace" <<<'1 4095:1048575 W 3 1000' >trace
refused 'a device that is not here' 'trace: record 1: device 4095:1048575.*replay_redirect=' \
	--read_iolog=trace
head -c 40 trace >cut
refused 'half a record' 'cut: record 1, at byte 0: the file ends within it' --read_iolog=cut \
	--replay_redirect=f
printf '\6tae' >old
refused 'an old trace' 'block trace of version 6; expected is 7' --read_iolog=old

"$TOOLS/mktrace" <<<'1000 254:0 R 8 512
3000 254:0 R 9 512' >m1
"$TOOLS/mktrace" -s <<<'2000 254:0 W 18 512
2500 254:0 C 18 512
4000 254:0 W 19 512' >m2
run "$fio" --name=r --read_iolog=m1:m2 --merge_blktrace_file=m --merge-blktrace-only
same 'two traces become one' "$("$TOOLS/mktrace" -d <m | cut -d' ' -f1,3-)" '1000 R 8 512
2000 W 18 512
3000 R 9 512
4000 W 19 512'
run "$fio" --name=r --read_iolog=m1:m2 --merge_blktrace_file=m --merge_blktrace_scalars=400:50 \
	--merge_blktrace_iters=1:2 --replay_redirect=f --write_iolog=r.log
same 'scaled, and again' "$("$TOOLS/mktrace" -d <m | cut -d' ' -f1,3-4)" '1000 R 8
2000 W 18
3000 W 19
3000 W 18
4000 W 19
9000 R 9'
same 'what was merged is replayed' "$(ios r.log)" 6
refused 'merged into itself' 'that is one of the traces' --read_iolog=m1:m2 \
	--merge_blktrace_file=m2 --replay_redirect=f
refused 'an iolog among them' 'p.log: it is an iolog' --read_iolog=m1:p.log --merge_blktrace_file=m
refused 'too few numbers' 'merge_blktrace_iters has 1 numbers, and read_iolog 2 logs' \
	--read_iolog=m1:m2 --merge_blktrace_file=m --merge_blktrace_iters=1
refused 'a log written over itself' 'would overwrite a log that is replayed' --read_iolog=p.log \
	--write_iolog=p.log

# ---- Devices -----------------------------------------------------------------------------------

truncate -s 16m disk
if [ "$(id -u)" = 0 ] && mkfs.ext4 -q disk 2>/dev/null && dev=$(losetup -f --show disk 2>/dev/null); then
	log dw.log "0 $dev add" "0 $dev write 0 4096"
	log dr.log "0 $dev add" '0 f add' "0 $dev read 0 4096" '0 f write 0 4096'
	log dfar.log "0 $dev add" "0 $dev read 16777216 4096"
	refused 'a device that carries data' "$dev carries data.*allow_destroy=$dev" --read_iolog=dw.log
	refused '... by another name' "$dev carries data" --read_iolog=p.log --replay_redirect=$dev
	run "$fio" --name=r --read_iolog=dr.log
	same 'one that is only read may carry data' $status 0
	refused 'beyond its end' "$dev has 16777216 bytes, but the log reaches to 16781312; .*scale" \
		--read_iolog=dfar.log
	number=$(stat -c '%Hr:%Lr' "$dev" | sed 's/^\([0-9]*\):/\1:/')
	"$TOOLS/mktrace" <<<"1 $number R 8 512" >trace
	run "$fio" --name=r --read_iolog=trace --write_iolog=r.log
	says 'a trace finds the device of its number' " $dev read 4096 512\$" r.log
	losetup -d "$dev"
else
	echo '# no loop device: devices are not tried'
fi

# ---- Whatever ends it --------------------------------------------------------------------------

run "$fio" --name=k "${null[@]}" --rw=randread --time_based --runtime=30 --write_iolog=k.log &
killed=$!
soon test -s k.log
soon eval '[ "$(grep -c read k.log)" -gt 1000 ]'
kill -9 $(for p in $(children $killed); do for q in $(children $p); do children $q; done; done) 2>/dev/null
wait $killed
same 'a killed worker leaves whole lines' "$(tail -n +4 k.log | grep -v -c -E \
	'^[0-9]+ k\.0\.0 (read [0-9]+ 4096|close)$')" 0
run "$fio" --name=r --ioengine=null --read_iolog=k.log --replay_no_stall=1
same '... that can be replayed' $status 0

# ---- The same as fio ---------------------------------------------------------------------------

# calls PROGRAM ARGUMENT... - its reads, writes and syncs of data, in order, into list
calls() {
	status=0
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 timeout -k 5 30 strace -f -qq -o calls \
		-e trace=pread64,pwrite64,fsync,fdatasync,fallocate "$@" >out 2>err || status=$?
	sed -n 's/.* \(pread64\|pwrite64\)([0-9]*, .*, \([0-9]*\), \([0-9]*\)) .*/\1 \2 \3/p
		s/.* \(f[a-z]*sync\)([0-9]*) .*/\1/p' calls >list
}
if [ -s told ] && fio --version >version 2>/dev/null && grep -q '^fio-3' version; then
	# ours, replayed by both
	for log in w.log new.log; do
		for side in fio "$fio"; do
			calls $side --name=r --ioengine=psync --read_iolog=$log --replay_no_stall=1
			same "$side replays $log" $status 0
			grep -v -E ' 784 64$| 64$' list | tail -n "$(ios $log)" >list."${side##*/}"
		done
		equal "both do the same with $log" list.fio list.fio-like
	done
	# fio's, replayed by us
	fio --name=w --ioengine=psync --size=64k --bsrange=1k-8k --rw=randrw --fsync=4 --end_fsync=1 \
		--nrfiles=2 --write_iolog=theirs.log >/dev/null 2>&1
	run "$fio" --name=r --read_iolog=theirs.log --write_iolog=r.log --replay_no_stall=1
	same 'a log of fio' "$status" 0
	equal 'the same I/Os' <(grep -E ' (read|write) ' theirs.log) <(grep -E ' (read|write) ' r.log)
	same 'the same opens, closes and syncs' "$(grep -c -E 'open$|close$| sync ' theirs.log)" \
		"$(grep -c -E 'open$|close$| sync ' r.log)"
else
	echo '# fio or strace is not here: nothing to compare with'
fi

# ---- What is refused ---------------------------------------------------------------------------

refused 'no log' "^.*read_iolog: w.0.0:1: it is no log" --read_iolog=w.0.0
refused 'no file' 'read_iolog: nowhere: it can.t be opened: No such file' --read_iolog=nowhere
log b.log '0 f add' '0 f raed 0 4096'
refused 'an action that is none' "b.log:3:5: 'raed' is no action.*did you mean read?" \
	--read_iolog=b.log
log b.log '0 f add' '0 g write 0 4096'
refused 'a file that was not added' 'b.log:3: file g has not been added' --read_iolog=b.log
log b.log '0 f add' '0 f write 0 5g'
refused 'a size with a unit' "b.log:3:13: '5g' is no length" --read_iolog=b.log
log b.log '0 f add' '0 f write 0 5368709120'
refused 'an I/O that is too large' 'b.log:3: a write of 5368709120 bytes is larger' --read_iolog=b.log
log b.log '0 f add' '0 f open'
refused 'no I/O' 'b.log: there is no I/O in it' --read_iolog=b.log
refused 'readonly' 'read_iolog: what is in the log would change data' --readonly --read_iolog=p.log
refused 'verify' 'verify does not go together with read_iolog' --verify=crc32c --read_iolog=p.log
refused 'an alignment' 'replay_align=3k: error: it must be a power of two' --replay_align=3k \
	--read_iolog=p.log
refused 'a kind to skip' "replay_skip=flush: error: 'flush' must be" --replay_skip=flush --read_iolog=p.log
run "$fio" --name=r "${null[@]}" --number_ios=1 --replay_no_stall=1
says 'an option without effect' 'replay_no_stall has no effect without read_iolog' out err

finish
