/* One panel as SVG, by D3: logarithmic axes, curves with markers and intervals, and the mark that is near. */
const size = {width: 460, height: 340, left: 66, right: 14, top: 10, bottom: 46};

function domainOf(values) {
    const [lo, hi] = d3.extent(values);
    return lo === hi ? [lo / 1.5, hi * 1.5] : [lo / 1.12, hi * 1.12];
}
function ends(row, y) {
    const names = intervals[y];
    const pair = names ? names.map((name) => row.get(name)) : [null, null];
    return pair.every((end) => end > 0) ? pair : [placed(y, row), placed(y, row)];
}

/* Powers of ten where there are several, else 1, 2, 5. */
function ticksOf(scale) {
    const [lo, hi] = scale.domain();
    const decades = Math.log10(hi / lo);
    const step = Math.max(1, Math.ceil(decades / 7));
    const parts = decades > 2.2 ? [1] : decades > 0.7 ? [1, 2, 5] : [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9];
    const list = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++) {
        if (decades > 2.2 && e % step !== 0) continue;
        for (const part of parts) {
            const value = part * 10 ** e;
            if (value >= lo && value <= hi) list.push(value);
        }
    }
    return list;
}

function tickText(value) {
    return shown(value, 2);
}

function drawAxes(svg, figure, rows, x, y) {
    const bottom = size.height - size.bottom;
    const across = ticksOf(x), upwards = ticksOf(y);
    const grid = svg.append("g").attr("class", "grid");
    grid.append("g").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).tickValues(across).tickFormat("").tickSize(-(bottom - size.top)));
    grid.append("g").attr("transform", `translate(${size.left},0)`)
        .call(d3.axisLeft(y).tickValues(upwards).tickFormat("").tickSize(-(size.width - size.left - size.right)));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
        .call(d3.axisBottom(x).tickValues(across).tickFormat(tickText));
    svg.append("g").attr("class", "axis").attr("transform", `translate(${size.left},0)`)
        .call(d3.axisLeft(y).tickValues(upwards).tickFormat(tickText));
    svg.append("text").attr("x", (size.left + size.width - size.right) / 2).attr("y", size.height - 8)
        .attr("text-anchor", "middle").text(axisTitle(figure.x, rows));
    svg.append("text").attr("transform", `translate(14,${(size.top + bottom) / 2}) rotate(-90)`)
        .attr("text-anchor", "middle").text(axisTitle(figure.y, rows));
}

function drawMark(group, curve, x, y) {
    const mark = markOf(curve.method, curve.setting), colour = colourOf(curve.method);
    return group.append("path").attr("d", mark.path).attr("transform", `translate(${x},${y}) rotate(${mark.turned})`)
        .attr("fill", mark.open ? "none" : colour).attr("stroke", colour).attr("stroke-width", mark.open ? 1.6 : 0.6);
}

function drawLine(group, curve) {
    return group.append("path").attr("fill", "none").attr("stroke", colourOf(curve.method)).attr("stroke-width", 1.4)
        .attr("stroke-dasharray", ["none", "6 3", "2 3", "8 3 2 3"][curve.setting % 4]);
}
/* A sample of a curve, as a legend has it. */
function drawSample(curve) {
    const svg = d3.create("svg").attr("width", 36).attr("height", 14).attr("aria-hidden", "true");
    drawLine(svg, curve).attr("d", "M1,7H35");
    drawMark(svg, curve, 18, 7);
    return svg.node();
}

function drawCurve(svg, figure, curve, x, y) {
    const group = svg.append("g").attr("class", "curve");
    const colour = colourOf(curve.method);
    const line = d3.line().x((row) => x(placed(figure.x, row))).y((row) => y(placed(figure.y, row)));
    drawLine(group, curve).attr("d", line(curve.rows));
    for (const row of curve.rows) {
        const [lo, hi] = ends(row, figure.y);
        const place = x(placed(figure.x, row));
        if (hi > lo) {
            group.append("line").attr("x1", place).attr("x2", place).attr("y1", y(lo)).attr("y2", y(hi))
                .attr("stroke", colour).attr("stroke-width", 1.2);
        }
        drawMark(group, curve, place, y(placed(figure.y, row)));
    }
}

function isDisturbed(row) {
    return row.get("samples_disturbed") > 0;
}
/* What is said of a mark, in the tip and to those who hear it. */
function describe(figure, row) {
    const [lo, hi] = ends(row, figure.y);
    const interval = hi > lo ? ` (${shown(lo)} to ${shown(hi)})` : "";
    const of = [`${axisName(figure.y)}: ${shown(row.get(figure.y))}${interval}`,
                `${axisName(figure.x)}: ${shown(row.get(figure.x))}`];
    if (row.get("rtol") > 0 && figure.x !== "rtol") of.push("tolerance " + shown(row.get("rtol")));
    if (isDisturbed(row)) {
        of.push(`during ${row.get("samples_disturbed")} of ${row.get("samples")} samples others took a core away`);
    }
    return [curveTitle(figure, row), ...of, row.id];
}

/* The failed runs of a panel: a button each, since they have no place on the axes. */
function drawFailed(panel, act) {
    const box = make("div", {class: "fails"});
    for (const row of panel.failed) {
        const said = `${labelOf(row.text("method"), row.series)}: ${row.text("status")} ${row.text("message")}`;
        box.append(make("button", {type: "button", title: said, "aria-label": "failed: " + said,
                                   on: {click: () => act.keep(row)}}, "✕"));
    }
    return box;
}

