// report.mjs STORED SMALL AGAINST - pages of sensbench report in a real browser. STORED: a page of stored results,
// whose paths are from the working folder; SMALL: one of a few rows, some of them hostile, whose last comparison can be
// made again by the sensbench of PATH; AGAINST: SMALL held against another. Prints what was seen; exit 1 after the
// first thing that is wrong.
import assert from "node:assert/strict";
import {execSync} from "node:child_process";
import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {pathToFileURL} from "node:url";

const installed = createRequire(path.join(process.env.NODE_MODULES, "package.json"));
const {chromium} = installed("playwright-core");
const axe = fs.readFileSync(installed.resolve("axe-core/axe.min.js"), "utf8");
const [stored, small, against] = process.argv.slice(2).map((file) => pathToFileURL(path.resolve(file)).href);
const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox"]});

// ---- helpers

async function open(url, settings = {}) {
    const context = await browser.newContext({viewport: {width: 1400, height: 1000}, ...settings});
    const page = await context.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("request", (request) => request.url().startsWith("file:") || wrong.push("network: " + request.url()));
    page.on("dialog", (dialog) => wrong.push("dialog: " + dialog.message()));
    const begin = performance.now();
    await page.goto(url);
    await page.locator(".chart").first().waitFor();
    return {page, seconds: (performance.now() - begin) / 1000, done: async () => {
        assert.deepEqual(wrong, [], "errors of the page");
        await context.close();
    }};
}

/* Numbers that are drawn, the same in every run. */
function generator(seed) {
    return () => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return seed / 2147483648;
    };
}

/* The line of a result file as {column: text}. */
function lineOf(id) {
    const [, file, number] = /^(.*):(\d+)$/.exec(id);
    const lines = fs.readFileSync(file, "utf8").split("\n");
    const header = lines.find((line) => !line.startsWith("#")).split("\t");
    const values = lines[Number(number) - 1].split("\t");
    return Object.fromEntries(header.map((name, i) => [name, values[i]]));
}
function near(a, b, part, what) {
    assert.ok(Math.abs(a - b) <= part * Math.abs(b), `${what}: ${a} is not ${b}`);
}

/* What the card of a row says, held against its line; whole: it says all that the line does. */
async function checkCard(card, whole = true) {
    const id = await card.locator("code").first().textContent();
    const line = lineOf(id);
    const told = await card.locator("dl div").evaluateAll((list) => list.map((each) => [
        each.querySelector("dt").textContent, each.querySelector("dd").textContent]));
    for (const [name, text] of told) {
        const number = Number(line[name]);
        if (line[name] !== "" && !Number.isNaN(number)) near(parseFloat(text), number, 5e-5, `${id} ${name}`);
        else assert.equal(text.trim(), line[name].replaceAll("\\t", "\t").trim(), `${id} ${name}`);
    }
    const known = Object.entries(line).filter(([name, value]) => name !== "cell" && value !== "" && value !== "nan");
    assert.ok(whole ? told.length === known.length : told.length > 10, `${id}: columns`);
    return {id, line};
}

/* value of a place along an axis, by its labels */
async function scaleOf(chart, axis) {
    const labels = chart.locator(".axis").nth(axis).locator(".tick");
    const ticks = await labels.evaluateAll((list, which) => list.map((tick) => ({
        value: Number(tick.querySelector("text").textContent),
        at: Number(/translate\(([-\d.e]+),([-\d.e]+)\)/.exec(tick.getAttribute("transform"))[1 + which]),
    })), axis);
    const [a, b] = [ticks[0], ticks[ticks.length - 1]];
    assert.ok(a.value !== b.value, "two labels of an axis differ");
    return (at) => a.value * (b.value / a.value) ** ((at - a.at) / (b.at - a.at));
}

async function checkAxe(page, what) {
    const found = await page.evaluate(axe + `;axe.run().then((result) => result.violations.map((each) =>
        each.id + ": " + each.nodes.map((node) => node.target.join(" ")).join(", ")))`);
    assert.deepEqual(found, [], "axe, " + what);
}

// ---- what is checked

