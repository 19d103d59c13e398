# SPDX-License-Identifier: MIT
#
# A verifying job is killed at a random moment; the next run must find all that had completed, and
# all that an fsync had promised. To be sourced behind t/shell.sh.

kills() { # kills COUNT SEED
	RANDOM=$2
	for ((i = 0; i < $1; i++)); do
		how="--name=k --filename=k --size=8m --bs=4k --verify=crc32c --fsync=$((RANDOM % 40 + 1))"
		how="$how --rw=$(one_of randwrite write 'randwrite --norandommap' 'randrw')"
		how="$how --ioengine=$(one_of psync libaio io_uring mmap) --iodepth=$(one_of 1 4 32)"
		how="$how --time_based --runtime=60 $(maybe 30 --thread) $(maybe 30 --randrepeat=0)"
		rm -f k local-*
		"$fio" $how >out 2>err &
		pid=$!
		for ((wait = 0; wait < 500; wait++)); do
			[ ! -s k ] || [ -z "$(children $pid)" ] || break
			sleep 0.01
		done
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
		pkill -9 -P $pid
		wait $pid 2>wait.err
		[ -e local-k-0-verify.state ] || { echo "# killed before its first write"; continue; }
		for policy in completed fsynced; do
			run "$fio" $how --verify_only --verify_state_load=1 --verify_policy=$policy
			check "$policy: $how" [ $status = 0 ]
			[ $status = 0 ] || sed 's/^/    /' err
		done
	done
	rm -f k local-*
}
