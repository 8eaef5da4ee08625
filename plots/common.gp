# Shared by every figure: terminal, fonts, one colour and marker a method, axis formats, rows of a result file.
#
# The caller (harness/scripts/figures.sh) sets, by gnuplot -e:
#   data      result file, rows sorted by problem, n, method, tableau and tolerance; first line: column names
#   out       picture to write; its ending, svg or png, chooses the terminal
#   heading   title of the figure
#   note      lines below the plot: the rows that are not shown, and why; where the data come from
#   curves    "method:tableau method:tableau ..." in the order of the legend
#   panels    "problem:n problem:n ..." in the order of the panels
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set datafile columnheaders

if (!exists("width")) width = 1300
if (!exists("height")) height = 1000
is_png = strstrt(out, ".png") > 0
# svg and png share a coordinate system of pixels, so that both come out alike
if (is_png) {
    set terminal pngcairo size width, height font "DejaVu Sans,13" fontscale 0.8 linewidth 1.3 enhanced background "#ffffff"
} else {
    set terminal svg size width, height dynamic font "DejaVu Sans,13" linewidth 1.3 enhanced background "#ffffff"
}
set output out

# Colours of Okabe and Ito, told apart with every common form of colour blindness; the marker says it again in grey.
METHODS = "discrete_adjoint discrete_tangent cfsa cfsa_gsl finite_difference casa_dense casa_reverse"
LABELS = "'discrete adjoint' 'discrete tangent' 'CFSA' 'CFSA (GSL)' 'finite difference' 'CASA, dense output' 'CASA, reverse'"
COLOURS = "#0072B2 #56B4E9 #009E73 #000000 #E69F00 #CC79A7 #D55E00"
MARKERS = "7 4 5 2 9 13 11"
SIZES = "1.0 1.7 1.0 1.4 1.1 1.2 1.1" # the open square is larger: it stays visible around what it coincides with
GREY = "#808080"

position(list, item) = sum [i = 1:words(list)] (word(list, i) eq item ? i : 0)
style_of(method) = position(METHODS, method)
colour_of(method) = style_of(method) ? word(COLOURS, style_of(method)) : GREY
marker_of(method) = style_of(method) ? int(word(MARKERS, style_of(method))) : 1
size_of(method) = style_of(method) ? real(word(SIZES, style_of(method))) : 1.2
label_of(method) = style_of(method) ? word(LABELS, style_of(method)) : method

before(text) = text[1:strstrt(text, ":") - 1]
after(text) = text[strstrt(text, ":") + 1:]

# Tableaux are told apart by the dash of the line, named in the legend only where there are several.
TABLEAUX = ""
do for [c in curves] {
    if (strlen(after(c)) && !position(TABLEAUX, after(c))) { TABLEAUX = TABLEAUX . " " . after(c) }
}
dash_of(curve) = strlen(after(curve)) ? position(TABLEAUX, after(curve)) : 1
title_of(curve) = label_of(before(curve)) . (words(TABLEAUX) > 1 && strlen(after(curve)) ? ", " . after(curve) : "")

# Curves are drawn in reverse, so that the first of the legend lies on top; the legend is made of entries of its own.
nth(i) = word(curves, words(curves) + 1 - i)

# Rows of a curve, of a panel, at a tolerance; NaN for every other row.
of_curve(curve) = strcol("status") eq "ok" && strcol("method") eq before(curve) && strcol("tableau") eq after(curve)
in_panel(panel) = strcol("problem") eq before(panel) && column("n") == real(after(panel))
# the size as the problem counts it: the heat equation's option n is intervals a side
panel_size(panel) = before(panel) eq "heat" ? int(sqrt(real(after(panel))) + 1.5) : int(after(panel))
panel_title(i, panel) = (words(panels) > 1 ? sprintf("(%c) ", 96 + i) : "") . before(panel) . sprintf(", N = %d", panel_size(panel))

set style data yerrorlines
set bars small
set border 3 lc rgb "#404040" lw 0.8
set tics nomirror out scale 0.6
set grid xtics ytics lc rgb "#c8c8c8" lw 0.8 dt 1
set title offset 0, -0.4

DECADES = "10^{%T}"
# Axes run from decade to decade; about eight of the decades are labelled.
floor10(v) = 10.0 ** floor(log10(v) + 1e-9)
ceil10(v) = 10.0 ** ceil(log10(v) - 1e-9)
above(lo, hi) = ceil10(hi) > floor10(lo) ? ceil10(hi) : 10.0 * floor10(lo)
stride(lo, hi) = 10.0 ** ceil((log10(hi) - log10(lo)) / 8.0)

# Panels in a grid, margins in pixels, the legend and the note below them.
columns_of(k) = k <= 1 ? 1 : (k <= 4 ? 2 : (k <= 9 ? 3 : 4))
rows_of(k) = (k + columns_of(k) - 1) / columns_of(k)
NOTE_LINES = 1
do for [i = 1:strlen(note)] { if (note[i:i] eq "\n") { NOTE_LINES = NOTE_LINES + 1 } }
TOP = 62.0
LEFT = 92.0
RIGHT = 24.0
GAP_X = 84.0
GAP_Y = 96.0
NOTE_HEIGHT = 26.0 + 19.0 * NOTE_LINES
legend_rows(entries, per_row) = (entries + per_row - 1) / per_row
set label 100 heading at screen 0.5, 1 - 24.0 / height center font ",17" noenhanced front
set label 101 note at screen 14.0 / width, (NOTE_HEIGHT - 18.0) / height left font ",11" textcolor rgb "#404040" noenhanced front
