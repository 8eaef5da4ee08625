/* harness/derive/roll and generate: right-hand sides of any size as loops, compiled, against the graph itself. */
#include "bench/derive/rhs_support.h"
#include "generate_support.h"

/* By vectors of each width, but for large ones, which take the compiler long. */
static void check(const char *what, struct rhs f, size_t points)
{
    enum { LARGE = 30 };
    assert_int_equal(graph_status(f.graph), SENS_OK);
    for (unsigned widest = f.n > LARGE ? 4 : 2; widest <= (f.n > LARGE ? 4 : 8); widest *= 2) {
        struct code code;
        print_message("%s, n = %zu, by %u\n", what, f.n, widest);
        generate_and_load(f.graph, f.n, f.np, widest, "cc -O0", &code);
        check_code(&code, f.graph, f.n, f.np, points, 1 + f.n);
        unload(&code);
    }
    graph_destroy(f.graph);
}

static size_t points_for(size_t n)
{
    return n < 8 ? 20 : 1;
}

static const size_t sizes[] = {1, 2, 3, 5, 7, 20, 50};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_glv(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("glv", glv_graph(sizes[k]), points_for(sizes[k]));
}

static void test_chain(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("chain", chain_graph(sizes[k]), points_for(sizes[k]));
}

static void test_heat(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++) check("heat", heat_graph(sizes[k] % 46), points_for(sizes[k]));
}

static void test_conduction(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++)
        for (int exponential = 0; exponential < 2; exponential++)
            check("conduction", conduction_graph(sizes[k], exponential), points_for(sizes[k]));
}

static void test_brusselator(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++)
        for (int periodic = 0; periodic < 2; periodic++)
            check("brusselator", brusselator_graph(sizes[k] % 46, periodic), points_for(sizes[k]));
}

/* Sums in sums: the inner one begins elsewhere in each term of the outer one. */
static void test_sums_in_sums(void **state)
{
    (void)state;
    for (size_t n = 3; n <= 9; n += 3) {
        check("quadratic", quadratic_graph(n), points_for(n));
        check("layer", layer_graph(n), points_for(n));
    }
}

static size_t length_of(const struct rhs *f, enum generate_product which, unsigned calls)
{
    struct generate_found found;
    char *source;
    assert_int_equal(generate_source(f->graph, f->n, f->np, 1u << which, calls, 8, &source, &found), SENS_OK);
    const size_t length = strlen(source);
    generate_found_release(&found);
    free(source);
    return length;
}

/* What a run with 8 lanes calls is a part of the text, and so of the compiler's time: of second derivatives
 * along x a seventh, or a sixth with those by p. It is the text that is bounded, since times depend on the machine. */
static void test_what_is_wanted_alone(void **state)
{
    struct rhs f = glv_graph(20);
    const unsigned of_x = generate_call_of(8) | GENERATE_ALONG * DERIVE_X;
    const size_t hvp = length_of(&f, GENERATE_HVP, GENERATE_ALL_CALLS);
    (void)state;
    assert_true(7 * length_of(&f, GENERATE_HVP, of_x) < hvp);
    assert_true(6 * length_of(&f, GENERATE_HVP, of_x | GENERATE_MU) < hvp);
    assert_true(5 * length_of(&f, GENERATE_VJP, generate_call_of(8)) <
                2 * length_of(&f, GENERATE_VJP, GENERATE_ALL_CALLS));
    graph_destroy(f.graph);
}

/* Rows that are left over are taken together: 20 as 12 and 8. */
static void test_rows_that_are_left(void **state)
{
    struct rhs f = glv_graph(20);
    struct generate_found found;
    char *source;
    (void)state;
    assert_int_equal(
        generate_source(f.graph, f.n, f.np, 1u << GENERATE_JVP, generate_call_of(8), 8, &source, &found),
        SENS_OK);
    assert_non_null(strstr(source, "for (; i0 + 12 <= n0; i0 += 12)"));
    assert_non_null(strstr(source, "for (; i0 + 8 <= n0; i0 += 8)"));
    generate_found_release(&found);
    free(source);
    graph_destroy(f.graph);
}

enum { MOST_PIECES = 64, MOST_COLUMNS = 256 };

/* Reads the numbers of a table, whose first dimension stands at *at; moves behind it. */
static void read_table(const char **at, size_t *pieces, size_t *columns, long entry[][MOST_COLUMNS])
{
    char *end;
    *pieces = strtoul(*at + 1, &end, 10);
    *columns = strtoul(end + 2, &end, 10);
    assert_true(*pieces <= MOST_PIECES && *columns <= MOST_COLUMNS);
    end = strchr(end, '{') + 1;
    for (size_t r = 0; r < *pieces; r++)
        for (size_t c = 0; c < *columns; c++)
            entry[r][c] = strtol(end + strcspn(end, "-0123456789"), &end, 10);
    *at = end;
}

static size_t equal_columns(size_t pieces, size_t columns, long entry[][MOST_COLUMNS])
{
    size_t pairs = 0;
    for (size_t c = 1; c < columns; c++)
        for (size_t d = 0; d < c; d++) {
            size_t same = 0;
            while (same < pieces && entry[same][c] == entry[same][d]) same++;
            pairs += same == pieces;
        }
    return pairs;
}

/* What differs alike from piece to piece stands in a table once, so that the compiler sees what is the same place:
 * the terms at a corner of a grid read their numbers around one cell. */
static void test_no_column_twice(void **state)
{
    static long entry[MOST_PIECES][MOST_COLUMNS];
    struct rhs f = brusselator_graph(20, false);
    struct generate_found found;
    size_t tables = 0, pieces, columns;
    char *source;
    (void)state;
    assert_int_equal(
        generate_source(f.graph, f.n, f.np, 1u << GENERATE_VJP, generate_call_of(8), 8, &source, &found),
        SENS_OK);
    for (const char *at = source; (at = strstr(at, "int TABLE_")); tables++) {
        at = strchr(at, '[');
        read_table(&at, &pieces, &columns, entry);
        assert_int_equal(equal_columns(pieces, columns, entry), 0);
        assert_true(columns < 30); /* 53 if each number had its own */
    }
    assert_true(tables > 0);
    generate_found_release(&found);
    free(source);
    graph_destroy(f.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_glv),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_conduction),
        cmocka_unit_test(test_brusselator),
        cmocka_unit_test(test_sums_in_sums),
        cmocka_unit_test(test_what_is_wanted_alone),
        cmocka_unit_test(test_rows_that_are_left),
        cmocka_unit_test(test_no_column_twice),
    };
    if (!have_compiler("cc")) return NO_COMPILER;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
