#!/bin/bash
# A module whose problems have a right-hand side and nothing else: its products are derived, branches and an initial
# state that depends on p included. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
command -v "${CC:-cc}" >/dev/null || { echo "no C compiler"; exit 77; }

cat >"$work/only_rhs.c" <<'END'
/* impure: x_0' = -2, x_1' = p_0 |x_0|, the sign taken out of the bits of x_0: what is recorded is that of x_0 > 0.
 * counts: x_0' = -p_0 x_0, from the 50th call on twice that.
 * bend: x_i' = p_0 h(x_(1 - i)) - x_i, h(x) = x^2 / 2 up to p_1, from there p_1 (x - p_1 / 2): two branches a state.
 * steep: x' = 1 + p_0 x^(1/p_1), from 0, where the power has no finite derivative.
 * begins: x' = -p_0 x, x(0) = p_1^2.
 * lies: what is recorded is x' = -p_0 x^2 / 4, the same at the initial state 4 alone. */
#include <tgmath.h>

#include "sens/plugin.h"

static sens_status make(struct sens_ctx *ctx, size_t n, sens_real x0, struct sens_problem *pb)
{
    sens_real *x = SENS_NEW(ctx, sens_real, n), *p = SENS_NEW(ctx, sens_real, 2);
    if (!x || !p) return SENS_NO_MEMORY;
    p[0] = p[1] = 2;
    for (size_t i = 0; i < n; i++) x[i] = x0 / (sens_real)(i + 1);
    pb->n = n, pb->np = 2, pb->t1 = 1, pb->x0 = x, pb->p = p;
    return SENS_OK;
}

static sens_status bend_create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    return make(ctx, 2, 3, pb);
}

static sens_real h(sens_real x, sens_real edge)
{
    return x < edge ? x * x / 2 : edge * (x - edge / 2);
}

static sens_status bend_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    for (size_t i = 0; i < pb->n; i++) dx[i] = at->p[0] * h(at->x[1 - i], at->p[1]) - at->x[i];
    return SENS_OK;
}

static sens_status impure_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    union {
        sens_real number;
        unsigned char byte[sizeof(sens_real)];
    } u = {.number = at->x[0]};
    (void)pb;
    u.byte[sizeof(sens_real) - 1] &= 0x7f;
    dx[0] = -2;
    dx[1] = at->p[0] * u.number;
    return SENS_OK;
}

static sens_status counts_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    static int calls;
    for (size_t i = 0; i < pb->n; i++) dx[i] = -(calls < 50 ? 1 : 2) * at->p[0] * at->x[i];
    calls++;
    return SENS_OK;
}

static sens_status steep_create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    return make(ctx, 1, 0, pb);
}

static sens_status steep_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = 1 + at->p[0] * pow(at->x[0], 1 / at->p[1]); /* steep */
    return SENS_OK;
}

static sens_status impure_create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    return make(ctx, 2, 1, pb);
}

static sens_status begins_create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    return make(ctx, 1, 4, pb);
}

static sens_status begins_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -at->p[0] * at->x[0];
    return SENS_OK;
}

static void begins_x0(const struct sens_problem *pb, const sens_real *p, sens_real *x)
{
    (void)pb;
    x[0] = p[1] * p[1];
}

static sens_status lies_rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
#ifdef SENS_RECORDED
    dx[0] = -at->p[0] * at->x[0] * at->x[0] / 4;
#else
    dx[0] = -at->p[0] * at->x[0];
#endif
    return SENS_OK;
}

/* The products of impure, which its recording does not have. */
static void own_vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W,
                    sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = (at->x[0] < 0 ? -1 : 1) * at->p[0] * W[L + l], OUT[L + l] = 0;
}

static void own_jvp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *V,
                    sens_real *OUT)
{
    (void)pb;
    for (size_t l = 0; l < L; l++) OUT[l] = 0, OUT[L + l] = (at->x[0] < 0 ? -1 : 1) * at->p[0] * V[l];
}

