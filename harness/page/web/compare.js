/* Comparisons: contenders that took turns, as times by that of the first one, with the 95 % interval of the median. */
const comparisons = data.comparisons.map(openFile).filter((file) => file.rows > 0);
for (const row of comparisons.flatMap((file) => file.row)) rowNamed.set(row.id, row);

const lane = {height: 34, width: 460, left: 14, right: 14, bottom: 42};

/* [[row]], a group each, the base first. */
function groupsOf(file) {
    return [...d3.group(file.row, (row) => row.get("group")).values()]
        .map((rows) => d3.sort(rows, (row) => row.get("contender")));
}
function contenderText(row) {
    return labelOf(row.text("method"), row.series) + (row.get("contender") === 0 ? " (base)" : "");
}
function groupTitle([base]) {
    const error = base.get("error");
    const keys = base.text("keys").split(" ").filter((pair) => pair && !pair.startsWith("error="));
    const until = base.get("t1") === null ? [] : ["T = " + shown(base.get("t1"))];
    return [base.text("problem") || "none", ...until, ...keys,
            error === null ? "tolerances as given" : "error at most " + shown(error)].join(", ");
}
function ratioOf(row) {
    return ["ratio", "ratio_lo", "ratio_hi"].map((name) => row.get(name));
}
function describeCompared(row) {
    const said = row.ok ? `${shown(row.get("t_total_s"))} s; by the base: ${ratioText({ratio: ratioOf(row)})}`
        : row.text("status") + ". " + row.text("message");
    return [contenderText(row), said, "error of the gradient: " + shown(row.get("err_grad")), row.id];
}

/* The whole group for the base, its one contender for another row. */
function compareCommand(row) {
    const group = row.file.row.filter((other) => other.get("group") === row.get("group"));
    const base = group.find((other) => other.get("contender") === 0);
    const settings = base.settings(), error = row.get("error");
    if (error !== null) settings.delete("tol");
    const others = row === base ? group.filter((other) => other !== base) : [row];
    const words = [settings.get("problem"), settings.get("method")];
    for (const [key, value] of settings) if (key !== "problem" && key !== "method") words.push(key + "=" + value);
    for (const other of others) words.push("--vs", other.text("changes"));
    if (error !== null) words.push("--error", String(error));
    return ["sensbench compare", ...words.map((word) => quoted(word ?? ""))].join(" ");
}

/* A line for each contender: its name, and below it the interval with a mark. */
function drawGroup(rows, act) {
    const known = rows.filter((row) => row.ok && row.get("ratio") > 0);
    const title = groupTitle(rows), height = lane.height * rows.length + lane.bottom;
    const box = make("div", {class: "chart"}, make("h3", {}, title));
    if (known.length === 0) {
        box.append(make("p", {}, "The base has no time here, so that nothing can be said by it."));
        return box;
    }
    const label = `${title}: ${known.length} of ${rows.length} contenders. Arrow keys move between them, ` +
        "Enter keeps one.";
    const area = make("div", {tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": label});
    const svg = d3.select(area).append("svg").attr("viewBox", `0 0 ${lane.width} ${height}`)
        .attr("aria-hidden", "true").attr("focusable", "false");
    const x = d3.scaleLog(domainOf([1, ...known.flatMap((row) => ratioOf(row).filter((value) => value > 0))]),
                          [lane.left, lane.width - lane.right]);
    const bottom = height - lane.bottom;
    svg.append("g").attr("class", "grid").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).tickValues(ticksOf(x)).tickFormat("").tickSize(-bottom));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).tickValues(ticksOf(x)).tickFormat(tickText));
    svg.append("text").attr("x", lane.width / 2).attr("y", height - 6).attr("text-anchor", "middle")
        .text("time by that of the base");
    svg.append("path").attr("d", `M${x(1)},0V${bottom}`).attr("stroke", "currentColor");
    const settings = d3.group(rows, (row) => row.text("method"));
    const marks = [];
    rows.forEach((row, i) => {
        const y = lane.height * i + 23, method = row.text("method");
        const by = i === 0 ? shown(row.get("t_total_s")) + " s" : ratioText({ratio: ratioOf(row)});
        svg.append("text").attr("class", "over").attr("x", lane.left).attr("y", y - 10).text(contenderText(row));
        svg.append("text").attr("class", row.ok ? "over" : "over failed").attr("x", lane.width - lane.right)
            .attr("y", y - 10).attr("text-anchor", "end").text(row.ok ? by : row.text("status"));
        if (!known.includes(row)) return;
        const [value, lo, hi] = ratioOf(row), setting = settings.get(method).indexOf(row);
        if (hi > lo) {
            svg.append("path").attr("d", `M${x(lo)},${y}H${x(hi)}`).attr("stroke", colourOf(method))
                .attr("stroke-width", 2);
        }
        drawMark(svg, {method, setting}, x(value), y);
        marks.push({row, number: i, x: x(value), y});
    });
    listen(area, svg, marks, act);
    box.append(area);
    return box;
}

function comparedTable(file, keep) {
    const of = (name) => (row) => row.get(name);
    return makeTable("Rows of " + file.path, [
        keepColumn("row", (row) => row, keep),
        textColumn("task", (row) => groupTitle([row])), textColumn("contender", contenderText),
        numberColumn("seconds", of("t_total_s")),
        {name: "by the base", number: true, value: of("ratio"),
         cell: (row) => (row.ok ? ratioText({ratio: ratioOf(row)}) : "–")},
        numberColumn("tolerance", of("rtol")), numberColumn("error of the gradient", of("err_grad")),
        numberColumn("steps", of("steps")), numberColumn("rounds", of("rounds")), statusColumn(),
        textColumn("message", of("message")),
    ], file.row);
}

function showCompared(file, act) {
    byId("compared-sets").value = String(file.number);
    byId("compared").replaceChildren(...groupsOf(file).map((rows) => drawGroup(rows, act)));
    byId("compared-rows").replaceChildren(comparedTable(file, act.keep));
}
/* Names of folder and file say what was compared. */
function setTitle(file) {
    return file.path.split("/").slice(-2).join("/").replace(/\.tsv$/, "");
}
function showComparisons(act) {
    if (comparisons.length === 0) return;
    byId("comparisons").hidden = false;
    const select = byId("compared-sets");
    fillSelect(select, comparisons.map((file) => [String(file.number), setTitle(file)]), "");
    select.addEventListener("change", () =>
        showCompared(comparisons.find((file) => String(file.number) === select.value), act));
    showCompared(comparisons[0], act);
}
