#!/bin/bash
# sensbench run: report, record and dump of a cell, keys and files of numbers, exit codes. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"

# rows FILE QUANTITY: how many rows of a dump.
rows() {
    awk -F'\t' -v q="$2" 'NF == 5 && $1 == q { k++ } END { print k + 0 }' "$1"
}

# same FILE FILE WHAT
same() {
    cmp -s "$1" "$2" || fail "$3"
}

# the report, and every method of the registry on a problem that all can do
expect 0 "truth: ode" run decay discrete_adjoint
for method in $("$program" list methods | awk '!/built without|no file sens_/ { print $1 }'); do
    expect 0 "status     ok" run decay "$method"
done
expect 0 "0.21157" run vdp discrete_adjoint tol=1e-10
expect 0 "truth: pde" run heat discrete_tangent n=6 tableau=rk4 controller=fixed dt=1e-3 truth=pde
expect 0 "no closed form" run glv discrete_tangent n=3 T=1.5

# a state at rest says nothing of its derivative; a state that moves does
rest=(position=0 velocity=0 T=20 tol=1e-10 tableau=dopri5)
expect 0 "warning: the state says nothing of its derivative" run oscillator discrete_adjoint "${rest[@]}"
expect 0 "sens_test=inside tests the tangent, too" run oscillator discrete_tangent "${rest[@]}" --json
expect 0 "13 steps where its tangent needs" run oscillator discrete_adjoint "${rest[@]:0:4}" tableau=kvaerno54
expect 0 "13 steps where its tangent does not get to the end (step_limit)" \
    run oscillator discrete_adjoint "${rest[@]}" max_steps=100
for case in "oscillator discrete_adjoint sens_test=inside ${rest[*]}" "oscillator cfsa ${rest[*]}" \
    "oscillator discrete_adjoint sens_test=inside ${rest[*]:0:4} tableau=radau_iia5" \
    "oscillator cfsa ${rest[*]:0:4} tableau=rodas4" \
    "oscillator discrete_adjoint" "oscillator discrete_adjoint tableau=kvaerno54" \
    "decay discrete_adjoint controller=fixed tableau=rk4 dt=0.125"; do
    # shellcheck disable=SC2086 -- a list of words
    expect 0 "status" run $case
    grep -q warning "$work/output" && fail "$case: a warning"
done

# without a truth: how far the results move at a hundredth of the tolerance, and that is about their error
for method in discrete_adjoint casa_dense; do
    expect 0 "estimated by a solve at rtol = 1.0e-08" run glv $method n=4 T=3 tol=1e-6 --dump "$work/loose"
    sed -n 's/.*x \(.*\), gradient \(.*\) (relative).*/\1 \2/p' "$work/output" >"$work/told"
    expect 0 "status     ok" run glv discrete_tangent n=4 T=3 tol=1e-13 tableau=dop853 --once --dump "$work/tight"
    awk -F '\t' 'FILENAME ~ /told$/ { split($0, told, " "); next }
        FILENAME ~ /tight$/ { v[$1 $2 "," $3] = $4; next }
        $1 == "x" { off[1] += ($4 - v[$1 $2 "," $3])^2; size[1] += v[$1 $2 "," $3]^2 }
        $1 ~ /^dGd/ { off[2] += ($4 - v[$1 $2 "," $3])^2; size[2] += v[$1 $2 "," $3]^2 }
        END { for (k = 1; k <= 2; k++) { r = told[k] / sqrt(off[k] / size[k]); if (r < 0.8 || r > 1.25) exit 1 } }' \
        "$work/told" "$work/tight" "$work/loose" || fail "the estimate of $method is not the error: $(cat "$work/told")"
done
expect 0 '"estimate":{"rtol":1e-8,"x":' run glv discrete_adjoint n=4 T=3 tol=1e-6 --json
for run in "decay discrete_adjoint" "glv discrete_adjoint n=4 T=3 --once" "glv discrete_adjoint n=4 T=3 truth=none" \
    "glv discrete_adjoint n=4 T=3 tableau=rk4 controller=fixed dt=0.1"; do
    # shellcheck disable=SC2086 # words are wanted
    expect 0 "status     ok" run $run
    ! grep -q "estimated by" "$work/output" || fail "an estimate: $run"
done
# an explicit scheme on a stiff problem takes as many steps at any tolerance, and its gradient may be worth nothing
expect 0 "warning: stability sets the steps, and not the tolerance" run hires discrete_adjoint T=150 tol=1e-4 wrt=p
expect 0 "status     ok" run hires discrete_adjoint T=150 tol=1e-4 wrt=p tableau=radau_iia5
! grep -q "stability sets" "$work/output" || fail "stability sets the steps of an implicit scheme"

