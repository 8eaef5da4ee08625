/* The store of references: files come back exactly, and anything damaged is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_support.h"
#include "reference.h"
#include "testing.h"

enum { N = 2, NP = 3, M = 4, ROWS = 2 };

struct store {
    char dir[64], path[128];
    long double x[N], G[ROWS], dGdp[ROWS * NP], dGdx0[ROWS * N];
    size_t row[ROWS];
    struct reference ref;
};

static void store_create(struct store *store, const char *problem, const char *key)
{
    *store = (struct store){.dir = "/tmp/sensbench-truth-XXXXXX", .row = {1, 3}};
    assert_non_null(mkdtemp(store->dir));
    for (size_t i = 0; i < ROWS * NP; i++) store->dGdp[i] = 1 / (3 + (long double)i);
    for (size_t i = 0; i < ROWS * N; i++) store->dGdx0[i] = -1 / (7 + (long double)i);
    store->x[0] = store->G[1] = 0x1.23456789abcdefp-3L;
    store->ref = (struct reference){.n = N,
                                    .np = NP,
                                    .m = M,
                                    .rows = ROWS,
                                    .row = store->row,
                                    .parts = SENS_IN_GRADIENT,
                                    .generator = "by hand",
                                    .check = "none",
                                    .date = "2000-01-01",
                                    .compiler = "none",
                                    .x = store->x,
                                    .G = store->G,
                                    .dGdp = store->dGdp,
                                    .dGdx0 = store->dGdx0};
    for (int part = 0; part < REFERENCE_PARTS; part++)
        store->ref.digits[part] = (struct reference_digits){15, 16};
    store->ref.print.part[PRINT_F] = (struct fingerprint_numbers){.count = 3, .value = {0.1, -1e300, NAN}};
    snprintf(store->ref.key, sizeof store->ref.key, "%s", key);
    snprintf(store->ref.problem, sizeof store->ref.problem, "%s", problem);
    snprintf(store->ref.cost, sizeof store->ref.cost, "identity");
    assert_true(reference_path(store->dir, problem, key, store->path, sizeof store->path));
}

static void store_remove(struct store *store)
{
    remove(store->path);
    assert_int_equal(rmdir(store->dir), 0);
}

static size_t read_bytes(const char *path, char *bytes, size_t size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t count = fread(bytes, 1, size, in);
    fclose(in);
    return count;
}

static void write_bytes(const char *path, const char *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(out);
}

static void assert_refused(const char *path)
{
    struct sens_ctx ctx = {0};
    struct reference ref;
    struct bench_error error = {.text = ""};
    assert_int_equal(reference_read(&ctx, path, &ref, &error), SENS_BAD_INPUT);
    assert_non_null(strstr(error.text, path)); /* names the file */
    sens_arena_release(&ctx.arena);
}

static void text_file_comes_back_exactly(void **state)
{
    (void)state;
    struct store store;
    struct sens_ctx ctx = {0};
    struct reference ref;
    struct bench_error error = {.text = ""};
    store_create(&store, "made_up", "made_up n=2");
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_int_equal(reference_read(&ctx, store.path, &ref, &error), SENS_OK);
    assert_string_equal(ref.key, store.ref.key);
    assert_true(ref.rows == ROWS && ref.row[0] == 1 && ref.row[1] == 3);
    for (size_t i = 0; i < ROWS * NP; i++) assert_true(ref.dGdp[i] == store.dGdp[i]);
    for (size_t i = 0; i < ROWS * N; i++) assert_true(ref.dGdx0[i] == store.dGdx0[i]);
    assert_true(ref.x[0] == store.x[0] && ref.G[1] == store.G[1]);
    const struct fingerprint_numbers *f = &ref.print.part[PRINT_F];
    assert_true(f->count == 3 && f->value[0] == 0.1 && f->value[1] == -1e300 && isnan(f->value[2]));
    assert_int_equal(ref.print.part[PRINT_P].count, 0);
    sens_arena_release(&ctx.arena);
    store_remove(&store);
}

/* Each single bit of the file, and each shorter file, is refused: header, checksum and numbers alike. */
static void damaged_file_is_refused(void **state)
{
    (void)state;
    struct store store;
    struct bench_error error = {.text = ""};
    char bytes[4096];
    store_create(&store, "made_up", "made_up n=2");
    assert_true(reference_write(store.path, &store.ref, &error));
    const size_t count = read_bytes(store.path, bytes, sizeof bytes);
    assert_true(count > 0 && count < sizeof bytes);
    for (size_t k = 0; k < count; k++) {
        bytes[k] = (char)(bytes[k] ^ (1 << k % 3));
        write_bytes(store.path, bytes, count);
        assert_refused(store.path);
        bytes[k] = (char)(bytes[k] ^ (1 << k % 3));
    }
    for (size_t k = 0; k < count; k += 7) {
        write_bytes(store.path, bytes, k);
        assert_refused(store.path);
    }
    memcpy(bytes + count, "G 1 0 1\n", 8);
    write_bytes(store.path, bytes, count + 8);
    assert_refused(store.path);
    store_remove(&store);
}

