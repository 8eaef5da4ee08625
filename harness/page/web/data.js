/* Rows as they stand in the page: columns in four forms, see page_rows.c. */
const data = JSON.parse(document.getElementById("data").textContent);
const columnNamed = new Map(data.columns.map((column) => [column.name, column]));

/* places -> their numbers, each below `count`: digits to the base 64. */
function placesOf(text, count) {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    let width = 1;
    for (let range = 64; range < count; range *= 64) width++;
    return Array.from({length: text.length / width}, (_, i) =>
        [...text.slice(i * width, (i + 1) * width)].reduce((sum, digit) => 64 * sum + digits.indexOf(digit), 0));
}

/* r -> the value of row r. */
function reader(column) {
    if (!column) return () => null;
    if ("all" in column) return () => column.all;
    if ("each" in column) return (r) => column.each[r];
    if ("words" in column)
        return (r) => placesOf(column.at[r], column.words.length).map((word) => column.words[word]).join(" ");
    const places = placesOf(column.at, column.of.length);
    return (r) => column.of[places[r]];
}

/* The line of each row, from [[first, how many], ...]. */
function linesOf(runs) {
    return runs.flatMap(([first, count]) => Array.from({length: count}, (_, i) => first + i));
}

/* "key=value key=value ..." in a Map; a value may have blanks. */
function settingsOf(cell) {
    const settings = new Map();
    let key = null;
    for (const word of cell.split(" ")) {
        const pair = /^([A-Za-z][A-Za-z0-9_.]*)=(.*)$/.exec(word);
        if (pair) settings.set((key = pair[1]), pair[2]);
        else if (key !== null) settings.set(key, settings.get(key) + " " + word);
    }
    return settings;
}

class Row {
    constructor(file, index) {
        this.file = file;
        this.index = index;
    }
    get(name) {
        if (name.includes("/")) {
            const [over, under] = name.split("/").map((part) => this.get(part));
            return over === null || under === null ? null : over / under;
        }
        if (name === "cell" && this.pair) return this.pair.get(name); /* the same; the page has it once */
        if (name.startsWith("asked.")) return this.settings().get(name.slice(6)) ?? "";
        if (!this.file.reader.has(name)) this.file.reader.set(name, reader(this.file.columns[name]));
        return this.file.reader.get(name)(this.index);
    }
    text(name) {
        return this.get(name) ?? "";
    }
    /* Files of before this column say the tableau alone. */
    get series() {
        return this.text("series") || this.text("tableau");
    }
    get ok() {
        return this.get("status") === "ok";
    }
    get line() {
        return this.file.lines[this.index];
    }
    get id() {
        return this.file.path + ":" + this.line;
    }
    get isCompared() {
        return this.get("contender") !== null;
    }
    settings() {
        return settingsOf(this.text("cell"));
    }
    /* What measures it again. */
    command() {
        if (this.isCompared) return compareCommand(this);
        const settings = this.settings();
        const words = ["problem", "method"].filter((key) => settings.has(key)).map((key) => settings.get(key));
        for (const [key, value] of settings) {
            if (key !== "problem" && key !== "method") words.push(key + "=" + value);
        }
        const from = {problem: "--models MODEL.ode", method: "--contender FILE"};
        const foreign = (key) => !data.known[key].includes(this.text(key));
        const more = Object.keys(from).filter(foreign).map((key) => from[key]);
        return ["sensbench run", ...words.map(quoted), ...more].join(" ");
    }
}

/* A word as a shell reads it. */
function quoted(word) {
    return /^[A-Za-z0-9_.,:+/=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

function openFile(file, number) {
    file.reader = new Map();
    file.lines = linesOf(file.lines);
    file.number = number;
    file.prelude = (file.prelude ?? []).map((number) => data.said[number]);
    file.about = new Map(file.prelude);
    file.row = Array.from({length: file.rows}, (_, index) => new Row(file, index));
    return file;
}
const files = data.files.map(openFile).filter((file) => file.rows > 0);
const filesBefore = (data.before ?? []).map(openFile);
const rowNamed = new Map([...filesBefore, ...data.files].flatMap((file) => file.row).map((row) => [row.id, row]));

/* 1.50e+7 -> 1.5e7 */
function short(text) {
    return text.replace(/\.?0*e\+?/, "e");
}
/* A number for people: three digits, or as many as asked for. */
function shown(value, digits = 3) {
    if (value === null || value === undefined || value === "") return "–";
    if (typeof value !== "number") return value;
    if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e6)) return short(value.toExponential(digits - 1));
    return String(Number(value.toPrecision(digits)));
}

/* An element with attributes, and children that are elements or text. Text of results is never markup. */
function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
        else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
}
function byId(id) {
    return document.getElementById(id);
}
