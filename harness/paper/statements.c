/* Statements and the line fits behind them. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "statements.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const name[] = {"reproduced", "not reproduced", "not testable"};
    return name[verdict];
}

struct statement *paper_state(struct paper *paper, const char *section, const char *text)
{
    if (paper->statements == STATEMENTS_MAX) paper->statements--; /* a slip of ours; tested */
    struct statement *statement = &paper->statement[paper->statements++];
    *statement = (struct statement){.section = section, .text = text, .verdict = VERDICT_NOT_TESTABLE};
    return statement;
}

void statement_note(struct statement *statement, const char *format, ...)
{
    const size_t used = strlen(statement->number);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(statement->number + used, sizeof statement->number - used, format, arguments);
    va_end(arguments);
}

void statement_judge(struct statement *statement, bool reproduced)
{
    statement->verdict = reproduced ? VERDICT_REPRODUCED : VERDICT_NOT_REPRODUCED;
}

/* With X = log x, Y = log y: slope = Sxy / Sxx, correlation = Sxy / sqrt(Sxx Syy). */
bool fit_power(size_t count, const double x[], const double y[], double *slope, double *correlation)
{
    double mean_x = 0, mean_y = 0, Sxx = 0, Sxy = 0, Syy = 0;
    if (count < 3) return false;
    for (size_t i = 0; i < count; i++) {
        mean_x += log(x[i]) / (double)count;
        mean_y += log(y[i]) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        const double dx = log(x[i]) - mean_x, dy = log(y[i]) - mean_y;
        Sxx += dx * dx;
        Sxy += dx * dy;
        Syy += dy * dy;
    }
    *slope = Sxy / Sxx;
    *correlation = Syy > 0 ? Sxy / sqrt(Sxx * Syy) : 0;
    return isfinite(*slope);
}
