"""The protocol of sensbench for contenders in Python (docs/adding-a-contender.md).

A contender calls serve(description, prepare). prepare(instance) returns a function that makes one run and returns a
dictionary of results. An Instance has the numbers of the task as arrays and its functions as Python functions:

    f(t, x, p) [n], f_x [n, n], f_p [n, np]       the right-hand side x' = f and its derivatives
    x0_p(p) [n, np]                               of the initial state
    phi(j, x, p) [m], phi_x [m, n], phi_p         of observation j, at t_obs[j]
    g(t, x, p) [m], g_x, g_p                      of the running cost, where running is true

They are compiled from the operations that sensbench sends; where it sends none, each call is a question to it, which is
right but slow. A function raises NotFinite where it has no value.
"""

import json
import math
import sys
import time

import numpy

PROTOCOL = 1


class NotFinite(Exception):
    """A function has no finite value at the point that it was asked for."""


class Failed(Exception):
    """The run ends with a status of sensbench, such as step_limit, and a sentence."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.message = status, message


# ---- functions ---------------------------------------------------------------------------------------------

EXPRESSIONS = {
    "neg": "-{0}", "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "pow": "power({0}, {1})", "cbrt": "math.copysign(abs({0}) ** (1 / 3), {0})", "fabs": "abs({0})",
    "fmin": "min({0}, {1})", "fmax": "max({0}, {1})", "less": "1.0 if {0} < {1} else 0.0",
    "less_equal": "1.0 if {0} <= {1} else 0.0", "select": "{1} if {0} != 0 else {2}",
    "atan2": "math.atan2({0}, {1})", "hypot": "math.hypot({0}, {1})",
}  # all others are functions of the module math under the same name


def power(base, exponent):
    return base ** int(exponent) if exponent == int(exponent) else base**exponent


def expression(node):
    name, *rest = node
    if name == "t":
        return "t"
    if name in ("x", "p"):
        return f"{name}[{rest[0]}]"
    if name == "constant":
        return repr(float(rest[0]))
    operands = [f"v{k}" for k in rest]
    return EXPRESSIONS[name].format(*operands) if name in EXPRESSIONS else f"math.{name}({operands[0]})"


def needed(nodes, outputs):
    """The nodes that these outputs are made of, in order."""
    marked, waiting = set(), list(outputs)
    while waiting:
        k = waiting.pop()
        if k in marked:
            continue
        marked.add(k)
        if nodes[k][0] not in ("t", "x", "p", "constant"):
            waiting.extend(nodes[k][1:])
    return sorted(marked)


def compiled(nodes, outputs):
    """A function of (t, x, p), sequences of floats, that returns the outputs as a list."""
    lines = [f"    v{k} = {expression(nodes[k])}" for k in needed(nodes, outputs)]
    lines.append("    return [" + ", ".join(f"v{k}" for k in outputs) + "]")
    source = "def function(t, x, p):\n" + "\n".join(lines)
    scope = {"math": math, "power": power}
    exec(source, scope)
    return scope["function"]


def vector_of(formula):
    function = compiled(formula["nodes"], formula["value"])

    def value(t, x, p):
        try:
            return numpy.array(function(float(t), list(map(float, x)), list(map(float, p))))
        except (ArithmeticError, ValueError) as why:
            raise NotFinite(str(why)) from why

    return value


def matrix_of(formula, by, shape):
    if by not in formula:
        return lambda t, x, p: numpy.zeros(shape)
    entries = formula[by]
    function = compiled(formula["nodes"], entries["node"])
    row, col = numpy.array(entries["row"], dtype=int), numpy.array(entries["col"], dtype=int)

    def value(t, x, p):
        matrix = numpy.zeros(shape)
        try:
            matrix[row, col] = function(float(t), list(map(float, x)), list(map(float, p)))
        except (ArithmeticError, ValueError) as why:
            raise NotFinite(str(why)) from why
        return matrix

    return value


# ---- the task ----------------------------------------------------------------------------------------------


class Instance:
    def __init__(self, told):
        problem, cost = told["problem"], told["cost"]
        self.name, self.options = problem["name"], told["options"]
        self.n, self.np, self.m = problem["n"], problem["np"], cost["m"]
        self.t0, self.t1 = problem["t0"], problem["t1"]
        self.x0, self.p = numpy.array(problem["x0"], dtype=float), numpy.array(problem["p"], dtype=float)
        self.x0_depends_on_p = problem["x0_depends_on_p"]
        self.t_obs, self.running = numpy.array(cost["t_obs"], dtype=float), cost["running"]
        self.rtol, self.atol, self.max_steps = told["rtol"], told["atol"], told["max_steps"]
        self.wanted = told["wanted"]
        self.functions = told["functions"]  # the operations themselves, for who compiles them otherwise; or None
        if self.functions:
            self.compile(self.functions)
        else:
            self.ask()

    def compile(self, functions):
        n, np, m = self.n, self.np, self.m
        f, g, x0 = functions["f"], functions["g"], functions["x0"]
        self.f, self.f_x, self.f_p = vector_of(f), matrix_of(f, "x", (n, n)), matrix_of(f, "p", (n, np))
        initial = matrix_of(x0, "p", (n, np)) if x0 else lambda t, x, p: numpy.zeros((n, np))
        self.x0_p = lambda p: initial(self.t0, self.x0, p)
        if g:
            self.g, self.g_x, self.g_p = vector_of(g), matrix_of(g, "x", (m, n)), matrix_of(g, "p", (m, np))
        phi = [(vector_of(one), matrix_of(one, "x", (m, n)), matrix_of(one, "p", (m, np))) for one in functions["phi"]]
        self.phi = lambda j, x, p: phi[j][0](self.t_obs[j], x, p)
        self.phi_x = lambda j, x, p: phi[j][1](self.t_obs[j], x, p)
        self.phi_p = lambda j, x, p: phi[j][2](self.t_obs[j], x, p)

    def ask(self):
        def at_point(name):
            return lambda t, x, p: question(name, t=float(t), x=list(map(float, x)), p=list(map(float, p)))

        def at_observation(name):
            return lambda j, x, p: question(name, j=int(j), x=list(map(float, x)), p=list(map(float, p)))

        for name in ("f", "f_x", "f_p", "g", "g_x", "g_p"):
            setattr(self, name, at_point(name))
        for name in ("phi", "phi_x", "phi_p"):
            setattr(self, name, at_observation(name))
        self.x0_p = lambda p: question("x0_p", p=list(map(float, p))).reshape(self.n, self.np)


# ---- the conversation --------------------------------------------------------------------------------------

_answers = None


def say(words):
    _answers.write(json.dumps(words, allow_nan=False) + "\n")
    _answers.flush()


def hear():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def question(name, **arguments):
    for value in arguments.values():
        if not numpy.all(numpy.isfinite(value)):
            raise NotFinite(f"{name} at a point that is not finite")
    say({"ask": name, **arguments})
    answer = hear()
    if "status" in answer:
        raise NotFinite(answer["status"])
    value = numpy.array(answer[name], dtype=float)  # null becomes NaN
    if not numpy.all(numpy.isfinite(value)):
        raise NotFinite(name)
    return value


def numbers(value):
    """Lists of floats; what is not finite is null, which sensbench takes for what it is."""
    if isinstance(value, list):
        return [numbers(one) for one in value]
    return value if math.isfinite(value) else None


def result(values):
    return {key: numbers(numpy.asarray(value).tolist()) if isinstance(value, numpy.ndarray) else value
            for key, value in values.items()}


def attempt(work):
    """What work returns, or the status that it ends with."""
    try:
        return work()
    except Failed as why:
        return {"status": why.status, "message": why.message}
    except NotFinite as why:
        return {"status": "nonfinite", "message": f"the right-hand side: {why}"}
    except MemoryError:
        return {"status": "no_memory"}


def timed(run):
    start = time.perf_counter()
    values = run()
    seconds = time.perf_counter() - start
    return {"seconds": max(seconds, 1e-9), **result(values)}  # a run that has a clock of its own says so


def serve(description, prepare):
    """Answers sensbench until it has no more questions. What the program prints goes to standard error."""
    global _answers
    _answers, sys.stdout = sys.stdout, sys.stderr
    run = None
    while True:
        told = hear()
        if "hello" in told:
            say({"protocol": PROTOCOL, **description})
        elif "prepare" in told:

            def begin():
                nonlocal run
                run = prepare(Instance(told["prepare"]))
                return {"ready": True}

            say(attempt(begin))
        elif "run" in told:
            say(attempt(lambda: timed(run)))
        else:
            say({"status": "unsupported", "message": "this is not said in protocol 1"})
