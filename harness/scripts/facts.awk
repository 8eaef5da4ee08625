# facts.awk - what the plots ask about a file of sorted rows (figures.sh).
#     awk -F TAB -v ask=curves|panels|tolerances|sizes|isas|problems|note -v methods_known="NAME ..." -f facts.awk FILE
function first(key) { if (key in seen) return 0; seen[key] = 1; return 1 }
function remember(list, item) { if (first(list " " item)) text[list] = text[list] item " " }
BEGIN { known = split(methods_known, order, " ") }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    method = $at["method"]; status = $at["status"]
    if (method == "" && match(" " $at["cell"] " ", / method=[^ ]* /)) # refused before it was found
        method = substr($at["cell"], RSTART + 7, RLENGTH - 9)
    if (status == "ok") remember($at["err_grad"] != "nan" ? "panels" : "without truth", $at["problem"] ":" $at["n"])
    if (status == "ok" && $at["t_total_s"] + 0 > 0) { remember("sizes", $at["n"]); timed[$at["isa"]] = 1 }
    if (status == "ok" && $at["gflops"] + 0 > 0) remember("problems", $at["problem"])
    if (!(method in drawn) && status == "ok") { drawn[method] = 1; methods[++count] = method }
    if (status == "ok") remember("curves of " method, method ":" $at["series"])
    if ($at["rtol"] != "nan") tolerance[$at["rtol"] + 0] = 1
    if (status == "ok" && $at["truth"] == "none") untrue++
    if (status == "ok") next
    message = $at["message"]
    if (match(message, /(apt-get )?install [^,;]*/)) { # a library that is not there: not the fault of a cell
        package = substr(message, RSTART, RLENGTH)
        if (first("missing " package " " method))
            lacking[package] = lacking[package] (lacking[package] ? ", " : "") method
        if (first("missing " package)) packages[++wants] = package
        next
    }
    key = method ($at["series"] != $at["tableau"] && $at["series"] ? ":" $at["series"] : "") " " status
    if (!(key in failed)) keys[++failures] = key
    failed[key]++
    if (status == "unsupported") why[key] = message # what cannot be has its reason; what went wrong, its count
    size = $at["n"]
    if (size == "nan" && match(" " $at["cell"] " ", / n=[^ ]* /)) # refused before the problem was made
        size = substr($at["cell"], RSTART + 2, RLENGTH - 4)
    if (first(key " " size)) sizes[key] = sizes[key] (sizes[key] ? ", " : "") size
}
END {
    if (!text["panels"]) text["panels"] = text["without truth"] # a figure of something else than errors
    if (ask == "panels" || ask == "sizes" || ask == "problems") print text[ask]
    if (ask == "isas") {
        isas = split("baseline avx2 avx512", isa, " ")
        for (i = 1; i <= isas; i++) if (isa[i] in timed) printf "%s ", isa[i]
    }
    if (ask == "tolerances")
        for (e = 0; e < 20; e++)
            for (t in tolerance) if (sprintf("%.0e", t) == sprintf("%.0e", 10 ^ -e)) printf "%d ", e
    if (ask == "curves") {
        for (k = 1; k <= known; k++) if (order[k] in drawn) printf "%s", text["curves of " order[k]]
        for (k = 1; k <= known; k++) delete drawn[order[k]]
        for (m = 1; m <= count; m++) if (methods[m] in drawn) printf "%s", text["curves of " methods[m]]
    }
    if (ask == "note") {
        line = failures ? "Failed, not drawn:" : "No cell failed."
        for (k = 1; k <= failures; k++) {
            split(keys[k], part, " ")
            line = line (k > 1 ? ";" : "") " " part[1] " " failed[keys[k]] " x " part[2] \
                " (n = " sizes[keys[k]] ")" (why[keys[k]] ? ": " why[keys[k]] : "")
        }
        if (failures) line = line "."
        for (k = 1; k <= wants; k++)
            line = line (k > 1 ? "; " : " Not built, so missing here: ") lacking[packages[k]] " (" packages[k] ")"
        if (wants) line = line "."
        if (untrue) line = line " Without a stored truth, only timed: " untrue " cells."
        gsub(/[^ -~]/, "?", line) # a picture is text in UTF-8
        print line
    }
}
