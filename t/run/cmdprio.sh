#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Priorities of single requests: as many get one as cmdprio_percentage and cmdprio_bssplit say, the
# right ones, and the kernel is told what the options are made of. Class 2 throughout: it needs no
# privilege.

. "$SRCDIR/t/shell.sh"

head -c 8m /dev/urandom >data

job() { # job ENGINE OPTION... - its JSON is in out
	local engine=$1
	shift
	run "$fio" --output-format=json --name=a --ioengine="$engine" --filename=data --size=8m \
		--io_size=16m --rw=randread --norandommap --iodepth=8 --cmdprio_class=2 "$@"
}
sent() { # prints how many requests had a priority
	json out 'jobs[0].fio-like.engine.counters.prioritised'
}
share() { # share WHAT PERCENT - of all reads and writes, within 5
	local all=$(($(json out 'jobs[0].read.total_ios') + $(json out 'jobs[0].write.total_ios')))
	same "$1: exit status" "$status" 0
	between "$1: $(sent) of $all with a priority" $((100 * $(sent))) \
		$((($2 - 5) * all)) $((($2 + 5) * all))
}
refused() { # refused ENGINE SENTENCE OPTION...
	local engine=$1 sentence=$2
	shift 2
	job "$engine" "$@"
	check "$engine $*: refused" [ "$status" = 1 ]
	says "$engine $*" "$sentence" err
}

# ---- Shares and sentences ------------------------------------------------------------------------

shares() { # shares ENGINE
	local e=$1 bad
	job "$e" --cmdprio=3
	share "$e: none" 0
	same "$e: none at all" "$(sent)" 0
	says "$e: what has no effect" 'no effect without cmdprio_percentage or cmdprio_bssplit' out
	job "$e" --cmdprio_percentage=30
	share "$e: percentage" 30
	job "$e" --rw=randrw --cmdprio_percentage=0,60
	share "$e: percentage of writes" 30
	job "$e" --cmdprio_bssplit=4k/100
	share "$e: all" 100
	job "$e" --cmdprio_bssplit=4096/20
	share "$e: short form" 20
	job "$e" --bs=8k --cmdprio_bssplit=4k/100:8k/20/2/1:8k/40/3/0/5
	share "$e: two entries of one size" 60
	says "$e: a size that is not there" 'cmdprio_bssplit: no request has 4096 bytes' out
	job "$e" --bssplit=4k/50:8k/50 --cmdprio_bssplit=4K/80:8k/0
	share "$e: by size" 40
	job "$e" --rw=randrw --cmdprio_bssplit=4k/80,4k/20
	share "$e: by direction" 50
	job "$e" --rw=randrw --cmdprio_bssplit=,4k/80
	share "$e: writes alone" 40

	refused "$e" 'exclude each other' --cmdprio_bssplit=4k/10 --cmdprio_percentage=10
	refused "$e" 'percentages of 4096 bytes add up to more than 100' \
		--cmdprio_bssplit=4k/60/2/0:8k/60:4096/60/3/0
	refused "$e" 'one list is expected, .*,4k/3. is too much' --cmdprio_bssplit=4k/1,4k/2,4k/3
	refused "$e" 'more than 64 entries' "--cmdprio_bssplit=$(printf '4k/1:%.0s' {1..65})"
	for bad in 4k 4k/ /10 0/10 x/10 4k/x 4k/101 4k/-1 4k/10/2 4k//2/1 4k/10/4/1 4k/10/2/8 \
		4k/10/2/1/1024 4k/10/2/1/1/1 4kb/10 4k/1.5; do
		refused "$e" "cmdprio_bssplit: '$bad' is not size/percent" --cmdprio_bssplit="$bad"
	done
	refused "$e" "'' is not size" --cmdprio_bssplit=4k/10::8k/10
	refused "$e" "'8k' is not size" --cmdprio_bssplit=4k/10,4k/10:8k
	refused "$e" 'cmdprio_percentage=1,x: one number from 0 to 100' --cmdprio_percentage=1,x
	refused "$e" 'cmdprio=1,2,3: one number from 0 to 7' --cmdprio=1,2,3
}

engines=
for engine in io_uring libaio; do
	job $engine
	if [ "$status" = 0 ]; then engines="$engines $engine"; else echo "# not here: $engine"; fi
done
[ -n "$engines" ] || { echo 'SKIP: neither io_uring nor libaio'; exit 77; }
for engine in $engines; do
	shares "$engine"
done

# ---- What the kernel is told ---------------------------------------------------------------------

