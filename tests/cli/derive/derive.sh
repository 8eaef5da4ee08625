#!/bin/bash
# sensbench derive: the products of a problem, as text, JSON and C; and vjp=tape, vjp=fd. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"

# number KEY: the first one of this name in what was printed last, in JSON
number() {
    sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$work/output" | head -1
}

# Lotka-Volterra: f is n products of a sum; J is full, and each parameter stands in one row
tells 0 "64 entries of 64; 8 groups" "$program" derive glv n=8
tells 0 "72 entries of 576; 9 groups" "$program" derive glv n=8
printf '%s\n' 'model line "one"' 'parameter k = 2' 'state u = 1' 'interval 0 .. 1' "u' = -k*u" >"$work/line.ode"
tells 0 "line: n = 1, np = 1" "$program" derive line --models "$work/line.ode"
tells 0 '"problem": "glv"' "$program" derive glv n=8 --json
[ "$(number operations)" = 136.0 ] || fail "n = 8 takes 8 (16 + 1) operations, not $(number operations)"

# a limit in place of a formula: its derivative is that of a number, which a comparison for equality gives away
gate() { # CONDITION
    printf '%s\n' 'model gate "one"' 'option integer n = 1 in 0 .. 9 ""' 'parameter k = 2' 'state u = 0.5' \
        'interval 0 .. 1' "u' = -k * (if $1 then 1 else u / expm1(u))" >"$work/gate.ode"
}
for condition in "u == 0" "u != 0"; do
    gate "$condition"
    tells 0 "equalities +1: where both sides are equal" "$program" derive gate --models "$work/gate.ode"
    tells 0 '"equalities": 1,' "$program" derive gate --models "$work/gate.ode" --json
done
for condition in "abs(u) < 1e-4" "n == 0" "n <= u and n >= k"; do
    gate "$condition"
    tells 0 '"equalities": 0,' "$program" derive gate --models "$work/gate.ode" --json
    tells 0 "guards +0" "$program" derive gate --models "$work/gate.ode"
    ! grep -q equalities "$work/output" || fail "$condition is no equality"
done

# heat: the five-point stencil, its matrix the same at all points, a handful of groups whatever the grid
for n in 10 30; do
    tells 0 "groups of columns that share no row; the same for all t and x" "$program" derive heat n=$n
    tells 0 '"guards": 0' "$program" derive heat n=$n --json
    [ "$(number groups | cut -d. -f1)" -le 9 ] || fail "heat n=$n: $(number groups) groups"
done

# a grid with another number of neighbours at its sides and corners: (df/dx)^T w is 11 loops or single sums, on any grid
for side in 5 16; do
    tells 0 "by f  operators" "$program" derive brusselator2d side=$side
    [ "$(sed -n 's/^(df.dx)^T w .* //p' "$work/output")" = 11 ] || fail "brusselator2d side=$side: not 11 operators"
done

# shapes that stand above and below each other in a cell, as -c and -left do here: loops over the cells all the same
for side in 6 10; do
    tells 0 "; f has [0-9]* operations, 12 operators in C" "$program" derive shallow_water side=$side
    [ "$(sed -n 's/^(df.dx)^T w .* //p; s/^(df.dx) v .* //p' "$work/output" | xargs)" = "40 31" ] ||
        fail "shallow_water side=$side: not 40 and 31 operators"
done

# Pairs that two rows share, in a triangle or a square, stand where their indices say: operators do not grow with n
# (counted one after the other the third form has 52 and 69 of J^T w, 161 and 195 of the second derivatives).
pairs() { # SUM f VJP
    cat >"$work/pairs.ode" <<END
model pairs "sums over pairs, through a function that is no product"
option integer n = 23 in 2 .. 2000
parameter a = 0.3
state u[i in 1 .. n] = 0.5 + 0.2*sin(i)
interval 0 .. 0.5
u'[i in 1 .. n] = -a*u[i] + sum($1)/n
END
    for n in 47 64; do
        tells 0 "operations, $2 operators in C" "$program" derive pairs "n=$n" --models "$work/pairs.ode"
        [ "$(sed -n 's/^(df.dx)^T w .* //p' "$work/output")" = "$3" ] || fail "$1, n=$n: not $3 operators of J^T w"
        [ "$(sed -n 's/^D (df.dx.* //p' "$work/output")" -le 100 ] || fail "$1, n=$n: too many operators of hvp"
    done
}
pairs "j in i+1 .. n, tanh(u[j]*u[i])" 7 10
pairs "j in 1 .. n, tanh(u[j]*u[i])" 10 10
pairs "j in 1 .. i-1, tanh(u[j] - a*u[i])" 9 15
pairs "j in i+1 .. n, exp(-(u[j] - u[i])^2)" 7 12

# the C of the products is C
tells 0 "sens_generated_vjp" "$program" derive vdp --code
"$program" derive vdp --code >"$work/vdp.c" && "${CC:-cc}" -std=gnu11 -fsyntax-only "$work/vdp.c" ||
    fail "derive --code: no C"

tells 2 "no problem of this name" "$program" derive nothing
tells 2 "no problem given" "$program" derive
tells 2 "one problem at a time" "$program" derive vdp heat
tells 2 "n=-1" "$program" derive glv n=-1

# a run with derived products is that by hand, and tells what recording took; with threads, too
tells 0 "recorded 1 times" "$program" run vdp discrete_adjoint vjp=tape tol=1e-10
for name in tape fd auto; do
    tells 0 "0.21157" "$program" run vdp discrete_adjoint vjp=$name tol=1e-10
done
tells 0 "threads 2" "$program" run glv discrete_adjoint n=20 vjp=tape threads=2
tells 0 '"vjp":"tape".*"n_recorded":1,' "$program" run vdp discrete_adjoint vjp=tape --json
tells 0 '"vjp":"hand".*"n_recorded":null' "$program" run vdp discrete_adjoint --json
# a model with another initial state than its own
printf '1.7\n2.9\n' >"$work/state"
for name in tape hand; do
    tells 0 "G +0[.]505873[0-9]* +4[.]61313" "$program" run brusselator discrete_adjoint vjp=$name x0="$work/state"
done
# structure that was found is dropped where that is asked for
tells 0 '"structure":"dense' "$program" run glv discrete_adjoint n=20 vjp=tape --json
for drop in structure=none track=controlled; do
    tells 0 '"structure":"none","n_jacobian":0' "$program" run glv discrete_adjoint n=20 vjp=tape $drop --json
done
# where compiled products cost less than entries, no matrix is formed for them, on grids of any size; a linear system is
# given it; tapes, which cost more, take the matrix, and so does a full one that is multiplied at full speed
for n in 5 12; do
    compared="run heat discrete_adjoint n=$n cost=sampled outputs=8 tol=1e-3 truth=none --json"
    tells 0 '"structure":"sparse[.]systems[+]sparse[.]columns","n_jacobian":0' "$program" $compared vjp=compiled
    tells 0 '"n_jacobian":[1-9]' "$program" $compared vjp=compiled tableau=radau_iia5
    tells 0 '"structure":"sparse[+]sparse","n_jacobian":[1-9]' "$program" $compared vjp=tape
done
tells 0 '"structure":"dense[+]outer","n_jacobian":[1-9]' "$program" run glv discrete_adjoint n=20 vjp=compiled --json
tells 2 "vjp=tap: no provider of this name" "$program" run vdp discrete_adjoint vjp=tap
for name in tape fd; do
    "$program" list providers | grep -q "^$name " || fail "list providers lacks $name"
done

exit $((failures > 0))
