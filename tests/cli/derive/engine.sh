#!/bin/bash
# engine=compiled: whole steps by generated C give what the library gives, to rounding, and in the preset repro bit for
# bit; where they cannot be had the run is refused. Argument 1: sensbench. (Branches: only_rhs.sh.)
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
command -v "${CC:-cc}" >/dev/null || { echo "no C compiler"; exit 77; }
export SENSBENCH_CACHE=$work/cache

# Contraction is off, and there is one instruction set, where the program was built for the same bits everywhere.
exact=false
grep -q 'CMAKE_BUILD_TYPE.*=Repro\|SENS_REPRO.*=ON' "$(dirname "$program")/CMakeCache.txt" 2>/dev/null && exact=true

# near A B SIZE: the numbers of two dumps differ by at most SIZE of the largest of their kind.
near() {
    awk -F'\t' -v size="$3" '
        FNR == 1 || /^#/ { next }
        { key = FNR; kind = $1; value = $4 + 0 }
        NR == FNR { first[key] = value; a = value < 0 ? -value : value; if (a > most[kind]) most[kind] = a }
        NR == FNR { next }
        { n++; d = value - first[key]; if (d < 0) d = -d; if (!(d <= size * most[kind])) bad = 1 }
        END { exit bad || n < 2 }' "$1" "$2"
}

# same CELL...: by both engines. Rounding grows by the condition of the solve, far less than 1e4 in these; not by the
# choice of steps, which is made by hand where stability bounds it: every other step is rejected there, at an error of 1
# to rounding.
same() {
    local library=$work/library.tsv compiled=$work/compiled.tsv
    "$program" run "$@" vjp=compiled rhs=generated --dump "$library" >/dev/null || fail "$*: engine=library"
    "$program" run "$@" vjp=compiled rhs=generated engine=compiled --dump "$compiled" >/dev/null ||
        fail "$*: engine=compiled"
    near "$library" "$compiled" 1e-11 || fail "$*: the engines differ"
    ! $exact || cmp -s "$library" "$compiled" || fail "$*: the engines differ in their bits"
}
same glv discrete_adjoint n=2
same glv discrete_adjoint n=5 lanes=3
same glv discrete_adjoint n=5 wrt=x0 tableau=dopri5
same glv discrete_adjoint n=9 lanes=4 ckpt=every:3
same vdp discrete_adjoint eps=0.1 tableau=bs32 lanes=1 controller=fixed dt=0.005
# The library multiplies by compiled products there, whose sums have another order than those over entries of df/dx.
exact=false same heat discrete_adjoint n=4 controller=fixed dt=0.005 t1=0.05
same oscillator discrete_adjoint sens_test=inside
same robertson discrete_adjoint t1=0.01

# by itself, with the problem's own functions beside it, and in a row
"$program" run glv discrete_adjoint n=5 --dump "$work/own.tsv" >/dev/null
"$program" run glv discrete_adjoint n=5 engine=compiled --dump "$work/steps.tsv" >/dev/null
near "$work/own.tsv" "$work/steps.tsv" 1e-11 || fail "glv: another gradient than by hand"
tells 0 '"engine":"compiled"' "$program" run glv discrete_adjoint n=2 engine=compiled --json
tells 0 '"engine":"library"' "$program" run glv discrete_adjoint n=2 --json
counts() {
    "$program" run vdp discrete_adjoint eps=0.1 "$@" --json | tr , '\n' | grep -E '"(steps|n_rhs|n_vjp|n_vjp_p)"'
}
[ "$(counts)" = "$(counts engine=compiled)" ] || fail "vdp: other counts of operations"

# not to be had
tells 2 "engine=compiled: tableau=.* is not explicit" \
    "$program" run vdp discrete_adjoint tableau=sdirk4a engine=compiled
tells 2 "cost running has a running part" "$program" run vdp discrete_adjoint cost=running engine=compiled
tells 2 "engine=compiled: 20 states" "$program" run glv discrete_adjoint n=20 engine=compiled
tells 2 "engine=compiled: no compiler" env CC=no_such_compiler "$program" run vdp discrete_adjoint engine=compiled
tells 2 "engine" "$program" run vdp cfsa engine=compiled
exit $((failures > 0))
