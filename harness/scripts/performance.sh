#!/bin/sh
# performance.sh SENSBENCH RESULTS [OPTION ...] - how fast, with the target beside every measured value. Runs
# sensbench compare (OPTIONs are handed to it, as --rounds 5 --seconds 2), keeps its rows in RESULTS/*.tsv, and prints
# one table for each claim, also into RESULTS/performance.txt. The prototype's seconds are those of
# harness/paper/measured_before.tsv.
# SIZES=2,5 in the environment: only these N in claims 1 to 3.
# Exit 0: measured, whatever the verdicts; 1: a file could not be written; 2: bad input; 130: interrupted.
set -u
export LC_ALL=C
[ $# -ge 2 ] || { echo "usage: performance.sh SENSBENCH RESULTS [OPTION ...]" >&2; exit 2; }
sensbench=$1
results=${2%/}
shift 2
before=$(cd "$(dirname "$0")/.." && pwd)/paper/measured_before.tsv
[ -x "$sensbench" ] || { echo "performance.sh: no program $sensbench" >&2; exit 2; }
[ -r "$before" ] || { echo "performance.sh: no file $before" >&2; exit 2; }
mkdir -p -- "$results" || exit 2
# From the root: nothing that a name begins with has a meaning, as = to awk.
results=$(cd -- "$results/" && pwd && echo .)
results=${results%??}
sets="adjoint settings cfsa"
for set in $sets; do rm -f "$results/$set.tsv"; done

# compare SET ARGUMENT...: a contender that is not available here (3) or fails (4) is a status in its row.
compare() {
    set=$1
    shift
    echo "== $set" >&2
    "$sensbench" compare "$@" --tsv "$results/$set.tsv" >"$results/$set.txt"
    code=$?
    case $code in 0 | 3 | 4) return 0 ;; esac
    exit $code
}
task="tableau=cash_karp controller=odeint tol=1e-9 dt=1e-3 wrt=both truth=auto threads=1"
# shellcheck disable=SC2086 # words are wanted
{
    compare adjoint glv discrete_adjoint "n=${SIZES:-2,5,10,20,50,100,200}" $task \
        --vs "threads=2" --vs "threads=auto" "$@"
    compare settings glv discrete_adjoint n=50 $task --vs "lanes=1" --vs "structure=none" --vs "isa=avx512" \
        --vs "isa=avx2" --vs "isa=baseline" "$@"
    compare cfsa glv cfsa n=50 $task --vs "method=discrete_adjoint" "$@"
}

