/* A whole direction in words, see combinations.h. Of two parameters a and b with w_a and w_b, what stays along w is
 * a^(w_b/g) b^(-w_a/g) with g the largest common divisor; of more, the first with each of the others, which spans all
 * that stays. The same with multiples in place of powers for a sum. */
#include <math.h>
#include <stdlib.h>

#include "append.h"
#include "combinations.h"

static long common_divisor(long a, long b)
{
    while (b != 0) {
        const long rest = a % b;
        a = b;
        b = rest;
    }
    return labs(a);
}

static void write_power(char *text, const char *name, long power)
{
    append(text, COMBINATION_TEXT, power == 1 ? "%s" : "%s^%ld", name, power);
}

static void write_multiple(char *text, const char *name, long multiple)
{
    if (multiple != 1) append(text, COMBINATION_TEXT, "%ld ", multiple);
    append(text, COMBINATION_TEXT, "%s", name);
}

/* What stays of two: a positive power of the first. */
static void write_pair(char *text, const char *first, long w_first, const char *second, long w_second,
                       bool sum)
{
    const long g = common_divisor(w_first, w_second), a = labs(w_second / g), b = labs(w_first / g);
    const bool opposite = (w_first < 0) != (w_second < 0);
    void (*const write)(char *, const char *, long) = sum ? write_multiple : write_power;
    write(text, first, a);
    append(text, COMBINATION_TEXT, "%s", sum ? (opposite ? " + " : " - ") : opposite ? " * " : " / ");
    write(text, second, b);
}

static size_t count_names(size_t cols, const double *w)
{
    size_t count = 0;
    for (size_t k = 0; k < cols; k++) count += w[k] != 0;
    return count;
}

static void write_names(size_t cols, const double *w, const char *const *name, char *text)
{
    const size_t count = count_names(cols, w);
    size_t seen = 0;
    for (size_t k = 0; k < cols; k++) {
        if (w[k] == 0) continue;
        append(text, COMBINATION_TEXT, "%s%s", seen == 0 ? "" : seen + 1 == count ? " and " : ", ", name[k]);
        seen++;
    }
}

static void write_kept(size_t cols, const double *w, const char *const *name, bool sum, char *text)
{
    size_t first = 0, pairs = 0;
    while (first < cols && w[first] == 0) first++;
    append(text, COMBINATION_TEXT, " only as ");
    for (size_t k = first + 1; k < cols; k++) {
        if (w[k] == 0) continue;
        append(text, COMBINATION_TEXT, "%s", pairs++ ? " and " : "");
        write_pair(text, name[first], lround(w[first]), name[k], lround(w[k]), sum);
    }
}

void combination_words(size_t cols, const double *w, const char *const *name, enum combination_kind kind,
                       char text[COMBINATION_TEXT])
{
    size_t first = 0;
    text[0] = '\0';
    write_names(cols, w, name, text);
    if (count_names(cols, w) == 1) {
        append(text, COMBINATION_TEXT, ": no state moves when it changes");
        return;
    }
    if (kind != COMBINATION_LOCAL) {
        write_kept(cols, w, name, kind == COMBINATION_SUM, text);
        return;
    }
    while (first < cols && w[first] == 0) first++;
    append(text, COMBINATION_TEXT, ": no state moves when their logarithms change as ");
    for (size_t k = first; k < cols; k++)
        if (w[k] != 0) append(text, COMBINATION_TEXT, "%s%.4g", k > first ? " : " : "", w[k]);
}
