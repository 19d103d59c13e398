# SPDX-License-Identifier: MIT
#
# Comparing the environment in a result with /proc and /sys: to be sourced behind t/shell.sh, by
# bash scripts. The document is in the file out.

# result ARGUMENT... - a run with everything in its document, which is in out
result() {
	run "$fio" --size=64k --output-format=json --env=full --name=j "$@"
	[ $status = 0 ] || not_ok "$*: status $status" err
}

# field WHAT WANTED PATH - of the environment
field() {
	same "$1" "$(json out "fio-like.environment.$3" 2>&1)" "$2"
}

# attr FILE - what it says, without blanks around it; nothing if there is no such file
attr() {
	sed 's/^[ \t]*//; s/[ \t]*$//' "$1" 2>/dev/null
}
chosen() { # chosen FILE - the word in brackets, or all of it
	attr "$1" | sed 's/.*\[\(.*\)\].*/\1/'
}
truth() { # truth 0|1
	[ "$1" = 1 ] && echo true || echo false
}
missing() { # missing WHAT PATH - the document has no such member
	if json out "fio-like.environment.$2" >/dev/null 2>&1; then not_ok "$1: $2"; else ok; fi
}

# change WHAT BEFORE AFTER - is among what changed; other things may have changed as well
change() {
	local i=0 what
	while what=$(json out "fio-like.environment.changed[$i].what" 2>/dev/null); do
		if [ "$what" = "$1" ]; then
			field "$1 before" "$2" "changed[$i].before"
			field "$1 after" "$3" "changed[$i].after"
			return
		fi
		i=$((i + 1))
	done
	not_ok "no change of $1"
}

# device PATH LINK - all fields of a device at PATH of the document, which has a folder in /sys
device() {
	local at=$1 dir=$2 pair
	field 'size' $(($(attr "$dir/size") * 512)) "$at.size_bytes"
	field 'read only' "$(truth "$(attr "$dir/ro")")" "$at.read_only"
	[ ! -s "$dir/queue/scheduler" ] ||
		field 'scheduler' "$(chosen "$dir/queue/scheduler")" "$at.scheduler"
	field 'write cache' "$(attr "$dir/queue/write_cache")" "$at.write_cache"
	field 'poll' "$(truth "$(attr "$dir/queue/io_poll")")" "$at.poll"
	field 'rotational' "$(truth "$(attr "$dir/queue/rotational")")" "$at.rotational"
	field 'read-ahead' $(($(attr "$dir/queue/read_ahead_kb") * 1024)) "$at.read_ahead_bytes"
	field 'largest I/O' $(($(attr "$dir/queue/max_sectors_kb") * 1024)) "$at.max_io_bytes"
	for pair in nr_requests:nr_requests logical_block_bytes:logical_block_size \
		physical_block_bytes:physical_block_size optimal_io_bytes:optimal_io_size \
		zoned:zoned max_discard_bytes:discard_max_bytes no_merges:nomerges; do
		[ ! -e "$dir/queue/${pair#*:}" ] ||
			field "${pair%:*}" "$(attr "$dir/queue/${pair#*:}")" "$at.${pair%:*}"
	done
	[ ! -d "$dir/mq" ] || field 'queues' "$(ls "$dir/mq" | wc -l)" "$at.hardware_queues"
}
