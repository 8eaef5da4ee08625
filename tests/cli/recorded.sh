#!/bin/bash
# Modules without products of their own, and with a recorded part: what runs, what is refused, and what does not compile.
# Argument 1: sensbench. Skipped without a C compiler.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
source=$(cd "$(dirname "$0")/../.." && pwd)
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
        "$compiler" $flags $record -include tgmath.h '-DCALL=x' -c -o right.o wrong.c || fail "$compiler: tgmath.h after"
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
expect 2 "lacks a name, a summary or a function" list problems --plugin some.so
exit $((failures > 0))
