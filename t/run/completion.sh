#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What <TAB> offers: by the program, as bash cuts words and as zsh does not; and typed into a real
# bash and a real zsh, where they and script(1) are there.

. "$SRCDIR/t/shell.sh"

offers() { # offers SHELL INDEX WORD... - the candidates, sorted, on a line
	"$fio" --complete "$@" 2>err | cut -f1 | LC_ALL=C sort | tr '\n' ' '
}
has() { # has WHAT WORD CANDIDATES
	case " $3" in
	*" $2 "*) ok ;;
	*) not_ok "$1: no '$2' in '$3'" err ;;
	esac
}
lacks() { # lacks WHAT WORD CANDIDATES
	case " $3" in
	*" $2 "*) not_ok "$1: '$2' in '$3'" err ;;
	*) ok ;;
	esac
}

# ---- Whole words ---------------------------------------------------------------------------------

same 'values' "$(offers zsh 1 fio-like --rw=randr)" '--rw=randread --rw=randrw '
same 'values behind a blank' "$(offers zsh 2 fio-like --rw randr)" 'randread randrw '
same 'an alias has the same' "$(offers zsh 1 fio-like --readwrite=trimw)" '--readwrite=trimwrite '
same 'zero or one' "$(offers zsh 1 fio-like --direct=)" '--direct=0 --direct=1 '
same 'an option' "$(offers zsh 1 fio-like --numj)" '--numjobs= '
same 'an option without a value' "$(offers zsh 1 fio-like --time_b)" '--time_based '
same 'a second name, once it is meant' "$(offers zsh 1 fio-like --blocksize)" \
	'--blocksize= --blocksize_range= --blocksize_unaligned '
has 'flags' --output= "$(offers zsh 1 fio-like --out)"
lacks 'no hidden ones' --alloc-size= "$(offers zsh 1 fio-like --)"
lacks 'nothing without effect' --experimental_verify "$(offers zsh 1 fio-like --)"
has 'engines' --ioengine=null "$(offers zsh 1 fio-like --ioengine=)"
has 'options of the engine' --null_reorder "$(offers zsh 2 fio-like --ioengine=null --null_)"
has 'of an engine behind a blank' --null_reorder "$(offers zsh 3 fio-like --ioengine null --null_)"
same 'not of another' "$(offers zsh 1 fio-like --null_)" ''
same 'its values' "$(offers zsh 2 fio-like --ioengine=null --null_error=EIO)" '--null_error=EIO '
same 'examples' "$(offers zsh 1 fio-like --example=etcd)" '--example=etcd-log '
has 'names of options' '--cmdhelp=iodepth' "$(offers zsh 1 fio-like --cmdhelp=iode)"
same 'formats' "$(offers zsh 1 fio-like --output-format=js)" \
	'--output-format=json --output-format=json+ --output-format=jsonl '
same 'the next of a list' "$(offers zsh 1 fio-like --output-format=json,no)" \
	'--output-format=json,normal '
same 'words of flags' "$(offers zsh 1 fio-like --eta=n)" '--eta=never '
same 'a letter' "$(offers zsh 2 fio-like -F ter)" 'terse '
has 'checksums' --verify=crc32c "$(offers zsh 1 fio-like --verify=crc)"
printf '[global]\nbs=4k\n[one]\nrw=read\n[two]\n' >jobs.ini
same 'sections' "$(offers zsh 2 fio-like jobs.ini --section=)" '--section=one --section=two '
same 'sections of a file to come' "$(offers zsh 2 fio-like -x t jobs.ini)" 'two '
same 'sections of no file' "$(offers zsh 2 fio-like none.ini --section=)" ''
same 'a job file' "$(offers zsh 1 fio-like jo)" ':files '
same 'a file' "$(offers zsh 1 fio-like --output=)" ':files '
same 'a folder' "$(offers zsh 1 fio-like --directory=)" ':dirs '
says 'with help behind a tab' "^--iodepth=	I/Os kept in flight$" <("$fio" --complete zsh 1 f --iodep)
"$fio" --complete zsh 9 fio-like >out 2>err
same 'an index that makes no sense' $? 1
"$fio" --complete >out 2>err
same 'no words' $? 1
"$fio" --complete zsh x fio-like >out 2>err
same 'no index' $? 1

# ---- As bash cuts them ---------------------------------------------------------------------------

same 'cut at =' "$(offers bash 3 fio-like --rw = randr)" 'randread randrw '
same 'right behind it' "$(offers bash 2 fio-like --direct =)" '0 1 '
same 'not cut' "$(offers bash 1 fio-like --rw=randr)" '--rw=randread --rw=randrw '
same 'a cut one before' "$(offers bash 4 fio-like --ioengine = null --null_reo)" '--null_reorder '
same 'cut at :' "$(offers bash 5 fio-like --rw = read : 8)" ''
same 'two in a row' "$(offers bash 6 fio-like --bs = 4k --rw = randwr)" 'randwrite '

# ---- For real ------------------------------------------------------------------------------------

mkdir folder
export PATH=${fio%/*}:$PATH

# A shell at a terminal of its own gets these keys; what was completed is put behind "got:".
typed_bash() {
	printf '%s\n' ". '$SRCDIR/completion/bash/fio-like'" 'PS1=' 'bind "set bell-style none"'
	printf 'fio-like %s\t\001echo got:\n' --rw=randre '--rw randre' --output-form --directory=fol \
		job '-x o' 'jobs.ini --section=o'
	echo exit
}
if command -v script >/dev/null; then
	typed_bash | timeout 20 script -qec 'bash --norc --noprofile -i' /dev/null >bash.out 2>&1
	tr -d '\r' <bash.out | sed -n 's/.*got: *fio-like //p' >got
	for line in '--rw=randread' '--rw randread' '--output-format=' '--directory=folder/' 'jobs.ini' \
		'jobs.ini --section=one'; do
		check "bash: $line" grep -q -x -e "$line *" got
	done
	[ "$failed" = 0 ] || head -50 bash.out
else
	echo 'without script(1): not typed into a bash'
fi

cat >typed.zsh <<EOI
zmodload zsh/zpty || exit 77
zpty t "TERM=dumb COLUMNS=200 zsh -f -i"
w() { zpty -w -n t "\$1"; sleep 0.3; }
w \$'fpath=($SRCDIR/completion/zsh \$fpath); autoload -U compinit; compinit -u -D; PS1=\n'
w \$'fio-like --rw=randre\t\C-aecho got: \n'
w \$'fio-like --iodepth_l\t\C-aecho got: \n'
w \$'fio-like job\t\C-aecho got: \n'
w \$'exit\n'
while zpty -r t line; do print -r -- \$line; done
EOI
if command -v zsh >/dev/null; then
	timeout 20 zsh -f typed.zsh >zsh.out 2>&1
	tr -d '\r' <zsh.out | sed -n 's/^got: *fio-like //p' >got
	for line in '--rw=randread' '--iodepth_low=' 'jobs.ini'; do
		check "zsh: $line" grep -q -x -e "$line *" got
	done
	[ "$failed" = 0 ] || head -50 zsh.out
else
	echo 'without zsh: not typed into one'
fi

finish
