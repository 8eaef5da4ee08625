/* core/structure.c: which declarations are refused, what products cost, and a problem without its structure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "sens/problem.h"

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

static sens_status status_of(struct sens_problem_type type, struct sens_problem made)
{
    struct fixture fx = {.made = made};
    struct sens_problem pb = {.n = 77};
    type.name = "made";
    type.create = create;
    const sens_status status = sens_problem_create(&fx.ctx, &type, NULL, &pb);
    if (status == SENS_OK)
        assert_ptr_equal(pb.type, &type);
    else
        assert_true(pb.n == 77 && strstr(fx.ctx.message, "made"));
    sens_arena_release(&fx.ctx.arena);
    return status;
}

static void test_accepted(void **state)
{
    (void)state;
    const struct sens_problem_type none = {0}, dense = {.jacobian = jacobian};
    const struct sens_problem_type all = {.jacobian = jacobian, .jacobian_p = jacobian, .outer = outer};
    struct sens_problem made = plain;
    assert_int_equal(status_of(none, made), SENS_OK);
    assert_int_equal(status_of(dense, made), SENS_OK);
    made.sparsity = &pattern;
    assert_int_equal(status_of(dense, made), SENS_OK);
    made.sparsity_p = &pattern_p;
    made.n_outer = 2, made.outer = blocks;
    assert_int_equal(status_of(all, made), SENS_OK);
}

/* df/dx = diag(d) + diag(s) M beside what it takes: s and a dense df/dx; df/dp as values too is no harm. */
static void test_coupling_accepted(void **state)
{
    (void)state;
    struct sens_problem_type type = {
        .jacobian = jacobian, .outer = outer, .coupling = coupling, .diagonal = diagonal};
    struct sens_problem made = plain;
    made.n_outer = 2, made.outer = blocks;
    assert_int_equal(status_of(type, made), SENS_OK);
    type.jacobian_p = jacobian, made.sparsity_p = &pattern_p;
    assert_int_equal(status_of(type, made), SENS_OK);
}

/* One thing is missing each, or a pattern too much; all else is as it is accepted. */
static void test_coupling_refused(void **state)
{
    (void)state;
    const struct sens_problem_type whole = {
        .jacobian = jacobian, .outer = outer, .coupling = coupling, .diagonal = diagonal};
    struct sens_problem made = plain, sparse;
    made.n_outer = 2, made.outer = blocks;
    struct sens_problem_type no_coupling = whole, no_diagonal = whole, no_outer = whole, no_jacobian = whole;
    no_coupling.coupling = NULL, no_diagonal.diagonal = NULL;
    no_outer.outer = NULL, no_jacobian.jacobian = NULL;
    assert_int_equal(status_of(no_coupling, made), SENS_BAD_INPUT);
    assert_int_equal(status_of(no_diagonal, made), SENS_BAD_INPUT);
    assert_int_equal(status_of(no_outer, plain), SENS_BAD_INPUT); /* blocks alone are no good */
    assert_int_equal(status_of(no_jacobian, made), SENS_BAD_INPUT);
    sparse = made;
    sparse.sparsity = &pattern;
    assert_int_equal(status_of(whole, sparse), SENS_BAD_INPUT);
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
    const struct sens_problem_type type = {.jacobian = jacobian};
    for (size_t k = 0; k < 8; k++) {
        struct sens_problem made = plain;
        made.sparsity = &wrong[k];
        assert_int_equal(status_of(type, made), SENS_BAD_INPUT);
    }
    struct sens_pattern no_columns = pattern;
    no_columns.col = NULL;
    struct sens_problem made = plain;
    made.sparsity = &no_columns;
    assert_int_equal(status_of(type, made), SENS_BAD_INPUT);
}

