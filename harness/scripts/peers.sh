#!/bin/sh
# peers.sh SENSBENCH RESULTS [OPTION ...] - our adjoint and the libraries of others at equal achieved error: each
# contender with the loosest tolerance whose gradient error against the truth is at most E, in turn with ours (sensbench
# compare --error; OPTIONs are handed to it, as --rounds 5 --seconds 2). Keeps the rows in RESULTS/*.tsv and prints how
# many times longer each takes, with 95 % intervals of the medians, also into RESULTS/peers.txt. Beside them stands what
# was measured before (harness/paper/measured_before.tsv), on another machine at tolerance 1e-9.
# In the environment: SIZES=2,5 only these N of Lotka-Volterra, ERRORS=1e-6 only these E, SETS="heat vdp" only these
# sets; SETS=stiff all stiff problems, whose names begin with that word. A library that is not built is a row that says
# so. An hour or more, most of it the last set: forward sensitivities by CVODES at N = 50 and 100.
# Safe to interrupt: sets that were measured to their end by the same program, in the same way, are kept.
# Exit 0: measured, whatever came out; 1: a file could not be written; 2: bad input; 130: interrupted.
set -u
export LC_ALL=C
[ $# -ge 2 ] || { echo "usage: peers.sh SENSBENCH RESULTS [OPTION ...]" >&2; exit 2; }
sensbench=$1
results=${2%/}
shift 2
before=$(cd "$(dirname "$0")/.." && pwd)/paper/measured_before.tsv
[ -x "$sensbench" ] || { echo "peers.sh: no program $sensbench" >&2; exit 2; }
[ -r "$before" ] || { echo "peers.sh: no file $before" >&2; exit 2; }
all="petsc cvodes petsc-controlled cvodes-controlled heat heat-large vdp stiff-robertson stiff-robertson-long \
stiff-hires stiff-oregonator stiff-pollu stiff-vdp stiff-vdp-1e6 stiff-cbm4 cvodes-forward"
sets=
for set in ${SETS:-$all}; do
    case " $all stiff " in *" $set "*) ;; *) echo "peers.sh: no set '$set'; there are $all" >&2; exit 2 ;; esac
    [ "$set" = stiff ] && set=$(for each in $all; do echo "$each"; done | grep '^stiff-' | tr '\n' ' ')
    for each in $set; do
        case " $sets " in *" $each "*) ;; *) sets="$sets $each" ;; esac # once
    done
done
mkdir -p -- "$results" || exit 2
# From the root: nothing that a name begins with has a meaning, as = to awk.
results=$(cd -- "$results/" && pwd && echo .)
results=${results%??}

# A set that came to its end has a file .SET beside it: by which program and how it was measured.
options=$*
way="$(cksum <"$sensbench") errors=${ERRORS-} sizes=${SIZES-} $options"
is_measured() { [ "$(cat "$results/.$1" 2>/dev/null)" = "$way" ] && [ -f "$results/$1.tsv" ]; }
for set in $sets; do
    is_measured "$set" || rm -f "$results/$set.tsv" "$results/$set.txt" "$results/.$set"
done

# Seconds for the rounds of a group, and for a contender to find its tolerance; an option may be given once. Stiff
# problems are small: what has not found its tolerance in fifteen seconds does not find it.
limits_of() { # set
    case $1 in
    stiff-*) limits="--rounds 7 --seconds 3 --timeout 15" ;;
    *) limits="--seconds 10 --timeout 600" ;;
    esac
    # shellcheck disable=SC2086 # words are wanted
    set -- $limits
    while [ $# -gt 0 ]; do
        case " $options " in *" $1 "* | *" $1="*) ;; *) printf '%s %s ' "$1" "$2" ;; esac
        shift 2
    done
}

