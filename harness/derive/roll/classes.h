/* derive/roll/classes.h - expressions of one shape. */
#ifndef DERIVE_CLASSES_H
#define DERIVE_CLASSES_H

#include "normal.h"

struct class_member {
    uint32_t class;
    uint32_t target; /* the output; of a stored value its place among the members */
    size_t integer;  /* where its integers are */
};

struct class {
    size_t token, n_tokens, n_integers; /* in the lists below */
    enum roll_target target;
    bool in_lanes;
    uint32_t members;
    uint64_t hash;
};

struct classes {
    struct class *class;
    struct class_member *member; /* in the order in which they came: what a member uses came before it */
    roll_token *token;
    int32_t *integer;
    uint32_t *slot; /* class + 1; 0: free */
    size_t n_classes, n_members, n_tokens, n_integers, slots;
    size_t class_room, member_room, token_room, integer_room;
    bool failed; /* no memory */
};

/* The expression that stands in `normal` becomes a member: which. output: of ROLL_OUTPUT, else not used. */
struct normal_place classes_add(struct classes *classes, const struct normal *normal, enum roll_target target,
                                bool in_lanes, uint32_t output);
void classes_release(struct classes *classes);

#endif
