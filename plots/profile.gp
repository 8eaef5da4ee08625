# Performance profile: the share of cases in which a method is within a factor of the fastest one, a panel for each
# track. A curve that does not reach 1 belongs to a method that does not reach the accuracy in the other cases, or was
# not run there; the legend counts both.
# Set by the caller as well: `profile`, what `sensbench summary --profile` wrote, and `reached`,
# "track:method:reached:all:missing ..."
#! title: Performance profile: time to reach 1e-4, 1e-6, 1e-8 relative to the fastest
#! lists: profile reached
data = ARG1; out = ARG2; heading = ARG3; note = ARG4; curves = ARG5; panels = ARG6; profile = ARG7; reached = ARG8
width = 1300
height = 840
note = note . "\nOf each method the fastest of its settings. A case: a problem, a size, an accuracy. " \
    . "Not run, or not reached: no time."
load "common.gp"
# methods in the order of the legend, each once
names = ""
do for [c in curves] { if (!position(names, before(c))) { names = names . " " . before(c) } }
name_of(method) = unfilled(label_of(method))
tracks = "natural controlled"
TITLES = "'each as its manual recommends' 'controlled: the same products for all'"
count = 2
legend = words(names)
# "reached:all:missing" in words
count_text(counts) = !strlen(counts) ? ": not run" : sprintf(": %s of %s", before(counts), before(after(counts))) . \
    (after(after(counts)) eq "0" ? "" : sprintf(", %s not run", after(after(counts))))
of_method(track, name) = strcol("row") eq "step" && strcol("track") eq track && strcol("method") eq name
set logscale x
set format x DECADES
set format y "%.1f"
set key Left reverse samplen 2.5 spacing 1.1 noenhanced
stats profile using (strcol("row") eq "step" ? column("ratio") : NaN) name "R" nooutput
set multiplot
do for [panel = 1:count] {
    load "grid.gp"
    track = word(tracks, panel)
    array share[words(names)]
    do for [i = 1:words(names)] { share[i] = "" }
    do for [r in reached] {
        if (before(r) eq track) { share[position(names, before(after(r)))] = after(after(r)) }
    }
    set xrange [1:above(1, 1.0001 * R_max)]
    set yrange [0:1.02]
    set ytics 0.1
    set title sprintf("(%c) ", 96 + panel) . word(TITLES, panel)
    set xlabel "time relative to the fastest method of the case"
    set ylabel (panel == 1 ? "share of cases within this factor" : "")
    set key at screen (x_left + 0.5 * cell_w) / width, (NOTE_HEIGHT + 22.0 * legend + 18.0) / height center top vertical
    plot for [m in names] profile using (of_method(track, m) ? column("ratio") : NaN):(column("share")) \
            with steps lw 1.8 lc rgb colour_of(m) notitle, \
        for [m in names] profile using (of_method(track, m) ? column("ratio") : NaN):(column("share")) \
            with points pt marker_of(m) ps size_of(m) lc rgb colour_of(m) notitle, \
        for [i = 1:words(names)] keyentry with linespoints lw 1.8 \
            pt marker_of(word(names, i)) ps size_of(word(names, i)) lc rgb colour_of(word(names, i)) \
            title name_of(word(names, i)) . count_text(share[i])
    unset label 100
    unset label 101
}
unset multiplot
