#!/bin/sh
# quiet.sh SENSBENCH RESULTS - is this machine as quiet as it was when RESULTS were measured? Another program on the
# second thread of a core takes loads from it, though hardly an operation in registers, and in a virtual machine nothing
# tells that it is there. So the rate of reads from the first-level cache is measured on one thread and on all
# (sensbench peak --quick), and held against the best of the lines "#! peak:" in RESULTS/*/*.tsv, of files whose rate of
# multiply-adds is the same within 5 %: those of such a processor. Prints both.
# Exit 0: at least nine tenths of it, or there is nothing to compare with; 4: less; 1: not measured; 2: bad input.
set -u
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: quiet.sh SENSBENCH RESULTS" >&2; exit 2; }
[ -x "$1" ] || { echo "quiet.sh: no program $1" >&2; exit 2; }

# What each line of a peak says, as words: what isa level threads median max.
now=$("$1" peak --quick --json | awk '
    /"(what|isa|level|threads|median|max)":/ { key = $1; value = $2; gsub(/[":,]/, "", key); gsub(/[",]/, "", value)
                                               of[key] = value }
    /}/ { print of["what"], of["isa"], of["level"], of["threads"], of["median"], of["max"] }')
case $now in *"read "*" L1 "*) ;; *) echo "quiet.sh: $1 peak measured no reads from L1" >&2; exit 1 ;; esac

set -- "$2"/*/*.tsv
[ -f "$1" ] || set -- /dev/null
awk -v now="$now" '
    function note(what, level, threads, isa, rate, most) {
        if (what == "fma") fma[threads, isa] = most
        else if (what == "read" && level == "L1") { read[threads] = rate; of[threads] = isa }
    }
    # the rates of the file that ends here, where it is of such a processor
    function end_file(threads, known) {
        for (threads in wanted) {
            known = fma[threads, of_now[threads]]
            if (known > 0.95 * fma_now[threads] && known < 1.05 * fma_now[threads] && read[threads] > best[threads])
                best[threads] = read[threads]
        }
        split("", fma); split("", read)
    }
    BEGIN {
        lines = split(now, line, "\n")
        for (i = 1; i <= lines; i++) { split(line[i], w, " "); note(w[1], w[3], w[4], w[2], w[5], w[6]) }
        for (threads in read) {
            wanted[threads] = read[threads]; of_now[threads] = of[threads]
            fma_now[threads] = fma[threads, of[threads]]
        }
        split("", fma); split("", read)
    }
    FNR == 1 { end_file() }
    /^#! peak:/ {
        split("", w)
        for (i = 3; i <= NF; i++) { split($i, pair, "="); w[pair[1]] = pair[2] }
        note(w["what"], w["level"], w["threads"], w["isa"], w["median"] + 0, w["max"] + 0)
    }
    END {
        end_file()
        for (threads = 1; threads <= 65536; threads++) {
            if (!(threads in wanted)) continue
            share = best[threads] ? wanted[threads] / best[threads] : 1
            if (share < 0.9) disturbed = 1
            printf "reads from L1, %d thread%s: %.0f GB/s", threads, (threads > 1 ? "s" : ""), wanted[threads]
            if (best[threads]) printf ", %.0f %% of the best that was stored", 100 * share
            print ""
        }
        if (disturbed) print "other programs run on these processors"
        exit disturbed ? 4 : 0
    }' "$@"
