# Margins of panel number `panel` (from 1) of `count` panels, above a legend of `legend` lines.
grid_cols = columns_of(count)
grid_rows = rows_of(count)
bottom = NOTE_HEIGHT + 22.0 * legend + 78.0
cell_w = (width - LEFT - RIGHT - GAP_X * (grid_cols - 1)) / grid_cols
cell_h = (height - TOP - 30.0 - bottom - GAP_Y * (grid_rows - 1)) / grid_rows
grid_i = (panel - 1) % grid_cols
grid_j = (panel - 1) / grid_cols
x_left = LEFT + grid_i * (cell_w + GAP_X)
y_top = height - TOP - 30.0 - grid_j * (cell_h + GAP_Y)
set lmargin at screen x_left / width
set rmargin at screen (x_left + cell_w) / width
set tmargin at screen y_top / height
set bmargin at screen (y_top - cell_h) / height
