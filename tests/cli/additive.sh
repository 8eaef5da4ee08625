#!/bin/bash
# Additive steps of models with an implicit part: a split changes no equation, dense and sparse agree, adjoint and
# tangent; what cannot be is refused. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/numbers.bash"

equations='parameter a = 0.7
parameter s = 60
state x = 1
state y[1 .. 2] = 0.5
interval 0 .. 2
fall = -s*(x - cos(t)*y[1])
cost mixed = final(x) + integral(y[2]^2)
x'"'"' = a*x*y[2] + fall
y'"'"'[1] = -a*y[1]*x + sin(t)
y'"'"'[2] = y[1] - y[2]^3'
{ echo 'model whole "not split"'; echo "$equations"; } >"$work/whole.ode"
{ echo 'model split "with an implicit part"'; echo "$equations"; echo 'implicit x = fall'; } >"$work/split.ode"

# Other steps take no notice of a split. Additive ones converge to the same: 1e-10 of a step makes some 1e-7 of a
# gradient here.
numbers "$work/right" whole discrete_adjoint cost=own tol=1e-11 tableau=kvaerno54
numbers "$work/got" split discrete_adjoint cost=own tol=1e-11 tableau=kvaerno54
cmp -s "$work/right" "$work/got" || fail "a split changes steps that do not take it"
for tableau in ark32 ark43; do
    numbers "$work/got" split discrete_adjoint cost=own tol=1e-10 tableau=$tableau
    near 1e-6 "$work/right" "$work/got" "split, $tableau"
done

# An f_I that is far stiffer than f, and taken back by f_E, costs steps and no accuracy.
numbers "$work/right" whole discrete_adjoint cost=own tol=1e-11 tableau=kvaerno54
for s in 6e1 1e3 1e4 1e5; do
    { echo "model over_$s \"f_I stiffer than f\""; echo "$equations"; echo "implicit x = -$s*x"; } >"$work/over_$s.ode"
    for tableau in ark32 ark43; do
        numbers "$work/got" over_$s discrete_adjoint cost=own tol=1e-5 tableau=$tableau
        near 2e-4 "$work/right" "$work/got" "f_I = -$s x, $tableau"
    done
done

# The same steps: rounding, 64 units of it by the size of h df_I/dx. Sparse matrices (vjp=tape finds the patterns), kept
# factors, one lane, states made again.
for model in split brusselator1d; do
    numbers "$work/right" $model discrete_adjoint cost=own controller=fixed dt=0.02 tableau=ark43 vjp=hand
    for keys in "discrete_tangent vjp=hand" "discrete_tangent vjp=tape factors=kept" "discrete_adjoint vjp=tape" \
        "discrete_adjoint vjp=tape factors=kept lanes=1 ckpt=every:3"; do
        read -ra key <<<"$keys"
        numbers "$work/got" $model "${key[@]}" cost=own controller=fixed dt=0.02 tableau=ark43
        near 2e-13 "$work/right" "$work/got" "$model, ${key[*]}"
    done
done

# What it is for: diffusion holds explicit steps down, and not these.
steps() {
    "$program" run brusselator1d discrete_adjoint n=60 T=10 cost=own tol=1e-5 "tableau=$1" --once |
        awk '$1 == "work" { print $2 }'
}
additive=$(steps ark43) explicit=$(steps dopri5)
[ "$((8 * additive))" -lt "$explicit" ] || fail "$additive additive steps, $explicit explicit ones"

# refuses CODE TEXT COMMAND...
refuses() {
    local code=$1 text=$2
    shift 2
    "$program" "$@" --models "$work" >"$work/output" 2>&1
    [ $? -eq "$code" ] || fail "$*: exit code is not $code"
    grep -qF -- "$text" "$work/output" || fail "$*: says '$(tail -2 "$work/output")', not '$text'"
}
refuses 2 'declare the implicit part' run whole discrete_adjoint tableau=ark43
refuses 2 'declare the implicit part' run whole discrete_tangent tableau=ark32
{ echo 'model twice "a mistake"'; echo "$equations"; echo 'implicit y[1] = 0'; echo 'implicit y[k in 1 .. 2] = 0'; } \
    >"$work/twice.ode"
refuses 2 "twice.ode:13:10: the implicit part of this element of 'y' is given twice" run twice discrete_adjoint
{ echo 'model other "a mistake"'; echo "$equations"; echo 'implicit z = 0'; } >"$work/other.ode"
refuses 2 "'z' is no state" run other discrete_adjoint
{ echo 'model massive "a mistake"'; echo "$equations"; echo 'mass x = 2'; echo 'implicit x = fall'; } \
    >"$work/massive.ode"
refuses 2 'takes no mass matrix' run massive discrete_adjoint tableau=ark43

# verify: an f_I without values where the solution goes is the model's fault and no method's; additive steps are looked
# at where other implicit ones would take too long.
{ echo 'model gap "f_I ends on the way"'; echo "$equations"; echo 'implicit x = fall + sqrt(y[1] - 0.49)'; } \
    >"$work/gap.ode"
"$program" verify --quick --models "$work/gap.ode" --problem gap >"$work/output" 2>&1
[ $? -eq 1 ] || fail "verify of an f_I without values: exit code is not 1"
grep -qF 'f_I has no values at t =' "$work/output" || fail "verify does not say where f_I has no values"
grep -q '^fail *method' "$work/output" && fail "verify blames a method for an f_I without values"
cat >"$work/row.ode" <<'end'
model row "forty cells"
parameter d = 10
parameter a = 0.3
state u[i in 1 .. 40] = 1 + 0.1*sin(i)
interval 0 .. 1
u'[1] = d*(u[2] - u[1]) - a*u[1]^2
u'[i in 2 .. 39] = d*(u[i-1] - 2*u[i] + u[i+1]) - a*u[i]^2
u'[40] = d*(u[39] - u[40]) - a*u[40]^2
implicit u[i in 2 .. 39] = d*(u[i-1] - 2*u[i] + u[i+1])
end
"$program" verify --quick --models "$work/row.ode" --problem row --method discrete_adjoint >"$work/output" 2>&1 ||
    fail "verify of 40 states with a split fails"
grep -q 'pair.frozen *3 cases.*1 skipped: by implicit formulas' "$work/output" ||
    fail "additive steps of 40 states: $(grep pair.frozen "$work/output")"

exit $((failures > 0))
