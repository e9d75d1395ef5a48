// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// Elements, tables and charts. Strings of the answer only ever become text.
const width = () => Math.max(320, Math.min(992, document.documentElement.clientWidth - 32));

function el(name, attributes, ...children) {
    const e = document.createElement(name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    e.append(...children);
    return e;
}

function vg(name, attributes, text) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return e;
}

let charts = 0;
function chart(height, title, desc) {
    const id = "c" + charts++;
    const s = vg("svg", {viewBox: `0 0 ${width()} ${height}`, role: "img", "aria-labelledby": `${id}t ${id}d`});
    s.append(vg("title", {id: id + "t"}, title), vg("desc", {id: id + "d"}, desc));
    return s;
}

// TEXT as nodes, with places to break a long name of a program's at.
function broken(text) {
    const at = text.split(/(?<=::|[/_,])/);
    return text.length < 24 ? [text] : at.flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]);
}

// A command; its words are not broken.
function command(text) {
    return el("code", {}, ...text.split(" ").flatMap((word, i) => [i ? " " : "", el("span", {}, word)]));
}

function cut(text, n) { return text.length > n ? text.slice(0, n - 1) + "…" : text; }

function timeTo(digits, ns) {
    if (!Number.isFinite(ns)) return "–";
    const a = Math.abs(ns);
    if (a < 1e-3) return "0 ns"; // sums of what cancels leave less
    for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
        if (a >= size) return `${Number((ns / size).toPrecision(digits))} ${unit}`;
    return `${Number(ns.toPrecision(digits))} ns`;
}
function time(ns) { return timeTo(4, ns); }
// Times, of which those that differ are told apart, if 7 digits do.
function apart(values) {
    const n = new Set(values).size;
    for (let digits = 4; ; digits++) {
        const texts = values.map(v => timeTo(digits, v));
        if (digits === 7 || new Set(texts).size === n) return texts;
    }
}
function percent(x) { return `${Number((100 * x).toPrecision(3))} %`; }

// Heads beginning with # are of numbers; ALL rows there were.
function table(caption, heads, rows, folded, all) {
    if (all > rows.length) caption += ` (${all - rows.length} of ${all} rows left out)`;
    const number = heads.map(h => h.startsWith("#"));
    const head = el("tr", {}, ...heads.map((h, i) =>
        el("th", number[i] ? {class: "n", scope: "col"} : {scope: "col"}, h.replace("#", ""))));
    const short = rows.every(r => String(r[0]).length < 16);
    const body = rows.map(r => el("tr", {}, ...r.map((c, i) =>
        el("td", number[i] ? {class: "n"} : short && !i && r.length > 1 ? {class: "short"} : {}, ...broken(String(c))))));
    const rest = folded || rows.length <= 12 ? [] : body.slice(8);
    const t = el("div", {class: "wide"}, el("table", {}, el("caption", {}, caption), el("thead", {}, head),
                                             el("tbody", {}, ...body.slice(0, body.length - rest.length)),
                                             ...(rest.length ? [el("tbody", {hidden: ""}, ...rest)] : [])));
    if (folded) return el("details", {}, el("summary", {}, "The numbers as a table"), t);
    if (!rest.length) return t;
    const more = el("button", {type: "button"}, `${rest.length} more`);
    more.onclick = () => { t.querySelector("tbody[hidden]").hidden = false; more.remove(); };
    return el("div", {}, t, more);
}

// Whether VALUES need a logarithmic axis: the largest is many times the smallest, whose interval would be a point.
function spreadWide(values) { return Math.min(...values) > 0 && Math.max(...values) > 20 * Math.min(...values); }

// Round values of a logarithmic axis from LOW to HIGH: 1, 2, 5, 10 ... if they are few.
function decades(low, high) {
    const list = [], steps = high / low > 1e3 ? [1] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++)
        for (const step of steps) if (step * 10 ** power >= low && step * 10 ** power <= high) list.push(step * 10 ** power);
    const every = Math.ceil(list.length / 8);
    return list.filter((_, i) => i % every === 0);
}

// ITEMS: {label, value, low, high, colour}; bars from zero, with whiskers where there is an interval. With intervals of values that
// differ much the axis is logarithmic, from half the smallest value. WHOLE: a value that is marked where a bar exceeds it.
function bars(title, desc, items, say, whole) {
    const row = 40, w = width();
    const s = chart(row * items.length + 4, title, desc);
    const wide = items.every(i => i.low !== undefined) && spreadWide(items.flatMap(i => [i.value, i.low, i.high]));
    if (wide) s.dataset.axis = "log";
    const ends = items.flatMap(i => [i.value, i.low ?? 0, i.high ?? 0, ...(wide ? [] : [0])]), at = v => wide ? Math.log(v) : v;
    const least = at(wide ? Math.min(...ends) / 2 : Math.min(...ends)), most = at(Math.max(...ends)), span = most - least || 1;
    const x = v => 4 + (wide && !v ? 0 : at(v) - least) / span * (w - 8);
    items.forEach((item, k) => {
        const y = k * row, from = x(Math.min(0, item.value)), to = x(Math.max(0, item.value));
        const room = Math.max(8, Math.floor((w - 7.5 * say(item.value).length - 24) / 7.5));
        s.append(vg("text", {x: 4, y: y + 14}, cut(item.label, room)));
        s.append(vg("text", {x: w - 4, y: y + 14, "text-anchor": "end", class: "soft"}, say(item.value)));
        s.append(vg("rect", {x: from, y: y + 20, width: Math.max(1, to - from), height: 12,
                             fill: item.colour || (item.value < 0 ? "var(--green)" : "var(--blue)")}));
        if (item.low !== undefined)
            s.append(vg("path", {d: `M${x(item.low)} ${y + 26}H${x(item.high)}M${x(item.low)} ${y + 21}v10` +
                                    `M${x(item.high)} ${y + 21}v10`, stroke: "var(--ink)", fill: "none"}));
    });
    if (whole !== undefined && items.some(i => i.value > whole))
        s.append(vg("path", {d: items.map((_, k) => `M${x(whole)} ${k * row + 18}v16`).join(""), stroke: "var(--ink)",
                             "stroke-width": 2, class: "whole"}));
    return s;
}

