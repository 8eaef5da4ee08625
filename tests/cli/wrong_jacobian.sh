#!/bin/bash
# A df/dx that a module declares is held against differences when implicit steps take it. Argument 1: sensbench;
# argument 2: the folder of the headers (default: the source tree's). Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
headers=${2:-$here/../../harness/include}
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
cd "$work" || exit 1

cat >module.c <<'CODE'
/* x1' = -2 x1 + x2, x2' = 1000 (x1 - x2), with the entry (1, 1) times FACTOR, and COUPLING for (1, 2). */
#include "sens/plugin.h"

static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0] + at->x[1];
    dx[1] = 1000 * (at->x[0] - at->x[1]);
    return SENS_OK;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, sens_real *J)
{
    (void)pb;
    J[0] = -at->p[0] * FACTOR, J[1] = COUPLING, J[2] = 1000, J[3] = -1000;
}

static void product(size_t L, sens_real a, const sens_real *V, sens_real *OUT, int transposed)
{
    const sens_real up = transposed ? 1000 : 1, down = transposed ? 1 : 1000;
    for (size_t l = 0; l < L; l++) {
        OUT[l] = -a * V[l] + up * V[L + l];
        OUT[L + l] = down * V[l] - 1000 * V[L + l];
    }
}

static void jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V, sens_real *OUT)
{
    (void)pb;
    product(L, at->p[0], V, OUT, 0);
}

static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V, sens_real *OUT)
{
    (void)pb;
    product(L, at->p[0], V, OUT, 1);
}

static void columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L, sens_real *OUT)
{
    (void)pb, (void)k0;
    if (L > 0) OUT[0] -= at->x[0];
}

static void batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X, const sens_real *p,
                  size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] -= X[2 * k] * W[2 * k * L + l];
}

static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    static const sens_real x0[2] = {1, START}, p[1] = {2};
    static const struct sens_structure structure = {.jacobian = jacobian};
    (void)ctx, (void)option;
    pb->n = 2, pb->np = 1, pb->t1 = 1, pb->x0 = x0, pb->p = p, pb->structure = &structure;
    return SENS_OK;
}

static const struct sens_option options[] = {SENS_OPTIONS_END};

static const struct sens_problem_type declared = {.name = "declared",
                                                  .summary = "two states, one of them fast",
                                                  .reference = "none",
                                                  .options = options,
                                                  .create = create,
                                                  .rhs = rhs,
                                                  .vjp = vjp,
                                                  .jvp = jvp,
                                                  .jvp_p_cols = columns,
                                                  .vjp_p_batch = batch};
static const struct sens_problem_type *const problems[] = {&declared, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "declared", .problems = problems};
CODE

while read -r name factor coupling start; do
    "$compiler" -std=c11 -Wall -Wextra -Werror -O2 -fPIC -shared -fvisibility=hidden -I"$headers" "-DFACTOR=$factor" \
        "-DCOUPLING=$coupling" "-DSTART=$start" -o "$name.so" module.c || fail "the module does not compile"
done <<'CASES'
right 1 1 0
wrong 1.5 1 0
tiny 1 1 1e-14
tiny_wrong 1 100 1e-14
CASES
cat >scales.ode <<'MODEL'
# the state b starts below the rounding of its slope, and c moves on a scale of 1e-12
model scales "right, with states of three scales"
parameter k = 0.5
state a = 1
state b = 1e-14
state c = 1e-12
interval 0 .. 1
a' = -k*a + sin(c*1e12)
b' = 1 - k*b
c' = -k*c
MODEL
warning="warning: df/dx of problem declared is wrong near the start: along one direction row 0 gives"
expect 0 "$warning" run declared discrete_adjoint tableau=kvaerno54 --plugin ./wrong.so
expect 0 "$warning" run declared discrete_adjoint tableau=kvaerno54 --plugin ./tiny_wrong.so
for case in "declared discrete_adjoint tableau=kvaerno54 --plugin ./right.so" \
    "declared discrete_adjoint tableau=kvaerno54 --plugin ./tiny.so" \
    "declared discrete_adjoint tableau=dopri5 --plugin ./wrong.so" \
    "scales discrete_adjoint tableau=rodas4 --models scales.ode"; do
    # shellcheck disable=SC2086 # a list of words
    expect 0 "status" run $case
    grep -q "warning: df/dx" "$work/output" && fail "$case: a warning of df/dx"
done

exit $((failures > 0))
