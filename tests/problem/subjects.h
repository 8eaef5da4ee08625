/* tests/problem/subjects.h - the instances and points at which tests of derivative products look.
 *
 * A subject is a registered problem with its default options, or with one CHOICE option set to each other
 * choice. A point is the nominal (x0, p) in the middle of the time interval, or that point perturbed at
 * random. */
#ifndef SUBJECTS_H
#define SUBJECTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sens/registry.h"

enum { SUBJECT_OPTIONS = 32, SUBJECT_POINTS = 3 };

struct subject {
    struct sens_ctx ctx; /* everything below and all blocks of a check live in its arena */
    struct sens_problem pb;
    char label[128];
    gsl_rng *rng;
};

typedef void subject_check(struct subject *subject);

static inline double *block(struct subject *s, size_t count)
{
    double *made = SENS_NEW(&s->ctx, double, count);
    assert_non_null(made);
    return made;
}

static inline double *random_block(struct subject *s, size_t count)
{
    double *made = block(s, count);
    for (size_t i = 0; i < count; i++) made[i] = gsl_ran_gaussian(s->rng, 1);
    return made;
}

/* v with noise of a tenth of each entry, and of the mean magnitude where the entry is 0. */
static inline double *perturbed(struct subject *s, size_t count, const double *v, double amount)
{
    double *made = block(s, count), mean = 0;
    for (size_t i = 0; i < count; i++) mean += fabs(v[i]) / (double)count;
    if (mean == 0) mean = 1;
    for (size_t i = 0; i < count; i++)
        made[i] = v[i] + amount * gsl_ran_gaussian(s->rng, 0.1) * (v[i] != 0 ? fabs(v[i]) : mean);
    return made;
}

/* Point `which` < SUBJECT_POINTS; the first is the nominal one. */
static inline struct sens_at subject_point(struct subject *s, int which)
{
    const double amount = which == 0 ? 0 : 1;
    return (struct sens_at){.t = s->pb.t0 + (s->pb.t1 - s->pb.t0) * (0.5 + 0.1 * which),
                            .x = perturbed(s, s->pb.n, s->pb.x0, amount),
                            .p = perturbed(s, s->pb.np, s->pb.p, amount)};
}

static inline void check_instance(const struct sens_problem_type *type, const struct sens_value *value,
                                  const char *variation, subject_check *check)
{
    struct subject s = {.rng = gsl_rng_alloc(gsl_rng_mt19937)};
    assert_non_null(s.rng);
    snprintf(s.label, sizeof s.label, "%s%s", type->name, variation);
    assert_int_equal(sens_problem_create(&s.ctx, type, value, &s.pb), SENS_OK);
    check(&s);
    gsl_rng_free(s.rng);
    sens_arena_release(&s.ctx.arena);
}

static inline void check_variations(const struct sens_problem_type *type, subject_check *check)
{
    struct sens_value value[SUBJECT_OPTIONS];
    assert_true(sens_option_count(type->options) <= SUBJECT_OPTIONS);
    sens_option_defaults(type->options, value);
    check_instance(type, value, "", check);
    for (size_t o = 0; o < sens_option_count(type->options); o++) {
        const struct sens_option *option = &type->options[o];
        if (option->kind != SENS_OPT_CHOICE) continue;
        for (int c = 0; option->choices[c]; c++) {
            char variation[96];
            if (c == (int)option->fallback) continue;
            value[o].number = c;
            snprintf(variation, sizeof variation, " %s=%s", option->name, option->choices[c]);
            check_instance(type, value, variation, check);
        }
        value[o].number = option->fallback;
    }
}

static inline void for_each_subject(subject_check *check)
{
    const struct sens_problem_type *const *type = sens_registry_baseline()->problems;
    assert_non_null(*type);
    for (; *type; type++) check_variations(*type, check);
}

#endif
