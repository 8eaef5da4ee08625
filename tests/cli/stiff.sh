#!/bin/bash
# Published end values of stiff problems, met by implicit steps in every component, however small. Argument 1:
# sensbench.
#
# Each model names its values (`known`); they have 14 digits and more. A relative tolerance of 1e-9 may add up to 1e-6:
# some thousand steps, each right to the tolerance. The absolute one is far below each component; some start at 0.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
models=$(cd "$(dirname "$0")/../../problems/models" && pwd)

# meets MODEL TABLEAU KEY=VALUE...: the state that is dumped is that of the model's `known`, to 1e-6 of each component.
meets() {
    local model=$1 tableau=$2
    shift 2
    if ! "$program" run "$model" discrete_tangent wrt=x0 "tableau=$tableau" max_steps=100000 "$@" \
        --dump "$work/end.tsv" >"$work/output" 2>&1; then
        fail "$model $tableau: $(tail -1 "$work/output")"
        return
    fi
    sed -n '/^known/,$p' "$models/$model.ode" | sed 's/^known *([^)]*)//' | tr ',' '\n' |
        sed -n 's/.*= *\([-.0-9e]*\) *$/\1/p' >"$work/known"
    awk '$1 == "x" { print $4 }' "$work/end.tsv" >"$work/end"
    paste "$work/known" "$work/end" | awk '
        NF != 2 { bad = 1 }
        { off = ($2 - $1) / $1; if (off < 0) off = -off; if (off > worst) worst = off }
        END { print worst + 0; exit !(NR > 0 && !bad && worst < 1e-6) }' >"$work/worst" ||
        fail "$model $tableau: off by $(cat "$work/worst") of a component"
    echo "$model $tableau: $(cat "$work/worst")"
}

# agrees MODEL TABLEAU KEY=VALUE...: adjoint and tangent, every entry, to 1e-11 of the largest: rounding times what the
# derivative grows to on the way.
agrees() {
    local model=$1 tableau=$2 method
    shift 2
    for method in discrete_adjoint discrete_tangent; do
        "$program" run "$model" "$method" "tableau=$tableau" max_steps=100000 "$@" --dump "$work/$method.tsv" \
            >"$work/output" 2>&1 && continue
        fail "$model $method $tableau: $(tail -1 "$work/output")"
        return
    done
    paste "$work/discrete_adjoint.tsv" "$work/discrete_tangent.tsv" | awk '
        $1 !~ /^dG/ { next }
        { d = $4 - $9; if (d < 0) d = -d; if (!(d < 1e300)) bad = 1; if (d > off[$1]) off[$1] = d
          a = $4 < 0 ? -$4 : $4; if (a > size[$1]) size[$1] = a; entries++ }
        END { for (part in size) if (off[part] > worst * size[part]) worst = off[part] / size[part]
              print worst + 0; exit !(entries > 0 && !bad && worst < 1e-11) }' >"$work/worst" ||
        fail "$model $tableau $*: adjoint and tangent differ by $(cat "$work/worst")"
    echo "$model $tableau $*: $(cat "$work/worst")"
}

for tableau in sdirk4a kvaerno43 kvaerno54 radau_iia5 radau_ia5 lobatto_iiic4 gauss6 rodas4 rodas5p; do
    meets hires "$tableau" T=321.8122 rtol=1e-9 atol=1e-14
    meets oregonator "$tableau" T=360 rtol=1e-9 atol=1e-14
    meets pollu "$tableau" T=60 rtol=1e-9 atol=1e-22
done
# Three days of smog: how much of O1D at the end is due to O1D at the start. Three formulas of FATODE print 1.4141e-15,
# 1.4146e-15 and 1.4142e-15 (the outputs of its example); as far apart as they are may ours be.
"$program" run cbm4 discrete_adjoint T=259200 wrt=x0 tableau=radau_iia5 tol=1e-5 --dump "$work/smog.tsv" \
    >"$work/output" 2>&1 || fail "cbm4: $(tail -1 "$work/output")"
awk '$1 == "dGdx0" && $2 == 0 && $3 == 0 { found = $4 > 1.4136e-15 && $4 < 1.4151e-15 } END { exit !found }' \
    "$work/smog.tsv" || fail "cbm4: dO1D/dO1D(0) is $(awk '$1 == "dGdx0" { print $4; exit }' "$work/smog.tsv")"

