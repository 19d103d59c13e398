#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Rates to the percent: 10,000 I/Os in 10 s at rate_iops=1000, however they are done, one job after
# the other on a machine that has nothing else to do. And beside them those of fio, where it is.

. "$SRCDIR/t/shell.sh"

seconds=10
count() { # count PROGRAM DIR LOW HIGH ARGUMENT...
	local program=$1 dir=$2 low=$3 high=$4 n
	shift 4
	timeout 60 "$program" --name=a --bs=4k --runtime=$seconds --time_based --output-format=json \
		"$@" >out 2>err
	n=$(json out "jobs[0].$dir.total_ios")
	between "$program: $dir of $*" "$n" "$low" "$high"
	printf '# %s: %s %s of %s, cpu %s%% + %s%%\n' "${program##*/}" "$n" "$dir" "$*" \
		"$(json out 'jobs[0].usr_cpu')" "$(json out 'jobs[0].sys_cpu')"
}

head -c 4m "$FIO_LIKE" >data
truncate -s 64m data
programs=$fio
! command -v fio >/dev/null || programs="$fio fio"
for p in $programs; do
	count $p read 9900 10100 --ioengine=null --size=1t --rw=read --rate_iops=1000
	count $p read 9900 10100 --ioengine=psync --filename=data --size=64m --rw=randread \
		--rate_iops=1000
	count $p read 9900 10100 --ioengine=io_uring --iodepth=32 --filename=data --size=64m \
		--rw=randread --rate_iops=1000
	count $p read 9900 10100 --ioengine=psync --filename=data --size=64m --rw=randread \
		--rate_iops=1000 --io_submit_mode=offload
	count $p read 5069 5171 --ioengine=null --size=1t --rw=read --rate=2m
	count $p read 990 1011 --ioengine=null --size=1t --rw=randrw --rate_iops=100,300
	between 'writes of the same' "$(json out 'jobs[0].write.total_ios')" 2970 3031
	count $p read 9600 10400 --ioengine=null --size=1t --rw=randread --rate_iops=1000 \
		--rate_process=poisson
done

# Gaps by chance: D times the root of the count is above 1.95 once in a thousand times. Who wants the
# CPU meanwhile must not have it, where that is possible.
first=
! chrt -f 50 true 2>/dev/null || first='chrt -f 50'
run $first "$fio" --name=a --ioengine=null --size=1t --runtime=$seconds --rw=randread --rate_iops=500 \
	--rate_process=poisson --write_lat_log=p --log_issue_time=1 --log_offset=1 \
	--log_time_unit=ns
d=$(awk -F ', *' 'NR > 1 { print int((1 - exp(-($NF - last) / 2e6)) * 1e6) } { last = $NF }' \
	p_clat.1.log | "$TOOLS/stats" ks 1000000)
between 'gaps by chance' "$d" 0 1.95
echo "# gaps by chance: D * sqrt(n) is $d"
# The same test tells an even pace from that.
run "$fio" --name=a --ioengine=null --size=1t --runtime=2 --rw=randread --rate_iops=500 \
	--write_lat_log=l --log_issue_time=1 --log_offset=1 --log_time_unit=ns
d=$(awk -F ', *' 'NR > 1 { print int((1 - exp(-($NF - last) / 2e6)) * 1e6) } { last = $NF }' \
	l_clat.1.log | "$TOOLS/stats" ks 1000000)
between 'an even pace' "$d" 10 100

# 100 ms of each second: 1 % of the I/Os that a user would have sent waited 90 ms or more.
count "$fio" read 9900 10101 --ioengine=null --size=1t --rw=randread --rate_iops=1000 \
	--null_stall=100ms
p99='percentile["99.000000"]'
between 'p99 of service' "$(json out "jobs[0].read.clat_ns.$p99")" 0 1e6
between 'p99 from the intended start' "$(json out "jobs[0].read.intended_lat_ns.$p99")" 85e6 100e6
finish
