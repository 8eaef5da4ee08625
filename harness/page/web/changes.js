/* What became of the cells that two sets of results have in common. */
const words = {slower: "slower", faster: "faster", within: "within noise", unknown: "no interval"};

function rowAt(list, [table, index]) {
    return list[table].row[index];
}
/* [table, row, table before, row before, quotient, its ends, time, error, counts if any], see page_changes.c. */
function pairOf([table, row, tableBefore, rowBefore, value, lo, hi, time, error, counts]) {
    const now = rowAt(data.files, [table, row]), before = rowAt(data.before, [tableBefore, rowBefore]);
    before.pair = now;
    return {now, before, ratio: [value, lo, hi], time, error, counts: counts ?? {}};
}
function isChanged(pair) {
    return ["slower", "faster"].includes(pair.time) || ["larger", "smaller"].includes(pair.error) ||
        Object.keys(pair.counts).length > 0 || pair.now.text("status") !== pair.before.text("status");
}
function countsText(counts) {
    return Object.entries(counts).map(([name, [before, now]]) => `${name} ${before} → ${now}`).join(", ");
}
function verdict(text, good, bad) {
    return make("span", {class: bad ? "verdict-bad" : good ? "verdict-good" : null}, text);
}

/* How two lists of preludes differ: machine, processor, compiler, libraries, commit. */
function differences() {
    const keys = ["program", "machine", "cpu", "cores", "caches", "system", "compiler", "flags", "libraries", "date"];
    const of = (list, key) => [...new Set(list.map((file) => file.about.get(key) ?? "not said"))].join("; ");
    const items = keys.map((key) => ({key, before: of(data.before, key), now: of(data.files, key)}));
    const libraries = (list) => [...new Set(list.flatMap((file) => file.row.map((row) => row.text("library"))))]
        .filter(Boolean).join("; ");
    items.push({key: "libraries of the methods", before: libraries(data.before), now: libraries(data.files)});
    return items;
}

function ratioText({ratio: [value, lo, hi]}) {
    return lo === null ? shown(value) : `${shown(value)} [${shown(lo)}, ${shown(hi)}]`;
}
function statusText(pair) {
    return pair.before.text("status") + " → " + pair.now.text("status");
}

function pairsTable(caption, pairs, keep) {
    const of = (name) => (pair) => pair.now.get(name);
    return makeTable(caption, [
        keepColumn("rows", (pair) => pair.now, (pair) => [pair.before, pair.now].forEach(keep)),
        textColumn("sweep", of("sweep")), textColumn("problem", of("problem")), numberColumn("n", of("n")),
        textColumn("method", of("method")), textColumn("series", of("series")), numberColumn("rtol", of("rtol")),
        numberColumn("before [s]", (pair) => pair.before.get("t_total_s")), numberColumn("now [s]", of("t_total_s")),
        {name: "now by before", number: true, value: (pair) => pair.ratio[0], cell: ratioText},
        {name: "time", value: (pair) => words[pair.time],
         cell: (pair) => verdict(words[pair.time], pair.time === "faster", pair.time === "slower")},
        {name: "error", value: (pair) => pair.error,
         cell: (pair) => verdict(pair.error, pair.error === "smaller", pair.error === "larger")},
        numberColumn("error before", (pair) => pair.before.get("err_grad")), numberColumn("error now", of("err_grad")),
        {name: "counts", value: (pair) => countsText(pair.counts),
         cell: (pair) => make("span", {class: "wide"}, countsText(pair.counts))},
        {name: "status", value: statusText, cell: (pair) => verdict(statusText(pair), !pair.before.ok && pair.now.ok,
                                                                    pair.before.ok && !pair.now.ok)},
    ], pairs);
}

/* All quotients with their intervals, in order, as one picture: what moved together, and what moved alone. */
function drawQuotients(pairs) {
    const known = pairs.filter((pair) => pair.ratio[0] > 0 && pair.ratio[1] > 0)
        .sort((a, b) => a.ratio[0] - b.ratio[0]);
    if (known.length < 2) return null;
    const width = 900, height = 300, left = 60;
    const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img")
        .attr("aria-label", `Time now by time before of ${known.length} cells, ascending, from ` +
            `${shown(known[0].ratio[0])} to ${shown(known[known.length - 1].ratio[0])}; the table has them all`);
    const x = d3.scaleLinear([0, known.length - 1], [left + 10, width - 10]);
    const y = d3.scaleLog(domainOf(known.flatMap((pair) => [pair.ratio[1], pair.ratio[2], 1])), [height - 40, 10]);
    svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`)
        .call(d3.axisLeft(y).tickValues(ticksOf(y)).tickFormat("").tickSize(-(width - left)));
    svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`)
        .call(d3.axisLeft(y).tickValues(ticksOf(y)).tickFormat(tickText));
    svg.append("path").attr("d", `M${left},${y(1)}H${width}`).attr("stroke", "currentColor");
    known.forEach((pair, i) => {
        const colour = colourOf(pair.now.text("method")), [value, lo, hi] = pair.ratio.map(y);
        svg.append("path").attr("d", `M${x(i)},${lo}V${hi}`).attr("stroke", colour).attr("stroke-width", 1.5);
        svg.append("circle").attr("cx", x(i)).attr("cy", value).attr("r", 2.5).attr("fill", colour);
    });
    svg.append("text").attr("x", width / 2).attr("y", height - 12).attr("text-anchor", "middle")
        .text("cells, by the quotient of their times; colours are those of the methods");
    return make("div", {class: "chart"}, make("h3", {}, "Time now by time before"), svg.node());
}

function showChanges(keep) {
    if (!data.changes) return;
    const pairs = data.changes.pairs.map(pairOf), changed = pairs.filter(isChanged);
    const count = (kind) => pairs.filter((pair) => pair.time === kind).length;
    const middle = d3.median(pairs.map((pair) => pair.ratio[0]).filter((ratio) => ratio > 0));
    const body = byId("changes-body");
    byId("changes").hidden = false;
    body.append(
        make("p", {}, `${pairs.length} cells are in both. Of their times ${count("faster")} are faster, ` +
            `${count("slower")} slower, ${count("within")} within noise, ${count("unknown")} without an interval; ` +
            `the median of now by before is ${shown(middle)}. A time counts as changed where the interval of the ` +
            `quotient (at least 90 %) lies beyond ${shown(100 * data.changes.noise)} % of 1; some do so by chance. ` +
            `${data.changes.added.length} cells are new, ${data.changes.gone.length} are gone.`),
        make("h3", {}, "Where they were measured"),
        makeTable("Where they were measured", [textColumn("what", (item) => item.key),
                                               textColumn("before", (item) => item.before),
                                               textColumn("now", (item) => item.now)], differences()));
    const picture = drawQuotients(pairs);
    if (picture) body.append(picture);
    body.append(make("h3", {}, `${changed.length} cells that changed`),
                changed.length ? pairsTable("Cells that changed", changed, keep) : make("p", {}, "None."),
                make("details", {}, make("summary", {}, "All cells that are in both"),
                     pairsTable("All cells that are in both", pairs, keep)));
}
