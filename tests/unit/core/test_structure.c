/* core/structure.c: which declarations are refused, what products cost, and a problem that
 * declares nothing. */
#include <math.h>
#include <string.h>

#include "sens/problem.h"
#include "testing.h"

enum { N = 3, NP = 6 };

static const double x0[N] = {1, 2, 3}, p[NP] = {1, 2, 3, 4, 5, 6};
/* Rows 1, 2 and 0 entries; the transposed df/dp has one entry a row. */
static const size_t start[N + 1] = {0, 1, 3, 3}, col[] = {2, 0, 1};
static const size_t start_p[NP + 1] = {0, 1, 2, 3, 4, 5, 6}, col_p[] = {0, 1, 2, 0, 1, 2};
static const struct sens_pattern pattern = {.rows = N, .cols = N, .start = start, .col = col};
static const struct sens_pattern pattern_p = {.rows = NP, .cols = N, .start = start_p, .col = col_p};
static const struct sens_outer blocks[] = {{.first = 0, .cols = 1}, {.first = N, .cols = 1}};

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    (void)pb, (void)at;
    J[0] = 1;
}

static void outer(const struct sens_problem *pb, const struct sens_at *at, double *s, double *phi)
{
    (void)pb, (void)at;
    s[0] = phi[0] = 1;
}

static void coupling(const struct sens_problem *pb, const double *q, double *M)
{
    (void)pb, (void)q;
    M[0] = 1;
}

static void diagonal(const struct sens_problem *pb, const struct sens_at *at, double *d)
{
    (void)pb, (void)at;
    d[0] = 1;
}

static void operations(const struct sens_problem *pb, struct sens_operations *ops)
{
    (void)pb;
    ops->rhs = 99;
    ops->jvp = 3 * ops->jacobian; /* what the structure says is there already */
}

/* What create leaves behind is data of the fixture. */
struct fixture {
    struct sens_ctx ctx; /* first: what create is given is the fixture */
    struct sens_problem made;
};

/* A whole assignment, as a problem's author may write it: the type is not the author's business. */
static sens_status create(struct sens_ctx *ctx, const struct sens_value *option, struct sens_problem *pb)
{
    (void)option;
    *pb = ((const struct fixture *)(const void *)ctx)->made;
    return SENS_OK;
}

static const struct sens_problem plain = {.n = N, .np = NP, .t1 = 1, .x0 = x0, .p = p};

static sens_status status_of(struct sens_structure declared)
{
    struct fixture fx = {.made = plain};
    struct sens_problem pb = {.n = 77};
    const struct sens_problem_type type = {.name = "made", .create = create};
    fx.made.structure = &declared;
    const sens_status status = sens_problem_create(&fx.ctx, &type, NULL, &pb);
    if (status == SENS_OK)
        assert_true(pb.type == &type && pb.structure == &declared);
    else
        assert_true(pb.n == 77 && strstr(fx.ctx.message, "made"));
    sens_arena_release(&fx.ctx.arena);
    return status;
}

static void test_accepted(void **state)
{
    (void)state;
    struct sens_structure declared = {0};
    assert_int_equal(status_of(declared), SENS_OK);
    declared.jacobian = jacobian;
    assert_int_equal(status_of(declared), SENS_OK);
    declared.sparsity = &pattern;
    assert_int_equal(status_of(declared), SENS_OK);
    declared.jacobian_p = jacobian, declared.sparsity_p = &pattern_p;
    declared.outer = outer, declared.n_blocks = 2, declared.blocks = blocks;
    assert_int_equal(status_of(declared), SENS_OK);
}

/* df/dx = diag(d) + diag(s) M beside what it takes: s and a dense df/dx. */
static const struct sens_structure coupled = {.jacobian = jacobian,
                                              .outer = outer,
                                              .coupling = coupling,
                                              .diagonal = diagonal,
                                              .n_blocks = 2,
                                              .blocks = blocks};

/* df/dp as values too is no harm. */
static void test_coupling_accepted(void **state)
{
    (void)state;
    struct sens_structure declared = coupled;
    assert_int_equal(status_of(declared), SENS_OK);
    declared.jacobian_p = jacobian, declared.sparsity_p = &pattern_p;
    assert_int_equal(status_of(declared), SENS_OK);
}

