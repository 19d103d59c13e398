# SPDX-License-Identifier: MIT
#
# hipri really polls: requests go to the hardware queue that has no interrupt, where only a poll
# finds what has become of them. The block layer counts how often each queue was run, if requests
# have gone through a scheduler.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

disk=$(vm_null_blk polled size=64 memory_backed=1 irqmode=2 completion_nsec=10000 submit_queues=1 \
	poll_queues=1)
echo mq-deadline >/sys/block/polled/queue/scheduler
hctx=/sys/kernel/debug/block/polled

# How often requests were handed to the queues of this type: default, poll.
runs() { # runs TYPE
	local dir sum=0
	for dir in "$hctx"/hctx*; do
		[ "$(cat "$dir/type")" = "$1" ] || continue
		sum=$((sum + $(cat "$dir/run")))
	done
	echo $sum
}

# A job of 500 reads; what the queues counted meanwhile goes to $polled and $plain.
job() { # job ARGUMENT...
	local poll=$(runs poll) default=$(runs default)
	run "$fio" --name=poll --filename="$disk" --rw=randread --bs=4k --direct=1 \
		--number_ios=500 --size=64m --output-format=json --output=json "$@"
	same "it runs: $*" "$status" 0
	same "500 reads: $*" "$(json json 'jobs[0].read.total_ios')" 500
	polled=$(($(runs poll) - poll)) plain=$(($(runs default) - default))
}

same 'there is a queue to poll' "$(cat "$hctx"/hctx*/type | grep -c poll)" 1
job --ioengine=io_uring --hipri
between 'one at a time, each I/O is a run of the polled queue' "$polled" 500 600
for depth in 1 16; do
	job --ioengine=io_uring --iodepth=$depth --hipri
	between "runs of the polled queue, depth $depth" "$polled" 10 600
	# The runner has a look at the device before, in the ordinary way.
	between "runs of the other queue, depth $depth" "$plain" 0 300
	job --ioengine=io_uring --iodepth=$depth
	between "without hipri, runs of the polled queue, depth $depth" "$polled" 0 0
	between "without hipri, runs of the other queue, depth $depth" "$plain" 10 1000
done
job --ioengine=io_uring --iodepth=16 --hipri --fixedbufs --registerfiles
between 'runs of the polled queue, all registered' "$polled" 10 600

# The contract of engines, with requests that are polled for.
vm_modules ext4
mkdir -p /mnt/polled
mkfs.ext4 -q "$disk" && mount -t ext4 "$disk" /mnt/polled || vm_die 'no ext4'
keeps_the_rules() { # keeps_the_rules LEAST OPTIONS [ARGUMENT...] - so many cases at least
	local least=$1 opts=$2
	shift 2
	TMPDIR=/mnt/polled "$fio" --engine-test=io_uring --direct=1 --opts="$opts" "$@" >said 2>&1
	same "the contract with $opts: status" $? 0
	grep -A 9 '^not ok' said
	between "the contract with $opts: cases" "$(sed -n 's/ passed, 0 failed.*//p' said)" \
		"$least" 99
}
keeps_the_rules 25 hipri
keeps_the_rules 3 hipri:fixedbufs:registerfiles --only=data

finish