# An hour of smog by 211 reactions: three concentrations as SciPy's Radau has them (rtol = 1e-9), from a list of the
# reactions, rates and initial values that was written a second time, and sulphur, which is neither made nor lost.
"$program" run saprc99 discrete_adjoint T=3600 wrt=x0 cost=own vjp=tape tableau=kvaerno54 rtol=1e-8 atol=1e-2 --once \
    --dump "$work/saprc.tsv" >"$work/output" 2>&1 || fail "saprc99: $(tail -1 "$work/output")"
awk 'function near(a, b) { return a / b - 1 < 2e-8 && 1 - a / b < 2e-8 }
    BEGIN { of["O3"] = 6.721433808546e11; of["NO2"] = 1.846159094204e12; of["PAN"] = 8.951020391865e9 }
    $1 == "x" { sulphur += $5 == "SO2" || $5 == "H2SO4" ? $4 : 0 }
    $1 == "x" && $5 in of { seen += near($4, of[$5]) }
    END { exit !(seen == 3 && near(sulphur, 1.2238e12)) }' "$work/saprc.tsv" ||
    fail "saprc99: $(grep -P '\t(O3|NO2|PAN|SO2|H2SO4)$' "$work/saprc.tsv")"

# simulated CIS_SHARE KEY=VALUE...: the last cost of Bachmann's model is what the simulation stored beside it in the
# PEtab collection says of CIS: (value - offset) / scale, to 1e-5, which is its solver's tolerance.
simulated() {
    local share=$1
    shift
    "$program" run bachmann discrete_adjoint wrt=x0 cost=own tableau=radau_iia5 tol=1e-9 "$@" --dump "$work/cis.tsv" \
        >"$work/output" 2>&1 || fail "bachmann: $(tail -1 "$work/output")"
    awk -v share="$share" '$1 == "G" && $2 == 2 { off = $4 / share - 1; found = off * off < 1e-10 }
                           END { exit !found }' "$work/cis.tsv" || fail "bachmann $*: $(grep '^G' "$work/cis.tsv")"
}
simulated 0.04712739690437 T=240                # (0.799519449769131 - 0.026460000624405) / 16.4036102124066
simulated 0.55885314449520 T=120 more_CIS=1     # (0.796133921459417 - 0.030012199170223) / 1.37088201048354
simulated 0.01465568200873 T=60 more_SHP1=1     # (0.816662857353809 - 0.058794513917949) / 51.7115711834136

# Sparse and dense, autonomous and not, with the second derivatives of each provider; of forced also those by t with x
# and p, where the time is a factor.
for vjp in compiled tape; do
    for cost in identity running; do
        agrees conduction rodas4 "vjp=$vjp" "cost=$cost" tol=1e-4
        agrees brusselator2d ros4 "vjp=$vjp" "cost=$cost" tol=1e-4
        agrees clock rodas5p "vjp=$vjp" "cost=$cost" tol=1e-4
        agrees forced rodas5p "vjp=$vjp" "cost=$cost" tol=1e-4
        agrees glv rodas3 n=12 "vjp=$vjp" "cost=$cost" tol=1e-4
    done
done
agrees hires rodas4 T=321.8122 tol=1e-6
agrees vdp ros3 tol=1e-4

# Whatever solves the linear systems, the derivative is the same; what cannot solve them says so.
kernels=own
for linear in lapack klu umfpack; do
    "$program" run conduction discrete_adjoint tableau=rodas4 n=9 "linear=$linear" --once >"$work/output" 2>&1 &&
        kernels="$kernels $linear" || grep -q "is not there" "$work/output" ||
        fail "linear=$linear: $(cat "$work/output")"
done
for linear in $kernels; do
    for tableau in sdirk4a radau_iia5 rodas4; do
        agrees brusselator2d "$tableau" "linear=$linear" vjp=tape tol=1e-4
    done
done
# Rates that are far apart: rounding of one row, or column, in another's unknown was 2e-6 of dG/dp with LAPACK.
for linear in $kernels; do
    case $linear in klu | umfpack) continue ;; esac
    "$program" run robertson discrete_adjoint tableau=radau_iia5 T=4e7 tol=1e-10 wrt=p "linear=$linear" --once --json \
        >"$work/far" 2>&1 || fail "robertson, linear=$linear: $(tail -1 "$work/far")"
    grep -o '"err_grad": *[-+.0-9e]*' "$work/far" | awk -F: '{ ok = $2 + 0 < 1e-9 } END { exit !ok }' ||
        fail "robertson, linear=$linear: $(grep -o '"err_grad[^,]*' "$work/far")"
