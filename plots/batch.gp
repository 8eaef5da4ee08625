# Time of the whole gradient against the points K in a batch of parameter products, relative to the best K of the same
# size. Rings: what batch = auto took.
#! title: time against the points in a batch
#! axes: batch t_total_s
#! panels: problem
#! curves: n
#! needs: t_lo_s batch
#! lists: sizes
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; sizes = ARG7
width = 1100
height = 760
load "common.gp"
load "performance.gp"
count = 1
panel = 1
per_row = 4
legend = legend_rows(words(sizes) + 1, per_row)
of_size(n) = positive("t_total_s") && column("n") == n
array best[words(sizes)]
top = 1.0
do for [k = 1:words(sizes)] {
    undefine T_*
    stats data using (of_size(real(word(sizes, k))) && !asked("batch", "auto") ? column("t_total_s") \
        : NaN) name "T" nooutput
    best[k] = exists("T_min") ? T_min : NaN
    if (exists("T_max") && T_max / best[k] > top) { top = T_max / best[k] }
}
set multiplot
load "grid.gp"
set logscale x 2
set format x "%g"
set xtics (6, 12, 24, 48, 96, 192, 384)
set xrange [5.2:440]
set yrange [0.9:0.1 * ceil(10 * top + 0.5)]
set format y "%.1f"
set xlabel "points in a batch, K"
set ylabel "time of one gradient, relative to the best K"
plot for [k = words(sizes):1:-1] data using (of_size(real(word(sizes, k))) && !asked("batch", "auto") \
    ? column("batch") : NaN): \
        (column("t_total_s") / best[k]):(column("t_lo_s") / best[k]):(column("t_hi_s") / best[k]) \
        pt shade_marker(k) ps 1.1 lw 1.6 lc rgb shade(k, words(sizes)) notitle, \
    for [k = words(sizes):1:-1] data using (of_size(real(word(sizes, k))) && asked("batch", "auto") \
        ? column("batch") : NaN): \
        (column("t_total_s") / best[k]) with points pt 6 ps 2.3 lw 1.6 lc rgb shade(k, words(sizes)) notitle, \
    1 with lines lw 1 dt 3 lc rgb GREY notitle
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, \
    for [k = 1:words(sizes)] keyentry with linespoints lw 1.6 pt shade_marker(k) ps 1.1 lc rgb shade(k, words(sizes)) \
        title "N = " . word(sizes, k), \
    keyentry with points pt 6 ps 2.3 lw 1.6 lc rgb "#404040" title "batch = auto"
unset multiplot
