# SPDX-License-Identifier: MIT
#
# What the cells of the fault matrix share: how a run is started, watched and judged. Sourced by
# t/faults/matrix.sh, for each cell anew, in a directory of its own.
#
# A cell is a function fault_NAME that is called with the name of an engine. It calls `wrong` for
# each thing that is not as it should be, or `none` where the fault cannot come to this engine.

set -u
fio=${FIO_LIKE:?}
jsonq=${TOOLS:?}/jsonq

wrong() { # wrong WHAT... - the cell goes on
	echo "wrong: $*" >>verdict
}

none() { # none REASON - there is no such cell
	echo "none: $*" >verdict
	exit 0
}

# What every run of this engine is asked for.
engine_args() {
	job=(--name=a --ioengine="$1" --bs=4k)
	case $1 in
	io_uring) job+=(--iodepth=8) ;;
	libaio) job+=(--iodepth=8 --direct=1) ;;
	esac
	! threads || job+=(--thread=1)
}

threads() { # jobs are threads, of one process
	[ "${FAULT_THREADS-}" = yes ]
}

# The environment is the mark by which all processes of a cell are found, wherever they went.
marked() {
	grep -l -z -x "FAULT_CELL=$FAULT_CELL" /proc/[0-9]*/environ 2>/dev/null |
		sed 's,/proc/\([0-9]*\)/.*,\1,' | while read -r p; do
		grep -q '^State:.[^ZX]' "/proc/$p/status" 2>/dev/null && [ "$p" != $$ ] && echo "$p"
	done
}

start() { # start ARGUMENT... - in the background, in a process group of its own: $pid
	set -m
	FAULT_CELL=$cell "$fio" --output-format=json "${job[@]}" "$@" >out 2>err </dev/null &
	pid=$!
	set +m
	began=${EPOCHREALTIME/./}
}

# first LINE [COMMAND...] - every run from now on does LINE in its own process before it is
# fio-like, or COMMAND.
first() {
	local line=$1
	shift
	[ $# -gt 0 ] || set -- "$fio"
	printf '#!/bin/bash\n%s\nexec%s "$@"\n' "$line" "$(printf ' %q' "$@")" >first
	chmod +x first
	fio=$PWD/first
}

alive() { # alive PID
	grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
}

workers() {
	cat "/proc/$pid/task/"*/children 2>/dev/null
}

ticks() { # the time of a CPU that the run has had, in hundredths of a second
	local child
	{
		cat "/proc/$pid/task/"*/stat
		for child in $(workers); do
			cat "/proc/$child/task/"*/stat
		done
	} 2>/dev/null | sed 's/.*) //' | awk '{ n += $12 + $13 } END { print n + 0 }'
}

has_worked() { # has_worked TICKS - a tenth of a second more than that, however busy the machine
	[ "$(ticks)" -ge $(($1 + 10)) ]
}

eventually() { # eventually SECONDS COMMAND... - until it succeeds
	local turns=$(($1 * 50))
	shift
	until "$@"; do
		[ $((turns -= 1)) -gt 0 ] || return 1
		sleep 0.02
	done
}

ended() {
	! alive "$pid"
}

# ends SECONDS - the run is over within so long, and nothing of it is left.
ends() {
	status=0
	if ! eventually "$1" ended; then
		wrong "still there after $1 s"
		kill -KILL -- "-$pid" 2>/dev/null
	fi
	wait "$pid" 2>/dev/null || status=$?
	took_ms=$(((${EPOCHREALTIME/./} - began) / 1000))
	FAULT_CELL=$cell
	if ! eventually 3 nobody; then
		wrong "left behind: $(marked | tr '\n' ' ')"
		marked | xargs -r kill -KILL 2>/dev/null
	fi
	if grep -q -e 'Sanitizer' -e 'runtime error' err; then
		wrong "a sanitizer: $(grep -m 1 -e Sanitizer -e 'runtime error' err)"
	fi
	rest=$(find . -name '.fio-like*' -o -name '*.tmp' | head -n 3)
	[ -z "$rest" ] || wrong "files left: $rest"
}

nobody() {
	[ -z "$(marked)" ]
}

go() { # go ARGUMENT... - a whole run, of at most a minute
	start "$@"
	ends 60
}

value() { # value PATH - of the report
	"$jsonq" out "$1" 2>/dev/null
}

is() { # is WHAT GOT WANTED
	[ "$2" = "$3" ] || wrong "$1 is '$2', not '$3'"
}

within() { # within WHAT GOT LOW HIGH
	awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }' ||
		wrong "$1 is '$2', not in $3..$4"
}