/* The marks of a panel, in the order in which the arrow keys go. */
function marksOf(figure, panel, x, y) {
    return panel.curves.flatMap((curve, number) => curve.rows.map((row) => (
        {row, number, x: x(placed(figure.x, row)), y: y(placed(figure.y, row))})));
}
/* Left and right along the curve, up and down to the nearest mark of another one. */
function neighbour(marks, at, key) {
    if (at < 0) return 0;
    const here = marks[at];
    if (key === "ArrowRight" || key === "ArrowLeft") {
        const step = key === "ArrowRight" ? 1 : -1;
        return (at + step + marks.length) % marks.length;
    }
    const others = marks.map((mark, i) => ({mark, i})).filter(({mark}) => mark.number !== here.number &&
        (key === "ArrowUp" ? mark.y < here.y : mark.y > here.y));
    const distance = ({mark}) => Math.hypot(3 * (mark.x - here.x), mark.y - here.y);
    return others.length ? others.reduce((a, b) => (distance(a) <= distance(b) ? a : b)).i : at;
}

function listen(area, svg, marks, act) {
    let at = -1;
    const ring = svg.append("circle").attr("class", "near").attr("r", 9).attr("visibility", "hidden");
    const placeOf = ({x, y}) => {
        const box = svg.node().getBoundingClientRect(), scale = box.width / size.width;
        return [window.scrollX + box.left + x * scale, window.scrollY + box.top + y * scale];
    };
    const go = (to) => {
        at = to;
        ring.attr("visibility", at < 0 ? "hidden" : "visible");
        if (at >= 0) ring.attr("cx", marks[at].x).attr("cy", marks[at].y);
        if (at >= 0) act.near(marks[at].row, placeOf(marks[at]));
        else act.away();
    };
    const inside = (event) => {
        const box = svg.node().getBoundingClientRect(), scale = size.width / box.width;
        return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    };
    const nearest = (event) => {
        const [px, py] = inside(event);
        let best = -1, least = 28;
        marks.forEach((mark, i) => {
            const distance = Math.hypot(mark.x - px, mark.y - py);
            if (distance < least) [best, least] = [i, distance];
        });
        return best;
    };
    area.addEventListener("pointermove", (event) => go(nearest(event)));
    area.addEventListener("pointerleave", () => go(-1));
    area.addEventListener("blur", () => go(-1));
    area.addEventListener("click", (event) => {
        go(nearest(event));
        if (at >= 0) act.keep(marks[at].row);
    });
    area.addEventListener("keydown", (event) => {
        if (event.key.startsWith("Arrow") && marks.length) go(neighbour(marks, at, event.key));
        else if (event.key === "Home" && marks.length) go(0);
        else if ((event.key === "Enter" || event.key === " ") && at >= 0) act.keep(marks[at].row);
        else if (event.key === "Escape") go(-1);
        else return;
        event.preventDefault();
    });
}

/* act: near(row, place on the page), away(), keep(row), isKept(row), whenKept(draw), which
 * draws at once and again whenever another row is kept or dropped. */
function drawPanel(figure, panel, act) {
    const rows = panel.curves.flatMap((curve) => curve.rows);
    const box = make("div", {class: "chart"}, make("h3", {}, panel.title));
    if (panel.failed.length) box.append(drawFailed(panel, act));
    if (rows.length === 0) {
        box.append(make("p", {}, panel.failed.length ? "No run has these numbers." : "Nothing to draw."));
        return box;
    }
    const x = d3.scaleLog(domainOf(rows.map((row) => placed(figure.x, row))), [size.left, size.width - size.right]);
    const y = d3.scaleLog(domainOf(rows.flatMap((row) => ends(row, figure.y))), [size.height - size.bottom, size.top]);
    const label = `${panel.title}: ${rows.length} marks on ${panel.curves.length} curves. ` +
        "Arrow keys move from mark to mark, Enter keeps one.";
    const area = make("div", {tabindex: 0, role: "application", "aria-roledescription": "chart", "aria-label": label});
    const svg = d3.select(area).append("svg").attr("viewBox", `0 0 ${size.width} ${size.height}`)
        .attr("aria-hidden", "true").attr("focusable", "false");
    drawAxes(svg, figure, rows, x, y);
    for (const curve of [...panel.curves].reverse()) drawCurve(svg, figure, curve, x, y);
    const marks = marksOf(figure, panel, x, y);
    const rings = svg.append("g");
    act.whenKept(() => rings.selectAll("circle").data(marks.filter((each) => act.isKept(each.row))).join("circle")
        .attr("class", "kept").attr("r", 8).attr("cx", (mark) => mark.x).attr("cy", (mark) => mark.y));
    listen(area, svg, marks, act);
    box.append(area);
    const disturbed = rows.filter(isDisturbed).length;
    if (disturbed) {
        box.append(make("p", {class: "hint"}, `${disturbed} of these marks have samples during which others took a ` +
            "core away; point at one to see."));
    }
    if (panel.without) box.append(make("p", {class: "hint"}, `${panel.without} runs have no positive numbers here.`));
    return box;
}
