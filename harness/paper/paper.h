/* harness/paper/paper.h - what was published: above all one paper, Martins and Lakshtanov, Appl. Math. Comput. 510
 * (2025) 129699, arXiv 2410.01911, its tables with our numbers, and a verdict on each of its statements, from stored
 * rows.
 *
 * All that the program knows of this paper is in this folder: its sweeps (sweeps/), its published points, what was
 * measured before of other codes (measured_before.tsv), and what is claimed. The rows are looked up by the sweep they
 * belong to (table1 ... table3, fig2 ... fig5, tolerance, peers-*, lanes, scaling). */
#ifndef PAPER_PAPER_H
#define PAPER_PAPER_H

#include "summary.h"

/* Whether a row is of fig2, fig4 or peers-*, which measure the same tasks: one set of rows (summary.together). */
bool paper_compares(const struct record *row);

/* Prints the tables, the speed of the adjoint and the verdicts, as far as there are rows of the paper's sweeps; or adds
 * them to an object as "tables", "performance", "statements". false: a statement that has to hold does not, so that
 * the program itself is wrong. */
bool paper_print(const struct summary *summary, FILE *out);
bool paper_json(const struct summary *summary, json_t *object);

/* by_forward.c: prints the rows of the sweeps shallow and tsadjoint beside Table 5.1 of FATODE's paper and Table 4 of
 * PETSc TSAdjoint's; nothing of a sweep that has none. */
void paper_print_by_forward(const struct summary *summary, FILE *out);

#endif