{
    grep -h -e '^#! date' -e '^#! program' -e '^#! machine' -e '^#! c[op]' "$results/adjoint.tsv" | cut -c 4-
    awk -F '\t' '
    FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/[.]tsv$/, "", name); header = 0 }
    /^#/ { next }
    !header { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
    "code" in at { if ($at["code"] == "prototype" && $at["threads"] == 1) prototype[$at["n"]] = $at["seconds"]; next }
    {
        for (column in at) cell[name, $at["n"], $at["changes"], column] = $at[column]
        if ($at["cpu"] < 0.95 && $at["threads"] == 1) disturbed = disturbed " " name ":" $at["n"]
    }
    function known(x) { return x != "" && x != "nan" }
    function get(set, n, changes, column) { return cell[set, n, changes, column] }
    function status(set, n, changes, x) { x = get(set, n, changes, "status"); return x == "" ? "missing" : x }
    # kind 1: at least, -1: at most, 0: nothing is asked
    function line(what, value, range, kind, target, other, verdict, met) {
        met = kind > 0 ? value >= target : value <= target
        verdict = !kind ? "" : !known(value) ? "not measured" : met ? "met" : "not met"
        printf "  %-26s %10s  %-21s %8s  %-12s  %s\n", what, known(value) ? sprintf("%.3g", value) : "-", range,
            kind ? (kind > 0 ? ">= " : "<= ") target : "", verdict, other
        if (verdict != "") count[verdict]++
    }
    function rates(set, n, changes, column) {
        return known(get(set, n, changes, column)) ? sprintf("%.3g of %.3g GFLOP/s", get(set, n, changes, column),
            get(set, n, changes, "peak_gflops")) : status(set, n, changes)
    }
    function head(text, value) { printf "\n%s\n  %-26s %10s  %-21s %8s\n", text, "", value, "95 % interval", "target" }
    function interval(lo, hi) { return known(lo) && known(hi) ? sprintf("%.3g ... %.3g", lo, hi) : "" }
    # how many times faster the second is than the first of a pair whose quotient, second by first, is known
    function inverse(x) { return known(x) && x > 0 ? 1 / x : "nan" }
    function times(set, n, changes, kind, target, what, sign) { # sign -1: the base is the slower one
        ratio = get(set, n, changes, "ratio"); lo = get(set, n, changes, "ratio_lo")
        hi = get(set, n, changes, "ratio_hi")
        if (sign < 0) { ratio = inverse(ratio); x = inverse(hi); hi = inverse(lo); lo = x }
        line(what, ratio, interval(lo, hi), kind, target, status(set, n, changes) == "ok" ? \
            sprintf("gradient error %.2g and %.2g", get(set, n, "", "err_grad"),
                get(set, n, changes, "err_grad")) : status(set, n, changes))
    }
    END {
        sizes = split("2 5 10 20 50 100 200", N, " ")
        head("1. discrete_adjoint, one thread: t peak / (t_prototype 45.2 GFLOP/s)", "ratio")
        for (i = 1; i <= sizes; i++) {
            n = N[i]; t = get("adjoint", n, "", "t_total_s"); peak = get("adjoint", n, "", "peak_gflops")
            scale = known(peak) ? peak / (prototype[n] * 45.2) : 0
            good = known(t) && scale
            line("N = " n, good ? t * scale : "nan",
                good ? interval(get("adjoint", n, "", "t_lo_s") * scale,
                    get("adjoint", n, "", "t_hi_s") * scale) : "", -1, 1.2,
                good ? sprintf("%.3g s, peak %.3g, fastest %.3g s, gradient error %.2g", t, peak,
                    get("adjoint", n, "", "t_min_s"),
                    get("adjoint", n, "", "err_grad")) : status("adjoint", n, ""))
        }
        head("2. reverse sweep: share of the peak of multiply-adds", "share")
        split("50 0.70 0.60 100 0.80 0.75 200 0.80 0.75", wanted, " ")
        for (k = 1; k <= 2; k++) for (i = 1; i <= 9; i += 3) {
            changes = k == 1 ? "" : "threads=2"; n = wanted[i]
            line("N = " n ", threads = " k, get("adjoint", n, changes, "share_reverse"), "", 1, wanted[i + k],
                rates("adjoint", n, changes, "gflops_reverse"))
        }
        head("3. threads and lanes: times faster", "times")
        split("50 1.7 100 1.85 200 1.85", wanted, " ")
        for (i = 1; i <= 6; i += 2) times("adjoint", wanted[i], "threads=2", 1, wanted[i + 1],
            "N = " wanted[i] ", threads 2 by 1", -1)
        times("settings", 50, "lanes=1", 1, 6, "N = 50, lanes auto by 1", 1)
        head("   threads = auto is never slower: lower end of t(auto) / t(1)", "lower end")
        for (i = 1; i <= 3; i++) {
            lo = get("adjoint", N[i], "threads=auto", "ratio_lo")
            line("N = " N[i], lo, interval(lo, get("adjoint", N[i], "threads=auto", "ratio_hi")), -1, 1,
                "threads used: " get("adjoint", N[i], "threads=auto", "threads"))
        }
        head("4. cfsa, one thread: share of the peak of multiply-adds", "share")
        line("N = 50", get("cfsa", 50, "", "share"), "", 1, 0.30, rates("cfsa", 50, "", "gflops"))
        times("cfsa", 50, "method=discrete_adjoint", 0, 0, "adjoint by cfsa", -1)
        head("5. discrete_adjoint, N = 50: times faster than with", "times")
        split("structure=none,isa=avx512,isa=avx2,isa=baseline", other, ",")
        for (i = 1; i <= 4; i++) times("settings", 50, other[i], 0, 0, other[i], 1)
        printf "\n%d met, %d not met, %d not measured\n", count["met"], count["not met"], count["not measured"]
        if (disturbed) print "disturbed, others had the core (cpu below 0.95; set:N):" disturbed
    }' "$before" "$results/adjoint.tsv" "$results/settings.tsv" "$results/cfsa.tsv"
} >"$results/performance.txt" || exit 1
cat "$results/performance.txt"
echo
echo "$results/performance.txt; rows: $results/*.tsv, tables: $results/*.txt"