told() { # told PATTERN - stderr says so
	grep -q -e "$1" err || wrong "stderr lacks '$1': $(head -c 300 err)"
}

# complete JOBS - one document, of our schema, with so many jobs, and sums that agree.
complete() {
	local n i dir ios lats errors
	[ "$(head -n 1 out)" = '{' ] && [ "$(tail -n 1 out)" = '}' ] ||
		{ wrong "no document: $(head -c 200 out err)"; return; }
	"$TOOLS/valid" "$SRCDIR/doc/result.schema.json" out >violations 2>&1 ||
		wrong "not our schema: $(head -n 1 violations)"
	n=$("$jsonq" --len out jobs)
	is 'the number of jobs' "$n" "$1"
	for ((i = 0; i < n; i++)); do
		ios=0 lats=0
		for dir in read write; do
			ios=$((ios + $(value "jobs[$i].$dir.total_ios")))
			lats=$((lats + $(value "jobs[$i].$dir.clat_ns.N")))
		done
		errors=$(value "jobs[$i].total_err")
		# an error that ends a job is the only one, and what was in flight may fail with it
		[ "$(value "jobs[$i].error")" = 0 ] || errors=$((${errors:-0} + 8))
		[ $lats -le $ios ] && [ $((lats + ${errors:-0})) -ge $((ios - ${lost:-0})) ] ||
			wrong "job $i: $ios I/Os, $lats latencies, $errors errors"
	done
}

# failed ERRNO [ERRNO] - the run says so everywhere: status, report and stderr.
failed() {
	local error
	error=$(value 'jobs[0].error')
	is 'the status' "$status" 1
	[ "$error" = "$1" ] || [ "$error" = "${2-$1}" ] || wrong "error is '$error', not $*"
	[ -s err ] || wrong 'stderr is empty'
}

well() { # the run went well, and says nothing
	is 'the status' "$status" 0
	is 'the error' "$(value 'jobs[0].error')" 0
	[ ! -s err ] || wrong "stderr: $(head -c 300 err)"
}

# ---- Places ------------------------------------------------------------------------------------

need_root() {
	[ "$(id -u)" = 0 ] || none 'needs root'
}

# on_loop FILE - a loop device over it as $dev, which goes with descriptor 8
on_loop() {
	need_root
	dev=$(losetup -f --show "$1" 2>/dev/null) || none 'no loop devices'
	exec 8<"$dev"
	losetup -d "$dev"
}

# mounted KIND SIZE - a file system of that size at ./fs, which goes with the cell
mounted() {
	need_root
	mkdir -p fs
	trap 'fsfreeze -u fs 2>/dev/null; umount -l fs 2>/dev/null' EXIT
	case $1 in
	tmpfs) mount -t tmpfs -o "size=$2" fault fs || none 'no tmpfs' ;;
	ext4)
		truncate -s "$2" disk
		mkfs.ext4 -q -m 0 -O ^has_journal disk || none 'no mkfs.ext4'
		mount -o loop disk fs 2>/dev/null || none 'no loop mounts'
		;;
	btrfs)
		command -v mkfs.btrfs >/dev/null || none 'no mkfs.btrfs (btrfs-progs)'
		truncate -s "$2" disk
		mkfs.btrfs -q disk >/dev/null 2>&1 || none 'mkfs.btrfs fails'
		mount -o loop disk fs 2>/dev/null || none 'no btrfs here'
		;;
	esac
}

# in_group DIRECTORY - a control group of version 1, as $group, which goes with the cell
in_group() {
	need_root
	group=$1
	mkdir "$group" 2>/dev/null || none 'no control groups of version 1'
	trap 'eventually 5 rmdir "$group" 2>/dev/null' EXIT
}
