#!/bin/bash
# Mass matrices, M x' = f: the same problem written without one, by another module, and values published by others.
# Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
. "$(dirname "$0")/numbers.bash"

# Nonsingular, its inverse made of whole numbers: 1 -1 0; -1 2 0; 1 -2 1.
equations='parameter a = 0.7
parameter b = 1.3
parameter c = 0.4
state x1 = 1
state x2 = 0.5
state x3 = -0.3
interval 0 .. 4
f1 = -a*x1 + b*x2*x3 + sin(t)
f2 = -b*x2 - c*x1*x1
f3 = -c*x3 + a*x1*x2
cost mixed = final(x1) + integral(a*x2*x2) + at(1.5, x1*x3)
cost last  = final(x3)'
cat >"$work/massive.ode" <<END
model massive "with a mass matrix"
$equations
mass x1     = 2
mass x1, x2 = 1
mass x2, x1 = 1
mass x3, x2 = 1
x1' = f1
x2' = f2
x3' = f3
END
cat >"$work/plain.ode" <<END
model plain "the same, multiplied by the inverse"
$equations
x1' = f1 - f2
x2' = 2*f2 - f1
x3' = f1 - 2*f2 + f3
END

# Finite elements with algebraic values at both ends: sparse, M no diagonal matrix.
cat >"$work/rod.ode" <<'END'
model rod "a front in finite elements"
option integer n = 40 in 4 .. 1000
parameter d = 0.01
parameter r = 5
parameter held = 1
state u[i in 0 .. n] = exp(-20*i/n)
interval 0 .. 1
mass u[0] = 0
mass u[n] = 0
mass u[i in 1 .. n-1] = 2/3
mass u[i in 1 .. n-1], u[i-1] = 1/6
mass u[i in 1 .. n-1], u[i+1] = 1/6
u'[i in 1 .. n-1] = d*n^2*(u[i-1] - 2*u[i] + u[i+1]) + r*u[i]*(1 - u[i])
u'[0] = held^2 - u[0]
u'[n] = u[n] - exp(-20)
cost mixed = final(u[3]) + integral(u[5]^2)
cost early = at(0.3, u[4])
END

# Equal steps are the same steps, and so are those of a controller that looks at the error alone: what is left is
# rounding, some 30 units with the growth of these 4 units of time.
for tableau in sdirk4a kvaerno54 tr_bdf2 theta:0.6 radau_iia5 radau_ia5 lobatto_iiic4 gauss6; do
    for keys in "controller=fixed dt=0.05" "controller=hairer-pi tol=1e-5 dt=0.01" \
        "controller=hairer-pi tol=1e-5 dt=0.01 factors=kept solve=newton lanes=1 ckpt=every:3"; do
        case $tableau$keys in theta*hairer*) continue ;; esac
        read -ra key <<<"$keys"
        numbers "$work/right" plain discrete_adjoint cost=own "tableau=$tableau" "${key[@]}"
        for method in discrete_adjoint discrete_tangent; do
            numbers "$work/got" massive $method cost=own "tableau=$tableau" "${key[@]}"
            # 1e-11: a step's length follows from an error of 1e-5, which is a difference: rounding of it is 1e-11.
            near 1e-11 "$work/right" "$work/got" "massive, $method $tableau $keys"
        done
        along=${keys/factors=kept solve=newton lanes=1 ckpt=every:3/lanes=2}
        read -ra key <<<"$along"
        numbers "$work/got" massive cfsa sens_test=outside cost=own "tableau=$tableau" "${key[@]}"
        near 1e-11 "$work/right" "$work/got" "massive, cfsa $tableau $keys"
        # The same directions, with an estimate of them in each test; at 1e-6, for where a step is so long that Newton's
        # method takes df/dx anew on its way, rounding says when, and estimates are filtered by what it took.
        read -ra key <<<"${along/tol=1e-5/tol=1e-6}"
        for method in cfsa discrete_adjoint; do
            numbers "$work/right_inside" plain $method sens_test=inside cost=own "tableau=$tableau" "${key[@]}"
            numbers "$work/got" massive $method sens_test=inside cost=own "tableau=$tableau" "${key[@]}"
            near 1e-11 "$work/right_inside" "$work/got" "massive, $method inside $tableau $keys"
        done
    done
done

# Directions at the start that break the algebraic equations, as those of x0 do, have no estimate: steps do not shrink.
for tableau in sdirk4a radau_iia5; do
    numbers "$work/right" rod discrete_tangent sens_test=inside cost=own tol=1e-5 "tableau=$tableau"
    for keys in factors=kept "vjp=tape linear=klu ckpt=every:4 threads=2"; do
        read -ra key <<<"$keys"
        numbers "$work/got" rod discrete_adjoint sens_test=inside cost=own tol=1e-5 "tableau=$tableau" "${key[@]}"
        near 1e-12 "$work/right" "$work/got" "rod, inside $tableau $keys"
    done
done

