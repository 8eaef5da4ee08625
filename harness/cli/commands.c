/* The commands in one table. */
#include <string.h>

#include "cli.h"

/* Behind a command's own flags come these, from the first that it takes. */
static const struct cli_flag shared[] = {
    {"--plugin", "FILE", "load a module of problems, costs or methods; may be repeated"},
    {"--models", "PATH", "load a model, FILE.ode, or all of a folder; may be repeated"},
    {"--contender", "FILE", "take a program of any language as a method; may be repeated"},
    {"--help", NULL, "this text"},
    {.name = NULL},
};
enum { FROM_PLUGIN, FROM_MODELS, FROM_HELP = 3 };

static const struct cli_flag list_flags[] = {
    {"--json", NULL, "one JSON object"},
    {.name = NULL},
};

static const struct cli_flag run_flags[] = {
    {"--dump", "FILE", "write x, G, dGdp, dGdx0 as TSV: quantity row col value name"},
    {"--json", NULL, "the record as one JSON object, with x, G, dGdp, dGdx0 in \"result\""},
    {"--tsv", NULL, "the record as a header and a row"},
    {"--once", NULL, "one solve: results, errors and counts, no times"},
    {.name = NULL},
};

static const struct cli_flag analyse_flags[] = {
    {"--times", "GRID",
     "FIRST:LAST:COUNT, log:FIRST:LAST:COUNT, one time or a file of times; default: 21 from t0 to t1"},
    {"--states", "A,B", "only these states, by their names"},
    {"--parameters", "A,B", "only these parameters"},
    {"--scale", "NAME",
     "what p S is divided by: value, the state at that time, or largest, its largest value; default: value "
     "in ranking"},
    {"--sigma", "SD",
     "for uncertainty, standard deviation of the data: 0.1, 5% of a state's largest value, A=0.1,B=5%"},
    {"--subsets", "N",
     "all subsets of parameters up to a size, so that there are no more than N; default: 100000"},
    {"--log", NULL, "for fit and profile: in the logarithms of the parameters"},
    {"--level", "P", "for fit and profile: of the intervals; default: 0.95"},
    {"--save", "FILE", "for fit and profile: write the fitted parameters there, for params=FILE"},
    {"--experiments", "FILE", "for fit and profile: a line for each experiment, and what sets it apart"},
    {"--range", "F",
     "for profile: how far, with --log from p/F to F p, else F times the size of p to both sides; default: "
     "1000"},
    {"--memory", "MIB", "all that it may take; default: 1024"},
    {"--dry-run", NULL, "tell what would be done and the memory of its results; solves nothing"},
    {"--json", NULL, "one JSON object"},
    {.name = NULL},
};

static const char *const analyse_notes[] = {
    "QUESTION is one of: sensitivities (without a word), S(t) = dx/dp at each time, as it is, as p S "
    "(half) and as p S / x (full); ranking, which parameter matters most over all times and at each, by "
    "root mean square (msqr), mean absolute value (mabs) and sums (L1, L2); invariants, sums of states "
    "that stay as they are, found from the right-hand side and held against x(t) and S(t); "
    "identifiability, whether the states at these times tell the parameters apart: rank and singular "
    "values of the stacked S, condition indices with shares of variance, the order of pivoted QR, the "
    "least and most collinear and the D-optimal subset of each size, and parameters that only count "
    "together, in words; subsets, each subset with its collinearity; uncertainty, the covariance of the "
    "parameters from data of the chosen states at these times with errors of standard deviation "
    "--sigma, and the bands of all states that follow.",
    "Two questions are of data=FILE (docs/data.md): fit, the parameters at which chi2 is smallest, by "
    "Levenberg-Marquardt with exact gradients, from the values that the keys give, with standard "
    "deviations, intervals, correlation and residuals; profile, the least chi2 while one parameter is "
    "held, and by it whether the data bound each parameter: bounded, one-sided or flat within --range.",
    "The method is discrete_tangent on the steps of tableau=radau_iia5 with rtol=1e-8 atol=1e-12, "
    "unless keys say otherwise. All is computed twice, the second time at a hundredth of the tolerance: "
    "the distance of the two stands beside a value as its error. `undefined` is what has no value: p S "
    "of a parameter that is 0, p S / x where the state is not known from 0: no larger than atol, or its "
    "error is a tenth of it or more.",
    "Exit codes: 0 answered, 1 the file of --save could not be written, 2 bad input, 3 not available here, "
    "4 the solver failed, or the data do not say.",
    NULL,
};

