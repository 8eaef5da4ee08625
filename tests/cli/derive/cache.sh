#!/bin/bash
# Products that are compiled (vjp=compiled) and their cache: kept, found again, made anew, refused, switched off;
# without a compiler the tape runs, and every number is the same. Argument 1: sensbench.
export LC_ALL=C
. "$(dirname "$0")/../common.bash"
cd "$work" || exit 1
command -v gcc >/dev/null || command -v cc >/dev/null || command -v clang >/dev/null || exit 77
unset CC XDG_CACHE_HOME
export HOME=$work/home TMPDIR=$work/tmp SENSBENCH_CACHE=$work/cache
mkdir home tmp

# ran WHAT NOTE [COMMAND PREFIX ...]: the products that the record names, and why (grep -E); the gradient is the known
# one
ran() {
    local what=$1 note=$2
    shift 2
    "$@" "$program" run robertson discrete_adjoint tol=1e-6 T=1 vjp=compiled truth=none --tsv --dump dump \
        >row 2>output ||
        fail "$what, $note: exit $?: $(cat output)"
    awk -F'\t' -v OFS='|' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["vjp"], $at["vjp_note"] }' row >products
    grep -qE "^$what\|$note" products || fail "expected $what, '$note': $(cat products)"
    [ -e right ] || cp dump right
    awk 'NR == FNR { a[FNR] = $4; next } { d = $4 - a[FNR]; s = (a[FNR] < 0 ? -a[FNR] : a[FNR]) + 1e-12
        if (FNR > 1 && (d > 1e-9 * s || d < -1e-9 * s)) exit 1 }' right dump || fail "$what, $note: another gradient"
}
entries() { find "$1" -name '*.so' 2>/dev/null | wc -l; }

# ---- kept, and found again ---------------------------------------------------------------------------------
"$program" run robertson discrete_adjoint tol=1e-6 T=1 truth=none --dump right >/dev/null || fail "by hand"
ran compiled '$'
kept=$(entries cache)
[ "$kept" -gt 0 ] || fail "nothing is kept"
ran compiled '$'
[ "$(entries cache)" -eq "$kept" ] || fail "the same products are kept again"
[ "$(stat -c %a cache)" = 700 ] || fail "the folder is open: $(stat -c %a cache)"
[ "$(find cache -name '*.so' -perm /077 | wc -l)" -eq 0 ] || fail "entries are open"

