/* The inner loops of the engine, for every number of components: weighted sums of slopes, the copy and the
 * test for finite numbers. Every array ends where its memory ends, so that a read or write too
 * many faults. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explicit.h"
#include "testing.h"

enum { MOST = 35, MOST_TERMS = 20, ARRAYS = 4 };

/* Arrays of up to room doubles, each with a page behind it that must not be touched. */
struct memory {
    size_t room, page;
    unsigned char *start;
};

static struct memory memory_open(size_t room)
{
    struct memory memory = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    memory.room = (room * sizeof(double) / memory.page + 1) * memory.page;
    const size_t size = ARRAYS * (memory.room + memory.page);
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(start != MAP_FAILED);
    memory.start = start;
    for (size_t k = 0; k < ARRAYS; k++)
        assert_int_equal(
            mprotect(memory.start + (k + 1) * memory.room + k * memory.page, memory.page, PROT_NONE), 0);
    return memory;
}

static void memory_close(struct memory *memory)
{
    munmap(memory->start, ARRAYS * (memory->room + memory->page));
}

/* The last count doubles before the end of array k. */
static double *last(const struct memory *memory, size_t k, size_t count)
{
    return (double *)(void *)(memory->start + (k + 1) * memory->room + k * memory->page) - count;
}

/* Numbers of both signs and many magnitudes, the same for the same seed. */
static void fill(size_t count, double *v, unsigned seed)
{
    unsigned x = seed * 2654435761u + 1;
    for (size_t i = 0; i < count; i++) {
        x = x * 1664525u + 1013904223u;
        v[i] = ldexp((double)(int)x, (int)(x % 11) - 36);
    }
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

/* Component q of the sum as the formula says it, and what rounding may do to it. */
static double plain(size_t q, size_t stride, int terms, double h, const double *base, const double *w,
                    const double *K, double *bound)
{
    double sum = w[0] * K[q], size = fabs(sum);
    for (int j = 1; j < terms; j++) {
        const double term = w[j] * K[(size_t)j * stride + q];
        sum += term;
        size += fabs(term);
    }
    *bound = (terms + 2) * DBL_EPSILON * (fabs(h) * size + (base ? fabs(base[q]) : 0));
    return base ? base[q] + h * sum : h * sum;
}

static void check_sum(const struct memory *memory, size_t count, size_t stride, int terms, bool has_base)
{
    const size_t rows = (size_t)(terms - 1) * stride + count;
    double *K = last(memory, 0, rows), *w = last(memory, 1, (size_t)terms);
    double *base = has_base ? last(memory, 2, count) : NULL, *out = last(memory, 3, count);
    const double h = 0.3, before = 17;
    fill(rows, K, (unsigned)count);
    fill((size_t)terms, w, (unsigned)terms);
    if (base) fill(count, base, 3);
    out[-1] = before;
    sens_explicit_sum(count, stride, terms, h, base, w, K, out);
    assert_true(out[-1] == before);
    for (size_t q = 0; q < count; q++) {
        double bound, alone;
        const double expected = plain(q, stride, terms, h, base, w, K, &bound);
        assert_true(fabs(out[q] - expected) <= bound);
#ifdef SENS_TEST_REPRO
        assert_true(out[q] == expected);
#endif
        sens_explicit_sum(1, stride, terms, h, base ? base + q : NULL, w, K + q, &alone);
        assert_true(out[q] == alone); /* wherever it stands among others */
    }
}

static void test_sum(void **state)
{
    (void)state;
    struct memory memory = memory_open(MOST_TERMS * (MOST + 3));
    for (int terms = 1; terms <= MOST_TERMS; terms++)
        for (size_t count = 0; count <= MOST; count++)
            for (size_t wider = 0; wider <= 3; wider += 3) {
                check_sum(&memory, count, count + wider, terms, true);
                check_sum(&memory, count, count + wider, terms, false);
            }
    memory_close(&memory);
}

/* ---- copy and finite ----------------------------------------------------------------------------------- */

static void test_copy(void **state)
{
    (void)state;
    struct memory memory = memory_open(MOST);
    for (size_t count = 0; count <= MOST; count++) {
        double *from = last(&memory, 0, count), *to = last(&memory, 1, count);
        fill(count, from, 5);
        memset(to, 0, count * sizeof *to);
        to[-1] = 17;
        sens_explicit_copy(count, from, to);
        assert_memory_equal(to, from, count * sizeof *to);
        assert_true(to[-1] == 17);
    }
    memory_close(&memory);
}

static void test_finite(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY}, extreme[] = {DBL_MAX, -DBL_MAX, DBL_MIN / 2, -0.0};
    struct memory memory = memory_open(MOST);
    for (size_t count = 0; count <= MOST; count++) {
        double *v = last(&memory, 0, count);
        for (size_t i = 0; i < count; i++) v[i] = extreme[i % 4];
        v[-1] = NAN;
        assert_true(sens_finite(count, v));
        for (size_t at = 0; at < count; at++)
            for (size_t k = 0; k < 3; k++) {
                v[at] = bad[k];
                assert_false(sens_finite(count, v));
                v[at] = extreme[at % 4];
            }
    }
    memory_close(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
