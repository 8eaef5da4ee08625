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

# Rows of a result file without the prelude, in the order in which lines are drawn. Files older than the column `series`
# have the tableau in its place. A last column that is never empty: gnuplot loses a row that ends in an empty one.
sorted() { # file
    grep -v -e '^#' -e '^$' "$1" | awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        !("series" in at) { $0 = $0 OFS (NR == 1 ? "series" : $at["tableau"]) }
        { print $0, NR == 1 ? "end" : "." }' > "$scratch/plain.tsv"
    fields=$(awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
        print at["problem"], at["n"], at["method"], at["series"], at["rtol"], at["isa"], at["threads"], at["lanes"],
            at["batch"]; exit }' "$scratch/plain.tsv")
    set -- $fields
    head -n 1 "$scratch/plain.tsv"
    tail -n +2 "$scratch/plain.tsv" | sort -t "$tab" -k "$1,$1" -k "$2,$2n" -k "$3,$3" -k "$4,$4" -k "$5,$5gr" \
        -k "$6,$6" -k "$7,$7n" -k "$8,$8n" -k "$9,$9n"
}

# The measured roofs of one thread in the prelude of a result file: `roofs peaks FILE`: isa:GFLOP/s, slowest first;
# `roofs bands FILE`: level:GB/s, of whatever is fastest there of reading, writing and both. The fastest sample: a roof
# is what the machine can do when nothing else runs.
roofs() { # peaks|bands file
    [ -n "$2" ] || return 0
    sed -n 's/^#! peak: //p' "$2" | awk -v ask="$1" '
    { for (i = 1; i <= NF; i++) { at = index($i, "="); value[substr($i, 1, at - 1)] = substr($i, at + 1) } }
    value["threads"] != 1 { next }
    value["what"] == "fma" { peak[value["isa"]] = value["max"]; next }
    value["max"] + 0 > band[value["level"]] + 0 { band[value["level"]] = value["max"] }
    END {
        isas = split("baseline avx2 avx512", isa, " ")
        levels = split("L1 L2 L3 DRAM", level, " ")
        for (i = 1; ask == "peaks" && i <= isas; i++) if (isa[i] in peak) printf "%s:%s ", isa[i], peak[isa[i]]
        for (i = 1; ask == "bands" && i <= levels; i++) if (level[i] in band) printf "%s:%s ", level[i], band[level[i]]
    }'
}

# The methods in the order of a legend, as the plots have them: METHODS = "name name \ ... name".
METHODS=$(sed -n '/^METHODS = "/,/"$/p' "$plots/common.gp" | tr -d '"\\\n' | sed 's/^METHODS = //')

