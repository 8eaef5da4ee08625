# mutate.awk - writes one source file with all its mutants built in, each switched on by its number.
#
#   awk -v source=methods/continuous/cfsa.c -f mutate.awk mutants.txt SOURCE_TEXT > MUTATED_TEXT
#
# A record of mutants.txt (format there) replaces one piece of text by
#   expression   (sens_mutant == N ? (WITH) : (FIND))
#   statement    { if (sens_mutant == N) { WITH } else { FIND } }
# where N is the number of the record. Records with the same place share one replacement. Text that is not found, or
# not as often as `nth` says, is an error.
function complain(text) { print "mutate.awk: " text > "/dev/stderr"; failed = 1; exit 1 }

function finish_record(    place) {
    if (name == "") return
    number++
    if (file == source) {
        count++
        n_of[count] = number; name_of[count] = name; find_of[count] = find; with_of[count] = with
        nth_of[count] = nth; kind_of[count] = kind; context_of[count] = context
    }
    name = file = find = with = context = ""; nth = 1; kind = "expression"
}

function value(line) { sub(/^[a-z]+ +/, "", line); return line }

BEGIN { nth = 1; kind = "expression"; text = "" }

FNR == NR {
    if ($0 ~ /^#/) next
    if ($0 == "") { finish_record(); next }
    if ($1 == "mutant") name = $2
    else if ($1 == "file") file = $2
    else if ($1 == "find") find = value($0)
    else if ($1 == "in") context = value($0)
    else if ($1 == "with") with = value($0)
    else if ($1 == "nth") nth = $2 + 0
    else if ($1 == "kind") kind = $2
    else if ($1 !~ /^(module|cause|scope|note)$/) complain("unknown field in line " FNR ": " $0)
    next
}
{ text = text $0 "\n" }

# Position of record i in the text, or 0.
function position(i,    start, at) {
    if (context_of[i] == "") return locate(find_of[i], nth_of[i])
    start = locate(context_of[i], 1)
    at = index(context_of[i], find_of[i])
    return start && at ? start + at - 1 : 0
}

# Position of the nth occurrence of what, or 0.
function locate(what, nth,    from, at, k) {
    from = 1
    for (k = 1; k <= nth; k++) {
        at = index(substr(text, from), what)
        if (!at) return 0
        at += from - 1
        from = at + length(what)
    }
    return at
}

END {
    if (failed) exit 1
    finish_record()
    for (i = 1; i <= count; i++) {
        at = position(i)
        if (!at) complain(name_of[i] ": occurrence " nth_of[i] " of '" find_of[i] "' is not in " source)
        place = at SUBSEP length(find_of[i])
        if (!(place in chain)) { order[++places] = at; long_of[at] = length(find_of[i]); chain[place] = "" }
        else if (long_of[at] != length(find_of[i])) complain(name_of[i] ": overlaps another mutant")
        if (kind_of[i] == "statement") { head = "if (sens_mutant == " n_of[i] ") { " with_of[i] " } else " }
        else head = "sens_mutant == " n_of[i] " ? (" with_of[i] ") : "
        chain[place] = chain[place] head
        shape[at] = kind_of[i]; original[at] = find_of[i]
    }
    for (i = 2; i <= places; i++)                # by position
        for (j = i; j > 1 && order[j - 1] > order[j]; j--) { t = order[j]; order[j] = order[j - 1]; order[j - 1] = t }
    print "extern int sens_mutant;"
    from = 1
    for (i = 1; i <= places; i++) {
        at = order[i]
        if (at < from) complain("two mutants overlap near '" original[at] "'")
        printf "%s", substr(text, from, at - from)
        place = at SUBSEP long_of[at]
        if (shape[at] == "statement") printf "{ %s{ %s } }", chain[place], original[at]
        else printf "(%s(%s))", chain[place], original[at]
        from = at + long_of[at]
    }
    printf "%s", substr(text, from)
}
