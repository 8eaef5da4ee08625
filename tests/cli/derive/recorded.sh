#!/bin/bash
# Modules without products of their own, and with a recorded part: what runs, what is refused, and what does not
# compile. Argument 1: sensbench. Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
source=$(cd "$(dirname "$0")/../../.." && pwd)
compilers=$(command -v gcc clang | sort -u)
[ -n "$compilers" ] || exit 77
cd "$work" || exit 1

flags="-std=c11 -fPIC -fvisibility=hidden -I$source/harness/include"
record="-include sens/recorded.h -mlong-double-128 -O0 -g1 -fno-builtin -ffp-contract=off"
for compiler in $compilers; do
    # shellcheck disable=SC2086
    {
        "$compiler" $flags '-DTRICKS="tricks"' -O2 -c -o plain.o "$source/tests/recorded/tricks.c" &&
            "$compiler" $flags '-DTRICKS="tricks"' $record -c -o recorded.o "$source/tests/recorded/tricks.c" &&
            "$compiler" -shared -o plain.so plain.o -lm && "$compiler" -shared -o both.so plain.o recorded.o -lm ||
            fail "$compiler does not compile the module"
    }
    for module in plain both; do
        expect 0 "tricks" list problems --plugin $module.so
        for method in finite_difference discrete_adjoint; do
            expect 2 "no products of its own" run tricks $method vjp=hand --plugin $module.so
        done
    done
    expect 2 "problem=tricks: its products cannot be derived" run tricks discrete_adjoint --plugin plain.so
    expect 0 "recorded" run tricks discrete_adjoint --plugin both.so
    for case in 0 6 13 17 30; do
        expect 0 "status     ok" run tricks discrete_adjoint case=$case vjp=tape --plugin both.so
    done
    expect 0 '"equalities": 2,' derive tricks case=22 --json --plugin both.so
    expect 0 '"equalities": 0,' derive tricks case=21 --json --plugin both.so
    for k in 0 1 2 3 4 5 6 7; do # the place is the line below `case FIRST_REFUSED + k:`
        label="case FIRST_REFUSED$([ $k = 0 ] || echo " + $k"):"
        line=$(($(grep -nF "$label" "$source/tests/recorded/tricks.c" | cut -d: -f1) + 1))
        expect 2 "tricks.c:$line: " run tricks discrete_adjoint case=$((100 + k)) vjp=tape --plugin both.so
    done

    # what is not as sens/recorded.h asks
    cat >wrong.c <<'C'
#include <tgmath.h>
#include "sens/real.h"
sens_real f(sens_real x);
sens_real f(sens_real x) { return CALL; }
C
    for call in 'erf(x)' 'tgamma(x)' 'lround(x)' 'nextafter(x, x)' 'acosh(x)' 'erfl(x)'; do
        # shellcheck disable=SC2086
        "$compiler" $flags $record "-DCALL=$call" -c -o wrong.o wrong.c 2>output && fail "$compiler compiles $call"
        grep -q "cannot" output || { fail "$compiler says of $call:"; head -5 output; }
    done
    # shellcheck disable=SC2086
    {
        "$compiler" $flags $record '-DCALL=sin(x)' -c -o right.o wrong.c || fail "$compiler does not compile sin(x)"
        "$compiler" $flags $record -O2 '-DCALL=x' -c -o wrong.o wrong.c 2>/dev/null && fail "$compiler: -O2 is taken"
        "$compiler" $flags -include sens/recorded.h '-DCALL=x' -c -o wrong.o wrong.c 2>/dev/null &&
            fail "$compiler: a long double of 80 bits is taken"
        "$compiler" $flags $record -include tgmath.h '-DCALL=x' -c -o right.o wrong.c ||
            fail "$compiler: tgmath.h after"
        "$compiler" $flags -include tgmath.h $record '-DCALL=x' -c -o wrong.o wrong.c 2>/dev/null &&
            fail "$compiler: <tgmath.h> before is taken"
    }
done

# some of the four products
sed 's/\.rhs = rhs}/.rhs = rhs, .vjp = vjp}/' "$source/tests/recorded/tricks.c" |
    sed '/^static const struct sens_problem_type tricks/i \
static void vjp(const struct sens_problem *pb, const struct sens_at *at, size_t L, const sens_real *W, sens_real *OUT)\
{\
    (void)pb, (void)at, (void)L, (void)W, (void)OUT;\
}' >some.c
# shellcheck disable=SC2086
"${compilers%%$'\n'*}" $flags '-DTRICKS="tricks"' -shared -o some.so some.c -lm || fail "some.c does not compile"
expect 2 "has some of vjp, jvp, jvp_p_cols and vjp_p_batch" list problems --plugin some.so

# two sources of a module that share a function and a table: both parts have them (SENS_LINK_NAME)
mkdir two && cat >two/shared.h <<'C'
#include "sens/real.h"
extern const sens_real share[2] SENS_LINK_NAME(share);
sens_real rate(sens_real x, sens_real p) SENS_LINK_NAME(rate);
C
cat >two/rate.c <<'C'
#include "shared.h"
const sens_real share[2] = {2, 3};
sens_real rate(sens_real x, sens_real p) { return share[1] * x / (p + x); }
C
cat >two/two.c <<'C'
#include "sens/plugin.h"
#include "shared.h"
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, sens_real *dx)
{
    (void)pb;
    dx[0] = -share[0] * rate(at->x[0], at->p[0]);
    return SENS_OK;
}
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    sens_real *number = SENS_NEW(ctx, sens_real, 2);
    (void)option;
    if (!number) return SENS_NO_MEMORY;
    number[0] = number[1] = 1;
    pb->n = pb->np = 1, pb->t1 = 0.25, pb->x0 = number, pb->p = number + 1;
    return SENS_OK;
}
static const struct sens_problem_type two = {.name = "two", .summary = "two sources", .create = create, .rhs = rhs};
static const struct sens_problem_type *const problems[] = {&two, NULL};
SENS_PLUGIN = {SENS_PLUGIN_HEADER, .name = "two", .problems = problems};
C
for compiler in $compilers; do
    for file in two rate; do
        # shellcheck disable=SC2086
        "$compiler" $flags -O2 -c -o $file.o two/$file.c &&
            "$compiler" $flags $record -c -o recorded_$file.o two/$file.c ||
            fail "$compiler does not compile two/$file.c"
    done
    "$compiler" -shared -o whole.so two.o rate.o recorded_two.o recorded_rate.o ||
        fail "$compiler does not link two sources"
    "$compiler" -shared -o part.so two.o rate.o recorded_two.o || fail "$compiler does not link one recorded source"
    expect 0 "status     ok" run two discrete_adjoint vjp=tape --plugin whole.so
    expect 0 " 0 failed" verify --quick --problem two --plugin whole.so
    expect 2 "undefined symbol: recorded_" list problems --plugin part.so
done
exit $((failures > 0))
