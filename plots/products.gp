# Time of a vector of (df/dx)^T w by that of a right-hand side: a panel for each number of lanes, the problems side by
# side, a marker for each provider of the products.
#! title: products by right-hand sides
#! axes: n by_rhs
#! panels: problem lanes
#! curves: vjp
#! needs: by_rhs t_rhs_s by_rhs_lo by_rhs_hi
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6
width = 1500
height = 1150
load "common.gp"
load "performance.gp"
GAP_Y = 165.0 # the names below the upper panels stand upright
PROVIDERS = "hand compiled generated tape adolc tmbad sacado fd"
PROVIDER_NAMES = "'by hand' compiled 'compiled, by the generated f' tape ADOL-C TMBad Sacado differences"
# of Okabe and Ito; the marker says it again
PROVIDER_COLOURS = "#000000 #0072B2 #0072B2 #56B4E9 #D55E00 #009E73 #CC79A7 #E69F00"
PROVIDER_MARKERS = "13 7 4 6 5 9 11 2"
# those of modules, behind ours
made_by_whom(list) = strlen(list) == 0 ? "" \
    : (part_of(list)[1:4] eq "vjp=" ? part_of(list)[5:] : made_by_whom(rest_of(list)))
ours = words(PROVIDERS)
do for [c in curves] {
    v = made_by_whom(after(c))
    if (strlen(v) && !position(PROVIDERS, v)) {
        PROVIDERS = PROVIDERS . " " . v
        PROVIDER_NAMES = PROVIDER_NAMES . " " . v
        PROVIDER_COLOURS = PROVIDER_COLOURS . " " . taken_round(OTHER_COLOURS, words(PROVIDERS) - ours)
        PROVIDER_MARKERS = PROVIDER_MARKERS . " " . taken_round(OTHER_MARKERS, words(PROVIDERS) - ours)
    }
}
LANES = "1 4 8 16"
# `generated`: compiled products, too, by the right-hand side of the series "...,vjp=compiled,rhs=generated"
by_generated(series) = strstrt(series, "rhs=generated") > 0
of_provider(v) = v eq "hand" ? !strstrt(strcol("series"), "vjp=") : (v eq "generated" ? by_generated(strcol("series")) \
    : !by_generated(strcol("series")) && strstrt(strcol("series") . ",", "vjp=" . v . ",") > 0)
drawn(v, L) = positive("by_rhs") && asked("product", "vjp") && asked("lanes", L) && of_provider(v)
place_in(list) = sum [i = 1:words(list)] (strcol("problem") eq before(word(list, i)) \
    && column("n") == real(after(word(list, i))) ? i : 0)
# beside one another, the middle one above the name
beside(k) = (k - (words(PROVIDERS) + 1) / 2.0) * 0.11

problems = ""
lanes = ""
do for [i = 1:words(LANES)] {
    undefine N_*
    stats data using (positive("by_rhs") && asked("product", "vjp") && asked("lanes", word(LANES, i)) ? 1 : NaN) \
        name "N" nooutput
    if (exists("N_records") && N_records > 0) { lanes = lanes . " " . word(LANES, i) }
}
# what has no error to show has no panel of its own: the sizes are found here
stats data using (positive("by_rhs") && asked("product", "vjp") \
    ? (problems = position(problems, strcol("problem") . ":" . sprintf("%d", column("n"))) ? problems \
        : problems . " " . strcol("problem") . ":" . sprintf("%d", column("n")), column("by_rhs_lo")) : NaN): \
    (column("by_rhs_hi")) name "R" nooutput
size_text(p) = before(p) . " " . sprintf("%d", panel_size(p))

count = words(lanes)
per_row = words(PROVIDERS)
legend = legend_rows(words(PROVIDERS), per_row) + 5 # the names below the lower panels stand upright
set multiplot
set logscale y
set yrange [floor10(R_min_x):above(R_min_x, R_max_y)]
set ytics 10
set format y DECADES
set xrange [0.4:words(problems) + 0.6]
set xtics rotate by 60 right noenhanced ()
do for [i = 1:words(problems)] { set xtics add (size_text(word(problems, i)) i) }
do for [panel = 1:count] {
    load "grid.gp"
    L = word(lanes, panel)
    set title sprintf("(%c) L = %s", 96 + panel, L)
    set ylabel (grid_i == 0 ? "time of a vector / time of a right-hand side" : "")
    plot for [k = 1:words(PROVIDERS)] data \
            using (drawn(word(PROVIDERS, k), L) ? place_in(problems) + beside(k) : NaN): \
            (column("by_rhs")):(column("by_rhs_lo")):(column("by_rhs_hi")) with yerrorbars \
            pt int(word(PROVIDER_MARKERS, k)) ps 1.0 lw 1.2 lc rgb word(PROVIDER_COLOURS, k) notitle, \
        1 with lines lw 1 dt 3 lc rgb GREY notitle
    unset label 100
    unset label 101
}
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, \
    for [k = 1:words(PROVIDERS)] keyentry with points pt int(word(PROVIDER_MARKERS, k)) ps 1.2 lw 1.4 \
        lc rgb word(PROVIDER_COLOURS, k) title word(PROVIDER_NAMES, k)
unset multiplot
