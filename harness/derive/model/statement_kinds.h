/* derive/model/statement_kinds.h - one function for each kind of statement, behind its first word. false: refused. */
#ifndef MODEL_STATEMENT_KINDS_H
#define MODEL_STATEMENT_KINDS_H

#include "parser.h"

#define STATEMENT_LARGE 1e300 /* what a number may be that has no limits of its own */
enum { STATEMENT_WHOLE = 1000000000 };

bool statement_option(struct parser *parser);
bool statement_parameter(struct parser *parser);
bool statement_state(struct parser *parser);
bool statement_interval(struct parser *parser);
bool statement_mass(struct parser *parser);
bool statement_implicit(struct parser *parser);
bool statement_cost(struct parser *parser);
bool statement_known(struct parser *parser);   /* known.c */
bool statement_by_name(struct parser *parser); /* that begins with a name: a quantity, function, equation */

#endif
