/* The layouts of made_files.h. */
#include "made_files.h"

enum {
    ROWS = 5,
    CURVE = 12,
    NETWORKS = 8 /* by the number of the first place, numbers beside, repeats */
};

struct layout {
    size_t rows, width;
    enum {
        UNTIMED,
        TIMED,
        TIMED_FROM_BEFORE
    } time; /* rows begin with a time; the first of them lies before t0 */
    const char *words;
};

static double draw(struct verify *v)
{
    return verify_uniform(v, 0, 1) < 0.5 ? verify_uniform(v, 0.3, 0.9) : verify_uniform(v, 1.1, 3);
}

/* Increasing, one in each part of the interval. */
static double draw_time(struct verify *v, const struct file_sizes *sizes, const struct layout *layout,
                        size_t row)
{
    const double length = sizes->t1 - sizes->t0, before = layout->time == TIMED_FROM_BEFORE ? 1 : 0;
    return sizes->t0 +
           length * ((double)row - before + verify_uniform(v, 0.1, 0.9)) / ((double)layout->rows - before);
}

static struct made_file make(struct verify *v, const struct file_sizes *sizes, const struct layout *layout)
{
    const size_t count = layout->rows * layout->width;
    double *const number = verify_array(v, count);
    for (size_t q = 0; q < count; q++) number[q] = draw(v);
    for (size_t j = 0; layout->time != UNTIMED && j < layout->rows; j++)
        number[j * layout->width] = draw_time(v, sizes, layout, j);
    return (struct made_file){.count = count, .number = number, .words = layout->words};
}

/* Edges of a ring of four places and a chord, and with `repeats` two of them again, the one turned round; each with
 * `beside` numbers of its own. */
static struct made_file make_network(struct verify *v, size_t base, size_t beside, bool repeats,
                                     const char *words)
{
    static const size_t edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 2}, {3, 2}};
    enum { EDGES = sizeof edge / sizeof *edge, AGAIN = 2 };
    const size_t rows = repeats ? EDGES : EDGES - AGAIN, width = 2 + beside;
    double *const number = verify_array(v, rows * width);
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; k < 2; k++) number[r * width + k] = (double)(edge[r][k] + base);
        for (size_t k = 2; k < width; k++) number[r * width + k] = draw(v);
    }
    return (struct made_file){.count = rows * width, .number = number, .words = words, .repeats = repeats};
}

/* One number of the row: t, weight, z [w], sigma [w]. */
static double measured_number(struct verify *v, size_t w, size_t row, size_t column, size_t every)
{
    const bool missing = (row + column) % 4 == 3;
    if (column == 1) return draw(v);
    if (column < 2 + w) return w > 1 && missing ? NAN : draw(v);
    return every > 0 && (row + column) % every == 0 ? draw(v) : NAN;
}

size_t files_make_measured(struct verify *v, const struct file_sizes *sizes,
                           struct made_file file[MADE_FILES])
{
    static const struct {
        size_t
            every; /* how many measurements there are for each that has a standard deviation; 0: none has */
        size_t quantities;
        const char *words;
    } made[] = {{1, 0, "measurements with standard deviations"},
                {3, 0, "measurements, a third of them with standard deviations"},
                {0, 0, "measurements without standard deviations"},
                {1, 2, "measurements of states and quantities with standard deviations"},
                {3, 3, "measurements of states and quantities, a third of them with standard deviations"}};
    static const size_t quantity[] = {3, 0, 1}; /* not in their order */
    const size_t count = sizeof made / sizeof *made;
    for (size_t k = 0; k < count; k++) {
        const size_t w = sizes->n + made[k].quantities, width = 2 + 2 * w;
        const struct layout layout = {ROWS, width, TIMED, ""};
        double *const number = verify_array(v, ROWS * width);
        for (size_t q = 0; q < ROWS * width; q++)
            number[q] = q % width == 0 ? draw_time(v, sizes, &layout, q / width)
                                       : measured_number(v, w, q / width, q % width, made[k].every);
        number[width] = number[0]; /* two at a time, at both ends */
        number[(ROWS - 1) * width] = number[(ROWS - 2) * width];
        file[k] = (struct made_file){.count = ROWS * width,
                                     .number = number,
                                     .words = made[k].words,
                                     .measured = true,
                                     .quantities = made[k].quantities,
                                     .quantity = quantity};
    }
    return count;
}

size_t files_make(struct verify *v, const struct file_sizes *sizes, struct made_file file[MADE_FILES])
{
    const size_t n = sizes->n, np = sizes->np;
    const struct layout layouts[] = {
        {1, n, UNTIMED, "n numbers"},
        {1, np, UNTIMED, "np numbers"},
        {1, 1, UNTIMED, "1 number"},
        {n, n, UNTIMED, "n rows of n"},
        {ROWS, n, UNTIMED, "rows of n"},
        {ROWS, n + 1, TIMED, "rows of t and n"},
        {ROWS, 2, TIMED, "rows of t and 1"},
        {ROWS, 2 * n + 1, TIMED, "rows of t and 2 n"},
        {ROWS, 3, TIMED, "rows of t and 2"},
        {1, 2 * n, UNTIMED, "2 n numbers"},
        {1, CURVE, UNTIMED, "12 numbers"},
        {ROWS, n + 1, TIMED_FROM_BEFORE, "rows of t and n, from before t0"},
        {ROWS, 2, TIMED_FROM_BEFORE, "rows of t and 1, from before t0"},
        {ROWS, 2 * n + 1, TIMED_FROM_BEFORE, "rows of t and 2 n, from before t0"},
        {ROWS, 3, TIMED_FROM_BEFORE, "rows of t and 2, from before t0"},
    };
    const size_t count = sizeof layouts / sizeof *layouts;
    _Static_assert(sizeof layouts / sizeof *layouts + NETWORKS <= MADE_FILES, "more layouts than files");
    size_t made = count;
    for (size_t k = 0; k < count; k++) file[k] = make(v, sizes, &layouts[k]);
    for (size_t k = 0; k < NETWORKS; k++) {
        static const char *const words[] = {"pairs of places", "pairs of places and a number"};
        const size_t base = k % 2, beside = k / 2 % 2;
        file[made++] = make_network(v, base, beside, k >= NETWORKS / 2, words[beside]);
    }
    return made;
}
