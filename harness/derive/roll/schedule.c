/* derive/roll/schedule.c - a class is computed when all classes that it uses are; one that uses itself in the order
 * of its members. Of classes that use each other there are two orders that are right for any graph: that in which their
 * members came, and level by level, where those of one level use none of each other. Each time that the class changes,
 * a part ends: that of fewer parts is taken. A recurrence has as many levels as members, a grid as few as one cell. */
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

struct waiting { /* a member of a class that is not computed yet */
    uint32_t level, class, member;
};

/* By level, in a level by class, in a class as they came. */
static int compare_waiting(const void *one, const void *other)
{
    const struct waiting *const a = one, *const b = other;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->class != b->class) return a->class < b->class ? -1 : 1;
    return a->member < b->member ? -1 : a->member > b->member;
}

/* Does a part end before element k? */
static bool begins_part(const struct waiting *rest, size_t k, bool by_level)
{
    return k == 0 || rest[k].class != rest[k - 1].class || (by_level && rest[k].level != rest[k - 1].level);
}

static size_t count_parts(const struct waiting *rest, size_t count, bool by_level)
{
    size_t parts = 0;
    for (size_t k = 0; k < count; k++) parts += begins_part(rest, k, by_level);
    return parts;
}

static void compute_in_order(struct state *s, const struct waiting *rest, size_t count, bool by_level,
                             size_t *filled)
{
    for (size_t k = 0; k < count; k++) {
        if (begins_part(rest, k, by_level)) add_part(s, rest[k].class, !by_level, *filled, 0);
        s->schedule->member[(*filled)++] = rest[k].member;
        s->schedule->part[s->schedule->n_parts - 1].members++;
    }
}

/* What is left uses each other. false: no memory. */
static bool compute_rest(struct state *s, size_t *filled)
{
    const struct classes *c = s->classes;
    struct waiting *const came = malloc(2 * (c->n_members + 1) * sizeof *came);
    struct waiting *const level = came + c->n_members;
    size_t count = 0;
    if (!came) return false;
    for (uint32_t m = 0; m < c->n_members; m++)
        if (!s->done[c->member[m].class])
            came[count++] = (struct waiting){c->member[m].level, c->member[m].class, m};
    memcpy(level, came, count * sizeof *came);
    qsort(level, count, sizeof *level, compare_waiting);
    const bool by_level = count_parts(level, count, true) < count_parts(came, count, false);
    compute_in_order(s, by_level ? level : came, count, by_level, filled);
    free(came);
    return true;
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
    bool done = false;
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
        done = compute_rest(s, &filled);
        while (n_waiting > 0) compute_class(s, waiting[--n_waiting], &filled);
    }
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
