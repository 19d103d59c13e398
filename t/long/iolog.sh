#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A log of three million I/Os: read piece by piece it needs no more memory than one of three, which
# a limit of the data segment shows; all of it is replayed, in order; and written again it is the
# same. Traces, too, and two of them merged.

. "$SRCDIR/t/shell.sh"

N=3000000
limited() { # limited KIB COMMAND... - with so much memory of its own
	local kib=$1
	shift
	(ulimit -d "$kib" && exec timeout -k 5 120 "$@") >out 2>err
	status=$?
}
{
	printf 'fio version 3 iolog\n0 f add\n0 f open\n'
	awk -v n=$N 'BEGIN {
		srand(1)
		for (i = 0; i < n; i++)
			printf "%d f %s %d %d\n", i, i % 3 ? "read" : "write", int(rand() * 1e6) * 512,
				512 * (1 + i % 16)
	}'
	printf '%d f close\n' $N
} >big
replay=("$fio" --name=r --ioengine=null --read_iolog=big --replay_no_stall=1 --output-format=json)

limited 32768 "${replay[@]}" --read_iolog_chunked=1
same 'three million I/Os in 32 MiB' $status 0
same 'all of them' $(($(json out jobs[0].read.total_ios) + $(json out jobs[0].write.total_ios))) $N
echo "# replayed at $((N / ($(json out jobs[0].job_runtime) + 1))) I/Os per ms"
limited 32768 "${replay[@]}"
same 'in memory as a whole it needs more' $status 1
says '... and says what to do' 'no memory to read it; read_iolog_chunked=1 needs little' err

limited 65536 "${replay[@]}" --read_iolog_chunked=1 --write_iolog=again
same 'written while it is replayed' $status 0
same 'the same I/Os in the same order' "$(grep -v -E 'open$|close$' again | cut -d' ' -f2- | cksum)" \
	"$(grep -v -E 'open$|close$' big | cut -d' ' -f2- | cksum)"

# Two traces of a million and a half each.
awk -v n=$((N / 2)) 'BEGIN { for (i = 0; i < n; i++) printf "%d 1:1 R %d 4096\n", i * 200, i % 9999 * 8 }' |
	"$TOOLS/mktrace" >t1
awk -v n=$((N / 2)) 'BEGIN { for (i = 0; i < n; i++) printf "%d 1:1 W %d 512\n", i * 200 + 99, i % 999 }' |
	"$TOOLS/mktrace" -s >t2
limited 32768 "$fio" --name=r --ioengine=null --read_iolog=t1:t2 --merge_blktrace_file=m \
	--replay_redirect=f --read_iolog_chunked=1 --replay_no_stall=1 --output-format=json
same 'two traces merged in 32 MiB' $status 0
same 'all reads and writes' "$(json out jobs[0].read.total_ios) $(json out jobs[0].write.total_ios)" \
	"$((N / 2)) $((N / 2))"
check 'by time' awk 'NR > 1 && $1 < t { exit 1 } { t = $1 }' <("$TOOLS/mktrace" -d <m)

finish
