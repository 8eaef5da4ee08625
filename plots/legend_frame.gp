# Where one legend for all panels goes, between them and the note: `legend` lines of `per_row` entries.
unset title
unset xlabel
unset ylabel
unset tics
unset border
unset grid
unset logscale
unset label 1
unset arrow
unset label 100
unset label 101
set key at screen 0.5, (NOTE_HEIGHT + 8.0) / height center bottom horizontal maxcols per_row samplen 3 spacing 1.1 \
    width 2 Left reverse noautotitle noenhanced
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1
