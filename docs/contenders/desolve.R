#!/usr/bin/env Rscript
# R's deSolve as a contender of sensbench (docs/adding-a-contender.md): lsoda and others, on the state with its
# variational equations
#
#     S' = f_x S + (f_p, 0),    S(t0) = (dx0/dp, I),
#
# whose columns are dx/dp and dx/dx0. Each observation ends a call; integrals are solved for along with the state.
# Needs: r-base-core, r-cran-desolve, r-cran-jsonlite.
suppressPackageStartupMessages({
  library(deSolve)
  library(jsonlite)
})

PROTOCOL <- 1
SCHEMES <- c("lsoda", "vode", "radau", "ode45")

DESCRIPTION <- list(
  protocol = PROTOCOL, name = "desolve", summary = "R's deSolve on the variational equations",
  library = paste("deSolve", packageVersion("deSolve"), "R", getRversion()), derivative = "continuous",
  can = c("tolerance", "observations", "running_cost"),
  options = list(list(name = "scheme", kind = "choice", choices = SCHEMES, default = "lsoda", help = "of deSolve")))

# ---- functions ---------------------------------------------------------------------------------------------

EXPRESSIONS <- list(
  neg = "-%s", add = "%s + %s", sub = "%s - %s", mul = "%s * %s", div = "%s / %s", pow = "%s^%s",
  cbrt = "sign(%1$s) * abs(%1$s)^(1/3)", fabs = "abs(%s)", fmin = "min(%s, %s)", fmax = "max(%s, %s)",
  less = "as.numeric(%s < %s)", less_equal = "as.numeric(%s <= %s)", select = "if (%s != 0) %s else %s",
  atan2 = "atan2(%s, %s)", hypot = "sqrt(%1$s^2 + %2$s^2)") # the others have the same name in R

expression_of <- function(node) {
  name <- node[[1]]
  if (name == "t") return("t")
  if (name %in% c("x", "p")) return(sprintf("%s[%d]", name, node[[2]] + 1L))
  if (name == "constant") return(sprintf("(%.17g)", node[[2]]))
  operands <- lapply(node[-1], function(k) sprintf("v%d", k))
  form <- EXPRESSIONS[[name]]
  if (is.null(form)) form <- paste0(name, "(%s)")
  do.call(sprintf, c(list(form), operands))
}

needed <- function(nodes, outputs) { # the nodes that these outputs are made of, from 0, in order
  marked <- logical(length(nodes))
  marked[unlist(outputs) + 1L] <- TRUE
  for (k in rev(seq_along(nodes)))
    if (marked[k] && !(nodes[[k]][[1]] %in% c("t", "x", "p", "constant"))) marked[unlist(nodes[[k]][-1]) + 1L] <- TRUE
  which(marked) - 1L
}

compiled <- function(nodes, outputs) {
  lines <- vapply(needed(nodes, outputs), function(k) sprintf("v%d <- %s", k, expression_of(nodes[[k + 1]])), "")
  last <- sprintf("c(%s)", paste0("v", unlist(outputs), collapse = ", "))
  eval(parse(text = c("function(t, x, p) {", lines, last, "}"), keep.source = FALSE))
}

matrix_of <- function(formula, by, rows, cols) {
  entries <- formula[[by]]
  if (is.null(entries) || length(entries$node) == 0) return(function(t, x, p) matrix(0, rows, cols))
  value <- compiled(formula$nodes, entries$node)
  place <- cbind(unlist(entries$row) + 1L, unlist(entries$col) + 1L)
  function(t, x, p) {
    filled <- matrix(0, rows, cols)
    filled[place] <- value(t, x, p)
    filled
  }
}

# ---- the conversation --------------------------------------------------------------------------------------

input <- file("stdin", "r")
output <- file("/dev/fd/1", "w", raw = TRUE)
sink(stderr()) # what deSolve prints is no answer

say <- function(words) {
  cat(toJSON(words, auto_unbox = TRUE, digits = I(17), na = "null", null = "null"), "\n", sep = "", file = output)
  flush(output)
}

hear <- function() {
  line <- readLines(input, n = 1L)
  if (length(line) == 0) quit(status = 0)
  fromJSON(line, simplifyVector = FALSE)
}

failure <- function(status, message)
  structure(class = c("failure", "error", "condition"), list(status = status, message = message, call = NULL))

