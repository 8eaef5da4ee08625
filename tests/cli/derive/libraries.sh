#!/bin/bash
# Derivative products by libraries (vjp=adolc, tmbad, sacado). First without their modules: a copy of the program away
# from them says what is missing. Then with each that was built: the gradients are those of the products written by
# hand.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/../common.bash"

cp "$program" "$work/sensbench"
# missing PROVIDER LIBRARY PACKAGE
missing() {
    local message="(built without|module of) $2(; to have it, apt-get install.* $3|: it was switched off)"
    tells 3 "$message" "$work/sensbench" run glv discrete_adjoint vjp="$1"
}
missing adolc ADOL-C libadolc-dev
missing tmbad TMBad r-cran-tmb
missing sacado Sacado libtrilinos-sacado-dev
tells 0 "sacado" "$work/sensbench" list providers
tells 0 "errors" "$work/sensbench" run glv discrete_adjoint vjp=hand
tells 2 "list providers" "$program" run glv discrete_adjoint vjp=tapenade

# value NAME FILE: a number or text of a JSON record
value() {
    sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p" "$2"
}

# same PROVIDER KEY...: err_grad with either provider, to rounding of the gradient; the counts are the same too
same() {
    local provider=$1 hand taped
    shift
    "$program" run "$@" vjp=hand --json >"$work/hand" 2>"$work/messages" || fail "$*: $(cat "$work/messages")"
    "$program" run "$@" vjp="$provider" --json >"$work/taped" 2>"$work/messages" || fail "$*: $(cat "$work/messages")"
    [ "$(value vjp "$work/hand")" = hand ] && [ "$(value vjp "$work/taped")" = "$provider" ] ||
        fail "$*: the records do not name the provider of the products"
    for column in steps rejects n_vjp n_jvp n_vjp_p n_jvp_p; do
        [ "$(value $column "$work/hand")" = "$(value $column "$work/taped")" ] || fail "$*: $column differs"
    done
    hand=$(value err_grad "$work/hand")
    taped=$(value err_grad "$work/taped")
    awk -v a="$hand" -v b="$taped" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a + 0 > 0 && d <= 1e-11) }' ||
        fail "$*: errors $hand by hand, $taped by $provider"
}

# check PROVIDER LIBRARY
check() {
    [ -e "$(dirname "$program")/peers/sens_$1.so" ] || { echo "$2 is not built here"; return; }
    same "$1" glv discrete_adjoint n=5 tol=1e-8 structure=none threads=1 lanes=3
    same "$1" glv discrete_tangent n=3 tol=1e-8 structure=none threads=1
    same "$1" heat discrete_adjoint n=6 tol=1e-6 structure=none threads=1
    same "$1" forced discrete_adjoint tol=1e-8 threads=1
    same "$1" vdp discrete_adjoint initial=dependent tol=1e-8 threads=1 lanes=70
    same "$1" hires discrete_adjoint tol=1e-8 structure=none threads=1
    same "$1" oscillator discrete_adjoint cost=running tol=1e-8 threads=1
    grep -q "\"library\": *\"[^\"]*$2[^\"]* [0-9]" "$work/taped" || fail "the record does not name $2 and its version"
    grep -q '"n_recorded": *1[,}]' "$work/taped" || fail "$1: the record does not count the recording"
    [[ "$(grep -o '"series": *"[^"]*"' "$work/taped")" == *vjp=$1* ]] || fail "the series does not name the provider"
    tells 2 "one thread" "$program" run glv discrete_adjoint vjp="$1" threads=2
}
check adolc ADOL-C
check tmbad TMBad
check sacado Sacado
[ -z "$(find . -maxdepth 1 -name 'ADOLC-*')" ] || fail "ADOL-C wrote a tape to a file"

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all as expected"
