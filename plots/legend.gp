# One legend for all panels: an entry for every curve, and for what else a figure has.
load "legend_frame.gp"
plot [0:1] [0:1] -1 with lines notitle, for [c in curves] keyentry with linespoints lw 1.6 pt mark_of(c) \
    ps mark_size(c) dt dash_of(c) lc rgb colour_of(before(c)) title title_of(c) @MORE_ENTRIES
