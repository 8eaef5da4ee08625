#!/bin/bash
# same.sh OLD NEW [SWEEP ...] - do two builds of the program compute the same numbers, bit for bit?
#
# OLD and NEW are two programs, both of preset `repro`. Each cell of the sweeps (ci, fig3 and peers-small in their quick
# profile, unless others are named) is run by both; the dumped results, the counts of work and the status must be equal.
# Exit 0: all are; 1: some differ, and are listed; 2: a program or a sweep is not there, or nothing was compared.
set -euo pipefail
export LC_ALL=C
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
old=$1
new=$2
shift 2
sweeps=("$@")
[ ${#sweeps[@]} -gt 0 ] || sweeps=(ci fig3 peers-small)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The columns of a row that are counts or words about the result: all but times, memory, machine, commit and rates.
exact() {
    awk -F '\t' '
        BEGIN { split("status n np m lanes steps rejects n_rhs n_vjp n_jvp n_vjp_p n_jvp_p n_jacobian steps_reverse " \
                      "rejects_reverse bytes_traj truth message structure flops bytes", name, " ")
                for (i in name) exact[name[i]] }
        NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i in exact || $i ~ /^err_/ }
        { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "\t" $i; print line }'
}

# result PROGRAM NAME CELL...: what the program says of a cell, in $work/NAME; of a dump quantity, row, col and value
result() {
    local program=$1 name=$2 status=0
    shift 2
    rm -f "$work/$name.dump"
    "$program" run "$@" --tsv --dump "$work/$name.dump" >"$work/$name.row" 2>"$work/$name.err" || status=$?
    { echo "exit $status"; exact <"$work/$name.row"; cut -f 1-4 "$work/$name.dump" 2>/dev/null || true; } \
        >"$work/$name"
}

cells=0
differ=0
for sweep in "${sweeps[@]}"; do
    "$old" sweep "$sweep" --quick --dry-run | grep '=' | sort >"$work/cells" || { echo "$sweep: no cells" >&2; exit 2; }
    count=0
    while read -r -a cell; do
        result "$old" old "${cell[@]}" </dev/null
        result "$new" new "${cell[@]}" </dev/null
        count=$((count + 1))
        cmp -s "$work/old" "$work/new" && continue
        differ=$((differ + 1))
        echo "differs: ${cell[*]}"
        diff "$work/old" "$work/new" | head -4 || true
    done <"$work/cells"
    echo "$sweep: $count cells"
    cells=$((cells + count))
done
echo "$differ of $cells cells differ"
[ "$cells" -gt 0 ] || exit 2
[ "$differ" -eq 0 ]
