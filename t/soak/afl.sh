#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The whole program under AFL++, with ASan and UBSan: any job file, only looked at (--parse-only, a
# quarter of the time), and really run. AFL_SECONDS: for so long altogether (an hour).
#
# A job file may name any file. So all of it happens as nobody, in namespaces of its own: a root that
# is read-only but for a scratch directory, without a network, without devices but null and zero, and
# in a cgroup that bounds its memory. See t/soak/afl/limits.c for what bounds a case.
#
# A crash, and a case that does not end when asked to, is a finding, printed with its input.

set -u
seconds=${AFL_SECONDS:-3600}
memory_bytes=$((1500 << 20))

skip() {
	echo "$*"
	exit 77
}
# A cgroup, of version 2 or 1.
bound_memory() {
	if grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
		group=/sys/fs/cgroup/fio-like-afl-$$
		mkdir "$group" && echo $memory_bytes >"$group/memory.max" &&
			echo 0 >"$group/memory.swap.max"
	else
		group=/sys/fs/cgroup/memory/fio-like-afl-$$
		mkdir "$group" && echo $memory_bytes >"$group/memory.limit_in_bytes"
	fi 2>/dev/null
}

command -v afl-fuzz >/dev/null && command -v afl-clang-fast >/dev/null ||
	skip 'afl++ is not installed; on Debian: ./configure --install-deps, or apt-get install afl++'
[ "$(id -u)" = 0 ] || skip 'only root can lock it into a root of its own'
bound_memory || skip "there is no memory cgroup to bound it with"
trap 'rmdir "$group"' EXIT
trap 'exit 1' HUP INT TERM

# ---- What is run ---------------------------------------------------------------------------------

# The program's own words, and seeds: for --parse-only those of the fuzzer of job files.
mkdir -p box/seeds/parse box/seeds/run box/found box/case build root
sh "$SRCDIR/t/fuzz/dictionary.sh" "$FIO_LIKE" >box/words
cp "$SRCDIR"/t/fuzz/corpus/job/* box/seeds/parse
cp "$SRCDIR"/t/soak/afl/*.ini box/seeds/run
cp "$SRCDIR"/t/soak/afl/*.ini box/seeds/parse

export AFL_QUIET=1
(cd build && clang -O1 -fsanitize=address -c -o limits.o "$SRCDIR/t/soak/afl/limits.c" &&
	"$SRCDIR/configure" --cc=afl-clang-fast --enable-asan --enable-ubsan CFLAGS='-O1 -g' \
		LIBS="$PWD/limits.o" && make -j2 fio-like) >log 2>&1 || {
	tail -n 20 log
	skip 'no build by afl-clang-fast here'
}
cp build/fio-like box/fio-like
chown nobody box/found

# ---- The box -------------------------------------------------------------------------------------

cat >box/enter.sh <<'END'
# In new namespaces: builds the root, and goes there as nobody.
set -e
mount --make-rprivate /
mount --bind / root
mount -o remount,bind,ro root
mount -t tmpfs -o mode=755,size=1m none root/dev
for device in null zero urandom; do
	touch root/dev/$device
	mount --bind /dev/$device root/dev/$device
done
mkdir root/dev/shm
mount -t proc none root/proc
mount --bind box root/mnt
mount -t tmpfs -o mode=777,size=64m,nr_inodes=20k none root/mnt/case
for dir in tmp var/tmp; do
	mount -t tmpfs -o mode=1777,size=16m,nr_inodes=2k none root/$dir
done
exec chroot root setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs \
	--bounding-set=-all /bin/sh -c 'cd /mnt && exec "$@"' sh "$@"
END

boxed() { # boxed COMMAND... - runs it in the box
	local tell=abort_on_error=1:allocator_may_return_null=1:symbolize=${symbolize:-0}
	(
		echo 0 >"$group/cgroup.procs"
		exec unshare --mount --pid --fork --kill-child --net --ipc --uts \
			bash box/enter.sh env -i PATH=/usr/bin:/bin HOME=/mnt/case FUZZ_CASE=/mnt/case \
			ASAN_OPTIONS="$tell:handle_abort=1:handle_sigill=1:detect_leaks=0" \
			UBSAN_OPTIONS="$tell:halt_on_error=1:print_stacktrace=1" \
			AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_FAST_CAL=1 \
			AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_HANG_TMOUT=5000 "$@"
	)
}

# ---- Fuzzing, and what came of it ----------------------------------------------------------------

fact() { # fact NAME - of the last run
	sed -n "s/^$1 *: *//p" "box/found/$mode/default/fuzzer_stats"
}

# One finding: is it one once more, alone and with time? A case whose memory ran out is none.
finding() {
	local input=$1 status
	case $input in *sig:09*) return ;; esac
	cp "$input" box/input
	chmod 644 box/input
	symbolize=1 boxed timeout -s KILL 60 ./fio-like "${args[@]}" input >said 2>&1 </dev/null
	status=$?
	case $input in
	*/hangs/*) [ $status -ge 124 ] || return ;;
	esac
	failed=$((failed + 1))
	echo "not ok: ${args[*]}, ${input##*/}: status $status now"
	tail -n 40 said
	base64 "$input"
}

fuzz() { # fuzz MODE SECONDS ARGS... - of the program
	local budget=$2 before=$failed
	mode=$1
	shift 2
	args=("$@")
	boxed afl-fuzz -i "seeds/$mode" -o "found/$mode" -x words -t 5000+ -m none -V "$budget" -- \
		./fio-like "${args[@]}" @@ >"$mode.log" 2>&1 </dev/null
	if ! [ -f "box/found/$mode/default/fuzzer_stats" ]; then
		tail -n 20 "$mode.log"
		failed=$((failed + 1))
		return
	fi
	echo "# $mode: $(fact run_time) s, $(fact execs_done) executions, $(fact corpus_count) paths," \
		"$(fact bitmap_cvg) of the branches, $(fact saved_crashes) crashes," \
		"$(fact saved_hangs) hangs"
	for input in box/found/"$mode"/default/{crashes,hangs}/id*; do
		[ -f "$input" ] && finding "$input"
	done
	[ "$failed" != "$before" ] || passed=$((passed + 1))
}

passed=0 failed=0
fuzz parse $((seconds / 4)) --no-exec --parse-only
fuzz run $((seconds - seconds / 4)) --no-exec --eta=never --aux-path=. \
	--output-format=normal,json,terse
echo "$passed passed, $failed failed"
exit $((failed > 0))
