#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --explain: what it says of a job is what the run then does; every setting is told with whose word
# it is; nothing is touched. --parse-only has the same doubts as notes.

. "$SRCDIR/t/shell.sh"

explain() { # explain ARGUMENT... - as a document in the file doc
	status=0
	timeout 30 "$fio" --explain --output-format=json --output=doc "$@" 2>err || status=$?
	[ $status = 0 ] && [ ! -s err ] || not_ok "--explain $*: status $status" err
}

# ---- What it says is what is done ----------------------------------------------------------------

# foretold WHAT ARGUMENT... - the job's I/Os, bytes and directions are as --explain said
foretold() {
	local what=$1 said done
	shift
	explain --name=a "$@"
	said=$(for d in read write trim; do
		json doc "jobs[0].outlook.ios.$d"
		json doc "jobs[0].outlook.bytes.$d"
	done)
	same "$what: exact" "$(json doc 'jobs[0].outlook.exact')" true
	run "$fio" --output-format=json --name=a "$@"
	done=$(for d in read write trim; do
		json out "jobs[0].$d.total_ios"
		json out "jobs[0].$d.io_bytes"
	done)
	same "$what: reads, writes, trims" "$(echo $said)" "$(echo $done)"
}

n=(--ioengine=null)
foretold 'in order' "${n[@]}" --rw=read --size=1m
foretold 'a rest' "${n[@]}" --rw=read --size=10000
foretold 'loops' "${n[@]}" --rw=write --size=256k --loops=3
foretold 'io_size' "${n[@]}" --rw=randread --size=256k --io_size=1m
foretold 'less io_size' "${n[@]}" --rw=randread --size=1m --io_size=25%
foretold 'number_ios' "${n[@]}" --rw=randwrite --size=1m --number_ios=17
foretold 'a mix' "${n[@]}" --rw=randrw --rwmixread=70 --size=4m
foretold 'sizes' "${n[@]}" --rw=randread --bssplit=4k/50:16k/30:64k/20 --size=4m
foretold 'a range, both ways' "${n[@]}" --rw=rw --bsrange=4k-32k,8k-16k --size=4m
foretold 'gaps' "${n[@]}" --rw=read:8k --size=1m
foretold 'backwards' "${n[@]}" --rw=read:-8k --size=1m
foretold 'trimwrite' "${n[@]}" --rw=randtrimwrite --size=1m
foretold 'zipf' "${n[@]}" --rw=randread --random_distribution=zipf:1.2 --size=1m
foretold 'files' "${n[@]}" --rw=randread --nrfiles=7 --size=1m
foretold 'syncs' --rw=write --fsync=10 --size=256k --filename=f1
same 'their number' "$(json doc 'jobs[0].outlook.syncs')" "$(json out 'jobs[0].sync.total_ios')"
foretold 'a part of a file' --rw=read --offset=64k --size=128k --filename=f1

explain --name=a --rw=randrw --size=64k --numjobs=3 "${n[@]}"
run "$fio" --output-format=json --name=a --rw=randrw --size=64k --numjobs=3 --group_reporting "${n[@]}"
same 'clones together' "$(json doc 'jobs[0].outlook.ios.read')" "$(json out 'jobs[0].read.total_ios')"

explain --name=a --rw=read --size=400k --rate_iops=10 "${n[@]}"
same 'how long a rate takes' "$(json doc 'jobs[0].outlook.least_ns')" 10000000000
explain --name=a --rw=randrw --size=4m --rate_iops=300,100 "${n[@]}"
same 'rates decide a mix' "$(json doc 'jobs[0].outlook.ios.read')" 768
same 'which is not exact' "$(json doc 'jobs[0].outlook.exact')" false
explain --name=a --rw=read --size=40k --thinktime=1s "${n[@]}"
same 'how long pauses take' "$(json doc 'jobs[0].outlook.least_ns')" 9000000000

explain --name=a --size=1t --bs=4k --rw=randread "${n[@]}"
same 'a terabyte is not counted one by one' "$(json doc 'jobs[0].outlook.ios.read')" $((1 << 28))

# ---- Nothing is touched --------------------------------------------------------------------------

mkdir empty
(cd empty && timeout 20 "$fio" --explain --name=a --rw=randwrite --size=8m --nrfiles=3 \
	--verify=crc32c --write_bw_log=log --directory=. >../out 2>&1)
same 'nothing is made' "$(ls -A empty)" ''
says 'what would be made' '3 files are made: 8192KiB' out
says 'verify in the sentence' 'then reads it back and checks it' out
says 'memory' 'Needs .* of memory, of that' out

# ---- Whose word ----------------------------------------------------------------------------------

cat >words.ini <<'EOI'
[global]
bs=8k
size=1m
ioengine=null

[one]
rw=randread
iodepth=4
iodepth_low=9
bs=16k
[two]
rw=randrw
EOI

# setting JOB NAME MEMBER - of a setting in doc
setting() {
	local i=0 count
	count=$("$jsonq" --len doc "jobs[$1].settings")
	for ((i = 0; i < count; i++)); do
		[ "$(json doc "jobs[$1].settings[$i].name")" = "$2" ] || continue
		json doc "jobs[$1].settings[$i].$3"
		return
	done
}

