/* harness/verify/tableau/implicit.h - the order of implicit tableaux. */
#ifndef VERIFY_TABLEAU_IMPLICIT_H
#define VERIFY_TABLEAU_IMPLICIT_H

#include "check.h"

/* tableau.order of v->tableau, diagonally or fully implicit or of Rosenbrock's kind: of b and of bhat = b - e. */
void implicit_check_order(struct verify *v);

#endif