# What the plots ask about a sorted file: `facts curves|panels|tolerances|sizes|isas|problems|note FILE`.
facts() {
    awk -F '\t' -v ask="$1" -v methods_known="$METHODS" '
    function first(key) { if (key in seen) return 0; seen[key] = 1; return 1 }
    function remember(list, item) { if (first(list " " item)) text[list] = text[list] item " " }
    BEGIN { known = split(methods_known, order, " ") }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        method = $at["method"]; status = $at["status"]
        if (method == "" && match(" " $at["cell"] " ", / method=[^ ]* /)) # refused before it was found
            method = substr($at["cell"], RSTART + 7, RLENGTH - 9)
        if (status == "ok" && $at["err_grad"] != "nan") remember("panels", $at["problem"] ":" $at["n"])
        if (status == "ok" && $at["t_total_s"] + 0 > 0) { remember("sizes", $at["n"]); timed[$at["isa"]] = 1 }
        if (status == "ok" && $at["gflops"] + 0 > 0) remember("problems", $at["problem"])
        if (!(method in drawn) && status == "ok") { drawn[method] = 1; methods[++count] = method }
        if (status == "ok") remember("curves of " method, method ":" $at["series"])
        if ($at["rtol"] != "nan") tolerance[$at["rtol"] + 0] = 1
        if (status == "ok" && $at["truth"] == "none") untrue++
        if (status == "ok") next
        message = $at["message"]
        if (match(message, /(apt-get )?install [^,;]*/)) { # a library that is not there: not the fault of a cell
            package = substr(message, RSTART, RLENGTH)
            if (first("missing " package " " method))
                lacking[package] = lacking[package] (lacking[package] ? ", " : "") method
            if (first("missing " package)) packages[++wants] = package
            next
        }
        key = method ($at["series"] != $at["tableau"] && $at["series"] ? ":" $at["series"] : "") " " status
        if (!(key in failed)) keys[++failures] = key
        failed[key]++
        if (status == "unsupported") why[key] = message # what cannot be has its reason; what went wrong, its count
        size = $at["n"]
        if (size == "nan" && match(" " $at["cell"] " ", / n=[^ ]* /)) # refused before the problem was made
            size = substr($at["cell"], RSTART + 2, RLENGTH - 4)
        if (first(key " " size)) sizes[key] = sizes[key] (sizes[key] ? ", " : "") size
    }
    END {
        if (ask == "panels" || ask == "sizes" || ask == "problems") print text[ask]
        if (ask == "isas") {
            isas = split("baseline avx2 avx512", isa, " ")
            for (i = 1; i <= isas; i++) if (isa[i] in timed) printf "%s ", isa[i]
        }
        if (ask == "tolerances")
            for (e = 0; e < 20; e++)
                for (t in tolerance) if (sprintf("%.0e", t) == sprintf("%.0e", 10 ^ -e)) printf "1e-%d ", e
        if (ask == "curves") {
            for (k = 1; k <= known; k++) if (order[k] in drawn) printf "%s", text["curves of " order[k]]
            for (k = 1; k <= known; k++) delete drawn[order[k]]
            for (m = 1; m <= count; m++) if (methods[m] in drawn) printf "%s", text["curves of " methods[m]]
        }
        if (ask == "note") {
            line = failures ? "Failed, not drawn:" : "No cell failed."
            for (k = 1; k <= failures; k++) {
                split(keys[k], part, " ")
                line = line (k > 1 ? ";" : "") " " part[1] " " failed[keys[k]] " x " part[2] \
                    " (n = " sizes[keys[k]] ")" (why[keys[k]] ? ": " why[keys[k]] : "")
            }
            if (failures) line = line "."
            for (k = 1; k <= wants; k++)
                line = line (k > 1 ? "; " : " Not built, so missing here: ") lacking[packages[k]] " (" packages[k] ")"
            if (wants) line = line "."
            if (untrue) line = line " Without a stored truth, only timed: " untrue " cells."
            gsub(/["`$\\]/, "", line)
            print line
        }
    }' "$2"
}

quoted() { printf '%s' "$1" | sed "s/'/''/g"; }

render() { # kind name heading source file
    note=$(printf '%s\n%s' "$(facts note "$scratch/sorted.tsv")" "Data: $4" | fold -s -w 175 |
        awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }')
    for ending in svg png; do
        picture=$results/figures/$2.$ending
        if ! gnuplot -e "${extra:-}folder='$(quoted "$plots")'; data='$scratch/sorted.tsv'; out='$(quoted "$picture")';
            heading='$3'; note=\"$note\";
            curves='$(facts curves "$scratch/sorted.tsv")'; panels='$(facts panels "$scratch/sorted.tsv")';
            tolerances='$(facts tolerances "$scratch/sorted.tsv")'; sizes='$(facts sizes "$scratch/sorted.tsv")';
            isas='$(facts isas "$scratch/sorted.tsv")'; problems='$(facts problems "$scratch/sorted.tsv")';
            peaks='$(roofs peaks "$5")'; bands='$(roofs bands "$5")'" "$plots/$1.gp" 2>"$scratch/messages"; then
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
        $at["status"] == "ok" {
            good = 1
            for (j = 1; j <= k; j++) if (!($at[name[j]] + 0 > 0)) good = 0
            if (good) { found = 1; exit }
        }
        END { exit !found }' "$scratch/sorted.tsv"
}

# Draws a figure where an ok row has a positive number in all of these columns; else says that there is none.
plot() { # kind name heading columns
    if any $4; then
        render "$1" "$2" "$3" "$from" "$file"
    else
        echo "$2: no data (no row with $4)"
    fi
}

# The rows of one track of a comparison, with its name in the heading of the picture.
of_track() { # natural|controlled
    awk -F '\t' -v track="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        (track == "controlled") == (" " $at["cell"] " " ~ / track=controlled /)' "$scratch/all.tsv" \
        > "$scratch/sorted.tsv"
}

# A comparison with other libraries: a picture for each track.
compare() { # kind name heading
    mv "$scratch/sorted.tsv" "$scratch/all.tsv"
    of_track natural
    plot "$1" "$2" "$3, each as its manual recommends" "t_lo_s err_grad rtol" || errors=1
    if [ "$2" = fig4 ]; then
        plot calibration "$2-calibration" "Sweep $2: achieved error against requested tolerance (dotted: equal)" \
            "rtol err_grad" || errors=1
    fi
    of_track controlled
    plot work_precision "$2-controlled" "$3, the same products for all" "t_lo_s err_grad rtol" || errors=1
}

draw() { # sweep file
    sorted "$2" > "$scratch/sorted.tsv"
    from=$1/$(basename "$2")
    file=$2
    errors=0
    case $1 in
    tolerance) ;; # errors only
    table*)
        echo "$1: a table, printed by: sensbench summary $results"
        return ;;
    fig2)
        plot solution_vs_sensitivity "$1" \
            "Figure 2. Van der Pol: error of the sensitivity against error of the solution" \
            "err_x_max err_grad_max" || errors=1 ;;
    fig5)
        plot scaling "$1" "Figure 5. Lotka-Volterra: time of the whole gradient against the number of parameters" \
            "t_lo_s rtol np" || errors=1 ;;
    fig4)
        compare implementations "$1" "Figure 4. Lotka-Volterra: time against error"
        return $errors ;;
    peers-small)
        compare work_precision "$1" "Lotka-Volterra, few species: time against error"
        return $errors ;;
    peers-heat)
        compare work_precision "$1" "Heat equation, one parameter: time against error"
        return $errors ;;
    peers-vdp)
        compare work_precision "$1" "Van der Pol: time against error"
        return $errors ;;
    lanes)
        plot lanes "$1" "Lotka-Volterra, discrete adjoint: speed-up by lanes, instruction sets and threads" \
            "t_lo_s lanes"
        return ;;
    batch)
        plot batch "$1" "Lotka-Volterra, discrete adjoint: time against the points in a batch" "t_lo_s batch"
        return ;;
    scaling)
        plot time "$1" \
            "Lotka-Volterra: time of the whole gradient at tolerance 1e-9 against the number of species" t_lo_s ||
            errors=1
        plot share share "Lotka-Volterra: share of the measured peak against the number of species" \
            "t_lo_s share_reverse" || errors=1
        return $errors ;;
    roofline)
        plot roofline "$1" "Roofline: operations a second against operations a byte, one thread" "gflops bytes"
        return ;;
    *)
        heading="Sweep $1: time against error"
        [ "$1" = fig3 ] && heading="Figure 3. Lotka-Volterra: time against error, tolerance along a curve"
        plot work_precision "$1" "$heading" "t_lo_s err_grad rtol" || errors=1 ;;
    esac
    plot calibration "$1-calibration" "Sweep $1: achieved error against requested tolerance (dotted: equal)" \
        "rtol err_grad" || errors=1
    return $errors
}