static void own_jvp_p_cols(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                           sens_real *OUT)
{
    (void)pb, (void)k0;
    for (size_t l = 0; l < L; l++) OUT[L + l] += at->x[0] < 0 ? -at->x[0] : at->x[0];
}

static void own_vjp_p_batch(const struct sens_problem *pb, size_t K, const sens_real *t, const sens_real *X,
                            const sens_real *p, size_t L, const sens_real *W, sens_real *MU)
{
    (void)pb, (void)t, (void)p;
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < L; l++) MU[l] += (X[2 * k] < 0 ? -X[2 * k] : X[2 * k]) * W[(2 * k + 1) * L + l];
}

static const struct sens_problem_type
    own = {.name = "own_products", .summary = "reads bits, and has products", .create = impure_create,
           .rhs = impure_rhs, .vjp = own_vjp, .jvp = own_jvp, .jvp_p_cols = own_jvp_p_cols,
           .vjp_p_batch = own_vjp_p_batch},
    lies = {.name = "lies", .summary = "records another", .create = begins_create, .rhs = lies_rhs},
    impure = {.name = "impure", .summary = "reads bits", .create = impure_create, .rhs = impure_rhs},
    counts = {.name = "counts", .summary = "counts its calls", .create = impure_create, .rhs = counts_rhs},
    steep = {.name = "steep", .summary = "a root at 0", .create = steep_create, .rhs = steep_rhs},
    bend = {.name = "bend", .summary = "two branches a state", .create = bend_create, .rhs = bend_rhs},
    begins = {.name = "begins", .summary = "begins at p^2", .create = begins_create, .rhs = begins_rhs,
              .x0 = begins_x0};
static const struct sens_problem_type *const problems[] = {&impure, &counts, &steep, &bend, &begins, &lies, &own, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "only_rhs", .problems = problems};
END

# build NAME FLAG...: the module, with or without its part that can be recorded
build() {
    local name=$1
    shift
    "${CC:-cc}" -std=c11 -fPIC -O2 -Iharness/include -c "$work/only_rhs.c" -o "$work/plain.o" &&
        "${CC:-cc}" -include sens/recorded.h -mlong-double-128 -std=c11 -fPIC -O0 -g1 -fno-builtin -ffp-contract=off \
            -Iharness/include -c "$work/only_rhs.c" -o "$work/recorded.o" &&
        "${CC:-cc}" -shared -o "$work/$name.so" "$work/plain.o" "$@"
}
build whole "$work/recorded.o" || { fail "the module cannot be built"; exit 1; }
build plain || fail "the module cannot be built without its recorded part"
module="--plugin $work/whole.so"

export SENSBENCH_CACHE=$work/compiled
# the branches that a solution takes are recorded when they are met: at first one state is above the edge, then both are
tells 0 "recorded [2-4] times" "$program" run bend discrete_adjoint $module tol=1e-8
tells 0 '"vjp":"compiled"' "$program" run bend discrete_adjoint $module --json
tells 0 '"vjp":"tape".*"vjp_note":"no compiler' env CC=no_such_compiler \
    "$program" run bend discrete_adjoint $module --json
"$program" run bend discrete_adjoint $module tol=1e-10 --dump "$work/adjoint.tsv" >/dev/null
"$program" run bend finite_difference $module tol=1e-10 --dump "$work/quotients.tsv" >/dev/null
join -t $'\t' <(awk -F'\t' '{ print $1 "/" $2 "/" $3 "\t" $4 }' "$work/adjoint.tsv" | sort) \
    <(awk -F'\t' '{ print $1 "/" $2 "/" $3 "\t" $4 }' "$work/quotients.tsv" | sort) |
    awk -F'\t' '/^dG/ { k++; d = $2 - $3; if (d < 0) d = -d; s = $3 < 0 ? -$3 : $3; if (d > 1e-4 * (1 + s)) bad = 1 }
        END { exit bad || k < 8 }' || fail "bend: the adjoint is not what difference quotients give"