static const struct cli_flag advise_flags[] = {
    {"--error", "E", "wanted error of the gradient, relative; default: 1e-6"},
    {"--by", "WHAT", "time, or operations, which no other load of the machine disturbs; default: time"},
    {"--seconds", "S", "time that it may take, about; default: 20"},
    {"--dry-run", NULL, "tell how much would be run; runs nothing"},
    {"--json", NULL, "one JSON object"},
    {.name = NULL},
};

static const char *const advise_notes[] = {
    "Runs a few cells, each in a process of its own, and says which scheme (explicit: dopri5, dop853; "
    "implicit: radau_iia5, rodas4), mode (forward: discrete_tangent; adjoint: discrete_adjoint) and "
    "tolerance to take. Every scheme is run at the loosest power of ten that brings the error of the "
    "gradient down to the one wanted, the cheapest in both modes. Errors are distances from radau_iia5 at "
    "tol=1e-12; how far rodas4 (without second derivatives: sdirk4a) at 1e-11 is from that says what the "
    "reference is worth.",
    "not separable: the intervals of two times overlap, or operations differ by less than a half. "
    "Operations are those of right-hand sides, derivative products (of derived ones the theoretical bound: "
    "2.5 right-hand sides forwards, 4 in reverse) and dense linear systems. The "
    "crossovers in P, m and n are a model from one run of each mode, and good to a factor of two or so.",
    "Exit codes: 0 advised, 2 bad input, 3 not available here, 4 no reference, or no scheme comes down to "
    "the error: the rows are told.",
    NULL,
};

static const struct cli_flag compare_flags[] = {
    {"--vs", "KEYS", "\"key=value ...\": a contender, the base with these keys instead; may be repeated"},
    {"--error", "E,...", "equal errors: each contender with the loosest tol that reaches E"},
    {"--rounds", "N", "samples of each contender; default: 21"},
    {"--seconds", "S", "time for the rounds of a group; at least 5 are tried; default: 20"},
    {"--timeout", "S", "for getting ready, for finding the tol, for a sample; default: 300"},
    {"--tsv", "FILE", "write rows there, one for each contender"},
    {"--json", NULL, "one JSON object"},
    {.name = NULL},
};

static const char *const compare_notes[] = {
    "The cell that the words and keys name is the base, contender 0; each --vs makes another. In --vs, key= "
    "takes a key of the base away. A key of the base may have several values, as n=2,5,10: then there is a "
    "group of contenders for each combination.",
    "Each contender lives in a process of its own. In each round every contender gives one "
    "sample of at least 1 ms, in an order drawn anew, while the others wait: a slow spell of the machine "
    "meets all of them. t/base is the median, over the rounds, of a contender's time by the base's in the "
    "same round: the base is so many times faster. What times are worth where errors differ is for the "
    "reader: err_x and err_grad stand beside them.",
    "With --error the times are worth the same: no tolerance may be given, there is a group for each E, and "
    "each contender runs with the loosest tol, on a ladder of quarter decades from 1e-2 to 1e-14, with which "
    "the error of its gradient against the truth (err_grad) is at most E. Errors do not fall from each rung "
    "to the next, so a rung counts when the one below it is within E as well: decades are tried from the "
    "loosest to the first that counts, then quarters back up as long as they are within E. One that stays "
    "above E is not_reached, with the least error that it had, and without a time.",
    "Exit codes: 0 all contenders ran, 1 the rows could not be written, 2 bad input, 3 one is not available "
    "here, 4 one failed or did not reach E, 130 interrupted: the whole rounds until then are reported.",
    NULL,
};

static const struct cli_flag sweep_flags[] = {
    {"--quick", NULL, "the quick profile"},
    {"--out", "DIR", "folder of the results"},
    {"--resume", NULL, "keep the rows that are there, skip their cells"},
    {"--retry", "STATUS,...", "with --resume: measure cells with these statuses again"},
    {"--budget", "SECONDS", "stop when this time is used up; 0: no limit"},
    {"--dry-run", NULL, "list the cells, run nothing"},
    {.name = NULL},
};

static const char *const sweep_notes[] = {
    "Without --resume a result file that has rows is kept aside under the next free of the names FILE.1, "
    "FILE.2, ... and a new one is begun. Each row is on the disk before the next cell is run.",
    "A cell whose process could not be started, or was killed from outside, is tried once more and leaves no "
    "row then: --resume takes it again. A cell that failed is a row; --resume --retry timeout,crashed takes "
    "those with these statuses again.",
    "Exit codes: 0 all cells have rows, or the budget is used up; 1 the result file could not be written, or "
    "was deleted or replaced meanwhile: its rows are saved beside it; 2 bad input, or a result file that "
    "cannot be begun or gone on with; 4 cells have no row; 130 interrupted.",
    NULL,
};