# The time of each method to reach an accuracy, relative to the fastest, over the cells of these sweeps.
COMPARED="fig4 peers-small peers-heat peers-vdp"
profile() {
    set --
    from=
    last=
    for sweep in $COMPARED; do
        file=$(newest "$results/$sweep")
        [ -n "$file" ] || continue
        last=$file
        sorted "$file" > "$scratch/profile-$sweep.tsv"
        set -- "$@" "$scratch/profile-$sweep.tsv"
        from="$from${from:+, }$sweep/$(basename "$file")"
    done
    [ $# -gt 0 ] || { echo "profile: no data in $results"; return 0; }
    awk -f "$plots/profile.awk" "$@" > "$scratch/profile.tsv"
    if ! grep -q "^step" "$scratch/profile.tsv"; then
        echo "profile: no data (nothing reaches any of the accuracies)"
        return 0
    fi
    # one file of all, with the columns of the first: which methods there are, and what failed
    awk -F '\t' -v OFS='\t' '
        FNR == 1 {
            split("", at)
            for (i = 1; i <= NF; i++) { at[$i] = i; if (NR == 1) name[++names] = $i }
            if (NR > 1) next
        }
        function value(name) { return name in at ? $at[name] : "" }
        { line = value(name[1]); for (i = 2; i <= names; i++) line = line OFS value(name[i]); print line }' "$@" \
        > "$scratch/sorted.tsv"
    extra="profile='$scratch/profile.tsv'; reached='$(awk -F '\t' '
        $1 == "reached" { printf "%s:%s:%s:%s:%s ", $2, $3, $4, $5, $6 }' "$scratch/profile.tsv")'; "
    render profile profile "Performance profile: time to reach 1e-4, 1e-6, 1e-8 relative to the fastest" "$from" "$last"
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
profile || code=1
for sweep in table1 table2 table3 fig2 fig3 fig4 fig5 peers-small peers-heat peers-vdp tolerance lanes batch scaling \
    roofline; do
    case " $found " in *" $sweep "*) ;; *) echo "$sweep: no data in $results" ;; esac
done
exit $code
