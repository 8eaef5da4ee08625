# Roofline (Williams, Waterman and Patterson, CACM 52 (2009) 65): operations a second against operations a byte, both of
# the counted operations and the numbers that they must read and write at least. One point a method and size, joined by
# size, with the number of states at both ends; the roofs are measured: `peaks` "isa:GFLOP/s ..." and `bands`
# "level:GB/s ...", of one thread.
# The caller also sets  problems  "glv heat vdp": those with rows to be drawn.
#! title: operations a second against operations a byte, one thread
#! axes: flops/bytes gflops
#! panels: problem
#! needs: gflops bytes
#! lists: problems peaks bands
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
problems = ARG7; peaks = ARG8; bands = ARG9
load "common.gp"
load "performance.gp"
count = words(problems)
per_row = 4
drawn = ""
do for [m in METHODS] {
    undefine M_*
    stats data using (positive("t_total_s") && strcol("method") eq m && column("gflops") > 0 ? column("gflops") \
        : NaN) name "M" nooutput
    if (exists("M_records") && M_records > 0) { drawn = drawn . " " . m }
}
legend = legend_rows(words(drawn), per_row)
point(problem, m) = positive("t_total_s") && strcol("problem") eq problem && strcol("method") eq m \
    && column("gflops") > 0 && column("bytes") > 0
per_byte(name) = column(name) / column("bytes")

stats data using (positive("gflops") && positive("bytes") ? per_byte("flops") : NaN): \
    (column("gflops")) name "E" nooutput
top = E_max_y
do for [k = 1:words(peaks)] { if (real(after(word(peaks, k))) > top) { top = real(after(word(peaks, k))) } }
x_lo = E_min_x / 1.6
x_hi = E_max_x * 9.0 # room for the names of the roofs
y_lo = E_min_y / 2.5
y_hi = 2.2 * top
roof(x, p, b) = real(after(p)) < x * real(after(b)) ? real(after(p)) : x * real(after(b))
# out of sight where they could not be measured
roofs_b = words(bands) ? bands : "none:1000000"
roofs_p = words(peaks) ? peaks : "none:1000000"
best_peak = word(roofs_p, words(roofs_p))
roof_dash(p) = p eq best_peak ? 1 : 3
set logscale xy
set format x "%g"
set format y "%g"
set style data linespoints
set samples 2000

set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    problem = word(problems, panel)
    # Only the ends of a curve are labelled, and where all lie together the sizes are in the title instead: there is no
    # room for more. `stats` keeps to the ranges that are set.
    set xrange [*:*]
    set yrange [*:*]
    stats data using (positive("gflops") && positive("bytes") && strcol("problem") eq problem ? column("n") : NaN): \
        (column("gflops")) name "S" nooutput
    labelled = S_min_x < S_max_x && S_max_y / S_min_y > 30
    sizes_text = S_min_x == S_max_x ? sprintf(", n = %g", S_min_x) : sprintf(", n = %g to %g", S_min_x, S_max_x)
    array first_n[words(drawn)]
    array last_n[words(drawn)]
    do for [k = 1:words(drawn)] {
        undefine N_*
        stats data using (point(problem, word(drawn, k)) ? column("n") : NaN) name "N" nooutput
        first_n[k] = labelled && exists("N_min") ? N_min : NaN
        last_n[k] = labelled && exists("N_max") ? N_max : NaN
    }
    set title (count > 1 ? sprintf("(%c) ", 96 + panel) : "") . problem . (labelled ? "" : sizes_text)
    set xrange [x_lo:x_hi]
    set yrange [y_lo:y_hi]
    set xtics (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
    set xlabel (panel + grid_cols > count ? "operations a byte [flop/B]" : "")
    set ylabel (grid_i == 0 ? "operations a second [GFLOP/s]" : "")
    do for [k = 1:words(peaks)] {
        p = word(peaks, k)
        set label (200 + k) sprintf("FMA %s, %.3g GFLOP/s", isa_name(before(p)), real(after(p))) \
            at graph 0.985, first real(after(p)) right offset 0, (p eq best_peak ? 0.55 \
                : -0.6) font ",10" textcolor rgb "#606060" noenhanced
    }
    # the angle at which a line of slope one is seen
    tilt = atan2(cell_h / log10(y_hi / y_lo), cell_w / log10(x_hi / x_lo)) * 180 / pi
    do for [k = 1:words(bands)] {
        b = word(bands, k)
        # above the line for the upper two, below it for the others: L2 and L3 may be close to each other
        x_at = x_lo * (x_hi / x_lo) ** (k <= 2 ? 0.02 : 0.05)
        set label (220 + k) sprintf("%s, %.3g GB/s", before(b), real(after(b))) at x_at, x_at * real(after(b)) left \
            rotate by tilt offset 0, (k <= 2 ? 0.6 : -0.5) font ",10" textcolor rgb "#606060" noenhanced
    }
    plot for [b in roofs_b] (roof(x, best_peak, b)) with lines lw 1 lc rgb "#a0a0a0" notitle, \
        for [p in roofs_p] real(after(p)) with lines lw 1 dt roof_dash(p) lc rgb "#a0a0a0" notitle, \
        for [k = words(drawn):1:-1] data using (point(problem, word(drawn, k)) ? per_byte("flops") : NaN): \
            (column("gflops")) \
            pt marker_of(word(drawn, k)) ps size_of(word(drawn, k)) lw 1.2 lc rgb colour_of(word(drawn, k)) notitle, \
        for [k = words(drawn):1:-1] data using (point(problem, word(drawn, k)) ? per_byte("flops") : NaN): \
            (column("gflops")): \
            (column("n") == first_n[k] || column("n") == last_n[k] ? sprintf("%g", column("n")) : "") \
            with labels offset (k % 2 ? 1.5 : -1.5), -0.5 font ",10" textcolor rgb colour_of(word(drawn, k)) notitle
    unset label 100
    unset label 101
}
unset label
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, \
    for [m in drawn] keyentry with linespoints lw 1.2 pt marker_of(m) ps size_of(m) \
    lc rgb colour_of(m) title label_of(m)
unset multiplot
