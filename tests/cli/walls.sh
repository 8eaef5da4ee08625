#!/bin/bash
# walls.sh PROGRAM - no room sees a header of a room above it: each is tried, with the folders that the build gives.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
build=$(cd "$(dirname "$1")" && pwd)
compiler=$(command -v cc || command -v gcc || command -v clang) || exit 77
source=$(cd "$(dirname "$0")/../.." && pwd)

# finds ROOM HEADER...: which of them a file of the room could include
finds() {
    local room=$1 name
    shift
    for name in "$@"; do printf '#if __has_include("%s")\nfound %s\n#endif\n' "$name" "$name"; done >"$work/try.c"
    # shellcheck disable=SC2046
    "$compiler" -E $(sed '/^$/d; s/^/-I/' "$build/rooms/$room") "$work/try.c" | sed -n 's/^found //p'
}

rooms=$(ls "$build/rooms")
for room in $rooms; do
    (cd "$source/${room//-//}" && ls ./*.h 2>/dev/null)
done | sed 's,^\./,,' | sort | uniq -u >"$work/alone"

# Of every room its folders, and a header that no other room has, looked up once: there are thousands of pairs.
declare -A folders header
for room in $rooms; do
    folders[$room]=" $(tr '\n' ' ' <"$build/rooms/$room")"
    header[$room]=$( (cd "$source/${room//-//}" && ls ./*.h 2>/dev/null) | sed 's,^\./,,' |
        grep -m 1 -xFf "$work/alone")
done

# sees ROOM OTHER: is the other one named among the folders of the room?
sees() { [[ ${folders[$1]} == *" $source/${2//-//} "* ]]; }

tried=0
for room in $rooms; do
    own=${header[$room]}
    [ -z "$own" ] || finds "$room" "$own" | grep -qx "$own" || fail "$room does not find its own $own"
    beyond=()
    for other in $rooms; do
        name=${header[$other]}
        if [ "$room" = "$other" ] || [ -z "$name" ]; then continue; fi
        if sees "$room" "$other"; then
            ! sees "$other" "$room" || fail "$other and $room see one another"
        else
            beyond+=("$name")
        fi
    done
    tried=$((tried + ${#beyond[@]}))
    hits=$(finds "$room" "${beyond[@]}")
    [ -z "$hits" ] || fail "$room can include what is above it or beside it:" $hits
done
[ "$tried" -gt 300 ] || fail "only $tried arrows were tried"
grep -nE '# *include *["<](/|([^">]*/)?\.\./)' $(git -C "$source" ls-files '*.c' '*.h' '*.cc' | sed "s,^,$source/,") &&
    fail "a path in an include goes round the walls"
echo "$tried arrows tried"
exit $((failures > 0))
