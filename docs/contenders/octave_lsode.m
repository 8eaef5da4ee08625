#!/usr/bin/env -S octave-cli --no-init-file --no-history --quiet
% Octave's lsode as a contender of sensbench (docs/adding-a-contender.md), on the state with its variational equations
%
%     S' = f_x S + (f_p, 0),    S(t0) = (dx0/dp, I),
%
% whose columns are dx/dp and dx/dx0. Each observation ends a call; integrals are solved for along with the state.
% Needs: octave.
1;

function told = description()
  scheme = struct("name", "scheme", "kind", "choice", "choices", {{"stiff", "adams"}}, "default", "stiff", ...
                  "help", "of lsode: backward differentiation or Adams formulas");
  told = struct("protocol", 1, "name", "octave_lsode", "summary", "Octave's lsode on the variational equations", ...
                "library", ["Octave " version() ", LSODE"], "derivative", "continuous", ...
                "can", {{"tolerance", "observations", "running_cost"}}, "options", {{scheme}});
end

% ---- functions -------------------------------------------------------------------------------------------

function text = expression_of(node)
  persistent forms = struct("neg", "-%s", "add", "%s + %s", "sub", "%s - %s", "mul", "%s * %s", "div", "%s / %s", ...
      "pow", "real_power(%s, %s)", "cbrt", "cbrt(%s)", "fabs", "abs(%s)", "fmin", "min(%s, %s)", ...
      "fmax", "max(%s, %s)", "less", "double(%s < %s)", "less_equal", "double(%s <= %s)", ...
      "select", "merge(%s ~= 0, %s, %s)");
  name = node{1};
  if strcmp(name, "t")
    text = "t";
  elseif any(strcmp(name, {"x", "p"}))
    text = sprintf("%s(%d)", name, node{2} + 1);
  elseif strcmp(name, "constant")
    text = sprintf("(%.17g)", node{2});
  else
    operands = cellfun(@(k) sprintf("v%d", k), node(2:end), "UniformOutput", false);
    form = [name "(" strjoin(repmat({"%s"}, 1, numel(operands)), ", ") ")"]; % the others have the same name here
    if isfield(forms, name), form = forms.(name); end
    text = sprintf(form, operands{:});
  end
end

function value = real_power(base, exponent)
  value = base ^ exponent;
  if ~isreal(value), value = NaN; end
end

% The nodes that these outputs are made of, from 0, in order.
function list = needed(nodes, outputs)
  marked = false(1, numel(nodes));
  marked(outputs + 1) = true;
  for k = numel(nodes):-1:1
    if marked(k) && ~any(strcmp(nodes{k}{1}, {"t", "x", "p", "constant"}))
      marked([nodes{k}{2:end}] + 1) = true;
    end
  end
  list = find(marked) - 1;
end

% A function of (t, x, p) with these outputs as a column; it is defined under a name of its own.
function handle = compiled(nodes, outputs)
  persistent count = 0;
  count++;
  outputs = outputs(:)';
  name = sprintf("contender_function_%d", count);
  lines = arrayfun(@(k) sprintf("v%d = %s;", k, expression_of(nodes{k + 1})), needed(nodes, outputs), ...
                   "UniformOutput", false);
  last = ["value = [" strjoin(arrayfun(@(k) sprintf("v%d", k), outputs, "UniformOutput", false), "; ") "];"];
  eval(strjoin([{sprintf("function value = %s(t, x, p)", name)}, lines, {last, "end"}], "\n"));
  handle = str2func(name);
end

% A node list as a cell of cells, whatever jsondecode has made of it.
function nodes = node_list(decoded)
  if ~iscell(decoded), decoded = num2cell(decoded, 2); end
  nodes = cellfun(@(one) ifelse_cell(one), decoded, "UniformOutput", false);
end

function one = ifelse_cell(one)
  if ischar(one), one = {one}; end
end

function handle = matrix_of(formula, by, rows, cols)
  if ~isfield(formula, by) || isempty(formula.(by).node)
    handle = @(t, x, p) zeros(rows, cols);
    return;
  end
  entries = formula.(by);
  value = compiled(node_list(formula.nodes), entries.node);
  place = sub2ind([rows cols], entries.row(:) + 1, entries.col(:) + 1);
  handle = @(t, x, p) fill_matrix(place, value(t, x, p), rows, cols);
