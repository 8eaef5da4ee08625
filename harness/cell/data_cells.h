/* harness/cell/data_cells.h - the cells of a line of text (data_file.h says how they are separated). */
#ifndef CELL_DATA_CELLS_H
#define CELL_DATA_CELLS_H

#include "text_file.h"

struct data_cells {
    char separator; /* ',' or a TAB */
    char *rest;     /* of the line; NULL: the last cell has been taken */
};

enum data_line { DATA_LINE, DATA_END, DATA_REFUSED };
/* The next line with something in it, without comment, line end and byte order mark; one with a byte that no text has
 * is refused. */
enum data_line data_next(struct text_file *text, struct bench_error *error);

/* The next cell of the line, without blanks and quotes around it; NULL: there is none. */
char *data_cell(struct data_cells *cells);

/* Empty, NA or nan, in any case. */
bool data_is_missing(const char *cell);
/* The number of an experiment: whole, from 1 to 1e6. */
bool data_experiment(const char *cell, double *number);

#endif
