/* derive/roll/schedule.c - a class is computed when all classes that it uses are; one that uses itself in the order
 * of its members. Classes that use each other are computed in the order in which their members came, which is
 * right for any graph: each time that the class changes, a part ends. */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

struct state {
    const struct classes *classes;
    struct schedule *schedule;
    uint32_t *users, *next; /* lists of edges: from a class to those that use it */
    uint32_t *head;         /* [n_classes] edge + 1 */
    uint32_t *open;         /* [n_classes] classes used that are not computed yet */
    uint32_t *last;         /* [n_classes] the last user that got an edge + 1 */
    bool *uses_itself, *done;
    uint32_t *start; /* [n_classes + 1] of the members of each class in `sorted` */
    uint32_t *sorted;
    size_t n_edges, user_room, next_room;
};

static bool add_edge(struct state *s, uint32_t used, uint32_t user)
{
    if (used == user) s->uses_itself[user] = true;
    if (used == user || s->last[used] == user + 1) return true;
    s->last[used] = user + 1;
    if (!array_grow(&s->users, s->n_edges + 1, &s->user_room, sizeof *s->users) ||
        !array_grow(&s->next, s->n_edges + 1, &s->next_room, sizeof *s->next))
        return false;
    s->users[s->n_edges] = user;
    s->next[s->n_edges] = s->head[used];
    s->head[used] = (uint32_t)++s->n_edges;
    s->open[user]++;
    return true;
}

/* The classes that the members of a class use are among their integers. */
static bool add_edges(struct state *s, uint32_t class, unsigned char *flag)
{
    const struct classes *c = s->classes;
    normal_flags(c->token + c->class[class].token, flag);
    for (size_t e = 0; e < c->class[class].n_integers; e++) {
        if (!(flag[e] & NORMAL_CLASS)) continue;
        for (size_t k = s->start[class]; k < s->start[class + 1]; k++)
            if (!add_edge(s, (uint32_t)c->integer[c->member[s->sorted[k]].integer + e], class)) return false;
    }
    return true;
}

static bool find_edges(struct state *s)
{
    size_t widest = 0;
    for (size_t k = 0; k < s->classes->n_classes; k++)
        if (s->classes->class[k].n_integers > widest) widest = s->classes->class[k].n_integers;
    unsigned char *flag = malloc(widest + 1);
    bool done = flag;
    for (size_t k = 0; done && k < s->classes->n_classes; k++) done = add_edges(s, (uint32_t)k, flag);
    free(flag);
    return done;
}

/* The members of each class together, in their order. */
static void sort_members(struct state *s)
{
    const struct classes *c = s->classes;
    for (size_t k = 0; k < c->n_classes; k++) s->start[k + 1] = s->start[k] + c->class[k].members;
    for (size_t m = 0; m < c->n_members; m++) s->sorted[s->start[c->member[m].class]++] = (uint32_t)m;
    for (size_t k = c->n_classes; k-- > 0;) s->start[k + 1] = s->start[k];
    s->start[0] = 0;
}

/* ---- the order ----------------------------------------------------------------------------------------- */

static void add_part(struct state *s, uint32_t class, bool sequential, size_t first, size_t members)
{
    s->schedule->part[s->schedule->n_parts++] = (struct schedule_part){class, sequential, first, members};
}

static void compute_class(struct state *s, uint32_t class, size_t *filled)
{
    const size_t members = s->start[class + 1] - s->start[class];
    memcpy(s->schedule->member + *filled, s->sorted + s->start[class], members * sizeof *s->sorted);
    add_part(s, class, s->uses_itself[class], *filled, members);
    *filled += members;
    s->done[class] = true;
    for (uint32_t e = s->head[class]; e; e = s->next[e - 1]) s->open[s->users[e - 1]]--;
}

/* What is left uses each other: members in the order in which they came. */
static void compute_rest(struct state *s, size_t *filled)
{
    const struct classes *c = s->classes;
    uint32_t before = UINT32_MAX;
    for (size_t m = 0; m < c->n_members; m++) {
        const uint32_t class = c->member[m].class;
        if (s->done[class]) continue;
        if (class != before) add_part(s, class, true, *filled, 0);
        before = class;
        s->schedule->member[(*filled)++] = (uint32_t)m;
        s->schedule->part[s->schedule->n_parts - 1].members++;
    }
}

/* Does nothing that is not computed yet use it? Outputs, for one: they can wait until the end. */
static bool can_wait(const struct state *s, uint32_t class, const bool *waits)
{
    for (uint32_t e = s->head[class]; e; e = s->next[e - 1])
        if (!s->done[s->users[e - 1]] && !waits[s->users[e - 1]]) return false;
    return true;
}

static bool order_parts(struct state *s)
{
    const size_t classes = s->classes->n_classes;
    size_t filled = 0, n_waiting = 0;
    bool *waits = calloc(classes + 1, sizeof *waits);
    uint32_t *waiting = malloc((classes + 1) * sizeof *waiting);
    if (waits && waiting) {
        for (bool more = true; more;) {
            more = false;
            for (uint32_t k = 0; k < classes; k++)
                if (!s->done[k] && s->open[k] == 0) compute_class(s, k, &filled), more = true;
        }
        for (bool more = true; more;) {
            more = false;
            for (uint32_t k = (uint32_t)classes; k-- > 0;)
                if (!s->done[k] && !waits[k] && can_wait(s, k, waits)) {
                    waits[k] = more = true;
                    waiting[n_waiting++] = k;
                }
        }
        for (size_t k = 0; k < n_waiting; k++) s->done[waiting[k]] = true;
        compute_rest(s, &filled);
        while (n_waiting > 0) compute_class(s, waiting[--n_waiting], &filled);
    }
    const bool done = waits && waiting;
    free(waits);
    free(waiting);
    return done;
}

bool schedule_classes(const struct classes *c, struct schedule *schedule)
{
    struct state s = {.classes = c, .schedule = schedule};
    const size_t classes = c->n_classes + 2, members = c->n_members + 1;
    uint32_t *numbers = calloc(4 * classes + members, sizeof *numbers);
    s.done = calloc(2 * classes, sizeof *s.done);
    *schedule = (struct schedule){malloc(members * sizeof *schedule->part), 0,
                                  malloc(members * sizeof *schedule->member)};
    bool done = numbers && s.done && schedule->part && schedule->member;
    if (done) {
        s.head = numbers, s.open = numbers + classes, s.last = s.open + classes, s.start = s.last + classes;
        s.sorted = s.start + classes;
        s.uses_itself = s.done + classes;
        sort_members(&s);
        done = find_edges(&s) && order_parts(&s);
    }
    free(numbers), free(s.done), free(s.users), free(s.next);
    if (!done) schedule_release(schedule);
    return done;
}

void schedule_release(struct schedule *schedule)
{
    free(schedule->part);
    free(schedule->member);
    *schedule = (struct schedule){.n_parts = 0};
}
