# What the scripts of this folder share; sourced with the path of sensbench as argument 1 of the script. `work` is a
# folder that goes with the script; fail TEXT... counts a failure, which the script's exit code must tell; check, tells
# and expect run a command, hosted one that loads the library; rows and column read results; replace edits a file.
set -u
export LC_ALL=C
program=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# check TEXT COMMAND...: the command succeeds.
check() {
    local text=$1
    shift
    "$@" || fail "$text"
}

# The library of a sanitizer that the program is built with.
sanitizer() {
    ldd "$program" | awk '$1 ~ /^lib[at]san/ { print $3 }'
}

# hosted COMMAND...: a program of others that loads libsensbench. What a sanitizer puts into the library has to be
# loaded before everything, and leaks of others are theirs.
hosted() {
    local first
    first=$(sanitizer)
    if [ -n "$first" ]; then
        LD_PRELOAD=$first ASAN_OPTIONS=detect_leaks=0 "$@"
    else
        "$@"
    fi
}

# rows FILE: of a result file, without prelude and header; column NAME FILE: the values of that column.
rows() {
    grep -v '^#' "$1" | tail -n +2
}
column() {
    grep -v '^#' "$2" | awk -F '\t' -v name="$1" \
        'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}

# tells CODE PATTERN COMMAND...: the command exits with CODE, and what it says matches PATTERN (grep -E).
tells() {
    local code=$1 pattern=$2 got
    shift 2
    "$@" >"$work/output" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -qE -- "$pattern" "$work/output"; then
        fail "$*: exit $got, expected $code and '$pattern'; output:"
        cat "$work/output"
    fi
}

# expect CODE TEXT ARGUMENT...: sensbench exits with CODE, and TEXT is in what it says.
expect() {
    local code=$1 text=$2 got
    shift 2
    "$program" "$@" >"$work/output" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$code" ] || ! grep -qF -- "$text" "$work/output"; then
        fail "$*: exit $got, expected $code and '$text'; output:"
        tail -n 20 "$work/output"
    fi
}

# replace FILE A B: standard input takes the place of the first line that begins with A, up to the next (or the same)
# that begins with B. Not 0 where there is none.
replace() {
    awk -v from="$2" -v to="$3" '
        FNR == NR { text = text $0 "\n"; next }
        !inside && !done && index($0, from) == 1 { printf "%s", text; inside = 1 }
        inside { if (index($0, to) == 1) { inside = 0; done = 1 } next }
        { print }
        END { exit !done }' - "$1" >"$work/replaced" && cp "$work/replaced" "$1"
}
