# SPDX-License-Identifier: MIT
#
# What t/verify-poweroff.sh does in the virtual machine: it checks what the last run has promised
# (BEFORE, its job), then starts the next one (NEXT) and presses the button: power goes off
# somewhere in it.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

disk() { # disk SERIAL
	local dir
	for dir in /sys/block/vd*; do
		[ "$(cat "$dir/serial")" != "$1" ] || { vm_wait "/dev/${dir##*/}"; echo "/dev/${dir##*/}"; }
	done
}

vm_modules virtio_pci virtio_blk ext4
for name in data state; do
	dev=$(disk $name)
	[ -n "$dev" ] || vm_die "there is no disk $name"
	if [ -z "${BEFORE-}" ]; then
		mkfs.ext4 -q -F -b 4096 "$dev" >&2 || vm_die "no file system on $dev"
		sync
	fi
	mkdir -p /$name
	mount -t ext4 -o errors=remount-ro "$dev" /$name || vm_die "$dev cannot be mounted: $(dmesg | tail -n 5)"
done

if [ -n "${BEFORE-}" ] && grep -q '^end ' /state/log 2>/dev/null; then
	promised=$(sed -n 's/^promised 0 //p' /state/log | tail -n 1)
	echo "promised: ${promised:-nothing}"
	run "$fio" --output-format=json $BEFORE --verify_only --verify_state_load=1 --verify_policy=fsynced
	cp out "$VM_DOCUMENTS/check.json"
	same "$BEFORE: all that was promised is there" $status 0
	[ $status = 0 ] || not_ok 'what is wrong' err
	[ -z "$promised" ] || check 'something was checked' [ "$(json out 'jobs[0].fio-like.verify.blocks')" -gt 0 ]
	echo "checked: $(json out 'jobs[0].fio-like.verify.blocks')"
elif [ -n "${BEFORE-}" ]; then
	echo 'nothing had been promised yet'
	ok
fi
[ -n "${NEXT-}" ] || finish

rm -f /data/f /state/log
sync
"$fio" $NEXT >job.out 2>job.err &
pid=$!
soon grep -qs '^end ' /state/log || vm_die "the job has made no promise: $(cat job.out job.err)"
dd if=/dev/zero of="$(disk go)" bs=4096 count=1 oflag=direct 2>dd.err || vm_die "$(cat dd.err)"
# Without a disk it ends by itself, or hangs on what never comes.
for ((wait = 0; wait < 300; wait++)); do
	kill -0 $pid 2>/dev/null || break
	sleep 0.1
done
check 'power went off' [ $wait -lt 300 ]
kill -9 $pid 2>/dev/null
ok
finish
