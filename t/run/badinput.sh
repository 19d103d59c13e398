#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Whatever is wrong with a command line or a job file is said before anything happens: a sentence on
# stderr that names the place, status 1, no result on stdout, and not one file made or changed.

. "$SRCDIR/t/shell.sh"

mkdir here
cd here || exit 1
truncate -s 1m one.dat
mkdir folder
before=$(ls -lR --full-time)

# refused WHAT PATTERN ARGUMENT... - what the run must say
refused() {
	local what=$1 pattern=$2 now
	shift 2
	status=0
	timeout -k 5 20 "$fio" "$@" >../out 2>../err || status=$?
	now=$(ls -lR --full-time)
	if [ $status != 1 ]; then
		not_ok "$what: status $status" ../out ../err
	elif [ -s ../out ]; then
		not_ok "$what: something on stdout" ../out
	elif ! grep -q -e "$pattern" ../err; then
		not_ok "$what: no '$pattern'" ../err
	elif [ "$now" != "$before" ]; then
		not_ok "$what: files were changed: $now"
	else
		ok
	fi
	[ "$now" = "$before" ] || rm -f ./*.0.0
}

# refused_file WHAT PATTERN [ARGUMENT...] - the same for the job file on standard input
refused_file() {
	local what=$1 pattern=$2
	shift 2
	cat >../job.fio
	refused "$what" "$pattern" "$@" ../job.fio
}

# bad OPTION PATTERN - in a job that is all right otherwise, on the command line
bad() {
	refused "$1" "^command line: --$1: error: .*$2" --name=a --rw=randrw --size=1m "--$1"
}

# ---- Names -------------------------------------------------------------------------------------

refused 'no job at all' 'error: no job is defined'
refused 'options and no job' 'error: no job is defined' --bs=4k
refused 'unknown option' "--sise=1m: error: there is no option 'sise'; did you mean 'size'?" \
	--name=a --sise=1m
refused 'unknown short option' '^command line: -Q: error: ' -Q
refused 'a beginning that several share' "is the beginning of several options: .*--rwmixread" \
	--name=a --rw=read --size=1m --rwm=50
refused 'an option of fio' "fio option 'donorname' belongs to fio's engine e4defrag" \
	--name=a --size=1m --donorname=2
refused 'a flag of fio' "fio option '--server' is not supported by fio-like: it belongs to client/server" --server
refused 'unknown engine' "no engine is called 'psnc'; did you mean 'psync'?" \
	--name=a --size=1m --ioengine=psnc
refused 'an engine of fio' "fio engine 'rbd' is not supported by fio-like yet" \
	--name=a --size=1m --ioengine=rbd
refused 'an engine file that is none' 'error: .*one.dat' --name=a --size=1m --ioengine=./one.dat
refused 'an option of an engine named later' \
	"option of the engine 'null': --ioengine=null must stand before it" \
	--name=a --size=1m --null_stall=1 --ioengine=null
refused 'a job without a name' '^command line: --name=: error: the job needs a name$' \
	--name= --size=1m
refused 'a name that is no name' 'error: the name of an option is missing' --=4
refused 'a value is missing' '--bs: error: a value is missing' --name=a --size=1m --bs
refused 'too much' '--readonly.*takes no value but 0 or 1' --name=a --size=1m --readonly=2
refused 'one letter' "^command line: -z: error: there is no option 'z'$" --name=a --size=1m -z
refused 'one letter with a value' "-u: error: there is no option 'u'" --name=a --size=1m -u 1
refused 'two letters' "there is no option 'nu'" --name=a --size=1m --nu=2
refused 'what several share, each once' 'options: --rwmixread, --rwmixwrite$' \
	--name=a --size=1m --rwm=50
refused 'an option of another engine' "'null_delay' is an option of engine null, not of psync" \
	--name=a --size=1m --ioengine=psync --null_delay=5us
refused 'an option of no engine named' "'null_delay' is an option of engine null: choose it with" \
	--name=a --size=1m --null_delay=5us
refused '--section without files' '--section=zz: it chooses from job files' --section=zz --name=a \
	--size=1m
refused '--alloc-size' "--alloc-size=foo: error: 'foo' is not a number" --name=a --size=1m \
	--alloc-size=foo
refused '--max-jobs' "--max-jobs=-3: error: '-3' is too small" --name=a --size=1m --max-jobs=-3
refused 'unknown --output-format' \
	"unknown output format 'xml'; there are jsonl, terse, json, json+, normal" \
	--name=a --size=1m --output-format=xml
refused '--terse-version' "--terse-version=6: error: '6' is too large" --name=a --size=1m \
	--terse-version=6
refused '-V' "'x' is no" --name=a --size=1m -V x
refused '--output that cannot be' '--output=none/x: .*No such file or directory' \
	--name=a --size=1m --output=none/x
refused '--output that is a folder' '--output=folder: .*Is a directory' --name=a --size=1m \
	--output=folder
refused '--eta' 'it must be auto, always or never' --name=a --size=1m --eta=perhaps
refused '--status-interval' '--status-interval=0: error: .*longer than 0' --name=a --size=1m \
	--status-interval=0
refused '--cmdhelp of nothing' "there is no option 'sise'; did you mean 'size'?" --cmdhelp=sise
refused '--enghelp of nothing' "no engine is called 'psnc'; did you mean 'psync'?" --enghelp=psnc

# ---- Values ------------------------------------------------------------------------------------

bad bs=0 ''
bad bs=-1 ''
bad bs=4kx "'kx' is not a unit"
bad bs=1e3k ''
bad bs=4k,8k,16k,32k ''
bad 'bs=(4k/0)' 'zero'
bad 'iodepth=(5%0)' 'zero'
bad 'bs=(4k' ''
bad size=101% 'more than 100%'
bad size=-5 ''
bad size=99999999999999999999 ''
bad iodepth=1,2 'one value'
bad iodepth=0 '1'
bad iodepth=-1 ''
bad iodepth=4294967297 ''
bad iodepth=ten ''
bad rwmixread=101 '100'
bad direct=2 '0 or 1'
bad direct=yes ''
bad numjobs=0 '1'
bad numjobs=100000000 ''
bad rw=reed 'did you mean read?'
bad rw= ''
bad runtime=10parsecs 'parsecs'
bad runtime=99999999999999 'too large: 36500d (100 years) is the most'
bad filename= 'the value is missing; write a text, or several with : between'
refused 'said once' "--startdelay=1-abc: error: 'abc' is not a number$" --name=a --size=1m \
	--startdelay=1-abc
refused 'said once' "--bssplit=abc: error: 'abc' is not a number; give" --name=a --size=1m \
	--bssplit=abc
bad nice=20 '19'
bad cpus_allowed=5000 ''
bad cpus_allowed=a ''
bad cpus_allowed= ''
bad percentile_list=101 '100'
bad percentile_list=a:b ''
bad fallocate=perhaps ''
bad cpus_allowed_policy=spilt 'did you mean split?'
bad thread=x ''
bad 'bs=${NOT_SET_AT_ALL}' 'NOT_SET_AT_ALL'
bad randseed=x ''
bad rw=read: 'a number of bytes to skip'
bad rw=read:x 'a number of bytes to skip'
bad rw=randread:-4 'a number of I/Os per offset'
bad rw_sequencer=some 'sequential or identical'
bad bssplit=4k/60:8k/60 'the percentages add up to 120, not to 100'
bad bssplit=4k/60:8k/30 'add up to 90'
bad bssplit=4k/100,8k/50 'add up to 50'
bad bssplit=4k/50/50:8k/50 "more than one '/'"
bad bssplit=0/100 'no size of a block'
bad bsrange=8k- ''
bad bsrange=0-4k ''
bad blockalign=0 '1'
bad percentage_random=101 '100'
bad random_generator=lsfr 'did you mean lfsr?'
bad random_distribution=zipf:-1 'too small'
bad random_distribution=zipf:1.2:2 ''
bad random_distribution=pareto:1.5 '1 is the most'
bad random_distribution=pareto:0 'more than 0 and less than 1'
bad random_distribution=normal:101 '100 is the most'
bad random_distribution=zoned:60/10:30/20 'add up to 90, expected 100'
bad random_distribution=zoned:50/60:50/60 'add up to 120 percent'
bad random_distribution=zoned_abs:50/1m 'add up to 50'
bad random_distribution=poisson ''
bad random_sequence_stride=2 '0 or 1'
bad file_service_type=fair 'must be one of roundrobin'
bad file_service_type=randum 'did you mean random?'
bad file_service_type=random:0 'the number of I/Os per turn'
bad file_service_type=zipf:-1 'too small'
bad sync_file_range=write 'flags:N'
bad sync_file_range=wrote:8 'flags:N'
bad sync_file_range=write:0 'flags:N'
bad number_ios=-1 ''
bad loops=-1 ''
bad startdelay=5- 'the high end'
bad startdelay=1x "'x' is not a unit"
bad thinktime_blocks=0 '1'
bad thinktime_blocks_type=done 'complete or issue'
bad max_latency=never 'give a time'
bad ignore_error=ENOSUCH "'ENOSUCH' is no errno"
bad ignore_error=EIO,EIO,EIO,EIO 'more than three lists'
bad continue_on_error=maybe 'none, read, write'
bad exit_what=nobody 'group, stonewall or all'
bad prio=8 '0 to 7'
bad prioclass=4 '0 to 3'
bad cpumask=0 '1 is the least'
bad cpumask=0x8000000000000000 'not online'
bad uid=nobody-at-all 'is no user of this system'
bad gid=nobody-at-all 'is no group of this system'
bad uid=-1 'is no user of this system'
bad numa_mem_policy=bind 'give the nodes'
bad numa_mem_policy=local:0 'takes no nodes'
bad numa_mem_policy=bond:0 'it must be default'
bad lockmem=-1 'negative'
if "$fio" --parse-only --name=a --size=4k --numa_cpu_nodes=0 >/dev/null 2>&1; then
	bad numa_cpu_nodes=999 "'999' must be nodes from 0 to"
	bad numa_cpu_nodes=x 'must be nodes from 0 to'
	bad numa_mem_policy=bind:999 "'999' must be nodes from 0 to"
	refused 'CPUs and nodes' 'both say where the job runs' \
		--name=a --size=1m --cpus_allowed=0 --numa_cpu_nodes=0
fi

# ---- Settings that do not go together, files that do not fit -----------------------------------

refused 'size 0, no file' 'job a: no size is given, and there is no file a.0.0' --name=a --rw=read
refused 'size in percent of nothing' 'job a: ' --name=a --rw=write --size=50%
refused 'missing file' 'a.0.0 does not exist, and allow_file_create=0' \
	--name=a --rw=read --size=1m --allow_file_create=0
refused 'short file' 'allow_file_create=0' \
	--name=a --rw=read --size=2m --filename=one.dat --allow_file_create=0
refused 'folder as file' 'filename=folder: it is a directory' --name=a --rw=read --filename=folder
refused 'no such folder' 'directory=none: there is no such folder' --name=a --directory=none \
	--size=1m
refused 'a file as folder' 'directory=one.dat: ' --name=a --directory=one.dat --size=1m
refused 'bs too large' 'bs=2097152 is larger than any file.s share (1048576 bytes of size=1048576 in 1 file)' \
	--name=a --bs=2m --size=1m
refused 'offset behind the end' 'file one.dat ends at 1048576 bytes; begin before that' \
	--name=a --filename=one.dat --offset=2m
refused 'offset at the end' 'file one.dat ends at 1048576 bytes; begin before that' \
	--name=a --filename=one.dat --offset=1m
refused 'all of it behind the offset' '' --name=a --filename=one.dat --offset=100%
refused 'the smallest block too large' 'bs=2097152 is larger than any file.s share' \
	--name=a --bsrange=2m-4m --size=1m
refused 'zones beyond the file' 'random_distribution=zoned_abs:50/1m:50/8m names blocks beyond the end of a file' \
	--name=a --rw=randwrite --size=1m --random_distribution=zoned_abs:50/1m:50/8m
refused 'a sequence beyond the file' 'the job uses 1048576 bytes of it' \
	--name=a --rw=randwrite --size=1m --random_distribution=sequence:0,256
refused 'strides of nothing' 'random_sequence_stride=1 needs' \
	--name=a --rw=randread --size=1m --random_sequence_stride=1
refused 'a map too large' 'need a map of 260 MiB' \
	--name=a --ioengine=null --rw=randread --size=8t --bsrange=4k-8k
refused 'two syncs that are one' 'every sync would be both' \
	--name=a --rw=write --size=1m --fsync=4 --fdatasync=4
refused 'pauses without length' 'no effect without thinktime' \
	--name=a --size=1m --thinktime_iotime=1
refused 'a thread as somebody else' 'need a process of their own' --name=a --size=1m --thread \
	--uid=0
refused '--readonly' \
	'--rw=write: error: job a: rw=write would change data, and --readonly forbids it' \
	--readonly --name=a --rw=write --size=1m
refused '--readonly behind' '--readonly forbids it' --name=a --rw=randrw --size=1m --readonly
# about OPTION PATTERN ARGUMENT... - the place of a complaint is the option that it is about
about() {
	refused "about $1" "^command line: --$1: error: job a: $2" --name=a --size=1m "${@:3}"
}
about fsync=3 'fsync=3 and fdatasync=3' --bsrange=4k-8k --fsync=3 --fdatasync=3
about thinktime_blocks_type=issue 'thinktime_iotime and thinktime_blocks_type' \
	--thinktime_blocks_type=issue
about gid=0 'uid and gid need' --thread --gid=0
about unlink_each_loop=1 'unlink_each_loop=1: the second' --filesize=1m --loops=2 \
	--unlink_each_loop=1
about 'filename_format=../x' "'..' in filename_format" '--filename_format=../x'

refused 'a file of proc' "/proc/none is one of the kernel's own (proc)" --name=a --size=1m \
	--filename=/proc/none
refused 'an empty file of proc' "is neither made nor made longer" \
	--name=a --size=1m --filename=/proc/self/status
refused 'spin longer than think' 'thinktime_spin is longer than thinktime' \
	--name=a --size=1m --thinktime=1 --thinktime_spin=2
refused 'reopen and openfiles' 'with reopen_each_loop=1' \
	--name=a --size=1m --nrfiles=4 --openfiles=1 --reopen_each_loop=1
refused 'a note made fatal' 'time_based without runtime.*fatal because of --warnings-fatal' \
	--name=a --size=1m --time_based --warnings-fatal
refused 'waits for nobody' "wait_for.*nobody" --name=a --size=1m --wait_for=nobody
refused 'waits for itself' 'wait_for' --name=a --size=1m --wait_for=a

# ---- Job files ---------------------------------------------------------------------------------

refused 'no such job file' "cannot read the job file 'none.fio': No such file or directory" none.fio
refused 'a folder as job file' "'folder' is a directory, not a job file" folder
refused 'an empty job file' 'no job is defined' /dev/null
refused 'a binary job file' "error: " "$FIO_LIKE"
refused 'a device as job file' 'error: ' /dev/zero
printf '[a]\nrw=read\nsize=4\0k\n' >../job.fio
refused 'a NUL byte' '^../job.fio: error: this is a binary file, not a job file' ../job.fio
{ printf '[a]\nsize=1m\nrw='; head -c 1000000 /dev/zero | tr '\0' x; echo; } >../job.fio
refused 'a line of a million characters' '^../job.fio:3:' ../job.fio
[ "$(wc -c <../err)" -lt 4000 ] || not_ok 'a long line: too many words about it'
{ printf '[a]\nsize='; head -c 100000 /dev/zero | tr '\0' '('; echo; } >../job.fio
refused 'deep nesting' '^../job.fio:2:.*error: .*deep' ../job.fio
{ printf '[a]\nsize='; head -c 1000000 /dev/zero | tr '\0' '-'; echo; } >../job.fio
refused 'many signs' '^../job.fio:2:.*error: ' ../job.fio

refused_file 'option before a section' '^../job.fio:1:1: error: ' <<'END'
bs=4k
[a]
size=1m
END
refused_file 'only [global]' 'no job is defined' <<'END'
[global]
bs=4k
END
refused_file 'unknown --section' '--section=b: no job file has a section of this name' \
	--section=b <<'END'
[a]
size=1m
END
refused_file 'malformed header' '^../job.fio:1:' <<'END'
[a
size=1m
END
refused_file 'an unset variable' '^../job.fio:2:6: error: .*NOT_SET_AT_ALL' <<'END'
[a]
size=${NOT_SET_AT_ALL}
END
refused_file 'an included section' '^../inc.fio:2:1: error: .*section' < <(
	printf 'bs=4k\n[b]\n' >../inc.fio; printf '[a]\nsize=1m\ninclude ../inc.fio\n')
refused_file 'an include loop' 'error: .*include' < <(
	printf 'include ../inc.fio\n' >../inc.fio; printf '[a]\nsize=1m\ninclude ../inc.fio\n')
refused_file 'a missing include' '^../job.fio:3:.*error: .*none.fio.*No such file' <<'END'
[a]
size=1m
include none.fio
END
refused_file 'a folder as include' '^../job.fio:3:.*error: .*folder.*directory' <<'END'
[a]
size=1m
include folder
END

refused_file 'a header behind a comment' "^../job.fio:1:5: error: this ';' begins a comment" <<'END'
[b"c;]
END
refused_file "an option of another engine" \
	"^../job.fio:3:1: error: 'null_delay' is an option of engine null, not of psync" <<'END'
[a]
size=1m
null_delay=5us
END
printf '[a]\nsize=4\377k\302\233\033\n' >../job.fio
refused 'bytes that are no text' "^    size=4?k???$" ../job.fio
{ echo '[a]'; seq -f 'foo_%.0f=1' 20000; } >../job.fio
SECONDS=0
refused 'a thousand wrong names' '^and 19950 more$' ../job.fio
between 'a thousand wrong names: seconds' $SECONDS 0 5

# Everything that is wrong with a file, in one go, each with its place and a caret under it.
cat >../job.fio <<'END'
[global]
bs=4kx

[a]
size=1m
rwmixread=101
iodepht=4

[b]
size=1m
 rw = reed
END
refused 'all at once' '' ../job.fio
cat >../wanted <<'END'
../job.fio:2:4: error:
    bs=4kx
       ^
../job.fio:6:11: error:
    rwmixread=101
              ^
../job.fio:7:1: error:
    iodepht=4
    ^
../job.fio:11:7: error:
     rw = reed
          ^
END
sed 's/error: .*/error:/' ../err >../got
if cmp -s ../got ../wanted; then ok; else not_ok 'all at once, with places' ../err; fi
# The command line too.
refused 'both at once' '--bs=4kx: ' --name=a --bs=4kx --iodepht=3
says 'both at once' '--iodepht=3: ' ../err

# ---- As another user ---------------------------------------------------------------------------

printf '[a]\nsize=1m\n' >../secret.fio
chmod 0 ../secret.fio
mkdir -m 0 ../closed
closed_engines() { # what cannot be looked into may hold any engine
	refused "$1 in an engine folder closed to us" \
		"no engine is called '$1' .* engine folder .*/closed cannot be read: Permission$2" \
		"--engine-path=$PWD/../closed" --name=a --size=1m --ioengine="$1"
}
if [ "$(id -u)" != 0 ]; then
	refused 'an unreadable job file' "secret.fio.*Permission denied" ../secret.fio
	closed_engines rbd ' denied$'
	closed_engines nul " denied; or did you mean 'null'.$"
elif command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --clear-groups "$fio" --version >/dev/null 2>&1; then
	fio_as_root=$fio
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --clear-groups "%s" "$@"\n' "$fio" \
		>../as_nobody
	chmod 755 ../as_nobody
	fio=../as_nobody
	refused 'an unreadable job file' "secret.fio.*Permission denied" ../secret.fio
	closed_engines rbd ' denied$'
	closed_engines nul " denied; or did you mean 'null'.$"
	refused 'a folder closed to us' 'Permission denied' --name=a --size=1m --rw=write
	refused 'an --output closed to us' '--output=x: .*Permission denied' --name=a \
		--ioengine=null --size=1m --output=x
	fio=$fio_as_root
fi
cd ..
finish
