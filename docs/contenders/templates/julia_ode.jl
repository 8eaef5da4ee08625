#!/usr/bin/env julia
# Julia's OrdinaryDiffEq as a contender of sensbench (docs/adding-a-contender.md), on the state with its variational
# equations
#
#     S' = f_x S + (f_p, 0),    S(t0) = (dx0/dp, I),
#
# whose columns are dx/dp and dx/dx0. f, f_x and f_p are compiled from the operations that sensbench sends, and one run
# before the timed ones compiles the rest. Costs of the final state and of times before it; no integrals.
# Needs: Julia with the packages JSON and OrdinaryDiffEq. Not run by those who wrote it: see docs.
using JSON, LinearAlgebra, OrdinaryDiffEq

const SCHEMES = Dict("tsit5" => Tsit5, "vern7" => Vern7, "vern9" => Vern9, "rodas5" => () -> Rodas5(autodiff = false))
const DESCRIPTION = Dict("protocol" => 1, "name" => "julia_ode",
    "summary" => "OrdinaryDiffEq on the variational equations", "library" => "OrdinaryDiffEq, Julia $VERSION",
    "derivative" => "continuous", "can" => ["tolerance", "observations"],
    "options" => [Dict("name" => "scheme", "kind" => "choice", "choices" => sort(collect(keys(SCHEMES))),
                       "default" => "vern7", "help" => "of OrdinaryDiffEq")])

struct Failed <: Exception
    status::String
    message::String
end

# ---- from operations to Julia ------------------------------------------------------------------------------

const FORMS = Dict("neg" => :-, "add" => :+, "sub" => :-, "mul" => :*, "div" => :/, "pow" => :^, "fabs" => :abs,
    "fmin" => :min, "fmax" => :max, "atan2" => :atan)  # all others have the same name, but those below

function expression(node)
    name, rest = node[1], node[2:end]
    name == "t" && return :t
    name == "constant" && return Float64(rest[1])
    name in ("x", "p") && return :($(Symbol(name))[$(rest[1] + 1)])
    v = [Symbol("v", k) for k in rest]
    name == "less" && return :(Float64($(v[1]) < $(v[2])))
    name == "less_equal" && return :(Float64($(v[1]) <= $(v[2])))
    name == "select" && return :($(v[1]) != 0 ? $(v[2]) : $(v[3]))
    Expr(:call, get(FORMS, name, Symbol(name)), v...)
end

function needed(nodes, outputs)  # from 0, in order
    marked = falses(length(nodes))
    marked[outputs .+ 1] .= true
    for k in length(nodes):-1:1
        marked[k] && !(nodes[k][1] in ("t", "x", "p", "constant")) && (marked[nodes[k][2:end] .+ 1] .= true)
    end
    findall(marked) .- 1
end

# A function (out, t, x, p) that sets out[place] = node for all of these places; what is at others stays.
function compiled(nodes, places, outputs)
    outputs = Int.(outputs)
    set = [:($(Symbol("v", k)) = $(expression(nodes[k + 1]))) for k in needed(nodes, outputs)]
    put = [:(out[$(place...)] = $(Symbol("v", k))) for (place, k) in zip(places, outputs)]
    eval(:((out, t, x, p) -> begin $(set...); $(put...); nothing end))
end

vector_of(formula) = compiled(formula["nodes"], [(i,) for i in eachindex(formula["value"])], formula["value"])
function matrix_of(formula, by)
    haskey(formula, by) || return (out, t, x, p) -> nothing
    entries = formula[by]
    compiled(formula["nodes"], [(r + 1, c + 1) for (r, c) in zip(entries["row"], entries["col"])], entries["node"])
end

# ---- a run -------------------------------------------------------------------------------------------------

# A function without arguments that makes one run: a dictionary of results.
function prepared(told)
    functions, cost = told["functions"], told["cost"]
    functions === nothing && throw(Failed("unsupported", "f is not told as operations"))
    n, np, m = told["problem"]["n"], told["problem"]["np"], cost["m"]
    x0, p = Float64.(told["problem"]["x0"]), Float64.(told["problem"]["p"])
    t0, t1, t_obs = Float64(told["problem"]["t0"]), Float64(told["problem"]["t1"]), Float64.(cost["t_obs"])
    f, f_x, f_p = vector_of(functions["f"]), matrix_of(functions["f"], "x"), matrix_of(functions["f"], "p")
    phi = [(vector_of(one), matrix_of(one, "x"), matrix_of(one, "p")) for one in functions["phi"]]
    S0 = [zeros(n, np) Matrix{Float64}(I, n, n)]
    told["problem"]["x0_depends_on_p"] && matrix_of(functions["x0"], "p")(view(S0, :, 1:np), t0, x0, p)
    J, by_p = zeros(n, n), zeros(n, np)
    function slope!(dy, y, q, t)  # y = [x S]
        x = view(y, :, 1)
        f(view(dy, :, 1), t, x, q)
        f_x(J, t, x, q)
        f_p(by_p, t, x, q)
        dS = view(dy, :, 2:(1 + np + n))
        mul!(dS, J, view(y, :, 2:(1 + np + n)))
        view(dS, :, 1:np) .+= by_p
        nothing
    end
    function run()
        start = time_ns()
        solution = solve(ODEProblem(slope!, [x0 S0], (t0, t1), p), SCHEMES[told["options"]["scheme"]]();
            reltol = told["rtol"], abstol = told["atol"], maxiters = told["max_steps"], tstops = t_obs,
            saveat = sort(unique([t_obs; t1])), dense = false, save_start = t0 in t_obs)
        word = string(solution.retcode)
        word == "MaxIters" && throw(Failed("step_limit", "at t = $(solution.t[end])"))
        word == "Success" || throw(Failed("diverged", word))
        G, dG = zeros(m), zeros(m, np + n)
        for (j, t) in enumerate(t_obs)
            y = solution.u[findfirst(==(t), solution.t)]
            x, S = y[:, 1], y[:, 2:end]
            value, by_x, by_p_here = zeros(m), zeros(m, n), zeros(m, np)
            phi[j][1](value, t, x, p)
            phi[j][2](by_x, t, x, p)
            phi[j][3](by_p_here, t, x, p)
            G += value
            dG += by_x * S
            dG[:, 1:np] += by_p_here
        end
        rows(A) = [A[i, :] for i in 1:size(A, 1)]
        Dict("x" => solution.u[end][:, 1], "G" => G, "dGdp" => rows(dG[:, 1:np]),
            "dGdx0" => rows(dG[:, (np + 1):end]), "seconds" => max(time_ns() - start, 1) / 1e9)
    end
end

# ---- the conversation --------------------------------------------------------------------------------------

const answers = stdout
say(words) = (println(answers, JSON.json(words)); flush(answers))

function attempt(work)
    try
        work()
    catch why
        why isa Failed ? Dict("status" => why.status, "message" => why.message) :
            Dict("status" => why isa DomainError ? "out_of_domain" : "rhs_failed",
                 "message" => first(replace(sprint(showerror, why), r"\s+" => " "), 200))
    end
end

function serve()
    run = nothing
    for line in eachline(stdin)
        told = JSON.parse(line)
        if haskey(told, "hello")
            say(DESCRIPTION)
        elseif haskey(told, "prepare")
            say(attempt() do
                run = prepared(told["prepare"])
                Base.invokelatest(run)  # the functions are younger than this one; and this compiles what a run calls
                Dict("ready" => true)
            end)
        else
            say(attempt(() -> Base.invokelatest(run)))
        end
    end
end

serve()