static const struct cli_flag truth_flags[] = {
    {"--rows", "K", "a sample of K outputs"},
    {"--out", "DIR", "store it there, the folder is made; default: the first folder of SENSBENCH_REFERENCE"},
    {"--check", NULL, "store nothing; compare with the stored one"},
    {"--stiff", NULL, "by two implicit formulas, for stiff problems of at most 80 states"},
    {.name = NULL},
};

static const struct cli_flag derive_flags[] = {
    {"--json", NULL, "one JSON object"},
    {"--code", NULL, "the C of all products instead"},
    {.name = NULL},
};

static const char *const derive_notes[] = {
    "For each product: the operations of its graph; what a tape of it (vjp=tape) does once a point, and for "
    "each vector, by the operations of the right-hand side; the loops that are left of it in C. Groups are "
    "columns that share no row, guards are comparisons that decided what was recorded, equalities those by "
    "== "
    "or !=. Below stand x0, where it depends on p, and with cost=NAME phi of its first observation and g.",
    "Exit codes: 0 done, 2 bad input, or a right-hand side that cannot be recorded: the place is named.",
    NULL,
};

static const struct cli_flag summary_flags[] = {
    {"--json", NULL, "one object: files, accuracy, figures, tables, performance, statements"},
    {"--profile", NULL, "in what share of all cases a method is within a factor of the fastest one; as TSV"},
    {.name = NULL},
};

static const char *const summary_notes[] = {
    "Reads result files, or of a folder the newest result file in it and in each folder below, and prints "
    "how long each implementation takes to an accuracy, in any sweep, and the figures found in "
    "RESULTS/figures. Of the sweeps of arXiv 2410.01911: Tables 1-3 with our numbers and the predictions of "
    "the closed forms, how fast the discrete adjoint is and how near to the machine's peak, and for each "
    "published statement whether the rows reproduce it, with the numbers. Nothing is run.",
    "Exit codes: 0 summarised, whatever the verdicts (a statement that is not reproduced is a finding), 1 an "
    "error differs from its closed form, so that the program itself is wrong, 2 bad input.",
    NULL,
};

static const struct cli_flag report_flags[] = {
    {"--out", "FILE", "the page; default: report.html in the first folder of results"},
    {"--against", "DIR", "results to hold these against, as those of another machine or commit"},
    {"--noise", "F", "with --against: part by which a time may differ between runs; default: 0.05"},
    {"--d3", "FILE", "d3.min.js; default: that of Debian's package node-d3"},
    {.name = NULL},
};

static const char *const report_notes[] = {
    "Reads results as summary does and writes one HTML file, which needs no network: figures in which each "
    "point says which row of which file it is, on which machine, of which commit, and by which command it is "
    "measured again; tables that sort; what failed; the time to an accuracy; the verdicts on published "
    "statements. With --against, what became of each cell that both have, beyond noise. Nothing is run.",
    "A time counts as changed when the interval of the quotient lies outside of 1 / (1 + F) to 1 + F: the "
    "intervals are of one run each, and know nothing of what differs from one run to the next.",
    "Exit codes: 0 written, 1 the page could not be written, 2 bad input, or a part of the page is not "
    "installed, 3 D3 is missing.",
    NULL,
};

static const struct cli_flag peak_flags[] = {
    {"--json", NULL, "one JSON array, a rate an object"},
    {"--quick", NULL, "fewer samples, and none of very large arrays: about 1.5 s"},
    {.name = NULL},
};

static const char *const peak_notes[] = {
    "A rate is the median of samples, with the slowest and the fastest. fma: chains x <- a x + b in "
    "registers, two operations each, with every instruction set that this CPU supports (without a fused "
    "operation: chains of additions and of multiplications); no code of that instruction set is faster. "
    "read, write, copy, triad: arrays are summed, set, copied (a = b), combined (a = b + s c) with the best "
    "instruction set; what is read and what is written is counted, 8 bytes a number, but not that a "
    "processor may read a line before it writes to it. The arrays of a thread take half of a core's share of "
    "L1, L2 or L3; in memory, those of all threads take four times the last cache. With --quick, those of a "
    "thread take at most 32 MiB, and memory is left out where all together would take more than 256 MiB.",
    "With one thread, and with one on each core, bound. A sweep measures the same with --quick and writes "
    "it into its result file; every measured cell measures fma again, beside its runs.",
    NULL,
};

