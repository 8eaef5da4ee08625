#!/bin/sh
# figures.sh [RESULTS [SWEEP ...]] - renders every sweep found in RESULTS, or those that are named, as SVG and PNG into
# RESULTS/figures; runs nothing.
# RESULTS holds <sweep>/<machine>-<git>.tsv; of several files of a sweep the newest is drawn. Without RESULTS the first
# of results/local/full, results/local/quick and results that has a sweep is taken.
#
# What draws a sweep its result file says: `#! figure: PLOT ...` in the prelude, from the sweep file, each the name of a
# script of plots/ without its ending, and by default `work_precision calibration`. The first is RESULTS/figures/SWEEP,
# any other SWEEP-PLOT. The scripts say what they need (plots/common.gp). Two names are no such scripts: `table` is
# printed by sensbench summary; `profile` is one picture of all the sweeps that name it, of what SENSBENCH says of them
# (in the environment; build/release/sensbench otherwise).
#
# Results may be anyone's. Their rows come from rows.awk, which refuses what is no name, number or text; names of
# folders and files are checked here. gnuplot is told nothing in its own language: texts and lists are arguments of a
# script (ARG1 to ARG9, which it does not evaluate), the rest is in files that it reads as data.
# A figure shows rows of one commit on one machine; others are refused, since their times cannot be compared.
# Exit 0: rendered, or nothing to render; 1: gnuplot failed, or a file or a name was refused; 2: no such folder;
# 3: gnuplot is missing.
set -eu
export LC_ALL=C # points in numbers, bytes in texts
scripts=$(cd "$(dirname "$0")" && pwd)
if [ -d "$scripts/../plots" ]; then # installed
    root=$(cd "$scripts/.." && pwd)
    paper=$root/paper
    sweeps=$root/sweeps
else
    root=$(cd "$scripts/../.." && pwd)
    paper=$root/harness/paper
    sweeps=$root/harness/sweeps
fi
plots=$root/plots
rows=$scripts/rows.awk
sensbench=${SENSBENCH:-$root/build/release/sensbench}
tab=$(printf '\t')
say() { printf '%s\n' "$1" | tr '\000-\011\013-\037\177-\377' '?'; } # what a terminal would obey is not sent to it

newest() { # folder: its newest result file, if any
    best=
    for each in "$1"/*.tsv; do
        [ -f "$each" ] && head -n 1 "$each" | grep -q '^#! schema: sens-result/' || continue
        if [ -z "$best" ] || [ "$each" -nt "$best" ]; then best=$each; fi
    done
    printf '%s' "$best"
}
has_sweeps() {
    for folder in "$1"/*/; do
        [ -n "$(newest "${folder%/}")" ] && return 0
    done
    return 1
}

