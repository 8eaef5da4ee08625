#!/bin/bash
# sensbench compare: the table, the rows and the JSON of contenders that take turns; failures of some; exit codes.
# Argument 1: sensbench. Times are not judged.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"

# expect CODE TEXT ARGUMENT...: runs sensbench compare; TEXT must stand in what it prints.
expect() {
    local code=$1 text=$2 got
    shift 2
    "$program" compare "$@" >"$work/output" 2>"$work/errors" </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$text" "$work/output" "$work/errors"; then
        fail "$*: exit $got, expected $code and '$text'; output:"
        cat "$work/output" "$work/errors"
    fi
}

# column FILE NAME: its values, one a line, by the header's name.
column() {
    awk -F'\t' -v name="$2" '
        /^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; if (!at) exit 1; next }
        { print $at }' "$1"
}

# the table: a line for each contender, nothing on stderr that is no terminal
expect 0 "(base)" logistic discrete_adjoint --vs "tol=1e-9" --vs "method=cfsa" --rounds 6
[ -s "$work/errors" ] && fail "stderr: $(cat "$work/errors")"
grep -q "^6 rounds" "$work/output" || fail "rounds"
[ "$(grep -c "^  [12]  " "$work/output")" -eq 4 ] || fail "two tables with a line for each contender"

# the rows: groups of a list, what differs, medians and quotients in their order, columns of the record after them
expect 0 "base: method=discrete_adjoint n=3 problem=glv tol=1e-9" glv discrete_adjoint n=2,3 tol=1e-9 \
    --vs "lanes=1" --vs "tol=1e-4 n=4" --rounds 7 --tsv "$work/rows"
[ "$(head -n 1 "$work/rows")" = "#! schema: sens-compare/1" ] || fail "schema: $(head -n 1 "$work/rows")"
grep -q "^#! cpu:" "$work/rows" && grep -q "^#! flags:" "$work/rows" || fail "the machine is in the prelude"
awk -F'\t' '/^#/ { next } !n { n = NF; next } NF != n { bad = 1 } END { exit bad || n < 60 }' "$work/rows" ||
    fail "rows are as wide as the header"
for name in $(grep -v '^#' "$work/rows" | head -n 1 | cut -f 1-16); do
    grep -q "^| $name | " results/FORMAT.md || fail "FORMAT.md does not know $name"
done
[ "$(column "$work/rows" contender | tr '\n' ' ')" = "0 1 2 0 1 2 " ] || fail "contenders"
[ "$(column "$work/rows" keys | tr '\n' ' ')" = "n=2 n=2 n=2 n=3 n=3 n=3 " ] || fail "keys"
[ "$(column "$work/rows" changes | sed -n 3p)" = "tol=1e-4 n=4" ] || fail "changes"
[ "$(column "$work/rows" n | tr '\n' ' ')" = "2 2 4 3 3 4 " ] || fail "n"
[ "$(column "$work/rows" lanes | sed -n 2p)" = 1 ] || fail "lanes"
[ "$(column "$work/rows" status | sort -u)" = ok ] || fail "status"
[ "$(column "$work/rows" samples | sort -u)" = 7 ] || fail "samples"
for names in "ratio_min ratio_lo ratio ratio_hi ratio_max" "t_min_s t_lo_s t_total_s t_hi_s"; do
    values=
    for name in $names; do values="$values $work/$name"; column "$work/rows" "$name" >"$work/$name"; done
    # shellcheck disable=SC2086 # one word each
    paste $values | awk '{ for (i = 2; i <= NF; i++) if (!($(i - 1) > 0 && $i >= $(i - 1))) exit 1 }' ||
        fail "order: $names"
done
[ "$(column "$work/rows" ratio | sed -n 1p)" = 1 ] || fail "the base by itself is 1"
[ "$(column "$work/rows" err_grad | sed -n 3p)" != "$(column "$work/rows" err_grad | sed -n 1p)" ] || fail "errors"

# JSON: valid, the same columns
expect 0 '"schema":"sens-compare/1"' decay discrete_adjoint tol=1e-4,1e-6 --vs "lanes=1" --rounds 2 --json
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys
data = json.load(sys.stdin)
assert [len(group["contenders"]) for group in data["groups"]] == [2, 2]
assert data["groups"][1]["contenders"][1]["record"]["lanes"] == 1
assert data["groups"][1]["contenders"][1]["ratio"] > 0' <"$work/output" || fail "JSON"
fi

# one that fails is a status, and the rest is measured; the code is the worst
expect 4 "step_limit" vdp discrete_adjoint --vs "max_steps=10" --vs "tol=1e-5" --rounds 2 --tsv "$work/rows"
[ "$(column "$work/rows" status | tr '\n' ' ')" = "ok step_limit ok " ] || fail "statuses"
[ "$(column "$work/rows" ratio | sed -n 2p)" = nan ] || fail "no quotient of a failure"
expect 4 "step_limit" vdp discrete_adjoint max_steps=10 --vs "max_steps=100000" --rounds 2 --tsv "$work/rows"
[ "$(column "$work/rows" status | tr '\n' ' ')" = "step_limit ok " ] || fail "the base failed"
[ "$(column "$work/rows" ratio | sed -n 2p)" = nan ] || fail "no quotient by a failure"
expect 3 "no_truth" vdp discrete_adjoint tol=1e-4 --vs "truth=pde" --rounds 2

# equal errors: a group for each; every contender is within, with the tol of its row, and a looser quarter is not
expect 4 "equal errors" glv discrete_adjoint n=2 --error 1e-5,1e-9 --vs "method=cfsa" --vs "tableau=bs32" \
    --vs "method=finite_difference" --rounds 2 --tsv "$work/rows"
