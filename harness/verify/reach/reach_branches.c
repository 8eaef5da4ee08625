/* Both sides of the comparisons that rhs makes; see reach.c.
 *
 * A recording of rhs at a point has the comparisons a < b that it met there, as guards: at another point the same
 * graph tells which way each goes, as long as those before it go as they did. Points are drawn, beside the
 * solution and far from it, until each has gone both ways; for those that have not, the point that brought a - b
 * nearest to 0 is moved on from. Where one goes the other way the products are looked at, and rhs is recorded
 * again for the comparisons that follow. Between two points on either side of one, at the same time, the line is halved
 * down to neighbouring numbers: two formulas for the same thing, as a series for small numbers is, must meet there. */
#include <stdio.h>
#include <string.h>

#include "reach.h"
#include "recording.h"

enum { MOST_CROSSINGS = 64, FEWEST_CROSSINGS = 12 };
enum { MOST_PATHS = 8, MOST_GUARDS = 64, POINTS = 1200, MOST_NODES = 20000, STATUS_WORDS = 160 };

struct side { /* a comparison of a path */
    bool turned;
    double nearest; /* |a - b| */
    struct sens_at at;
    struct sens_at last; /* the last point where it went as it was recorded, near or far */
    int crossings;       /* that were looked at */
    double gap[MOST_CROSSINGS];
    bool meant; /* f jumps by more than a gap at one of them */
    struct worst gaps;
};

struct path {
    struct graph *graph;
    size_t from; /* the comparisons before it are those of another path */
    struct sens_at at;
    struct side side[MOST_GUARDS];
};

struct branches {
    const struct subject *subject;
    const struct recording *recording;
    struct reach_bases bases;
    int count;
    struct path path[MOST_PATHS];
    struct worst worst;
    struct verify_result result;
    bool blamed;
    char error[STATUS_WORDS];
};

