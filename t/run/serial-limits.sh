#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How deep queues go, and what is said where the system sets the limit: each sentence names the
# cause, with its figures, and a way out. Alone, because for moments it changes sysctls of the whole
# machine.

. "$SRCDIR/t/shell.sh"

deep() { # deep ENGINE DEPTH OPTION... - all of that is in flight at once, and nothing is lost
	local engine=$1 depth=$2
	shift 2
	run "$fio" --output-format=json --name=a --ioengine="$engine" --iodepth="$depth" --bs=512 \
		"$@"
	same "$engine at $depth $*: status" $status 0
	[ $status = 0 ] || { not_ok "$engine at $depth" err; return; }
	same "$engine at $depth $*: depth" \
		"$(json out 'jobs[0].fio-like.engine.counters.depth_max')" "$depth"
	same "$engine at $depth $*: I/Os" "$(json out 'jobs[0].read.total_ios')" $((depth * 2))
	same "$engine at $depth $*: latencies" "$(json out 'jobs[0].read.clat_ns.N')" $((depth * 2))
}
refused() { # refused WHAT PATTERN COMMAND... - with this sentence
	local what=$1 pattern=$2
	shift 2
	run "$@"
	check "$what: refused" [ $status = 1 ]
	says "$what" "$pattern" err
}
read_data=(--filename=data --invalidate=0 --rw=read)

head -c 64m /dev/zero >data
deep null 65536 --rw=read --size=64m
deep null 65536 --rw=read --size=64m --iodepth_batch=all
deep null 65536 --rw=randread --size=64m --null_reorder=1 --iodepth_batch=100 --iodepth_low=1000
refused 'above the limit' '1 to 65536' "$fio" --name=a --ioengine=null --iodepth=65537 --size=4k

# ---- io_uring ------------------------------------------------------------------------------------

# filter.c keeps one system call from a command, as the profile of a container does.
cat >filter.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			 SECCOMP_RET_ERRNO | (unsigned)(argc > 1 ? atoi(argv[1]) : 1)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
	execvp(argv[2], argv + 2);
	return 77;
}
END
filters=no
if ${CC:-cc} -o filter filter.c 2>err && ./filter 1 true; then
	filters=yes
else
	echo '# no seccomp here'
fi

# as_user COMMAND... - without root's rights, which know no limit of locked memory
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
limited() { # limited COMMAND... - 64 KiB of locked memory
	(ulimit -l 64 && as_user "$@")
}
sysctl_dir=/proc/sys
changed=''
set_sysctl() { # set_sysctl NAME VALUE - until restore
	changed=$sysctl_dir/$1
	was=$(cat "$changed") && echo "$2" >"$changed"
}
restore() {
	[ -z "$changed" ] || echo "$was" >"$changed"
	changed=''
}
trap restore EXIT
trap 'exit 1' HUP INT TERM

can_change() { # can_change NAME
	[ "$(id -u)" = 0 ] && [ -w "$sysctl_dir/$1" ] && cat "$sysctl_dir/$1" >was &&
		cat was 2>/dev/null >"$sysctl_dir/$1" && return
	echo "# cannot change $1 here"
	return 1
}

if has_engine io_uring; then
	job=("$fio" --name=a --ioengine=io_uring --filename=/dev/zero --rw=read --size=64k)
	deep io_uring 65536 "${read_data[@]}" --size=64m
	deep io_uring 65536 "${read_data[@]}" --size=64m --iodepth_batch=all
	if strace -o trace true 2>/dev/null; then
		run strace -f -qq -e trace=io_uring_setup -o trace "$fio" --name=a \
			--ioengine=io_uring "${read_data[@]}" --size=4k --iodepth=65536
		says 'io_uring at 65536: a ring as large as rings can be' 'io_uring_setup(32768,' \
			trace
	fi
	if limited "${job[@]}" >out 2>err; then
		# As 'run' would, which takes no function: the limit is the subshell's.
		status=0
		limited "${job[@]}" --fixedbufs --iodepth=64 >out 2>err || status=$?
		check 'fixedbufs above the limit: refused' [ $status = 1 ]
		says 'fixedbufs above the limit' \
			"fixedbufs: 256 KiB of buffers count as locked memory, of which 64 KiB are \
allowed: raise" err
		status=0
		limited "${job[@]}" --fixedbufs --iodepth=8 >out 2>err || status=$?
		same 'fixedbufs below the limit' $status 0
	else
		echo '# the limit of locked memory cannot be tried here'
	fi
	if [ $filters = yes ]; then
		for errno in 1 38; do
			refused "seccomp, errno $errno" \
				'a seccomp filter keeps io_uring_setup(2) from this' \
				./filter $errno "${job[@]}"
		done
		says 'seccomp: the way out' 'use ioengine=libaio' err
		run ./filter 1 "$fio" --enghelp
		says 'seccomp: the list of engines' 'io_uring.*seccomp filter' out
	fi
	if can_change kernel/io_uring_disabled; then
		set_sysctl kernel/io_uring_disabled 2
		refused 'io_uring_disabled=2' \
			'kernel.io_uring_disabled is 2: io_uring is off for everybody; set it to 0' \
			"${job[@]}"
		restore
		# a build below a private folder is nothing another user can run
		if as_user test -r "${fio%/*}/engines/io_uring.so"; then
			set_sysctl kernel/io_uring_disabled 1
			status=0
			as_user "${job[@]}" >out 2>err || status=$?
			restore
			check 'io_uring_disabled=1: refused' [ $status = 1 ]
			says 'io_uring_disabled=1' \
				'is 1: io_uring is off for all but root and kernel.io_uring_group' \
				err
		fi
	fi
fi

# ---- libaio --------------------------------------------------------------------------------------

if has_engine libaio; then
	taken=$(cat /proc/sys/fs/aio-nr)
	most=$(cat /proc/sys/fs/aio-max-nr)
	if [ $((most - taken)) -ge 65536 ]; then
		deep libaio 65536 "${read_data[@]}" --size=64m --iodepth_batch=all
	fi
	job=("$fio" --name=a --ioengine=libaio "${read_data[@]}" --size=1m)
	if can_change fs/aio-max-nr; then
		set_sysctl fs/aio-max-nr $((taken + 256))
		deep libaio 256 "${read_data[@]}" --size=256k
		refused 'above fs.aio-max-nr' "a depth of 257 finds no room: .* fs.aio-max-nr = \
$((taken + 256)) requests, of which fs.aio-nr = [0-9]* are taken; lower iodepth .*sysctl" \
			"${job[@]}" --iodepth=257
		refused 'several jobs above it' "a depth of 100 finds no room: .* fs.aio-max-nr = \
$((taken + 256)) requests, of which fs.aio-nr = [0-9]* are taken" \
			"${job[@]}" --iodepth=100 --numjobs=3
		restore
	elif [ "$most" -lt 65536 ]; then
		refused 'above fs.aio-max-nr' \
			"fs.aio-max-nr = $most requests, of which fs.aio-nr = " \
			"${job[@]}" --iodepth=$((most + 1))
	fi
	[ $filters = no ] ||
		refused 'seccomp, libaio' \
			'io_setup(2) is not to be had.* or a seccomp filter hides it' \
			./filter 1 "${job[@]}"
fi
finish
