/* The mass matrix of a model, M x' = f, with the constants of its statements `mass`: see equations.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "writer.h"

struct collecting {
    struct making *making;
    bool *diagonal; /* [n] given */
    size_t room;
};

static int by_place(const void *a, const void *b)
{
    const struct mass_entry *const p = a, *const q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return (p->col > q->col) - (p->col < q->col);
}

static bool append(struct collecting *all, struct mass_entry entry)
{
    struct equations *const made = all->making->made;
    if (made->masses == all->room) {
        const size_t room = 2 * all->room + 16;
        struct mass_entry *const larger = making_memory(all->making, room, sizeof *larger);
        if (!larger) return false;
        if (made->masses) memcpy(larger, made->mass, made->masses * sizeof *larger);
        made->mass = larger;
        all->room = room;
    }
    made->mass[made->masses++] = entry;
    return true;
}

/* The state whose derivative the entry multiplies; without one, that of the row itself. */
static bool find_column(struct writer *writer, const struct declaration *mass, size_t row, size_t *col)
{
    *col = row;
    if (!mass->column) return true;
    const graph_node node = writer_write(writer, mass->column);
    if (writer->failed) return false;
    if (writer->graph->node[node].op != GRAPH_X)
        return writer_refuse(writer, mass->column->place, "behind the comma of a mass a state is due");
    *col = writer->graph->node[node].a;
    return true;
}

static bool add_entry(void *self, const long *index)
{
    struct collecting *const all = self;
    struct making *const making = all->making;
    struct writer *const writer = &making->writer;
    const struct declaration *const mass = making->declaration;
    struct mass_entry entry = {.place = mass->place};
    long double value;
    if (!making_state(making, mass, index, &entry.row) || !find_column(writer, mass, entry.row, &entry.col) ||
        !writer_number(writer, mass->values, "a mass", &value))
        return false;
    entry.value = (double)value;
    if (!isfinite(entry.value))
        return writer_refuse(writer, mass->values->place, "a mass is a finite number, here it is %Lg", value);
    if (entry.row == entry.col) all->diagonal[entry.row] = true;
    return append(all, entry);
}

/* In their order, once each; those that are 0 are left out. */
static bool put_in_order(struct making *making)
{
    struct equations *const made = making->made;
    size_t kept = 0;
    qsort(made->mass, made->masses, sizeof *made->mass, by_place);
    for (size_t e = 1; e < made->masses; e++)
        if (by_place(&made->mass[e - 1], &made->mass[e]) == 0)
            return writer_refuse(&making->writer, made->mass[e].place,
                                 "this entry of the mass matrix is given twice");
    for (size_t e = 0; e < made->masses; e++)
        if (made->mass[e].value != 0) made->mass[kept++] = made->mass[e];
    made->masses = kept;
    return true;
}

bool making_masses(struct making *making)
{
    struct equations *const made = making->made;
    struct collecting all = {.making = making};
    for (const struct declaration *d = making->writer.syntax->declarations; d; d = d->next) {
        if (d->kind != DECLARE_MASS) continue;
        if (!all.diagonal) all.diagonal = making_memory(making, made->n, sizeof *all.diagonal);
        if (!all.diagonal) return false;
        making->declaration = d;
        if (!writer_each(&making->writer, d->ranges, add_entry, &all)) return false;
    }
    made->has_mass = all.diagonal != NULL;
    for (size_t i = 0; all.diagonal && i < made->n; i++)
        if (!all.diagonal[i] && !append(&all, (struct mass_entry){.row = i, .col = i, .value = 1}))
            return false;
    return !all.diagonal || put_in_order(making);
}
