#!/bin/bash
# Exponents of growth, from rows that are known: forward n^2, reverse 3 n^1.5, factors n^1.25; and what is left out.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
script=harness/scripts/exponents.sh

made() { # what makes a file of results: names of columns, then rows
    printf '#! schema: sens-result/1\n'
    printf 'status\tmethod\tn\tt_forward_s\tt_reverse_s\tseries\tbytes_factors\tm\n'
    awk 'BEGIN {
        for (n = 400; n <= 6400; n *= 4)
            printf "ok\tm\t%d\t%.17g\t%.17g\tkept\t%.17g\t1\n", n, n ^ 2, 3 * n ^ 1.5, n ^ 1.25
        print "ok\tm\t100\t1\t1\tkept\t1\t1"
        print "timeout\tm\t800\t1\t1\tkept\t1\t1"
        print "ok\tm\t400\t1\t2\tone\t0\t1"
        print "ok\tm\t1600\t1\t1\tkept\t1\t8"
    }'
}
made >"$work/rows.tsv"
"$script" "$work/rows.tsv" >"$work/said" || fail "exponents.sh: exit $?"
expected=$(printf 'm,kept,m=1\t2.00 +- 0.00\t1.50 +- 0.00\t-0.50 +- 0.00\t1.25 +- 0.00')
grep -qxF "$expected" "$work/said" || { fail "exponents of known powers"; cat "$work/said"; }
grep -qxF "$(printf 'm,one,m=1\t-\t-\t-\t-')" "$work/said" || fail "one row has no exponent"
grep -qxF "$(printf 'm,kept,m=8\t-\t-\t-\t-')" "$work/said" || fail "more outputs are another series"
"$script" "$work/rows.tsv" 50 | grep -qF "$expected" && fail "the small row counts from 50 on"
tells 2 'no file of results' "$script" "$script"
tells 2 'FILE' "$script" "$work/none"

# Every series of the quick sweep is there, however slow the machine.
"$program" sweep growth --quick --budget 0 --out "$work/out" >"$work/log" 2>&1 || { fail "the sweep"; cat "$work/log"; }
"$script" "$work"/out/growth/*.tsv 20 >"$work/said" || fail "exponents of the sweep"
[ "$(grep -c '^discrete_adjoint,' "$work/said")" -eq 10 ] || { fail "ten series"; cat "$work/said"; }
grep -qE 'rodas4,factors=kept.*[0-9]$' "$work/said" || fail "factors were kept"

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
