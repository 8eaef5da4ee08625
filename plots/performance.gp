# Shared by the figures of docs/performance.md, after common.gp: all rows are of few methods, so that what is varied
# needs
# a look of its own. A method keeps its colour; sizes, instruction sets and settings are shades of it.
#
# The caller also sets  sizes  "5 20 50" and  isas  "baseline avx2 avx512": of the rows to be drawn.

# what the cell asked for, which is not what it used where it asked for `auto`
asked(key, value) = strstrt(" " . strcol("cell") . " ", " " . key . "=" . value . " ") > 0
# a row with a result, positive in this column
positive(name) = strcol("status") eq "ok" && column(name) > 0

# From light to dark, told apart in grey as well; the marker says it again.
SHADES = "#86B8DC #3E8EC4 #0F5A93 #062B4A"
SHADE_MARKERS = "9 5 7 13"
# the k-th of `of` shades: few of them are spread
shade(k, of) = word(SHADES, of == 1 ? 3 : (of == 2 ? 2 * k : k))
shade_marker(k) = int(word(SHADE_MARKERS, k))
ISAS = "baseline avx2 avx512"
ISA_NAMES = "baseline AVX2 AVX-512"
isa_shade(isa) = shade(position(ISAS, isa), 3)
isa_marker(isa) = shade_marker(position(ISAS, isa))
isa_name(isa) = word(ISA_NAMES, position(ISAS, isa))