if [ $# -gt 0 ]; then
    results=${1%/}
    shift
    [ -d "$results/" ] || { say "figures.sh: no folder $results" >&2; exit 2; }
else
    results=$root/results
    for folder in "$root/results/local/full" "$root/results/local/quick"; do
        if has_sweeps "$folder"; then results=$folder; break; fi
    done
fi
command -v gnuplot >/dev/null 2>&1 || { echo "figures.sh: gnuplot is missing; install gnuplot-nox" >&2; exit 3; }
here=$(cd -- "$results/" && pwd && echo .) # from the root: nothing that a name begins with has a meaning
here=${here%??}
scratch=$(cd "$(mktemp -d)" && pwd)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$here/figures"
say "figures of $results"

is_name() { # text: what rows.awk takes for a name
    case $1 in '' | *[!A-Za-z0-9_.+-]* | [!A-Za-z0-9]*) return 1 ;; esac
    [ ${#1} -le 63 ]
}

# The columns that the plots say they need.
needed=$(sed -n 's/^#! needs: //p' "$plots"/*.gp | tr '\n' ' ')

# Checked rows of a result file, in the order in which lines are drawn. 1: refused, and said.
sorted() { # file
    if ! tr -d '\000' <"$1" | cmp -s - "$1"; then
        say "figures.sh: $1: a NUL byte: not a text file" >&2
        return 1
    fi
    awk -f "$rows" -v more="$needed" "$1" >"$scratch/plain.tsv" || return 1
    head -n 1 "$scratch/plain.tsv"
    # problem, n, np, method, series, rtol, isa, threads, lanes, batch, by their places in rows.awk
    tail -n +2 "$scratch/plain.tsv" | sort -t "$tab" -k 2,2 -k 3,3n -k 4,4n -k 5,5 -k 27,27 -k 7,7gr -k 14,14 \
        -k 15,15n -k 16,16n -k 17,17n
}

# Whether the rows of these files, read before, are of one commit on one machine; else 1, and said.
one_origin() { # what file ...
    what=$1
    shift
    for each; do awk -f "$rows" ask=origins "$each"; done | sort -u >"$scratch/origins"
    [ "$(wc -l <"$scratch/origins")" -le 1 ] && return 0
    several=$(paste -s -d , "$scratch/origins" | sed 's/,/, /g')
    say "figures.sh: $what: rows of several commits or machines ($several); measure them again with one program" >&2
    return 1
}

# The methods in the order of a legend, as the plots have them: METHODS = "name name \ ... name".
METHODS=$(sed -n '/^METHODS = "/,/"$/p' "$plots/common.gp" | tr -d '"\\\n' | sed 's/^METHODS = //')

# What the plots ask about a sorted file: `facts curves|panels|tolerances|sizes|isas|problems|note FILE`.
facts() {
    awk -F '\t' -v ask="$1" -v methods_known="$METHODS" -f "$scripts/facts.awk" "$2"
}

about() { sed -n "s/^#! $2: //p" "$plots/$1.gp"; } # plot key: what the script says of itself

# A list that a plot asks for beside the common ones.
list_of() { # list file
    case $1 in
    paper) printf '%s' "$paper" ;;
    peaks | bands) awk -f "$rows" ask="$1" "$2" ;;
    profile) printf '%s' "$scratch/profile.tsv" ;;
    reached) awk -F '\t' '$1 == "reached" { printf "%s:%s:%s:%s:%s ", $2, $3, $4, $5, $6 }' "$scratch/profile.tsv" ;;
    *) facts "$1" "$scratch/sorted.tsv" ;;
    esac
}

render() { # plot name heading source file
    note=$(printf '%s\n%s' "$(facts note "$scratch/sorted.tsv")" "Data: $4" | fold -s -w 175)
    curves=$(facts curves "$scratch/sorted.tsv")
    panels=$(facts panels "$scratch/sorted.tsv")
    kind=$1
    name=$2
    heading=$3
    source=$4
    file=$5
    set --
    for list in $(about "$kind" lists); do set -- "$@" "$(list_of "$list" "$file")"; done
    # the text of pictures is in UTF-8, in a locale with a point in numbers
    for ending in svg png; do
        picture=figures/$name.$ending
        # in the folder of the scripts: they load one another; to a file of our own: a link stays what it is
        if ! (cd "$plots" && LC_ALL=C.UTF-8 exec gnuplot -d -c "$kind.gp" "$scratch/sorted.tsv" \
            "$scratch/picture.$ending" "$heading" "$note" "$curves" "$panels" "$@" 2>"$scratch/messages"); then
            tr '\000-\011\013-\037\177' '?' <"$scratch/messages" >&2
            say "figures.sh: $kind.gp failed on $source" >&2
            return 1
        fi
        mv -fT -- "$scratch/picture.$ending" "$here/$picture"
        say "$results/$picture"
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

# Draws a figure where an ok row has a positive number in all columns that it needs; else says that there is none.
plot() { # plot name heading
    needs=$(about "$1" needs)
    # shellcheck disable=SC2086 # words are wanted
    if any $needs; then
        render "$1" "$2" "$3" "$from" "$from_file"
    else
        echo "$2: no data (no row with $needs)"
    fi
}

# The rows of one track, of all of a sweep.
of_track() { # natural|controlled
    awk -F '\t' -v track="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
        (track == "controlled") == (" " $at["cell"] " " ~ / track=controlled /)' "$scratch/all.tsv" \
        > "$scratch/sorted.tsv"
}

# A figure; where it keeps tracks apart and there are both, a picture for each.
draw_plot() { # plot name heading
    controlled=$(about "$1" controlled)
    cp "$scratch/all.tsv" "$scratch/sorted.tsv"
    [ -n "$controlled" ] && of_track controlled
    if [ -z "$controlled" ] || ! any $(about "$1" needs); then
        cp "$scratch/all.tsv" "$scratch/sorted.tsv"
        plot "$1" "$2" "$3"
    elif [ "$controlled" = none ]; then
        of_track natural
        plot "$1" "$2" "$3"
    else
        plot "$controlled" "$2-controlled" "$3, the same products for all" || return 1
        of_track natural
        plot "$1" "$2" "$3, each as its manual recommends"
    fi
}

profiled= # sweep/file of each sweep that names the profile
draw() { # sweep file
    from=$1/$(basename "$2")
    from_file=$2
    sorted "$2" > "$scratch/all.tsv" || return 1
    one_origin "$results/$from" "$2" || return 1
    figure=$(awk -f "$rows" ask=figure "$2") && title=$(awk -f "$rows" ask=title "$2") || return 1
    errors=0
    others=0
    for plot in ${figure:-work_precision calibration}; do
        case $plot in
        table)
            say "$1: a table, printed by: sensbench summary $results"
            continue ;;
        profile)
            profiled="$profiled $1/$(basename "$2")"
            continue ;;
        esac
        if ! grep -qs '^#! needs: ' "$plots/$plot.gp"; then
            say "figures.sh: $results/$from: figure: '$plot' is no plot of plots/" >&2
            errors=1
            continue
        fi
        name=$1-$plot
        heading="Sweep $1: $(about "$plot" title)"
        if [ $others -eq 0 ]; then
            name=$1
            heading=${title:-$heading}
        fi
        draw_plot "$plot" "$name" "$heading" || errors=1
        others=1
    done
    return $errors
}

# The time of each method to reach an accuracy, relative to the fastest, over the cells of the sweeps that name it.
profile() {
    set --
    [ -n "$profiled" ] || { say "profile: no data in $results"; return 0; }
    if [ ! -x "$sensbench" ]; then
        say "profile: not drawn, its numbers come from the program: no $sensbench (make build, or SENSBENCH=...)"
        return 0
    fi
    for each in $profiled; do
        sorted "$here/$each" > "$scratch/profile-${each%%/*}.tsv" || return 1
        set -- "$@" "$here/$each"
    done
    one_origin "profile of $results" "$@" || return 1
    from=$(printf '%s' "${profiled# }" | sed 's/ /, /g')
    from_file=$here/${profiled##* }
    "$sensbench" summary --profile "$@" > "$scratch/profile.tsv" || return 1
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
        { line = value(name[1]); for (i = 2; i <= names; i++) line = line OFS value(name[i]); print line }' \
        "$scratch"/profile-*.tsv > "$scratch/sorted.tsv"
    render profile profile "$(about profile title)" "$from" "$from_file"
}

only=" $* " # two spaces: all
wanted() { # sweep
    [ "$only" = "  " ] && return 0
    case $only in *" $1 "*) return 0 ;; esac
    return 1
}

found=
code=0
for folder in "$here"/*/; do
    file=$(newest "${folder%/}")
    [ -n "$file" ] || continue
    folder=${folder%/}
    sweep=${folder##*/}
    wanted "$sweep" || continue
    if ! is_name "$sweep" || ! is_name "${file##*/}"; then
        say "figures.sh: $results/$sweep/${file##*/}: a name of other than letters, digits and _ . + -" >&2
        code=1
        continue
    fi
    found="$found $sweep"
    draw "$sweep" "$file" || code=1
done
profile || code=1
for file in $(grep -sl '^figure' "$sweeps"/*.sweep "$paper"/sweeps/*.sweep); do
    sweep=$(basename "$file" .sweep)
    wanted "$sweep" || continue
    case " $found " in *" $sweep "*) ;; *) say "$sweep: no data in $results" ;; esac
done
exit $code