async function checkTraces() {
    const {page, seconds, done} = await open(stored);
    const draw = generator(7);
    const sweeps = await page.locator("#sweep option").evaluateAll((list) => list.map((each) => each.value));
    let traced = 0;
    while (traced < 50) {
        await page.selectOption("#sweep", sweeps[Math.floor(draw() * sweeps.length)]);
        const charts = page.locator("#charts .chart");
        const chart = charts.nth(Math.floor(draw() * await charts.count()));
        const marks = chart.locator(".curve path[transform]");
        const count = await marks.count();
        if (count === 0) continue;
        const place = await marks.nth(Math.floor(draw() * count)).evaluate((mark) =>
            /translate\(([-\d.e]+),([-\d.e]+)\)/.exec(mark.getAttribute("transform")).slice(1).map(Number));
        const x = (await scaleOf(chart, 0))(place[0]), y = (await scaleOf(chart, 1))(place[1]);
        const box = await chart.locator("svg").boundingBox();
        const before = await page.locator(".card").count();
        await chart.locator("svg").scrollIntoViewIfNeeded();
        const view = await chart.locator("svg").boundingBox();
        await page.mouse.click(view.x + place[0] * view.width / 460, view.y + place[1] * box.height / 340);
        const cards = await page.locator(".card").count();
        if (cards === before) continue; // the mark above it was kept already
        const {id, line} = await checkCard(page.locator(".card").last());
        const axes = await page.evaluate(() => [document.getElementById("abscissa").value,
                                                document.getElementById("ordinate").value]);
        const value = (name) => { // errors of ten and more stand on the border
            const number = name.split("/").map((part) => Number(line[part])).reduce((a, b) => a / b);
            return name.startsWith("err_") ? Math.min(number, 10) : number;
        };
        near(value(axes[0]), x, 0.15, `${id}: ${axes[0]} of the mark`); // a pixel or two, and marks that overlap
        near(value(axes[1]), y, 0.15, `${id}: ${axes[1]} of the mark`);
        traced++;
    }
    await done();
    console.log(`50 marks traced to their lines; loaded in ${seconds.toFixed(2)} s`);
}

async function checkBack() {
    const {page, done} = await open(stored);
    const draw = generator(11);
    const ids = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).files
        .flatMap((file) => file.lines.flatMap(([first, count]) =>
            Array.from({length: count}, (_, i) => `${file.path}:${first + i}`))));
    for (let i = 0; i < 50; i++) {
        const id = ids[Math.floor(draw() * ids.length)];
        await page.evaluate((hash) => { location.hash = hash; }, "#row=" + encodeURIComponent(id));
        const card = page.locator(`.card[aria-label="row ${id}"]`);
        await card.waitFor();
        const {id: shown, line} = await checkCard(card);
        assert.equal(shown, id);
        const command = await card.locator("pre").textContent();
        const foreign = ["scipy_ivp", "octave_lsode", "desolve"].includes(line.method);
        assert.equal(command.includes("--contender"), foreign, `${id}: ${command}`);
        assert.ok(!command.includes("--models"), `${id}: ${command}`);
    }
    await done();
    console.log(`50 lines traced to their rows, of ${ids.length}`);
}

/* Each set of contenders once: a mark stands at its quotient, and leads to its line and to what repeats it. */
async function checkComparisons() {
    const {page, done} = await open(stored);
    const draw = generator(5);
    const sets = await page.locator("#compared-sets option").evaluateAll((list) => list.map((each) => each.value));
    assert.ok(sets.length > 5);
    for (const set of sets) {
        await page.selectOption("#compared-sets", set);
        const charts = page.locator("#compared .chart:has(svg)");
        const chart = charts.nth(Math.floor(draw() * await charts.count()));
        const places = await chart.locator("svg > path[fill]").evaluateAll((list) => list.map((mark) =>
            /translate\(([-\d.e]+),([-\d.e]+)\)/.exec(mark.getAttribute("transform")).slice(1).map(Number)));
        const [x, y] = places[Math.floor(draw() * places.length)];
        await chart.locator("svg").scrollIntoViewIfNeeded();
        const view = await chart.locator("svg").boundingBox();
        await page.mouse.click(view.x + x * view.width / 460, view.y + y * view.width / 460);
        const card = page.locator(".card").last();
        const {id, line} = await checkCard(card, false);
        near(Number(line.ratio), (await scaleOf(chart, 0))(x), 0.02, `${id}: ratio of the mark`);
        const command = await card.locator("pre").textContent();
        assert.ok(command.startsWith("sensbench compare " + line.problem), command);
        assert.ok(line.changes === "" || command.includes(line.changes), command);
        const row = page.locator("#compared-rows tbody tr").first();
        assert.ok(Number(await row.locator("td button").textContent()) > 1, "the table has lines");
    }
    const [id, changes] = await page.evaluate(() => {
        const file = JSON.parse(document.getElementById("data").textContent).comparisons.at(-1);
        return [file.path + ":" + (file.lines[0][0] + 1), file.columns.changes.each[1]];
    });
    await page.evaluate((hash) => { location.hash = hash; }, "#row=" + encodeURIComponent(id));
    const command = await page.locator(`.card[aria-label="row ${id}"] pre`).textContent();
    assert.ok(command.includes(changes), command);
    await done();
    console.log(`${sets.length} comparisons, a mark of each traced to its line`);
}

