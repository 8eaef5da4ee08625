/* sensbench derive: the derivative products of a problem, made from its right-hand side alone, and what was found
 * on the way. */
#include <stdlib.h>

#include "cell.h"
#include "cli.h"
#include "derivation.h"
#include "exit_codes.h"
#include "machine.h"
#include "sens/decorate.h"
#include "streams.h"

/* ---- text ------------------------------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void print_matrix(const json_t *object, const char *key, const char *name)
{
    const json_t *matrix = json_object_get(object, key);
    if (!matrix) return;
    say("%-13s %.0f entries of %.0f; %.0f groups of columns that share no row%s\n", name,
        number(matrix, "entries"), number(matrix, "size"), number(matrix, "groups"),
        json_is_true(json_object_get(matrix, "constant")) ? "; the same for all t and x" : "");
}

static void print_derivative(const json_t *function, const char *key)
{
    const json_t *by = json_object_get(function, key);
    if (by)
        say(" %13.0f %12.0f", number(by, "once_a_point"), number(by, "each_vector"));
    else
        say(" %13s %12s", "-", "-");
}

static void print_functions(const json_t *list)
{
    if (json_array_size(list) == 0) return;
    say("\n%-9s %7s %10s %6s %26s %26s\n%-9s %7s %10s %6s", "", "", "", "", "(d/dx)^T w", "(d/dp)^T w",
        "function", "outputs", "operations", "guards");
    say(" %13s %12s %13s %12s\n", "once a point", "each vector", "once a point", "each vector");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *function = json_array_get(list, k);
        say("%-9s %7.0f %10.0f %6.0f", json_string_value(json_object_get(function, "function")),
            number(function, "outputs"), number(function, "operations"), number(function, "guards"));
        print_derivative(function, "by_x");
        print_derivative(function, "by_p");
        say("\n");
    }
}

static void print_text(const json_t *object)
{
    const json_t *products = json_object_get(object, "products");
    say("%s: n = %.0f, np = %.0f; f has %.0f operations, %.0f operators in C\n\n",
        json_string_value(json_object_get(object, "problem")), number(object, "n"), number(object, "np"),
        number(object, "operations"), number(object, "operators"));
    say("%-22s %11s %13s %12s %8s %10s\n", "product", "operations", "once a point", "each vector", "by f",
        "operators");
    for (size_t k = 0; k < json_array_size(products); k++) {
        const json_t *product = json_array_get(products, k);
        say("%-22s %11.0f %13.0f %12.0f %8.2f %10.0f\n",
            json_string_value(json_object_get(product, "product")), number(product, "operations"),
            number(product, "once_a_point"), number(product, "each_vector"), number(product, "by_f"),
            number(product, "operators"));
    }
    say("\n");
    print_matrix(object, "df_dx", "df/dx");
    print_matrix(object, "df_dp_transposed", "(df/dp)^T");
    say("%-13s %.0f\n", "guards", number(object, "guards"));
    if (number(object, "equalities") > 0)
        say("%-13s %.0f: where both sides are equal, the derivative is that of the branch for it, and wrong "
            "if that\n"
            "%-13s is only the limit of the other: write a series there, on both sides of the point\n",
            "equalities", number(object, "equalities"), "");
    say("%-13s %.0f blocks of outer products%s\n", "structure", number(object, "outer_products"),
        json_is_true(json_object_get(object, "diagonal_and_coupling")) ? "; df/dx = diag(d) + diag(s) M"
                                                                       : "");
    print_functions(json_object_get(object, "functions"));
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static bool read_arguments(const struct cli_arguments *arguments, struct spec *spec,
                           struct bench_error *error)
{
    if (arguments->words != 1)
        return bench_refuse(error, "derive: %s; see sensbench derive --help",
                            arguments->words ? "one problem at a time" : "no problem given");
    return spec_set(spec, "problem", arguments->word[0], "command line", error) &&
           (spec_get(spec, "method") ||
            spec_set(spec, "method", "discrete_adjoint", "sensbench derive", error));
}

static sens_status print_code(struct sens_ctx *ctx, const struct sens_problem *pb, const char *isa,
                              struct bench_error *error)
{
    char *source = NULL;
    const sens_status status = derivation_code(ctx, pb, isa, &source, error);
    if (status == SENS_OK) say("%s", source);
    free(source);
    return status;
}

static sens_status print_description(struct sens_ctx *ctx, const struct sens_problem *pb,
                                     const struct sens_cost *cost, bool json, struct bench_error *error)
{
    json_t *object = NULL;
    const sens_status status = derivation_describe(ctx, pb, cost, &object, error);
    if (status == SENS_OK && json) {
        json_dumpf(object, our_stdout(), JSON_INDENT(2));
        say("\n");
    } else if (status == SENS_OK) {
        print_text(object);
    }
    json_decref(object);
    return status;
}

int cmd_derive(const struct cli_command *command, struct cli_arguments *arguments)
{
    struct sens_ctx ctx = {.now = NULL};
    struct bench_error error;
    struct cell cell;
    machine_prepare(&ctx, false);
    sens_status status = read_arguments(arguments, &arguments->spec, &error) ? SENS_OK : SENS_BAD_INPUT;
    if (status == SENS_OK) status = cell_resolve(&ctx, &arguments->spec, &cell, &error);
    if (status == SENS_OK) {
        const struct sens_problem *pb = sens_problem_innermost(&cell.problem);
        const struct sens_cost *cost = cell.deriver ? cell.cost.inner : &cell.cost;
        const bool asked = spec_get(&arguments->spec, "cost") != NULL;
        status = cli_flag(command, arguments, "--code")
                     ? print_code(&ctx, pb, cell.variant->isa, &error)
                     : print_description(&ctx, pb, asked ? cost : NULL,
                                         cli_flag(command, arguments, "--json") != NULL, &error);
    }
    sens_arena_release(&ctx.arena);
    if (status == SENS_OK) return EXIT_OK;
    return cli_complain(&error, status == SENS_UNAVAILABLE ? EXIT_MISSING : EXIT_USAGE);
}
