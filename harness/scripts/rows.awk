# rows.awk - reads a result file (results/FORMAT.md) for figures.sh and checks what it reads: whatever a picture, a
# title or a note is made of is a name, a number or text without control characters. Written: a header and the rows,
# with the columns of `columns`, in this order, then those numbers of `more` that are not among them, and a last one
# that is never empty, as gnuplot loses a row that ends in an empty one. What the file lacks is nan or empty; `series`
# is then the tableau.
# Refused: exit 1 and one line on stderr with file, line, column and value, in which other bytes than printable ASCII
# are shown as '?'.
#     awk -f rows.awk [-v more="NAME ..."] FILE    the rows
#     awk -f rows.awk ask=peaks FILE    the measured roofs of one thread in the prelude, isa:GFLOP/s, slowest first
#     awk -f rows.awk ask=bands FILE    level:GB/s, of whatever is fastest there of reading, writing and both
#     awk -f rows.awk ask=figure FILE   the names of plots in the prelude; nothing where it has none
#     awk -f rows.awk ask=title FILE    the title in the prelude, in printable ASCII
#     awk -f rows.awk ask=origins FILE  COMMIT on MACHINE of the rows, a line each; nothing where they do not say it
# Of the roofs the fastest sample: a roof is what the machine can do when nothing else runs.
BEGIN {
    FS = OFS = "\t"
    columns = "status problem n np method tableau rtol t_total_s t_lo_s t_hi_s err_grad err_grad_max err_x_max isa" \
        " threads lanes batch gflops bytes flops peak_gflops share share_reverse truth cell message series"
    wanted = split(columns, column, " ")
    others = split(more, other, " ")
    for (i = 1; i <= others; i++) if (index(" " columns " ", " " other[i] " ") == 0) {
        column[++wanted] = other[i]
        columns = columns " " other[i]
    }
    split("status problem method tableau isa truth git machine", list, " ")
    for (i in list) kind[list[i]] = "name"
    kind["tableau"] = "numbered"
    kind["series"] = "settings"
    kind["cell"] = kind["message"] = "text"
    # up to 63 characters; a pattern that counts is not in every awk
    pattern["name"] = "^([A-Za-z0-9][A-Za-z0-9_.+-]*)?$"
    pattern["numbered"] = "^([A-Za-z0-9][A-Za-z0-9_.+-]*(:[0-9.e+-]+)?)?$"
    pattern["settings"] = "^[A-Za-z0-9_.+,=:-]*$"
    pattern["text"] = "^[^\001-\037\177]*$"
    number = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"
    pattern["number"] = "^[+-]?(nan|inf)$|" number
    says["name"] = "is no name: letters, digits and _ . + - only, a letter or digit first, at most 63"
    says["numbered"] = says["name"] ", with a number behind : or without"
    says["settings"] = "is no list of settings: letters, digits and _ . + , = : - only"
    says["text"] = "has control characters"
    says["number"] = "is not a number"
}
function refuse(what) {
    gsub(/[^ -~]/, "?", what)
    print "figures.sh: " FILENAME ":" FNR ": " what | "cat >&2"
    close("cat >&2")
    failed = 1
    exit 1
}
function check(name, value, sort) {
    sort = name in kind ? kind[name] : "number"
    if (value !~ pattern[sort] || (sort == "name" && length(value) > 63)) refuse(name ": '" value "' " says[sort])
    return value
}
function read_header(i) {
    for (i = 1; i <= NF; i++) {
        if ($i in at) refuse("column '" $i "' appears twice")
        at[$i] = i
    }
    if (!("status" in at && "problem" in at && "method" in at))
        refuse("not a header line: status, problem or method is missing")
    fields = NF
}
# The value of a column that is known to the file, checked; else what stands for one that is not.
function field(name) {
    if (name in at) return check(name, $at[name])
    if (name == "series" && "tableau" in at) return check(name, $at["tableau"])
    return name in kind ? "" : "nan"
}
function read_peak(words, word, count, i, cut, name) {
    count = split(words, word, " ")
    split("", value)
    for (i = 1; i <= count; i++) {
        cut = index(word[i], "=")
        name = substr(word[i], 1, cut - 1)
        value[name] = substr(word[i], cut + 1)
        if (name == "max" && value[name] !~ number) refuse("peak: max '" value[name] "' is not a number")
    }
    if (value["threads"] != 1) return
    if (value["what"] == "fma") peak[value["isa"]] = value["max"]
    else if (value["max"] + 0 > band[value["level"]] + 0) band[value["level"]] = value["max"]
}
index($0, "\000") { refuse("a NUL byte: not a text file") }
/^#! figure: / && !fields {
    figure = substr($0, 12)
    if (figure !~ /^[a-z_ ]+$/ || length(figure) > 63)
        refuse("figure: '" figure "' is no list of plots: small letters and _ only")
}
/^#! title: / && !fields {
    title = substr($0, 11, 160)
    gsub(/[^ -~]/, "?", title)
}
/^#! peak: / { read_peak(substr($0, 10)) }
/^#/ || /^$/ { next }
!fields {
    read_header()
    if (!ask) for (i = 1; i <= wanted; i++) printf "%s\t", column[i]
    if (!ask) print "end"
    next
}
{
    if (NF != fields) refuse((NF < fields ? "fewer" : "more") " than the " fields " values that the header asks for")
    line = ""
    for (i = 1; i <= wanted; i++) line = line field(column[i]) OFS
    if (!ask) print line "."
    if (ask == "origins" && field("git") != "") origin[field("git") " on " field("machine")]
}
END {
    if (failed) exit 1
    if (!fields) refuse("no header line")
    if (ask == "figure") print figure
    if (ask == "title") print title
    for (o in origin) print o
    isas = split("baseline avx2 avx512", isa, " ")
    levels = split("L1 L2 L3 DRAM", level, " ")
    for (i = 1; ask == "peaks" && i <= isas; i++) if (isa[i] in peak) printf "%s:%s ", isa[i], peak[isa[i]]
    for (i = 1; ask == "bands" && i <= levels; i++) if (level[i] in band) printf "%s:%s ", level[i], band[level[i]]
}