async function checkReaders() {
    for (const [what, settings] of [
        ["desktop", {}], ["desktop, dark", {colorScheme: "dark"}],
        ["phone", {viewport: {width: 390, height: 844}, isMobile: true, hasTouch: true}]]) {
        for (const url of [stored, small, against]) {
            const {page, done} = await open(url, settings);
            await page.locator("#rows-box summary").click();
            await page.locator(".card, [role=application]").first().focus();
            await page.keyboard.press("ArrowRight");
            await page.keyboard.press("Enter");
            await page.locator(".card").first().waitFor();
            await checkAxe(page, what);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(wide <= 1, `${what}: the page is ${wide} pixels wider than the screen`);
            await done();
        }
    }
    console.log("axe has no finding, on desktop and phone, light and dark");
}

async function checkControls() {
    const {page, done} = await open(small);
    const marks = () => page.locator(".curve path[transform]").count();
    const all = await marks();
    assert.ok(all > 0);
    await page.locator("#methods input").first().uncheck();
    assert.ok(await marks() < all, "a method is hidden");
    await page.locator("[data-none]").click();
    assert.equal(await marks(), 0);
    await page.locator("[data-all]").click();
    assert.equal(await marks(), all);
    await page.locator("#rows-box summary").click();
    const heading = page.locator("#rows th button", {hasText: "t_total_s"});
    const index = await heading.evaluate((button) => button.parentElement.cellIndex);
    const column = () => page.locator("#rows tbody tr").evaluateAll((rows, at) => rows.map((row) =>
        Number(row.cells[at].textContent)).filter((value) => value > 0), index);
    for (const sign of [1, -1]) {
        await heading.focus();
        await page.keyboard.press("Enter");
        const values = await column();
        assert.deepEqual(values, [...values].sort((a, b) => sign * (a - b)), "a table sorts");
    }
    const area = page.locator("[role=application]").first();
    await area.focus();
    for (const key of ["ArrowRight", "Enter", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    assert.equal(await page.locator(".card").count(), 2, "two marks are kept one after the other by keys");
    assert.ok(await area.evaluate((node) => node === document.activeElement), "keys stay with the figure");
    assert.equal(await page.locator("circle.kept").count(), 2, "what is kept has a ring");
    await page.locator(".card button", {hasText: "drop"}).first().click();
    assert.equal(await page.locator("circle.kept").count(), 1, "what is dropped has none");
    await page.evaluate(() => { location.hash = "#row=%E0%A4%A"; });
    await page.selectOption("#theme", "dark");
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(ground, "rgb(255, 255, 255)");
    await page.emulateMedia({media: "print"});
    assert.ok((await page.pdf({format: "A4"})).length > 10000, "it prints");
    await done();
    console.log("filters, tables, colours and print do what they say");
}

async function checkFailures() {
    const {page, done} = await open(small);
    await page.selectOption("#compared-sets", {index: 1});
    await page.locator("#compared-rows").evaluate((node) => { node.parentElement.open = true; });
    await page.locator("#compared-rows tbody button").nth(1).click();
    const command = await page.locator(".card pre").last().textContent();
    assert.ok(command.endsWith("--vs method=cfsa --error 0.00001"), command);
    execSync(command + " --rounds 5", {stdio: "ignore"});
    const failed = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).files[0].columns
        .status.of.length);
    assert.ok(failed > 1, "there are rows that failed");
    assert.ok(await page.locator(".fails button").count() > 0);
    const text = await page.locator("#failures-body").textContent();
    assert.ok(text.includes("</script><script>"), "hostile text is text");
    assert.equal(await page.evaluate(() => typeof window.hacked), "undefined", "hostile text is no script");
    assert.equal(await page.locator("img").count(), 0, "hostile text is no element");
    await done();
    console.log("what failed is shown, and what is hostile is shown as text");
}

async function checkChanges() {
    const {page, done} = await open(against);
    const changes = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).changes);
    const count = (kind) => changes.pairs.filter((pair) => pair[7] === kind).length;
    const said = await page.locator("#changes-body p").first().textContent();
    assert.ok(said.includes(`${count("faster")} are faster, ${count("slower")} slower`), said);
    const rows = page.locator("#changes-body .scroll").nth(1).locator("tbody tr");
    assert.ok(await rows.count() > 0);
    await rows.first().locator("button").click();
    assert.equal(await page.locator(".card").count(), 2, "both rows of a pair are kept");
    await done();
    console.log(`changes: ${said}`);
}

try {
    await checkTraces();
    await checkBack();
    await checkComparisons();
    await checkReaders();
    await checkControls();
    await checkFailures();
    await checkChanges();
} finally {
    await browser.close();
}
