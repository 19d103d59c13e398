#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Engines from outside that people start from (examples/engines) and that show what the interface
# can hold (t/engines): each is built by the one line of its own file comment, keeps the contract
# with its options, and does what it says in a job.

. "$SRCDIR/t/shell.sh"

# ---- Build ---------------------------------------------------------------------------------------

# What the lines of the file comments call.
mkdir -p bin include
cp -r "$SRCDIR/include/fio-like" include/
cat >bin/pkg-config <<END
#!/bin/sh
[ "\$*" = '--cflags fio-like' ] && echo '-I$PWD/include -Wall -Wextra -Werror ${SANFLAGS-}'
END
# With the PATH of before: a compiler cache looks there for the compiler, and must not find this.
printf '#!/bin/sh\nPATH="%s" exec %s "$@"\n' "$PATH" "$(command -v ${CC%% *})" >bin/cc
chmod +x bin/*
PATH=$PWD/bin:$PATH

command -v c++ >/dev/null || echo 'c++ is not installed: throttle.cc was left out'
for source in "$SRCDIR"/examples/engines/*.c "$SRCDIR"/examples/engines/*.cc; do
	file=${source##*/}
	[ "${file##*.}" = cc ] && ! command -v c++ >/dev/null && continue
	line=$(sed -n "s/^ \*[[:space:]]*\(c[c+]* -shared.* $file .*\)/\1/p" "$source")
	check "$file: has its one line" [ -n "$line" ]
	cp "$source" .
	check "$file: its one line builds it" sh -c "$line"
done
for source in "$SRCDIR"/t/engines/*.c; do
	file=${source##*/}
	check "$file builds" cc -shared -fPIC $(pkg-config --cflags fio-like) "$source" \
		-o "${file%.c}.so" -pthread
done

# ---- The contract --------------------------------------------------------------------------------

keeps() { # keeps ENGINE [OPTIONS] [CASE-THAT-MUST-RUN...]
	local engine=$1 opts=${2-}
	shift
	[ $# = 0 ] || shift
	run "$fio" --engine-test "./$engine.so" ${opts:+"--opts=$opts"}
	if [ "$status" = 0 ]; then ok; else not_ok "$engine $opts: contract" out err; fi
	for case; do
		says "$engine $opts: $case" "^ok [0-9]* - $engine: $case\$" out
	done
}

keeps ram '' 'data written is data read'
keeps ram ram_size=3m
keeps copy '' 'reads what lies there'
for method in splice sendfile copy_file_range; do
	keeps copy "copy_method=$method:copy_advise=dontneed" 'byte counts'
done
keeps copy copy_advise=noreuse
keeps stack '' 'data written is data read'
keeps stack stack_latency=100us 'complete keeps to its time' 'writes of a full queue'
keeps stack stack_below=vsync:stack_latency=100us 'writes of a full queue'
keeps stack stack_below=./poster.so 'writes of a full queue'
[ ! -f throttle.so ] || keeps throttle '' 'data written is data read'
keeps poster '' 'writes of a full queue' 'returned buffers are left alone'
keeps kv '' 'data written is data read' 'many files at once' 'shared state comes and goes'
keeps kv kv_object_size=1000 'data written is data read'
keeps meta '' 'stat tells the size' 'names come and go'
keeps append '' 'appends land somewhere' 'reads what lies there'
for engine in io_uring libaio; do
	[ ! -f "$BUILDDIR/engines/$engine.so" ] ||
		keeps stack "stack_below=$engine:stack_latency=50us"
done

# ---- In jobs -------------------------------------------------------------------------------------

job() { # job ENGINE OPTION... - its JSON is in out
	local engine=$1
	shift
	run "$fio" --output-format=json --name=a --ioengine="./$engine.so" --size=1m --bs=64k "$@"
	same "$engine $*: exit status" "$status" 0
}
counter() {
	json out "jobs[0].fio-like.engine.counters.$1"
}

head -c 1048576 /dev/urandom >source
for method in readwrite splice sendfile copy_file_range; do
	for advise in none noreuse dontneed; do
		rm -f target
		job copy --filename=source --rw=read --copy_to=target --copy_method=$method \
			--copy_advise=$advise
		check "copy by $method, $advise: the copy" cmp source target
		same "copy by $method, $advise: bytes" "$(counter copied_bytes)" 1048576
	done
done
rm -f target
job copy --filename=source --rw=randread --copy_to=target --bs=4k
check 'copy in random order: the copy' cmp source target
for flag in --direct=1 --uncached=1; do
	rm -f target
	job copy --filename=source --rw=read --copy_to=target $flag --bs=64k
	if grep -q 'RWF_DONTCACHE\|direct=1' err; then
		says "copy $flag: refused with the reason" 'needs Linux 6.14\|direct=1' err
	else
		check "copy $flag: the copy" cmp source target
	fi
done
run "$fio" --name=a --ioengine=./copy.so --rw=read --filename=source --uncached=1 \
	--copy_method=splice
says 'uncached needs flags' 'uncached=1 works only with copy_method=readwrite' err
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir small
	run unshare -m sh -c 'mount -t tmpfs -o size=256k none small && "$@"; ls -A small' sh \
		"$fio" --name=a --ioengine=./copy.so --rw=read --filename=source --bs=64k \
		--copy_to=small/target --output=text
	says 'a copy that does not fit' 'the copy takes 1 MiB, and where .small/target. lies only 0' err
	same 'a copy that does not fit: nothing is left' "$(cat out)" ''
fi
run "$fio" --name=a --ioengine=./copy.so --rw=read --filename=source --copy_to=source
says 'copy to itself' 'copy_to is the file itself' out err
run "$fio" --name=a --ioengine=./copy.so --rw=write --size=1m
says 'copy does not write' 'write' out err
check 'copy does not write: refused' [ "$status" != 0 ]

job stack --filename=source --rw=read --stack_latency=5ms --iodepth=4
between 'stack: latency' "$(json out 'jobs[0].read.clat_ns.min')" 5000000 60000000
job stack --filename=source --rw=read --stack_flip_one_in=2 --stack_below=psync
between 'stack: flips' "$(counter stack_flips)" 1 16
run "$fio" --output-format=json --name=a --ioengine=./stack.so --filename=source --rw=read --bs=4k \
	--stack_error_one_in=20
same 'stack: errors end the job' "$status" 1
same 'stack: errors' "$(json out 'jobs[0].error')" 5
for below in mmap psync; do
	for how in '--rw=read' '--rw=write' '--rw=read --stack_latency=1us --iodepth=4' \
		'--rw=write --stack_latency=1us --iodepth=4'; do
		job stack --filename=target $how --stack_below=$below --stack_error_one_in=3 \
			--stack_errno=4
		same "stack: interrupted requests come again: $below $how" "$(
			json out 'jobs[0].read.io_bytes')+$(json out 'jobs[0].write.io_bytes')" \
			"$([[ $how == *read* ]] && echo 1048576+0 || echo 0+1048576)"
	done
done
if [ -f throttle.so ]; then
	job throttle --filename=source --rw=read --throttle_rate=4m
	between 'throttle: milliseconds for 1m at 4m per second' \
		"$(json out 'jobs[0].read.runtime')" 200 2000
fi
job kv --rw=randrw --kv_object_size=16k
between 'kv: objects' $(($(counter kv_gets) + $(counter kv_puts))) 64 64
job poster --rw=randrw --iodepth=8

finish