[ "$(column "$work/rows" status | tr '\n' ' ')" = "ok ok ok ok ok ok ok not_reached " ] || fail "equal errors: statuses"
[ "$(column "$work/rows" keys | uniq -c | tr -s ' \n' ' ')" = " 4 error=1e-05 4 error=1e-09 " ] ||
    fail "equal errors: keys"
paste <(column "$work/rows" error) <(column "$work/rows" err_grad) <(column "$work/rows" rtol) \
    <(column "$work/rows" tried) |
    awk 'NR < 8 && !($2 > 0 && $2 <= $1 && $3 > 0 && $4 >= 3) { exit 1 }
        NR == 8 { exit !($2 == "nan" && $3 == "nan") }' ||
    fail "equal errors: err_grad within error"
[ "$(column "$work/rows" t_total_s | sed -n 8p)" = nan ] && [ "$(column "$work/rows" ratio | sed -n 8p)" = nan ] ||
    fail "equal errors: no time without the error"
awk 'NR == 8 { exit !($1 > 1e-9 && $1 < 1e-6) }' <(column "$work/rows" best_error) || fail "equal errors: best_error"
column "$work/rows" message | sed -n 8p | grep -q "least [0-9.]*e-0[78], at tol" || fail "equal errors: message"
# the cell of a row, run again, has the error of the row, and with a tol a quarter decade looser one above 1e-5
cell=$(column "$work/rows" cell | sed -n 2p)
tol=${cell##*tol=} tol=${tol%% *}
looser=$(awk -v tol="$tol" 'BEGIN { printf "%.6g", tol * 10 ^ 0.25 }')
for trial in "$tol" "$looser"; do
    "$program" compare glv cfsa n=2 "tol=$trial" --vs "lanes=1" --rounds 1 --tsv "$work/again" >/dev/null ||
        fail "again"
    column "$work/again" err_grad | head -n 1
done >"$work/errors_again"
[ "$(head -n 1 "$work/errors_again")" = "$(column "$work/rows" err_grad | sed -n 2p)" ] ||
    fail "equal errors: the row's tol"
awk 'NR == 2 { exit !($1 > 1e-5) }' "$work/errors_again" || fail "equal errors: a looser tol would do"

# bad input: 2, its origin, nothing on standard output, nothing written
refuse() {
    local text=$1
    shift
    expect 2 "$text" "$@"
    [ -s "$work/output" ] && fail "$*: standard output"
}
refuse "--vs" decay discrete_adjoint
refuse "unexpected word 'third'" decay discrete_adjoint third --vs "lanes=1"
refuse "problem=glv" decay discrete_adjoint problem=glv --vs "lanes=1"
refuse "command line: lanes=x" decay discrete_adjoint lanes=1,x --vs "tol=1e-3"
refuse '--vs "tol=x": tol=x: not a number' decay discrete_adjoint --vs "tol=x" --tsv "$work/none"
[ -e "$work/none" ] && fail "a file for bad input"
refuse "is not key=value" decay discrete_adjoint --vs "tol"
refuse "--rounds: '0'" decay discrete_adjoint --vs "lanes=1" --rounds 0
refuse "--rounds: '2.5'" decay discrete_adjoint --vs "lanes=1" --rounds 2.5
refuse "--seconds: '-1'" decay discrete_adjoint --vs "lanes=1" --seconds -1
refuse "--timeout: 'x'" decay discrete_adjoint --vs "lanes=1" --timeout x
refuse "together with --error" decay discrete_adjoint --error 1e-6 --vs "tol=1e-3"
refuse "together with --error" decay discrete_adjoint rtol=1e-3 --error 1e-6 --vs "lanes=1"
refuse "no gradient to compare with" decay discrete_adjoint truth=none --error 1e-6 --vs "lanes=1"
refuse "no stored reference" glv discrete_adjoint n=17 --error 1e-6 --vs "lanes=1"
refuse "--error: ''" decay discrete_adjoint --error 1e-6, --vs "lanes=1"
refuse "--error: '2'" decay discrete_adjoint --error 2 --vs "lanes=1"
refuse "--tsv $work/none/none" decay discrete_adjoint --vs "lanes=1" --tsv "$work/none/none"
refuse "--vs needs a value" decay discrete_adjoint --vs
[ -w /dev/full ] && expect 1 "--tsv /dev/full" decay discrete_adjoint --vs "lanes=1" --rounds 1 --tsv /dev/full

# an interruption: 130, the rows of the groups that were done, no process left
env --default-signal=INT "$program" compare decay discrete_adjoint tol=1e-3,1e-4 --vs "lanes=1" \
    --rounds 10001 --seconds 1000 --tsv "$work/rows" >"$work/output" 2>"$work/errors" &
child=$!
while [ ! -s "$work/rows" ]; do sleep 0.05; done
sleep 0.7
kill -INT $child
wait $child
[ $? -eq 130 ] || fail "SIGINT is exit 130"
grep -q "interrupted after" "$work/errors" || fail "SIGINT: said"
pgrep -P $child >/dev/null && fail "SIGINT: a process is left"
awk -F'\t' '/^#/ { next } !n { n = NF; next } NF != n { exit 1 }' "$work/rows" || fail "SIGINT: whole rows"

# completion
# shellcheck disable=SC1090
source <("$program" --completion)
compopt() { :; }
COMP_WORDS=(sensbench compare glv discrete_a) COMP_CWORD=3 COMPREPLY=()
_sensbench
[ "${COMPREPLY[*]}" = discrete_adjoint ] || fail "completion: ${COMPREPLY[*]}"
exit $((failures > 0))
