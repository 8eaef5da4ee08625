# Time of one gradient against its error, a panel for every size; along a curve the tolerance changes.
load folder . "/common.gp"
count = words(panels)
per_row = words(TABLEAUX) > 1 ? 3 : 4 # longer entries with a tableau
legend = legend_rows(words(curves), per_row)
shown(p) = in_panel(p) && strcol("status") eq "ok" && column("err_grad") > 0 && column("t_total_s") > 0

set logscale xy
set format x DECADES
set format y DECADES
stats data using (strcol("status") eq "ok" && column("err_grad") > 0 ? column("err_grad") : NaN) name "E" nooutput
x_lo = floor10(E_min)
x_hi = above(E_min, E_max)

set multiplot
do for [panel = 1:count] {
    load folder . "/grid.gp"
    p = word(panels, panel)
    undefine T_*
    set xrange [*:*]
    set yrange [*:*]
    stats data using (shown(p) ? column("t_lo_s") : NaN):(column("t_hi_s")) name "T" nooutput
    if (exists("T_min_x")) {
        set xrange [x_lo:x_hi]
        set xtics x_lo, stride(x_lo, x_hi)
        set yrange [floor10(T_min_x):above(T_min_x, T_max_y)]
        set ytics floor10(T_min_x), stride(T_min_x, T_max_y)
        set title panel_title(panel, p)
        set xlabel (panel + grid_cols > count ? "relative error of the gradient (Frobenius norm)" : "")
        set ylabel (grid_i == 0 ? "time of one gradient [s]" : "")
        plot for [i = 1:words(curves)] data using (shown(p) && of_curve(nth(i)) ? column("err_grad") : NaN): \
            (column("t_total_s")):(column("t_lo_s")):(column("t_hi_s")) \
            pt marker_of(before(nth(i))) ps size_of(before(nth(i))) dt dash_of(nth(i)) lw 1.6 lc rgb colour_of(before(nth(i))) notitle
    }
    unset label 100
    unset label 101
}
load folder . "/legend.gp"
unset multiplot
