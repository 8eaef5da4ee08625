#!/bin/sh
# quiet.sh SENSBENCH RESULTS - is this machine as quiet as it was when the result files in RESULTS were measured? A core
# with two hardware threads reads for both of them from one first-level cache. What runs on the second thread makes
# these reads slower, and arithmetic hardly; if it belongs to another virtual machine, nothing here tells that it is
# there. So the reads are measured (sensbench peak --quick), on one thread and on all. They are compared with the
# fastest ones in the lines "#! peak:" of RESULTS/*/*.tsv. Files whose peak of arithmetic is not the same within 5 %
# are of another processor, and are left out. Prints the rates, and their share of the fastest.
# Exit 0: nine tenths of it or more, or there is nothing to compare with, which is said; 4: less: other programs run
# here, or the processor is slower than it was; 1: not measured; 2: bad input.
set -u
export LC_ALL=C
[ $# -eq 2 ] || { echo "usage: quiet.sh SENSBENCH RESULTS" >&2; exit 2; }
[ -x "$1" ] || { echo "quiet.sh: no program $1" >&2; exit 2; }
[ -d "$2" ] || { echo "quiet.sh: no folder $2" >&2; exit 2; }

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
            if (best[threads]) printf ", %.0f %% of the best that was stored\n", 100 * share
            else print "; nothing to compare with"
        }
        if (disturbed) print "not quiet: 90 % are asked for; other programs run here, or the processor is slower"
        exit disturbed ? 4 : 0
    }' "$@"