/* One thing is missing each, or a pattern too much; all else is as it is accepted. */
static void test_coupling_refused(void **state)
{
    (void)state;
    struct sens_structure no_coupling = coupled, no_diagonal = coupled, no_outer = coupled,
                          no_jacobian = coupled, sparse = coupled;
    no_coupling.coupling = NULL, no_diagonal.diagonal = NULL;
    no_outer.outer = NULL, no_outer.n_blocks = 0; /* blocks alone are no good */
    no_jacobian.jacobian = NULL;
    sparse.sparsity = &pattern;
    assert_int_equal(status_of(no_coupling), SENS_BAD_INPUT);
    assert_int_equal(status_of(no_diagonal), SENS_BAD_INPUT);
    assert_int_equal(status_of(no_outer), SENS_BAD_INPUT);
    assert_int_equal(status_of(no_jacobian), SENS_BAD_INPUT);
    assert_int_equal(status_of(sparse), SENS_BAD_INPUT);
}

/* Of df/dx [N][N], by one change to the valid pattern each. */
static void test_patterns_refused(void **state)
{
    (void)state;
    static const size_t first[] = {1, 1, 3, 3}, falls[] = {0, 3, 1, 3}, order[] = {2, 1, 0},
                        twice[] = {2, 1, 1}, range[] = {3, 0, 1};
    struct sens_pattern wrong[8];
    for (size_t k = 0; k < 8; k++) wrong[k] = pattern;
    wrong[0].rows = N - 1;
    wrong[1].cols = NP;
    wrong[2].start = NULL;
    wrong[3].start = first;
    wrong[4].start = falls;
    wrong[5].col = order;
    wrong[6].col = twice;
    wrong[7].col = range;
    for (size_t k = 0; k < 8; k++)
        assert_int_equal(status_of((struct sens_structure){.jacobian = jacobian, .sparsity = &wrong[k]}),
                         SENS_BAD_INPUT);
    struct sens_pattern no_columns = pattern;
    no_columns.col = NULL;
    assert_int_equal(status_of((struct sens_structure){.jacobian = jacobian, .sparsity = &no_columns}),
                     SENS_BAD_INPUT);
}

/* A pattern without its values, values without their pattern, blocks without factors and the reverse. */
static void test_halves_refused(void **state)
{
    (void)state;
    const struct sens_structure halves[] = {
        {.sparsity = &pattern},
        {.sparsity_p = &pattern_p},
        {.n_blocks = 2, .blocks = blocks},
        {.jacobian_p = jacobian},
        {.outer = outer},
        {.jacobian_p = jacobian, .sparsity_p = &pattern}, /* of another shape */
        {.outer = outer, .n_blocks = 2},
    };
    for (size_t k = 0; k < sizeof halves / sizeof *halves; k++)
        assert_int_equal(status_of(halves[k]), SENS_BAD_INPUT);
}

static void test_blocks_refused(void **state)
{
    (void)state;
    static const struct sens_outer wrong[][2] = {
        {{0, 1}, {0, 1}},            /* twice the same */
        {{N, 1}, {0, 1}},            /* out of order */
        {{0, 1}, {N + 1, 1}},        /* a gap */
        {{0, 0}, {0, 2}},            /* an empty one */
        {{0, 1}, {N, 2}},            /* too long */
        {{0, 1}, {N, SIZE_MAX / N}}, /* so long that N cols wraps around to less */
    };
    struct sens_structure declared = {.outer = outer, .n_blocks = 2};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        declared.blocks = wrong[k];
        assert_int_equal(status_of(declared), SENS_BAD_INPUT);
    }
    declared.blocks = blocks, declared.n_blocks = 1; /* not all */
    assert_int_equal(status_of(declared), SENS_BAD_INPUT);
}

