#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --crctest: a line per checksum, as fio has it and more behind.

. "$SRCDIR/t/shell.sh"

line='^[a-z0-9-]*:	* *[0-9]*\.[0-9][0-9] MiB/sec	 *[0-9]*\.[0-9][0-9] by 4 KiB	[A-Za-z]'
run "$fio" --crctest
same 'all' $status 0
same 'all: the kinds of verify' "$(cut -d: -f1 out | paste -sd ' ')" \
	'md5 crc64 crc32c crc32 crc16 crc7 xxhash sha512 sha256 sha1 sha3-224 sha3-256 sha3-384 sha3-512'
check 'all: their speed' [ "$(grep -c "$line" out)" -ge 2 ]
if grep -q "$line" out && ! grep 'MiB/sec' out | grep -qv "$line"; then ok; else not_ok 'lines' out; fi
check 'none is zero' [ "$(grep -c '	 *0\.00 ' out)" = 0 ]
says 'our own' '^crc16:.*	fio-like$' out

run "$fio" --crctest=crc7,crc16
same 'two: status' $status 0
same 'two, as they were named' "$(cut -d: -f1 out | paste -sd ' ')" 'crc7 crc16'
run "$fio" --crctest=help
same 'help' "$(wc -l <out)" 14
run "$fio" --crctest=crc7,xxhas
same 'unknown: status' $status 1
check 'unknown: nothing is measured' [ ! -s out ]
says 'unknown' "'xxhas' is no checksum (did you mean xxhash?); there are md5 " err
finish
