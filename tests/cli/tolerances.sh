#!/bin/bash
# Tolerances of each component: the same problem in other units. Argument 1: sensbench.
#
# The states of the Oregonator are written in units that are powers of two apart, and atol in the same units. Every
# error test then decides as before: the steps are as many, the states and derivatives the same but for their units.
# With one atol for all components they are not, which is tried too.
export LC_ALL=C
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

cat >plain.ode <<'END'
model plain "the Belousov-Zhabotinskii reaction, stiff"
parameter s = 77.27
parameter q = 8.375e-6
parameter w = 0.161
state y1 = 1
state y2 = 2
state y3 = 3
interval 0 .. 2
y1' = s*(y2 + y1*(1 - q*y1 - y2))
y2' = (y3 - (1 + y1)*y2)/s
y3' = w*(y1 - y3)
END
# Y1 = 1024 y1, Y2 = y2/128, Y3 = y3/2
cat >units.ode <<'END'
model units "the same in other units"
parameter s = 77.27
parameter q = 8.375e-6
parameter w = 0.161
state y1 = 1024
state y2 = 0.015625
state y3 = 1.5
interval 0 .. 2
y1' = 1024*(s*(128*y2 + y1/1024*(1 - q*(y1/1024) - 128*y2)))
y2' = ((2*y3 - (1 + y1/1024)*(128*y2))/s)/128
y3' = (w*(y1/1024 - 2*y3))/2
END
printf '1e-6, 1e-6 # of the first two\n1e-6\n' >atol.plain
awk 'BEGIN { printf "%.17g %.17g %.17g\n", 1e-6 * 1024, 1e-6 / 128, 1e-6 / 2 }' >atol.units
printf '1e-5 1e-5 1e-10\n' >rtol

# solve FILE MODEL METHOD KEY=VALUE...: dumps to FILE.tsv; the count of steps to FILE.steps.
solve() {
    local file=$1
    shift
    if ! "$program" run "$@" vjp=tape isa=baseline max_steps=100000 --models plain.ode --models units.ode --once \
        --dump "$file.tsv" >"$file.out" 2>&1; then
        fail "$*: $(tail -1 "$file.out")"
        return 1
    fi
    sed -n 's/^work  *\([0-9]* steps, [0-9]* rejected\).*/\1/p' "$file.out" >"$file.steps"
    [ -s "$file.steps" ] || fail "$*: no count of steps"
}

# Entries x, G and dG, in the units of plain, differ by so much of themselves at most.
compare() {
    paste <(cut -f 1-4 plain.tsv) <(cut -f 1-4 units.tsv) | awk -v most="$1" '
        BEGIN { unit[0] = 1024; unit[1] = 1 / 128; unit[2] = 1 / 2 }
        $1 != $5 || $2 != $6 || $3 != $7 { bad = 1 }
        $1 !~ /^(x|dGdp)$/ { next }
        { off = $8 / unit[$2] - $4; size = $4 < 0 ? -$4 : $4; if (off < 0) off = -off
          if (!(off <= most * size)) bad = 1; entries++ }
        END { exit bad || entries < 12 }'
}

# same BOUND METHOD KEY=VALUE...
same() {
    local bound=$1 method=$2
    shift 2
    solve plain plain "$method" wrt=p rtol=1e-5 atol=1e-6 "$@" || return
    solve units units "$method" wrt=p rtol=1e-5 atol=atol.units "$@" || return
    cmp -s plain.steps units.steps || fail "$method $*: $(cat plain.steps), in other units $(cat units.steps)"
    compare "$bound" || fail "$method $*: another state or derivative in other units"
    echo "$method $*: $(cat plain.steps)"
    solve units units "$method" wrt=p rtol=1e-5 atol=1e-6 "$@" || return
    compare "$bound" && fail "$method $*: one atol for all makes the same numbers: this tests nothing"
}

# Explicit steps: every operation is the same but for a power of two, and so is every bit. (isa=baseline: without fused
# operations, so that a sum of squares is the same in pieces.)
for controller in odeint hairer-pi petsc gustafsson; do
    same 0 discrete_tangent T=2 tableau=dopri5 "controller=$controller"
done
same 0 discrete_adjoint T=2 tableau=cash_karp
same 0 discrete_adjoint T=2 tableau=dopri5 sens_test=inside
same 0 discrete_tangent T=2 tableau=dop853 controller=hairer-pi
same 0 finite_difference T=2 tableau=dopri5
for lanes in 1 8; do
    same 0 cfsa T=2 tableau=dopri5 "lanes=$lanes"
done
# A mean over rows of several columns is summed in another order: rounding.
same 1e-11 cfsa T=2 tableau=bs32 controller=hairer-pi
# Implicit ones: an iteration that ends at rounding may end one iterate sooner; what is left of it grows over two jumps.
for tableau in kvaerno54 sdirk4a radau_iia5 rodas4 auto; do
    same 1e-7 discrete_adjoint T=360 "tableau=$tableau" controller=hairer-pi
done

# One number for all, written as a file: the same bits. A component's own rtol is heeded.
for tableau in dopri5 kvaerno54; do
    solve one plain cfsa T=2 rtol=1e-5 atol=1e-6
    solve file plain cfsa T=2 rtol=1e-5 atol=atol.plain
    cmp -s one.tsv file.tsv || fail "equal numbers in a file are not one number"
    solve one plain discrete_adjoint T=2 "tableau=$tableau" rtol=1e-5 atol=1e-6
    solve file plain discrete_adjoint T=2 "tableau=$tableau" rtol=1e-5 atol=atol.plain
    cmp -s one.tsv file.tsv || fail "$tableau: equal numbers in a file are not one number"
    solve one plain discrete_adjoint T=2 "tableau=$tableau" rtol=1e-5 atol=1e-12
    solve file plain discrete_adjoint T=2 "tableau=$tableau" rtol=rtol atol=1e-12
    cmp -s one.steps file.steps && fail "$tableau: rtol of the third component changes no step"
done

# A row names the file.
"$program" run plain cfsa rtol=1e-5 atol=atol.plain --models plain.ode vjp=tape --once --json >row.json ||
    fail "no row"
grep -q 'atol=atol.plain' row.json || fail "the row does not say where atol comes from"
exit $((failures > 0))
