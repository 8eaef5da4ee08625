# Time of the reverse sweep by that of the forward solve, against the number of states, of one output and of eight; the
# time of both for one; and the memory of factors that were kept. A marker for each setting: many share a method.
# harness/scripts/exponents.sh prints the exponents of these.
#! title: reverse sweep by forward solve against the number of states
#! axes: n t_reverse_s/t_forward_s
#! panels: problem m
#! needs: m t_forward_s t_reverse_s bytes_factors
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
load "common.gp"
load "performance.gp"
count = 4
per_row = entries_per_row
legend = legend_rows(words(curves), per_row)
panel_name = "'reverse by forward, one output' 'reverse by forward, eight outputs' \
    'forward and reverse, one output [s]' 'factors kept [bytes]'"
MARKS = "6 7 8 9 10 11 12 13 4 5 14 15 3 1 2"
place_of(curve) = words(substr(" " . curves . " ", 1, strstrt(" " . curves . " ", " " . curve . " "))) + 1
mark_of(curve) = int(word(MARKS, (place_of(curve) - 1) % words(MARKS) + 1))
shown(p) = p <= 2 ? column("t_reverse_s") / column("t_forward_s") : p == 3 ? column("t_forward_s") + \
    column("t_reverse_s") : column("bytes_factors")
drawn(p, c) = of_curve(c) && column("m") == (p == 2 ? 8 : 1) && positive("t_forward_s") && positive("t_reverse_s") && \
    (p < 4 || positive("bytes_factors"))
set logscale xy
set format x DECADES
set format y DECADES
set style data linespoints
# Ranges, in whole decades, are set where a panel may be empty, as that of eight outputs.
decade_below(v) = 10 ** floor(log10(v))
decade_above(v) = 10 ** ceil(log10(v))
stats data using (column("n")) nooutput
set xrange [decade_below(STATS_min) : decade_above(STATS_max)]
stats data using (positive("t_forward_s") && positive("t_reverse_s") ? shown(1) : NaN) nooutput
from = decade_below(STATS_min)
to = decade_above(STATS_max)
set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    set title word(panel_name, panel)
    set xlabel "states n"
    set ylabel ""
    if (panel < 3) { set yrange [from : to] } else { set yrange [*:*] }
    plot for [c in curves] data using (drawn(panel, c) ? column("n") : NaN):(shown(panel)) \
        pt mark_of(c) ps size_of(before(c)) dt dash_of(c) lw 1.6 lc rgb colour_of(before(c)) notitle
    unset label 100
    unset label 101
}
load "legend.gp"
unset multiplot
