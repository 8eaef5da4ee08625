#!/bin/bash
# Products in place of runs (product=...), every provider of products as an axis of a sweep, and their figure: which
# rows there are and what they say, never how long anything takes. Argument 1: sensbench.
# shellcheck source=tests/cli/common.bash
export LC_ALL=C
. "$(dirname "$0")/common.bash"

# one product: a time by that of a right-hand side, and nothing of a run
"$program" run glv discrete_adjoint n=3 product=vjp lanes=4 vjp=tape --json >"$work/one" || fail "product=vjp"
for said in '"product":"vjp"' '"lanes":4,' '"t_product_s":[0-9]' '"t_rhs_s":[0-9]' '"by_rhs":[0-9]' '"by_rhs_hi":[0-9]' \
    '"t_total_s":null' '"steps":null' '"err_grad":null'; do
    grep -qE "$said" "$work/one" || fail "a product's row does not say $said"
done
tells 0 "vjp of 8 lanes: .* right-hand sides" "$program" run glv discrete_adjoint n=3 product=vjp
for product in vjp_p jvp hvp; do
    tells 0 "$product of 3 lanes" "$program" run glv discrete_adjoint n=3 product=$product lanes=3 vjp=tape
done
tells 0 '"product":"none"' "$program" run decay discrete_adjoint --json
tells 2 "product=hvp: second derivatives are not offered" "$program" run glv discrete_adjoint n=3 product=hvp
tells 2 "product=sum: allowed: none \| vjp" "$program" run glv discrete_adjoint product=sum
tells 4 "compare times whole runs" "$program" compare glv discrete_adjoint n=3 product=vjp --vs lanes=1

# all providers in one list: a row each, which its series names
providers="hand tape compiled adolc tmbad sacado fd"
cat >"$work/products.sweep" <<END
[sweep]
figure = products
samples = 2
sample_budget = 0.001
[cells products]
problem = glv vdp
method = discrete_adjoint
product = vjp
lanes = 1 8
threads = 1
vjp = $providers
[cells runs]
problem = vdp
method = discrete_adjoint
tol = 1e-4
threads = 1
vjp = $providers
END
export SENSBENCH_CACHE=$work/cache
"$program" sweep "$work/products.sweep" --out "$work/out" >"$work/messages" 2>&1 || fail "$(cat "$work/messages")"
file=$(echo "$work"/out/products/*.tsv)
# rows PROVIDER WHAT: how many have the series of this provider, and a positive number in this column
rows() {
    awk -F '\t' -v provider="$1" -v what="$2" '/^#/ { next }
        !header { for (i = 1; i <= NF; i++) at[$i] = i; header = 1; next }
        { series = $at["series"] ","; mine = provider == "hand" ? series !~ /vjp=/ : index(series, "vjp=" provider ",") > 0
          if (mine && $at["status"] == "ok" && $at[what] + 0 > 0) count++ }
        END { print count + 0 }' "$file"
}
for provider in $providers; do
    case $provider in
    adolc | tmbad | sacado)
        if [ ! -e "$(dirname "$program")/peers/sens_$provider.so" ]; then
            grep -q "unavailable.*vjp=$provider" "$file" || fail "$provider is not built, and no row says so"
            continue
        fi ;;
    esac
    [ "$(rows $provider by_rhs)" -eq 4 ] || fail "$provider: $(rows $provider by_rhs) products, not 4"
    [ "$(rows $provider t_total_s)" -eq 1 ] || fail "$provider: $(rows $provider t_total_s) runs, not 1"
done
tells 0 "rows" "$program" summary "$work/out"
if command -v gnuplot >/dev/null; then
    tells 0 "products.svg" harness/scripts/figures.sh "$work/out"
    for name in 'by hand' compiled tape ADOL-C TMBad Sacado differences 'L = 1' 'L = 8' 'glv 5' 'vdp 2'; do
        grep -q "$name" "$work/out/figures/products.svg" || fail "the figure has no $name"
    done
fi

# the program's own sweep can be read, with every provider and every model
tells 0 "cells" "$program" sweep products --quick --dry-run --out "$work/dry"

exit $((failures > 0))