# records
expect 0 '"status":"ok"' run decay discrete_adjoint --json
[ "$(wc -l <"$work/output")" -eq 1 ] || fail "--json: one line"

# The object holds the same numbers as the dump; --once gives them too, with as many right-hand sides, and no time.
"$program" run glv discrete_adjoint n=2 --json --dump "$work/dump.tsv" >"$work/run.json"
last=$(tail -1 "$work/dump.tsv" | cut -f4)
grep -qF "$last]]" "$work/run.json" || fail "--json: dGdx0 does not end with $last"
for name in x G dGdp dGdx0; do
    [ "$(grep -oE "\"$name\":\[+[^]]*" "$work/run.json" | head -1 | sed 's/.*\[//' | cut -d, -f1)" = \
        "$(grep "^$name" "$work/dump.tsv" | head -1 | cut -f4)" ] || fail "--json: $name"
done
"$program" run glv discrete_adjoint n=2 --json --once >"$work/once.json"
for name in result n_rhs steps; do
    [ "$(grep -oE "\"$name\":[^,]*" "$work/once.json")" = "$(grep -oE "\"$name\":[^,]*" "$work/run.json")" ] ||
        fail "--once: $name"
done
grep -q '"t_total_s":null' "$work/once.json" || fail "--once: a time"
expect 0 "dG/dp" run glv discrete_adjoint n=2 --once
grep -q '^time' "$work/output" && fail "--once: a time is printed"
expect 4 '"result":{}' run vdp discrete_adjoint max_steps=10 --json
"$program" run decay discrete_adjoint --tsv >"$work/tsv"
awk -F'\t' 'NR == 1 { n = NF; first = $1 } NR == 2 && NF == n && $1 == "ok" { good = 1 }
            END { exit !(NR == 2 && first == "status" && good) }' "$work/tsv" || fail "--tsv: header and row"

# the dump: header, shape, and only what wrt asks for
expect 0 "status" run glv discrete_adjoint n=3 --dump "$work/both"
[ "$(head -n 1 "$work/both")" = "$(printf 'quantity\trow\tcol\tvalue\tname')" ] || fail "header of the dump"
for shape in "x 3" "G 3" "dGdp 36" "dGdx0 9"; do
    [ "$(rows "$work/both" "${shape% *}")" -eq "${shape#* }" ] || fail "dump: $shape"
done
[ "$(wc -l <"$work/both")" -eq 52 ] || fail "dump: 51 values"
awk -F'\t' '$1 == "dGdp" { if ($2 > row) row = $2; if ($3 > col) col = $3 } END { exit !(row == 2 && col == 11) }' \
    "$work/both" || fail "dump: rows of dGdp are outputs, columns parameters"
# names: of the state, of what a derivative is by; those of an option where there is one
expect 0 "parameters k1 k2 k3" run robertson cfsa --once --dump "$work/named"
[ "$(awk -F'\t' '$2 == 0 { print $1 "." $5 }' "$work/named" | tr '\n' ' ')" = \
    'x.x[0] G. dGdp.k1 dGdp.k2 dGdp.k3 dGdx0.x[0] dGdx0.x[1] dGdx0.x[2] ' ] || fail "names: $(cat "$work/named")"
"$program" run oscillator cfsa --once --json >"$work/json"
grep -qF '"states":["position","velocity"],"parameters":["omega","zeta"]' "$work/json" ||
    fail "names: $(cat "$work/json")"
expect 0 "status" run glv discrete_adjoint n=3 wrt=p --dump "$work/p"
[ "$(rows "$work/p" dGdx0)" -eq 0 ] && [ "$(rows "$work/p" dGdp)" -eq 36 ] || fail "wrt=p"
expect 0 "status" run glv discrete_adjoint n=3 wrt=x0 --dump "$work/x0"
[ "$(rows "$work/x0" dGdx0)" -eq 9 ] && [ "$(rows "$work/x0" dGdp)" -eq 0 ] || fail "wrt=x0"

# keys: qualified names, defaults written out, and flags anywhere mean the same
expect 0 "status" run glv discrete_adjoint problem.n=3 cost=identity tol=1e-6 ckpt=stages --dump "$work/again"
same "$work/both" "$work/again" "defaults written out"
expect 0 "status" run --dump="$work/again" problem=glv method=discrete_adjoint n=3 rtol=1e-6 isa=auto
same "$work/both" "$work/again" "names as keys, rtol alone"
expect 0 "status" run glv discrete_adjoint n=3 ckpt=2 --dump "$work/again"
same "$work/both" "$work/again" "ckpt=2 is bit for bit ckpt=stages"
expect 0 "ckpt = 2" run glv discrete_adjoint n=3 ckpt=every:2 --dump "$work/again"
same "$work/both" "$work/again" "ckpt=every:2 is bit for bit ckpt=stages"
expect 0 "status" run glv discrete_adjoint n=3 tol=1e-5 --dump "$work/again"
cmp -s "$work/both" "$work/again" && fail "tol has no effect"
expect 0 "t = 0 ... 5" run glv discrete_adjoint n=3 t1=5
expect 0 "m = 2" run glv discrete_adjoint n=3 cost=terminal m=2
expect 0 "m = 2" run glv discrete_adjoint n=3 cost=terminal cost.m=2

