/* core/decorate.c: no slot of a type is forgotten, and what is handed on reaches the inner instance. */
#include <string.h>

#include "sens/decorate.h"
#include "testing.h"

/* ---- every slot ---------------------------------------------------------------------------------------- */

/* A type as words. Every word is a function unless it is said here that it is not: a slot that is added to a
 * type and not to core/decorate.c would be copied, and run on an instance that is not its own, or be lost. */
struct words {
    size_t size;
    const uintptr_t *inner, *made;
    size_t kept[5], dropped[2]; /* offsets + 1 of words that are copied, and of words that are to be NULL */
};

static bool among(size_t offset, size_t count, const size_t *offsets)
{
    for (size_t k = 0; k < count; k++)
        if (offsets[k] == offset + 1) return true;
    return false;
}

/* own: functions are the decorator's, these words. */
static void check_words(const struct words *w, const uintptr_t *own)
{
    for (size_t q = 0; q < w->size / sizeof *w->made; q++) {
        const size_t offset = q * sizeof *w->made;
        const uintptr_t made = w->made[q], inner = w->inner[q];
        const bool right = among(offset, 5, w->kept)      ? made == inner
                           : among(offset, 2, w->dropped) ? made == 0
                           : own                          ? made == own[q]
                                                          : made != 0 && made != inner;
        if (!right) fail_msg("the member at byte %zu is not handed on", offset);
    }
}

/* Numbers that are no function's address, and different everywhere. */
static void fill(size_t size, uintptr_t from, uintptr_t *word)
{
    for (size_t q = 0; q < size / sizeof *word; q++) word[q] = from + q;
}

#define OFFSET(type, member) (offsetof(struct type, member) + 1)

union problem_words {
    struct sens_problem_type type;
    uintptr_t word[sizeof(struct sens_problem_type) / sizeof(uintptr_t)];
};

/* many_states and autonomous are the last word, and no pointers; so is data_of_x0 of a cost. */
static void test_every_slot_of_a_problem(void **state)
{
    (void)state;
    union problem_words inner, own;
    struct sens_problem_decoration with = {.another = false};
    struct sens_decorated_problem room;
    struct sens_problem made;
    const size_t size = offsetof(struct sens_problem_type, many_states);
    fill(sizeof inner, 1000, inner.word), fill(sizeof own, 2000, own.word);
    inner.type.many_states = own.type.many_states = true;
    inner.type.autonomous = true, own.type.autonomous = false;
    const struct sens_problem pb = {.type = &inner.type};
    const struct words words = {
        .size = size,
        .inner = inner.word,
        .made = ((const union problem_words *)(const void *)&room.type)->word,
        .kept = {OFFSET(sens_problem_type, name), OFFSET(sens_problem_type, summary),
                 OFFSET(sens_problem_type, reference), OFFSET(sens_problem_type, options),
                 OFFSET(sens_problem_type, model)},
        .dropped = {OFFSET(sens_problem_type, create), OFFSET(sens_problem_type, identities)}};
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    check_words(&words, NULL);
    assert_true(made.type == &room.type && made.type->many_states && made.type->autonomous);
    with.type = own.type;
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    check_words(&words, own.word);
    assert_int_equal(size + sizeof(uintptr_t), sizeof(struct sens_problem_type));
    with.another = true; /* of which nothing is known */
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    assert_false(made.type->autonomous);
}

union structure_words {
    struct sens_structure structure;
    uintptr_t word[sizeof(struct sens_structure) / sizeof(uintptr_t)];
};

