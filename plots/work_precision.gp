# Time of one gradient against its error, a panel for every size; along a curve the tolerance changes.
# not where another script loads this one
#! title: time against error
#! axes: err_grad t_total_s
#! panels: problem n
#! needs: t_lo_s err_grad rtol
#! controlled: work_precision
if (ARGC) { data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6 }
load "common.gp"
count = words(panels)
per_row = entries_per_row
legend = legend_rows(words(curves) + more_entries, per_row)
shown(p) = in_panel(p) && strcol("status") eq "ok" && column("err_grad") > 0 && column("t_total_s") > 0

set logscale xy
set format x DECADES
set format y DECADES
stats data using (strcol("status") eq "ok" && column("err_grad") > 0 ? column("err_grad") : NaN) name "E" nooutput
x_lo = floor10(E_min)
# beyond ten nothing is right: such a point stands on the border, so that it does not flatten the others
WORST = 10.0
x_hi = above(E_min, E_max > WORST ? WORST : E_max)
x_label = "relative error of the gradient (Frobenius norm)" . (E_max > WORST ? "; 10 and more: on the border" : "")
within(error) = error > WORST ? WORST : error

set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    p = word(panels, panel)
    undefine T_*
    set xrange [*:*]
    set yrange [*:*]
    stats data using (shown(p) ? column("t_lo_s") : NaN):(column("t_hi_s")) name "T" nooutput
    if (exists("T_min_x")) {
        t_lo = T_min_x
        t_hi = T_max_y
        if (more_entries) {
            @BEFORE_PANEL
            undefine B_*
            stats earlier using (earlier_in(p) ? column("seconds") : NaN) name "B" nooutput
            if (exists("B_min") && B_records > 0) {
                t_lo = B_min < t_lo ? B_min : t_lo
                t_hi = B_max > t_hi ? B_max : t_hi
            }
        }
        set xrange [x_lo:x_hi]
        set xtics x_lo, stride(x_lo, x_hi)
        set yrange [floor10(t_lo):above(t_lo, t_hi)]
        set ytics floor10(t_lo), stride(t_lo, t_hi)
        set title panel_title(panel, p)
        set xlabel (panel + grid_cols > count ? x_label : "")
        set ylabel (grid_i == 0 ? "time of one gradient [s]" : "")
        plot @MORE_CURVES for [i = 1:words(curves)] data using (shown(p) && of_curve(nth(i)) \
                ? within(column("err_grad")) : NaN): \
                (column("t_total_s")):(column("t_lo_s")):(column("t_hi_s")) pt mark_of(nth(i)) \
                ps mark_size(nth(i)) dt dash_of(nth(i)) lw 1.6 lc rgb colour_of(before(nth(i))) notitle
    }
    unset label 100
    unset label 101
}
load "legend.gp"
unset multiplot
