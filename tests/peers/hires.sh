#!/bin/bash
# hires.sh PROGRAM - HIRES, a stiff problem from outside, with CVODES: by BDF both methods are judged at its end,
# 321.8122, and not only where explicit steps of ours stop; by Adams' formulas the report says that it is not.
# Exit 77: no C compiler.
set -u
export LC_ALL=C
program=$1
modules=$(cd "$(dirname "$0")/../modules" && pwd)
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$compiler" -std=c11 -O2 -fPIC -shared -fvisibility=hidden -I"$modules/../../harness/include" -I"$modules" \
    -o "$work/hires.so" "$modules/right/hires.c" -lm || exit 1

# expect PATTERN METHOD [OPTION]: the report has such a line, and no failure
expect() {
    "$program" verify --quick --plugin "$work/hires.so" --problem hires_c --method "${@:2}" --check pair.exact \
        --verbose >"$work/report" && grep -q "$1" "$work/report" && return
    echo "no line '$1' with ${*:2}:"
    cat "$work/report"
    exit 1
}
expect '^ *pass  hires_c, cost probe' cvodes_forward lmm=bdf
expect '^ *pass  hires_c, cost probe' cvodes_adjoint lmm=bdf
expect '^ *skip  hires_c, cost probe.*to the end of the stiff interval, t = 321.812' cvodes_forward