static size_t guards(const struct path *path)
{
    return path->graph->n_guards < MOST_GUARDS ? path->graph->n_guards : MOST_GUARDS;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

static struct sens_at copy_point(const struct subject *subject, const struct sens_at *at)
{
    return (struct sens_at){at->t, verify_copy(subject->v, subject->pb->n, at->x),
                            verify_copy(subject->v, subject->pb->np, at->p)};
}

static bool add_path(struct branches *of, const struct sens_at *at, size_t from)
{
    struct bench_error error;
    struct graph *const graph = of->count < MOST_PATHS ? graph_create() : NULL;
    if (!graph) return false;
    if (recording_rhs(of->recording, at, graph, &error) != SENS_OK || graph->n_nodes > MOST_NODES) {
        snprintf(of->error, sizeof of->error, "%.*s", STATUS_WORDS - 1,
                 graph->n_nodes > MOST_NODES ? "it has too many operations" : error.text);
        graph_destroy(graph);
        return false;
    }
    struct path *const path = &of->path[of->count++];
    *path = (struct path){.graph = graph, .from = from, .at = *at};
    for (size_t g = 0; g < guards(path); g++)
        path->side[g] = (struct side){
            .nearest = INFINITY, .at = copy_point(of->subject, at), .last = copy_point(of->subject, at)};
    return true;
}

static long double *values(const struct branches *of, const struct path *path, const struct sens_at *at)
{
    struct verify *v = of->subject->v;
    const size_t n = of->subject->pb->n, np = of->subject->pb->np;
    long double *const x = verify_memory(v, n, sizeof *x), *const p = verify_memory(v, np, sizeof *p);
    long double *const value = verify_memory(v, path->graph->n_nodes, sizeof *value);
    for (size_t i = 0; i < n; i++) x[i] = at->x[i];
    for (size_t k = 0; k < np; k++) p[k] = at->p[k];
    graph_evaluate(path->graph, &(struct graph_point){.t = at->t, .x = x, .p = p}, value);
    return value;
}

/* ---- a point ------------------------------------------------------------------------------------------- */

static void look_closely(struct branches *of, const struct sens_at *at)
{
    const struct subject *subject = of->subject;
    struct worst here = {.count = 0};
    reach_note_place(&here, subject, at);
    if (here.count) worst_note(&of->worst, here.value, here.bound, "%s", here.where);
    if (worst_passes(&here) || of->blamed) return;
    of->blamed = true;
    verify_blame(&of->result, CAUSE_branch, 0.95);
    reach_look_for_causes(subject, at, &of->result);
}

/* ---- where two formulas meet --------------------------------------------------------------------------- */

/* Of the largest terms of f_i: digits that a series leaves out are fewer, a part that is switched on or off makes a
 * larger jump for some states and parameters, and is meant. */
static const double LEAST_GAP = 1e-6, LARGEST_GAP = 2e-3;
/* A gap between two formulas is a share of their value: where that is the largest term the same wherever it is crossed.
 * The jump of a switch bears no relation to the other terms, and its share goes over orders of magnitude. */
static const double ALIKE = 1.5, OFTEN = 0.4;

struct segment { /* from s = 0, where a comparison goes as it was recorded, to s = 1, where it does not */
    const struct branches *of;
    const struct path *path;
    size_t guard;
    struct sens_at from, to; /* at the same time */
};

static struct sens_at point_of(const struct segment *on, double s)
{
    const struct subject *subject = on->of->subject;
    const size_t n = subject->pb->n, np = subject->pb->np;
    double *const x = verify_array(subject->v, n), *const p = verify_array(subject->v, np);
    for (size_t i = 0; i < n; i++) x[i] = on->from.x[i] + s * (on->to.x[i] - on->from.x[i]);
    for (size_t k = 0; k < np; k++) p[k] = on->from.p[k] + s * (on->to.p[k] - on->from.p[k]);
    return (struct sens_at){on->to.t, x, p};
}

enum way { AS_RECORDED, TURNED, ANOTHER_PATH };

static enum way way_at(const struct segment *on, double s)
{
    struct verify *v = on->of->subject->v;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const struct sens_at at = point_of(on, s);
    const long double *const value = values(on->of, on->path, &at);
    enum way way = AS_RECORDED;
    for (size_t g = 0; g <= on->guard && way == AS_RECORDED; g++) {
        const struct graph_guard *const guard = &on->path->graph->guard[g];
        const bool holds = graph_holds(guard->comparison, value[guard->a], value[guard->b]);
        if (holds != guard->held) way = g == on->guard ? TURNED : ANOTHER_PATH;
    }
    sens_arena_rewind(&v->ctx.arena, mark);
    return way;
}

/* T [n], no less than the largest terms of f. */
static double *terms_of(const struct subject *subject, const struct sens_at *at, const double *f)
{
    enum { SIGNS = 8 };
    struct verify *v = subject->v;
    const size_t n = subject->pb->n;
    const struct linear map = linear_at(subject, PRODUCT_JVP, at);
    double *const T = verify_array(v, n), *const V = verify_array(v, n * SIGNS),
                  *out = verify_array(v, n * SIGNS);
    for (size_t e = 0; e < n * SIGNS; e++)
        V[e] = verify_integer(v, 0, 1) ? at->x[e / SIGNS] : -at->x[e / SIGNS];
    linear_apply(&map, SIGNS, V, out);
    for (size_t i = 0; i < n; i++) {
        T[i] = fabs(f[i]);
        for (size_t l = 0; l < SIGNS; l++) T[i] = fmax(T[i], fabs(out[i * SIGNS + l]));
    }
    return T;
}

/* false: the line leaves the path, or f has no value there. */
static bool note_gap(const struct branches *of, const struct segment *on, struct side *side)
{
    const struct subject *subject = of->subject;
    double low = 0, high = 1;
    for (double middle = 0.5; middle > low && middle < high; middle = low + (high - low) / 2) {
        const enum way way = way_at(on, middle);
        if (way == ANOTHER_PATH) return false;
        *(way == TURNED ? &high : &low) = middle;
    }
    const struct sens_at below = point_of(on, low), above = point_of(on, high);
    double *const f = verify_array(subject->v, subject->pb->n), *const g =
                                                                    verify_array(subject->v, subject->pb->n);
    if (subject->pb->type->rhs(subject->pb, &below, f) != SENS_OK ||
        subject->pb->type->rhs(subject->pb, &above, g) != SENS_OK)
        return false;
    const double *const T = terms_of(subject, &below, f);
    double *const largest = &side->gap[side->crossings];
    *largest = 0;
    for (size_t i = 0; i < subject->pb->n; i++) {
        const double gap = f[i] == g[i] ? 0 : fabs(g[i] - f[i]) / T[i];
        *largest = fmax(*largest, gap);
        side->meant = side->meant || !(gap <= LARGEST_GAP); /* or no number */
        worst_note(
            &side->gaps, gap, LEAST_GAP,
            "f_%zu jumps from %.10g to %.10g where a comparison turns, %.2g of its largest terms, and by "
            "about as much wherever it does: two formulas for the same thing do not meet, or a small "
            "jump is meant",
            i, f[i], g[i], gap);
    }
    return true;
}

/* From the last point where it went as recorded: of many such lines some cross far from the nominal parameters. */
static void look_at_gap(struct branches *of, struct path *path, size_t guard, const struct sens_at *at)
{
    struct verify *v = of->subject->v;
    struct side *const side = &path->side[guard];
    if (side->meant || side->crossings == MOST_CROSSINGS) return;
    const struct sens_arena_mark mark = sens_arena_mark(&v->ctx.arena);
    const struct segment on = {of, path, guard, {at->t, side->last.x, side->last.p}, *at};
    if (way_at(&on, 0) == AS_RECORDED && way_at(&on, 1) == TURNED) side->crossings += note_gap(of, &on, side);
    sens_arena_rewind(&v->ctx.arena, mark);
}

/* ---- which way ----------------------------------------------------------------------------------------- */

static void take_point(const struct sens_problem *pb, const struct sens_at *from, struct sens_at *to)
{
    to->t = from->t;
    memcpy((double *)to->x, from->x, pb->n * sizeof *from->x);
    memcpy((double *)to->p, from->p, pb->np * sizeof *from->p);
}

/* The comparison holds as it did; is the point the nearest yet to where it would not? */
static void keep_nearest(const struct sens_problem *pb, double apart, const struct sens_at *at,
                         struct side *side)
{
    take_point(pb, at, &side->last);
    if (!(apart < side->nearest)) return;
    side->nearest = apart;
    take_point(pb, at, &side->at);
}

/* Which way the comparisons of the path go at the point, up to the first that goes the other way. Is it the first
 * time that this one does? */
static bool visit(struct branches *of, int number, const struct sens_at *at)
{
    struct path *const path = &of->path[number];
    const long double *const value = values(of, path, at);
    for (size_t g = 0; g < guards(path); g++) {
        const struct graph_guard *const guard = &path->graph->guard[g];
        const long double a = value[guard->a], b = value[guard->b];
        if (graph_holds(guard->comparison, a, b) == guard->held) {
            keep_nearest(of->subject->pb, (double)fabsl(a - b), at, &path->side[g]);
            continue;
        }
        if (g < path->from || !subject_usable(of->subject, at)) return false;
        look_at_gap(of, path, g, at);
        if (path->side[g].turned) return false;
        path->side[g].turned = true;
        look_closely(of, at);
        add_path(of, at, g + 1);
        return true;
    }
    return false;
}

/* Every second one moves on from where a comparison came nearest to turning. */
static bool draw(struct branches *of, int number, int k, struct sens_at *at)
{
    const struct subject *subject = of->subject;
    const struct path *const path = &of->path[number];
    const size_t count = guards(path), g = count ? (size_t)k / 2 % count : 0;
    struct reach_bases near = of->bases;
    if (k % 2 && !path->side[g].turned) {
        near = (struct reach_bases){1, {path->side[g].at.x}};
        struct subject there = *subject;
        struct sens_problem pb = *subject->pb;
        pb.p = path->side[g].at.p;
        there.pb = &pb;
        if (k % 4 == 1) return reach_draw_place(&there, &near, k, POINTS, at);
        return reach_draw_far(&there, &near, 0, at);
    }
    return k % 4 ? reach_draw_far(subject, &near, k / 4, at)
                 : reach_draw_place(subject, &near, k, POINTS, at);
}

static void search(struct branches *of)
{
    struct sens_arena *const arena = &of->subject->v->ctx.arena;
    for (int number = 0; number < of->count; number++) {
        const bool any = guards(&of->path[number]) > of->path[number].from;
        for (int k = 0; any && k < POINTS; k++) {
            const struct sens_arena_mark mark = sens_arena_mark(arena);
            struct sens_at at;
            const bool first = draw(of, number, k, &at) && visit(of, number, &at);
            if (!first) sens_arena_rewind(arena, mark); /* a new path has its points there */
        }
    }
}

/* ---- the check ----------------------------------------------------------------------------------------- */

/* Is the largest gap one that many crossings have? */
static bool is_shared(const struct side *side)
{
    int alike = 0;
    for (int k = 0; k < side->crossings; k++) alike += ALIKE * side->gap[k] >= side->gaps.value;
    return side->crossings >= FEWEST_CROSSINGS && alike >= OFTEN * side->crossings;
}

/* Of a comparison that was crossed often enough, and never by a jump that is meant; NULL: there is none. */
static const struct worst *widest_gap(const struct branches *of)
{
    const struct worst *widest = NULL;
    for (int number = 0; number < of->count; number++)
        for (size_t g = of->path[number].from; g < guards(&of->path[number]); g++) {
            const struct side *const side = &of->path[number].side[g];
            if (side->meant || !is_shared(side) || worst_passes(&side->gaps)) continue;
            if (!widest || side->gaps.value > widest->value) widest = &side->gaps;
        }
    return widest;
}

static void judge(struct branches *of)
{
    size_t all = 0, turned = 0;
    for (int number = 0; number < of->count; number++)
        for (size_t g = of->path[number].from; g < guards(&of->path[number]); g++) {
            all++;
            turned += of->path[number].side[g].turned;
        }
    if (of->worst.count == 0) worst_note(&of->worst, 0, 0, "rhs makes no comparison that went both ways");
    const struct worst *const gap = widest_gap(of);
    if (gap) worst_note(&of->worst, gap->value, gap->bound, "%s", gap->where);
    verify_judge(&of->result, &of->worst);
    if (gap) verify_blame(&of->result, CAUSE_branch_gap, 0.95);
    if (turned == all) return;
    char words[VERIFY_SUBJECT];
    snprintf(words, sizeof words, "the other side of %zu of the %zu comparisons that rhs makes", all - turned,
             all);
    verify_not_varied(of->subject->v, "reach.varied", of->subject->v->module, of->subject->label, words);
}

/* Where the products are derived the problem is wrapped, and its rhs is the inner one's. */
static const struct sens_problem *plain(const struct sens_problem *pb)
{
    while (pb->inner) pb = pb->inner;
    return pb;
}

void reach_check_branches(const struct subject *subject)
{
    struct verify *v = subject->v;
    const struct sens_problem *pb = subject->pb;
    struct branches of = {.subject = subject, .result = subject_open(subject, "reach.branches")};
    const struct sens_at nominal = {(pb->t0 + pb->t1) / 2, pb->x0, pb->p};
    const bool known = !v->provider && recording_create(&v->ctx, plain(pb), NULL, &of.recording) == SENS_OK;
    if (!known || !add_path(&of, &nominal, 0)) {
        verify_skip(&of.result, "rhs cannot be recorded: %s",
                    known         ? of.error
                    : v->provider ? "it is wrapped"
                                  : v->ctx.message);
    } else {
        of.bases = reach_bases_create(subject);
        search(&of);
        judge(&of);
    }
    verify_close(v, &of.result);
    for (int number = 0; number < of.count; number++) graph_destroy(of.path[number].graph);
}
