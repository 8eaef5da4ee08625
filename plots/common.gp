# Shared by every figure: terminal, fonts, one colour and marker a method, axis formats, rows of a result file.
#
# The caller (harness/scripts/figures.sh) gives arguments to a script, which names them in its first line: gnuplot does
# not evaluate them, so that nothing in the results of others is ever a command. They must not come into an `eval`, a
# macro (@NAME), a format or text with markup; hence noenhanced. Of all figures:
#   data      result file, rows sorted by problem, n, method, series and tolerance; first line: column names
#   out       picture to write; its ending, svg or png, chooses the terminal
#   heading   title of the figure
#   note      lines below the plot: the rows that are not shown, and why; where the data come from
#   curves    "method:series method:series ..." in the order of the legend; a series is the settings of a method that
#             make a curve of their own (column `series`): "cash_karp", "dopri5,explicit,controlled"
#   panels    "problem:n problem:n ..." in the order of the panels
#
# A script that draws a figure says of itself in lines that begin with #! (figures.sh reads them; a sweep file names the
# script in `figure =`):
#   title       what is drawn, where the sweep has no title of its own
#   needs       columns in which an ok row must have a positive number; else there is nothing to draw
#   lists       further arguments, from the seventh on: sizes, isas, tolerances, problems, peaks, bands, the folder
#               `paper`
#   axes        columns of the abscissa and the ordinate, a quotient of two as a/b; panels: columns with a panel for
#               each value; curves: those with a curve for each value, beside method and series (asked.KEY: a setting as
#               asked for, "auto" too). These three are for the page of sensbench report, which draws the same anew
#   controlled  the rows of the track `controlled` are a picture of their own, drawn by this script, or by none
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set datafile columnheaders

if (!exists("width")) width = 1300
if (!exists("height")) height = 1000
is_png = strstrt(out, ".png") > 0
# svg and png share a coordinate system of pixels, so that both come out alike
if (is_png) {
    set terminal pngcairo size width, height font "DejaVu Sans,13" fontscale 0.8 linewidth 1.3 enhanced \
        background "#ffffff"
} else {
    set terminal svg size width, height dynamic font "DejaVu Sans,13" linewidth 1.3 enhanced background "#ffffff"
}
set output out

# Colours of Okabe and Ito, told apart with every common form of colour blindness, for our own methods; they are used
# up by these, so that the peers have darker ones. The marker says it again in grey. '@' in a label: the settings go
# there.
METHODS = "discrete_adjoint discrete_tangent cfsa cfsa_gsl finite_difference casa_dense casa_reverse \
    petsc_tsadjoint petsc_corrected cvodes_forward cvodes_adjoint"
LABELS = "'discrete adjoint' 'discrete tangent' 'CFSA' 'CFSA (GSL)' 'finite difference' 'CASA, dense output' \
    'CASA, reverse' 'PETSc @, as shipped' 'PETSc @, corrected' 'CVODES forward, @' 'CVODES adjoint, @'"
COLOURS = "#0072B2 #56B4E9 #009E73 #000000 #E69F00 #CC79A7 #D55E00 #882255 #B8A000 #8C510A #332288"
MARKERS = "7 4 5 2 9 13 11 11 15 9 5"
# the open square is larger: it stays visible around what it covers
SIZES = "1.0 1.7 1.0 1.4 1.1 1.2 1.1 1.2 1.2 1.1 1.0"
GREY = "#808080"
# methods of modules and contenders, in the order in which they come
OTHER_COLOURS = "#E7298A #5B6770 #66A61E #17A2B8"
OTHER_MARKERS = "8 6 12 14 10"
# what a figure adds to each panel of another one, and to its legend: parts of a `plot` (implementations.gp), and what
# is done before a panel is drawn
if (!exists("MORE_CURVES")) {
    BEFORE_PANEL = ""
    MORE_CURVES = ""
    MORE_ENTRIES = ""
    more_entries = 0
}

position(list, item) = sum [i = 1:words(list)] (word(list, i) eq item ? i : 0)
style_of(method) = position(METHODS, method)
taken_round(list, place) = word(list, (place + words(list) - 1) % words(list) + 1)
colour_of(method) = style_of(method) ? word(COLOURS, style_of(method)) \
    : taken_round(OTHER_COLOURS, position(OTHERS, method))
marker_of(method) = style_of(method) ? int(word(MARKERS, style_of(method))) \
    : int(taken_round(OTHER_MARKERS, position(OTHERS, method)))
size_of(method) = style_of(method) ? real(word(SIZES, style_of(method))) : 1.2
label_of(method) = style_of(method) ? word(LABELS, style_of(method)) : method

before(text) = text[1:strstrt(text, ":") - 1]
after(text) = text[strstrt(text, ":") + 1:]
OTHERS = ""
do for [c in curves] {
    if (!style_of(before(c)) && !position(OTHERS, before(c))) { OTHERS = OTHERS . " " . before(c) }
}

# Settings in words where the value of an option does not speak for itself.
VALUES = "3bs cn arkimex adams bdf matrix-free explicit jacobian=matrix-free jacobian=explicit \
    vjp=adolc vjp=tmbad vjp=sacado vjp=compiled vjp=tape vjp=fd"