static void test_every_slot_of_a_structure(void **state)
{
    (void)state;
    static const struct sens_problem_type type;
    union structure_words inner, own;
    struct sens_problem_decoration with = {.another = false};
    struct sens_decorated_problem room;
    struct sens_problem made;
    fill(sizeof inner, 1000, inner.word), fill(sizeof own, 2000, own.word);
    const struct sens_problem pb = {.type = &type, .structure = &inner.structure};
    const struct words words = {.size = offsetof(struct sens_structure, jacobian_costs_more),
                                .inner = inner.word,
                                .made = ((const union structure_words *)(const void *)&room.structure)->word,
                                .kept = {OFFSET(sens_structure, sparsity), OFFSET(sens_structure, sparsity_p),
                                         OFFSET(sens_structure, n_blocks), OFFSET(sens_structure, blocks)}};
    /* no words of an address: a truth value of any other byte is undefined */
    inner.structure.jacobian_costs_more = own.structure.jacobian_costs_more = false;
    inner.structure.jacobian_p_costs_more = own.structure.jacobian_p_costs_more = false;
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    assert_ptr_equal(made.structure, &room.structure);
    check_words(&words, NULL);
    for (int k = 0; k < 4; k++) {
        inner.structure.jacobian_costs_more = k & 1, inner.structure.jacobian_p_costs_more = k & 2;
        sens_problem_decorate(&pb, &with, NULL, &room, &made);
        assert_true(made.structure->jacobian_costs_more == (k & 1) &&
                    made.structure->jacobian_p_costs_more == (k >> 1));
    }
    with.structure = own.structure;
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    check_words(&words, own.word);
}

union cost_words {
    struct sens_cost_type type;
    uintptr_t word[sizeof(struct sens_cost_type) / sizeof(uintptr_t)];
};

static void test_every_slot_of_a_cost(void **state)
{
    (void)state;
    static const struct sens_cost_type as_inner;
    union cost_words inner, own;
    struct sens_decorated_cost room;
    struct sens_cost made;
    const size_t size = offsetof(struct sens_cost_type, data_of_x0);
    fill(sizeof inner, 1000, inner.word), fill(sizeof own, 2000, own.word);
    inner.type.data_of_x0 = true, own.type.data_of_x0 = false;
    const struct sens_cost cost = {.type = &inner.type};
    const struct words words = {.size = size,
                                .inner = inner.word,
                                .made = ((const union cost_words *)(const void *)&room.type)->word,
                                .kept = {OFFSET(sens_cost_type, name), OFFSET(sens_cost_type, summary),
                                         OFFSET(sens_cost_type, options)},
                                .dropped = {OFFSET(sens_cost_type, create)}};
    sens_cost_decorate(&cost, &as_inner, NULL, &room, &made);
    check_words(&words, NULL);
    assert_true(made.type == &room.type && made.type->data_of_x0);
    sens_cost_decorate(&cost, &own.type, NULL, &room, &made);
    check_words(&words, own.word);
    assert_true(made.type->data_of_x0);
    assert_int_equal(size + sizeof(uintptr_t), sizeof(struct sens_cost_type));
}

/* A function that the inner type does not have is not offered, whoever writes it. */
/* But products, which a problem may leave to whoever decorates it. */
static void test_products_alone_are_added(void **state)
{
    (void)state;
    static const struct sens_problem_type none;
    static const struct sens_cost_type no_terms;
    union problem_words own;
    union cost_words own_terms;
    struct sens_problem_decoration with = {.another = false};
    struct sens_decorated_problem room;
    struct sens_decorated_cost room_of_cost;
    struct sens_problem pb = {.type = &none}, made;
    struct sens_cost cost = {.type = &no_terms}, made_cost;
    fill(sizeof own, 2000, own.word), fill(sizeof own_terms, 2000, own_terms.word);
    own.type.many_states = own.type.autonomous = own_terms.type.data_of_x0 = false;
    with.type = own.type;
    sens_problem_decorate(&pb, &with, NULL, &room, &made);
    struct sens_problem_type products = none;
    products.vjp = with.type.vjp, products.jvp = with.type.jvp;
    products.jvp_p_cols = with.type.jvp_p_cols, products.vjp_p_batch = with.type.vjp_p_batch;
    assert_memory_equal(made.type, &products, offsetof(struct sens_problem_type, many_states));
    assert_null(made.structure);
    sens_cost_decorate(&cost, &own_terms.type, NULL, &room_of_cost, &made_cost);
    assert_memory_equal(made_cost.type, &no_terms, offsetof(struct sens_cost_type, data_of_x0));
}

