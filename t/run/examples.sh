#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every job file of examples/ is in the program, as it is; is annotated; parses here and in fio where
# it uses nothing of ours; and does its work when it is made small.

. "$SRCDIR/t/shell.sh"

# ---- Printing ------------------------------------------------------------------------------------

run "$fio" --list-examples
cp out list
same 'all of them are listed' "$(cut -d' ' -f1 list | tr '\n' ' ')" \
	"$(cd "$SRCDIR/examples" && ls *.ini | sed 's/\.ini$//' | LC_ALL=C sort | tr '\n' ' ')"
between 'their number' "$(wc -l <list)" 25 99
check 'each has a sentence' [ -z "$(grep -v '^[a-z-]*  *[^ ].\{20,\}$' list)" ]
run "$fio" --example=etcd-lug
same 'an unknown one: status' $status 1
says 'an unknown one' "^fio-like: --example=etcd-lug: .*did you mean 'etcd-log'" err
run "$fio" --example=zzz
says 'nothing near' '^fio-like: --example=zzz: .*--list-examples has them all' err
cp "$fio" alone
(cd / && "$OLDPWD/alone" --example=first) >out 2>err
check 'without its tree' cmp -s out "$SRCDIR/examples/first.ini"

# ---- Making them small ---------------------------------------------------------------------------

direct=1
dd if=/dev/zero of=probe bs=4096 count=1 oflag=direct 2>/dev/null || direct=0

smaller() { # a job file whose sizes and times are those of a test
	sed -e 's/^size=[0-9]*%$/size=10%/' -e 's/^size=[0-9.]*[kmgt].*/size=1m/' \
		-e 's/^\(filesize\)=.*/\1=4k-8k/' -e 's/^io_size=.*/io_size=1m/' -e 's/^zonerange=.*/zonerange=4m/' \
		-e 's/^steadystate_duration=.*/steadystate_duration=1/' \
		-e 's/^steadystate_ramp_time=.*/steadystate_ramp_time=0/' -e 's/^latency_window=.*/latency_window=20ms/' \
		-e 's/^offset_increment=.*/offset_increment=128k/' \
		-e 's/^nrfiles=.*/nrfiles=20/' -e 's/^openfiles=.*/openfiles=5/' \
		-e 's/^numjobs=.*/numjobs=2/' -e "s/^runtime=.*/runtime=$runtime/" \
		-e 's/^ramp_time=.*/ramp_time=20ms/' -e 's/^startdelay=.*/startdelay=0-50ms/' \
		-e 's/^loops=.*/loops=2/' -e "s/^direct=1/direct=$direct/" \
		-e "s/mmaphuge/$huge/" -e 's/^thinktime=.*/thinktime=1ms/' \
		-e 's/^number_ios=.*/number_ios=50/'
}
runtime=50ms
huge=mmap
[ "$(awk '/^HugePages_Free/ { print $2 }' /proc/meminfo)" -lt 8 ] || huge=mmaphuge

# try NAME - run it small, in a folder of its own; what is wrong goes to NAME/wrong
try() {
	local name=$1
	mkdir -p "$name"
	cd "$name" || return
	: >wrong
	truncate -s 32m device
	export DEVICE=$PWD/device LOG=$PWD/recorded.log
	if [ "$name" = replay ]; then
		smaller <"$SRCDIR/examples/record.ini" >record.ini
		"$fio" record.ini >/dev/null 2>err || cp err wrong
	fi
	smaller <"$SRCDIR/examples/$name.ini" >small.ini
	if ! "$fio" --parse-only small.ini >parsed 2>&1; then
		if grep -q 'NUMA\|numa\|install the package\|was not built' parsed; then
			sed 1q parsed >skipped
		else
			cat parsed >wrong
		fi
		return
	fi
	if ! timeout 20 "$fio" --output-format=json --output=doc small.ini 2>err; then
		cat err small.ini >wrong
		return
	fi
	# One look at the text for all of it: dozens of questions to the document take their time.
	awk '/"jobname" :/ { jobs++; name[jobs] = $3 }
	     /"(read|write|trim)" : \{/ { inside = 1 }
	     /"total_ios" :/ && inside { ios[jobs] += $3; inside = 0 }
	     END { if (!jobs) print "no jobs"
		   for (i = 1; i <= jobs; i++) if (!ios[i]) print "no I/O in", name[i] }' doc >>wrong
	rm -f device
}

names=$(cut -d' ' -f1 list)
for name in $names; do
	# On a machine that is busy with something else a job may not come to its first I/O so soon.
	(for runtime in 50ms 500ms 3s; do
		(try "$name")
		grep -q 'no I/O' "$name/wrong" || break
	done) &
	while [ "$(jobs -pr | wc -l)" -ge 6 ]; do wait -n; done
done
wait
skipped=
for name in $names; do
	if [ -s "$name/wrong" ]; then
		not_ok "$name" "$name/wrong"
	elif [ -s "$name/skipped" ]; then
		skipped="$skipped $name"
	else
		ok
	fi
done
[ -z "$skipped" ] || echo "not here:$skipped"

# ---- Each of them --------------------------------------------------------------------------------

theirs=$(command -v fio)
export DEVICE=/dev/null LOG=/dev/null
for name in $names; do
	file=$SRCDIR/examples/$name.ini
	"$fio" --example="$name" 2>err | cmp -s - "$file" || not_ok "--example=$name" err
	head -n 1 "$file" | grep -q "^; $name: .*[^.]$" || not_ok "$name: its first line"
	between "$name: lines of annotation" "$(grep -c '^;' "$file")" 4 20
done

# All at once, because each of its starts takes a tenth of a second; one by one only to find who it is.
files=$(grep -L '^; Needs fio-like' "$SRCDIR"/examples/*.ini)
if [ -z "$theirs" ]; then
	echo 'fio is not installed: not parsed by it'
elif ! "$theirs" --parse-only $files >out 2>&1; then
	for file in $files; do
		"$theirs" --parse-only "$file" >out 2>&1 || not_ok "${file##*/}: fio" out
	done
else
	ok
fi

finish