numbers <- function(list) vapply(list, function(one) if (is.null(one)) NaN else as.numeric(one), 0)

question <- function(name, ..., rows = NULL) {
  asked <- list(...)
  if (!all(is.finite(unlist(asked)))) stop(failure("nonfinite", paste(name, "at a point that is not finite")))
  say(c(list(ask = name), lapply(asked, function(one) if (length(one) == 1 && is.null(names(one))) one else I(one))))
  answer <- hear()
  if (!is.null(answer$status)) stop(failure(answer$status, name))
  value <- answer[[name]]
  value <- if (length(value) > 0 && is.list(value[[1]])) do.call(rbind, lapply(value, numbers)) else numbers(value)
  if (!all(is.finite(value))) stop(failure("nonfinite", name))
  value
}

# ---- the task ----------------------------------------------------------------------------------------------

instance_of <- function(told) {
  of <- list(n = told$problem$n, np = told$problem$np, m = told$cost$m, t0 = told$problem$t0, t1 = told$problem$t1,
             x0 = numbers(told$problem$x0), p = numbers(told$problem$p), t_obs = numbers(told$cost$t_obs),
             running = told$cost$running, rtol = told$rtol, atol = told$atol, max_steps = told$max_steps,
             scheme = told$options$scheme, wanted = unlist(told$wanted),
             initial = told$problem$x0_depends_on_p)
  functions <- told$functions
  c(of, if (is.null(functions)) asked_functions(of) else told_functions(of, functions))
}

told_functions <- function(of, functions) {
  n <- of$n; np <- of$np; m <- of$m
  all_of <- function(formula, rows)
    list(value = compiled(formula$nodes, formula$value), x = matrix_of(formula, "x", rows, n),
         p = matrix_of(formula, "p", rows, np))
  f <- all_of(functions$f, n)
  phi <- lapply(functions$phi, all_of, m)
  g <- if (of$running) all_of(functions$g, m)
  x0 <- if (of$initial) matrix_of(functions$x0, "p", n, np)
  list(f = f$value, f_x = f$x, f_p = f$p, g = g$value, g_x = g$x, g_p = g$p,
       x0_p = function(p) if (is.null(x0)) matrix(0, n, np) else x0(of$t0, of$x0, p),
       phi = function(j, x, p) phi[[j]]$value(of$t_obs[j], x, p),
       phi_x = function(j, x, p) phi[[j]]$x(of$t_obs[j], x, p),
       phi_p = function(j, x, p) phi[[j]]$p(of$t_obs[j], x, p))
}

asked_functions <- function(of) {
  shaped <- function(value, rows, cols) if (cols == 0) matrix(0, rows, 0) else matrix(value, rows, cols)
  at_point <- function(name) function(t, x, p) question(name, t = t, x = I(x), p = I(p))
  by <- function(name, rows, cols) function(t, x, p)
    if (cols == 0) matrix(0, rows, 0) else shaped(question(name, t = t, x = I(x), p = I(p)), rows, cols)
  observed <- function(name) function(j, x, p) question(name, j = j - 1L, x = I(x), p = I(p))
  observed_by <- function(name, cols) function(j, x, p)
    if (cols == 0) matrix(0, of$m, 0) else shaped(question(name, j = j - 1L, x = I(x), p = I(p)), of$m, cols)
  list(f = at_point("f"), f_x = by("f_x", of$n, of$n), f_p = by("f_p", of$n, of$np), g = at_point("g"),
       g_x = by("g_x", of$m, of$n), g_p = by("g_p", of$m, of$np), phi = observed("phi"),
       phi_x = observed_by("phi_x", of$n), phi_p = observed_by("phi_p", of$np),
       x0_p = function(p) if (of$np == 0) matrix(0, of$n, 0) else shaped(question("x0_p", p = I(p)), of$n, of$np))
}

# ---- a run -------------------------------------------------------------------------------------------------

