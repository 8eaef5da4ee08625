# Error of the gradient against what it took, a row of four panels for every problem and size: accepted steps,
# evaluations of f, factorisations, and time. Along a curve the tolerance changes. A method without factorisations has
# no curve in the third.
# not where another script loads this one
#! title: error of the gradient against steps, evaluations, factorisations and time
#! axes: n_rhs err_grad
#! panels: problem n
#! needs: t_total_s err_grad rtol steps n_rhs n_factor
#! controlled: effort
if (ARGC) {
    data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
    error_column = "err_grad"
    y_label = "relative error of the gradient"
    MEASURES = "steps n_rhs n_factor t_total_s"
    MEASURE_NAMES = "'accepted steps' 'evaluations of f' 'factorisations' 'time [s]'"
}
width = 140 + 340 * words(MEASURES)
height = 180 + 380 * words(panels)
load "common.gp"
across = words(MEASURES)
columns_of(k) = across
count = across * words(panels)
per_row = entries_per_row
legend = legend_rows(words(curves), per_row)
# the errors of what failed in all but name have no bound: such a point stands on the border
WORST = 10.0
within(error) = error > WORST ? WORST : error
known(measure) = strcol("status") eq "ok" && column(error_column) > 0 && column(measure) > 0
drawn(p, measure) = in_panel(p) && known(measure)

set logscale xy
set format x DECADES
set format y DECADES
set style data linespoints
stats data using (known("t_total_s") ? within(column(error_column)) : NaN) name "E" nooutput
y_lo = floor10(E_min)
y_hi = above(E_min, E_max)
set yrange [y_lo:y_hi]
set ytics y_lo, stride(y_lo, y_hi)

set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    p = word(panels, (panel - 1) / across + 1)
    measure = word(MEASURES, (panel - 1) % across + 1)
    undefine M_*
    set xrange [*:*]
    stats data using (drawn(p, measure) ? column(measure) : NaN):(within(column(error_column))) name "M" nooutput
    if (exists("M_min_x")) {
        set xrange [floor10(M_min_x):above(M_min_x, M_max_x)]
        set xtics floor10(M_min_x), 10
        set title (grid_i == 0 ? panel_title(grid_j + 1, p) : "")
        set xlabel word(MEASURE_NAMES, (panel - 1) % across + 1)
        set ylabel (grid_i == 0 ? y_label : "")
        plot for [i = 1:words(curves)] data using (drawn(p, measure) && of_curve(nth(i)) ? column(measure) : NaN): \
            (within(column(error_column))) pt mark_of(nth(i)) ps mark_size(nth(i)) dt dash_of(nth(i)) lw 1.6 \
            lc rgb colour_of(before(nth(i))) notitle
        unset label 100
        unset label 101
    }
}
load "legend.gp"
unset multiplot
