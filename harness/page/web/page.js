/* The page: what is chosen, what is kept, and the parts below the figures. */
const chosen = {file: files[0], figure: null, hidden: {method: new Set(), problem: new Set(), n: new Set()}};
const kept = [];
const rings = []; /* what draws those of each panel */

function say(text) {
    byId("said").textContent = text;
}

/* ---- the tip, and what is kept ---------------------------------------------------------------------------- */

/* Beside a place of the page, within its width. */
function showTip(lines, [x, y]) {
    const tip = byId("tip");
    tip.replaceChildren(...lines.map((line) => make("p", {}, line)));
    tip.hidden = false;
    const width = tip.offsetWidth, room = document.documentElement.clientWidth;
    tip.style.left = Math.max(4, Math.min(x + 14, window.scrollX + room - width - 4)) + "px";
    tip.style.top = y + 14 + "px";
}
const act = {
    near(row, place) {
        const lines = row.isCompared ? describeCompared(row) : describe(chosen.figure, row);
        showTip(lines, place);
        say(lines.join("; "));
    },
    away() {
        byId("tip").hidden = true;
    },
    isKept: (row) => kept.includes(row),
    whenKept(draw) {
        rings.push(draw);
        draw();
    },
    keep(row) {
        if (kept.includes(row)) {
            say("Already kept: " + row.id);
        } else {
            kept.push(row);
            say("Kept: " + row.id);
        }
        history.replaceState(null, "", "#row=" + encodeURIComponent(row.id));
        showKept();
    },
};

function showCard(row) {
    const fields = data.columns.filter((column) => column.name !== "cell" && row.get(column.name) !== null &&
        row.get(column.name) !== "");
    const command = row.command();
    const copied = make("span", {role: "status"});
    const copy = () => navigator.clipboard?.writeText(command).then(
        () => { copied.textContent = " copied"; }, () => { copied.textContent = " not allowed here"; });
    const drop = () => {
        kept.splice(kept.indexOf(row), 1);
        showKept();
    };
    return make("article", {class: "card", "aria-label": "row " + row.id},
        make("h3", {}, `${labelOf(row.text("method"), row.series)}, ${row.text("problem")}` +
            (row.get("n") === null ? "" : `, n = ${row.get("n")}`)),
        row.ok ? null : make("p", {class: "failed"}, `Failed: ${row.text("status")}. ${row.text("message")}`),
        make("p", {}, "Row: ", make("code", {}, row.id), "; commit ", make("code", {}, row.text("git")),
             `; machine ${row.text("machine")} (${row.file.about.get("cpu") ?? "not said"})`,
             row.text("library") ? `; library ${row.text("library")}` : "", ". To measure it again:"),
        make("pre", {}, command),
        make("p", {}, make("button", {type: "button", on: {click: copy}}, "copy the command"), " ",
             make("button", {type: "button", "aria-label": "drop row " + row.id, on: {click: drop}}, "drop"), copied),
        make("details", {}, make("summary", {}, "All columns of the row"), make("dl", {}, ...fields.map((column) =>
            make("div", {}, make("dt", {title: column.meaning}, column.name),
                 make("dd", {}, shown(row.get(column.name), 6) + (column.unit === "-" ? "" : " " + column.unit)))))));
}
function showKept() {
    byId("kept-none").hidden = kept.length > 0;
    byId("kept-list").replaceChildren(...kept.map(showCard));
    for (const draw of rings) draw();
}

/* ---- the figure ------------------------------------------------------------------------------------------- */

function isShown(row) {
    const hidden = chosen.hidden;
    return ["method", "problem", "n"].every((name) => !hidden[name].has(row.get(name)));
}
/* Each curve once, by its method and then as they come. */
function curvesOf(panels) {
    const curves = new Map(panels.flatMap((panel) => panel.curves).map((curve) => [curve.title, curve]));
    return [...curves.values()].sort((a, b) => d3.ascending(a.method, b.method) || a.setting - b.setting);
}
function drawFigure() {
    const rows = chosen.file.row.filter(isShown);
    const panels = panelsOf(chosen.figure, rows);
    rings.length = 0;
    byId("charts").replaceChildren(...panels.map((panel) => drawPanel(chosen.figure, panel, act)));
    byId("curves").replaceChildren(...curvesOf(panels).map((curve) =>
        make("li", {}, drawSample(curve), " " + curve.title)));
    if (panels.length === 0) byId("charts").append(make("p", {}, "No row is left: the filters hide them all."));
    if (byId("rows-box").open) byId("rows").replaceChildren(rowsTable("Rows of " + chosen.file.path, rows, act.keep));
}

