/* The colour, the marker and the name of a curve: those of the pictures, from plots/common.gp. */
const styles = data.styles;
const pentagon = {
    draw(context, size) {
        const radius = Math.sqrt(size / 2.378); /* the area is (5/2) sin(72 degrees) times its square */
        for (let i = 0; i < 5; i++) {
            const turn = 2 * Math.PI * i / 5;
            context[i ? "lineTo" : "moveTo"](radius * Math.sin(turn), -radius * Math.cos(turn));
        }
        context.closePath();
    },
};
const symbolOf = {
    1: d3.symbolCross, 2: d3.symbolCross, 3: d3.symbolStar, 4: d3.symbolSquare, 5: d3.symbolSquare,
    6: d3.symbolCircle, 7: d3.symbolCircle, 8: d3.symbolTriangle, 9: d3.symbolTriangle, 10: d3.symbolTriangle,
    11: d3.symbolTriangle, 12: d3.symbolDiamond, 13: d3.symbolDiamond, 14: pentagon, 15: pentagon,
};
const others = []; /* methods that the pictures have no style of their own for, as they come */

function placeOf(method) {
    const place = styles.METHODS.indexOf(method);
    if (place >= 0) return {place, known: true};
    if (!others.includes(method)) others.push(method);
    return {place: others.indexOf(method), known: false};
}
function isDark() {
    const theme = document.documentElement.dataset.theme;
    return theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}
function colourOf(method) {
    const {place, known} = placeOf(method);
    const list = known ? styles.COLOURS : styles.OTHER_COLOURS;
    const colour = list[place % list.length];
    if (!isDark() || matchMedia("print").matches) return colour;
    const lab = d3.lab(colour); /* the same hue, light enough for a dark ground */
    return String(d3.lab(Math.max(lab.l, 62), lab.a, lab.b));
}
function markerOf(method) {
    const {place, known} = placeOf(method);
    const list = known ? styles.MARKERS : styles.OTHER_MARKERS;
    return Number(list[place % list.length]);
}
/* Markers come in pairs, open (even) and closed (odd): the second settings of a method have the other one. */
function markOf(method, setting) {
    let marker = markerOf(method);
    if (setting % 2 === 1 && marker >= 4) marker = marker % 2 ? marker - 1 : marker + 1;
    const turned = marker === 10 || marker === 11 ? 180 : marker === 2 ? 45 : 0;
    const path = d3.symbol().type(symbolOf[marker] ?? d3.symbolCircle).size(46)();
    return {path, turned, open: marker >= 4 && marker % 2 === 0};
}
function spelled(setting) {
    const place = styles.VALUES.indexOf(setting);
    return place >= 0 ? styles.WORDS[place] : setting;
}
/* "PETSc @, as shipped": the settings stand at "@", or behind. */
function labelOf(method, series) {
    const {place, known} = placeOf(method);
    const label = known ? styles.LABELS[place] : method;
    const text = series ? series.split(",").map(spelled).join(", ") : "";
    if (label.includes("@")) return text ? label.replace("@", text) : label.replace(/,? @/, "");
    return text ? label + ", " + text : label;
}
