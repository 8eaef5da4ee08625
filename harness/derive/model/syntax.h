/* derive/model/syntax.h - a model file as it was read: declarations in their order, expressions as trees.
 *
 * Names are resolved while reading: whatever an expression names was declared above it. Sizes are not known
 * yet, they may depend on options. */
#ifndef MODEL_SYNTAX_H
#define MODEL_SYNTAX_H

#include "graph.h"
#include "lexer.h"
#include "sens/context.h"
#include "sens/option.h"

enum { MODEL_INDICES = 4, MODEL_ARGUMENTS = 16 };

enum symbol_kind {
    SYMBOL_OPTION,
    SYMBOL_PARAMETER,
    SYMBOL_STATE,
    SYMBOL_QUANTITY,
    SYMBOL_FUNCTION,
    SYMBOL_LOCAL, /* an index of a sum or an array, an argument of a function */
    SYMBOL_TIME,
    SYMBOL_PI
};

struct symbol {
    enum symbol_kind kind;
    const char *name;
    size_t slot; /* of a LOCAL: its place among all of them; of an OPTION: in the table of options */
    struct declaration *declaration; /* NULL: of LOCAL, TIME, PI */
    struct symbol *next;             /* declared before it */
};

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_NAME,     /* children: indices */
    EXPRESSION_CALL,     /* of a declared function; children: arguments */
    EXPRESSION_FUNCTION, /* of the library: `op`; children: arguments */
    EXPRESSION_SUM,      /* children joined by + and - */
    EXPRESSION_PRODUCT,  /* children joined by * and / */
    EXPRESSION_NEGATIVE,
    EXPRESSION_POWER,
    EXPRESSION_IF,      /* children: condition, then, else */
    EXPRESSION_COMPARE, /* children: two; `mark` */
    EXPRESSION_AND,
    EXPRESSION_OR,
    EXPRESSION_NOT,
    EXPRESSION_OVER_RANGE /* sum or product over ranges, the child */
};

struct range {            /* INDEX in FIRST .. LAST */
    struct symbol *index; /* NULL: has no name */
    struct expression *first, *last;
    struct text_place place;
    struct range *next;
};

enum library_extra { LIBRARY_FLOOR = GRAPH_OPS, LIBRARY_MOD }; /* of known numbers alone */

struct expression {
    enum expression_kind kind;
    struct text_place place;
    char mark;      /* in a list of children, what joins it to those before: + - * /; COMPARE: < l > g = ! */
    bool condition; /* true or false, and no number */
    double number;
    long double wide;
    struct symbol *symbol; /* NAME, CALL */
    int op;                /* FUNCTION: enum graph_op or library_extra; OVER_RANGE: GRAPH_ADD, GRAPH_MUL */
    struct range *ranges;  /* OVER_RANGE */
    struct expression *children, *next;
};

enum declaration_kind {
    DECLARE_OPTION,
    DECLARE_PARAMETER,
    DECLARE_STATE,
    DECLARE_QUANTITY,
    DECLARE_FUNCTION,
    DECLARE_EQUATION,
    DECLARE_MASS,
    DECLARE_IMPLICIT,
    DECLARE_COST
};

enum cost_kind { COST_FINAL, COST_AT, COST_INTEGRAL };
struct cost_term {
    enum cost_kind kind;
    bool minus;
    struct expression *time, *value; /* time: COST_AT */
    struct cost_term *next;
};

struct declaration {
    enum declaration_kind kind;
    struct symbol *symbol; /* EQUATION, MASS, IMPLICIT: of the state; COST: NULL */
    const char *name;
    struct text_place place;
    struct range *ranges;                     /* of an array, or of an equation's indices */
    size_t indices;                           /* how many; FUNCTION: arguments */
    struct expression *values;                /* one, or as many as elements, in a list */
    struct symbol *argument[MODEL_ARGUMENTS]; /* FUNCTION */
    struct expression *column;                /* MASS: the state of the column; NULL: that of the row */
    struct cost_term *terms;                  /* COST */
    int option;    /* place in the table of options of a scalar that is one, or -1 */
    size_t number; /* among its kind, in the order of the file */
    struct declaration *next;
};

struct known_value { /* what a publication says of the state at the end */
    struct declaration *state;
    struct expression *indices;
    double value;
    double unit; /* of its last printed digit */
    struct text_place place;
    struct known_value *next;
};
struct known_set { /* with these options instead of the defaults */
    size_t settings;
    struct {
        int option;
        double value;
    } setting[8];
    struct known_value *values;
    struct known_set *next;
};

struct syntax {
    const char *path, *text; /* of its own */
    size_t length;
    const char *name, *summary, *source; /* source "": none */
    struct sens_option *options;         /* ends with SENS_OPTIONS_END */
    size_t n_options;
    struct expression *t0, *t1;
    struct text_place interval_place;
    int final_time; /* the option T that the file did not declare itself, or -1 */
    struct declaration *declarations;
    size_t costs, locals, arrays; /* counts; arrays: declarations with a value: their `number` is below it */
    struct known_set *known;
    struct sens_arena arena; /* of all this */
};

/* Reads a model from text. *syntax is to be destroyed when it succeeds. false: with a message that names the
 * path, line and column. */
bool syntax_read(const char *path, const char *text, size_t length, struct syntax *syntax,
                 struct bench_error *error);
/* The name alone, from the first statement. false, with a message: it is none. */
bool syntax_name(const char *path, const char *text, size_t length, char name[MODEL_NAME],
                 struct bench_error *error);
void syntax_destroy(struct syntax *syntax);

#endif