function fillSelect(select, items, value) {
    select.replaceChildren(...items.map(([key, text]) => make("option", {value: key}, text)));
    select.value = value;
}
function different(name) {
    return [...new Set(chosen.file.row.map((row) => row.get(name)))].sort(d3.ascending);
}
function fillFilter(list, name, label) {
    byId(list).replaceChildren(...different(name).map((value) => {
        const box = make("input", {type: "checkbox", checked: !chosen.hidden[name].has(value)});
        box.addEventListener("change", () => {
            chosen.hidden[name][box.checked ? "delete" : "add"](value);
            drawFigure();
        });
        return make("li", {}, make("label", {}, box, " ", ...label(value)));
    }));
}
function methodLabel(method) {
    return [drawSample({method, setting: 0}), " " + labelOf(method, "")];
}
function fillFilters() {
    fillFilter("methods", "method", methodLabel);
    fillFilter("problems", "problem", (problem) => [problem || "none"]);
    fillFilter("sizes", "n", (n) => [n === null ? "not known" : String(n)]);
}

function chooseFigure(figure) {
    chosen.figure = {...figure};
    const axes = axesOf(chosen.file);
    for (const [id, key] of [["abscissa", "x"], ["ordinate", "y"]]) {
        const all = [...new Set([figure[key], ...axes])];
        fillSelect(byId(id), all.map((name) => [name, axisName(name)]), figure[key]);
    }
    drawFigure();
}
function chooseFile(file) {
    chosen.file = file;
    for (const set of Object.values(chosen.hidden)) set.clear();
    const figures = figuresOf(file);
    byId("sweep").value = String(file.number);
    fillSelect(byId("figure"), figures.map((figure) => [figure.key, figure.title]), figures[0].key);
    fillFilters();
    chooseFigure(figures[0]);
}
function titleOf(file) {
    const title = file.about.get("title");
    return (file.about.get("sweep") ?? file.path) + (title ? ": " + title : "");
}

/* ---- the parts below -------------------------------------------------------------------------------------- */

function showFailures() {
    const failed = [...files, ...comparisons].flatMap((file) => file.row).filter((row) => !row.ok);
    const of = (name) => (row) => row.get(name);
    const columns = [keepColumn("row", (row) => row, act.keep), textColumn("sweep", of("sweep")),
        textColumn("problem", of("problem")), numberColumn("n", of("n")), textColumn("method", of("method")),
        textColumn("series", (row) => row.series), numberColumn("rtol", of("rtol")), statusColumn(),
        textColumn("message", of("message"))];
    byId("failures-body").append(failed.length === 0 ? make("p", {}, "Nothing.")
        : makeTable(`${failed.length} rows that failed`, columns, failed));
}
function showAccuracy() {
    const curves = data.accuracy.filter((curve) => curve.seconds);
    if (curves.length === 0) {
        byId("accuracy-body").append(make("p", {}, "No task was solved at two tolerances or steps."));
        return;
    }
    const goals = Object.keys(curves[0].seconds);
    const of = (name) => (curve) => curve[name];
    // Of at_most and ratio there is what is known.
    const seconds = (curve, goal) => curve.seconds[goal] ?? curve.at_most[goal] ?? null;
    const time = (goal) => ({name: goal, number: true, value: (curve) => seconds(curve, goal),
        cell: (curve) => {
            const bound = curve.seconds[goal] === null && goal in curve.at_most ? "≤ " : "";
            return bound + shown(seconds(curve, goal)) + (goal in curve.ratio ? ` (${shown(curve.ratio[goal])})` : "");
        }});
    byId("accuracy-body").append(makeTable("Time to an accuracy", [
        textColumn("sweep", (curve) => curve.sweep || "fig2, fig4, peers"),
        textColumn("problem", of("problem")), numberColumn("n", of("n")), textColumn("derivative by", of("wrt")),
        textColumn("track", of("track")), textColumn("curve", (curve) => labelOf(curve.method, curve.series)),
        ...goals.map(time), textColumn("failed", (curve) => Object.entries(curve.failed)
            .map(([status, count]) => `${count} ${status}`).join(", "))], curves));
}
function showStatements() {
    if (!data.statements?.length) return;
    byId("statements").hidden = false;
    const good = (item) => item.verdict === "reproduced", bad = (item) => item.verdict === "not reproduced";
    byId("statements-body").append(makeTable("Verdicts on published statements", [
        textColumn("of", (item) => item.section), textColumn("statement", (item) => item.statement),
        {name: "verdict", value: (item) => item.verdict, cell: (item) => verdict(item.verdict +
            (item.required && bad(item) ? " (required: the program is wrong)" : ""), good(item), bad(item))},
        textColumn("numbers", (item) => item.number)], data.statements));
}
function showMachines() {
    const of = (key) => (file) => file.about.get(key) ?? "";
    const told = ["sweep", "date", "program", "machine", "cpu", "cores", "caches", "system", "compiler", "flags",
                  "libraries", "measure"];
    const columns = [textColumn("file", (file) => file.path), ...told.map((key) => textColumn(key, of(key))),
        numberColumn("rows", (file) => file.rows),
        numberColumn("failed", (file) => file.row.filter((row) => !row.ok).length)];
    byId("machines-body").append(makeTable("Files and machines", columns, [...data.files, ...data.comparisons]));
}

