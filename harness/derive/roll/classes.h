/* derive/roll/classes.h - expressions of one shape. */
#ifndef DERIVE_CLASSES_H
#define DERIVE_CLASSES_H

#include "normal.h"

struct class_member {
    uint32_t class;
    uint32_t target; /* the output; of a stored value its place among the members */
    uint32_t level;  /* above those of all members that it uses */
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

struct class_kind { /* of a member */
    enum roll_target target;
    bool in_lanes;
    uint32_t output; /* of ROLL_OUTPUT, else not used */
    uint32_t level;
};

/* The expression that stands in `normal` becomes a member: which. */
struct normal_place classes_add(struct classes *classes, const struct normal *normal,
                                const struct class_kind *kind);
void classes_release(struct classes *classes);

#endif
