# SPDX-License-Identifier: MIT
#
# Files are edited behind the program's back: each damage is found, at its place, by its right name.
# The independent checker sees it, too, as far as a block tells by itself. To be sourced behind
# t/shell.sh.
#
# And an engine on the way damages what is written, which it says itself: the same has to be found.

sums='crc32c md5 crc64 crc32 xxhash sha512 sha256 sha1 sha3-224 sha3-256 sha3-384 sha3-512'
blocks=64

# prepare SUM - SUM.old: as the first loop left the file; SUM.new: as the second
prepare() {
	[ ! -e "$1.new" ] || return 0
	job="--name=d --filename=d --size=$((blocks * 4))k --bs=4k --verify=$1 --rw=randwrite --do_verify=0"
	rm -f d
	run "$fio" $job
	cp d "$1.old"
	run "$fio" $job --loops=2
	cp d "$1.new"
}

piece() { # piece FROM-FILE FROM-BYTE TO-BYTE BYTES - into d; the places in units of 512
	dd if="$1" of=d bs=512 skip="$2" seek="$3" count="$4" conv=notrunc 2>dd.err
}

# edit KIND SUM BLOCK - sets $told, a pattern, $wrong, the number of blocks, and $seen, what the
# independent checker must say of wrong ones
edit() {
	local at=$(($3 * 8)) place other byte
	wrong=1 seen=1
	case $1 in
	flip)
		byte=$((RANDOM % 4096))
		place=$(($3 * 4096 + byte))
		printf "\\x$(printf %x $(($(od -An -tu1 -j$place -N1 d) ^ (1 + RANDOM % 255))))" |
			dd of=d bs=1 seek=$place conv=notrunc 2>dd.err
		told="first wrong byte $byte .*damaged: 1 bytes are wrong"
		;;
	swap)
		other=$((($3 + 1 + RANDOM % (blocks - 1)) % blocks))
		piece "$2.new" $at $((other * 8)) 8
		piece "$2.new" $((other * 8)) $at 8
		[ $other -gt "$3" ] || other=$3		# the first of the two is told of
		told="misplaced: the block of offset $((other * 4096)) as write [0-9]* left it"
		wrong=2 seen=2
		;;
	restore)
		piece "$2.old" $at $at 8
		told='stale: the block as write [0-9]* left it, before write' seen=0
		;;
	tear)
		piece "$2.old" $((at + 4)) $((at + 4)) 4
		told='torn: right from byte 0 to 2048, the rest older'
		;;
	zero)
		dd if=/dev/zero of=d bs=4096 seek="$3" count=1 conv=notrunc 2>dd.err
		told='zeros: nothing was written there'
		;;
	shift)
		piece "$2.new" $at $((at + 1)) 7
		told='misplaced: its own data shifted by 512 bytes'
		;;
	esac
}

damages() { # damages COUNT SEED
	local kind sum block all
	RANDOM=$2
	all=($sums)
	for ((i = 0; i < $1; i++)); do
		kind=$(one_of flip swap restore tear zero shift)
		sum=${all[i % ${#all[@]}]}
		block=$((RANDOM % blocks))
		prepare $sum
		cp $sum.new d
		edit $kind $sum $block
		run "$fio" --output-format=json --name=d --filename=d --size=$((blocks * 4))k --bs=4k \
			--verify=$sum --rw=randwrite --verify_only --loops=2
		what="$kind of block $block, $sum"
		[ $status = 1 ] && ok || not_ok "$what: status $status" err
		same "$what: wrong ones" "$(json out 'jobs[0].fio-like.verify.wrong')" $wrong
		says "$what: cause" "$told" err
		[ $kind = swap ] || says "$what: place" "offset $((block * 4096)), length 4096" err
		[ $sum = crc32c ] || continue
		same "$what: the independent checker" \
			"$("$TOOLS/vcheck" d 4096 0 $((blocks * 4096)) | tail -n 1)" \
			"$((blocks - seen)) right, $seen wrong"
	done
	rm -f d ./*.old ./*.new
}

# ---- On the way: by the engine examples/engines/stack.c ----------------------------------------

stack_builds() {
	check 'stack builds' $CC -shared -fPIC -Wall -Wextra -Werror ${SANFLAGS-} \
		-I "$SRCDIR/include" "$SRCDIR/examples/engines/stack.c" -o stack.so
}

half=$((blocks * 2048))

# became KIND WHEN RW - of blocks whose second write was harmed: $is[offset], a pattern. Misdirected
# writes go half the file further on, or back. There the block of that place follows later or, behind
# in the file, has been before; then a backlog has been checked already.
became() {
	local place number next other
	is=()
	while read -r place; do
		number=$((place / 4096 + 1)) next=$((place / 4096 + 1 + blocks))
		[ "$3" = write ] || number='[0-9]*' next='[0-9]*'
		case $1 in
		flip) is[place]='damaged: 1 bytes are wrong' ;;
		zeros) is[place]='zeros: nothing was written there' ;;
		torn) is[place]='torn: right from byte 0 to 512, the rest older' ;;
		shifted) is[place]='misplaced: its own data shifted by 512 bytes' ;;
		*) is[place]=${is[place]-"stale: the block as write $number left it, before write $next"} ;;
		esac
		[ "$1" = misdirected ] || continue
		other="misplaced: the block of offset $place as write $next left it"
		if [ "$place" -ge $half ]; then
			[ "$2" = backlog ] || is[place - half]=$other
		elif grep -qx $((place + half)) harmed; then
			is[place + half]=$other
		fi
	done <harmed
}

# on_the_way KIND ENGINE DEPTH WHEN RW [ARGUMENT...] - two passes of writes, and some of the second
# are harmed; checked by the same job after it or by a backlog, or by a later one without the engine
on_the_way() {
	local what="$*" kind=$1 depth=$3 when=$4 rw=$5 by told first
	local job="--name=d --filename=d --size=$((blocks * 4))k --bs=4k --verify=crc32c --loops=2"
	job="$job --rw=$rw ${*:6}"
	by="--ioengine=./stack.so --stack_below=$2 --iodepth=$depth --stack_damage=$kind"
	by="$by --stack_damage_after=$blocks --stack_damage_one_in=12"
	[ $kind != misdirected ] || by="$by --stack_damage_bytes=$half"
	case $when in
	backlog) by="$by --verify_backlog=8" ;;
	later) by="$by --do_verify=0" ;;
	esac
	rm -f d
	run "$fio" --output-format=json --debug=engine $job $by
	sed -n "s/.*stack: $kind: the write of d at //p" err >harmed
	same "$what: counted" "$(json out 'jobs[0].fio-like.engine.counters.stack_damages')" \
		"$(wc -l <harmed)"
	if [ $when = later ]; then
		same "$what: not known yet" $status 0
		run "$fio" --output-format=json $job --verify_only
	fi
	became $kind $when $rw
	same "$what: wrong blocks" "$(json out 'jobs[0].fio-like.verify.wrong')" ${#is[@]}
	if [ $kind = none ]; then
		same "$what: no false alarm" $status 0
		return
	fi
	same "$what: status" $status 1
	same "$what: error" "$(json out 'jobs[0].error')" 84
	told=$(sed -n 's/.*verify: file d, offset \([0-9]*\), length 4096: .*/\1/p' err)
	says "$what: the block at '$told'" "${is[${told:-0}]-not one that was harmed}" err
	first=("${!is[@]}")
	[ $depth != 1 ] || [ $rw != write ] || same "$what: the first" "$told" "${first[0]-}"
}
