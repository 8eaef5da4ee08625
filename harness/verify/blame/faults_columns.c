/* What columns, and all, of a wrong gradient have in common. */
#include "hypotheses.h"

/* The factor c for which column k of [m][width] is c times what it should be, to rounding; NaN: there is
 * none. */
static double column_factor(size_t m, size_t width, size_t k, const double *got, const double *right)
{
    double product = 0, size = 0, off = 0;
    for (size_t q = k; q < m * width; q += width) product += got[q] * right[q], size += right[q] * right[q];
    const double c = size > 0 ? product / size : NAN;
    for (size_t q = k; q < m * width; q += width) off += (got[q] - c * right[q]) * (got[q] - c * right[q]);
    return off < 1e-16 * size ? c : NAN;
}

size_t columns_reversed(size_t m, size_t width, const double *got, const double *right)
{
    size_t count = 0;
    for (size_t k = 0; got && right && k < width; k++) {
        const double c = column_factor(m, width, k, got, right);
        if (fabs(c + 1) < 1e-6)
            count++;
        else if (!(fabs(c - 1) < 1e-6))
            return 0;
    }
    return count;
}

double nearest_factor(size_t rows, const size_t *row, size_t width, const double *a, const double *b,
                      size_t *entries)
{
    double product = 0, size = 0;
    for (size_t e = 0; a && b && e < rows; e++)
        for (size_t q = row[e] * width; q < (row[e] + 1) * width; q++) {
            product += a[q] * b[q];
            size += b[q] * b[q];
            *entries += b[q] != 0;
        }
    return size > 0 ? product / size : 1;
}