/* ---- the beginning ---------------------------------------------------------------------------------------- */

function showAbout() {
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const all = [...files, ...comparisons];
    const failed = all.reduce((sum, file) => sum + file.row.filter((row) => !row.ok).length, 0);
    const machines = [...new Set(all.map((file) => file.about.get("machine")).filter(Boolean))];
    const commits = [...new Set(all.flatMap((file) => file.row.map((row) => row.text("git"))))].filter(Boolean);
    const compared = comparisons.reduce((sum, file) => sum + file.rows, 0);
    const also = compared ? `, and ${compared} of ${comparisons.length} comparisons` : "";
    byId("about").textContent = `${rows} rows of ${files.length} sweeps${also}, ${failed} of them failed; ` +
        `measured on ${machines.join(", ") || "a machine that is not said"}; ` +
        `commits ${commits.join(", ") || "not said"}.`;
    byId("made").textContent = `Written by ${data.program}. Numbers have five digits here, and all in the files. ` +
        "Drawn with D3 (Mike Bostock, ISC or BSD licence, in this page).";
    const sections = [...document.querySelectorAll("main > section")].filter((section) => !section.hidden);
    byId("contents").append(...sections.map((section) => make("li", {}, make("a", {href: "#" + section.id},
        section.querySelector("h2").textContent))));
}
/* What is no escape stands for itself. */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}
function goToRow() {
    const match = /^#row=(.*)$/.exec(location.hash);
    if (!match) return;
    const row = rowNamed.get(decoded(match[1]));
    if (!row) {
        say("No such row here: " + decoded(match[1]));
        return;
    }
    if (files.includes(row.file)) chooseFile(row.file);
    if (comparisons.includes(row.file)) showCompared(row.file, act);
    act.keep(row);
}
function redraw() {
    fillFilters();
    drawFigure();
}
function setAll(name, hide) {
    for (const value of different(name)) chosen.hidden[name][hide ? "add" : "delete"](value);
    redraw();
}

function start() {
    showChanges(act.keep);
    showComparisons(act);
    showFailures();
    showAccuracy();
    showStatements();
    showMachines();
    showAbout();
    if (files.length === 0) {
        byId("charts").append(make("p", {}, "There is no row of a sweep in these results."));
        goToRow();
        return;
    }
    fillSelect(byId("sweep"), files.map((file) => [String(file.number), titleOf(file)]), "");
    byId("sweep").addEventListener("change", (event) =>
        chooseFile(files.find((file) => String(file.number) === event.target.value)));
    byId("figure").addEventListener("change", (event) =>
        chooseFigure(figuresOf(chosen.file).find((figure) => figure.key === event.target.value)));
    for (const [id, key] of [["abscissa", "x"], ["ordinate", "y"]]) {
        byId(id).addEventListener("change", (event) => {
            chosen.figure[key] = event.target.value;
            drawFigure();
        });
    }
    byId("theme").addEventListener("change", (event) => {
        document.documentElement.dataset.theme = event.target.value;
        redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    byId("rows-box").addEventListener("toggle", drawFigure);
    document.querySelector("[data-all]").addEventListener("click", () => setAll("method", false));
    document.querySelector("[data-none]").addEventListener("click", () => setAll("method", true));
    window.addEventListener("hashchange", goToRow);
    const first = (file) => ["work_precision", "implementations"].includes(figuresOf(file)[0].key);
    chooseFile(files.find(first) ?? files[0]);
    goToRow();
}
start();
