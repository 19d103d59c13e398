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
refused 'an option of fio' "fio option '.*verify_async.*' is not supported by fio-like yet" \
	--name=a --size=1m --verify_async=2
refused 'a flag of fio' "fio option '--server' is not supported by fio-like yet" --server
refused 'a letter of fio' "fio option '--minimal' is not supported by fio-like yet" -m --name=a --size=1m
refused 'unknown engine' "no engine is called 'psnc'; did you mean 'psync'?" \
	--name=a --size=1m --ioengine=psnc
refused 'an engine of fio' "fio engine 'rbd' is not supported by fio-like yet" \
	--name=a --size=1m --ioengine=rbd
refused 'an engine file that is none' 'error: .*one.dat' --name=a --size=1m --ioengine=./one.dat
refused 'an option of an engine named later' "option of the engine 'null': --ioengine=null must stand before it" \
	--name=a --size=1m --null_stall=1 --ioengine=null
refused 'a job without a name' '^command line: --name=: error: the job needs a name$' --name= --size=1m
refused 'a name that is no name' 'error: the name of an option is missing' --=4
refused 'a value is missing' '--bs: error: a value is missing' --name=a --size=1m --bs
refused 'too much' '--readonly.*takes no value' --name=a --size=1m --readonly=1
refused 'unknown --output-format' "unknown output format 'xml'; there are json, normal" \
	--name=a --size=1m --output-format=xml
refused 'a format of fio' "'terse' is not supported by fio-like yet" --name=a --size=1m --output-format=json,terse
refused '--output that cannot be' '--output=none/x: .*No such file or directory' \
	--name=a --size=1m --output=none/x
refused '--output that is a folder' '--output=folder: .*Is a directory' --name=a --size=1m --output=folder
refused '--eta' 'it must be auto, always or never' --name=a --size=1m --eta=perhaps
refused '--status-interval' '--status-interval=0: error: .*longer than 0' --name=a --size=1m --status-interval=0
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

# ---- Settings that do not go together, files that do not fit -----------------------------------

refused 'size 0, no file' 'job a: no size is given, and there is no file a.0.0' --name=a --rw=read
refused 'size in percent of nothing' 'job a: ' --name=a --rw=write --size=50%
refused 'missing file' 'a.0.0 does not exist, and allow_file_create=0' \
	--name=a --rw=read --size=1m --allow_file_create=0
refused 'short file' 'allow_file_create=0' \
	--name=a --rw=read --size=2m --filename=one.dat --allow_file_create=0
refused 'folder as file' 'filename=folder: it is a directory' --name=a --rw=read --filename=folder
refused 'no such folder' 'directory=none: there is no such folder' --name=a --directory=none --size=1m
refused 'a file as folder' 'directory=one.dat: ' --name=a --directory=one.dat --size=1m
refused 'bs too large' 'bs=2097152 is larger than any file.s share (1048576 bytes)' \
	--name=a --bs=2m --size=1m
refused 'offset behind the end' 'file one.dat ends at 1048576 bytes; begin before that' \
	--name=a --filename=one.dat --offset=2m
refused '--readonly' '--rw=write: error: job a: rw=write would change data, and --readonly forbids it' \
	--readonly --name=a --rw=write --size=1m
refused '--readonly behind' '--readonly forbids it' --name=a --rw=randrw --size=1m --readonly
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
refused_file 'unknown --section' '--section=b: no job file has a section of this name' --section=b <<'END'
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
if [ "$(id -u)" != 0 ]; then
	refused 'an unreadable job file' "secret.fio.*Permission denied" ../secret.fio
elif command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups "$fio" --version >/dev/null 2>&1; then
	fio_as_root=$fio
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --clear-groups "%s" "$@"\n' "$fio" >../as_nobody
	chmod 755 ../as_nobody
	fio=../as_nobody
	refused 'an unreadable job file' "secret.fio.*Permission denied" ../secret.fio
	refused 'a folder closed to us' 'Permission denied' --name=a --size=1m --rw=write
	refused 'an --output closed to us' '--output=x: .*Permission denied' --name=a --ioengine=null --size=1m --output=x
	fio=$fio_as_root
fi
cd ..
finish