# compare SET ARGUMENT...: one that is not available here (3), fails or does not reach E (4) is a status in its row.
compare() {
    set=$1
    shift
    case " $sets " in *" $set "*) ;; *) return 0 ;; esac
    if is_measured "$set"; then
        echo "== $set: measured before" >&2
        return 0
    fi
    echo "== $set" >&2
    # shellcheck disable=SC2046 # words are wanted
    "$sensbench" compare "$@" $(limits_of "$set") --tsv "$results/$set.tsv" >"$results/$set.txt"
    code=$?
    case $code in 0 | 3 | 4) ;; *) exit $code ;; esac
    printf '%s\n' "$way" >"$results/.$set" || exit 1
}

errors=${ERRORS:-1e-6,1e-8}
ours="tableau=cash_karp controller=odeint threads=1"
glv="glv discrete_adjoint n=${SIZES:-2,5,20,50,100} wrt=both dt=1e-3"
controlled="tableau=dopri5 controller=petsc threads=1 track=controlled" # the pair and the controller of PETSc's 5dp
# $own at the end of each: they take no notice of these keys of the base.
own="tableau= controller="
tsadjoint="method=petsc_tsadjoint"
corrected="method=petsc_corrected tableau=dopri5"
adjoint="method=cvodes_adjoint"
forward="method=cvodes_forward"
one_by_one="lanes=1 " # a backward problem for each functional; lanes=auto: one for all of them
# shellcheck disable=SC2086 # words are wanted
{
    compare petsc $glv $ours --error "$errors" --vs "$tsadjoint type=3bs $own" --vs "$tsadjoint type=5dp $own" \
        --vs "$corrected jacobian=explicit controller=" --vs "$corrected jacobian=matrix-free controller=" "$@"
    compare cvodes $glv $ours --error "$errors" --vs "$adjoint lmm=adams quad=inside $own" \
        --vs "$adjoint lmm=adams quad=outside $own" --vs "$adjoint lmm=adams quad=inside $one_by_one$own" "$@"
    compare petsc-controlled $glv $controlled --error "$errors" --vs "$tsadjoint type=3bs jacobian=matrix-free $own" \
        --vs "$corrected jacobian=matrix-free controller=" "$@"
    compare cvodes-controlled $glv $controlled --error "$errors" --vs "$adjoint lmm=adams quad=inside $own" \
        --vs "$adjoint lmm=adams quad=inside $one_by_one$own" "$@"
    # One parameter, (n-1)^2 outputs. What has no derivative forward in one lane needs a cotangent for every output.
    compare heat heat discrete_tangent n=10,20 wrt=p truth=ode dt=1e-4 $ours --error "${ERRORS:-1e-6}" \
        --vs "method=discrete_adjoint" --vs "method=casa_dense tableau=dopri5" --vs "$tsadjoint type=3bs $own" \
        --vs "$corrected controller=" --vs "$adjoint lmm=bdf quad=inside $own" \
        --vs "$forward lmm=bdf errcon=inside $own" "$@"
    compare heat-large heat discrete_tangent n=30 wrt=p truth=ode dt=1e-4 $ours --error "${ERRORS:-1e-6}" \
        --vs "method=discrete_adjoint" "$@"
    compare vdp vdp discrete_adjoint wrt=p dt=1e-3 $ours --error "$errors" --vs "method=discrete_tangent" \
        --vs "$tsadjoint type=3bs $own" --vs "$tsadjoint type=5dp $own" --vs "$corrected controller=" \
        --vs "$adjoint lmm=bdf quad=inside $own" --vs "$forward lmm=bdf errcon=inside $own" \
        --vs "$forward lmm=bdf errcon=outside $own" "$@"
    # To the ends that others have published; of the many formulas one of each kind.
    stiff() {
        set=$1
        shift
        compare "$set" "$@" tableau=rodas4 controller=odeint threads=1 wrt=both --error "${ERRORS:-1e-4,1e-6,1e-8}" \
            --vs "tableau=rodas5p" --vs "tableau=kvaerno54" --vs "tableau=radau_iia5" --vs "method=discrete_tangent" \
            --vs "method=discrete_tangent tableau=rodas5p" --vs "$adjoint lmm=bdf $own" --vs "$forward lmm=bdf $own" \
            --vs "$tsadjoint type=cn $own"
    }
    stiff stiff-robertson robertson discrete_adjoint T=40 "$@"
    stiff stiff-robertson-long robertson discrete_adjoint T=4e7 "$@"
    stiff stiff-hires hires discrete_adjoint T=321.8122 "$@"
    stiff stiff-oregonator oregonator discrete_adjoint T=360 "$@"
    stiff stiff-pollu pollu discrete_adjoint T=60 "$@"
    stiff stiff-vdp vdp discrete_adjoint eps=1e-3 T=2 "$@"
    stiff stiff-vdp-1e6 vdp discrete_adjoint eps=1e-6 T=2 "$@"
    stiff stiff-cbm4 cbm4 discrete_adjoint T=60 cost=own "$@"
    compare cvodes-forward $glv $ours --error "$errors" --vs "$forward lmm=adams errcon=inside $own" \
        --vs "$forward lmm=adams errcon=outside $own" "$@"
}

