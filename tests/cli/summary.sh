#!/bin/bash
# sensbench summary: of a sweep that is nobody's but yours, and its times to an accuracy against those of plots/profile.awk.
# Argument 1: sensbench.
set -u
export LC_ALL=C
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# any sweep has its table, and the paper's statements are none of its business
cat >"$work/mine.sweep" <<'END'
[sweep]
samples = 3
sample_budget = 0.001
warmups = 0
[cells mine]
problem = decay
method = discrete_adjoint cfsa
tol = 1e-3 1e-5 1e-7 1e-9
END
"$program" sweep "$work/mine.sweep" --out "$work/out" >/dev/null 2>"$work/messages" ||
    { fail "no sweep"; cat "$work/messages"; }
"$program" summary "$work/out" >"$work/summary" || fail "summary: exit $?"
for line in '^\*\*decay\*\*.*; sweep mine$' '^| discrete_adjoint: cash_karp | .* s (1) |' '^| cfsa: cash_karp | .* s ('; do
    grep -q -- "$line" "$work/summary" || fail "'$line' is not in $(cat "$work/summary")"
done
grep -q 'Published statements\|not testable' "$work/summary" && fail "statements without a sweep of the paper"
"$program" summary "$work/out" --json | grep -q '"statements": \[\]' || fail "statements in JSON"
for sweep in fig4 table2 tolerance peers-mine; do
    sed "s/\tmine\t/\t$sweep\t/" "$work"/out/mine/*.tsv >"$work/$sweep.tsv" # column sweep
    "$program" summary "$work/$sweep.tsv" | grep -q 'Published statements' || fail "no statements with $sweep"
done

# The times of 60 curves of points at random, by both programs. `reference` takes 1e-9 s to any accuracy, so that the
# profile's ratios are times; of equal errors and equal times there are some.
awk 'BEGIN {
    srand(5); OFS = "\t"
    print "#! schema: sens-result/1"
    print "status", "problem", "n", "np", "cost", "wrt", "method", "t_total_s", "err_grad", "sweep", "cell", "track", "series"
    for (n = 1; n <= 60; n++) {
        print "ok", "glv", n, 6, "identity", "both", "reference", 1e-9, 1e-15, "fig4", "tol=1", "natural", ""
        for (k = 1; k <= 2 + int(6 * rand()); k++)
            print "ok", "glv", n, 6, "identity", "both", "tried", (1 + int(20 * rand())) / 4, 10 ^ -(2 + int(18 * rand()) / 2),
                "fig4", "tol=1e-" k, "natural", ""
    }
}' >"$work/random.tsv"
"$program" summary "$work/random.tsv" --json | LC_ALL=C awk -F '[":, ]+' '
    $2 == "method" { tried = $3 == "tried" }
    $2 == "seconds" || $2 == "at_most" { kind = $2 }
    $2 == "ratio" { kind = "" }
    tried && kind != "" && $2 ~ /^1e-[468]$/ && $3 != "null" { print 1e9 * $3 }' | sort -g >"$work/by_summary"
grep -v '^#' "$work/random.tsv" | LC_ALL=C awk -f plots/profile.awk |
    LC_ALL=C awk -F '\t' '$1 == "step" && $3 == "tried" && $4 > 1 { print $4 }' | sed '$d' >"$work/by_profile"
[ "$(wc -l <"$work/by_summary")" -gt 60 ] || fail "only $(wc -l <"$work/by_summary") times"
# 1e-5: the profile prints 6 digits
paste "$work/by_summary" "$work/by_profile" | LC_ALL=C awk -F '\t' '!($1 > 0 && ($1 / $2 - 1) ^ 2 < 1e-10) { bad = 1; print }
    END { exit bad }' || fail "two programs, two times"
exit $((failures > 0))
