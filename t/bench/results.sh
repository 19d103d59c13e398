#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Results of many jobs: how long it takes to put them together and to write them.
#
#	RESULTS_JOBS	jobs (1000)
#	RESULTS_SAMPLES	latencies of each kind and direction of each job (10000)
#	and what lib.sh names

set -eu
. "${SRCDIR:?}/t/bench/lib.sh"
jobs=${RESULTS_JOBS:-1000} samples=${RESULTS_SAMPLES:-10000}

echo 'Results, on'
machine
echo

round=0
while [ $round -lt $(((rounds + 3) / 4)) ]; do
	"$BUILDDIR/t/bench/results" "$jobs" "$samples" >>"$dir/apart.fio-like"
	"$BUILDDIR/t/bench/results" "$jobs" "$samples" --group_reporting >>"$dir/group.fio-like"
	round=$((round + 1))
done
merge=$(middle group fio-like 1 0.001 %.3f)
write=$(middle apart fio-like 2 0.001 %.3f)
printf '%s jobs as one: merged in %s s; apart: merged in %s s, json+ of %s MiB written in %s s\n\n' \
	"$jobs" "$merge" "$(middle apart fio-like 1 0.001 %.3f)" \
	"$(middle apart fio-like 3 1 %.1f)" "$write"
bar "group_reporting of $jobs jobs: seconds to merge" "$merge" below 1
bar "json+ of $jobs jobs: seconds to write" "$write" below 2
finish