// SERIES: {name, points: [{x, y, low, high}]}.
function lines(title, desc, series, sayX, logarithmic) {
    const w = width(), h = 260, bottom = 30;
    const s = chart(h + 18 * (series.length > 1 ? series.length : 0), title, desc);
    const all = series.flatMap(l => l.points), at = v => logarithmic ? Math.log(v) : v;
    const ys = all.flatMap(p => [p.low ?? p.y, p.high ?? p.y]), wide = spreadWide(ys), up = v => wide ? Math.log(v) : v;
    if (wide) s.dataset.axis = "log";
    const xs = all.map(p => at(p.x)), x0 = Math.min(...xs), x1 = Math.max(...xs), y0 = Math.min(...ys), y1 = Math.max(...ys);
    const levels = wide ? decades(y0, y1) : [0, 1, 2, 3, 4].map(k => y0 + (y1 - y0) * k / 4), texts = apart(levels);
    const left = Math.max(76, 12 + 7.5 * Math.max(...texts.map(t => t.length)));
    const X = v => left + (at(v) - x0) / (x1 - x0 || 1) * (w - left - 12);
    const Y = v => h - bottom - (up(v) - up(y0)) / (up(y1) - up(y0) || 1) * (h - bottom - 14);
    const colours = ["var(--blue)", "var(--red)", "var(--green)", "var(--grey)"];
    levels.forEach((v, k) => {
        s.append(vg("path", {d: `M${left} ${Y(v)}H${w - 12}`, stroke: "var(--line)"}));
        s.append(vg("text", {x: left - 6, y: Y(v) + 4, "text-anchor": "end", class: "soft"}, texts[k]));
    });
    const ends = all.reduce((e, p) => [Math.min(e[0], p.x), Math.max(e[1], p.x)], [Infinity, -Infinity]);
    s.append(vg("text", {x: left, y: h - 8, class: "soft"}, sayX(ends[0])));
    s.append(vg("text", {x: w - 12, y: h - 8, "text-anchor": "end", class: "soft"}, sayX(ends[1])));
    series.forEach((l, k) => {
        const colour = colours[k % colours.length], p = l.points;
        if (p[0].low !== undefined)
            s.append(vg("path", {d: "M" + p.map(q => `${X(q.x)} ${Y(q.high)}`).join("L") + "L" +
                                    p.slice().reverse().map(q => `${X(q.x)} ${Y(q.low)}`).join("L") + "Z",
                                 fill: colour, "fill-opacity": .2}));
        s.append(vg("path", {d: "M" + p.map(q => `${X(q.x)} ${Y(q.y)}`).join("L"), stroke: colour, fill: "none",
                             "stroke-width": 2, "stroke-dasharray": k < 4 ? "" : "5 3"}));
        if (p.length === 1) s.append(vg("circle", {cx: X(p[0].x), cy: Y(p[0].y), r: 3, fill: colour}));
        if (series.length > 1) {
            s.append(vg("path", {d: `M${left} ${h + 18 * k}h26`, stroke: colour, "stroke-width": 3,
                                 "stroke-dasharray": k < 4 ? "" : "5 3"}));
            s.append(vg("text", {x: left + 32, y: h + 18 * k + 4}, cut(l.name, Math.floor(w / 8) - 12)));
        }
    });
    return s;
}

// ROWS: {label, values}, each shaded by its own largest magnitude; NAME says what column I is.
function heat(title, desc, rows, name, say) {
    const w = width(), row = 40, s = chart(row * rows.length + 4, title, desc);
    rows.forEach((r, k) => {
        const most = Math.max(...r.values.map(Math.abs)) || 1, one = (w - 8) / r.values.length;
        s.append(vg("text", {x: 4, y: k * row + 14}, r.label));
        s.append(vg("text", {x: w - 4, y: k * row + 14, "text-anchor": "end", class: "soft"},
                    `${say(Math.min(...r.values))} to ${say(Math.max(...r.values))}`));
        r.values.forEach((v, i) => {
            const cell = vg("rect", {x: 4 + i * one, y: k * row + 20, width: Math.max(one - (one > 6 ? 1 : 0), .5),
                                     height: 14, fill: v < 0 ? "var(--green)" : "var(--red)",
                                     "fill-opacity": .06 + .94 * Math.abs(v) / most});
            cell.append(vg("title", {}, `${name(i)}: ${say(v)}`));
            s.append(cell);
        });
    });
    return s;
}
