# Share of the measured peak of the arithmetic against the number of species N: of the reverse sweep of the adjoint,
# and of a whole run of the forward methods. Thin lines: what is aimed at (docs/performance.md).
#! title: share of the measured peak against the number of species
#! axes: n share_reverse
#! panels: problem
#! curves: asked.threads asked.structure
#! needs: t_lo_s share_reverse
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
width = 1200
height = 800
load "common.gp"
load "performance.gp"
ADJOINT = colour_of("discrete_adjoint")
reverse(threads) = positive("share_reverse") && positive("t_lo_s") && strcol("method") eq "discrete_adjoint" \
    && column("threads") == threads
# the interval of the time, carried over to the share
share_at(time) = column("share_reverse") * column("t_total_s") / column(time)
whole(name) = positive("share") && strcol("method") eq name && column("threads") == 1

panel = 1
count = 1
per_row = 3
legend = 3
set multiplot
load "grid.gp"
set logscale x
stats data using (positive("t_total_s") ? column("n") : NaN) name "E" nooutput
set xrange [1.8:1.1 * E_max]
set yrange [0:100]
set xtics (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
set ytics 10
set xlabel "species N"
set ylabel "share of the measured peak of as many threads [%]"
# 70 % at N = 50 and 80 % from 100 on, one thread; 60 % and 75 %, two; 30 % for CFSA at 50
set arrow 1 from 50, 70 to 100, 70 nohead lw 1 lc rgb "#404040"
set arrow 2 from 100, 80 to 200, 80 nohead lw 1 lc rgb "#404040"
set arrow 3 from 50, 60 to 100, 60 nohead lw 1 dt 2 lc rgb "#404040"
set arrow 4 from 100, 75 to 200, 75 nohead lw 1 dt 2 lc rgb "#404040"
set arrow 5 from 40, 30 to 62, 30 nohead lw 1 lc rgb colour_of("cfsa")
plot data using (whole("cfsa") && asked("threads", "1") ? column("n") : NaN):(100 * column("share")) with linespoints \
        pt marker_of("cfsa") ps size_of("cfsa") lw 1.6 lc rgb colour_of("cfsa") notitle, \
    data using (whole("discrete_tangent") && asked("threads", "1") ? column("n") : NaN): \
        (100 * column("share")) with linespoints \
        pt marker_of("discrete_tangent") ps size_of("discrete_tangent") lw 1.6 lc rgb colour_of("discrete_tangent") \
            notitle, \
    data using (reverse(1) && asked("threads", "1") && asked("structure", "none") ? column("n") : NaN): \
        (100 * column("share_reverse")): \
        (100 * share_at("t_hi_s")):(100 * share_at("t_lo_s")) pt 8 ps 1.2 dt 3 lw 1.6 lc rgb ADJOINT notitle, \
    data using (reverse(2) && !asked("threads", "1") && !asked("structure", "none") ? column("n") : NaN): \
        (100 * column("share_reverse")): \
        (100 * share_at("t_hi_s")):(100 * share_at("t_lo_s")) pt 6 ps 1.9 dt 2 lw 1.6 lc rgb ADJOINT notitle, \
    data using (reverse(1) && asked("threads", "1") && !asked("structure", "none") ? column("n") : NaN): \
        (100 * column("share_reverse")): \
        (100 * share_at("t_hi_s")):(100 * share_at("t_lo_s")) pt 7 ps 1.0 lw 1.6 lc rgb ADJOINT notitle
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, \
    keyentry with linespoints lw 1.6 pt 7 ps 1.0 lc rgb ADJOINT title "reverse sweep, 1 thread", \
    keyentry with linespoints lw 1.6 pt 6 ps 1.9 dt 2 lc rgb ADJOINT title "reverse sweep, 2 threads", \
    keyentry with linespoints lw 1.6 pt 8 ps 1.2 dt 3 lc rgb ADJOINT title "reverse sweep, 1 thread, no structure", \
    keyentry with linespoints lw 1.6 pt marker_of("discrete_tangent") ps size_of("discrete_tangent") \
        lc rgb colour_of("discrete_tangent") title "discrete tangent, whole run", \
    keyentry with linespoints lw 1.6 pt marker_of("cfsa") ps size_of("cfsa") lc rgb colour_of("cfsa") title \
        "CFSA, whole run", \
    keyentry with lines lw 1 lc rgb "#404040" title "aim, 1 thread: 70 %, 80 %", \
    keyentry with lines lw 1 dt 2 lc rgb "#404040" title "aim, 2 threads: 60 %, 75 %", \
    keyentry with lines lw 1 lc rgb colour_of("cfsa") title "aim, CFSA at N = 50: 30 %"
unset multiplot
