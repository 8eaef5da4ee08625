# Time of the reverse sweep by that of the forward solve, against the number of states; the time of both; and the memory
# of factors that were kept. harness/scripts/exponents.sh prints the exponents of these.
#! title: reverse sweep by forward solve against the number of states
#! axes: n t_reverse_s/t_forward_s
#! panels: problem
#! needs: t_forward_s t_reverse_s bytes_factors
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
load "common.gp"
load "performance.gp"
count = 3
per_row = entries_per_row
legend = legend_rows(words(curves), per_row)
panel_name = "'reverse by forward' 'forward and reverse [s]' 'factors kept [bytes]'"
shown(p) = p == 1 ? column("t_reverse_s") / column("t_forward_s") : p == 2 ? column("t_forward_s") + \
    column("t_reverse_s") : column("bytes_factors")
drawn(p, c) = of_curve(c) && positive("t_forward_s") && positive("t_reverse_s") && (p < 3 || positive("bytes_factors"))
set logscale xy
set format x "%g"
set format y DECADES
set style data linespoints
set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    set title word(panel_name, panel)
    set xlabel "states n"
    set ylabel ""
    plot for [c in curves] data using (drawn(panel, c) ? column("n") : NaN):(shown(panel)) \
        pt mark_of(c) ps size_of(before(c)) dt dash_of(c) lw 1.6 lc rgb colour_of(before(c)) notitle
    unset label 100
    unset label 101
}
load "legend.gp"
unset multiplot
