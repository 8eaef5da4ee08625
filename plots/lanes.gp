# Speed-up by lanes: time with L = 1 on one thread of the same instruction set, by time with L lanes, on one thread
# (full lines) and on two (dashed; one where there are too few blocks of lanes for two). A panel for every size; rings:
# what lanes = auto took.
#! title: speed-up by lanes, instruction sets and threads
#! axes: lanes t_total_s
#! panels: problem n
#! curves: isa asked.threads
#! needs: t_lo_s lanes
#! lists: sizes isas
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; sizes = ARG7; isas = ARG8
width = 1300
load "common.gp"
load "performance.gp"
count = words(sizes)
THREADS = "1 2"
entries = 2 * words(isas) + 1
per_row = words(isas) + (words(isas) < 3)
legend = legend_rows(entries, per_row)
of_panel(n) = positive("t_total_s") && column("n") == n
of_line(n, isa, threads) = of_panel(n) && strcol("isa") eq isa && asked("threads", threads) && !asked("lanes", "auto")
is_auto(n, isa, threads) = of_panel(n) && strcol("isa") eq isa && asked("threads", threads) && asked("lanes", "auto")

set logscale x 2
set logscale y 2
set xrange [0.84:38]
set xtics 2
set format x "%g"
set format y "%g"
array base[words(isas)]

set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    n = real(word(sizes, panel))
    set title sprintf("%sN = %g", count > 1 ? sprintf("(%c) ", 96 + panel) : "", n)
    set xrange [*:*]
    set yrange [*:*]
    unset logscale
    top = 1.0
    low = 1.0
    drawable = 0
    do for [k = 1:words(isas)] {
        undefine B_*
        stats data using (of_line(n, word(isas, k), "1") && column("lanes") == 1 ? column("t_total_s") \
            : NaN) name "B" nooutput
        base[k] = exists("B_median") && B_records > 0 ? B_median : NaN
        if (base[k] > 0) { drawable = 1 }
        undefine T_*
        stats data using (of_panel(n) && strcol("isa") eq word(isas, k) ? column("t_total_s") : NaN) name "T" nooutput
        if (exists("T_min") && base[k] > 0) {
            if (base[k] / T_min > top) { top = base[k] / T_min }
            if (base[k] / T_max < low) { low = base[k] / T_max }
        }
    }
    set logscale x 2
    set logscale y 2
    set xrange [0.84:38]
    set yrange [2.0 ** floor(log(low) / log(2)):2.0 ** ceil(log(top) / log(2))]
    set ytics 2
    set xlabel (panel + grid_cols > count ? "lanes L" : "")
    set ylabel (grid_i == 0 ? "speed-up over L = 1 on one thread" : "")
    if (drawable) {
        plot for [k = words(isas):1:-1] for [t in THREADS] data using (of_line(n, word(isas, k), t) \
            ? column("lanes") : NaN): \
                (base[k] / column("t_total_s")):(base[k] / column("t_hi_s")):(base[k] / column("t_lo_s")) \
                pt isa_marker(word(isas, k)) ps 0.9 dt int(t) lw 1.6 lc rgb isa_shade(word(isas, k)) notitle, \
            for [k = words(isas):1:-1] for [t in THREADS] data using (is_auto(n, word(isas, k), t) ? column("lanes") \
                : NaN): \
                (base[k] / column("t_total_s")) with points pt 6 ps 2.1 lw 1.6 lc rgb isa_shade(word(isas, k)) notitle
    }
    unset label 100
    unset label 101
}
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, \
    for [t in THREADS] for [isa in isas] keyentry with linespoints lw 1.6 pt isa_marker(isa) ps 0.9 dt int(t) \
        lc rgb isa_shade(isa) title sprintf("%s, %s thread%s", isa_name(isa), t, t eq "1" ? "" : "s"), \
    keyentry with points pt 6 ps 2.1 lw 1.6 lc rgb "#404040" title "lanes = auto"
unset multiplot
