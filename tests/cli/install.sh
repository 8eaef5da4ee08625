#!/bin/bash
# Installs the tree into an empty folder, builds a one-file method against nothing but what was installed, and runs it.
set -eu
export LC_ALL=C
program=$1
build=$(dirname "$program")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
command -v cmake >/dev/null || exit 77

cmake --install "$build" --prefix "$work/tree" >"$work/install.log" || fail "install: $(tail -3 "$work/install.log")"
for file in bin/sensbench include/sens/method.h include/sens/plugin.h share/man/man1/sensbench.1 \
    share/bash-completion/completions/sensbench lib/cmake/sensbench/sensbench-config.cmake; do
    [ -e "$work/tree/$file" ] || [ -e "$work/tree/${file/lib\//lib\/x86_64-linux-gnu\/}" ] ||
        fail "not installed: $file"
done
for file in libsensbench.so libsensbench.a pkgconfig/sensbench.pc; do
    [ -n "$(find "$work/tree/lib" -path "*/$file")" ] || fail "not installed: $file"
done
[ -e "$work/tree/share/sensbench/python/sensbench.py" ] || fail "the Python module is not installed"
# What the library shows of itself: its functions, and what modules call. A name of the user's cannot collide.
for file in $(find "$work/tree/lib" -name 'libsensbench.so' -o -name 'libsensbench.a'); do
    dynamic=$([ "${file%.so}" = "$file" ] || echo -D)
    # shellcheck disable=SC2086 # a word or none
    shown=$(nm $dynamic --defined-only --extern-only "$file" | awk 'NF == 3 { print $3 }')
    [ "$(grep -c '^sensbench_' <<<"$shown")" -eq 13 ] || fail "$file: other functions than those of its header: $shown"
    [ "$(grep -vc '^sens' <<<"$shown")" -eq 1 ] || fail "$file shows: $(grep -v '^sens' <<<"$shown")"
done
ls "$work"/tree/share/sensbench/sweeps/*.sweep >/dev/null || fail "no sweep installed"
for name in ci fig4 table1; do
    [ -e "$work/tree/share/sensbench/sweeps/$name.sweep" ] || fail "sweep $name is not installed"
done
ls "$work"/tree/share/sensbench/paper/*.tsv >/dev/null || fail "the points of the paper are not installed"
ls "$work"/tree/share/sensbench/plots/*.gp >/dev/null || fail "no plot script installed"
ls "$work"/tree/share/sensbench/templates/*.in >/dev/null || fail "no template installed"

# The installed program uses what is installed beside it, wherever that is, from any folder.
installed="$work/tree/bin/sensbench" data="$work/tree/share/sensbench"
cp "$data/sweeps/ci.sweep" "$data/sweeps/only_here.sweep"
(cd / && "$installed" list sweeps) | grep -qx only_here || fail "the installed sweeps are not found"
(cd / && "$installed" run vdp discrete_adjoint tol=1e-9) | grep -q 'truth: reference' || fail "no reference found"
if command -v gnuplot >/dev/null; then
    (cd "$work" && "$installed" sweep ci --quick --out rows >/dev/null && "$installed" figures rows >drawn) ||
        fail "figures: $(cat "$work/drawn")"
    [ -s "$work/rows/figures/ci.svg" ] && grep -qx "rows/figures/ci.png" "$work/drawn" ||
        fail "the installed program draws nothing: $(cat "$work/drawn")"
fi
rm "$data"/reference/*.ref
(cd / && "$installed" run vdp discrete_adjoint tol=1e-9) | grep -q 'truth: reference' &&
    fail "a reference that is not the installed one"

mkdir "$work/module"
cat >"$work/module/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(mine LANGUAGES C)
find_package(sensbench REQUIRED)
add_library(mine MODULE mine.c)
target_link_libraries(mine PRIVATE sensbench::module)
CMAKE
cat >"$work/module/mine.c" <<'SOURCE'
/* x(t1) and dx/dp by Heun's rule in 4000 steps, one parameter direction at a time: a method in one file. */
#include <string.h>

#include "sens/plugin.h"

enum { STEPS = 4000 };

struct state {
    const struct sens_task *task;
    sens_real *x, *s, *x1, *s1, *f, *k1, *k2, *l1, *l2;
};