WORDS = "'Bogacki-Shampine 3bs' 'Crank-Nicolson' ARKIMEX Adams BDF matrix-free 'explicit Jacobian' \
    matrix-free 'explicit Jacobian' 'AD (ADOL-C)' 'AD (TMBad)' 'AD (Sacado)' 'products compiled' \
    'products by tape' 'products by differences'"
part_of(list) = strstrt(list, ",") ? list[1:strstrt(list, ",") - 1] : list
rest_of(list) = strstrt(list, ",") ? list[strstrt(list, ",") + 1:] : ""
spelled(value) = position(VALUES, value) ? word(WORDS, position(VALUES, value)) : value
series_text(list) = spelled(part_of(list)) . (strlen(rest_of(list)) ? ", " . series_text(rest_of(list)) : "")
# a label with the settings in their place; without settings the place and the comma beside it vanish
filled(label, text) = label[1:strstrt(label, "@") - 1] . text . label[strstrt(label, "@") + 1:]
cut(label, text) = label[1:strstrt(label, text) - 1] . label[strstrt(label, text) + strlen(text):]
unfilled(label) = strstrt(label, ", @") ? cut(label, ", @") : (strstrt(label, " @") ? cut(label, " @") : label)

# where all curves are of the controlled track, the heading says so
all_controlled = 1
do for [c in curves] { if (!strstrt(after(c), "controlled")) { all_controlled = 0 } }
settings(curve) = !all_controlled ? after(curve) : \
    (strstrt(after(curve), ",controlled") ? cut(after(curve), ",controlled") : cut(after(curve), "controlled"))

# The settings of one method are told apart by the dash of the line and by the marker; in the legend they are named
# where there are several of any method, and always for a peer.
SERIES = ""
do for [c in curves] {
    if (strlen(after(c)) && !position(SERIES, after(c))) { SERIES = SERIES . " " . after(c) }
}
setting_of(curve) = strlen(after(curve)) == 0 ? 1 : \
    sum [i = 1:position(curves, curve)] (before(word(curves, i)) eq before(curve) && strlen(after(word(curves, i))) > 0)
DASHES = "1 2 3 4 5"
dash_of(curve) = int(word(DASHES, (setting_of(curve) - 1) % words(DASHES) + 1))
# markers 4 to 15 are pairs, open and closed
other_marker(pt) = pt < 4 ? pt : (pt % 2 ? pt - 1 : pt + 1)
# products by hand have the marker of the method; what made others has one of lines, which hides nothing below it
MADE = "vjp=compiled vjp=tape vjp=adolc"
MADE_MARKERS = "1 2 3"
made_by(list) = strlen(list) == 0 ? 0 \
    : (position(MADE, part_of(list)) ? position(MADE, part_of(list)) : made_by(rest_of(list)))
mark_of(curve) = made_by(after(curve)) ? int(word(MADE_MARKERS, made_by(after(curve)))) \
    : (setting_of(curve) % 2 ? marker_of(before(curve)) : other_marker(marker_of(before(curve))))
mark_size(curve) = size_of(before(curve)) * (made_by(after(curve)) ? 1.4 : 1)
is_peer(method) = strstrt(label_of(method), "@") > 0
title_of(curve) = is_peer(before(curve)) \
    ? (strlen(settings(curve)) ? filled(label_of(before(curve)), series_text(settings(curve))) \
        : unfilled(label_of(before(curve)))) \
    : label_of(before(curve)) . \
        (words(SERIES) > 1 && strlen(settings(curve)) ? ", " . series_text(settings(curve)) : "")
# titles longer than those of a method alone leave room for fewer entries in a line
longest_title = 0
do for [c in curves] { if (strlen(title_of(c)) > longest_title) { longest_title = strlen(title_of(c)) } }
entries_per_row = longest_title > 40 ? 2 : (words(SERIES) > 1 || longest_title > 24 ? 3 : 4)

# Curves are drawn in reverse, so that the first of the legend lies on top; the legend is made of entries of its own.
nth(i) = word(curves, words(curves) + 1 - i)

# Rows of a curve, of a panel, at a tolerance; NaN for every other row.
of_curve(curve) = strcol("status") eq "ok" && strcol("method") eq before(curve) && strcol("series") eq after(curve)
in_panel(panel) = strcol("problem") eq before(panel) && column("n") == real(after(panel))
# the size as the problem counts it: the heat equation's option n is intervals a side
panel_size(panel) = before(panel) eq "heat" ? int(sqrt(real(after(panel))) + 1.5) : int(after(panel))
panel_title(i, panel) = (words(panels) > 1 ? sprintf("(%c) ", 96 + i) : "") . before(panel) . \
    sprintf(", N = %d", panel_size(panel))

set style data yerrorlines
set bars small
set border 3 lc rgb "#404040" lw 0.8
set tics nomirror out scale 0.6
set grid xtics ytics lc rgb "#c8c8c8" lw 0.8 dt 1
set title offset 0, -0.4 noenhanced

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
set label 101 note at screen 14.0 / width, (NOTE_HEIGHT - 18.0) / height left font ",11" textcolor rgb "#404040" \
    noenhanced front
