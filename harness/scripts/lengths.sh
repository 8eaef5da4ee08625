#!/bin/sh
# lengths.sh FILE ... - line counts of files and functions: medians, the longest, and exit 1 past the limits.
# Limits: 450 lines a file, 120 bytes a line; 60 lines a function, counted in C from { to } in column one and in a shell
# script from `name() {` to }; tables are no functions.
set -eu
export LC_ALL=C
awk -v file_limit=450 -v function_limit=60 -v width_limit=120 '
FNR == 1 { close_file(); name = FILENAME; open = 0; is_script = /^#!/ }
{ lines = FNR }
length > width_limit { print "too wide: " FILENAME ":" FNR ": " length " columns"; bad = 1 }
/^[a-zA-Z].*\(/ && !/;$/ { head = $0 }
is_script ? /^[a-z_]+\(\) \{$/ : /^\{/ { open = FNR }
/^\}/ && open { note(FNR - open + 1); open = 0 }
END { close_file(); report() }
function close_file() {
    if (name == "") return
    files[++n_files] = lines; file_name[n_files] = name
    if (lines > file_limit) { print "too long: " name ": " lines " lines"; bad = 1 }
}
function note(length_) {
    functions[++n_functions] = length_
    if (length_ > longest) { longest = length_; longest_name = FILENAME ": " head }
    if (length_ > function_limit) { print "too long: " FILENAME ": " length_ " lines: " head; bad = 1 }
}
function median(a, n,   i, j, t) {
    for (i = 2; i <= n; i++) { t = a[i]; for (j = i - 1; j >= 1 && a[j] > t; j--) a[j + 1] = a[j]; a[j + 1] = t }
    return a[int((n + 1) / 2)]
}
function report() {
    printf "files: %d, median %d lines; functions: %d, median %d lines, longest %d (%s)\n",
        n_files, median(files, n_files), n_functions, median(functions, n_functions), longest, longest_name
    exit bad
}' "$@"