done
for linear in klu umfpack; do
    case " $kernels " in *" $linear "*)
        tells 2 "solves sparse systems" "$program" run hires discrete_adjoint tableau=rodas4 "linear=$linear" T=1
        ;;
    esac
done

# A right-hand side that is not finite where it begins, with any kind of steps.
cat >"$work/begins.ode" <<'END'
model begins "a logarithm of a negative number at the start"
state x = 1
state y = 1
interval 0 .. 1
x' = -x
y' = log(x - 2)
END
for tableau in dopri5 rodas4 sdirk4a radau_iia5; do
    tells 4 "diverged: .*f.1. is not finite at t = 0" "$program" run begins discrete_adjoint "tableau=$tableau" \
        vjp=hand --models "$work/begins.ode"
done

# Explicit or implicit: of what is not stiff no step, of what is most (docs/stiff.md).
implicit_steps() { # -eq|-gt NUMBER PROBLEM KEY=VALUE...
    local test=$1 expected=$2
    shift 2
    "$program" run "$1" discrete_adjoint tableau=auto controller=hairer-pi "${@:2}" --once --json >"$work/auto" 2>&1 ||
        fail "auto, $*: $(tail -1 "$work/auto")"
    [ "$(grep -o '"steps_implicit": *[0-9]*' "$work/auto" | grep -o '[0-9]*$')" "$test" "$expected" ] ||
        fail "auto, $*: $(grep steps_implicit "$work/auto")"
}
implicit_steps -eq 0 shallow_water side=16 T=0.010786879400313644 tol=1e-6 vjp=tape wrt=x0 cost=sampled outputs=1
implicit_steps -gt 50 robertson T=4e7 rtol=1e-6 atol=1e-10

# Rounding of f above that of the state, as on a fine grid, ends Newton's iterations: it is no reason for other steps.
cat >"$work/noisy.ode" <<'END'
model noisy "decay, and a difference of equal numbers of which nothing but rounding is left"
state x[i in 1 .. 8] = 1 + i/8
interval 0 .. 1
x'[i in 1 .. 8] = -x[i]^3 + 3e4*(sin(100*x[i])^2 + cos(100*x[i])^2 - 1)
END
for tableau in sdirk4a radau_iia5; do
    "$program" run noisy discrete_adjoint "tableau=$tableau" tol=1e-6 vjp=tape --once --models "$work/noisy.ode" \
        >"$work/output" 2>&1 || fail "noisy, $tableau: $(tail -1 "$work/output")"
    rejected=$(sed -n 's/^work .* steps, \([0-9]*\) rejected$/\1/p' "$work/output")
    [ "$rejected" -le 8 ] || fail "noisy, $tableau: $rejected steps rejected"
done

# What grows is not jumped over: x = 0 is left within 1e-4, and x = 1 is where it ends. Beyond the pole of a formula,
# h l > 1 / gamma, a step would stay at x = -c / l. Other tableaux change the sign of x short of the pole
# (docs/stiff.md).
cat >"$work/leaves.ode" <<'END'
model leaves "x = 0 is unstable, a weak feed leads away from it, to 1"
parameter l = 1e5
parameter c = 1e-8
state x = 0 in -1 .. 2
interval 0 .. 1
x' = l*x*(1 - x^2) + c
END
for tableau in sdirk2a sdirk3a sdirk4a sdirk4b tr_bdf2 kvaerno43 kvaerno54 radau_iia5 radau_ia5 lobatto_iiic4 gauss6 \
    rodas4; do
    for tol in 1e-4 1e-8; do
        "$program" run leaves discrete_tangent vjp=tape tol=$tol "tableau=$tableau" --models "$work/leaves.ode" \
            --dump "$work/leaves.tsv" >"$work/output" 2>&1 || fail "leaves $tableau $tol: $(tail -1 "$work/output")"
        echo "$tableau $tol $(awk '$1 == "x" { print $4 }' "$work/leaves.tsv")"
        awk -v tol=$tol '$1 == "x" && ($4 - 1) ^ 2 < tol { found = 1 } END { exit !found }' "$work/leaves.tsv" ||
            fail "leaves $tableau $tol: not 1"
    done
done

exit $((failures > 0))
