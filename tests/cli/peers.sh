#!/bin/bash
# Methods that other libraries compute. First without any of them: a copy of the program away from its modules says what
# is missing and does everything else. Then those that this build has, on problems with a closed form.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/common.bash"

# ---- without -------------------------------------------------------------------------------------------------------
alone=$work/sensbench
cp "$program" "$alone"
# not found when it was built, or built and now out of reach: what to install; or left out on purpose
petsc="(built without|module of) PETSc(; to have it, apt-get install libpetsc-real-dev|: it was switched off)"
sundials="(built without|module of) SUNDIALS(; to have it, apt-get install libsundials-dev|: it was switched off)"
tells 0 "$petsc" "$alone" list methods
tells 3 "$petsc" "$alone" run glv petsc_tsadjoint n=2
tells 3 "$sundials" "$alone" run glv cvodes_forward n=2
tells 3 "$sundials" "$alone" show cvodes_adjoint
tells 3 "$petsc" "$alone" verify --method 'petsc*'
tells 3 "unavailable" "$alone" compare decay discrete_adjoint tol=1e-6 --rounds 5 --seconds 0.1 \
    --vs "method=cvodes_forward"
tells 2 "did you mean cvodes_forward" "$alone" run glv cvode_forward n=2
tells 0 "err" "$alone" run decay discrete_adjoint
cat >"$work/mixed.sweep" <<'SWEEP'
[sweep]
title   = Ours and a library's
samples = 1
[defaults]
problem = decay
[cells]
method = discrete_adjoint petsc_tsadjoint
SWEEP
tells 0 "1 failed" "$alone" sweep "$work/mixed.sweep" --out "$work/out"
grep -h '^unavailable' "$work"/out/mixed/*.tsv | grep -qE "$petsc" ||
    fail "no row says that petsc_tsadjoint is not available"

# ---- with ----------------------------------------------------------------------------------------------------------
# right METHOD BOUND KEY...: the relative error of the gradient is at most BOUND
right() {
    local method=$1 bound=$2 error
    shift 2
    if ! "$program" run "$@" "method=$method" --json >"$work/json" 2>"$work/messages"; then
        fail "$method on $*: $(cat "$work/messages")"
        return
    fi
    error=$(sed -n 's/.*"err_grad": *\([^,}]*\).*/\1/p' "$work/json")
    awk -v e="$error" -v b="$bound" 'BEGIN { exit !(e + 0 > 0 && e + 0 <= b) }' ||
        fail "$method on $*: error $error, expected at most $bound"
}
grep -q '"library": *""' <("$program" run decay discrete_adjoint --json) || fail "our own method names a library"
missing=0
for method in petsc_corrected cvodes_forward cvodes_adjoint; do
    if ! "$program" show "$method" >"$work/shown" 2>&1; then
        echo "not tested: $(cat "$work/shown")"
        missing=$((missing + 1))
        continue
    fi
    grep -q '^  library ' "$work/shown" || fail "show $method does not name its library"
    # A thousand tolerances: a global error is some tens of local ones, and a library's norm is not ours.
    for problem in decay forced initial logistic oscillator; do right "$method" 1e-6 problem=$problem tol=1e-9; done
    right "$method" 1e-6 problem=oscillator cost=running tol=1e-9
    right "$method" 1e-6 problem=glv n=3 tol=1e-9 wrt=both
    right "$method" 1e-6 problem=glv n=3 tol=1e-9 wrt=both track=controlled
done

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as expected; $missing of 3 methods not built here"