/* ---- what is handed on --------------------------------------------------------------------------------- */

/* data: a factor. */
static sens_status rhs(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    dx[0] = *(const double *)pb->data * at->x[0];
    return SENS_OK;
}

static bool exact(const struct sens_problem *pb, const struct sens_exact_query *q, const double *p, double *x,
                  double *S, double *S0)
{
    (void)q, (void)p, (void)S, (void)S0;
    x[0] = *(const double *)pb->data * pb->x0[0];
    return true;
}

static void jacobian(const struct sens_problem *pb, const struct sens_at *at, double *J)
{
    (void)at;
    J[0] = *(const double *)pb->data;
}

/* Twice what the inner problem says. */
static sens_status doubled(const struct sens_problem *pb, const struct sens_at *at, double *dx)
{
    const sens_status status = pb->inner->type->rhs(pb->inner, at, dx);
    dx[0] *= *(const double *)pb->data;
    return status;
}

static const double three = 3, two = 2, one = 1, five = 5;
static const struct sens_problem_type type = {.name = "times", .rhs = rhs, .exact = exact};
static const struct sens_structure structure = {.jacobian = jacobian};
static const struct sens_problem times_three = {
    .type = &type, .n = 1, .t1 = 1, .x0 = &one, .data = &three, .structure = &structure};

/* One around another, in the place of the first, with data of their own. */
static void test_a_decorator_around_another(void **state)
{
    (void)state;
    static const struct sens_problem_decoration with = {.type = {.rhs = doubled}};
    const struct sens_at at = {0, &five, NULL};
    struct sens_decorated_problem room[2];
    struct sens_problem pb = times_three;
    double dx, J, x;
    for (int k = 0; k < 2; k++) sens_problem_decorate(&pb, &with, &two, &room[k], &pb);
    assert_int_equal(pb.type->rhs(&pb, &at, &dx), SENS_OK);
    assert_true(dx == 2 * 2 * 3 * 5);
    pb.structure->jacobian(&pb, &at, &J);
    assert_true(J == 3);
    pb.x0 = &five; /* the closed form is that of the state it has now */
    assert_true(pb.type->exact(&pb, NULL, NULL, &x, NULL, NULL) && x == 15);
    assert_string_equal(pb.type->name, "times");
}

/* Another f, t, x or p: only what every problem has. */
static void test_another_problem(void **state)
{
    (void)state;
    static const struct sens_problem_decoration with = {.type = {.rhs = doubled}, .another = true};
    struct sens_decorated_problem room;
    struct sens_problem made;
    sens_problem_decorate(&times_three, &with, &two, &room, &made);
    assert_true(made.type->rhs == doubled && !made.type->exact && !made.structure);
}

static void g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    G[0] += w * *(const double *)cost->data * at->x[0];
}

static void doubled_g(const struct sens_cost *cost, const struct sens_at *at, double w, double *G)
{
    cost->inner->type->g(cost->inner, at, w * *(const double *)cost->data, G);
}

static void test_a_cost_around_another(void **state)
{
    (void)state;
    static const struct sens_cost_type plain = {.g = g}, with = {.g = doubled_g}, as_inner;
    const struct sens_at at = {0, &five, NULL};
    struct sens_decorated_cost room[2];
    struct sens_cost cost = {.type = &plain, .m = 1, .data = &three};
    double G = 0;
    sens_cost_decorate(&cost, &with, &two, &room[0], &cost);
    sens_cost_decorate(&cost, &as_inner, NULL, &room[1], &cost);
    cost.type->g(&cost, &at, 1, &G);
    assert_true(G == 2 * 3 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_slot_of_a_problem),    cmocka_unit_test(test_every_slot_of_a_structure),
        cmocka_unit_test(test_every_slot_of_a_cost),       cmocka_unit_test(test_products_alone_are_added),
        cmocka_unit_test(test_a_decorator_around_another), cmocka_unit_test(test_another_problem),
        cmocka_unit_test(test_a_cost_around_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