static const struct cli_flag new_flags[] = {
    {"--c", NULL, "in C: a problem is a model file else, NAME.ode; costs and methods always are in C"},
    {"--in-tree", NULL, "into this source tree: a file, and in C a line of CMake"},
    {"--out", "DIR", "the folder that NAME is made in, or the source tree; default: here"},
    {.name = NULL},
};

static const struct cli_flag verify_flags[] = {
    {"--problem", "GLOB", "only on these problems"},
    {"--method", "GLOB", "only on these methods; those of other libraries are verified only when named"},
    {"--cost", "GLOB", "only on these costs"},
    {"--provider", "GLOB", "only on these providers of products; those of libraries only when named"},
    {"--check", "GLOB", "only these checks, as 'products.*'"},
    {"--require", "GLOB", "checks that may not be skipped: each skip of one is a failure"},
    {"--quick", NULL, "fewer instances, tolerances and tableaux"},
    {"--seed", "N", "draw sizes, points and tolerances from it; default: 0, the standard ones"},
    {"--isa", "NAME", "instruction set; default: auto"},
    {"--json", NULL, "one JSON object"},
    {"--tap", NULL, "Test Anything Protocol, version 14"},
    {"--junit", "FILE", "write JUnit XML there, beside the report on standard output"},
    {"--verbose", NULL, "list every case of every check; also -v"},
    {"--explain", "ID", "what a check does and its bound, or what a cause means; runs nothing"},
    {"--list", NULL, "all checks with one line each; runs nothing"},
    {"--jobs", "N", "processes at once; also -j; default: the processors that are online"},
    {"--timeout", "SECONDS", "of processor time for one unit; default: 60 with --quick, else 300"},
    {.name = NULL},
};

static const char *const verify_notes[] = {
    "A check compares two ways to the same number, and passes when they differ by no more than a bound that "
    "is derived from rounding, truncation or conditioning. For each check and module there is a line: pass, "
    "fail, skip with its reason, or limit, a failure that the method declares to be a known limit. Then, "
    "for each module that fails, the evidence and the probable causes, best first, then the counts. The "
    "last lines say how closely each module was held to what is right: to rounding, to the tolerance, or "
    "not at all, by the closest of its checks that passed; and how many failures a module has that are "
    "limits it declares. A few checks are essential: a module on which one is made in no case fails.",
    "worst: the largest error found, as a part of what is allowed; above 1 the check fails. score: 1 where "
    "the fault reproduces the wrong numbers, less where it only fits the pattern.",
    "Without patterns all problems, costs, tableaux and methods are checked, those of --plugin among them. "
    "--problem P: the callbacks of P, every method on P, and all methods on P against one another. --method "
    "M: M on problems of the harness's own and on every problem, and the methods that match against one "
    "another. Both: all of this for M and P alone. --cost C: the callbacks of C. --provider V (vjp=V): the "
    "products of V on every problem that it wraps, and the gradients of every cost that it derives. A method "
    "or provider on a problem that fails its own checks is skipped; with --method alone these checks are "
    "made too (with --quick but for reach.*), and told only where they fail.",
    "key=value: an option of the problems, costs or methods that are named, as lmm=bdf with --method "
    "cvodes_adjoint or T=20 with --problem robertson, in place of its default. It is held at that value, "
    "named in the report, and read as by run: problem.KEY, cost.KEY and method.KEY say whose it is.",
    "Exit codes: 0 no failure, 1 a failure, 2 usage, a pattern that matches nothing or a file that cannot "
    "be written, 3 an instruction set that is not available, 130 interrupted: what is known by then is "
    "reported.",
    NULL,
};

static const char *const figures_notes[] = {
    "DIR holds SWEEP/FILE.tsv, as sweep writes it; of several files of a sweep the newest is drawn, as SVG "
    "and PNG. What draws it, and its title, its sweep file said (figure =, title =); without a word of that, "
    "time against error, and error against tolerance. Nothing is run. Needs gnuplot.",
    "Exit codes: 0 drawn, or nothing to draw; 1 gnuplot failed, or a file or a name was refused; 2 no such "
    "folder; 3 gnuplot is missing.",
    NULL,
};

