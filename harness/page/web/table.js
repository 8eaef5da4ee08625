/* Tables that sort by a click, or Enter, on a heading. */

/* columns: [{name, value(item), cell(item) or nothing, number: bool}]; the value is what it is sorted by. */
function makeTable(caption, columns, items) {
    const body = make("tbody");
    const heads = columns.map((column) =>
        make("th", {scope: "col", "aria-sort": "none"}, make("button", {type: "button"}, column.name)));
    const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads)), body);
    const fill = (list) => body.replaceChildren(...list.map((item) => make("tr", {}, ...columns.map((column) =>
        make("td", {class: column.number ? "number" : null}, cellOf(column, item))))));
    heads.forEach((head, i) => {
        head.firstChild.addEventListener("click", () => {
            const down = head.getAttribute("aria-sort") === "ascending";
            heads.forEach((each) => each.setAttribute("aria-sort", "none"));
            head.setAttribute("aria-sort", down ? "descending" : "ascending");
            fill(sorted(items, columns[i].value, down));
        });
    });
    fill(items);
    return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Table: " + caption}, table);
}
function cellOf(column, item) {
    const cell = column.cell ? column.cell(item) : shown(column.value(item));
    return cell instanceof Node ? cell : String(cell);
}
/* What has no value comes last, whichever way. */
function sorted(items, value, down) {
    const known = (item) => value(item) !== null && value(item) !== undefined && value(item) !== "";
    const some = items.filter(known), none = items.filter((item) => !known(item));
    some.sort((a, b) => (down ? -1 : 1) * d3.ascending(value(a), value(b)));
    return [...some, ...none];
}
function textColumn(name, value) {
    return {name, value};
}
function numberColumn(name, value) {
    return {name, value, number: true};
}

/* A button that keeps the row of an item. */
function keepColumn(name, rowOf, keep) {
    const button = (item) => make("button", {type: "button", "aria-label": "keep row " + rowOf(item).id,
                                             on: {click: () => keep(item)}}, String(rowOf(item).line));
    return {name, value: (item) => rowOf(item).line, cell: button};
}
function statusColumn() {
    const cell = (row) => make("span", {class: row.ok ? null : "failed"}, row.text("status"));
    return {name: "status", value: (row) => row.text("status"), cell};
}

/* The rows of a figure; columns that say the same in all rows, and are no result, are left out. */
function rowsTable(caption, rows, keep) {
    const always = ["status", "problem", "n", "method", "t_total_s", "err_grad"];
    const taken = ["status", "problem", "n", "np", "m", "cost", "method", "tableau", "series", "rtol", "dt", "lanes",
                   "threads", "isa", "batch", "vjp", "structure", "t_total_s", "t_forward_s", "t_reverse_s", "by_rhs",
                   "err_x", "err_grad", "err_frozen", "steps", "rejects", "n_rhs", "n_vjp", "n_factor", "gflops",
                   "share_reverse", "bytes_traj", "message"];
    const varies = (name) => new Set(rows.map((row) => row.get(name))).size > 1;
    const columns = taken.filter((name) => always.includes(name) || varies(name)).map((name) => {
        const about = columnNamed.get(name), value = (row) => row.get(name);
        if (about.kind !== "text") return numberColumn(name, value);
        return name === "status" ? statusColumn() : textColumn(name, value);
    });
    columns.unshift(keepColumn("row", (row) => row, keep));
    return makeTable(caption, columns, rows);
}