set --
for set in $sets; do set -- "$@" "$results/$set.tsv"; done
{
    awk '/^#! (date|program|machine|cpu|compiler)/ && !seen[$2]++ { print substr($0, 4) }' "$@"
    awk -F '\t' '
    FNR == 1 { name = FILENAME; sub(/.*\//, "", name); sub(/[.]tsv$/, "", name); header = 0 }
    /^#/ { next }
    !header { split("", at); for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
    "code" in at { old[$at["code"], $at["threads"], $at["n"]] = $at["seconds"]; next }
    # the value of a key; a contender without the keys that are taken away
    function part(keys, key, word, count, i) {
        count = split(keys, word, " ")
        for (i = 1; i <= count; i++) if (index(word[i], key "=") == 1) return substr(word[i], length(key) + 2)
        return ""
    }
    function title(changes, word, count, i, text) {
        count = split(changes, word, " ")
        for (i = 1; i <= count; i++) if (word[i] !~ /=$/) text = text (text == "" ? "" : " ") word[i]
        sub(/method=/, "", text)
        return text
    }
    {
        n = part($at["cell"], "n"); n = n == "" ? "-" : n
        error = part($at["keys"], "error"); who = $at["contender"]
        if (!((name, "sets") in seen)) { seen[name, "sets"] = 1; order[++names] = name }
        if (!((name, error) in seen)) { seen[name, error] = 1; errors[name] = errors[name] " " error }
        if (!((name, "n", n) in seen)) { seen[name, "n", n] = 1; sizes[name] = sizes[name] " " n }
        if (who + 1 > contenders[name]) contenders[name] = who + 1
        label[name, who] = who > 0 ? title($at["changes"]) : $at["method"] != "" ? $at["method"] : "(base)"
        for (column in at) cell[name, error, n, who, column] = $at[column]
        measured[name] += $at["cpu"] != "nan"
        disturbed[name] += $at["cpu"] != "nan" && $at["cpu"] < 0.95
    }
    function known(x) { return x != "" && x != "nan" }
    function get(who, column) { return cell[name, error, n, who, column] }
    function put(text) { line = line sprintf("  %-24s", text) }
    function mark(who) { return get(who, "message") ~ /^no time/ ? " *" : "" }
    function tell(who, status) {
        status = get(who, "status")
        if (status != "ok") put(status (known(get(who, "best_error")) ? sprintf(" (%.1e%s)", get(who, "best_error"),
            get(who, "message") ~ /no time/ ? ", no time" : "") : ""))
        else if (who == 0) put(sprintf("%.3g s%s", get(who, "t_total_s"), mark(who)))
        else if (!known(get(who, "ratio"))) put(sprintf("%.3g s%s", get(who, "t_total_s"), mark(who)))
        else put(sprintf("%.3g [%.3g, %.3g]%s", get(who, "ratio"), get(who, "ratio_lo"), get(who, "ratio_hi"),
            mark(who)))
    }
    # by the prototype of the same one thread
    function measured_before(code, text, i) {
        line = sprintf("  %-58s", "measured before: " text)
        for (i = 1; i <= columns; i++)
            put(old[code, 1, size[i]] && old["prototype", 1, size[i]] ? \
                sprintf("%.3g", old[code, 1, size[i]] / old["prototype", 1, size[i]]) : "-")
        sub(/ +$/, "", line); print line
    }
    # of the contenders that reached the error, ours (discrete_...) and the others
    function print_fastest(who, ours, others, time) {
        for (who = 0; who < contenders[name]; who++) {
            if (get(who, "status") != "ok") continue
            time = get(who, "t_total_s")
            if (who == 0 || label[name, who] !~ /^(petsc|cvodes)/) { if (!ours || time < ours) ours = time }
            else if (!others || time < others) others = time
        }
        if (ours && others) printf "  %-58s  %.3g\n", "fastest of the libraries by fastest of ours", others / ours
    }
    function print_table(i, who) {
        columns = split(sizes[name], size, " ")
        line = sprintf("  %-58s", "")
        for (i = 1; i <= columns; i++) put(size[i] == "-" ? "" : (name ~ /heat/ ? "n = " : "N = ") size[i])
        sub(/ +$/, "", line); print line
        for (who = 0; who < contenders[name]; who++) {
            line = sprintf("  %-58s", label[name, who])
            for (i = 1; i <= columns; i++) { n = size[i]; tell(who) }
            sub(/ +$/, "", line); print line
        }
        if (name ~ /^stiff/) print_fastest()
        if (name ~ /^petsc/) measured_before("PETSc 5dp, by hand", "PETSc 3.25 5dp, by hand, by the prototype")
        if (name ~ /^cvodes/ && name !~ /forward/)
            measured_before("CVODES adjoint, Adams", "CVODES adjoint, Adams, by the prototype")
        if (name == "cvodes-forward")
            measured_before("CVODES forward, Adams", "CVODES forward, Adams, by the prototype")
    }
    BEGIN {
        about["petsc"] = about["cvodes"] = about["cvodes-forward"] = \
            "Lotka-Volterra, dx(T)/dp and dx(T)/dx0, each as its manual recommends"
        about["petsc-controlled"] = about["cvodes-controlled"] = "the same, all with the products of the problem alone"
        about["heat"] = about["heat-large"] = "heat, one parameter, (n-1)^2 outputs: du(T)/dalpha"
        about["vdp"] = "Van der Pol, dx(T)/deps"
        about["stiff-robertson"] = "Robertson to T = 40, dx(T)/dp and dx(T)/dx0"
        about["stiff-robertson-long"] = "Robertson to T = 4e7, the same"
        about["stiff-hires"] = "HIRES, the same"
        about["stiff-oregonator"] = "Oregonator, the same"
        about["stiff-pollu"] = "POLLU, the same"
        about["stiff-vdp"] = "Van der Pol with mu = 1000 to T = 2, the same"
        about["stiff-vdp-1e6"] = "Van der Pol with mu = 1e6 to T = 2, the same"
        about["stiff-cbm4"] = "CBM-IV to T = 60, six concentrations at the end, by 81 factors and the initial state"
    }
    END {
        for (k = 1; k <= names; k++) {
            name = order[k]; count = split(errors[name], E, " ")
            for (e = 1; e <= count; e++) {
                error = E[e]
                printf "\n%s: %s; gradient error at most %s: time by that of the first, and its 95 %% interval\n", name,
                    about[name], error
                print_table()
            }
        }
        print "\nnot_reached: no tolerance brings the gradient error down to this; in brackets the least,"
        print "and `no time` where tighter ones would have taken too long to be tried."
        print "*: no time to look for a looser tolerance, which may do as well."
        print "measured before: at tolerance 1e-9, on another machine, +-25 %; the prototype is a code for this", \
            "problem alone."
        for (k = 1; k <= names; k++) if (disturbed[order[k]])
            printf "disturbed: in %s others had the core of %d of %d contenders (cpu below 0.95 in the rows)\n",
                order[k], disturbed[order[k]], measured[order[k]]
    }' "$before" "$@"
} >"$results/peers.txt" || exit 1
cat "$results/peers.txt"
echo
echo "$results/peers.txt; rows: $results/*.tsv, tables: $results/*.txt"
