#!/bin/bash
# SPDX-License-Identifier: MIT
#
# block_error_percentiles: how many trims each block took, and how it ended, at any depth. fio 3.33
# itself ends in an assertion when it is to trim and to report this.

. "$SRCDIR/t/shell.sh"

job() { # job ARGUMENT... - 16 blocks of 4 KiB
	run "$fio" --output-format=json --name=a --ioengine=null --bs=4k --size=64k \
		--block_error_percentiles=1 --percentile_list=1:50:100 "$@"
}
states() { # the five counts
	"$jsonq" out 'jobs[0].block.states.unwritten' 'jobs[0].block.states.trimmed' \
		'jobs[0].block.states.written' 'jobs[0].block.states["trim failure"]' \
		'jobs[0].block.states["write failure"]' 2>&1 | paste -sd' '
}
trims() { # the percentiles
	"$jsonq" out 'jobs[0].block.percentiles["1.000000"]' \
		'jobs[0].block.percentiles["50.000000"]' \
		'jobs[0].block.percentiles["100.000000"]' 2>&1 | paste -sd' '
}

for depth in 1 8; do
	job --rw=randtrim --loops=3 --iodepth=$depth
	same "depth $depth: states" "$(states)" '0 16 0 0 0'
	same "depth $depth: trims" "$(trims)" '3 3 3'
	job --rw=trim --io_size=96k --iodepth=$depth
	same "depth $depth: half of them twice" "$(trims)" '1 1 2'
	job --rw=randtrimwrite --iodepth=$depth
	same "depth $depth: trimmed and written" "$(states)" '8 0 8 0 0'
	job --rw=trim --number_ios=5 --iodepth=$depth
	same "depth $depth: what nothing was done to" "$(states)" '11 5 0 0 0'
	same "depth $depth: does not count" "$(trims)" '1 1 1'
	# Each failure takes a block for good.
	job --rw=randtrim --loops=4 --iodepth=$depth --null_fail_one_in=8 --continue_on_error=all
	failed_blocks=$(json out 'jobs[0].block.states["trim failure"]')
	between "depth $depth: failures" "$failed_blocks" 1 16
	same "depth $depth: all blocks" "$(($(states | tr ' ' '+')))" 16
	job --rw=randtrimwrite --loops=20 --iodepth=$depth --null_fail_one_in=4 \
		--continue_on_error=all
	check "depth $depth: failed writes" \
		[ "$(json out 'jobs[0].block.states["write failure"]')" -gt 0 ]
	job --rw=trim --iodepth=$depth --null_fail_one_in=1
	same "depth $depth: the first ends the job" "$(states)" "$((16 - depth)) 0 0 $depth 0"
	same "depth $depth: without any that held" "$(trims)" '0 0 0'
done
job --rw=trim --bs=4k,4k,8k --nrfiles=2 --filesize=32k
same 'blocks of the size of a trim, of two files' "$(states)" '0 8 0 0 0'
job --rw=trim --numjobs=3 --group_reporting
same 'a group' "$(states)" '0 48 0 0 0'
job --rw=write
check 'no trims, nothing to tell' [ "$(grep -c '"block"' out)" = 0 ]
run "$fio" --name=a --ioengine=null --rw=trim --size=64k --block_error_percentiles=1 \
	--percentile_list=50:99
says 'in text' '^   | 50.00th=1, 99.00th=1$' out
says 'states in text' '^        states               : unwritten=0, trimmed=16, written=0, ' out
job --rw=trim --bs=512 --size=1t --number_ios=1
same 'too many: status' "$status" 1
says 'too many' 'block_error_percentiles: job a has too many blocks of the size of a trim' err

finish
