#!/bin/bash
# Bad input is refused: exit code 2, one message that names the trouble, nothing on stdout. Argument 1: sensbench.
export LC_ALL=C
# shellcheck source=tests/cli/common.bash
. "$(dirname "$0")/common.bash"
cases=0
cd "$work" || exit 1

printf '1\n2 3, 4x\n' >token
printf '1e-3 1e-3\n0\n' >three
printf '1e-3\n1.5 1\n' >above
printf '1e-3\n0\n-0.25\n' >below
printf '1 2 # three\n' >few
printf '1,2\n3,\n4\n5\n' >many
printf '# nothing\n' >empty
printf 'nan 1 2' >nan
printf '1e999' >huge
printf '0x10' >hex
head -c 300 /dev/zero >zeros
mkdir folder

# Each line: arguments | text that the message must have
while IFS='|' read -r arguments text; do
    [ -n "$arguments" ] || continue
    cases=$((cases + 1))
    # shellcheck disable=SC2086 # words are wanted
    "$program" $arguments >stdout 2>stderr </dev/null
    code=$?
    text=${text# }
    if [ $code -ne 2 ] || ! grep -qF -- "$text" stderr || [ -s stdout ] || ! grep -q '^sensbench: ' stderr; then
        echo "FAILED: $arguments: exit $code, expected 2 and '$text'; stderr, stdout:"
        cat stderr stdout
        failures=$((failures + 1))
    fi
done <<'TABLE'
lst | did you mean list
runn decay cfsa | unknown command 'runn'; did you mean run
--frobnicate | unknown command '--frobnicate'
help lsit | did you mean list
list problem | did you mean problems
list problems methods | methods
list --jsn | did you mean --json
list --json=yes | takes no value
list --json --json | given twice
show | no name
show glv vdp | one name
show gvl | did you mean glv
show cash_krap | did you mean cash_karp
run | no problem given
run decay | no method given
run decay discrete_adjoint extra | unexpected word 'extra'
run decai discrete_adjoint | did you mean decay
run decay discrete_adjont | did you mean discrete_adjoint
run decay discrete_adjoint problem=glv | problem=glv
run decay discrete_adjoint --dump | --dump needs a value
run decay discrete_adjoint --dump folder | --dump folder
run decay discrete_adjoint --dump none/none | --dump none/none
run decay discrete_adjoint --dumb x | did you mean --dump
run decay discrete_adjoint --json --tsv | not both
run decay discrete_adjoint --plugin | --plugin needs a value
run decay discrete_adjoint --plugin= | --plugin needs a value
sweep ci ci --dry-run | a sweep of the name ci is given before it
sweep ./none.sweep | No such file
run decay discrete_adjoint cost=tracking data=few count=3 | count: the file of data
run decay discrete_adjoint --plugin none.so | plugin none.so
run decay discrete_adjoint --plugin token | plugin token
run decay discrete_adjoint tole=1e-3 | did you mean tol
run decay discrete_adjoint maxsteps=10 | did you mean max_steps
run decay discrete_adjoint seed=1 | did you mean sample_seed
run glv discrete_adjoint N=5 | did you mean n
run glv discrete_adjoint problem.m=5 | unknown key 'problem.m'
run glv discrete_adjoint probem.n=5 | unknown key 'probem.n'
run glv discrete_adjoint problems.n=5 | unknown key 'problems.n'
run glv discrete_adjoint cost.n=5 | unknown key 'cost.n'
run glv discrete_adjoint n=5 problem.n=6 | the same option
run glv discrete_adjoint n=5 n=6 | given twice
run glv discrete_adjoint =5 | is not a key
run glv discrete_adjoint n= | n='': empty
run glv discrete_adjoint n=0 | n=0: out of range; allowed: whole number from 1 to 1000
run glv discrete_adjoint n=2.5 | n=2.5: not a whole number
run glv discrete_adjoint n=1e9 | n=1e9: out of range
run glv discrete_adjoint n=five | n=five: not a number
run glv discrete_adjoint n=5x | n=5x: not a number
run glv discrete_adjoint n=0x5 | n=0x5: not a number
run glv discrete_adjoint n=nan | n=nan: not a number
run glv discrete_adjoint n=inf | n=inf: not a number
run glv discrete_adjoint n=1e999 | n=1e999: not a number
run glv discrete_adjoint n=--5 | n=--5: not a number
run glv discrete_adjoint kind=randm | did you mean random
run glv discrete_adjoint T=-1 | T=-1: out of range
run glv discrete_adjoint t1=0 | t1=0: out of range; allowed: more than t0
run glv discrete_adjoint t1=5 T=5 | t1=5: together with T
run decay discrete_adjoint tol=0 | tol=0: out of range
run decay discrete_adjoint tol=-1e-3 | tol=-1e-3: out of range
run decay discrete_adjoint tol=1e-3,1e-4 | tol=1e-3,1e-4: not a number
run decay discrete_adjoint tol=1e-3 rtol=1e-3 | tol=1e-3: together with rtol
run decay discrete_adjoint atol=1e-3 tol=1e-3 | tol=1e-3: together with atol
run decay discrete_adjoint rtol=0 atol=0 | both 0
run decay discrete_adjoint atol=10 | atol=10: as rtol out of range
run glv discrete_adjoint n=3 atol=three | atol=three: needs rtol=NUMBER or FILE beside it
run glv discrete_adjoint n=3 rtol=three | rtol=three: needs atol=NUMBER or FILE beside it
run glv discrete_adjoint n=3 tol=1e-3 atol=three | tol=1e-3: together with atol
run glv discrete_adjoint n=4 rtol=1e-3 atol=three | three:3: the file ends after 3 numbers, 4 expected
run glv discrete_adjoint n=2 rtol=1e-3 atol=three | three:2: more than the 2 numbers expected: 0
run glv discrete_adjoint n=3 rtol=three atol=three | rtol and atol of component 3 are both 0
run glv discrete_adjoint n=3 rtol=above atol=1e-3 | above:2: 1.5 is out of range; allowed: from 0 to 1
run glv discrete_adjoint n=3 rtol=1e-3 atol=below | below:3: -0.25 is out of range
run glv discrete_adjoint n=3 rtol=1e-3 atol=token | token:2: '4x' is not a finite decimal number
run glv discrete_adjoint n=3 rtol=1e-3 atol=nowhere | atol=nowhere: neither a number nor a file
run glv discrete_adjoint n=3 rtol=1e-3 atol=folder | folder: Is a directory
run glv discrete_adjoint n=3 controller=fixed dt=0.1 rtol=1e-3 atol=three | controller=fixed has no error control
run glv casa_dense n=3 rtol=1e-3 atol=three | method casa_dense takes one number for all components
run decay discrete_adjoint dt=0 | dt=0: out of range
run decay discrete_adjoint dt=atuo | did you mean auto
run decay discrete_adjoint controller=fixed | controller=fixed: needs a step
run decay discrete_adjoint controller=fixed dt=0.1 tol=1e-3 | tol=1e-3: controller=fixed has no error control
run decay discrete_adjoint controller=odient | did you mean odeint
run decay discrete_adjoint tableau=rk4 | tableau=rk4: no error estimate
run decay discrete_adjoint tableau=dopri | did you mean dopri5
run decay discrete_adjoint tableau=theta:2 controller=fixed dt=0.1 | theta=2: out of range
run decay discrete_adjoint tableau=theta:0 controller=fixed dt=0.1 | theta=0: out of range
run decay discrete_adjoint tableau=theta: controller=fixed dt=0.1 | theta=: not a number
run decay discrete_adjoint tableau=theta:0.6x controller=fixed dt=0.1 | theta=0.6x: not a number
run decay discrete_adjoint tableau=theta:0.6 | tableau=theta:0.6: no error estimate
run vdp casa_dense tableau=theta:0.6 controller=fixed dt=1 | it is implicit: method casa_dense takes explicit ones only
run decay discrete_adjoint ckpt=0 | ckpt=0: out of range
run decay discrete_adjoint ckpt=stage | did you mean stages
run decay discrete_adjoint ckpt=every | needs a number: every:K
run decay discrete_adjoint ckpt=every:0 | ckpt=every:0: behind the colon belongs a whole number from 1 to 1000000000
run decay discrete_adjoint ckpt=every:states | behind the colon belongs a whole number
run decay discrete_adjoint ckpt=stages:2 | stages takes no number
run decay discrete_adjoint lanes=0 | lanes=0: out of range
run decay discrete_adjoint threads=many | threads=many
run decay discrete_adjoint batch=1.5 | batch=1.5: not a whole number
run decay discrete_adjoint isa=avx3 | did you mean avx2
run decay discrete_adjoint wrt=q | wrt=q: did you mean p
run decay discrete_adjoint truth=odd | truth=odd: did you mean ode
run decay discrete_adjoint max_steps=0 | max_steps=0: out of range
run decay discrete_adjoint sample_seed=-1 | sample_seed=-1: out of range
run decay discrete_adjoint cost=identiy | did you mean identity
run decay discrete_adjoint m=2 | unknown key 'm'
run decay discrete_adjoint cost=terminal m=0 | m=0: out of range
run decay discrete_adjoint cost=tracking data=none | none: No such file
run decay discrete_adjoint cost=tracking data=few count=x | count=x: not a number
run decay discrete_adjoint cost=tracking data=many | cost=tracking: data: 5 numbers are no whole rows
run decay finite_difference ckpt=2 | method finite_difference takes no notice of ckpt
run decay finite_difference batch=2 | method finite_difference takes no notice of batch
run glv discrete_adjoint n=3 x0=token | token:2: '4x' is not a finite decimal number
run glv discrete_adjoint n=3 x0=few | few:2: the file ends after 2 numbers, 3 expected
run glv discrete_adjoint n=3 x0=many | many:3: more than the 3 numbers expected: 4
run glv discrete_adjoint n=3 x0=empty | empty:2: no number
run glv discrete_adjoint n=3 x0=nan | nan:1: 'nan' is not a finite
run glv discrete_adjoint n=1 x0=huge | huge:1: '1e999' is not a finite
run glv discrete_adjoint n=1 x0=hex | hex:1: '0x10' is not a finite
run glv discrete_adjoint n=1 x0=zeros | zeros:1: '????
run glv discrete_adjoint n=1 x0=folder | folder: Is a directory
run glv discrete_adjoint n=1 x0=none | none: No such file
run glv discrete_adjoint n=1 params=few3 | few3: No such file
run glv discrete_adjoint n=2 params=few | few:2: the file ends after 2 numbers, 6 expected
run initial discrete_adjoint x0=few | depends on its parameters
run vdp discrete_adjoint initial=dependent x0=few | depends on its parameters
TABLE

# arguments that a table of words cannot hold
refuse() {
    cases=$((cases + 1))
    "$program" "$@" >stdout 2>stderr </dev/null
    local code=$?
    if [ $code -ne 2 ] || [ -s stdout ] || ! grep -q '^sensbench: ' stderr; then
        echo "FAILED: ${*:0:60}: exit $code, expected 2"
        failures=$((failures + 1))
    fi
}
long=$(printf 'a%.0s' $(seq 5000))
refuse ""
refuse "$long"
refuse run decay discrete_adjoint ""
refuse run decay discrete_adjoint "tol= 1e-3"
refuse run decay discrete_adjoint "tol=1e-3 "
refuse run decay discrete_adjoint "$long=1"
refuse run decay discrete_adjoint "tol=$long"
refuse run decay discrete_adjoint "params=$long"
refuse run decay discrete_adjoint $'tol=1e-3\n'
refuse run decay discrete_adjoint "%n%s=%n%s"
refuse run decay discrete_adjoint "tol=%s%n"
refuse run "%s%n" discrete_adjoint
refuse show "%s%n%s"
refuse run decay discrete_adjoint --dump ""
# shellcheck disable=SC2046
refuse run decay discrete_adjoint $(for i in $(seq 60); do echo "k$i=1"; done)

[ $cases -ge 100 ] || fail "only $cases cases were read"
echo "$cases cases, $failures failures"
exit $((failures > 0))
