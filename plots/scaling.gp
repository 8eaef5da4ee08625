# Time of the whole gradient against the number of species N. The legend gives the exponent b of t = a N^b, fitted by
# least squares to the logarithms of the points with N >= fit_from. Grey: measured before, on another machine
# (measured_before.tsv); the prototype among them is scaled by the peak of one thread: 45.2 GFLOP/s there, `peak` here.
#! title: time of the whole gradient against the number of species
#! axes: n t_total_s
#! panels: problem
#! curves: asked.threads asked.structure
#! needs: t_lo_s
#! lists: paper
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; paper = ARG7
width = 1400
height = 900
fit_from = 20
load "common.gp"
load "performance.gp"
earlier = paper . "/measured_before.tsv"
PROTOTYPE_PEAK = 45.2
fit_text(slope, error, points) = sprintf(points > 2 ? ":  N^%.2f ± %.2f" : ":  N^%.2f, two points", slope, error)

# method/threads/structure as asked for
LINES = "discrete_adjoint/1/auto discrete_adjoint/auto/auto discrete_adjoint/1/none discrete_tangent/1/auto cfsa/1/auto"
LINE_MARKERS = "7 6 8 4 5"
LINE_SIZES = "1.0 1.9 1.2 1.5 1.0"
LINE_DASHES = "1 2 3 1 1"
LINE_TITLES = \
    "'discrete adjoint, 1 thread' 'discrete adjoint, threads = auto' 'discrete adjoint, no structure' " . \
    "'discrete tangent' 'CFSA'"
CODES = "\"the paper's code\" 'PETSc 5dp, by hand' 'FATODE DP5' 'DENSERKS DP5' " . \
    "'CVODES adjoint, Adams' 'CVODES forward, Adams'"
CODE_MARKERS = "2 8 10 12 14 3"
rest(line) = line[strstrt(line, "/") + 1:]
part(line, i) = i > 1 ? part(rest(line), i - 1) : (strstrt(line, "/") ? line[1:strstrt(line, "/") - 1] : line)
array method[words(LINES)]
array threads[words(LINES)]
array structure[words(LINES)]
array exponent[words(LINES)]
do for [i = 1:words(LINES)] {
    method[i] = part(word(LINES, i), 1)
    threads[i] = part(word(LINES, i), 2)
    structure[i] = part(word(LINES, i), 3)
}
of_line(i) = positive("t_total_s") && strcol("method") eq method[i] && asked("threads", threads[i]) \
    && asked("structure", "none") == (structure[i] eq "none")

peak = NaN
undefine P_*
stats data using (strcol("status") eq "ok" && column("threads") == 1 && column("peak_gflops") > 0 \
    ? column("peak_gflops") : NaN) name "P" nooutput
if (exists("P_median") && P_records > 0) { peak = P_median }
do for [i = 1:words(LINES)] {
    undefine F_*
    stats data using (of_line(i) && column("n") >= fit_from ? log10(column("n")) : NaN): \
        (log10(column("t_total_s"))) name "F" nooutput
    undefine A_*
    stats data using (of_line(i) ? column("n") : NaN) name "A" nooutput
    exponent[i] = !exists("A_records") || A_records == 0 ? "none" : \
        (exists("F_slope") && F_records > 1 ? fit_text(F_slope, F_slope_err, F_records) : "")
}
stats data using (positive("t_total_s") ? column("n") : NaN):(column("t_lo_s")) name "E" nooutput
stats earlier using (column("n")):(column("seconds")) name "Q" nooutput

panel = 1
count = 1
legend = 0
load "grid.gp"
set rmargin at screen 0.66
set logscale xy
set xtics (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
set format x "%g"
set format y DECADES
set ytics 10
set xrange [1.8:1.1 * (E_max_x > Q_max_x ? E_max_x : Q_max_x)]
set yrange [floor10(E_min_y < Q_min_y ? E_min_y : Q_min_y):ceil10(E_max_y > Q_max_y ? E_max_y : Q_max_y)]
set xlabel "species N  (P = N + N^2 parameters, N outputs)"
set ylabel "time of one gradient, forward solve included [s]"
set key at screen 0.67, 0.91 left top vertical Left reverse samplen 3 spacing 1.25 noenhanced

plot for [k = 1:words(CODES)] earlier using (strcol("code") eq word(CODES, k) ? column("n") : NaN):(column("seconds")) \
        with linespoints pt int(word(CODE_MARKERS, k)) ps 1.2 lw 0.9 lc rgb "#a0a0a0" notitle, \
    earlier using (strcol("code") eq "prototype" && column("threads") == 1 ? column("n") : NaN): \
        (column("seconds") * PROTOTYPE_PEAK / peak) with linespoints pt 1 ps 1.6 lw 2.2 lc rgb "#707070" notitle, \
    for [i = words(LINES):1:-1] data using (of_line(i) ? column("n") : NaN):(column("t_total_s")): \
        (column("t_lo_s")):(column("t_hi_s")) \
        pt int(word(LINE_MARKERS, i)) ps real(word(LINE_SIZES, i)) dt int(word(LINE_DASHES, i)) lw 1.6 \
        lc rgb colour_of(method[i]) notitle, \
    for [i = 1:words(LINES)] NaN with linespoints lw 1.6 pt int(word(LINE_MARKERS, i)) ps real(word(LINE_SIZES, i)) \
        dt int(word(LINE_DASHES, i)) lc rgb colour_of(method[i]) \
        title (exponent[i] eq "none" ? word(LINE_TITLES, i) . ":  not in these results" : word(LINE_TITLES, \
            i) . exponent[i]), \
    keyentry with points ps 0 lc rgb "#ffffff" title " ", \
    keyentry with linespoints pt 1 ps 1.6 lw 2.2 lc rgb "#707070" \
        title (peak > 0 ? sprintf("prototype, scaled to %.1f GFLOP/s", peak) : "prototype: no peak to scale it by"), \
    keyentry with points ps 0 lc rgb "#ffffff" title " ", \
    keyentry with points ps 0 lc rgb "#ffffff" title "as measured before on another machine:", \
    for [k = 1:words(CODES)] keyentry with linespoints lw 0.9 pt int(word(CODE_MARKERS, \
        k)) ps 1.2 lc rgb "#a0a0a0" title word(CODES, k)