# ---- damaged entries are made anew -------------------------------------------------------------------------
for entry in cache/*.so; do truncate -s 5000 "$entry"; done
ran compiled '$'
for entry in cache/*.so; do printf 'x' | dd of="$entry" bs=1 seek=2000 conv=notrunc 2>/dev/null; done
ran compiled '$'
first=$(find cache -name '*.so' | sort | head -n 1)
for entry in cache/*.so; do [ "$entry" = "$first" ] || cp "$first" "$entry"; done
ran compiled '$'
[ "$(entries cache)" -eq "$kept" ] || fail "entries were added"

# ---- refused: the tape runs --------------------------------------------------------------------------------
chmod 777 cache
ran tape '.*others may write to it'
chmod 700 cache
chmod 666 cache/*.so
ran tape '.*others may write to it'
chmod 600 cache/*.so
for entry in cache/*.so; do mv "$entry" "$entry.elsewhere" && ln -s "$PWD/$entry.elsewhere" "$entry"; done
ran tape '.*symbolic link'
rm -r cache
: >cache
ran tape '.*Not a directory'
rm cache
[ -w /usr ] || ran tape '.*belongs to another user' env SENSBENCH_CACHE=/usr
ran tape '.*others may write to it' env SENSBENCH_CACHE=/tmp
ran tape '.*characters' env SENSBENCH_CACHE="$(printf '%05000d' 0)"

# ---- compilers that are none -------------------------------------------------------------------------------
ran tape 'no compiler: CC is' env CC=no_such_compiler
mkdir none
ran tape 'no compiler: neither gcc' env PATH="$work/none"
env PATH="$work/none" "$program" verify --provider compiled --problem decay >output
[ $? -eq 1 ] || fail "verify: products that are not compiled pass"
! grep '^pass  provider compiled *\(jvp\|vjp\|lanes\)' output || fail "verify looks at the tape in place of C"
grep -q 'tape runs in its place: no compiler' output || fail "verify does not say why nothing is looked at"
printf '#!/bin/sh\n[ "$1" = --version ] && { echo fake; exit 0; }\nexit 0\n' >lies
printf '#!/bin/sh\n[ "$1" = --version ] && { echo fake; exit 0; }\nprintf "bad \\033[31mnews\\n" >&2\nexit 1\n' >fails
printf '#!/bin/sh\n[ "$1" = --version ] && { echo fake; exit 0; }\ngcc "$@" && truncate -s 3000 products.so\n' >half
# products are sums: it compiles, and is wrong
printf '#!/bin/sh\n%s\n%s\nexec gcc "$@"\n' '[ "$1" = --version ] && { echo fake; exit 0; }' \
    'sed -i "s/ [*] / + /" products.c' >wrong
chmod 755 lies fails half wrong
ran tape '.*wrote no object' env CC="$work/lies"
ran tape '.*news' env CC="$work/fails"
! grep -q "$(printf '\033')" row output || fail "what the compiler says is not shown, but sent"
ran tape '.*cut, or none' env CC="$work/half"
ran '(tape|compiled[+]tape)' '.*(number [0-9]+ of a product is|a product ends with)' env CC="$work/wrong"

# One that fails once, as on a machine out of memory: the tape runs for that product in the first of two instances,
# whose bits are then not those of the second. verify says so, and blames no callback.
cat >once <<'CODE'
#!/bin/sh
grep -qs hvp products.c && mkdir "$(dirname "$0")/failed" 2>/dev/null && { echo "out of memory"; exit 1; }
exec gcc "$@"
CODE
chmod 755 once
tells 0 'skip  provider compiled .*left to another provider: .*once ended with 1' env CC="$work/once" \
    SENSBENCH_CACHE="$work/once.cache" "$program" verify --quick --provider compiled --problem arenstorf \
    --check reach.instances
[ -d failed ] || fail "no product along directions was compiled: nothing was tried"

# ---- switched off, or nowhere to go ------------------------------------------------------------------------
rm -rf cache
for off in '' none; do
    ran compiled '$' env SENSBENCH_CACHE="$off"
    [ ! -e cache ] && [ -z "$(ls -A tmp)" ] && [ ! -e home/.cache ] || fail "SENSBENCH_CACHE='$off' leaves something"
done
ran compiled '$' env -u SENSBENCH_CACHE -u HOME
[ -z "$(ls -A tmp)" ] || fail "without HOME something is left"
ran compiled '$' env -u SENSBENCH_CACHE
[ "$(entries home/.cache/sensbench)" -gt 0 ] || fail "nothing in ~/.cache/sensbench"
odd=$(printf 'a b\n"$(touch x)"')
ran compiled '$' env SENSBENCH_CACHE="$odd"
[ ! -e x ] && [ "$(entries "$odd")" -gt 0 ] || fail "a name with all kinds of characters"

# ---- several at once, and killed in between ----------------------------------------------------------------
for i in 1 2 3 4; do
    "$program" run robertson discrete_adjoint tol=1e-6 T=1 vjp=compiled truth=none --dump "dump$i" >/dev/null 2>&1 &
done
wait
for i in 1 2 3 4; do cmp -s dump1 "dump$i" || fail "processes at once: another gradient"; done
[ "$(find cache -name '.sensbench-work-*' | wc -l)" -eq 0 ] || fail "work is left behind"
rm -rf cache
for seconds in 0.05 0.1 0.2 0.4; do
    timeout -s KILL "$seconds" "$program" run robertson discrete_adjoint tol=1e-6 vjp=compiled >/dev/null 2>&1
done
ran compiled '$'

# ended by a signal: the compiler that is waited for ends, too
printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 60\n' "$work/waiting" >slow
chmod +x slow
for signal in INT TERM; do
    rm -f waiting
    CC=$work/slow timeout -s "$signal" 4 "$program" run robertson discrete_adjoint vjp=compiled >/dev/null 2>&1
    compiler=$(cat waiting) || fail "SIG$signal: no compiler was waited for"
    for _ in {1..50}; do kill -0 "$compiler" 2>/dev/null && sleep 0.1; done
    kill "$compiler" 2>/dev/null && fail "SIG$signal: the compiler goes on"
done

exit $((failures > 0))
