/* What a figure shows: its axes, its panels and its curves, as the scripts of plots/ say (#! axes, panels, curves). */
const names = {
    t_total_s: "time of one run [s]", err_grad: "relative error of the gradient", err_x: "relative error of the state",
    n: "states n", np: "parameters", rtol: "relative tolerance", lanes: "lanes", batch: "points in a batch",
    by_rhs: "time of a vector by that of a right-hand side", share_reverse: "share of the peak, reverse sweep",
    gflops: "GFLOP/s", "flops/bytes": "operations a byte", err_x_max: "largest error of the state",
    err_grad_max: "largest error of the gradient", "t_reverse_s/t_forward_s": "reverse sweep by forward solve",
};
const intervals = {
    t_total_s: ["t_lo_s", "t_hi_s"],
    by_rhs: ["by_rhs_lo", "by_rhs_hi"],
};
/* Of a sweep that names no picture with axes. */
const plain = [{axes: "err_grad t_total_s", panels: "problem n", title: "time against error"},
               {axes: "n t_total_s", panels: "problem", title: "time against the number of states"}];

function axisName(column) {
    if (names[column]) return names[column];
    const about = columnNamed.get(column);
    return about ? column + (about.unit === "-" ? "" : " [" + about.unit + "]") : column;
}

function figureOf(key, about) {
    const [x, y] = about.axes.split(" ");
    const curves = (about.curves ?? "").split(" ").filter(Boolean);
    return {key, title: about.title, x, y, panels: about.panels.split(" "), curves};
}
function canDraw(file, figure) {
    return file.row.some((row) => row.ok && row.get(figure.x) > 0 && row.get(figure.y) > 0);
}
/* The figures of a file that its rows have numbers for; at least one, which may be empty. */
function figuresOf(file) {
    const named = (file.about.get("figure") ?? "work_precision calibration").split(" ")
        .filter((key) => styles.plots[key]).map((key) => figureOf(key, styles.plots[key]));
    const rest = plain.map((about, i) => figureOf("plain" + i, about));
    const drawn = named.filter((figure) => canDraw(file, figure));
    if (drawn.length > 0) return drawn;
    const other = rest.find((figure) => canDraw(file, figure));
    return [other ?? named[0] ?? rest[0]];
}

/* Where a row stands on an axis. Beyond an error of ten nothing is right: such a mark stands on the border, so that it
 * does not flatten the others. */
const worst = 10;
function placed(column, row) {
    const value = row.get(column);
    return column.startsWith("err_") ? Math.min(value, worst) : value;
}
function axisTitle(column, rows) {
    const beyond = rows.some((row) => placed(column, row) !== row.get(column));
    return axisName(column) + (beyond ? " (≥ 10: border)" : "");
}

/* Columns with more than one positive number among the rows that are ok: what an axis may be. */
function axesOf(file) {
    return data.columns.filter((column) => column.kind !== "text" && column.name in file.columns)
        .map((column) => column.name).filter((name) => {
            const seen = new Set();
            for (const row of file.row) if (row.ok && row.get(name) > 0) seen.add(row.get(name));
            return seen.size > 1;
        });
}

function valueText(value) {
    return typeof value === "number" ? shown(value, 6) : String(value ?? "");
}
function panelOf(figure, row) {
    return figure.panels.map((name) => valueText(row.get(name))).join("\u0000");
}
function panelTitle(figure, row) {
    return figure.panels.map((name) => {
        const value = valueText(row.get(name));
        return name === "problem" ? value : name + " = " + value;
    }).join(", ");
}
function curveOf(figure, row) {
    const more = figure.curves.map((name) => valueText(row.get(name)));
    return [row.text("method"), row.series, ...more].join("\u0000");
}
function curveTitle(figure, row) {
    const more = figure.curves.map((name) => name.replace("asked.", "") + " " + (valueText(row.get(name)) || "–"));
    return [labelOf(row.text("method"), row.series), ...more].join(", ");
}

/* Along a curve against an error the tolerance changes, or the step; against all else the abscissa does. */
function alongCurve(figure, rows) {
    const changes = (name) => new Set(rows.map((row) => row.get(name))).size > 1;
    const key = !figure.x.startsWith("err_") ? figure.x : ["rtol", "dt"].find(changes) ?? figure.x;
    const sign = key === figure.x ? 1 : -1;
    return [...rows].sort((a, b) => sign * (a.get(key) - b.get(key)));
}

/* [{title, curves: [{title, method, setting, rows}], failed: [row]}], of these rows. */
function panelsOf(figure, rows) {
    const panels = new Map();
    const settings = new Map(); /* method -> its curves, in the order of all panels: the marker says which */
    for (const row of rows) {
        const name = panelOf(figure, row);
        if (!panels.has(name)) {
            panels.set(name, {title: panelTitle(figure, row), curves: new Map(), failed: [], without: 0, row});
        }
        const panel = panels.get(name);
        if (!row.ok) {
            panel.failed.push(row);
            continue;
        }
        if (!(row.get(figure.x) > 0) || !(row.get(figure.y) > 0)) {
            panel.without++;
            continue;
        }
        const curve = curveOf(figure, row), method = row.text("method");
        if (!settings.has(method)) settings.set(method, []);
        if (!settings.get(method).includes(curve)) settings.get(method).push(curve);
        if (!panel.curves.has(curve)) {
            panel.curves.set(curve, {title: curveTitle(figure, row), method, rows: [],
                                     setting: settings.get(method).indexOf(curve)});
        }
        panel.curves.get(curve).rows.push(row);
    }
    const ordered = [...panels.values()].sort((a, b) => compareRows(figure.panels, a.row, b.row));
    for (const panel of ordered) {
        panel.curves = [...panel.curves.values()];
        for (const curve of panel.curves) curve.rows = alongCurve(figure, curve.rows);
    }
    return ordered;
}
function compareRows(columns, a, b) {
    for (const name of columns) {
        const order = d3.ascending(a.get(name), b.get(name));
        if (order) return order;
    }
    return 0;
}