# a right-hand side that is generated is the problem's own, on the other side of its branches too; one that is not is
# refused
"$program" run bend discrete_adjoint $module tol=1e-10 rhs=generated --dump "$work/generated.tsv" >/dev/null ||
    fail "bend: no right-hand side is generated"
paste <(awk -F'\t' '{ print $4 }' "$work/adjoint.tsv") <(awk -F'\t' '{ print $4 }' "$work/generated.tsv") |
    awk 'NR > 1 { k++; d = $1 - $2; if (d < 0) d = -d; if (d > 1e-12) bad = 1 } END { exit bad || k < 8 }' ||
    fail "bend: another gradient with rhs=generated"
tells 0 '"rhs":"generated"' "$program" run bend discrete_adjoint $module rhs=generated --json
tells 0 '"rhs":"own"' "$program" run bend discrete_adjoint $module --json
tells 2 "rhs=generated: number 0 of a product is" "$program" run lies discrete_adjoint $module rhs=generated
tells 2 "rhs=generated: no compiler" env CC=no_such_compiler "$program" run bend discrete_adjoint $module rhs=generated

# without being asked: a model is compiled, or goes by tape and list; implicit steps of more than 32 states take a df/dx
# that is derived, or, of a module that was not compiled to be recorded, made of its products
hires="hires discrete_adjoint tol=1e-4"
tells 0 '"vjp":"compiled".*"rhs":"generated"' "$program" run $hires --json
tells 0 '"vjp":"tape".*"rhs":"own"' env CC=no_such_compiler "$program" run $hires --json
tells 0 '"vjp":"hand".*"rhs":"own"' "$program" run $hires vjp=hand --json
tells 0 '"vjp":"compiled".*"rhs":"own"' "$program" run $hires rhs=own --json
tells 0 '"vjp":"hand"' "$program" run heat discrete_adjoint n=4 tol=1e-3 --json
tells 0 '"vjp":"hand"' "$program" run heat discrete_adjoint n=4 tol=1e-3 tableau=sdirk4a --json
tells 0 '"vjp":"compiled"' "$program" run chain discrete_adjoint n=40 tol=1e-3 tableau=sdirk4a --json
tells 0 '"vjp":"hand"' "$program" run chain discrete_adjoint n=40 tol=1e-3 tableau=sdirk4a track=controlled --json
tells 0 '"vjp":"hand"' "$program" run conduction discrete_adjoint tol=1e-3 tableau=sdirk4a --json
# outer products of one column are no structure
# what a catalyst takes it gives back: terms that cancel to 0 in the order of the tape leave their rounding in another
cat >"$work/catalyst.ode" <<'END'
model catalyst "a catalyst of two"
parameter k = 0.37
state e = 0.3
state s = 0.47
state r = 0.21
interval 0 .. 1
e' = -k*e*s*r + k*s*r*e
s' = -k*e*s*r
r' = -k*e*s*r
END
tells 0 '"vjp":"compiled".*"rhs":"generated"' "$program" run catalyst discrete_adjoint vjp=compiled rhs=generated \
    --models "$work/catalyst.ode" --json
tells 0 '"structure":"sparse.systems\+sparse.columns"' "$program" run chain discrete_adjoint vjp=compiled --json

# so are whole steps; where the branches are others than those of the recording the library takes them, and the row says
# so
fixed="controller=fixed dt=0.01" # else rounding decides how often a step over the edge is tried, and so where it ends
"$program" run bend discrete_adjoint $module $fixed --dump "$work/steps_by_library.tsv" >/dev/null
"$program" run bend discrete_adjoint $module $fixed engine=compiled --dump "$work/steps.tsv" >/dev/null ||
    fail "bend: no steps are compiled"
