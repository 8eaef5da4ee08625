#!/bin/sh
# figures.sh [RESULTS] - renders every sweep found in RESULTS as SVG and PNG into RESULTS/figures; runs nothing.
# RESULTS holds <sweep>/<machine>-<git>.tsv; of several files of a sweep the newest is drawn. Without RESULTS the first
# of results/local/full, results/local/quick and results that has a sweep is taken.
# Exit 0: rendered, or nothing to render; 1: gnuplot failed; 2: no such folder; 3: gnuplot is missing.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
plots=$root/plots
tab=$(printf '\t')

newest() { # folder: its newest result file, if any
    ls -t "$1"/*.tsv 2>/dev/null | while IFS= read -r file; do
        if head -n 1 "$file" | grep -q '^#! schema: sens-result/'; then
            echo "$file"
            break
        fi
    done
}
has_sweeps() {
    for folder in "$1"/*/; do
        [ -n "$(newest "${folder%/}")" ] && return 0
    done
    return 1
}

if [ $# -gt 0 ]; then
    results=${1%/}
    [ -d "$results" ] || { echo "figures.sh: no folder $results" >&2; exit 2; }
else
    results=$root/results
    for folder in "$root/results/local/full" "$root/results/local/quick"; do
        if has_sweeps "$folder"; then results=$folder; break; fi
    done
fi
command -v gnuplot >/dev/null 2>&1 || { echo "figures.sh: gnuplot is missing; install gnuplot-nox" >&2; exit 3; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$results/figures"
echo "figures of $results"

# Rows of a result file without the prelude, in the order in which lines are drawn.
sorted() { # file
    grep -v -e '^#' -e '^$' "$1" > "$scratch/plain.tsv"
    fields=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
        print at["problem"], at["n"], at["method"], at["tableau"], at["rtol"]; exit }' "$scratch/plain.tsv")
    set -- $fields
    head -n 1 "$scratch/plain.tsv"
    tail -n +2 "$scratch/plain.tsv" | sort -t "$tab" -k "$1,$1" -k "$2,$2n" -k "$3,$3" -k "$4,$4" -k "$5,$5gr"
}

# What the plots ask about a sorted file: `facts curves|panels|tolerances|note FILE`.
facts() {
    awk -F '\t' -v ask="$1" '
    function first(key) { if (key in seen) return 0; seen[key] = 1; return 1 }
    function remember(list, item) { if (first(list " " item)) text[list] = text[list] item " " }
    BEGIN { known = split("discrete_adjoint discrete_tangent cfsa cfsa_gsl finite_difference casa_dense casa_reverse", order, " ") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        method = $at["method"]; status = $at["status"]
        if (status == "ok" && $at["err_grad"] != "nan") remember("panels", $at["problem"] ":" $at["n"])
        if (!(method in drawn) && status == "ok") { drawn[method] = 1; methods[++count] = method }
        if (status == "ok") remember("curves of " method, method ":" $at["tableau"])
        if ($at["rtol"] != "nan") tolerance[$at["rtol"] + 0] = 1
        if (status == "ok" && $at["truth"] == "none") untrue++
        if (status == "ok") next
        key = method " " status
        if (!(key in failed)) keys[++failures] = key
        failed[key]++
        if (first(key " " $at["n"])) sizes[key] = sizes[key] (sizes[key] ? ", " : "") $at["n"]
    }
    END {
        if (ask == "panels") print text["panels"]
        if (ask == "tolerances")
            for (e = 0; e < 20; e++) for (t in tolerance) if (sprintf("%.0e", t) == sprintf("%.0e", 10 ^ -e)) printf "1e-%d ", e
        if (ask == "curves") {
            for (k = 1; k <= known; k++) if (order[k] in drawn) printf "%s", text["curves of " order[k]]
            for (k = 1; k <= known; k++) delete drawn[order[k]]
            for (m = 1; m <= count; m++) if (methods[m] in drawn) printf "%s", text["curves of " methods[m]]
        }
        if (ask == "note") {
            line = failures ? "Failed, not drawn:" : "No cell failed."
            for (k = 1; k <= failures; k++) {
                split(keys[k], part, " ")
                line = line (k > 1 ? ";" : "") " " part[1] " " failed[keys[k]] " x " part[2] " (n = " sizes[keys[k]] ")"
            }
            if (failures) line = line "."
            if (untrue) line = line " Without a stored truth, only timed: " untrue " cells."
            gsub(/["`$\\]/, "", line)
            print line
        }
    }' "$2"
}

quoted() { printf '%s' "$1" | sed "s/'/''/g"; }

render() { # kind name heading source
    note=$(printf '%s\n%s' "$(facts note "$scratch/sorted.tsv")" "Data: $4" | fold -s -w 175 |
        awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }')
    for ending in svg png; do
        picture=$results/figures/$2.$ending
        if ! gnuplot -e "folder='$(quoted "$plots")'; data='$scratch/sorted.tsv'; out='$(quoted "$picture")';
            heading='$3'; note=\"$note\";
            curves='$(facts curves "$scratch/sorted.tsv")'; panels='$(facts panels "$scratch/sorted.tsv")';
            tolerances='$(facts tolerances "$scratch/sorted.tsv")'" "$plots/$1.gp" 2>"$scratch/messages"; then
            cat "$scratch/messages" >&2
            echo "figures.sh: $1.gp failed on $4" >&2
            return 1
        fi
        echo "$picture"
    done
}

any() { # column ...: whether an ok row has a positive number in all of these
    awk -F '\t' -v wanted="$*" 'BEGIN { k = split(wanted, name, " ") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["status"] == "ok" { good = 1; for (j = 1; j <= k; j++) if (!($at[name[j]] + 0 > 0)) good = 0; if (good) { found = 1; exit } }
        END { exit !found }' "$scratch/sorted.tsv"
}

draw() { # sweep file
    sorted "$2" > "$scratch/sorted.tsv"
    from=$1/$(basename "$2")
    case $1 in
    tolerance) ;; # errors only
    table*)
        echo "$1: a table, printed by: sensbench summary $results"
        return ;;
    fig2)
        if any err_x_max err_grad_max; then
            render solution_vs_sensitivity "$1" "Figure 2. Van der Pol: error of the sensitivity against error of the solution" "$from"
        else
            echo "$1: no data (no row with both errors)"
        fi ;;
    fig5)
        if any t_lo_s rtol np; then
            render scaling "$1" "Figure 5. Lotka-Volterra: time of the whole gradient against the number of parameters" "$from"
        else
            echo "$1: no data (no timed row)"
        fi ;;
    *)
        heading="Sweep $1: time against error"
        [ "$1" = fig3 ] && heading="Figure 3. Lotka-Volterra: time against error, tolerance along a curve"
        if any t_lo_s err_grad rtol; then
            render work_precision "$1" "$heading" "$from"
        else
            echo "$1: no data (no timed row with an error)"
        fi ;;
    esac
    if any rtol err_grad; then
        render calibration "$1-calibration" "Sweep $1: achieved error against requested tolerance (dotted: equal)" "$from"
    else
        echo "$1-calibration: no data (no row with a tolerance and an error)"
    fi
}

found=
code=0
for folder in "$results"/*/; do
    sweep=$(basename "$folder")
    file=$(newest "${folder%/}")
    [ -n "$file" ] || continue
    found="$found $sweep"
    draw "$sweep" "$file" || code=1
done
for sweep in table1 table2 table3 fig2 fig3 fig5 tolerance; do
    case " $found " in *" $sweep "*) ;; *) echo "$sweep: no data in $results" ;; esac
done
exit $code
