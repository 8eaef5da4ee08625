/* derive/roll/classes.h - expressions of one shape.
 *
 * The place of a stored value among the members of its class is the number of those before it; or, where that is wanted
 * and the shape allows it, follows from the indices of the expression: the index i, where there is one, or n i + j
 * where there are two, i and j < n. The pairs of a triangle then stand where rows and columns of a square have them:
 * evenly apart, with gaps between. */
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
    uint32_t places; /* one more than the last place */
    uint64_t hash;
    size_t index[2]; /* of the integers that a place follows from */
    uint32_t stride; /* of the first of two; 1: there is one; 0: places are counted */
    bool pairs;      /* a place stands for two indices */
};

enum { CLASS_MOST_COUNTED = 32 };
/* Places that follow from indices, where the shape allows it, but of classes with these hashes. */
struct class_places {
    uint32_t range[GRAPH_OPS]; /* one more than the largest index of leaves of a kind */
    uint64_t counted[CLASS_MOST_COUNTED];
    size_t n_counted;
};

struct classes {
    struct class *class;
    struct class_member *member; /* in the order in which they came: what a member uses came before it */
    roll_token *token;
    int32_t *integer;
    uint32_t *slot; /* class + 1; 0: free */
    size_t n_classes, n_members, n_tokens, n_integers, slots;
    size_t class_room, member_room, token_room, integer_room;
    const struct class_places *places; /* NULL: all are counted */
    bool failed;                       /* no memory */
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
