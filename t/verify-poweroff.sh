# SPDX-License-Identifier: MIT
#
# Power failures of a machine whose disks have volatile caches: no data that an fsync has promised is
# lost. To be sourced behind t/shell.sh.
#
# A virtual machine has two disks by t/tools/powercut, with an ext4 each: one for the data of a
# verifying job, one for the state that it adds after each fsync (verify_state_file=). At one moment
# both disks stop; of what the guest had sent them and not flushed each sector is there or not, by
# chance. What the guest had in memory is lost. Then it is booted again: both file systems are
# mounted, and the job is gone through by the last state that had reached its disk.
#
# That is what happens to an ordinary disk when power fails, with sectors that are written whole. Not
# in it: disks that tear sectors or damage others, controllers that lose what was flushed (but for
# the lying disk at the end), and what the kernel does as power fades: for the guest the disks are
# gone, and it ends with errors that nobody sees any more.

vm_job() { # vm_job - a job by chance
	echo "--name=p --filename=/data/f --size=8m --bs=$(one_of 4k 4k 8k 16k) --verify=crc32c" \
		"--fsync=$((RANDOM % 30 + 1)) --verify_state_file=/state/log" \
		"--rw=$(one_of randwrite write 'randwrite --norandommap' 'rw') --direct=$(one_of 0 0 1)" \
		"--ioengine=$(one_of psync libaio io_uring) --iodepth=$(one_of 1 4 16)" \
		"--time_based --runtime=300 --aux-path=/tmp --randseed=$RANDOM"
}

boot() { # boot MODE BEFORE NEXT - returns the status of run.sh
	local server
	"$TOOLS/powercut" socket $RANDOM "${writes:-400}" "$1" data.img state.img >cut 2>&1 &
	server=$!
	soon [ -S socket ] || return 1
	VM_QEMU_ARGS=
	for name in 0:data 1:state go:go; do
		VM_QEMU_ARGS="$VM_QEMU_ARGS -blockdev driver=raw,node-name=b${name%:*},file.driver=nbd"
		VM_QEMU_ARGS="$VM_QEMU_ARGS,file.server.type=unix,file.server.path=$PWD/socket"
		VM_QEMU_ARGS="$VM_QEMU_ARGS,file.export=${name%:*}"
		VM_QEMU_ARGS="$VM_QEMU_ARGS -device virtio-blk-pci,drive=b${name%:*},serial=${name#*:}"
	done
	export VM_QEMU_ARGS
	status=0
	bash "$SRCDIR/t/vm/run.sh" --out=results --timeout=240 --each=150 --env=BEFORE="$2" \
		--env=NEXT="$3" "$SRCDIR/t/vm/poweroff-guest.sh" >out 2>&1 || status=$?
	if kill $server 2>/dev/null; then
		wait $server 2>kill.err
	fi
	rm -f socket
	return $status
}

power_offs() { # power_offs COUNT SEED
	local before= next promised=0
	RANDOM=$2
	truncate -s 64m data.img state.img
	for ((cut = 0; cut <= $1; cut++)); do
		next=
		[ $cut = "$1" ] || next=$(vm_job | tr -s ' ')
		boot keep "$before" "$next"
		[ $status != 77 ] || { tail -n 1 out; exit 77; }
		check "power-off $cut${before:+, after $before}" [ $status = 0 ]
		[ $status = 0 ] || sed 's/^/    /' out
		[ -z "$next" ] || check "power went off: $(cat cut)" grep -q '^power off' cut
		grep -q '"promised: [0-9]\|promised: [0-9]' results/poweroff-guest.json &&
			promised=$((promised + 1))
		echo "# $(cat cut)$(sed -n 's/.*\(promised: [0-9]*\).*\(checked: [0-9]*\).*/; \1; \2/p' results/poweroff-guest.json | head -n 1)"
		before=$next
	done
	check "in $promised of $1 there was something promised" [ $((promised * 2)) -ge "$1" ]
	# a disk that takes flushes and forgets them is found out
	next=$(vm_job | tr -s ' ')
	writes=600 boot lie '' "$next"
	check 'a disk that lies: the job' [ $status = 0 ]
	boot keep "$next" ''
	check 'a disk that lies is found out' [ $status = 1 ]
	says 'a disk that lies: how' 'all that was promised is there' out
	rm -f data.img state.img
}
