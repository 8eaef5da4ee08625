/* Callbacks that several threads call at once, beside other instances, and many times. */
#include <string.h>

#include "meeting.h"
#include "reach.h"

/* The results of all callbacks at one input; [CALLS], NULL where there is none. */
struct results {
    double *out[CALLS];
};

static struct results results_create(const struct subject *subject, const struct inputs *in)
{
    struct results made = {{NULL}};
    for (int c = 0; c < CALLS; c++)
        if (call_applies(subject, (enum callback)c))
            made.out[c] = verify_array(subject->v, call_size(subject, (enum callback)c, in));
    return made;
}

/* Calls everything once, on outputs of zeros. */
static void call_all(const struct subject *subject, const struct inputs *in, const struct results *to)
{
    for (int c = 0; c < CALLS; c++) {
        if (!to->out[c]) continue;
        memset(to->out[c], 0, call_size(subject, (enum callback)c, in) * sizeof *to->out[c]);
        call_make(subject, (enum callback)c, in, to->out[c]);
    }
}

/* The first callback whose results differ; CALLS: none. */
static int first_difference(const struct subject *subject, const struct inputs *in, const struct results *a,
                            const struct results *b)
{
    for (int c = 0; c < CALLS; c++)
        if (a->out[c] && !same_numbers(call_size(subject, (enum callback)c, in), a->out[c], b->out[c]))
            return c;
    return CALLS;
}

/* ---- threads ------------------------------------------------------------------------------------------- */

struct caller {
    const struct subject *subject;
    struct inputs in;
    struct results alone, now;
    long rounds;
    long wrong[CALLS]; /* how often a callback gave other bits */
};

static void call_once(void *self)
{
    struct caller *caller = self;
    call_all(caller->subject, &caller->in, &caller->now);
    const int c = first_difference(caller->subject, &caller->in, &caller->alone, &caller->now);
    if (c < CALLS) caller->wrong[c]++;
    caller->rounds++;
}

void reach_check_threads(const struct subject *subject)
{
    struct worst worst = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.threads");
    struct caller *caller = verify_memory(subject->v, MEETING_THREADS, sizeof *caller);
    void *each[MEETING_THREADS];
    for (int k = 0; k < MEETING_THREADS; k++) {
        caller[k] = (struct caller){.subject = subject};
        each[k] = &caller[k];
        caller[k].in = inputs_create(subject, 2, 2 + 2 * (size_t)k);
        caller[k].alone = results_create(subject, &caller[k].in);
        caller[k].now = results_create(subject, &caller[k].in);
        call_all(subject, &caller[k].in, &caller[k].alone);
    }
    if (meeting_hold(call_once, each, subject->v->quick ? 150 : 2000) < MEETING_THREADS) {
        verify_skip(&result, "fewer than four threads could be made");
    } else {
        for (int k = 0; k < MEETING_THREADS; k++)
            for (int c = 0; c < CALLS; c++)
                worst_note(&worst, (double)caller[k].wrong[c], 0,
                           "%s: of %ld calls beside three other threads, so many gave other bits than alone",
                           call_name((enum callback)c), caller[k].rounds);
        verify_judge(&result, &worst);
    }
    verify_blame(&result, CAUSE_race_in_callback, 0.97);
    verify_close(subject->v, &result);
}

/* ---- instances ----------------------------------------------------------------------------------------- */

static void call_rhs_often(const struct subject *subject, const struct inputs *in)
{
    const long most = subject->v->quick ? 3000 : 30000;
    const long calls = (long)fmin((double)most, 1e6 / (double)subject->pb->n);
    double *dx = verify_array(subject->v, subject->pb->n);
    for (long k = 0; k < calls; k++) call_make(subject, CALL_RHS, in, dx);
}

static void note_results(struct worst *worst, const struct subject *subject, const struct inputs *in,
                         const struct results *first, const char *when)
{
    const struct results now = results_create(subject, in);
    call_all(subject, in, &now);
    const int c = first_difference(subject, in, first, &now);
    worst_note(worst, c == CALLS ? 0 : 1, 0, "%s gives other bits %s",
               c < CALLS ? call_name((enum callback)c) : "", when);
}

/* What is compared with the first results, again and again. */
struct comparison {
    const struct subject *subject;
    const struct inputs *in;
    const struct results *first;
    struct worst *worst;
};

/* Another instance was created; its callbacks are called once. The first gives what it gave, whatever the last one that
 * was created is. */
static void use(const struct comparison *with, struct instance *instance)
{
    struct subject other;
    if (subject_create(with->subject->v, instance, &other)) {
        const struct inputs in = inputs_create(&other, 2, 3);
        const struct results unused = results_create(&other, &in);
        call_all(&other, &in, &unused);
    }
    note_results(with->worst, with->subject, with->in, with->first,
                 "after other instances were created and used");
}

