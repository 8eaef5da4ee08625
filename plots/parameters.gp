# Time of the whole gradient against the number of parameters P, a panel for every tolerance. The legend gives the
# exponent b of t = a P^b, fitted by least squares to the logarithms of the points with P >= fit_from.
# `tolerances` is given by the caller as well: "4 7 10" for 1e-4, 1e-7 and 1e-10.
#! title: time of the whole gradient against the number of parameters
#! axes: np t_total_s
#! panels: problem rtol
#! needs: t_lo_s rtol np
#! lists: tolerances
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; tolerances = ARG7
width = 1400
height = 900
fit_from = 100
load "common.gp"
count = words(tolerances)
shown(tol) = strcol("status") eq "ok" && abs(column("rtol") / tol - 1) < 1e-6 && column("t_total_s") > 0
fit_text(slope, error, points) = sprintf(points > 2 ? ":  P^%.2f ± %.2f" : ":  P^%.2f, two points", slope, error)

set logscale xy
set format x DECADES
set format y DECADES
set key Left reverse samplen 2.5 spacing 1.2 noenhanced
stats data using (strcol("status") eq "ok" ? column("np") : NaN): \
    (column("t_lo_s") > 0 ? column("t_lo_s") : NaN) name "E" nooutput
stats data using (strcol("status") eq "ok" ? column("np") : NaN): \
    (column("t_hi_s") > 0 ? column("t_hi_s") : NaN) name "H" nooutput
LEGEND_HEIGHT = 21.0 * words(curves) + 84.0
panel_w = (width - LEFT - RIGHT - 60.0 * (count - 1)) / count

set multiplot
do for [k = 1:count] {
    tol = 10.0 ** -int(word(tolerances, k))
    x_left = LEFT + (k - 1) * (panel_w + 60.0)
    set lmargin at screen x_left / width
    set rmargin at screen (x_left + panel_w) / width
    set tmargin at screen 1 - (TOP + 30.0) / height
    set bmargin at screen (NOTE_HEIGHT + LEGEND_HEIGHT) / height
    # exponents first: `stats` keeps to the ranges that are set
    set xrange [*:*]
    set yrange [*:*]
    unset logscale
    array fitted[words(curves)]
    do for [i = 1:words(curves)] {
        c = word(curves, i)
        undefine F_*
        stats data using (shown(tol) && of_curve(c) && column("np") >= fit_from ? log10(column("np")) : NaN): \
            (log10(column("t_total_s"))) name "F" nooutput
        fitted[i] = exists("F_slope") && F_records > 1 ? fit_text(F_slope, F_slope_err, F_records) : ""
    }
    set logscale xy
    set xrange [floor10(E_min_x):above(E_min_x, E_max_x)]
    set yrange [floor10(E_min_y):above(E_min_y, H_max_y)]
    set xtics 10
    set ytics floor10(E_min_y), stride(E_min_y, H_max_y)
    set title sprintf("(%c) tolerance 1e-%s", 96 + k, word(tolerances, k))
    set xlabel "parameters P"
    set ylabel (k == 1 ? "time of one gradient [s]" : "")
    set key at screen (x_left + 0.5 * panel_w) / width, \
        (NOTE_HEIGHT + LEGEND_HEIGHT - 66.0) / height center top vertical
    plot for [i = 1:words(curves)] data using (shown(tol) && of_curve(nth(i)) ? column("np") : NaN): \
            (column("t_total_s")):(column("t_lo_s")):(column("t_hi_s")) \
            pt mark_of(nth(i)) ps mark_size(nth(i)) dt dash_of(nth(i)) lw 1.6 \
            lc rgb colour_of(before(nth(i))) notitle, \
        for [i = 1:words(curves)] keyentry with linespoints lw 1.6 pt mark_of(word(curves, i)) \
            ps mark_size(word(curves, i)) dt dash_of(word(curves, i)) \
            lc rgb colour_of(before(word(curves, i))) title title_of(word(curves, i)) . fitted[i]
    unset label 100
    unset label 101
}
unset multiplot
