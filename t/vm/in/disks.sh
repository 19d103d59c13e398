#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What is told of the disks below a volume of device-mapper, and below a volume of volumes: each of
# them once, the counts of the volume beside the mean of its parts, as fio has it if it is there
# (--with=fio).

. "$SRCDIR/t/shell.sh"
. "$SRCDIR/t/vm/guest.sh"

a=$(vm_null_blk parta size=32 memory_backed=1)
b=$(vm_null_blk partb size=32 memory_backed=1)
c=$(vm_null_blk partc size=32 memory_backed=1)
sectors=$((32 << 11))
vm_dm both "0 $((2 * sectors)) striped 2 128 $a 0 $b 0" >/dev/null
vm_dm all "0 $((2 * sectors)) linear /dev/mapper/both 0
$((2 * sectors)) $sectors linear $c 0" >/dev/null

job() { # job PROGRAM VOLUME - 4 KiB and 48 MiB of it: 12288 reads and no merges
	run "$1" --name=j --filename="/dev/mapper/$2" --rw=read --bs=4k --size=48m --direct=1 \
		--output-format=json,normal,terse
	same "$1 $2: status" "$status" 0
	sed -n '/^{$/,/^}$/p' out >doc
}
disk() { # disk I KEY
	json doc "disk_util[$1].$2"
}

job "$fio" both
keeps_schema both doc
same 'a volume: how many' "$("$jsonq" --len doc disk_util)" 3
both=$(disk 0 name)
same 'a volume: its parts' "$(disk 1 name) $(disk 2 name)" 'parta partb'
same 'a volume: reads' "$(disk 0 read_ios)" 12288
same 'a volume: sectors' "$(disk 0 read_sectors)" $((48 << 11))
same 'a volume: reads of the parts' "$(($(disk 1 read_ios) + $(disk 2 read_ios)))" 12288
same 'a volume: their mean' "$(disk 0 aggr_read_ios)" 6144
same 'a volume: their sectors' "$(disk 0 aggr_read_sectors)" $((48 << 10))
check 'a part is made of nothing' [ -z "$(json doc 'disk_util[1].aggr_read_ios' 2>/dev/null)" ]
says 'a volume: in text' "^    $both: ios=12288/0, sectors=98304/0, .*, aggrios=6144/0, " out
says 'a volume: in terse' ";$both;12288;0;.*;slaves;6144;0;.*;parta;6144;0;" out

# The order is that of directories in /sys.
place() { # place NAME - its index
	local i
	for i in 0 1 2 3 4; do
		[ "$(disk $i name)" != "$1" ] || echo $i
	done
}
job "$fio" all
same 'a volume of volumes: how many' "$("$jsonq" --len doc disk_util)" 5
same 'a volume of volumes: the mean of two' "$(disk 0 aggr_read_ios)" 6144
inner=$(place "$both")
same 'a volume of volumes: the inner one' "$(disk "$inner" aggr_read_ios)" 6144
same 'a volume of volumes: what was not read' "$(disk "$(place partc)" read_ios)" 0

if command -v fio >/dev/null; then
	for volume in both all; do
		job "$fio" $volume
		mv doc ours.doc
		grep '^3;' out >ours.terse
		job fio $volume
		mv doc theirs.doc
		grep '^3;' out >theirs.terse
		for kind in doc terse; do
			if "$TOOLS/twins" $([ $kind = doc ] && echo json || echo terse) \
				theirs.$kind ours.$kind >differences; then ok; else
				not_ok "$volume: $kind" differences
			fi
		done
	done
fi

finish