/* A pattern without its values, values without their pattern, blocks without factors and the reverse. */
static void test_halves_refused(void **state)
{
    (void)state;
    struct sens_problem with_J = plain, with_F = plain, with_blocks = plain;
    with_J.sparsity = &pattern;
    with_F.sparsity_p = &pattern_p;
    with_blocks.n_outer = 2, with_blocks.outer = blocks;
    const struct sens_problem_type none = {0}, sparse = {.jacobian_p = jacobian}, factors = {.outer = outer};
    assert_int_equal(status_of(none, with_J), SENS_BAD_INPUT);
    assert_int_equal(status_of(none, with_F), SENS_BAD_INPUT);
    assert_int_equal(status_of(none, with_blocks), SENS_BAD_INPUT);
    assert_int_equal(status_of(sparse, plain), SENS_BAD_INPUT);
    assert_int_equal(status_of(factors, plain), SENS_BAD_INPUT);
    with_F.sparsity_p = &pattern; /* of another shape */
    assert_int_equal(status_of(sparse, with_F), SENS_BAD_INPUT);
    with_blocks.outer = NULL;
    assert_int_equal(status_of(factors, with_blocks), SENS_BAD_INPUT);
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
    const struct sens_problem_type type = {.outer = outer};
    struct sens_problem made = plain;
    made.n_outer = 2;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        made.outer = wrong[k];
        assert_int_equal(status_of(type, made), SENS_BAD_INPUT);
    }
    made.outer = blocks, made.n_outer = 1; /* not all */
    assert_int_equal(status_of(type, made), SENS_BAD_INPUT);
}

static void test_operations(void **state)
{
    (void)state;
    struct sens_problem_type type = {.name = "made"};
    struct sens_problem pb = plain;
    struct sens_operations ops;
    pb.type = &type;
    sens_problem_operations(&pb, &ops);
    assert_true(isnan(ops.rhs) && isnan(ops.vjp) && isnan(ops.jvp) && isnan(ops.vjp_p) && isnan(ops.jvp_p));
    assert_true(ops.jacobian == 0);
    type.jacobian = jacobian, type.outer = outer;
    sens_problem_operations(&pb, &ops);
    assert_true(ops.jacobian == N * N && ops.vjp == 2 * N * N && ops.jvp == ops.vjp && isnan(ops.rhs));
    assert_true(ops.vjp_p == 2 * NP && ops.jvp_p == 2);
    pb.sparsity = &pattern;
    type.outer = NULL, type.jacobian_p = jacobian, pb.sparsity_p = &pattern_p;
    sens_problem_operations(&pb, &ops);
    assert_true(ops.jacobian == 3 && ops.vjp == 6 && ops.vjp_p == 12 && ops.jvp_p == 1);
    type.operations = operations;
    sens_problem_operations(&pb, &ops);
    assert_true(ops.rhs == 99 && ops.jvp == 9 && ops.vjp == 6);
}

static void test_unstructured(void **state)
{
    (void)state;
    const struct sens_problem_type type = {.name = "made",
                                           .jacobian = jacobian,
                                           .jacobian_p = jacobian,
                                           .coupling = coupling,
                                           .diagonal = diagonal,
                                           .outer = outer,
                                           .operations = operations};
    struct sens_problem pb = plain, bare;
    struct sens_problem_type bare_type;
    pb.type = &type;
    pb.sparsity = &pattern, pb.sparsity_p = &pattern_p, pb.outer = blocks, pb.n_outer = 2;
    sens_problem_unstructured(&pb, &bare_type, &bare);
    assert_true(bare.type == &bare_type && bare.n == N && bare.p == p && bare_type.name == type.name);
    assert_true(!bare_type.jacobian && !bare_type.jacobian_p && !bare_type.outer);
    assert_true(!bare_type.coupling && !bare_type.diagonal);
    assert_true(!bare.sparsity && !bare.sparsity_p && !bare.outer && bare.n_outer == 0);
    assert_true(pb.sparsity == &pattern && type.jacobian == jacobian); /* the given one is as it was */
    sens_problem_unstructured(&pb, &bare_type, &pb);                   /* in place */
    assert_true(pb.type == &bare_type && !pb.sparsity && pb.np == NP);
}

/* The structure goes, and nothing else. */
static void test_forget(void **state)
{
    (void)state;
    struct sens_problem_type type = {.name = "made",
                                     .create = create,
                                     .jacobian = jacobian,
                                     .jacobian_p = jacobian,
                                     .coupling = coupling,
                                     .diagonal = diagonal,
                                     .outer = outer,
                                     .operations = operations,
                                     .many_states = true};
    const char *const name = type.name;
    sens_problem_type_forget(&type);
    assert_true(!type.jacobian && !type.jacobian_p && !type.coupling && !type.diagonal && !type.outer);
    assert_true(type.name == name && type.create == create && type.operations == operations &&
                type.many_states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),         cmocka_unit_test(test_coupling_accepted),
        cmocka_unit_test(test_coupling_refused), cmocka_unit_test(test_patterns_refused),
        cmocka_unit_test(test_halves_refused),   cmocka_unit_test(test_blocks_refused),
        cmocka_unit_test(test_operations),       cmocka_unit_test(test_unstructured),
        cmocka_unit_test(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
