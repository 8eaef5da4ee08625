# Time of one gradient against its error, a panel for every size; along a curve the tolerance changes.
load folder . "/common.gp"
count = words(panels)
per_row = 4
legend = legend_rows(words(curves), per_row)

set logscale xy
set format x FORMAT
set format y FORMAT
stats data using (strcol("status") eq "ok" && column("err_grad") > 0 && column("t_lo_s") > 0 ? column("err_grad") : NaN) name "E" nooutput
x_lo = floor10(E_min)
x_hi = ceil10(E_max)
set xrange [x_lo:x_hi]
set xtics x_lo, 10.0 ** stride(x_lo, x_hi)

set multiplot
do for [panel = 1:count] {
    load folder . "/grid.gp"
    p = word(panels, panel)
    set title panel_title(panel, p)
    set xlabel (grid_j == grid_rows - 1 || panel + grid_cols > count ? "relative error of the gradient (Frobenius norm)" : "")
    set ylabel (grid_i == 0 ? "time of one gradient [s]" : "") offset 0.5, 0
    undefine T_*
    stats data using (in_panel(p) && strcol("status") eq "ok" && column("err_grad") > 0 ? column("t_lo_s") : NaN):(column("t_hi_s")) name "T" nooutput
    if (exists("T_min_x")) {
        set yrange [floor10(T_min_x * 0.99):ceil10(T_max_y * 1.01)]
        set ytics floor10(T_min_x), 10.0 ** stride(T_min_x, T_max_y)
        plot for [c in curves] data using (in_panel(p) && of_curve(c) ? column("err_grad") : NaN): \
            (column("t_total_s")):(column("t_lo_s")):(column("t_hi_s")) \
            pt marker_of(before(c)) dt dash_of(c) lw 1.6 lc rgb colour_of(before(c)) notitle
    }
    unset label 100
    unset label 101
}
load folder . "/legend.gp"
unset multiplot
