# What the scripts share that compare runs number by number; sourced after common.bash.
export LC_ALL=C

# numbers FILE MODEL METHOD KEY=VALUE...: all that the run dumps, one value a line.
numbers() {
    local file=$1
    shift
    "$program" run "$@" --models "$work" --once --dump "$work/dump.tsv" >"$work/output" 2>&1 ||
        fail "$*: $(tail -1 "$work/output")"
    tail -n +2 "$work/dump.tsv" | awk '{ print $1, $4 }' >"$file"
    rm -f "$work/dump.tsv"
}

# near BOUND FILE FILE TEXT: no number differs by more than that part of the largest of its kind (x, G, dGdp, dGdx0).
near() {
    paste -d ' ' "$2" "$3" | awk -v bound="$1" '
        NF != 4 { bad = 1 }
        { d = $2 - $4; if (d < 0) d = -d; a = $2 < 0 ? -$2 : $2
          if (!(d < 1e300)) bad = 1; if (d > off[$1]) off[$1] = d; if (a > size[$1]) size[$1] = a }
        END { for (part in size) if (off[part] > worst * size[part]) worst = off[part] / size[part]
              print worst + 0; exit !(NR > 4 && !bad && worst < bound) }' >"$work/worst" ||
        fail "$4: differ by $(cat "$work/worst")"
    echo "$4: $(cat "$work/worst")"
}