# y = (x, S, integrals of g and of its derivatives), matrices by columns
system_of <- function(of) {
  by_p <- if ("dGdp" %in% of$wanted) of$np else 0
  by_x0 <- if ("dGdx0" %in% of$wanted) of$n else 0
  cols <- by_p + by_x0
  states <- seq_len(of$n)
  by_parameter <- function(matrix, partial) {
    if (by_p > 0) matrix[, seq_len(by_p)] <- matrix[, seq_len(by_p)] + partial
    matrix
  }
  S_of <- function(y) matrix(y[of$n + seq_len(of$n * cols)], of$n, cols)
  slope <- function(t, y, ...) {
    x <- y[states]
    S <- S_of(y)
    dS <- by_parameter(of$f_x(t, x, of$p) %*% S, if (by_p > 0) of$f_p(t, x, of$p))
    d <- c(of$f(t, x, of$p), dS)
    if (of$running)
      d <- c(d, of$g(t, x, of$p), by_parameter(of$g_x(t, x, of$p) %*% S, if (by_p > 0) of$g_p(t, x, of$p)))
    if (!all(is.finite(d))) stop(failure("nonfinite", sprintf("the right-hand side at t = %g", t)))
    list(d)
  }
  S0 <- function() cbind(if (by_p > 0) of$x0_p(of$p) else matrix(0, of$n, 0), if (by_x0 > 0) diag(of$n))
  list(by_p = by_p, by_x0 = by_x0, cols = cols, states = states, S = S_of, slope = slope, by_parameter = by_parameter,
       start = function() c(of$x0, S0(), numeric(if (of$running) of$m * (1 + cols) else 0))) # asks: in a run alone
}

advance <- function(of, system, t, y, stop_at, steps) {
  left <- of$max_steps - steps
  if (left <= 0) stop(failure("step_limit", sprintf("%d steps end at t = %g", of$max_steps, t)))
  solved <- tryCatch(
    ode(y, c(t, stop_at), system$slope, NULL, method = of$scheme, rtol = of$rtol, atol = of$atol, maxsteps = left),
    failure = function(why) stop(why), error = function(why) stop(failure("diverged", conditionMessage(why))))
  taken <- attr(solved, "istate")[2]
  if (nrow(solved) < 2 || attr(solved, "istate")[1] < 0 || any(!is.finite(solved[nrow(solved), ])))
    stop(failure(if (attr(solved, "istate")[1] == -1) "step_limit" else "diverged", "deSolve did not come to the end"))
  list(y = unname(solved[nrow(solved), -1]), steps = steps + if (is.na(taken)) 0 else taken)
}

run_of <- function(of, system) {
  t <- of$t0
  y <- system$start()
  steps <- 0
  G <- numeric(of$m)
  dG <- matrix(0, of$m, system$cols)
  for (stop_at in sort(unique(c(of$t_obs, of$t1)))) {
    if (stop_at > t) {
      went <- advance(of, system, t, y, stop_at, steps)
      y <- went$y; steps <- went$steps; t <- stop_at
    }
    for (j in which(of$t_obs == stop_at)) {
      x <- y[system$states]
      G <- G + of$phi(j, x, of$p)
      dG <- dG + system$by_parameter(of$phi_x(j, x, of$p) %*% system$S(y), if (system$by_p > 0) of$phi_p(j, x, of$p))
    }
  }
  if (of$running) {
    integrals <- y[-seq_len(of$n * (1 + system$cols))]
    G <- G + integrals[seq_len(of$m)]
    dG <- dG + matrix(integrals[-seq_len(of$m)], of$m, system$cols)
  }
  values <- list(x = I(y[system$states]), G = I(G), steps = steps)
  if ("dGdp" %in% of$wanted) values$dGdp <- rows_of(dG[, seq_len(system$by_p), drop = FALSE])
  if ("dGdx0" %in% of$wanted) values$dGdx0 <- rows_of(dG[, system$by_p + seq_len(system$by_x0), drop = FALSE])
  values
}

rows_of <- function(matrix) lapply(seq_len(nrow(matrix)), function(r) I(matrix[r, ]))

attempt <- function(work)
  tryCatch(work(), failure = function(why) list(status = why$status, message = conditionMessage(why)),
           error = function(why) list(status = "rhs_failed", message = conditionMessage(why)))

run <- NULL
repeat {
  told <- hear()
  say(if (!is.null(told$hello)) {
    DESCRIPTION
  } else if (!is.null(told$prepare)) {
    attempt(function() {
      of <- instance_of(told$prepare)
      system <- system_of(of)
      run <<- function() run_of(of, system)
      list(ready = TRUE)
    })
  } else {
    attempt(function() {
      start <- Sys.time()
      values <- run()
      c(values, seconds = max(1e-6, as.numeric(Sys.time() - start, units = "secs")))
    })
  })
}