static sens_status prepare(struct sens_ctx *ctx, const struct sens_task *task, void **state)
{
    const size_t n = task->problem->n;
    struct state *st = SENS_NEW(ctx, struct state, 1);
    if (!st) return SENS_NO_MEMORY;
    st->task = task;
    sens_real **vector[] = {&st->x, &st->s, &st->x1, &st->s1, &st->f, &st->k1, &st->k2, &st->l1, &st->l2};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++)
        if (!(*vector[i] = SENS_NEW(ctx, sens_real, n))) return SENS_NO_MEMORY;
    *state = st;
    return SENS_OK;
}

static sens_status slopes(const struct state *st, sens_real t, const sens_real *x, const sens_real *s, size_t col,
                          sens_real *k, sens_real *l)
{
    const struct sens_problem *pb = st->task->problem;
    const struct sens_at at = {t, x, pb->p};
    const sens_status status = pb->type->rhs(pb, &at, k);
    if (status != SENS_OK) return status;
    pb->type->jvp(pb, &at, 1, s, l);
    if (col < pb->np) pb->type->jvp_p_cols(pb, &at, col, 1, l);
    return SENS_OK;
}

static sens_status direction(const struct state *st, size_t col)
{
    const struct sens_problem *pb = st->task->problem;
    const sens_real h = (pb->t1 - pb->t0) / STEPS;
    sens_problem_x0(pb, pb->p, st->x);
    memset(st->s, 0, pb->n * sizeof *st->s);
    if (col >= pb->np) st->s[col - pb->np] = 1;
    else if (pb->type->x0_jvp_cols) pb->type->x0_jvp_cols(pb, pb->p, col, 1, st->s);
    for (int k = 0; k < STEPS; k++) {
        const sens_real t = pb->t0 + k * h;
        sens_status status = slopes(st, t, st->x, st->s, col, st->k1, st->l1);
        for (size_t i = 0; i < pb->n; i++) {
            st->x1[i] = st->x[i] + h * st->k1[i];
            st->s1[i] = st->s[i] + h * st->l1[i];
        }
        if (status == SENS_OK) status = slopes(st, t + h, st->x1, st->s1, col, st->k2, st->l2);
        if (status != SENS_OK) return status;
        for (size_t i = 0; i < pb->n; i++) {
            st->x[i] += h / 2 * (st->k1[i] + st->k2[i]);
            st->s[i] += h / 2 * (st->l1[i] + st->l2[i]);
        }
    }
    return SENS_OK;
}

static sens_status run(struct sens_ctx *ctx, void *state, const struct sens_out *out, struct sens_work *work)
{
    const struct state *st = state;
    const size_t n = st->task->problem->n, np = st->task->problem->np;
    (void)ctx;
    for (size_t col = 0; col < np + n; col++) {
        if (!(col < np ? out->dGdp : out->dGdx0)) continue;
        const sens_status status = direction(st, col);
        if (status != SENS_OK) return status;
        for (size_t i = 0; i < n; i++) {
            if (col < np) out->dGdp[i * np + col] = st->s[i];
            else out->dGdx0[i * n + col - np] = st->s[i];
            out->x[i] = out->G[i] = st->x[i];
        }
    }
    *work = (struct sens_work){.steps = STEPS, .lanes = 1, .threads = 1};
    return SENS_OK;
}

static const struct sens_method_type mine = {
    .name = "mine", .summary = "Heun's rule with its tangent", .derivative = SENS_DERIVATIVE_DISCRETE,
    .prepare = prepare, .run = run};
static const struct sens_method_type *const methods[] = {&mine, NULL};

SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "mine", .methods = methods};
SOURCE
cmake -S "$work/module" -B "$work/module/build" -DCMAKE_PREFIX_PATH="$work/tree" >"$work/log" 2>&1 &&
    cmake --build "$work/module/build" >>"$work/log" 2>&1 || fail "out-of-tree build: $(tail -20 "$work/log")"
module=$(ls "$work"/module/build/*mine.so)

"$work/tree/bin/sensbench" list methods --plugin "$module" | grep -q mine || fail "the module's method is not listed"
"$work/tree/bin/sensbench" run logistic mine --plugin "$module" --tsv >"$work/row.tsv" || fail "run"
# Heun's error is about (t1/4000)^2: anything between 1e-3 and 1e-12 shows that it ran and is right.
awk -F'\t' '/^#/ { next } !seen { for (i = 1; i <= NF; i++) column[$i] = i; seen = 1; next }
    { e = $column["err_grad"]; exit !($column["status"] == "ok" && e + 0 > 1e-12 && e + 0 < 1e-3) }' "$work/row.tsv" ||
    fail "the gradient of the module's method: $(cat "$work/row.tsv")"
echo "PASS"