explain --size=2m --invalidate=0 words.ini
same 'the job: source' "$(setting 0 bs source)" job
same 'the job: line' "$(setting 0 bs line)" 10
same 'the job: value' "$(setting 0 bs value)" 16384,16384,16384
same 'the job: words' "$(setting 0 bs said)" 16k
same '[global]: source' "$(setting 1 bs source)" global
same '[global]: line' "$(setting 1 bs line)" 2
same '[global] is stronger than the command line' "$(setting 0 size line)" 3
same 'the command line' "$(setting 0 invalidate source)" 'command line'
same 'a default' "$(setting 1 numjobs source)" default
same 'a default has a value' "$(setting 1 numjobs value)" 1
same 'settled: value' "$(setting 0 iodepth_low value)" 4
same 'settled: words' "$(setting 0 iodepth_low said)" 9
same 'engine options' "$(setting 0 null_reorder source)" default
same 'the note of the parser' "$(json doc 'notes[0]' | cut -d' ' -f1)" words.ini:9:
run "$fio" --explain words.ini
says 'text: a job' '^\[one\]  words.ini:6$' out
says 'text: its own' '^  bs  *16k  *words.ini:10$' out
says 'text: [global]' '^  size  *1m  *\[global\]  words.ini:3$' out
says 'text: settled' '^  iodepth_low  *4  *words.ini:9, which says 9$' out
says 'text: a default that matters' '^  norandommap  *0  *default$' out
check 'text: others are left out' [ "$(grep -c '^  nice ' out)" = 0 ]
run "$fio" --explain=all words.ini
says 'all: every default' '^  nice  *0  *default$' out
run "$fio" --explain --section=two words.ini
check '--section' [ "$(grep -c '^\[' out)" = 1 ]
run "$fio" --explain=some words.ini
says 'another word' "--explain=some: error: it stands alone, or it is --explain=all" err

# ---- Doubts --------------------------------------------------------------------------------------

# hinted ID ARGUMENT... - there is this doubt, which may be meant so: --parse-only is silent
hinted() {
	local id=$1
	shift
	run "$fio" --explain "$@"
	grep -A1 -e "^  - " out >doubts
	says "hint $id" "($id)" doubts
	run "$fio" --parse-only "$@"
	check "$id: --parse-only is silent" [ $status = 0 -a ! -s out -a ! -s err ]
}
# doubted ID ARGUMENT... - there is this doubt, and --parse-only notes it without failing
doubted() {
	local id=$1 text
	shift
	run "$fio" --explain "$@"
	grep -A1 -e "^  ! " out >doubts
	says "doubt $id" "($id)" doubts
	text=$(grep -B1 -e "($id)" out | sed -n '1s/^  ! //p')
	run "$fio" --parse-only "$@"
	same "$id: --parse-only" $status 0
	check "$id as a note" grep -q -F -e "$text" err
	check "$id: nothing on standard output" [ ! -s out ]
}
doubted fellow --size=1m --filename=f2 --rw=write --end_fsync=1 --name=a --name=b
run "$fio" --explain --size=1m --filename=f2 --rw=write --end_fsync=1 --name=a --name=b --stonewall
check 'one after the other is fine' [ "$(grep -c '(fellow)' out)" = 0 ]
doubted iodepth --name=a --size=1m --iodepth=8
doubted short --name=a --size=1m --runtime=60
doubted unsynced --name=a --size=1m --rw=write
doubted same-way --name=a --size=1m --filename=f1 --numjobs=2
hinted no-effect --name=a --size=1m --rwmixread=20
hinted cached --name=a --size=1m --loops=4
hinted overwritten --name=a --size=64k --rw=write --filename=f1 --end_fsync=1
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
	doubted memory --name=a --size=64k --directory=/dev/shm --direct=1
fi
run "$fio" --parse-only --warnings-fatal --name=a --size=1m --iodepth=8
same 'fatal with --warnings-fatal' $status 1
run "$fio" --parse-only --warnings-fatal --name=a --size=1m --loops=4
same 'but not what may be meant so' $status 0

# ---- What would be refused -----------------------------------------------------------------------

# refused WHAT PATTERN ARGUMENT... - told, in both ways, and the status is that of a good parse
refused() {
	local what=$1 pattern=$2
	shift 2
	run "$fio" --explain "$@"
	same "$what: --explain" $status 0
	says "$what" 'This run would be refused here:' out
	says "$what: why" "$pattern" out
	run "$fio" --parse-only "$@"
	same "$what: --parse-only" $status 0
	says "$what: a note" "$pattern.*(the run would be refused)" err
}
refused 'a missing file' 'job a: no size is given, and there is no file none' --name=a --filename=none
refused 'larger than its room' 'job a: laying out its files takes 900TiB' --name=a --rw=read --size=900t \
	--filename=huge
refused 'verify beside writes' 'job a verifies' --filename=f1 --size=64k --rw=write --name=a \
	--verify=md5 --name=b
if [ -b /dev/loop0 ] && [ -w /dev/loop0 ] && [ "$(id -u)" = 0 ]; then
	truncate -s 1m device
	if loop=$(losetup -f --show device 2>/dev/null); then
		refused 'larger than the device' 'has 1048576 bytes, but the job needs 2097152' \
			--name=a --filename="$loop" --size=2m --rw=randread
		mkfs.ext4 -q "$loop" 2>/dev/null
		refused 'a device with data' 'carries data: .*; writing would destroy that' --name=a \
			--filename="$loop" --rw=write
		losetup -d "$loop"
	fi
fi
run "$fio" --explain --name=a --bs=4kx
same 'a mistake is still an error' $status 1
run "$fio" --explain
says 'no job' 'no job is defined' err
run "$fio" --explain --name=a --size=1m --output=/none/x
same 'an output that cannot be written' $status 1

finish
