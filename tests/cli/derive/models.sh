#!/bin/bash
# Models in folders: read when they are asked for, so that a broken one is refused alone. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
cd "$work" || exit 1

# model NAME RATE: a model on standard output; a RATE that nothing declares is refused at 5:7.
model() {
    printf 'model %s "decays"\nparameter rate = 2\nstate x = 1\ninterval 0 .. 1\nx'\'' = -%s*x\n' "$1" "$2"
}
mkdir -p mine/folder.ode twice taken
model good rate >mine/good.ode
model bad rat >mine/bad.ode
echo 'modle nameless "what"' >mine/nameless.ode
model same rate >twice/a.ode
model same rate >twice/b.ode
model glv rate >taken/other.ode
model sir rate >taken_later.ode
echo 'modle glv "what"' >glv.ode
mistake="mine/bad.ode:5:7: nothing above declares 'rat'; did you mean 'rate'?"
first="mine/nameless.ode:1:1: expected model NAME"
export SENSBENCH_MODELS=mine

# What has the mistake is refused, by whatever command asks for it.
for words in "show bad" "run bad cfsa" "derive bad" "truth bad" "verify --quick --problem bad" \
    "verify --problem [ab]*" "compare bad cfsa --vs tol=1e-5"; do
    # shellcheck disable=SC2086
    expect 2 "$mistake" $words
    grep -qF "    x' = -rat*x" "$work/output" || fail "$words: the line is not shown"
done
expect 2 "$first" run nameless cfsa
expect 2 "mine/folder.ode: Is a directory" show folder
expect 2 "'bad' is taken" new problem bad
expect 2 "did you mean good" run godo cfsa

# What has none is not disturbed.
expect 0 "status     ok" run good cfsa
expect 0 "final time" show good
expect 0 "status     ok" run decay cfsa
expect 0 " 0 failed" verify --quick --problem decay
expect 0 "quadratic" list costs
expect 0 "own" list costs

# list tells what it cannot read, and lists the rest; so do man page and completion.
for words in "list" "list problems" "list problems --json" "--man" "--completion"; do
    # shellcheck disable=SC2086
    "$program" $words >listed 2>errors
    got=$?
    [ $got -eq 2 ] || fail "$words: exit $got"
    grep -q "good" listed || fail "$words: good is not there"
    for message in "$mistake" "$first" "mine/folder.ode: Is a directory"; do
        [ "$(grep -cF "$message" errors)" -eq 1 ] || fail "$words: not once: $message"
    done
    [ "$(grep -c "^sensbench: " errors)" -eq 3 ] || fail "$words: $(cat errors)"
done

# A file that is named is read at once; in SENSBENCH_MODELS it waits.
SENSBENCH_MODELS='' expect 2 "$mistake" run decay cfsa --models mine/bad.ode
SENSBENCH_MODELS=mine/bad.ode expect 0 "status     ok" run decay cfsa
SENSBENCH_MODELS=mine/bad.ode expect 2 "$mistake" run bad cfsa
SENSBENCH_MODELS=glv.ode expect 2 "glv.ode:1:1: expected model NAME" run glv cfsa

# A name that is taken is refused whatever the command: by a problem in C, by a model of ours, by another file.
SENSBENCH_MODELS=taken expect 2 "taken/other.ode: there is a problem 'glv' already" run decay cfsa
SENSBENCH_MODELS=twice expect 2 "twice/b.ode: there is a problem 'same' already" run decay cfsa
expect 2 "taken_later.ode: there is a problem 'sir' already" list costs --models taken_later.ode
expect 2 "mine/good.ode: there is a problem 'good' already" list costs --models mine/good.ode
# An index is not known in its own bounds. A tie is not taken for a disagreement, here 0.3 in double and with more
# digits. A text of other bytes than UTF-8 is listed.
cat >tied.ode <<'CODE'
model tied "a side is chosen where x is at it"
parameter p = 0.3
state x = 0.3
interval 0 .. 1
x' = if x >= 0.3 then p else -1
CODE
sed -e "s/tied/bounds/" -e "s/^x' = .*/x' = sum(i in i .. 3, i*x)/" tied.ode >bounds.ode
printf 'model latin "R\351action"\nstate x = 1\ninterval 0 .. 1\nx'\'' = -x\n' >latin.ode
SENSBENCH_MODELS='' expect 2 "nothing above declares 'i'" run bounds cfsa --models bounds.ode
SENSBENCH_MODELS='' expect 0 "status     ok" run tied discrete_tangent vjp=tape --models tied.ode
SENSBENCH_MODELS='' expect 0 '"latin"' list problems --json --models latin.ode
SENSBENCH_MODELS=nothing_here expect 2 "nothing_here: No such file or directory" list costs
exit $((failures > 0))
