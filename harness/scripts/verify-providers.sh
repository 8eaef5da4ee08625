#!/bin/bash
# verify-providers.sh SENSBENCH TABLE [OPTION ...] - all of verify on derived products: every problem by the tape and
# compiled, and the gradients that are derived of every cost, one at a time, at low priority. A row of TABLE each:
# subject, provider, results that passed, failed and were skipped, seconds (with those of the system's compiler, where
# its cache is empty). Rows of the same program and options that are there already stay: an interrupted run goes on
# where it was. OPTIONs are handed to verify, as --seed 7. SUBJECTS="glv vdp costs", PROVIDERS=tape in the
# environment: these alone.
# Exit 0: nothing failed; 1: something did; 2: bad input, or a file could not be written; 130: interrupted.
set -u
export LC_ALL=C
[ $# -ge 2 ] || { echo "usage: verify-providers.sh SENSBENCH TABLE [OPTION ...]" >&2; exit 2; }
sensbench=$1
table=$2
shift 2
[ -x "$sensbench" ] || { echo "verify-providers.sh: no program $sensbench" >&2; exit 2; }
program="#! $("$sensbench" --version); verify $*"
[ "$(head -n 1 -- "$table" 2>/dev/null)" = "$program" ] ||
    printf '%s\nsubject\tprovider\tpassed\tfailed\tskipped\tseconds\n' "$program" >"$table" || exit 2
subjects=${SUBJECTS:-$("$sensbench" list problems | awk '{ print $1 }') costs} || exit 2
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM

# "PASSED FAILED SKIPPED" of the last line but a few of what verify says; nothing where it did not get there.
counts() {
    sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1\t\2\t\3/p' "$said"
}

bad=0
for subject in $subjects; do
    what="--problem $subject"
    [ "$subject" = costs ] && what="--cost *"
    for provider in ${PROVIDERS:-tape compiled}; do
        if ! grep -q "^$subject	$provider	" "$table"; then
            begin=$EPOCHREALTIME
            nice -n 10 "$sensbench" verify "$@" "${what%% *}" "${what#* }" --provider "$provider" >"$said" 2>&1
            code=$?
            [ "$code" -eq 130 ] && exit 130
            found=$(counts)
            [ -n "$found" ] || { cat "$said" >&2; exit 2; }
            [ "$code" -eq 0 ] || cat "$said" >&2
            printf '%s\t%s\t%s\t%.1f\n' "$subject" "$provider" "$found" \
                "$(awk "BEGIN { print $EPOCHREALTIME - $begin }")" >>"$table" || exit 2
        fi
    done
done
awk -F '\t' '/^#/ || /^subject\t/ { next } $4 > 0 { bad = 1 } { p += $3; f += $4; s += $5; t += $6 }
    END { printf "%d passed, %d failed, %d skipped; %.0f s\n", p, f, s, t; exit bad }' "$table" || bad=1
exit $bad