# Robertson's problem: y3 follows from y1 and y2, so that dx/dy1(0) is what it is without y3(0).
for tableau in sdirk4a radau_iia5 lobatto_iiic4; do
    numbers "$work/ode" robertson discrete_adjoint T=40 tableau=radau_iia5 rtol=1e-11 atol=1e-17
    awk -v CONVFMT=%.17g -v OFMT=%.17g '$1 != "dGdx0" { print; next }
         { v[k++] = $2 } END { for (i = 0; i < 9; i++) print "dGdx0", i % 3 < 2 ? v[i] - v[i - i % 3 + 2] : 0 }' \
        "$work/ode" >"$work/right"
    for method in discrete_adjoint discrete_tangent; do
        numbers "$work/got" robertson_dae $method T=40 "tableau=$tableau" rtol=1e-10 atol=1e-14
        near 1e-8 "$work/right" "$work/got" "robertson_dae, $method $tableau" # 100 tolerances
    done
done

# Sparse and dense, by any library that is there; algebraic equations with a parameter of their own.
for tableau in sdirk4a radau_iia5; do
    numbers "$work/right" rod discrete_tangent cost=own tol=1e-6 "tableau=$tableau" linear=own
    for keys in linear=own vjp=tape "vjp=tape factors=kept" "vjp=tape solve=newton ckpt=every:4 threads=2" \
        "vjp=tape linear=klu" "vjp=tape linear=umfpack factors=kept"; do
        read -ra key <<<"$keys"
        "$program" run rod discrete_adjoint "${key[@]}" "tableau=$tableau" T=0.4 --once --models "$work" \
            >"$work/output" 2>&1 || grep -q "is not there" "$work/output" || fail "rod $keys: $(tail -1 "$work/output")"
        grep -q "is not there" "$work/output" && continue
        numbers "$work/got" rod discrete_adjoint cost=own tol=1e-6 "tableau=$tableau" "${key[@]}"
        near 1e-12 "$work/right" "$work/got" "rod, $tableau $keys"
    done
done

# Against differences of whole solves on the same steps: 1e-6, the truncation of the quotient and rounding.
numbers "$work/right" rod finite_difference cost=own tol=1e-6 tableau=sdirk4a grid=frozen scheme=central \
    bump_kind=absolute
numbers "$work/got" rod discrete_adjoint cost=own tol=1e-6 tableau=sdirk4a
near 1e-6 "$work/right" "$work/got" "rod, frozen differences"

# ---- verify ----------------------------------------------------------------------------------------------------

for model in massive robertson_dae; do
    tells 0 "pass +method discrete_adjoint +pair.frozen" "$program" verify --problem $model --models "$work"
    grep -q " 0 failed" "$work/output" || fail "verify $model: $(grep ' failed' "$work/output")"
done

# ---- refusals --------------------------------------------------------------------------------------------------

refuses() { # CODE TEXT MODEL ARGUMENT...
    expect "$1" "$2" run "${@:3}" --models "$work"
}
model() { # NAME LINE...
    printf 'model %s "x"\nstate x = 1\nstate y = 2\ninterval 0 .. 1\n' "$1" >"$work/$1.ode"
    printf '%s\n' "${@:2}" >>"$work/$1.ode"
}
refuses 2 "takes no mass matrix" massive discrete_adjoint tableau=dopri5
refuses 2 "takes no mass matrix" massive discrete_adjoint tableau=auto
refuses 2 "takes no mass matrix" massive discrete_adjoint tableau=rodas4
refuses 2 "tableau cash_karp takes no mass matrix" massive cfsa
refuses 2 "has a mass matrix, which this method does not take" massive casa_dense
refuses 2 "has an explicit first stage" robertson_dae discrete_adjoint tableau=kvaerno54
refuses 2 "does not end in its last stage" robertson_dae discrete_adjoint tableau=gauss6
expect 2 "has a mass matrix, which extended precision does not take" truth robertson_dae --stiff --out "$work/truth"

model inconsistent 'mass y = 0' "x' = -x" "y' = x - y"
refuses 2 "equation 2 of 2 is algebraic, and its residual is -1 at t0" inconsistent discrete_adjoint tableau=sdirk4a
model dependent 'mass x = 0.1' 'mass x, y = 0.2' 'mass y, x = 0.3' 'mass y = 0.6' "x' = -x" "y' = x - y"
refuses 4 "the mass matrix is singular: combine" dependent discrete_adjoint tableau=sdirk4a
refuses 4 "the mass matrix is singular: combine" dependent discrete_tangent tableau=radau_iia5
model index2 'mass y = 0' "x' = -y" "y' = x - 1"
refuses 4 "index above 1" index2 discrete_adjoint tableau=sdirk4a
model twice 'mass y = 0' 'mass y = 1' "x' = -x" "y' = x - y"
refuses 2 "twice.ode:6:6: this entry of the mass matrix is given twice" twice discrete_adjoint
model moving 'mass y = x' "x' = -x" "y' = x - y"
refuses 2 "a mass is made of numbers, options and indices alone" moving discrete_adjoint
model nothing 'mass z = 1' "x' = -x" "y' = x - y"
refuses 2 "'z' is no state" nothing discrete_adjoint
model column 'mass x, 2 = 1' "x' = -x" "y' = x - y"
refuses 2 "behind the comma of a mass a state is due" column discrete_adjoint

exit $((failures > 0))