static const char *const list_notes[] = {
    "A model that cannot be read is told on stderr, with file, line and column; the rest is listed, and the "
    "exit code is 2. Exit codes: 0 all is listed, 2 bad input, such a model too.",
    NULL,
};

static const struct cli_command commands[] = {
    {.name = "list",
     .arguments = "[problems|costs|methods|providers|tableaux|controllers|policies|variants|sweeps|columns]",
     .summary = "names what there is",
     .flags = list_flags,
     .notes = list_notes,
     .run = cmd_list},
    {.name = "show",
     .arguments = "NAME",
     .summary = "options with defaults and ranges, capabilities and references of what has this name",
     .flags = list_flags,
     .run = cmd_show},
    {.name = "run",
     .arguments = "PROBLEM METHOD [key=value ...]",
     .summary = "solves one cell and reports state, gradient, errors, work and time",
     .flags = run_flags,
     .takes_keys = true,
     .run = cmd_run},
    {.name = "analyse",
     .arguments = "PROBLEM [QUESTION] [key=value ...]",
     .summary = "the sensitivities of all states at any times, and what follows from them",
     .flags = analyse_flags,
     .takes_keys = true,
     .notes = analyse_notes,
     .run = cmd_analyse},
    {.name = "advise",
     .arguments = "PROBLEM [key=value ...]",
     .summary = "which scheme, mode and tolerance to take for a problem, from a few runs",
     .flags = advise_flags,
     .takes_keys = true,
     .notes = advise_notes,
     .run = cmd_advise},
    {.name = "compare",
     .arguments = "PROBLEM METHOD [key=value ...]",
     .summary = "how many times faster one cell is than others, by samples that alternate",
     .flags = compare_flags,
     .takes_keys = true,
     .notes = compare_notes,
     .run = cmd_compare},
    {.name = "sweep",
     .arguments = "NAME|FILE ...",
     .summary = "measures every cell of sweep files, each in a process of its own",
     .flags = sweep_flags,
     .notes = sweep_notes,
     .run = cmd_sweep},
    {.name = "truth",
     .arguments = "PROBLEM [key=value ...]",
     .summary = "computes a reference solution in two independent ways and stores it",
     .flags = truth_flags,
     .shared = FROM_MODELS,
     .takes_keys = true,
     .run = cmd_truth},
    {.name = "summary",
     .arguments = "RESULTS ...",
     .summary = "tables and the verdict on each published statement",
     .flags = summary_flags,
     .shared = FROM_HELP,
     .notes = summary_notes,
     .run = cmd_summary},
    {.name = "report",
     .arguments = "RESULTS ...",
     .summary = "writes one HTML page: figures whose points name their rows, tables, verdicts",
     .flags = report_flags,
     .shared = FROM_HELP,
     .notes = report_notes,
     .run = cmd_report},
    {.name = "derive",
     .arguments = "PROBLEM [key=value ...]",
     .summary =
         "what its derivative products are, made from the right-hand side alone; the gradients of a cost",
     .flags = derive_flags,
     .takes_keys = true,
     .notes = derive_notes,
     .run = cmd_derive},
    {.name = "new",
     .arguments = "problem|cost|method NAME",
     .summary = "writes a model or a module that passes verify as it stands",
     .flags = new_flags,
     .shared = FROM_HELP,
     .run = cmd_new},
    {.name = "verify",
     .arguments = "[key=value ...]",
     .summary = "tells a wrong derivative from a right one, and names the probable cause",
     .flags = verify_flags,
     .takes_options = true,
     .notes = verify_notes,
     .run = cmd_verify},
    {.name = "figures",
     .arguments = "DIR",
     .summary = "draws what the result files of DIR name, into DIR/figures",
     .shared = FROM_HELP,
     .notes = figures_notes,
     .run = cmd_figures},
    {.name = "peak",
     .arguments = "",
     .summary = "measures what this machine can do: operations in registers, bandwidths",
     .flags = peak_flags,
     .shared = FROM_HELP,
     .notes = peak_notes,
     .run = cmd_peak},
    {.name = NULL},
};

const struct cli_command *cli_commands(void)
{
    return commands;
}

const struct cli_flag *cli_flag_at(const struct cli_command *command, int index)
{
    int own = 0;
    for (; command->flags && command->flags[own].name; own++)
        if (own == index) return &command->flags[own];
    const struct cli_flag *flag = &shared[command->shared + index - own];
    return flag->name ? flag : NULL;
}

const struct cli_command *cli_find(const char *name)
{
    for (const struct cli_command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0) return command;
    return NULL;
}
