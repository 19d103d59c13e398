#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A thousand edits of files behind the program's back, and every damage that an engine can do on the
# way, found in every way; see t/verify-damage.sh.

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/verify-random.sh"
. "$SRCDIR/t/verify-damage.sh"

# at_every_time DAMAGE RW [ARGUMENT...]
at_every_time() {
	local when engine
	for when in after later backlog; do
		on_the_way "$1" psync 1 $when "${@:2}"
		for engine in io_uring libaio mmap; do
			if ! "$fio" --enghelp=$engine >eng 2>&1; then
				echo "skipped: engine $engine is not there"
				continue
			fi
			on_the_way "$1" $engine 8 $when "${@:2}"
		done
	done
}

damages 1000 "${SEED:-1}"

stack_builds
for damage in none flip zeros stale misdirected torn shifted; do
	for seed in 1 2 3; do
		at_every_time $damage write --randseed=$seed
	done
	for sum in md5 xxhash sha512 crc64; do
		at_every_time $damage write --verify=$sum
	done
	at_every_time $damage write --thread
	at_every_time $damage write --verify_async=2
	# where a misdirected write goes is checked and overwritten in an order of its own
	[ $damage = misdirected ] || at_every_time $damage randwrite
done
finish
