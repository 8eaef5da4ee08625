#!/bin/bash
# Help, list, show, manual page and completion, all from the same tables. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"

# expect TEXT ARGUMENT...: exit 0, TEXT on stdout, nothing on stderr.
expect() {
    local text=$1
    shift
    "$program" "$@" >"$work/output" 2>"$work/errors" </dev/null || fail "$*: exit $?"
    grep -qF -- "$text" "$work/output" || fail "$*: no '$text'"
    [ ! -s "$work/errors" ] || fail "$*: stderr: $(cat "$work/errors")"
}

# names KIND
names() {
    "$program" list "$1" | awk '!/built without|no file sens_/ { print $1 }'
}

"$program" >"$work/output" 2>"$work/errors"
[ $? -eq 2 ] && [ ! -s "$work/output" ] && grep -q "sensbench run" "$work/errors" ||
    fail "no arguments: usage on stderr, 2"
expect "sensbench run" --help
expect "sensbench run" -h
expect "sensbench run" help
expect "sensbench " --version
commands=$("$program" --help | awk '$1 == "sensbench" && $2 ~ /^[a-z]+$/ && $2 != "help" { print $2 }' | sort -u)
[ "$(echo "$commands" | wc -w)" -ge 5 ] || fail "commands of --help: $commands"
for command in $commands; do
    expect "usage: sensbench $command" "$command" --help
    cp "$work/output" "$work/first"
    expect "usage: sensbench $command" help "$command"
    cmp -s "$work/first" "$work/output" || fail "help $command is not $command --help"
done
expect "sample_seed" run --help
expect "fewer samples" peak --help

# list: every kind, alone and together, as text and JSON
for kind in problems costs methods providers tableaux controllers policies variants sweeps; do
    expect "" list $kind
    expect "\"$kind\"" list $kind --json
    expect "$kind:" list
done
expect "chosen by isa=auto" list variants

# show: every name; all options with their ranges
for kind in problems costs methods tableaux controllers policies; do
    [ -n "$(names $kind)" ] || fail "no $kind"
    for name in $(names $kind); do
        expect " $name: " show "$name"
        expect "\"name\": \"$name\"" show "$name" --json
    done
done
expect "species; n + n^2 parameters; whole number from 1 to 1000" show glv
expect "dense df/dx, df/dx = diag(d) + diag(s) M with one M for all points, outer products for df/dp (2 blocks)" \
    show glv
expect "sparse df/dx (28 entries of 100), df/dx the same for all t and x, sparse df/dp (18 entries of 90)" \
    show conduction
expect "running costs" show discrete_adjoint
expect "controller=fixed only" show rk4

# the manual page has every command, key, module; groff, where there is one, has nothing to complain of
expect ".TH SENSBENCH 1" --man
cp "$work/output" "$work/manual"
for word in $commands $(names problems) $(names methods) $(names costs) $(names tableaux) $(names controllers) \
    $(names policies); do
    grep -qF -- "${word//-/\\-}" "$work/manual" || fail "manual: no $word"
done
for key in tableau ckpt max_steps sample_seed wrt; do
    grep -qF "\\fB$key\\fR" "$work/manual" || fail "manual: no $key"
done
if command -v groff >/dev/null; then
    groff -man -Tascii -ww "$work/manual" >/dev/null 2>"$work/errors"
    [ ! -s "$work/errors" ] || fail "groff: $(head -3 "$work/errors")"
fi

# the completion: valid bash, and right in a few places
expect "complete -F" --completion
cp "$work/output" "$work/completion"
bash -n "$work/completion" || fail "completion: syntax"
# shellcheck disable=SC1091
source "$work/completion"
compopt() { :; }
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _sensbench
    echo "${COMPREPLY[*]}"
}
[ "$(complete_words sensbench ru)" = "run" ] || fail "completion: ru"
[ "$(complete_words sensbench run gl)" = "glv" ] || fail "completion: gl"
[ "$(complete_words sensbench run glv discrete_a)" = "discrete_adjoint" ] || fail "completion: discrete_a"
[ "$(complete_words sensbench run glv discrete_adjoint ki)" = "kind=" ] || fail "completion: ki"
[ "$(complete_words sensbench run glv discrete_adjoint kind =)" = "random uncoupled" ] || fail "completion: kind="
[ "$(complete_words sensbench run glv discrete_adjoint tableau = dopr)" = "dopri5" ] || fail "completion: dopr"
[ "$(complete_words sensbench run glv discrete_adjoint --du)" = "--dump" ] || fail "completion: --du"
[ "$(complete_words sensbench run glv discrete_adjoint ckpt =)" = "stages states" ] || fail "completion: ckpt="
[ "$(complete_words sensbench run glv discrete_adjoint structure =)" = "auto none" ] || fail "completion: structure="
[ "$(complete_words sensbench peak --q)" = "--quick" ] || fail "completion: peak --q"
[ "$(complete_words sensbench verify --method casa_r)" = "casa_reverse" ] || fail "completion: --method casa_r"
exit $((failures > 0))
