/* derive/roll/schedule.h - an order in which classes, or parts of them, can be computed. */
#ifndef DERIVE_SCHEDULE_H
#define DERIVE_SCHEDULE_H

#include "classes.h"

struct schedule_part { /* members of one class that are computed together */
    uint32_t class;
    bool sequential;       /* one of them may use another that stands before it */
    size_t first, members; /* schedule.member[first ...] */
};

struct schedule {
    struct schedule_part *part;
    size_t n_parts;
    uint32_t *member; /* [classes->n_members] */
};

/* false: no memory, nothing to release. */
bool schedule_classes(const struct classes *classes, struct schedule *schedule);
void schedule_release(struct schedule *schedule);

#endif