# libaio's requests as strace shows them, one line each in the file told: 0 for a read or 1 for a
# write, size, priority (class times 8192, hint times 8, level), or 0 without a priority.
told() { # told OPTION...
	run strace -X raw -f -v -s 0 -e trace=io_submit -o trace "$fio" --output-format=json \
		--name=a --ioengine=libaio --filename=data --size=4m --bssplit=4k/50:8k/50 "$@"
	same "$*: exit status" "$status" 0
	awk -F '[ ,=]+' '/nbytes=/ {
		prio = 0
		for (i = 1; i < NF; i++) {
			if ($i == "aio_lio_opcode") op = $(i + 1)
			if ($i == "aio_reqprio") prio = $(i + 1)
			if ($i == "aio_nbytes") bytes = $(i + 1)
		}
		print op, bytes, prio
	}' trace >told
}
among() { # among REQUEST PRIORITY LOW HIGH - percent of these requests with this priority
	local all some
	all=$(grep -c "^$1 " told)
	some=$(grep -c "^$1 $2\$" told)
	check "there are requests $1" [ "$all" -gt 50 ]
	between "$1: $some of $all have $2" $((100 * some)) $(($3 * all)) $(($4 * all))
}

if [[ $engines = *libaio* && -z ${SANFLAGS-} ]] && strace -X raw -e trace=none true 2>/dev/null; then
	told --rw=randrw --cmdprio_class=3,2 --cmdprio=1 --cmdprio_hint=0,2 \
		--cmdprio_bssplit=4k/50:8k/20/2/5:8k/40/2/7/3,8k/100
	among '0 4096' 0x6001 35 65
	among '0 4096' 0 35 65
	among '0 8192' 0x4005 5 35
	among '0 8192' 0x401f 25 55
	among '0 8192' 0 25 55
	among '1 4096' 0 100 100
	among '1 8192' 0x4011 100 100
	same 'strace and the counter agree' "$(grep -cv ' 0$' told)" "$(sent)"
else
	echo '# what the kernel is told: not looked at, without libaio or strace, or under a sanitizer'
fi

# Real time needs a privilege; from root it can be taken.
drop='setpriv --bounding-set=-sys_admin,-sys_nice --inh-caps=-sys_admin,-sys_nice'
if $drop true 2>/dev/null; then
	for engine in $engines; do
		run $drop "$fio" --name=a --ioengine=$engine --filename=data --size=8k --rw=read \
			--cmdprio_bssplit=4k/100/1/0
		says "$engine: no privilege" 'class 1 (real time) needs CAP_SYS_ADMIN' err
	done
fi

# ---- Latencies by priority -----------------------------------------------------------------------

by_prio() { # by_prio ENGINE - N of each are those of the direction, and the shares are right
	local e=$1 dir own other
	job "$e" --rw=randrw --cmdprio_percentage=30,60 --cmdprio=3 --prioclass=2 --prio=5
	for dir in read write; do
		own=$(json out "jobs[0].$dir.prios[0].clat_ns.N")
		other=$(json out "jobs[0].$dir.prios[1].clat_ns.N")
		same "$e, $dir: together all" "$((own + other))" "$(json out "jobs[0].$dir.clat_ns.N")"
		same "$e, $dir: what they are" "$("$jsonq" out "jobs[0].$dir.prios[0].prio" \
			"jobs[0].$dir.prios[1].prio" | paste -sd, -)" '5,3'
	done
	same "$e: as many as were sent" "$(($(json out 'jobs[0].read.prios[1].clat_ns.N') +
		$(json out 'jobs[0].write.prios[1].clat_ns.N')))" "$(sent)"
	job "$e" --cmdprio_percentage=100
	check "$e: one alone is none" [ "$(grep -c '"prios"' out)" = 0 ]
	job "$e" --cmdprio_percentage=50 --gtod_reduce=1
	check "$e: no latencies, none by priority" [ "$(grep -c '"prios"' out)" = 0 ]
	run "$fio" --name=a --ioengine="$e" --filename=data --size=8m --rw=randread --iodepth=8 \
		--cmdprio_percentage=50 --cmdprio_class=2 --cmdprio=1 --numjobs=2 --group_reporting
	says "$e: extremes" '^    clat prio 0/0/0 (.sec): min=' out
	says "$e: percentiles" '^    clat prio 2/1/0 ([45].\...% of IOs) percentiles (.sec):$' out
}
for e in io_uring libaio; do
	"$fio" --enghelp="$e" >/dev/null 2>&1 && by_prio "$e"
done

finish