static void test_operations(void **state)
{
    (void)state;
    struct sens_problem_type type = {.name = "made"};
    struct sens_structure declared = {.jacobian = jacobian, .outer = outer};
    struct sens_problem pb = plain;
    struct sens_operations ops;
    pb.type = &type;
    sens_problem_operations(&pb, &ops);
    assert_true(isnan(ops.rhs) && isnan(ops.vjp) && isnan(ops.jvp) && isnan(ops.vjp_p) && isnan(ops.jvp_p));
    assert_true(ops.jacobian == 0);
    pb.structure = &declared;
    sens_problem_operations(&pb, &ops);
    assert_true(ops.jacobian == N * N && ops.vjp == 2 * N * N && ops.jvp == ops.vjp && isnan(ops.rhs));
    assert_true(ops.vjp_p == 2 * NP && ops.jvp_p == 2);
    declared = (struct sens_structure){
        .jacobian = jacobian, .sparsity = &pattern, .jacobian_p = jacobian, .sparsity_p = &pattern_p};
    sens_problem_operations(&pb, &ops);
    assert_true(ops.jacobian == 3 && ops.vjp == 6 && ops.vjp_p == 12 && ops.jvp_p == 1);
    type.operations = operations;
    sens_problem_operations(&pb, &ops);
    assert_true(ops.rhs == 99 && ops.jvp == 9 && ops.vjp == 6);
}

/* One assignment, and nothing is declared. */
static void test_nothing_declared(void **state)
{
    (void)state;
    static const struct sens_structure none;
    struct sens_problem pb = plain;
    pb.structure = &coupled;
    assert_ptr_equal(sens_structure_of(&pb), &coupled);
    assert_int_equal(sens_structure_factors(&coupled), 2);
    pb.structure = NULL;
    assert_memory_equal(sens_structure_of(&pb), &none, sizeof none);
    assert_int_equal(sens_structure_factors(sens_structure_of(&pb)), 0);
}

/* The implicit part of a split: a problem of the same size, with rhs and the four products, and no mass matrix. */
static sens_status status_of_part(const struct sens_problem *part)
{
    struct fixture fx = {.made = plain};
    struct sens_problem pb = {.n = 77};
    const struct sens_problem_type type = {.name = "made", .create = create};
    fx.made.implicit = part;
    const sens_status status = sens_problem_create(&fx.ctx, &type, NULL, &pb);
    assert_true(status == SENS_OK ? pb.implicit == part : strstr(fx.ctx.message, "implicit part") != NULL);
    sens_arena_release(&fx.ctx.arena);
    return status;
}

static sens_status part_rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    (void)pb, (void)at, (void)dx;
    return SENS_OK;
}

static void part_product(const struct sens_problem *pb, const struct sens_at *at, size_t L, const double *V,
                         double *OUT)
{
    (void)pb, (void)at, (void)L, (void)V, (void)OUT;
}

static void part_columns(const struct sens_problem *pb, const struct sens_at *at, size_t k0, size_t L,
                         double *OUT)
{
    (void)pb, (void)at, (void)k0, (void)L, (void)OUT;
}

static void part_batch(const struct sens_problem *pb, size_t K, const double *t, const double *X,
                       const double *q, size_t L, const double *W, double *MU)
{
    (void)pb, (void)K, (void)t, (void)X, (void)q, (void)L, (void)W, (void)MU;
}

static void test_split(void **state)
{
    (void)state;
    static const struct sens_mass mass = {.value = NULL};
    struct sens_problem_type type = {.name = "part",
                                     .rhs = part_rhs,
                                     .vjp = part_product,
                                     .jvp = part_product,
                                     .jvp_p_cols = part_columns,
                                     .vjp_p_batch = part_batch};
    struct sens_problem part = plain;
    part.type = &type;
    assert_int_equal(status_of_part(&part), SENS_OK);
    part.n = N - 1;
    assert_int_equal(status_of_part(&part), SENS_BAD_INPUT);
    part.n = N, part.np = NP + 1;
    assert_int_equal(status_of_part(&part), SENS_BAD_INPUT);
    part.np = NP, part.mass = &mass;
    assert_int_equal(status_of_part(&part), SENS_BAD_INPUT);
    part.mass = NULL, type.jvp_p_cols = NULL;
    assert_int_equal(status_of_part(&part), SENS_BAD_INPUT);
    part.type = NULL;
    assert_int_equal(status_of_part(&part), SENS_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_coupling_accepted),
        cmocka_unit_test(test_coupling_refused),
        cmocka_unit_test(test_patterns_refused),
        cmocka_unit_test(test_halves_refused),
        cmocka_unit_test(test_blocks_refused),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_nothing_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
