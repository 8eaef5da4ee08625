#!/bin/sh
# exponents.sh FILE [FROM] - how the rows of a result file grow with the number of states.
#
# For each series of each method, and each number of outputs m: b of a n^b, by least squares of the logarithms of the
# rows with n >= FROM (300) whose status is ok, with its standard error where there are three rows or more; of the
# forward solve, the reverse sweep, the reverse sweep by the forward solve, and the factors that were kept.
# Tab-separated; `-` where there are fewer than two rows with different n. Exit 2: no such file, or none of results.
set -eu
export LC_ALL=C
[ $# -ge 1 ] && [ -f "$1" ] || { echo "exponents.sh: exponents.sh FILE [FROM]" >&2; exit 2; }
case $1 in /*) ;; *) set -- "./$1" ${2+"$2"} ;; esac # no assignment to awk, whatever it is called
head -n 1 -- "$1" | grep -q '^#! schema: sens-result/' || {
    echo "exponents.sh: this is no file of results" >&2
    exit 2
}
awk -F '\t' -v from="${2:-300}" '
    /^#/ { next }
    !seen { for (i = 1; i <= NF; i++) at[$i] = i; seen = 1; next }
    function add(what, y, key, lx, ly) {
        if (!(y > 0)) return
        key = name SUBSEP what; lx = log($at["n"]); ly = log(y)
        count[key]++; x[key] += lx; yy[key] += ly; xx[key] += lx * lx; xy[key] += lx * ly; y2[key] += ly * ly
    }
    $at["status"] == "ok" && $at["n"] + 0 >= from + 0 {
        name = $at["method"] "," $at["series"] ",m=" $at["m"]
        if (!(name in known)) { known[name] = 1; order[++names] = name }
        forward = $at["t_forward_s"] + 0; reverse = $at["t_reverse_s"] + 0
        add("forward", forward); add("reverse", reverse)
        if (forward > 0) add("ratio", reverse / forward)
        add("bytes", $at["bytes_factors"] + 0)
    }
    function slope(what, key, m, spread, b, rest) {
        key = name SUBSEP what; m = count[key]
        spread = m > 1 ? xx[key] - x[key] * x[key] / m : 0
        if (spread <= 1e-12) return "-"
        b = (xy[key] - x[key] * yy[key] / m) / spread
        rest = y2[key] - yy[key] * yy[key] / m - b * b * spread
        return m > 2 ? sprintf("%.2f +- %.2f", b, sqrt((rest > 0 ? rest : 0) / (m - 2) / spread)) : sprintf("%.2f", b)
    }
    END {
        print "series\tforward\treverse\treverse by forward\tfactors kept"
        for (k = 1; k <= names; k++) {
            name = order[k]
            print name "\t" slope("forward") "\t" slope("reverse") "\t" slope("ratio") "\t" slope("bytes")
        }
    }' "$1"