# params and x0 from files: the nominal numbers give the nominal results
printf '# eps\n 1e-3 # a comment\n' >"$work/params"
expect 0 "status" run vdp discrete_adjoint --dump "$work/nominal"
expect 0 "status" run vdp discrete_adjoint params="$work/params" --dump "$work/again"
same "$work/nominal" "$work/again" "params: the nominal one"
printf '2e-3' >"$work/params"
expect 0 "no closed form" run vdp discrete_adjoint params="$work/params" --dump "$work/again"
cmp -s "$work/nominal" "$work/again" && fail "params has no effect"
expect 0 "status" run vdp discrete_adjoint params="$work/params" eps=1e-3 --dump "$work/again"
same "$work/nominal" "$work/again" "a parameter by its name counts before its number of a file"
# the options of a row are those that were used, its cell what was given
used() { # WANTED WORD... - the options of the row of such a run of logistic
    expect 0 "status" run logistic discrete_adjoint "${@:2}" --tsv
    [[ "$(column options "$work/output") " == "$1 "* ]] ||
        fail "options of ${*:2}: $(column options "$work/output"), not $1"
}
printf '0.7 3' >"$work/rates"
printf 0.25 >"$work/state"
used "r=0.7 K=3 y0=0.5 T=3" params="$work/rates"
used "r=2 K=3 y0=0.5 T=3" params="$work/rates" r=2
used "r=1 K=2 y0=0.25 T=3" x0="$work/state"
used "r=1 K=2 y0=0.5 T=8" t1=8
"$program" run logistic discrete_adjoint params="$work/rates" r=2 --tsv >"$work/row"
[[ "$(column cell "$work/row")" == *"params=$work/rates"*"r=2"* ]] || fail "the cell is not what was given"
printf '0.1,0.1\n0.1' >"$work/state"
expect 0 "status" run glv discrete_adjoint n=3 x0="$work/state" --dump "$work/again"
same "$work/both" "$work/again" "x0: the nominal one"
# vdp: x0=FILE where v(0) is a number, refused where it is a function of the parameter
printf '2 -0.5' >"$work/state"
expect 0 "status" run vdp discrete_adjoint x0="$work/state" --dump "$work/again"
cmp -s "$work/nominal" "$work/again" && fail "x0 has no effect"
# an initial state that depends on p moves with it: y(0) = (a, k b), T small
printf '1 1 1' >"$work/params"
expect 0 "x(t1)      0.999999999 1" run initial discrete_adjoint params="$work/params" T=1e-9

# instruction sets: each supported one runs and says so, the others are refused with 3
for isa in baseline avx2 avx512; do
    if "$program" list variants | grep "^$isa " | grep -q "supported by this CPU" &&
        ! "$program" list variants | grep "^$isa " | grep -q "not supported"; then
        expect 0 "\"isa\":\"$isa\"" run decay discrete_adjoint isa=$isa --json
    else
        expect 3 "isa=$isa" run decay discrete_adjoint isa=$isa
    fi
done

# exit codes of what is not available, does not solve, cannot be written or is interrupted
expect 3 "closed form" run vdp discrete_adjoint truth=pde
expect 2 "dt_misfit" run decay discrete_adjoint controller=fixed dt=0.3
expect 4 "step_limit" run vdp discrete_adjoint max_steps=10
"$program" run vdp discrete_adjoint max_steps=10 --dump "$work/none" 2>/dev/null >"$work/output"
[ "$(cat "$work/output")" = "status     step_limit" ] || fail "stdout of a failed solve has the status only"
[ ! -e "$work/none" ] || fail "a failed solve leaves no dump"
expect 4 '"err_grad":null' run vdp discrete_adjoint max_steps=10 --json
if [ -w /dev/full ]; then
    expect 1 "--dump" run decay discrete_adjoint --dump /dev/full
    "$program" list >/dev/full 2>/dev/null
    [ $? -eq 1 ] || fail "a full standard output is exit 1"
fi
env --default-signal=INT "$program" run decay discrete_adjoint controller=fixed dt=1e-10 max_steps=1000000000000 \
    >"$work/output" 2>&1 &
sleep 0.3
kill -INT $!
wait $!
[ $? -eq 130 ] || fail "SIGINT is exit 130"
[ ! -s "$work/output" ] || fail "SIGINT: nothing is printed"
exit $((failures > 0))
