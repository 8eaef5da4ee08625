#!/bin/bash
# Derivative products by ADOL-C (vjp=adolc). First without its module: a copy of the program away from it says what is
# missing. Then with it, where it was built: the gradients are those of the products written by hand.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/common.bash"

cp "$program" "$work/sensbench"
adolc="(built without|module of) ADOL-C(; to have it, apt-get install libadolc-dev|: it was switched off)"
tells 3 "$adolc" "$work/sensbench" run glv discrete_adjoint vjp=adolc
tells 0 "$adolc" "$work/sensbench" list providers
tells 0 "errors" "$work/sensbench" run glv discrete_adjoint vjp=hand
tells 2 "list providers" "$program" run glv discrete_adjoint vjp=tapenade

if [ ! -e "$(dirname "$program")/peers/sens_adolc.so" ]; then
    [ $failures -eq 0 ] || exit 1
    echo "all as expected; ADOL-C is not built here"
    exit 0
fi

# value NAME FILE: a number or text of a JSON record
value() {
    sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"
}

# same KEY...: err_grad with either provider, to rounding of the gradient; the counts are the same too
same() {
    local hand taped
    "$program" run "$@" --json >"$work/hand" 2>"$work/messages" || fail "$*: $(cat "$work/messages")"
    "$program" run "$@" vjp=adolc --json >"$work/taped" 2>"$work/messages" || fail "$*: $(cat "$work/messages")"
    [ "$(value vjp "$work/hand")" = hand ] && [ "$(value vjp "$work/taped")" = adolc ] ||
        fail "$*: the records do not name the provider of the products"
    for column in steps rejects n_vjp n_jvp n_vjp_p n_jvp_p; do
        [ "$(value $column "$work/hand")" = "$(value $column "$work/taped")" ] || fail "$*: $column differs"
    done
    hand=$(value err_grad "$work/hand")
    taped=$(value err_grad "$work/taped")
    awk -v a="$hand" -v b="$taped" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a + 0 > 0 && d <= 1e-11) }' ||
        fail "$*: errors $hand by hand, $taped by ADOL-C"
}
same glv discrete_adjoint n=5 tol=1e-8 structure=none threads=1
same glv discrete_tangent n=3 tol=1e-8 structure=none threads=1
same heat discrete_adjoint n=6 tol=1e-6 threads=1
same forced discrete_adjoint tol=1e-8 threads=1
same oscillator discrete_adjoint cost=running tol=1e-8 threads=1
grep -q '"library": *"ADOL-C [0-9]' "$work/taped" || fail "the record does not name ADOL-C and its version"
[[ "$(grep -o '"series": *"[^"]*"' "$work/taped")" == *vjp=adolc* ]] || fail "the series does not name the provider"

tells 2 "one thread" "$program" run glv discrete_adjoint vjp=adolc threads=2
tells 2 "arenstorf" "$program" run arenstorf discrete_adjoint vjp=adolc
[ -z "$(find . -maxdepth 1 -name 'ADOLC-*')" ] || fail "ADOL-C wrote a tape to a file"

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as expected"