/* Instances with other choices, sizes and numbers; all of them stay alive. */
static void use_others(const struct comparison *with)
{
    enum { OTHERS = 4 };
    struct verify *v = with->subject->v;
    const struct sens_option *table = v->problem->options;
    const size_t count = sens_option_count(table);
    struct instance *instance = verify_memory(v, OTHERS + count, sizeof *instance);
    double *set = verify_array(v, count);
    for (int k = 1; k < OTHERS; k++)
        if (instance_create(v, v->problem, k, &instance[k])) use(with, &instance[k]);
    if (instance_sized(v, v->problem, 11, &instance[0])) use(with, &instance[0]);
    for (size_t i = 0; i < count; i++) {
        const double more = table[i].fallback == 0 ? 1 : 1.5 * table[i].fallback;
        for (size_t k = 0; k < count; k++) set[k] = NAN;
        if (table[i].kind != SENS_OPT_REAL || more > table[i].max || more < table[i].min) continue;
        set[i] = more;
        if (instance_with(v, v->problem, set, &instance[OTHERS + i])) use(with, &instance[OTHERS + i]);
    }
}

static bool same_problem(const struct sens_problem *a, const struct sens_problem *b)
{
    return a->n == b->n && a->np == b->np && same_numbers(1, &a->t0, &b->t0) &&
           same_numbers(1, &a->t1, &b->t1) && same_numbers(a->n, a->x0, b->x0) &&
           same_numbers(a->np, a->p, b->p);
}

/* Why the provider let another run for a product in one of two instances alone, as where a compiler is killed on a
 * machine with other work: that is no history of the callbacks. NULL: it did not. */
static const char *apart(const struct subject *a, const struct subject *b)
{
    struct sens_provider_account of[2] = {{.ran = NULL}, {.ran = NULL}};
    const struct sens_provider *const provider = a->v->provider;
    if (!provider || !provider->account) return NULL;
    provider->account(a->pb, &of[0]);
    provider->account(b->pb, &of[1]);
    if (!of[0].ran || !of[1].ran || strcmp(of[0].ran, of[1].ran) == 0) return NULL;
    return of[0].why && of[0].why[0] ? of[0].why : of[1].why;
}

/* The same options once more. In a random run the nominal values are drawn anew. NULL, or why its bits are not those of
 * the first. */
static const char *note_twin(struct worst *worst, const struct subject *subject, const struct inputs *in,
                             const struct results *first)
{
    struct verify *v = subject->v;
    const size_t count = sens_option_count(v->problem->options);
    double *set = verify_array(v, count);
    struct instance *pair = verify_memory(v, 2, sizeof *pair);
    struct subject twin[2];
    for (size_t i = 0; i < count; i++) set[i] = NAN;
    for (int k = 0; k < 2; k++)
        if (!instance_with(v, v->problem, set, &pair[k]) || !subject_create(v, &pair[k], &twin[k]))
            return NULL;
    const bool same = same_problem(&pair[0].problem, &pair[1].problem);
    worst_note(worst, same ? 0 : 1, 0,
               "two instances with the same options have other sizes or nominal values");
    if (!same || v->seed || !same_problem(subject->pb, &pair[0].problem)) return NULL;
    const struct worst before = *worst;
    note_results(worst, &twin[1], in, first, "in a second instance with the same options");
    const char *const why = worst_passes(worst) ? NULL : apart(subject, &twin[1]);
    if (why) *worst = before;
    return why;
}

void reach_check_instances(const struct subject *subject)
{
    struct worst others = {.count = 0}, history = {.count = 0};
    struct verify_result result = subject_open(subject, "reach.instances");
    const struct inputs in = inputs_create(subject, 2, 3);
    const struct results first = results_create(subject, &in);
    call_all(subject, &in, &first);
    call_rhs_often(subject, &in);
    note_results(&history, subject, &in, &first, "after some thousand calls of rhs");
    use_others(&(struct comparison){subject, &in, &first, &others});
    const char *const why = note_twin(&others, subject, &in, &first);
    const bool pure = worst_passes(&history);
    verify_judge(&result, pure ? &others : &history);
    if (why && result.verdict == VERIFY_PASS)
        verify_skip(&result, "a product of one of two instances was left to another provider: %s", why);
    verify_blame(&result, CAUSE_impure, pure ? 0.4 : 0.97);
    verify_blame(&result, CAUSE_shared_between_instances, pure ? 0.97 : 0.3);
    verify_close(subject->v, &result);
}