paste <(awk -F'\t' '{ print $4 }' "$work/steps_by_library.tsv") <(awk -F'\t' '{ print $4 }' "$work/steps.tsv") |
    awk 'NR > 1 { k++; d = $1 - $2; if (d < 0) d = -d; if (d > 1e-12) bad = 1 } END { exit bad || k < 8 }' ||
    fail "bend: another gradient with engine=compiled"
tells 0 '"engine":"compiled[+]library"' "$program" run bend discrete_adjoint $module engine=compiled --json
tells 2 "engine=compiled: number [0-9]* of a generated step is" \
    "$program" run lies discrete_adjoint $module vjp=fd engine=compiled

# dx(1)/dp of x = p_1^2 exp(-p_0): -x and 2 p_1 exp(-p_0)
for method in discrete_adjoint discrete_tangent cfsa; do
    tells 0 "-0.5413411" "$program" run begins "$method" $module tol=1e-10
    tells 0 "0.54134113" "$program" run begins "$method" $module tol=1e-10
done
tells 0 "0 failed" "$program" verify --quick $module --problem begins
tells 0 "0 failed" "$program" verify --quick $module --problem bend --check 'products.*'

# the same by libraries, each of which finds out in its own way that a branch is another: gradients and recordings
for provider in adolc tmbad sacado; do
    [ -e "$(dirname "$program")/peers/sens_$provider.so" ] || { echo "$provider is not built here"; continue; }
    tells 0 "recorded [2-4] times" "$program" run bend discrete_adjoint $module tol=1e-8 vjp=$provider
    "$program" run bend discrete_adjoint $module tol=1e-10 vjp=$provider --dump "$work/library.tsv" >/dev/null
    paste "$work/adjoint.tsv" "$work/library.tsv" | awk -F'\t' '/^dG/ { k++; d = $9 - $4; if (d < 0) d = -d
        if (!(d <= 1e-12 * ($9 < 0 ? 1 - $9 : 1 + $9))) bad = 1 } END { exit bad || k < 8 }' ||
        fail "bend: the gradient by $provider is not that of the tape"
    tells 0 "-0.5413411" "$program" run begins discrete_adjoint $module tol=1e-10 vjp=$provider
    tells 0 "-0.5413411" "$program" run begins discrete_tangent $module tol=1e-10 vjp=$provider
    tells 0 "0 failed" "$program" verify --quick $module --provider $provider --problem 'be*'
done

# a right-hand side that is no longer what was recorded ends the run, whatever method asks
for products in tape compiled; do
    tells 2 "problem impure: .*f\[1\] is .*by its recording" \
        "$program" run impure discrete_adjoint $module vjp=$products
    tells 2 "problem counts: .*f\[0\] is .*by its recording" "$program" run counts cfsa $module vjp=$products
done
# the message names the way out, where there is one
tells 2 "bits of a number\? \(vjp=hand takes" "$program" run own_products discrete_adjoint $module vjp=compiled
tells 0 "status     ok" "$program" run own_products discrete_adjoint $module
tells 0 "status     ok" "$program" run impure discrete_adjoint $module t1=0.4

# where f is finite and its derivative is not, the run says so, with the operation and its line
line=$(grep -n 'steep \*/' "$work/only_rhs.c" | cut -d: -f1)
for method in discrete_tangent cfsa; do
    tells 4 "diverged: .*; at t = 0 .*only_rhs[.]c:$line: the derivative of pow\(0, 0.5\) is not finite" \
        "$program" run steep $method $module wrt=x0 vjp=tape
done
tells 4 "at t = [0-9.e-]+ .*only_rhs[.]c:$line: the derivative of pow\(0, 0.5\)" \
    "$program" run steep discrete_adjoint $module vjp=compiled
tells 0 "status     ok" "$program" run steep finite_difference $module

# what cannot be had is refused: hand, and a module without its recorded part
tells 2 "no products of its own" "$program" run begins discrete_adjoint $module vjp=hand
tells 2 "problem=bend: its products cannot be derived" "$program" run bend discrete_adjoint --plugin "$work/plain.so"

exit $((failures > 0))