end

function matrix = fill_matrix(place, values, rows, cols)
  matrix = zeros(rows, cols);
  matrix(place) = values;
end

% ---- the conversation ------------------------------------------------------------------------------------

% LSODE prints messages of its own, which are no answers: they go to standard error.
function say(words)
  persistent answers = [];
  if isempty(answers)
    answers = fopen("/dev/fd/1", "w");
    dup2(stderr, stdout);
  end
  fputs(answers, [jsonencode(words) "\n"]);
  fflush(answers);
end

% fgetl would wait for the first character of the line after this one.
function told = hear()
  line = fscanf(stdin, "%[^\n]");
  if isempty(fread(stdin, 1)), exit(0); end
  told = jsondecode(line, "makeValidName", false);
end

function list = as_list(vector) % an array of JSON, also of one number or none
  list = num2cell(vector(:)');
end

function list = as_rows(matrix)
  list = arrayfun(@(r) as_list(matrix(r, :)), 1:rows(matrix), "UniformOutput", false);
end

function value = question(name, shape, words)
  words.ask = name;
  if ~all(isfinite([words.at{:}])), error("contender:nonfinite", "%s at a point that is not finite", name); end
  say(rmfield(words, "at"));
  answer = hear();
  if isfield(answer, "status"), error(["contender:" answer.status], "%s", name); end
  value = answer.(name);
  if iscell(value), error("contender:nonfinite", "%s", name); end % there is a null in it
  value = reshape(value, shape);
  if ~all(isfinite(value(:))), error("contender:nonfinite", "%s", name); end
end

function value = at_point(name, shape, t, x, p)
  value = question(name, shape, struct("t", t, "x", {as_list(x)}, "p", {as_list(p)}, "at", {[{t}, as_list(x)]}));
end

function value = at_observation(name, shape, j, x, p)
  value = question(name, shape, struct("j", j - 1, "x", {as_list(x)}, "p", {as_list(p)}, "at", {as_list(x)}));
end

% ---- the task --------------------------------------------------------------------------------------------

function of = instance_of(told)
  of = struct("n", told.problem.n, "np", told.problem.np, "m", told.cost.m, "t0", told.problem.t0, ...
              "t1", told.problem.t1, "x0", told.problem.x0(:), "p", told.problem.p(:), "t_obs", told.cost.t_obs(:)', ...
              "running", told.cost.running, "rtol", told.rtol, "atol", told.atol, "max_steps", told.max_steps, ...
              "scheme", told.options.scheme, "wanted", {cellstr(told.wanted)}, "initial", told.problem.x0_depends_on_p);
  n = of.n; np = of.np; m = of.m;
  functions = told.functions;
  if isempty(functions)
    of.f = @(t, x, p) at_point("f", [n 1], t, x, p);
    of.f_x = @(t, x, p) at_point("f_x", [n n], t, x, p);
    of.f_p = @(t, x, p) at_point("f_p", [n np], t, x, p);
    of.g = @(t, x, p) at_point("g", [m 1], t, x, p);
    of.g_x = @(t, x, p) at_point("g_x", [m n], t, x, p);
    of.g_p = @(t, x, p) at_point("g_p", [m np], t, x, p);
    of.phi = @(j, x, p) at_observation("phi", [m 1], j, x, p);
    of.phi_x = @(j, x, p) at_observation("phi_x", [m n], j, x, p);
    of.phi_p = @(j, x, p) at_observation("phi_p", [m np], j, x, p);
    of.x0_p = @(p) question("x0_p", [n np], struct("p", {as_list(p)}, "at", {as_list(p)}));
    return;
  end
  [of.f, of.f_x, of.f_p] = all_of(functions.f, n, n, np);
  if of.running, [of.g, of.g_x, of.g_p] = all_of(functions.g, m, n, np); end
  of.x0_p = @(p) zeros(n, np);
  if of.initial
    initial = matrix_of(functions.x0, "p", n, np);
    of.x0_p = @(p) initial(of.t0, of.x0, p);
  end
  [value, by_x, by_p] = deal({});
  for j = 1:numel(of.t_obs)
    one = functions.phi(j);
    if iscell(one), one = one{1}; end
    [value{j}, by_x{j}, by_p{j}] = all_of(one, m, n, np);
  end
  of.phi = @(j, x, p) value{j}(of.t_obs(j), x, p);
  of.phi_x = @(j, x, p) by_x{j}(of.t_obs(j), x, p);
  of.phi_p = @(j, x, p) by_p{j}(of.t_obs(j), x, p);
end

function [value, by_x, by_p] = all_of(formula, rows, n, np)
  value = compiled(node_list(formula.nodes), formula.value);
  by_x = matrix_of(formula, "x", rows, n);
  by_p = matrix_of(formula, "p", rows, np);
end

% ---- a run -----------------------------------------------------------------------------------------------

% y = (x, S, integrals of g and of its derivatives), matrices by columns
function dy = slope(of, by_p, cols, t, y)
  x = y(1:of.n);
  S = reshape(y(of.n + (1:of.n * cols)), of.n, cols);
  dS = of.f_x(t, x, of.p) * S;
  if by_p, dS(:, 1:by_p) += of.f_p(t, x, of.p); end
  dy = [of.f(t, x, of.p); dS(:)];
  if of.running
    dG = of.g_x(t, x, of.p) * S;
    if by_p, dG(:, 1:by_p) += of.g_p(t, x, of.p); end
    dy = [dy; of.g(t, x, of.p); dG(:)];
  end
  if ~all(isfinite(dy)), error("contender:nonfinite", "the right-hand side at t = %g", t); end
end

function values = run(of)
  by_p = any(strcmp(of.wanted, "dGdp")) * of.np;
  by_x0 = any(strcmp(of.wanted, "dGdx0")) * of.n;
  cols = by_p + by_x0;
  S = zeros(of.n, cols);
  if by_p, S(:, 1:by_p) = of.x0_p(of.p); end
  S(:, by_p + 1:end) = eye(of.n)(:, 1:by_x0);
  y = [of.x0; S(:); zeros(of.running * of.m * (1 + cols), 1)];
  t = of.t0;
  [G, dG] = deal(zeros(of.m, 1), zeros(of.m, cols));
  lsode_options("integration method", of.scheme);
  lsode_options("relative tolerance", of.rtol);
  lsode_options("absolute tolerance", of.atol);
  lsode_options("step limit", of.max_steps);
  for stop = unique([of.t_obs, of.t1])
    if stop > t
      [ends, state, message] = lsode(@(y, t) slope(of, by_p, cols, t, y), y, [t stop], stop);
      if state ~= 2
        if state == -1, word = "step_limit"; else word = "diverged"; end
        error(["contender:" word], "%s", message);
      end
      y = ends(end, :)';
      t = stop;
    end
    for j = find(of.t_obs == stop)
      x = y(1:of.n);
      G += of.phi(j, x, of.p);
      dG += of.phi_x(j, x, of.p) * reshape(y(of.n + (1:of.n * cols)), of.n, cols);
      if by_p, dG(:, 1:by_p) += of.phi_p(j, x, of.p); end
    end
  end
  if of.running
    rest = y(of.n * (1 + cols) + 1:end);
    G += rest(1:of.m);
    dG += reshape(rest(of.m + 1:end), of.m, cols);
  end
  values = struct("x", {as_list(y(1:of.n))}, "G", {as_list(G)});
  if any(strcmp(of.wanted, "dGdp")), values.dGdp = as_rows(dG(:, 1:by_p)); end
  if any(strcmp(of.wanted, "dGdx0")), values.dGdx0 = as_rows(dG(:, by_p + 1:end)); end
end

function answer = failed(why)
  word = "rhs_failed";
  if strncmp(why.identifier, "contender:", 10), word = why.identifier(11:end); end
  answer = struct("status", word, "message", why.message);
end

of = [];
while true
  told = hear();
  try
    if isfield(told, "hello")
      answer = description();
    elseif isfield(told, "prepare")
      of = instance_of(told.prepare);
      answer = struct("ready", true);
    else
      clock_start = tic();
      answer = run(of);
      answer.seconds = max(1e-6, toc(clock_start));
    end
  catch why
    answer = failed(why);
  end
  say(answer);
end
