# SPDX-License-Identifier: MIT
#
# A real recording: what blktrace saw of a job's I/Os is what its own log says, and replaying either
# of them is seen by blktrace as the same again.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

command -v blktrace >/dev/null || {
	echo 'blktrace is not here (apt-get install blktrace)'
	exit 77
}
disk=$(vm_null_blk traced size=64 memory_backed=1 discard=1)

# recorded NAME ARGUMENT... - the job, and what reached the device's queue meanwhile: NAME.bin for
# us, NAME.list for people, without the times
recorded() {
	local name=$1 tracer
	shift
	blktrace -d "$disk" -o "$name" -a queue -w 60 >/dev/null 2>&1 &
	tracer=$!
	soon test -e "$name.blktrace.0"
	sleep 0.5
	run "$fio" --name=j --ioengine=libaio --direct=1 --allow_destroy="$disk" "$@"
	same "$name: the job" $status 0
	kill -INT $tracer
	wait $tracer
	blkparse -i "$name" -o /dev/null -d "$name.bin" >/dev/null 2>&1
	"$TOOLS/mktrace" -d <"$name.bin" | awk '$3 ~ /[RWD]/ { print $3, $4 * 512, $5 }' >"$name.list"
}
log_list() { # log_list FILE - an iolog in the same form
	sed -n 's/.* read \([0-9]* [0-9]*\)$/R \1/p; s/.* write \([0-9]* [0-9]*\)$/W \1/p
		s/.* trim \([0-9]* [0-9]*\)$/D \1/p' "$1"
}

recorded first --filename="$disk" --rw=randrw --bsrange=4k-32k --size=8m --iodepth=4 \
	--write_iolog=first.log
log_list first.log >want
between 'I/Os' "$(wc -l <want)" 300 2048
same 'blktrace and our log tell the same I/Os' "$(sort first.list | cksum)" "$(sort want | cksum)"

# From the trace, whose device is found by its number.
recorded again --read_iolog=first.bin --replay_no_stall=1 --write_iolog=again.log
same 'replayed in the order of the trace' "$(log_list again.log | cksum)" "$(cksum <first.list)"
same '... as the device saw it, too' "$(cksum <again.list)" "$(cksum <first.list)"

# With times: as long as it took.
run "$fio" --name=j --ioengine=libaio --iodepth=8 --direct=1 --allow_destroy="$disk" \
	--read_iolog=first.bin --output-format=json --read_iolog_chunked=1
same 'at its times' $status 0
same 'reads' "$(json out jobs[0].read.total_ios)" "$(grep -c R first.list)"
same 'written bytes' "$(json out jobs[0].write.io_bytes)" \
	"$(awk '/W/ { s += $3 } END { print s }' first.list)"
last=$("$TOOLS/mktrace" -d <first.bin | awk '$3 ~ /[RWD]/ { if (!b) b = $1; e = $1 }
	END { printf "%d", (e - b) / 1e6 }')
between 'it takes as long' "$(json out jobs[0].job_runtime)" "$last" 100000

recorded trims --filename="$disk" --rw=trim --bs=64k --size=1m --ioengine=psync \
	--write_iolog=trims.log
same 'trims are discards' "$(cksum <trims.list)" "$(log_list trims.log | cksum)"
run "$fio" --name=j --ioengine=psync --allow_destroy="$disk" --read_iolog=trims.bin \
	--output-format=json
same 'and back' "$(json out jobs[0].trim.io_bytes)" 1048576

finish
