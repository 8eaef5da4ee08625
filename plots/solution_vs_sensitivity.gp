# Error of the sensitivity against error of the solution, largest absolute component; the tolerance changes along a
# curve. Published points (published_fig2.tsv) are the grey markers.
#! title: error of the sensitivity against error of the solution
#! axes: err_x_max err_grad_max
#! panels: problem n
#! needs: err_x_max err_grad_max
#! lists: paper
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; paper = ARG7
width = 1300
height = 900
load "common.gp"
published = paper . "/published_fig2.tsv"
CODES = "'Cash-Karp (paper)' 'FATODE DP5' 'DENSERKS DP5' 'PETSc 5dp' 'PETSc ARKIMEX'"
CODE_MARKERS = "6 8 10 12 3"

shown(c) = of_curve(c) && column("err_x_max") > 0 && column("err_grad_max") > 0
panel = 1
count = 1
legend = 0
load "grid.gp"
beside = longest_title > 34 ? 0.70 : 0.74 # where the legend begins
set rmargin at screen beside
set logscale xy
set format x DECADES
set format y DECADES
set xtics 10
set ytics 10
set xlabel "error of the solution, max norm (absolute)"
set ylabel "error of the sensitivity, max norm (absolute)"
set key at screen beside + 0.015, 0.88 left top vertical Left reverse samplen 3 spacing 1.25 noenhanced
set style data linespoints

stats data using (strcol("status") eq "ok" && column("err_x_max") > 0 && column("err_grad_max") > 0 ? \
    column("err_x_max") : NaN):(column("err_grad_max")) name "E" nooutput
stats published using (column("err_x_max")):(column("err_grad_max")) name "Q" nooutput
set xrange [floor10(E_min_x < Q_min_x ? E_min_x : Q_min_x):ceil10(E_max_x > Q_max_x ? E_max_x : Q_max_x)]
set yrange [floor10(E_min_y < Q_min_y ? E_min_y : Q_min_y):ceil10(E_max_y > Q_max_y ? E_max_y : Q_max_y)]

plot for [i = 1:words(curves)] data using (shown(nth(i)) ? column("err_x_max") : NaN):(column("err_grad_max")) \
        pt mark_of(nth(i)) ps mark_size(nth(i)) dt dash_of(nth(i)) lw 1.6 \
        lc rgb colour_of(before(nth(i))) notitle, \
    for [k = 1:words(CODES)] published using (strcol("code") eq word(CODES, k) ? column("err_x_max") : NaN): \
        (column("err_grad_max")) with points pt int(word(CODE_MARKERS, k)) ps 1.5 lw 1.6 lc rgb GREY notitle, \
    for [c in curves] keyentry with linespoints lw 1.6 pt mark_of(c) ps mark_size(c) dt dash_of(c) \
        lc rgb colour_of(before(c)) title title_of(c), \
    keyentry with points ps 0 lc rgb "#ffffff" title " ", \
    for [k = 1:words(CODES)] keyentry with points pt int(word(CODE_MARKERS, k)) \
        ps 1.5 lw 1.6 lc rgb GREY title "published: " . word(CODES, k)
