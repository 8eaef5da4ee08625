# Achieved error against requested tolerance, a panel for every problem and size; the dotted line is error = tolerance.
#! title: achieved error against requested tolerance (dotted: equal)
#! axes: rtol err_grad
#! panels: problem n
#! needs: rtol err_grad
#! controlled: none
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
load "common.gp"
count = words(panels)
per_row = entries_per_row
legend = legend_rows(words(curves), per_row)
shown(p) = in_panel(p) && strcol("status") eq "ok" && column("err_grad") > 0 && column("rtol") > 0

set logscale xy
set format x DECADES
set format y DECADES
set style data linespoints
stats data using (strcol("status") eq "ok" && column("err_grad") > 0 ? column("rtol") : NaN): \
    (column("err_grad")) name "E" nooutput
x_lo = floor10(E_min_x)
x_hi = above(E_min_x, E_max_x)
y_lo = floor10(E_min_y < x_lo ? E_min_y : x_lo)
# the errors of a wrong derivative have no bound: above 1e10 a point stands on the border
WORST = 1e10
y_hi = above(y_lo, E_max_y > WORST ? WORST : (E_max_y > x_hi ? E_max_y : x_hi))
within(error) = error > WORST ? WORST : error
set xrange [x_lo:x_hi]
set yrange [y_lo:y_hi]
set xtics x_lo, stride(x_lo, x_hi)
set ytics y_lo, stride(y_lo, y_hi)

set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    p = word(panels, panel)
    set title panel_title(panel, p)
    set xlabel (panel + grid_cols > count ? "requested tolerance (relative = absolute)" : "")
    set ylabel (grid_i == 0 ? "relative error of the gradient" : "")
    plot for [i = 1:words(curves)] data using (shown(p) && of_curve(nth(i)) ? column("rtol") : NaN): \
                (within(column("err_grad"))) \
            pt mark_of(nth(i)) ps mark_size(nth(i)) dt dash_of(nth(i)) lw 1.6 \
            lc rgb colour_of(before(nth(i))) notitle, \
        x with lines lw 1.2 dt 3 lc rgb GREY notitle
    unset label 100
    unset label 101
}
load "legend.gp"
unset multiplot