/* The same for the binary payload: some bits, and a length that is not the shape's. */
static void damaged_binary_file_is_refused(void **state)
{
    (void)state;
    enum { WIDE = 1600 };
    struct store store;
    struct bench_error error = {.text = ""};
    static long double wide[ROWS * WIDE];
    static char bytes[1 << 16];
    store_create(&store, "made_up", "made_up n=2");
    for (size_t i = 0; i < ROWS * WIDE; i++) wide[i] = (long double)i;
    store.ref.np = WIDE;
    store.ref.dGdp = wide;
    assert_true(reference_write(store.path, &store.ref, &error));
    struct sens_ctx ctx = {0};
    struct reference ref;
    assert_int_equal(reference_read(&ctx, store.path, &ref, &error), SENS_OK);
    for (size_t i = 0; i < ROWS * WIDE; i++) assert_true(ref.dGdp[i] == wide[i]);
    sens_arena_release(&ctx.arena);
    const size_t count = read_bytes(store.path, bytes, sizeof bytes);
    for (size_t k = 0; k < count; k += 997) {
        bytes[k] = (char)(bytes[k] ^ 1);
        write_bytes(store.path, bytes, count);
        assert_refused(store.path);
        bytes[k] = (char)(bytes[k] ^ 1);
    }
    write_bytes(store.path, bytes, count - 8);
    assert_refused(store.path);
    store_remove(&store);
}

/* A valid checksum cannot make too few digits, another problem's shape or another key good. */
static void poor_quality_and_wrong_shape_are_refused(void **state)
{
    (void)state;
    struct fixture fx;
    struct store store;
    struct bench_error error = {.text = ""};
    assert_int_equal(resolve(&fx, "problem=vdp t1=0.25 cost=terminal"), SENS_OK);
    const struct cell *cell = &fx.cell;
    store_create(&store, "vdp", cell->reference_key);
    assert_int_equal(setenv("SENSBENCH_REFERENCE", store.dir, 1), 0);
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_int_equal(truth_find(&fx.ctx, cell, TRUTH_REFERENCE, &fx.truth, &error), SENS_BAD_INPUT);
    assert_non_null(strstr(error.text, "shape"));
    store.ref.np = cell->problem.np;
    store.ref.m = cell->cost.m;
    store.ref.rows = 1;
    store.row[0] = 0;
    assert_int_equal(fingerprint_make(&fx.ctx, cell, &store.ref.print), SENS_OK);
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_int_equal(truth_find(&fx.ctx, cell, TRUTH_REFERENCE, &fx.truth, &error), SENS_OK);
    assert_true(fx.truth.rows == 1 && fx.truth.row[0] == 0);
    store.ref.digits[SENS_PART_DGDP].entry = 13.9;
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_refused(store.path);
    snprintf(store.ref.key, sizeof store.ref.key,
             "another n=2"); /* the name is a checksum of the key: not proof */
    store.ref.digits[SENS_PART_DGDP].entry = 14;
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_int_equal(truth_find(&fx.ctx, cell, TRUTH_REFERENCE, &fx.truth, &error), SENS_BAD_INPUT);
    remove(store.path);
    assert_int_equal(truth_find(&fx.ctx, cell, TRUTH_REFERENCE, &fx.truth, &error), SENS_NO_TRUTH);
    assert_non_null(
        strstr(error.text, "sensbench truth vdp form=eps eps=0.001 initial=fixed t1=0.25 cost=terminal"));
    assert_int_equal(unsetenv("SENSBENCH_REFERENCE"), 0);
    release(&fx);
    store_remove(&store);
}

/* The folders that are named come first, in their order, and the program's own are still there after them. */
static void folders_are_searched_in_order(void **state)
{
    (void)state;
    struct fixture fx;
    struct store store;
    struct reference ref;
    struct bench_error error = {.text = ""};
    char path[DATA_PATH], folders[256];
    assert_int_equal(resolve(&fx, "problem=vdp"), SENS_OK);
    store_create(&store, "vdp", fx.cell.reference_key);
    store.ref.m = store.ref.n = N;
    store.ref.np = 1;
    assert_int_equal(fingerprint_make(&fx.ctx, &fx.cell, &store.ref.print), SENS_OK);
    store.row[0] = 0, store.row[1] = 1;
    snprintf(folders, sizeof folders, "/none:%s::/nowhere", store.dir);
    assert_int_equal(setenv("SENSBENCH_REFERENCE", folders, 1), 0);
    assert_int_equal(reference_find(&fx.ctx, &fx.cell, NULL, path, &ref, &error), SENS_OK);
    assert_non_null(strstr(path, "results/reference/")); /* none of the folders has one yet */
    assert_true(reference_write(store.path, &store.ref, &error));
    assert_int_equal(reference_find(&fx.ctx, &fx.cell, NULL, path, &ref, &error), SENS_OK);
    assert_string_equal(path, store.path);
    assert_int_equal(reference_find(&fx.ctx, &fx.cell, "/none", path, &ref, &error), SENS_NO_TRUTH);
    assert_true(reference_folder(path));
    assert_string_equal(path, "/none");
    assert_int_equal(setenv("SENSBENCH_REFERENCE", "::", 1), 0);
    assert_false(reference_folder(path));
    assert_int_equal(unsetenv("SENSBENCH_REFERENCE"), 0);
    assert_false(reference_folder(path));
    release(&fx);
    store_remove(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_file_comes_back_exactly),
        cmocka_unit_test(damaged_file_is_refused),
        cmocka_unit_test(damaged_binary_file_is_refused),
        cmocka_unit_test(poor_quality_and_wrong_shape_are_refused),
        cmocka_unit_test(folders_are_searched_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
